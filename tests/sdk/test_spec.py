"""The package and the API description belong together: every operation is one method."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import spieltisch
from spieltisch import Client, Match
from spieltisch.errors import SpieltischError
from spieltisch.models import MatchInfo
from tests.sdk.faults import Answer, StandIn
from tests.sdk.test_models import MATCH

ROOT = Path(__file__).parents[2]
SPEC = json.loads((ROOT / "openapi" / "openapi.json").read_text("utf-8"))
OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in SPEC["paths"].items()
    for method, operation in methods.items()
    if "operationId" in operation
}

#: Each operation with every argument that it has.
CALLS: dict[str, Callable[[Client, Match], Any]] = {
    "getIndex": lambda client, _: client.links(),
    "getLive": lambda client, _: client.live(),
    "getReady": lambda client, _: client.ready(),
    "getMetrics": lambda client, _: client.metrics(),
    "getProblem": lambda client, _: client.problem("not_found"),
    "listGames": lambda client, _: client.games.list(),
    "getGame": lambda client, _: client.games.get("wunderland"),
    "getRules": lambda client, _: client.games.rules("wunderland", lang="de"),
    "createAccount": lambda client, _: client.register("Ada", kind="bot"),
    "getMe": lambda client, _: client.me(),
    "eraseMe": lambda client, _: client.erase(),
    "listKeys": lambda client, _: client.keys.list(),
    "getKey": lambda client, _: client.keys.get("ky_1"),
    "createKey": lambda client, _: client.keys.create("laptop", scopes=["play"], expires_in_s=60),
    "revokeKey": lambda client, _: client.keys.revoke("ky_1"),
    "rotateKey": lambda client, _: client.keys.rotate("ky_1", overlap_s=60),
    "listDecisions": lambda client, _: client.decisions(wait=1, cursor="c"),
    "createMatch": lambda client, _: client.matches.create(
        "wunderland",
        ["me", "open"],
        options={},
        deal={},
        start="manual",
        visibility="private",
        metadata={},
    ),
    "listMatches": lambda client, _: next(
        client.matches.list(game="wunderland", status="open", open_seats=True, mine=False, page_size=7)
    ),
    "getMatch": lambda client, _: client.matches.get("mt_1", seat=1),
    "abortMatch": lambda _, match: match.abort(),
    "takeSeat": lambda client, _: client.matches.join("mt_1", seat=1, nonce="n", invitation="i", name="Bob"),
    "leaveSeat": lambda _, match: match.leave(1),
    "startMatch": lambda _, match: match.start(nonces={0: "n"}),
    "replaceSeatToken": lambda _, match: match.replace_token(1),
    "createInvitation": lambda _, match: match.invite(1, uses=2, expires_in_s=60),
    "listInvitations": lambda _, match: match.list_invitations(),
    "revokeInvitation": lambda _, match: match.revoke_invitation("iv_1"),
    "resign": lambda _, match: match.resign(seat=1),
    "rematch": lambda _, match: match.rematch(seat=1),
    "getView": lambda _, match: match.view(seat=1, at=2, after=3, wait=4),
    "getLegalActions": lambda _, match: match.legal_actions(seat=1),
    "act": lambda _, match: match.act({"type": "pass"}, seat=1, version=2),
    "getRecord": lambda _, match: match.record(seat=1),
    "getBoardText": lambda _, match: match.board_text(seat=1, at=2),
    "imagine": lambda client, _: client.sandbox(
        {"game": "wunderland"}, options={}, worlds=2, seed="s", branches=[[{"type": "stay"}]]
    ),
    "createTournament": lambda client, _: client.tournaments.create(
        "wunderland", "Cup", format="swiss", clock={}, seats=3, dry_run=True
    ),
    "listTournaments": lambda client, _: next(
        client.tournaments.list(game="wunderland", status="open", mine=False, page_size=7)
    ),
    "getTournament": lambda client, _: client.tournaments.get("tn_1"),
    "enterTournament": lambda client, _: client.tournaments.enter("tn_1", bot="random", dry_run=True),
    "withdrawEntrant": lambda client, _: client.tournaments.withdraw("tn_1", "bot:random", dry_run=True),
    "inviteEntrant": lambda client, _: client.tournaments.invite("tn_1", "ac_1", dry_run=True),
    "startTournament": lambda client, _: client.tournaments.start("tn_1", dry_run=True),
    "pauseTournament": lambda client, _: client.tournaments.pause("tn_1", dry_run=True),
    "resumeTournament": lambda client, _: client.tournaments.resume("tn_1", dry_run=True),
    "stopTournament": lambda client, _: client.tournaments.stop("tn_1", dry_run=True),
    "cancelTournament": lambda client, _: client.tournaments.cancel("tn_1", dry_run=True),
    "pairRound": lambda client, _: client.tournaments.pair("tn_1", [["ac_1", "ac_2"]], dry_run=True),
    "getRounds": lambda client, _: client.tournaments.rounds("tn_1"),
    "getStandings": lambda client, _: client.tournaments.standings("tn_1"),
    "getCrosstable": lambda client, _: client.tournaments.crosstable("tn_1"),
    "getStatistics": lambda client, _: client.tournaments.statistics("tn_1"),
    "getResults": lambda client, _: client.tournaments.results("tn_1"),
    "exportMatches": lambda client, _: next(client.matches.export_all(game="wunderland", page_size=7)),
    "getTournamentReport": lambda client, _: client.tournaments.report("tn_1"),
    "exportTournament": lambda client, _: client.tournaments.export("tn_1"),
    "getTournamentEvents": lambda client, _: client.tournaments.event_page("tn_1", after=2, limit=3, wait=4),
    "getRatings": lambda client, _: client.tournaments.ratings("wunderland", clock_class="blitz", limit=3),
    "getEvents": lambda _, match: match.event_page(seat=1, after=2, limit=3, wait=4),
}


def test_every_operation_is_a_method() -> None:
    assert set(CALLS) == set(OPERATIONS)


@pytest.mark.parametrize("name", CALLS)
def test_the_method_asks_what_the_description_says(name: str, stand_in: StandIn) -> None:
    method, path, operation = OPERATIONS[name]
    client = Client(stand_in.url, "spt_key_secretsecretsecret")
    stand_in.answers = [Answer.problem(404, "not_found")]
    with pytest.raises(SpieltischError):
        CALLS[name](client, Match(client, MatchInfo.from_wire(MATCH)))
    [asked] = stand_in.asked
    assert asked.method == method
    assert re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), urlsplit(asked.path).path)
    parameters = operation.get("parameters", []) + SPEC["paths"][path].get("parameters", [])
    shared = SPEC["components"]["parameters"]
    described = [shared[each["$ref"].rsplit("/", 1)[1]] if "$ref" in each else each for each in parameters]
    in_query = {parameter["name"] for parameter in described if parameter["in"] == "query"}
    # `cursor` comes with the second page; a resignation names its seat in the body, which is the other way.
    elsewhere = {"cursor"} | ({"seat"} if name == "resign" else set())
    assert in_query - elsewhere <= {key for key, _ in parse_qsl(asked.path.partition("?")[2])} <= in_query
    assert ("Idempotency-Key" in asked.headers) is (method == "POST")


def test_the_package_knows_its_versions() -> None:
    project = tomllib.loads((ROOT / "sdk" / "pyproject.toml").read_text("utf-8"))["project"]
    assert spieltisch.__version__ == project["version"]
    assert SPEC["info"]["version"] == spieltisch.SPEC_VERSION
    assert project["dependencies"] == ["requests>=2.31"]
