"""What provokes each refusal of the operations on tournaments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from werkzeug.test import TestResponse

from spieltisch_service.web.overrides import EXTENSION
from tests.web.checked import Checked, Person

CLOCK = {"kind": "per_decision", "per_decision_ms": 60_000}
NEW = {"game": "wunderland", "name": "Cup", "format": "swiss", "clock": CLOCK}
_HEADERS = {"Idempotency-Key": "the-same-key-for-two-requests-00"}


def cup(world: Any, *bots: str, **wanted: Any) -> str:
    """The path of a new tournament of Ada's, with these house bots."""
    path = f"/v1/tournaments/{Checked.ok(world.ada.post('/v1/tournaments', json={**NEW, **wanted}))['id']}"
    for bot in bots:
        Checked.ok(world.ada.post(f"{path}/entrants", json={"bot": bot}))
    return path


def startable(world: Any) -> str:
    """One that could start."""
    path = cup(world, "random", own_pairings=True, rounds=9)
    Checked.ok(world.bob.post(f"{path}/entrants", json={}))
    return path


def begun(world: Any, **wanted: Any) -> str:
    """One that is running, and whose rounds the organizer pairs."""
    path = cup(world, own_pairings=True, rounds=9, **wanted)
    for caller in (world.ada, world.bob):
        Checked.ok(caller.post(f"{path}/entrants", json={}))
    Checked.ok(world.ada.post(f"{path}/start", json={}))
    return path


def over(world: Any) -> str:
    """One that has ended."""
    path = begun(world)
    Checked.ok(world.ada.post(f"{path}/stop", json={}))
    world.client.app.extensions[EXTENSION].director.look_after(path.rpartition("/")[2])
    assert Checked.ok(world.client.get(path))["status"] == "finished"
    return path


def tables(world: Any, path: str) -> dict[str, Any]:
    """One table of the first two entrants."""
    entrants = [each["entrant"] for each in Checked.ok(world.client.get(path))["entrants"]]
    return {"tables": [entrants[:2]]}


def _again(person: Person, path: str, body: Any, other: Any, query: str = "") -> TestResponse:
    """The same key with another body, or another query."""
    assert person.post(path, json=body, headers=_HEADERS).status_code < 300
    return person.post(path + query, json=other, headers=_HEADERS)


def _again_asked(name: str, before: Callable[[Any], str]) -> Callable[[Any], TestResponse]:
    return lambda world: _again(world.ada, f"{before(world)}/{name}", {}, {}, "?dry_run=false")


def _paused(world: Any) -> str:
    path = begun(world)
    Checked.ok(world.ada.post(f"{path}/pause", json={}))
    return path


def _another_round(world: Any) -> TestResponse:
    path = begun(world)
    wanted = tables(world, path)
    return _again(world.ada, f"{path}/rounds", wanted, {"tables": [wanted["tables"][0][::-1]]})


def _too_many_streams(world: Any) -> TestResponse:
    path, headers = f"{begun(world)}/events", {"Accept": "text/event-stream"}
    held = [world.client.get(path, headers=headers) for _ in range(2)]
    refused: TestResponse = world.client.get(path, headers=headers)
    for stream in held:
        stream.close()
    return refused


def _invited(world: Any) -> TestResponse:
    path = f"{cup(world, entrants_allowed='invited')}/invitations"
    return _again(world.ada, path, {"account": "ac_" + "1" * 32}, {"account": "ac_" + "2" * 32})


REFUSALS: Mapping[tuple[str, str], Callable[[Any], TestResponse]] = {
    ("createTournament", "idempotency_key_reused"): lambda world: _again(
        world.ada, "/v1/tournaments", NEW, {**NEW, "name": "Other cup"}
    ),
    ("listTournaments", "forbidden"): lambda world: world.seat_token().get("/v1/tournaments?mine=true"),
    ("enterTournament", "tournament_refuses"): lambda world: world.bob.post(f"{begun(world)}/entrants", json={}),
    ("enterTournament", "idempotency_key_reused"): lambda world: _again(
        world.ada, f"{cup(world)}/entrants", {}, {"bot": "random"}
    ),
    ("withdrawEntrant", "tournament_refuses"): lambda world: world.ada.delete(f"{cup(world)}/entrants/bot:random"),
    ("inviteEntrant", "tournament_refuses"): lambda world: world.ada.post(
        f"{over(world)}/invitations", json={"account": "ac_" + "1" * 32}
    ),
    ("inviteEntrant", "idempotency_key_reused"): _invited,
    ("startTournament", "tournament_refuses"): lambda world: world.ada.post(f"{cup(world)}/start", json={}),
    ("startTournament", "idempotency_key_reused"): _again_asked("start", startable),
    ("pauseTournament", "tournament_refuses"): lambda world: world.ada.post(f"{cup(world)}/pause", json={}),
    ("pauseTournament", "idempotency_key_reused"): _again_asked("pause", begun),
    ("resumeTournament", "tournament_refuses"): lambda world: world.ada.post(f"{begun(world)}/resumption", json={}),
    ("resumeTournament", "idempotency_key_reused"): _again_asked("resumption", _paused),
    ("stopTournament", "tournament_refuses"): lambda world: world.ada.post(f"{cup(world)}/stop", json={}),
    ("stopTournament", "idempotency_key_reused"): _again_asked("stop", begun),
    ("cancelTournament", "tournament_refuses"): lambda world: world.ada.delete(over(world)),
    ("pairRound", "tournament_refuses"): lambda world: world.ada.post(
        f"{cup(world)}/rounds", json={"tables": [["bot:random", "bot:greedy"]]}
    ),
    ("pairRound", "idempotency_key_reused"): _another_round,
    ("getResults", "tournament_not_ended"): lambda world: world.client.get(f"{cup(world)}/results"),
    ("exportTournament", "tournament_not_ended"): lambda world: world.client.get(f"{cup(world)}/export"),
    ("getTournamentEvents", "not_acceptable"): lambda world: world.client.get(
        f"{cup(world)}/events", headers={"Accept": "text/csv"}
    ),
    ("getTournamentEvents", "ahead_of_log"): lambda world: world.client.get(f"{cup(world)}/events?after=999"),
    ("getTournamentEvents", "too_many_streams"): _too_many_streams,
    ("getRatings", "not_found"): lambda world: world.client.get("/v1/ratings/chess"),
}
