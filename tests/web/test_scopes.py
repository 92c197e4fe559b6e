"""Scopes: every operation declares one or none, and the description says which."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from flask import Flask

from spieltisch_service.app.callers import SCOPES
from spieltisch_service.web.app import create_app, require_declared
from spieltisch_service.web.operation import Operation
from tests.web.checked import Checked, Description, Person

#: What the README promises of each scope, by hand: a scope that is taken away here opens or closes a path.
NEEDS: dict[str, set[str]] = {
    "play": {
        *(
            "listDecisions",
            "takeSeat",
            "leaveSeat",
            "startMatch",
            "abortMatch",
            "resign",
            "rematch",
            "replaceSeatToken",
        ),
        *("enterTournament", "withdrawEntrant"),
        *("getView", "getLegalActions", "act", "getEvents", "getRecord", "getBoardText", "imagine"),
    },
    "create": {"createMatch", "listInvitations", "createInvitation", "revokeInvitation"},
    "organize": {
        *("createTournament", "inviteEntrant", "pairRound", "startTournament", "pauseTournament", "resumeTournament"),
        *("stopTournament", "cancelTournament"),
    },
    "admin": {"eraseMe", "listKeys", "createKey", "getKey", "revokeKey", "rotateKey"},
}


def operations() -> dict[str, Operation]:
    """The declared operations of the application, by id."""
    app = create_app(None)
    found = [getattr(view, "operation", None) for view in app.view_functions.values()]
    return {operation.id: operation for operation in found if operation is not None}


def test_an_operation_without_a_scope_cannot_be_declared() -> None:
    declared = operations()["getView"]
    values = {each.name: getattr(declared, each.name) for each in dataclasses.fields(Operation)}
    assert Operation(**values) == declared
    del values["scope"]
    with pytest.raises(TypeError, match="scope"):
        Operation(**values)


@pytest.mark.parametrize(("scope", "auth"), [("write", "required"), ("", "optional"), ("play", "ignored")])
def test_a_scope_that_nobody_checks_cannot_be_declared(scope: Any, auth: Any) -> None:
    with pytest.raises(ValueError, match="scope"):
        dataclasses.replace(operations()["getView"], scope=scope, auth=auth)


def test_a_path_that_is_no_operation_is_noticed() -> None:
    app = create_app(None)
    require_declared(app)
    app.add_url_rule("/v1/open", "left_open", lambda: "anybody")
    with pytest.raises(RuntimeError, match="left_open"):
        require_declared(app)


def test_every_operation_needs_what_it_should() -> None:
    needs: dict[str | None, set[str]] = {}
    for name, operation in operations().items():
        needs.setdefault(operation.scope, set()).add(name)
    del needs[None]
    assert needs == NEEDS
    assert set(needs) <= set(SCOPES)


def test_the_description_tells_scopes(description: Description) -> None:
    declared = operations()
    assert set(declared) == set(description.operations())
    for name, (_, _, described) in description.operations().items():
        scope = declared[name].scope
        assert described.get("x-scope") == scope
        listed = [needed for way in described["security"] for needed in way.get("key", [])]
        assert listed == ([] if scope is None else [scope])
        assert (f"`{scope}`" in described["description"]) == (scope is not None)
    schemes = json.dumps(description.document["components"]["securitySchemes"])
    assert all(f"`{scope}`: " in schemes for scope in SCOPES)


def test_a_seat_token_may_play_and_no_more(client: Checked, ada: Person) -> None:
    created = Checked.ok(ada.post("/v1/matches", json={"game": "neues-land", "seats": ["me", "me"]}))
    seat = Person(client, created["grants"][0]["token"])
    assert Checked.ok(seat.get("/v1/me"))["scopes"] == ["play"]
    assert Checked.ok(ada.get("/v1/me"))["scopes"] == ["play", "create", "organize", "webhooks", "admin"]
    assert seat.view(f"/v1/matches/{created['id']}")["seat"] == 0
    for refused in (
        seat.post("/v1/matches", json={"game": "neues-land", "seats": ["me", "me"]}),
        seat.delete("/v1/me"),
    ):
        assert refused.json is not None
        assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    detail = (seat.delete("/v1/me").json or {})["detail"]
    assert "admin" in detail
    assert "has play" in detail


def test_a_missing_scope_is_said_after_what_is_wrong_with_the_request(client: Checked, ada: Person) -> None:
    """The order of the checks: the body and its schema first, then rights."""
    created = Checked.ok(ada.post("/v1/matches", json={"game": "neues-land", "seats": ["me", "me"]}))
    seat = Person(client, created["grants"][0]["token"])
    wrong = seat.post("/v1/matches", json={"game": "chess"})
    assert wrong.status_code == 400
    assert seat.delete("/v1/me?force=1").status_code == 400


def test_no_token_is_not_asked_for_scopes(app: Flask, client: Checked, ada: Person) -> None:
    del app
    path = ada.creates(["me", "me"])
    assert client.get(f"{path}/view").status_code == 200
    assert client.get(f"{path}/legal-actions").status_code == 200
