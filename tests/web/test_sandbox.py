"""What if, over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.decoder import MAX_BYTES
from tests.games.played import played, settings
from tests.games.views import view_of
from tests.web.checked import Checked, Person

PASS = {"type": "pass"}


@pytest.fixture
def view(ada: Person) -> Any:
    """The view of the seat to act in a short match."""
    return ada.view(ada.creates(["me", "me"]), "?seat=0")


def errors(response: Any) -> list[tuple[str, str]]:
    assert response.json is not None
    assert (response.status_code, response.json["code"]) == (400, "invalid_body")
    return [(error["pointer"], error["code"]) for error in response.json["errors"]]


def test_a_view_as_it_comes_is_played_on(ada: Person, view: Any) -> None:
    body = {
        "game": "neues-land",
        "options": None,
        "view": view,
        "worlds": 3,
        "seed": "mine",
        "branches": [[], [view["legal_actions"][0], PASS], [PASS]],
    }
    answer = Checked.ok(ada.post("/v1/sandbox", json=body))
    assert [len(world["branches"]) for world in answer["worlds"]] == [3, 3, 3]
    for world in answer["worlds"]:
        still, played_on, refused = world["branches"]
        assert still["view"]["legal_actions"] == view["legal_actions"]
        assert still["view"]["state"] == view["state"]
        assert played_on["view"]["to_act"] == 1
        assert len(played_on["view"]["state"]["tiles"]) == 2
        assert refused["error"]["rule"] == "N23"
    assert Checked.ok(ada.post("/v1/sandbox", json=body)) == answer


def test_the_least_that_can_be_asked(ada: Person, view: Any) -> None:
    [world] = Checked.ok(ada.post("/v1/sandbox", json={"game": "neues-land", "view": view}))["worlds"]
    assert [branch["view"]["state"] for branch in world["branches"]] == [view["state"]]


def test_it_changes_nothing_and_a_seat_token_will_do(ada: Person, client: Checked) -> None:
    created = Checked.ok(ada.post("/v1/matches", json={"game": "wunderland", "seats": ["me", "me"]}))
    seat = Person(client, created["grants"][0]["token"])
    path = f"/v1/matches/{created['id']}"
    view = seat.view(path)
    body = {"game": "wunderland", "view": view, "branches": [[action] for action in view["legal_actions"][:9]]}
    headers = {"Idempotency-Key": "what-if"}
    for _ in range(2):
        answer = seat.post("/v1/sandbox", json=body, headers=headers)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert "Idempotency-Replayed" not in answer.headers
    assert seat.post("/v1/sandbox", json=body | {"seed": "x"}, headers=headers).status_code == 200
    assert seat.view(path) == view
    assert client.post("/v1/sandbox", json=body).status_code == 401


@pytest.mark.parametrize("key", ["", "a b"])
def test_an_idempotency_key_still_has_its_form(ada: Person, view: Any, key: str) -> None:
    asked = {"game": "neues-land", "view": view}
    response = ada.post("/v1/sandbox", json=asked, headers={"Idempotency-Key": key})
    assert response.json is not None
    assert (response.status_code, response.json["code"]) == (400, "invalid_parameter")


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"game": "chess"}, [("/game", "not_one_of")]),
        ({"game": "wunderland"}, [("/view/game", "not_one_of")]),
        ({"worlds": 0}, [("/worlds", "out_of_range")]),
        ({"worlds": 33}, [("/worlds", "out_of_range")]),
        ({"worlds": 1.0}, [("/worlds", "wrong_type")]),
        ({"seed": "x" * 65}, [("/seed", "out_of_range")]),
        ({"seed": 7}, [("/seed", "wrong_type")]),
        ({"options": {"round_limit": 3}}, [("/options/round_limit", "unknown")]),
        ({"options": {"expert": 1}}, [("/options/expert", "wrong_type")]),
        ({"branches": []}, [("/branches", "out_of_range")]),
        ({"branches": [[]] * 65}, [("/branches", "out_of_range")]),
        ({"branches": {}}, [("/branches", "wrong_type")]),
        ({"branches": [{}, []]}, [("/branches/0", "wrong_type")]),
        ({"branches": [[], [PASS] * 65]}, [("/branches/1", "out_of_range")]),
        ({"branches": [[PASS, {"type": "stay"}]]}, [("/branches/0/1/type", "not_one_of")]),
        ({"branches": [[{"type": "place_follower", "region": 9}]]}, [("/branches/0/0/region", "out_of_range")]),
        ({"branches": [[7]]}, [("/branches/0/0", "wrong_type")]),
        ({"branches": [[PASS] * 64] * 4, "worlds": 4}, [("/branches", "out_of_range")]),
        ({"view": None}, [("/view", "wrong_type")]),
        ({"view": []}, [("/view", "wrong_type")]),
        ({"view": {}}, [("/view/game", "missing")]),
        ({"wordls": 3}, [("/wordls", "unknown")]),
    ],
)
def test_what_is_wrong_is_pointed_at(ada: Person, view: Any, changes: Any, wrong: list[tuple[str, str]]) -> None:
    asked = {"game": "neues-land", "view": view} | changes
    assert errors(ada.post("/v1/sandbox", json=asked)) == wrong


def test_what_is_missing_is_pointed_at(ada: Person) -> None:
    assert errors(ada.post("/v1/sandbox", json={})) == [("/game", "missing")]
    assert errors(ada.post("/v1/sandbox", json={"game": "neues-land"})) == [("/view", "missing")]


def test_a_planted_inconsistency_is_pointed_at(ada: Person, view: Any) -> None:
    view["state"]["tiles"].append(view["state"]["tiles"][0] | {"x": 1, "seat": 1})
    assert errors(ada.post("/v1/sandbox", json={"game": "neues-land", "view": view}))[0][0].startswith("/view/state/")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_longest_views_fit_into_a_body_with_64_branches(game: Any) -> None:
    views = []
    for seed, players, options in settings(game, 12):
        states = [state for state in played(game, seed, players, options).states if game.to_act(state) is not None]
        views += [view_of(game, state, game.to_act(state)) for state in states[-60::4]]
    longest = max(views, key=lambda view: len(json.dumps(view)))
    branches = [[action, action] for action in longest["legal_actions"]][:64]
    body = {"game": game.id, "view": longest, "seed": "x" * 64, "branches": branches}
    assert len(json.dumps(longest)) < MAX_BYTES / 3
    assert len(json.dumps(body)) < MAX_BYTES
