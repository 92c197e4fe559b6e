"""Every operation answers with exactly the problems that it documents.

One direction: each documented (operation, code) is provoked here. The other: `Checked` fails for every answer, of any
test, that the operation does not document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from spieltisch_service.app.limits import RATES, Limits
from spieltisch_service.web import documented
from spieltisch_service.web.limits import EXTENSION as LIMITS
from spieltisch_service.web.limits import Limiter
from spieltisch_service.web.overrides import EXTENSION
from spieltisch_service.web.problems import KINDS
from tests.web.checked import NO_MATCH, NOTHING, Checked, Description, Person
from tests.web.tournament_refusals import NEW, REFUSALS


@dataclass
class World:
    """What a provocation can use."""

    client: Checked
    ada: Person
    bob: Person

    def running(self) -> str:
        """A running match; Ada is seat 0 and Bob seat 1."""
        path = self.ada.creates(["me", "open"])
        assert self.bob.post(f"{path}/seats").status_code == 201
        return path

    def finished(self) -> str:
        """A match that Bob has resigned."""
        path = self.running()
        assert self.bob.post(f"{path}/resignation").status_code == 200
        return path

    def seat_token(self) -> Person:
        """Somebody with a token of one seat."""
        wanted = {"game": "neues-land", "seats": ["me", "me"]}
        created = Checked.ok(self.ada.post("/v1/matches", json=wanted))
        return Person(self.client, created["grants"][0]["token"])

    def limited(self) -> Person:
        """Somebody who may not ask for anything any more."""
        none = {policy: replace(rate, per_key=0, per_address=0) for policy, rate in RATES.items()}
        service = self.client.app.extensions[EXTENSION]
        self.client.app.extensions[LIMITS] = Limiter(Limits(none), service.store)
        return self.ada

    def without_scopes(self) -> Person:
        """Somebody with a key that no operation of today is for."""
        somebody = self.client.register("Dora")
        made = Checked.ok(somebody.post("/v1/me/keys", json={"name": "later", "scopes": ["webhooks"]}))
        return Person(self.client, made["key"])

    def key(self) -> str:
        """The path of one of Ada's keys."""
        made = Checked.ok(self.ada.post("/v1/me/keys", json={"name": "laptop"}))
        return f"/v1/me/keys/{made['id']}"

    def all_keys(self) -> str:
        """The same, and there cannot be more."""
        path = self.key()
        for _ in range(18):
            self.key()
        return path


@pytest.fixture
def world(client: Checked, ada: Person, bob: Person) -> World:
    return World(client, ada, bob)


NO_KEY = "ky_" + "0" * 32
NO_INVITATION = "iv_" + "0" * 32
#: A request of each operation that would succeed or nearly so: path and body. Paths of the API take these parameters.
PARAMETERS = NOTHING
BODIES: Mapping[str, Any] = {
    "createAccount": {"name": "Carla"},
    "createKey": {"name": "laptop"},
    "createMatch": {"game": "wunderland", "seats": ["me", "open"]},
    "createTournament": NEW,
    "inviteEntrant": {"account": "ac_" + "1" * 32},
    "pairRound": {"tables": [["bot:random", "bot:greedy"]]},
    "act": {"actions": [{"type": "pass"}]},
    "imagine": next(iter(documented.recorded()["imagine"]["requests"].values())),
}


def _path(template: str, **instead: str) -> str:
    return template.format(**PARAMETERS | instead)


def _send(person: Person, operation: tuple[str, str, Any], query: str = "", **options: Any) -> TestResponse:
    method, template, described = operation
    if method == "POST" and not options:
        options = {"json": BODIES.get(described["operationId"], {})}
    return person.send(method, _path(template) + query, **options)


Generic = Callable[[World, Any], TestResponse]
JSON_TYPE = {"content_type": "application/json"}
GENERIC: Mapping[str, Generic] = {
    "invalid_parameter": lambda world, operation: _send(world.ada, operation, "?nope=1"),
    "unauthenticated": lambda world, operation: _send(Person(world.client, "spt_key_nonsense"), operation),
    "malformed_json": lambda world, operation: _send(world.ada, operation, data=b"{", **JSON_TYPE),
    "invalid_body": lambda world, operation: _send(world.ada, operation, data=b"[]", **JSON_TYPE),
    "body_too_large": lambda world, operation: _send(world.ada, operation, data=b" " * 65_537, **JSON_TYPE),
    "unsupported_media_type": lambda world, operation: _send(world.ada, operation, data=b"{}"),
    "forbidden": lambda world, operation: _send(world.without_scopes(), operation),
    "rate_limited": lambda world, operation: _send(world.limited(), operation),
}


def _again_with_another_body(person: Person, path: str, first: Any, second: Any) -> TestResponse:
    headers = {"Idempotency-Key": "the-same-key-for-two-requests-00"}
    assert person.post(path, json=first, headers=headers).status_code < 300
    return person.post(path, json=second, headers=headers)


def _illegal(world: World) -> TestResponse:
    tile = {"type": "place_tile", "tile": "8m", "x": 9, "y": 9, "rotation": 0}
    return world.ada.post(f"{world.running()}/actions", json={"actions": [tile]})


def _reused_start(world: World) -> TestResponse:
    path = world.ada.creates(["me", "me"], start="manual")
    return _again_with_another_body(world.ada, f"{path}/start", {}, {"nonces": {"0": "ada"}})


def _reused_action(world: World) -> TestResponse:
    path = world.ada.creates(["me", "me"])
    legal = world.ada.view(path, "?seat=0")["legal_actions"]
    return _again_with_another_body(world.ada, f"{path}/actions", {"actions": [legal[0]]}, {"actions": [legal[1]]})


def _reused_account(world: World) -> TestResponse:
    return _again_with_another_body(world.ada, "/v1/accounts", {"name": "Carla"}, {"name": "Dora"})


def _reused_match(world: World) -> TestResponse:
    wanted = {"game": "neues-land", "seats": ["me", "open"]}
    return _again_with_another_body(world.ada, "/v1/matches", wanted, wanted | {"start": "manual"})


def _reused_join(world: World) -> TestResponse:
    path = world.ada.creates(["me", "open", "open"])
    return _again_with_another_body(world.bob, f"{path}/seats", {}, {"seat": 2})


def _reused_resignation(world: World) -> TestResponse:
    return _again_with_another_body(world.bob, f"{world.running()}/resignation", {}, {"seat": 1})


def _several_seats(world: World) -> TestResponse:
    return world.ada.post(f"{world.ada.creates(['me', 'me'])}/resignation")


def _reused_key(world: World) -> TestResponse:
    return _again_with_another_body(world.ada, "/v1/me/keys", {"name": "a"}, {"name": "b"})


def _reused_rotation(world: World) -> TestResponse:
    return _again_with_another_body(world.ada, f"{world.key()}/rotation", {}, {"overlap_s": 5})


def _inviting(world: World) -> str:
    return f"{world.ada.creates(['me', 'invite', 'invite'])}/invitations"


def _invites_too_late(world: World) -> TestResponse:
    path = world.ada.creates(["me", "invite"], start="manual")
    assert world.ada.delete(path).status_code == 200
    return world.ada.post(f"{path}/invitations")


def _as_often_as_it_goes(person: Person, path: str) -> TestResponse:
    for _ in range(100):
        assert person.post(path).status_code < 300
    return person.post(path)


def _one_key_too_many(world: World) -> TestResponse:
    world.all_keys()
    return world.ada.post("/v1/me/keys", json={"name": "one more"})


def _one_stream_too_many(world: World) -> TestResponse:
    path = f"{world.running()}/events"
    headers = {"Accept": "text/event-stream"}
    open_streams = [world.client.get(path, headers=headers) for _ in range(2)]
    refused = world.client.get(path, headers=headers)
    for stream in open_streams:
        stream.close()
    return refused


def _not_acceptable(world: World) -> TestResponse:
    return world.client.get(f"{world.running()}/events", headers={"Accept": "text/csv"})


def _invited(world: World, invitation: str) -> TestResponse:
    return world.client.post(f"{world.ada.creates(['me', 'invite'])}/seats", json={"invitation": invitation})


def _full(world: World) -> TestResponse:
    return world.bob.post(f"{world.ada.creates(['me', 'invite'])}/seats")


SPECIFIC: Mapping[tuple[str, str], Callable[[World], TestResponse]] = {
    ("getGame", "not_found"): lambda world: world.client.get("/v1/games/chess"),
    ("getRules", "not_found"): lambda world: world.client.get("/v1/games/chess/rules"),
    ("getProblem", "not_found"): lambda world: world.client.get("/problems/none"),
    ("getProblem", "not_acceptable"): lambda world: world.client.get(
        "/problems/internal", headers={"Accept": "image/png"}
    ),
    ("createAccount", "idempotency_key_reused"): _reused_account,
    ("eraseMe", "forbidden"): lambda world: world.seat_token().delete("/v1/me"),
    ("createKey", "limit_reached"): _one_key_too_many,
    ("createKey", "idempotency_key_reused"): _reused_key,
    ("getKey", "not_found"): lambda world: world.ada.get(f"/v1/me/keys/{NO_KEY}"),
    ("revokeKey", "not_found"): lambda world: world.ada.delete(f"/v1/me/keys/{NO_KEY}"),
    ("rotateKey", "not_found"): lambda world: world.ada.post(f"/v1/me/keys/{NO_KEY}/rotation"),
    ("rotateKey", "limit_reached"): lambda world: world.ada.post(f"{world.all_keys()}/rotation"),
    ("rotateKey", "idempotency_key_reused"): _reused_rotation,
    ("createMatch", "forbidden"): lambda world: world.seat_token().post(
        "/v1/matches", json={"game": "neues-land", "seats": ["me", "me"]}
    ),
    ("createMatch", "idempotency_key_reused"): _reused_match,
    ("listMatches", "forbidden"): lambda world: world.seat_token().get("/v1/matches?mine=true"),
    ("takeSeat", "forbidden"): lambda world: world.seat_token().post(f"{world.ada.creates(['me', 'open'])}/seats"),
    ("takeSeat", "invitation_invalid"): lambda world: _invited(world, "spt_invite_nonsense"),
    ("takeSeat", "match_not_open"): lambda world: world.bob.post(f"{world.running()}/seats"),
    ("takeSeat", "seat_taken"): _full,
    ("takeSeat", "idempotency_key_reused"): _reused_join,
    ("createInvitation", "match_not_open"): _invites_too_late,
    ("createInvitation", "limit_reached"): lambda world: _as_often_as_it_goes(world.ada, _inviting(world)),
    ("createInvitation", "idempotency_key_reused"): lambda world: _again_with_another_body(
        world.ada, _inviting(world), {}, {"uses": 2}
    ),
    ("replaceSeatToken", "not_your_seat"): lambda world: world.ada.post(f"{world.running()}/seats/1/token"),
    ("replaceSeatToken", "limit_reached"): lambda world: _as_often_as_it_goes(
        world.ada, f"{world.running()}/seats/0/token"
    ),
    ("leaveSeat", "not_your_seat"): lambda world: world.bob.delete(f"{world.ada.creates(['me', 'open'])}/seats/0"),
    ("leaveSeat", "match_not_open"): lambda world: world.bob.delete(f"{world.running()}/seats/1"),
    ("startMatch", "forbidden"): lambda world: world.bob.post(f"{world.ada.creates(['me', 'open'])}/start"),
    ("startMatch", "not_your_seat"): lambda world: world.ada.post(
        f"{world.ada.creates(['me', 'open'], start='manual')}/start", json={"nonces": {"1": "x"}}
    ),
    ("startMatch", "match_not_open"): lambda world: world.ada.post(f"{world.running()}/start"),
    ("startMatch", "seats_missing"): lambda world: world.ada.post(f"{world.ada.creates(['me', 'open'])}/start"),
    ("startMatch", "idempotency_key_reused"): _reused_start,
    ("abortMatch", "forbidden"): lambda world: world.bob.delete(world.ada.creates(["me", "open"])),
    ("abortMatch", "match_not_open"): lambda world: world.bob.delete(world.running()),
    ("resign", "not_your_seat"): lambda world: world.bob.post(f"{world.running()}/resignation", json={"seat": 0}),
    ("resign", "seat_required"): _several_seats,
    ("resign", "match_not_running"): lambda world: world.ada.post(f"{world.finished()}/resignation"),
    ("resign", "idempotency_key_reused"): _reused_resignation,
    ("rematch", "forbidden"): lambda world: world.client.register("Carla").post(f"{world.finished()}/rematch"),
    ("rematch", "match_not_open"): lambda world: world.ada.post(f"{world.running()}/rematch"),
    ("rematch", "match_not_running"): lambda world: world.ada.post(f"{world.ada.creates(['me', 'open'])}/rematch"),
    ("act", "not_your_seat"): lambda world: world.bob.post(
        f"{world.running()}/actions", json={"actions": [{"type": "pass"}], "seat": 0}
    ),
    ("act", "stale_version"): lambda world: world.ada.post(
        f"{world.running()}/actions", json={"actions": [{"type": "pass"}], "version": 1}
    ),
    ("act", "match_not_running"): lambda world: world.ada.post(
        f"{world.finished()}/actions", json={"actions": [{"type": "pass"}]}
    ),
    ("act", "not_your_turn"): lambda world: world.bob.post(
        f"{world.running()}/actions", json={"actions": [{"type": "pass"}]}
    ),
    ("getMetrics", "not_found"): lambda world: world.ada.get(
        "/metrics", environ_overrides={"REMOTE_ADDR": "192.0.2.1"}
    ),
    ("act", "illegal_action"): _illegal,
    ("act", "idempotency_key_reused"): _reused_action,
    ("getMatch", "not_your_seat"): lambda world: world.bob.get(f"{world.running()}?seat=0"),
    ("getView", "not_your_seat"): lambda world: world.bob.get(f"{world.running()}/view?seat=0"),
    ("getView", "ahead_of_log"): lambda world: world.bob.get(f"{world.running()}/view?at=999"),
    ("getLegalActions", "not_your_seat"): lambda world: world.bob.get(f"{world.running()}/legal-actions?seat=0"),
    ("getRecord", "not_your_seat"): lambda world: world.bob.get(f"{world.running()}/record?seat=0"),
    ("getBoardText", "not_your_seat"): lambda world: world.bob.get(f"{world.running()}/board.txt?seat=0"),
    ("getBoardText", "ahead_of_log"): lambda world: world.bob.get(f"{world.running()}/board.txt?at=999"),
    ("getEvents", "not_your_seat"): lambda world: world.bob.get(f"{world.running()}/events?seat=0"),
    ("getEvents", "not_acceptable"): _not_acceptable,
    ("getEvents", "ahead_of_log"): lambda world: world.bob.get(f"{world.running()}/events?after=999"),
    ("getEvents", "too_many_streams"): _one_stream_too_many,
    **REFUSALS,
}


def _codes(described: Mapping[str, Any], document: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    for status, answer in described["responses"].items():
        if int(status) >= 400:
            name = answer["$ref"].rpartition("/")[2]
            found |= set(document["components"]["responses"][name]["content"]["application/problem+json"]["examples"])
    return found


def _is_about_something(operation: tuple[str, str, Any]) -> bool:
    return "{match_id}" in operation[1] or "{tournament_id}" in operation[1]


def test_every_documented_problem_is_provoked_below(description: Description) -> None:
    expected = set()
    for name, operation in description.operations().items():
        codes = _codes(operation[2], description.document)
        expected |= {(name, code) for code in codes}
        generic = {code for code in GENERIC if name in _documenting(description, code)}
        own = {code for operation_id, code in SPECIFIC if operation_id == name}
        about = {"not_found"} if _is_about_something(operation) else set()
        assert codes - generic - {"internal", "store_unavailable"} - about == own - generic, name
    assert set(SPECIFIC) <= expected


def test_every_kind_of_problem_is_documented_somewhere(description: Description) -> None:
    documented: set[str] = set()
    for _, _, described in description.operations().values():
        documented |= _codes(described, description.document)
    # Routing answers 405 before there is an operation.
    assert documented == set(KINDS) - {"method_not_allowed"}


@pytest.mark.parametrize(("operation_id", "code"), sorted(SPECIFIC))
def test_what_one_operation_refuses(world: World, operation_id: str, code: str) -> None:
    response = SPECIFIC[operation_id, code](world)
    assert response.json is not None
    assert (response.json["code"], response.status_code) == (code, KINDS[code].status)


def _documenting(description: Description, code: str) -> dict[str, tuple[str, str, Any]]:
    """The operations that refuse so, and `forbidden` for want of a scope."""
    return {
        name: operation
        for name, operation in description.operations().items()
        if code in _codes(operation[2], description.document) and (code != "forbidden" or "x-scope" in operation[2])
    }


@pytest.mark.parametrize("code", sorted(GENERIC))
def test_what_many_operations_refuse(world: World, description: Description, code: str) -> None:
    operations = _documenting(description, code)
    assert operations
    for name, operation in operations.items():
        response = GENERIC[code](world, operation)
        assert response.json is not None, name
        assert (name, response.json["code"]) == (name, code)
        assert response.status_code == KINDS[code].status


def test_what_does_not_exist_is_not_found(world: World, description: Description) -> None:
    about = {name: each for name, each in description.operations().items() if _is_about_something(each)}
    bodies = set()
    for name, operation in about.items():
        response = _send(world.ada, operation)
        assert response.status_code == 404, name
        assert response.json is not None
        bodies.add((response.json["detail"], response.json["title"]))
    assert len(bodies) == 1


def test_a_private_match_looks_like_none(world: World, description: Description) -> None:
    secret = world.ada.creates(["me", "open"], visibility="private").rpartition("/")[2]
    for name, (method, template, described) in description.operations().items():
        if "{match_id}" not in template:
            continue
        answers = []
        for identity in (secret, NO_MATCH):
            options = {"json": BODIES.get(described["operationId"], {})} if method == "POST" else {}
            response = world.bob.send(method, _path(template, match_id=identity), **options)
            assert response.json is not None
            answers.append((response.status_code, response.json | {"request_id": ""}))
        assert answers[0] == answers[1], name
        assert answers[0][0] == 404, name


def test_a_lost_store_is_said(lost_store: Checked, description: Description) -> None:
    somebody = Person(lost_store, "spt_key_" + "0" * 64)
    operations = _documenting(description, "store_unavailable")
    assert set(description.operations()) - set(operations) == {"getLive", "getMetrics"}
    response = lost_store.get("/readyz")
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert lost_store.get("/livez").status_code == 200
    assert somebody.get(f"/v1/matches/{NO_MATCH}").status_code in (401, 503)
    anonymous = lost_store.get(f"/v1/matches/{NO_MATCH}")
    assert anonymous.json is not None
    assert (anonymous.status_code, anonymous.json["code"]) == (503, "store_unavailable")
    assert "nobody.sock" not in anonymous.text


def test_a_fault_says_nothing_about_itself(app: Flask, client: Checked, description: Description) -> None:
    del app.extensions[EXTENSION]
    for name, operation in _documenting(description, "internal").items():
        response = _send(Person(client, "spt_key_x"), operation)
        assert response.json is not None
        assert (name, response.status_code, response.json["code"]) == (name, 500, "internal")
        assert EXTENSION not in response.json["detail"]
        assert "KeyError" not in response.text
