"""Bots on a service: over a bad line, after a restart, after a Ctrl-C, and with more matches than hands."""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spieltisch import Client, Match
from spieltisch.bot import BotTurn, bot
from spieltisch.bot.bulk import Bulk, Setup
from spieltisch.bot.keys import kept_at
from spieltisch.bot.remote import NUMBER, Remote, Wanted
from spieltisch.bot.tally import Played
from spieltisch_service.domain.verify import verify
from spieltisch_service.local.table import Table
from tests.sdk.bad_line import FAULTS, BadLine

# Only bounds how long a failing test takes.
PATIENCE_S = 240


@bot
def by_chance(turn: BotTurn) -> Mapping[str, Any]:
    return turn.rng.choice(turn.legal_actions)


def quick(number: int) -> tuple[str, int, dict[str, Any]]:
    """Game, players and options of a match of a long run."""
    if number % 8 == 0:
        return "neues-land", 2, {}
    return "wunderland", 2 + number % 3, {"round_limit": 2 + number % 3}


def setup_of(number: int, folder: Path) -> Setup:
    game, players, options = quick(number)
    drawn = Table(game, players, options, seed=number.to_bytes(32, "big"))
    deal = drawn.game.deal_to_wire(drawn._deal)
    return Setup(game, players, options, "the seed", folder, lambda _: deal)


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.long)])
def test_over_a_bad_line_everything_happens_once_and_as_without_it(
    count: int, live_server: str, tmp_path: Path
) -> None:
    setups = [setup_of(number, tmp_path) for number in range(count)]
    matches: dict[int, Match] = {}
    with BadLine(live_server) as line:
        client = Client(line.url, retry_for=PATIENCE_S).register("Bot", kind="bot")

        def create(number: int) -> Match:
            setup = setups[number]
            assert setup.deal_of is not None
            matches[number] = client.matches.create(
                setup.game,
                ["me"] * setup.seats,
                options=setup.options,
                deal=setup.deal_of(number),
                metadata={NUMBER: str(number)},
            )
            return matches[number]

        played: list[Played] = []
        wanted = Wanted(None, "the seed", count, create, concurrency=16, crash_folder=tmp_path)
        remote = Remote(client, lambda: by_chance, wanted)
        remote.run(played.append)
        client.close()
    assert remote.left_behind == []
    assert [each.failure for each in played] == [None] * count
    assert set(line.met) == set(FAULTS)
    direct = Client(live_server, client.key)
    for each in played:
        setup = setups[each.number]
        undisturbed = Bulk(setup, by_chance, [by_chance] * (setup.seats - 1)).play(each.number)
        assert undisturbed is not None
        assert (each.scores, each.ranks) == (undisturbed.scores, undisturbed.ranks)
        record = direct.matches.get(matches[each.number].id).record()
        verify(record)
        # Created and started in one event each, finished in another: all others are actions, and each is one of ours.
        assert record["version"] - 3 == len(record["actions"]) == undisturbed.actions == each.actions - 1
    print(f"{count} matches, 16 at a time: {sum(line.met.values())} faults {dict(line.met)}")


# --- many matches, few hands --------------------------------------------------------------------------------


def test_more_matches_than_hands(live_server: str, ada: Client, tmp_path: Path) -> None:
    mine = Client(live_server).register("Bot", kind="bot")
    for _ in range(5):
        created = ada.matches.create("wunderland", ["me", "open"], options={"round_limit": 2})
        mine.matches.join(created.id)
    played: list[Played] = []
    wanted = Wanted("wunderland", "s", 5, concurrency=2, keep=True, crash_folder=tmp_path)
    remote = Remote(mine, lambda: by_chance, wanted)
    theirs = [threading.Thread(target=play_slowly, args=(match,)) for match in ada.matches.list(mine=True)]
    for thread in theirs:
        thread.start()
    remote.run(played.append)
    for thread in theirs:
        thread.join(PATIENCE_S)
    assert [each.failure for each in played] == [None] * 5
    assert all(match.status == "finished" for match in mine.matches.list(mine=True))


def play_slowly(match: Match) -> None:
    for turn in match.turns():
        time.sleep(0.02)
        turn.act(turn.legal_actions[-1])


def test_a_bot_takes_an_open_seat(live_server: str, ada: Client, tmp_path: Path) -> None:
    mine = Client(live_server).register("Bot", kind="bot")
    played: list[Played] = []
    # Other tests leave open seats of this game behind; the one of this test is the newest.
    wanted = Wanted("neues-land", "s", 1, join=True, concurrency=1, crash_folder=tmp_path)
    created = ada.matches.create("neues-land", ["me", "open"])
    other = threading.Thread(target=play_slowly, args=(created,))
    other.start()
    Remote(mine, lambda: by_chance, wanted).run(played.append)
    other.join(PATIENCE_S)
    assert played[0].failure is None
    assert created.refresh().seats[1].name == "Bot"
    assert created.result is not None


def test_a_failing_bot_resigns_and_tells(live_server: str, tmp_path: Path) -> None:
    @bot(name="shy")
    def decide(turn: BotTurn) -> Mapping[str, Any]:
        if turn.version > 20:
            return {"type": "place_tile", "tile": "8g", "x": 60, "y": 60, "rotation": 0}
        return turn.rng.choice(turn.legal_actions)

    client = Client(live_server).register("Shy", kind="bot")
    played: list[Played] = []

    def create(number: int) -> Match:
        return client.matches.create("neues-land", ["me", "bot:random"], metadata={NUMBER: str(number)})

    Remote(client, lambda: decide, Wanted(None, "s", 2, create, crash_folder=tmp_path)).run(played.append)
    assert len(played) == 2
    for each in played:
        assert "shy at version 2" in str(each.failure)
        content = json.loads(Path(str(each.saved)).read_text())
        *earlier, last = content["decisions"]
        assert last["view"]["legal_actions"]
        mine = [action["action"] for action in content["record"]["actions"] if action["seat"] == 0]
        assert [decision["action"] for decision in earlier] == mine
        assert [decision["view"]["to_act"] for decision in earlier] == [0] * len(earlier)
    for match in client.matches.list(mine=True):
        assert match.status == "finished"
        assert match.result is not None
        assert match.result.end_reason == "last_seat"


# --- a file, as its author starts it ------------------------------------------------------------------------

TWELVE_LINES = """\
from spieltisch.bot import bot


@bot(game="neues-land")
def decide(turn):
    scoring = [action for action in turn.legal_actions if action["type"] == "place_follower"]
    return turn.rng.choice(scoring or turn.legal_actions)


if __name__ == "__main__":
    decide.main()
"""
#: After some moves it waits until there is a file `go`, so that whoever looks finds its matches under way.
HELD = TWELVE_LINES.replace(
    "    scoring",
    "    import os, time\n"
    "    while turn.version > 8 and not os.path.exists('go'):\n"
    "        time.sleep(0.01)\n"
    "    scoring",
    1,
)


def start(file: Path, *arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "XDG_CONFIG_HOME": str(file.parent)}
    return subprocess.Popen(
        [sys.executable, str(file), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=file.parent,
    )


def test_twelve_lines_play_here_and_on_a_service(live_server: str, tmp_path: Path) -> None:
    assert len(TWELVE_LINES.splitlines()) <= 12
    file = tmp_path / "keen.py"
    file.write_text(TWELVE_LINES)
    for where in ([], ["--jobs", "2"], ["--url", live_server], ["--url", "local:"]):
        with start(file, "-n", "4", *where) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
        assert out.startswith("4 matches of neues-land: ")
        assert "errors 0" in out
    kept = kept_at(live_server, "keen")
    kept = tmp_path / "spieltisch" / kept.relative_to(kept.parents[2])
    assert kept.stat().st_mode & 0o777 == 0o600
    account = Client(live_server, kept.read_text().strip()).me().account
    assert account is not None
    assert (account.name, account.kind) == ("keen", "bot")


def running_of(live_server: str, folder: Path, at_least: int) -> Client:
    """The bot's account, once so many of its matches are well under way."""
    keys = folder / "spieltisch" / "keys"
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        for kept in keys.glob("*/slow"):
            client = Client(live_server, kept.read_text().strip())
            if sum(match.version > 8 for match in client.matches.list(mine=True, status="running")) >= at_least:
                return client
        time.sleep(0.05)
    raise AssertionError("the bot does not play")


def test_a_killed_bot_goes_on_where_it_was(live_server: str, tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(HELD)
    arguments = ["--url", live_server, "-n", "3", "--concurrency", "3", "--seed", "s"]
    with start(file, *arguments) as process:
        client = running_of(live_server, tmp_path, 3)
        process.kill()
    (tmp_path / "go").touch()
    before = {match.id: match.version for match in client.matches.list(mine=True)}
    assert len(before) == 3
    with start(file, *arguments) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert out.startswith("3 matches of neues-land")
    after = list(client.matches.list(mine=True))
    assert {match.id for match in after} == set(before)
    for match in after:
        assert match.status == "finished"
        verify(match.record())


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_ctrl_c_leaves_no_match_hanging(live_server: str, tmp_path: Path, sent: signal.Signals) -> None:
    file = tmp_path / "slow.py"
    file.write_text(HELD)
    with start(file, "--url", live_server, "-n", "50", "--concurrency", "3") as process:
        client = running_of(live_server, tmp_path, 3)
        process.send_signal(sent)
        (tmp_path / "go").touch()
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "before it was stopped" in out
    resigned = [line for line in err.splitlines() if line.endswith("is resigned")]
    assert len(resigned) >= 1
    assert {match.status for match in client.matches.list(mine=True)} == {"finished"}


def test_a_bot_that_waits_keeps_its_matches(live_server: str, ada: Client, tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(HELD)
    (tmp_path / "go").touch()
    with start(file, "--url", live_server, "-n", "1") as process:
        assert process.wait(PATIENCE_S) == 0
    [kept] = (tmp_path / "spieltisch" / "keys").glob("*/slow")
    mine = Client(live_server, kept.read_text().strip())
    created = ada.matches.create("neues-land", ["open", "me"])
    mine.matches.join(created.id)
    with start(file, "--url", live_server, "--play", "waiting") as process:
        joined = created.refresh().version
        while created.refresh().version == joined:
            created.view(seat=1, after=joined, wait=25)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert f"match {created.id} goes on when this bot is started again" in err
    assert created.refresh().status == "running"
    with start(file, "--url", live_server, "--play", "waiting", "-n", "1") as process:
        rng = random.Random(1)
        for turn in created.turns():
            turn.act(rng.choice(turn.legal_actions))
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert out.startswith("1 matches of neues-land")


def test_a_wrong_key_ends_the_run(live_server: str, tmp_path: Path) -> None:
    file = tmp_path / "keen.py"
    file.write_text(textwrap.dedent(TWELVE_LINES))
    with start(file, "--url", live_server, "-n", "2", "--key", "spt_key_" + "0" * 60) as process:
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "401 unauthenticated" in err
    assert "Traceback" not in err
