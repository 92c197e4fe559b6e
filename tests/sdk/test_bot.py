"""The bot kit without a server: what a bot is, what many matches come to, and what happens when one fails."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from spieltisch.bot import Bot, BotTurn, bot
from spieltisch.bot.bulk import Bulk, House, Setup, run
from spieltisch.bot.commands import run as run_command
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.finding import bot_in, player_of
from spieltisch.bot.options import names, parser
from spieltisch.bot.tally import Played, Tally, Times, as_text, mean_and_margin, share_and_margin
from spieltisch_service.domain.verify import verify

FIRST_LEGAL = Path(__file__).parents[2] / "sdk" / "examples" / "first_legal.py"
GAMES: list[tuple[str, dict[str, Any]]] = [("neues-land", {}), ("wunderland", {"round_limit": 4})]


@bot
def by_chance(turn: BotTurn) -> Mapping[str, Any]:
    return turn.rng.choice(turn.legal_actions)


def turn_of(version: int = 2, seat: int = 0, seed: str = "s/0") -> BotTurn:
    def never() -> Mapping[str, Any]:
        raise AssertionError("nobody asked for the view")

    return BotTurn("neues-land", {}, "mt_1", seat, version, seed=seed, look=never, list_actions=lambda: [{"type": "a"}])


# --- a bot --------------------------------------------------------------------------------------------------


def test_a_bot_is_a_function_with_a_name() -> None:
    assert isinstance(by_chance, Bot)
    assert by_chance.name == "by_chance"
    assert by_chance.games is None
    assert by_chance(turn_of()) == {"type": "a"}

    @bot(game="wunderland", name="nearest", version="2")
    def decide(turn: BotTurn) -> Mapping[str, Any]:
        """Says why."""
        return turn.legal_actions[0]

    assert (decide.name, decide.games, decide.version) == ("nearest", ("wunderland",), "2")
    assert decide.__doc__ == "Says why."


def test_a_bot_called_decide_is_named_after_its_file() -> None:
    assert bot_in(FIRST_LEGAL).name == "first_legal"


def test_chance_depends_on_seed_match_seat_and_version_alone() -> None:
    drawn = turn_of().rng.random()
    assert turn_of().rng.random() == drawn
    for other in (turn_of(version=3), turn_of(seat=1), turn_of(seed="s/1"), turn_of(seed="t/0")):
        assert other.rng.random() != drawn


def test_there_is_no_clock_unless_there_is_one() -> None:
    assert turn_of().remaining_ms is None
    about: tuple[Any, ...] = ("neues-land", {}, "mt_1", 0, 2)
    late = BotTurn(*about, seed="", look=dict, deadline_s=time.monotonic() - 1)
    assert late.remaining_ms == 0
    early = BotTurn(*about, seed="", look=dict, deadline_s=time.monotonic() + 3600)
    assert early.remaining_ms is not None
    assert early.remaining_ms > 3_000_000


# --- statistics ---------------------------------------------------------------------------------------------


def test_a_mean_comes_with_the_interval_of_student() -> None:
    # Of 1, 2, 3, 4: standard deviation sqrt(5/3), by 2 is its error; Student's 97.5 % for 3 is 3.1824.
    mean, margin = mean_and_margin(enumerate([1, 2, 3, 4]))
    assert mean == 2.5
    assert margin == pytest.approx(3.1824 * math.sqrt(5 / 3) / 2, rel=0.01)


def test_matches_of_one_deal_count_as_one() -> None:
    # Each deal is worth just as much as the other one: no more is known than from two values.
    doubled = mean_and_margin([(0, 1), (0, 1), (1, 3), (1, 3)])
    assert doubled == pytest.approx(mean_and_margin([(0, 1), (1, 3)]))
    # What one seat gains the other loses: the deals agree, and so the mean is certain.
    assert mean_and_margin([(0, 0), (0, 1), (1, 1), (1, 0)]) == (0.5, 0)


def test_few_matches_promise_nothing() -> None:
    assert mean_and_margin([(0, 1.0)]) == (1.0, math.inf)
    assert math.isnan(mean_and_margin([])[0])
    # Four wins of four happen to somebody who wins 0.025 ** (1/4) = 39.8 % in one run of forty.
    mean, margin = share_and_margin([(deal, 1.0) for deal in range(4)])
    assert mean == 1
    assert margin == pytest.approx(0.602, abs=0.001)
    assert share_and_margin([(0, 0.5)]) == (0.5, 1.0)


def test_times_have_quantiles() -> None:
    times = Times()
    for duration_ns in range(1_000_000, 101_000_000, 1_000_000):
        times.add(duration_ns)
    assert times.quantile_ms(0.5) == pytest.approx(50, rel=0.1)
    assert times.quantile_ms(0.99) == pytest.approx(99, rel=0.1)
    assert times.quantile_ms(1) == 100
    assert Times().quantile_ms(0.5) == 0


def test_wins_ties_and_losses() -> None:
    tally = Tally()
    for number, (seat, scores, ranks) in enumerate(
        [(0, (9, 4, 4), (1, 2, 2)), (1, (5, 5, 1), (1, 1, 3)), (2, (8, 8, 6), (1, 1, 3))]
    ):
        tally.add(Played(number, 0, seat, scores, ranks, actions=10))
    tally.add(Played(3, 1, 0, failure="it broke"))
    summary = tally.summary(2.0)
    told = {name: summary[name] for name in ("matches", "wins", "ties", "losses", "errors", "actions_per_s")}
    assert told == {"matches": 3, "wins": 1, "ties": 1, "losses": 1, "errors": 1, "actions_per_s": 15.0}
    assert summary["win_share"]["mean"] == 0.5
    assert summary["points"]["mean"] == pytest.approx((9 + 5 + 6) / 3)
    assert summary["ahead"]["mean"] == pytest.approx((5 + 0 - 2) / 3)
    assert [each["win_share"] for each in summary["seats"]] == [1.0, 0.5, 0.0]
    assert "wins 1, ties 1, losses 1" in as_text(summary)


# --- many matches -------------------------------------------------------------------------------------------


def bulk_of(game: str, options: Mapping[str, Any], folder: Path, seats: int = 2, own: Bot = by_chance) -> Bulk:
    return Bulk(Setup(game, seats, options, "a seed", folder), own, [House("random")] * (seats - 1))


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_matches_repeat_and_so_they_do_in_several_processes(game: str, options: Any, tmp_path: Path) -> None:
    def told(jobs: int) -> list[tuple[Any, ...]]:
        bulk = bulk_of(game, options, tmp_path, seats=3)
        played: list[Played] = []
        assert run(bulk, range(7), jobs, played.append) is False
        played.sort(key=lambda each: each.number)
        return [(each.number, each.deal, each.seat, each.scores, each.ranks, each.decisions) for each in played]

    alone = told(1)
    assert [row[:3] for row in alone] == [(n, n // 3, n % 3) for n in range(7)]
    assert told(2) == alone
    assert len({row[3] for row in alone}) > 1


def test_a_bot_sees_what_its_seat_sees(tmp_path: Path) -> None:
    seen: list[int] = []

    @bot
    def looking(turn: BotTurn) -> Mapping[str, Any]:
        view = turn.view
        assert view.seat == view.to_act == turn.seat
        assert view.version == turn.version
        assert view.match == turn.match
        assert view.legal_actions == turn.legal_actions
        assert view.state is not None
        seen.append(turn.version)
        assert len(view.state["hand"]) == view.state["hand_counts"][turn.seat]
        # What a bot does to its view is nobody else's business.
        view.state["hand"].clear()
        turn.legal_actions.reverse()
        return turn.legal_actions[0]

    played = bulk_of("wunderland", {"round_limit": 2}, tmp_path, own=looking).play(0)
    assert played is not None
    assert played.failure is None
    assert len(seen) == played.decisions > 3


def test_every_kind_of_failure_is_one_match_and_a_file(tmp_path: Path) -> None:
    def failing(answer: Callable[[BotTurn], Any]) -> Played:
        @bot(name="failing")
        def decide(turn: BotTurn) -> Any:
            return answer(turn) if turn.version > 20 else turn.rng.choice(turn.legal_actions)

        played = bulk_of("neues-land", {}, tmp_path, own=decide).play(0)
        assert played is not None
        assert played.failure is not None
        return played

    def broken(_: BotTurn) -> Any:
        raise KeyError("colour")

    assert "KeyError: 'colour' (test_bot.py:" in str(failing(broken).failure)
    assert "an action is a dictionary, not None" in str(failing(lambda _: None).failure)
    assert "type: " in str(failing(lambda _: {"type": "jump"}).failure)
    # Far away from everything: rule N22 wants an edge in common.
    far = failing(lambda turn: {"type": "place_tile", "tile": "8g", "rotation": 0, "x": 60, "y": 60})
    assert "N2" in str(far.failure)
    content = json.loads(Path(str(far.saved)).read_text())
    assert content["format"] == "spieltisch-crash/1"
    *earlier, last = content["decisions"]
    assert last["action"] is None
    assert last["view"]["version"] > 20 >= earlier[-1]["view"]["version"]
    record = content["record"]
    assert record["status"] == "running"
    mine = [action["action"] for action in record["actions"] if action["seat"] == 0]
    assert mine == [decision["action"] for decision in earlier]


def test_the_record_of_a_table_proves_itself(tmp_path: Path) -> None:
    table = Setup("wunderland", 2, {"round_limit": 2}, "a seed", tmp_path).table(0)
    rng = random.Random(1)
    while table.to_act is not None:
        table.act(rng.choice(table.legal_actions()))
    record = table.record()
    assert record["version"] == table.version
    assert record["result"] == table.result
    verify(record)


# --- the command line ---------------------------------------------------------------------------------------


def command(*arguments: str, own: Bot = by_chance) -> int:
    return run_command(lambda: own, [*arguments, "--quiet"], shown_as="python my.py", games=own.games, name=own.name)


def test_the_statistics_come_as_text_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("-n", "4", "--seed", "7") == 0
    text = capsys.readouterr().out
    assert text.startswith("4 matches of neues-land: 2 seats, by_chance against random\n")
    assert command("-n", "4", "--seed", "7", "--json", "--jobs", "2") == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["matches"], summary["seed"], summary["errors"]) == (4, "7", 0)
    wins = f"wins {summary['wins']}, ties {summary['ties']}, losses {summary['losses']}"
    assert wins in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--against", "nobody"], "there is no house bot 'nobody'"),
        (["--game", "chess"], "there is no game 'chess'"),
        (["--seats", "9"], "neues-land has 2 to 5 seats, not 9"),
        (["--seats", "1"], "1 seats are too few"),
        (["--options", "colour=red"], "options of neues-land: colour"),
        (["--against", "./nothing.mjs"], "there is no program"),
        (["--against", "nothing.py"], "there is no file nothing.py"),
        (["--against", "typo.py"], "typo.py:2: invalid syntax"),
        (["--replay", "nothing.json"], "nothing.json cannot be read"),
        (["--url", "http://example.invalid"], "use https"),
        (["--url", "local:", "--play", "some"], "a number of matches, or waiting"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("typo.py").write_text("\ndef decide(:\n")
    assert command(*arguments) in (1, 2)
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert len(told.err.strip().splitlines()) == 1


def test_a_bot_of_one_game_plays_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    nearest = Bot(by_chance.function, name="nearest", game="wunderland")
    assert command("--game", "neues-land", own=nearest) == 2
    assert "nearest plays wunderland" in capsys.readouterr().err
    assert command("-n", "2", "--options", "round_limit=2", own=nearest) == 0
    assert "2 matches of wunderland" in capsys.readouterr().out


def test_a_failure_is_shown_saved_and_played_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faults = [True]

    @bot(name="shy")
    def decide(turn: BotTurn) -> Mapping[str, Any]:
        if faults[0] and turn.version > 20:
            raise RuntimeError("too many tiles")
        return turn.rng.choice(turn.legal_actions)

    assert command("-n", "1", "--seed", "3", "--crash-dir", str(tmp_path), own=decide) == 1
    shown = capsys.readouterr().err
    assert "FAILED shy at version" in shown
    assert 'raise RuntimeError("too many tiles")' in shown
    [saved] = tmp_path.iterdir()
    assert f"python my.py --replay {saved}" in shown
    assert command("--replay", str(saved), own=decide) == 1
    assert "RuntimeError: too many tiles" in capsys.readouterr().err
    faults[0] = False
    assert command("--replay", str(saved), own=decide) == 0
    said = capsys.readouterr().out
    assert "which is legal" in said
    assert "otherwise" not in said
    assert command("--replay", str(saved), own=Bot(lambda turn: turn.legal_actions[-1], name="other")) == 0
    assert "it decided otherwise than then at version" in capsys.readouterr().out


def test_options_and_names_are_read() -> None:
    read = parser("x").parse_args(["--options", "round_limit=10,postcards=with_travel", "--against", "a, ./b.mjs"])
    assert read.options == {"round_limit": 10, "postcards": "with_travel"}
    assert parser("x").parse_args(["--options", '{"expert": true}']).options == {"expert": True}
    assert names(read.against) == ["a", "./b.mjs"]
    for wrong in (["-n", "0"], ["--options", "x"], ["--local", "--stdio"]):
        with pytest.raises(SystemExit):
            parser("x").parse_args(wrong)


def test_opponents_are_house_bots_files_and_programs(tmp_path: Path) -> None:
    assert player_of("bot:random")().name == "random"
    assert isinstance(player_of(str(FIRST_LEGAL))(), Bot)
    with pytest.raises(BotFailed, match=r"there are .*random"):
        player_of("nobody")()
    nothing = tmp_path / "nothing.py"
    nothing.write_text("")
    with pytest.raises(ValueError, match="has 0 bots"):
        player_of(str(nothing))


def test_a_ctrl_c_ends_a_run_with_what_there_is(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(
        textwrap.dedent("""
            import os, time
            from spieltisch.bot import bot
            @bot
            def decide(turn):
                os.write(1, b"deciding\\n") if turn.version == 2 else time.sleep(0.0001)
                return turn.legal_actions[0]
            decide.main()
        """)
    )
    for jobs in ("1", "2"):
        command = [sys.executable, str(file), "-n", "5000", "--jobs", jobs, "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
            try:
                assert process.stdout is not None
                for _ in range(6):
                    assert process.stdout.readline() == "deciding\n"
                # As a terminal does it: to all processes.
                os.killpg(process.pid, signal.SIGINT)
                rest, _ = process.communicate(timeout=60)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode == 130
        assert not rest.splitlines()[0].startswith("0 matches")
        assert "matches of neues-land before it was stopped" in rest
        assert "errors 0" in rest
