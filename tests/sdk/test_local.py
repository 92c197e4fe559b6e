"""The service within the process, and the rules without it: the same matches as over HTTP."""

import importlib
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import spieltisch.local
from spieltisch import Client, Match, errors
from spieltisch.bot import BotTurn, bot
from spieltisch.bot.bulk import Bulk, Setup
from spieltisch.bot.remote import NUMBER, Remote, Wanted
from spieltisch.bot.tally import Played
from spieltisch_service.domain.verify import verify
from spieltisch_service.local.table import Table

VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    yield
    spieltisch.local.close()


@pytest.fixture
def local() -> Client:
    return Client("local:").register("Ada")


def vector(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return read


# --- the service within the process -------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "options"), [("neues-land", {}), ("wunderland", {"round_limit": 2})])
def test_a_match_against_a_house_bot(local: Client, game: str, options: dict[str, Any]) -> None:
    match = local.matches.create(game, ["me", "bot:random"], options=options)
    for turn in match.turns():
        assert match.id in turn.text()
        turn.act(turn.legal_actions[0])
    assert match.result is not None
    assert match.result.end_reason == "completed"
    events = list(match.events())
    assert [event.seq for event in events] == list(range(1, match.version + 1))
    verify(match.record())


def test_all_clients_of_a_process_meet(local: Client) -> None:
    match = local.matches.create("neues-land", ["me", "open"])
    bob = Client("local:").register("Bob")
    theirs = bob.matches.join(match.id)
    assert theirs.seats[0].name == "Ada"
    assert repr(bob) == "<Client of local: as 'Bob'>"
    with pytest.raises(errors.NotYourTurn):
        theirs.act({"type": "pass"})
    with pytest.raises(errors.Unauthenticated):
        Client("local:").me()
    with bob:
        pass
    assert bob.me().account is not None


def test_who_waits_hears_of_what_happens(local: Client) -> None:
    match = local.matches.create("neues-land", ["me", "me"])
    before = match.version
    heard: list[str] = []
    acting = threading.Timer(0.1, lambda: match.act((match.legal_actions(seat=0) or [{}])[0], seat=0))
    acting.start()
    for event in match.events(after=before):
        heard.append(event.type)
        break
    acting.join()
    assert heard == ["action"]
    assert local.decisions(wait=0).decisions[0].match


def test_names_that_need_quoting_and_errors_are_as_over_http(local: Client) -> None:
    with pytest.raises(errors.NotFound) as caught:
        local.matches.get("mt_ä/?")
    assert caught.value.status == 404
    assert caught.value.request_id
    assert "neues-land" in {game.id for game in local.games.list()}
    with pytest.raises(ValueError, match="nothing behind it"):
        Client("local:elsewhere")


def test_a_service_that_has_ended_says_so(local: Client) -> None:
    spieltisch.local.close()
    spieltisch.local.close()
    with pytest.raises(errors.SpieltischError, match="has ended"):
        local.me()
    with pytest.raises(errors.Unauthenticated):
        Client("local:", local.key).me()


def test_without_the_service_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    spieltisch.local.close()

    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name="spieltisch_service")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(errors.ServiceMissing, match="pip install spieltisch-service"):
        Client("local:")
    with pytest.raises(ImportError):
        Client("local:")


def test_nothing_is_left_of_a_process_that_is_killed(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys, time
        from spieltisch import Client
        Client("local:").register("Ada")
        print("ready", flush=True)
        if sys.argv[1] == "wait":
            time.sleep(600)
    """)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", script]
    done = subprocess.run([*command, "end"], env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready\n", "")
    assert folders(tmp_path) == []
    with subprocess.Popen([*command, "wait"], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert len(folders(tmp_path)) == 1
        process.kill()
    for _ in range(3600):
        if not folders(tmp_path):
            break
        time.sleep(0.05)
    assert folders(tmp_path) == []


def folders(within: Path) -> list[str]:
    return [path.name for path in within.iterdir() if path.name.startswith("spieltisch-local-")]


# --- the same matches everywhere ----------------------------------------------------------------------------


@bot
def by_chance(turn: BotTurn) -> Mapping[str, Any]:
    # Looks at more than it needs, so that a view that differs anywhere decides differently.
    seen = json.dumps([turn.raw_view["state"], turn.raw_view["scores"], turn.legal_actions], sort_keys=True)
    return turn.legal_actions[(turn.rng.randrange(1000) + sum(seen.encode())) % len(turn.legal_actions)]


DEALS = ["neues-land-03", "neues-land-07", "wunderland-05", "wunderland-07"]


@pytest.mark.parametrize("name", DEALS)
def test_the_same_deal_and_decisions_have_the_same_result_everywhere(
    name: str, local: Client, ada: Client, tmp_path: Path
) -> None:
    known = vector(name)

    def served(client: Client) -> tuple[Match, Played]:
        made: list[Match] = []

        def create(number: int) -> Match:
            about = {"options": known["options"], "deal": known["deal"], "metadata": {NUMBER: str(number)}}
            made.append(client.matches.create(known["game"], ["me"] * known["players"], **about))
            return made[0]

        played: list[Played] = []
        wanted = Wanted(known["game"], "seed", 1, create, crash_folder=tmp_path)
        Remote(client, lambda: by_chance, wanted).run(played.append)
        assert played[0].failure is None
        return made[0].refresh(), played[0]

    setup = Setup(known["game"], known["players"], known["options"], "seed", tmp_path, lambda _: known["deal"])
    fast = Bulk(setup, by_chance, [by_chance] * (known["players"] - 1)).play(0)
    assert fast is not None
    over_http, http_played = served(ada)
    in_process, local_played = served(local)
    assert http_played.scores == local_played.scores == fast.scores
    assert http_played.ranks == local_played.ranks == fast.ranks
    actions = [action["action"] for action in over_http.record()["actions"]]
    assert [action["action"] for action in in_process.record()["actions"]] == actions
    assert len(actions) == fast.actions


@pytest.mark.parametrize("name", DEALS)
def test_views_are_the_same_at_every_ply(name: str, local: Client) -> None:
    known = vector(name)
    table = Table(known["game"], known["players"], known["options"], deal=known["deal"])
    match = local.matches.create(known["game"], ["me"] * known["players"], options=known["options"], deal=known["deal"])
    path = f"/v1/matches/{match.id}/view"
    for ply in known["plies"]:
        assert table.to_act == ply["seat"]
        table.act(ply["action"])
        match.act(ply["action"], seat=ply["seat"])
        for seat in (0, known["players"] - 1):
            assert table.view(seat) | {"match": match.id} == local.transport.get(path, {"seat": seat})
    assert table.result["scores"] == known["result"]["scores"]
    assert table.result["ranks"] == known["result"]["ranks"]
    assert table.version == match.version


def test_a_rotation_that_is_not_listed_is_played_as_the_smallest_n22() -> None:
    table = Table("neues-land", 2, seed=bytes(32))
    while True:
        listed = table.legal_actions()[0]
        if listed["type"] == "place_tile":
            turned = [{**listed, "rotation": rotation} for rotation in (180, 270)]
            same = [each for each in turned if shows_the_same(table, each)]
            if same:
                break
        table.act(listed)
    table.act(same[0])
    assert table.record()["actions"][-1]["action"]["rotation"] < same[0]["rotation"]


def shows_the_same(table: Table, action: dict[str, Any]) -> bool:
    """Whether the rules take an action that is not listed."""
    if action in table.legal_actions():
        return False
    try:
        table.game.apply(table._playout.snapshot(), table.game.action_from_wire(action))
    except Exception:
        return False
    return True
