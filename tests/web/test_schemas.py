"""Checks of requests: one definition, the same errors from the fast check and from the schema that documents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError

from spieltisch_service.app.errors import FieldError
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.schemas import requests
from spieltisch_service.web.schemas.fields import MOST_ERRORS, body_errors, query_errors
from spieltisch_service.web.schemas.wire import ActionReader, check, json_schema, schema_of, slots_of
from tests.web.checked import Description

KINDS = [(game.id, kind) for game in GAMES.values() for kind in game.actions]


def errors_of(schema: Any, body: Any) -> list[tuple[str | None, str]]:
    """(pointer, code) of everything that is wrong with a body."""
    try:
        schema.load(body)
    except ValidationError as error:
        return sorted((found.pointer, found.code) for found in body_errors(error.messages))
    return []


ACT = requests.ActionsRequest()
MATCH = requests.MatchRequest()
TILE = {"type": "place_tile", "tile": "8m", "x": 1, "y": 0, "rotation": 90}


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, [("/actions", "missing")]),
        ([], [("", "wrong_type")]),
        (None, [("", "wrong_type")]),
        ({"actions": None}, [("/actions", "wrong_type")]),
        ({"actions": {}}, [("/actions", "wrong_type")]),
        ({"actions": []}, [("/actions", "out_of_range")]),
        ({"actions": [{"type": "pass"}] * 101}, [("/actions", "out_of_range")]),
        ({"actions": [7]}, [("/actions/0", "wrong_type")]),
        ({"actions": [{}]}, [("/actions/0/type", "missing")]),
        ({"actions": [{"type": 7}]}, [("/actions/0/type", "wrong_type")]),
        ({"actions": [{"type": "castle"}]}, [("/actions/0/type", "not_one_of")]),
        ({"actions": [{"type": "pass", "region": 1}]}, [("/actions/0/region", "unknown")]),
        ({"actions": [TILE, TILE | {"x": True}]}, [("/actions/1/x", "wrong_type")]),
        ({"actions": [TILE | {"x": 1.0}]}, [("/actions/0/x", "wrong_type")]),
        ({"actions": [TILE | {"x": "1"}]}, [("/actions/0/x", "wrong_type")]),
        ({"actions": [TILE | {"x": None}]}, [("/actions/0/x", "wrong_type")]),
        ({"actions": [TILE | {"x": 10**30}]}, [("/actions/0/x", "out_of_range")]),
        ({"actions": [TILE | {"rotation": 45}]}, [("/actions/0/rotation", "not_one_of")]),
        ({"actions": [TILE | {"tile": "no such"}]}, [("/actions/0/tile", "not_one_of")]),
        ({"actions": [TILE], "version": 1.0}, [("/version", "wrong_type")]),
        ({"actions": [TILE], "version": -1}, [("/version", "out_of_range")]),
        ({"actions": [TILE], "version": True}, [("/version", "wrong_type")]),
        ({"actions": [TILE], "seat": 5}, [("/seat", "out_of_range")]),
        ({"actions": [TILE], "seats": 0}, [("/seats", "unknown")]),
        ({"actions": [TILE], "a/b~c": 0}, [("/a~1b~0c", "unknown")]),
        ({"actions": [TILE], "version": None, "seat": None}, []),
        ({"actions": [TILE], "version": 2**53 - 1, "seat": 4}, []),
    ],
)
def test_bodies_of_actions(body: Any, wrong: list[tuple[str, str]]) -> None:
    assert errors_of(ACT, body) == wrong


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"game": None}, [("/game", "wrong_type")]),
        ({"game": "chess"}, [("/game", "not_one_of")]),
        ({"seats": ["me"]}, [("/seats", "out_of_range")]),
        ({"seats": ["me"] * 6}, [("/seats", "out_of_range")]),
        ({"seats": "me"}, [("/seats", "wrong_type")]),
        ({"seats": ["me", "you"]}, [("/seats/1", "bad_format")]),
        ({"seats": ["me", "bot:"]}, [("/seats/1", "bad_format")]),
        ({"seats": ["me", "open\n"]}, [("/seats/1", "bad_format")]),
        ({"seats": ["me", 1]}, [("/seats/1", "wrong_type")]),
        ({"options": {"expert": True, "equal_turns": None}}, []),
        ({"options": None}, []),
        ({"options": []}, [("/options", "wrong_type")]),
        ({"options": {"expert": 1}}, [("/options/expert", "wrong_type")]),
        ({"options": {"round_limit": 3}}, [("/options/round_limit", "unknown")]),
        ({"start": "later"}, [("/start", "not_one_of")]),
        ({"visibility": "hidden"}, [("/visibility", "not_one_of")]),
        ({"deal": []}, [("/deal", "wrong_type")]),
        ({"metadata": {"a": "b"}}, []),
        ({"metadata": {"a": 1}}, [("/metadata/a", "wrong_type")]),
        ({"metadata": {"": "b"}}, [("/metadata/", "unknown")]),
        ({"metadata": {"a": "b" * 501}}, [("/metadata/a", "out_of_range")]),
        ({"metadata": {str(i): "" for i in range(51)}}, [("/metadata", "out_of_range")]),
        ({"clock": {"kind": "fischer", "initial_ms": 1000, "increment_ms": 0}}, []),
        ({"clock": {}}, [("/clock/kind", "missing")]),
        ({"is_admin": True}, [("/is_admin", "unknown")]),
    ],
)
def test_bodies_of_matches(change: dict[str, Any], wrong: list[tuple[str, str]]) -> None:
    assert errors_of(MATCH, {"game": "neues-land", "seats": ["me", "open"]} | change) == wrong


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("Ada", []),
        ("x" * 64, []),
        ("Zo\u0308e", []),
        ("\U0001f3b2" * 64, []),
        ("", [("/name", "out_of_range")]),
        ("x" * 65, [("/name", "out_of_range")]),
        ("a\nb", [("/name", "bad_format")]),
        ("a\u0000", [("/name", "bad_format")]),
        ("a\u0085b", [("/name", "bad_format")]),
        (7, [("/name", "wrong_type")]),
        (None, [("/name", "wrong_type")]),
    ],
)
def test_names(name: Any, wrong: list[tuple[str, str]]) -> None:
    assert errors_of(requests.AccountRequest(), {"name": name}) == wrong


def test_names_are_kept_in_nfc() -> None:
    assert requests.AccountRequest().load({"name": "Zo\u0308e"})["name"] == "Z\u00f6e"


@pytest.mark.parametrize(
    ("nonces", "wrong"),
    [
        ({"0": "ada", "4": "A-Z_9"}, []),
        ({"5": "ada"}, [("/nonces/5", "unknown")]),
        ({"00": "ada"}, [("/nonces/00", "unknown")]),
        ({"0": "ada!"}, [("/nonces/0", "bad_format")]),
        ({"0": ""}, [("/nonces/0", "out_of_range")]),
        ({"0": "x" * 65}, [("/nonces/0", "out_of_range")]),
        ({"0": "ada\n"}, [("/nonces/0", "bad_format")]),
        ([], [("/nonces", "wrong_type")]),
    ],
)
def test_nonces(nonces: Any, wrong: list[tuple[str, str]]) -> None:
    assert errors_of(requests.StartRequest(), {"nonces": nonces}) == wrong


@pytest.mark.parametrize(
    ("schema", "query", "wrong"),
    [
        (requests.ViewQuery(), {"seat": "0", "at": "3", "after": "2", "wait": "25"}, []),
        (requests.ViewQuery(), {"wait": "26"}, [("wait", "out_of_range")]),
        (requests.ViewQuery(), {"at": "-1"}, [("at", "out_of_range")]),
        (requests.ViewQuery(), {"at": "1.0"}, [("at", "wrong_type")]),
        (requests.ViewQuery(), {"at": "\u0661"}, [("at", "wrong_type")]),
        (requests.ViewQuery(), {"at": ""}, [("at", "wrong_type")]),
        (requests.ViewQuery(), {"at": "9" * 16}, [("at", "out_of_range")]),
        (requests.EventsQuery(), {"limit": "0"}, [("limit", "out_of_range")]),
        (requests.EventsQuery(), {"limit": "501"}, [("limit", "out_of_range")]),
        (requests.MatchesQuery(), {"mine": "true", "open_seats": "false", "limit": "100"}, []),
        (requests.MatchesQuery(), {"mine": "yes"}, [("mine", "wrong_type")]),
        (requests.MatchesQuery(), {"limit": "101"}, [("limit", "out_of_range")]),
        (requests.MatchesQuery(), {"status": "over"}, [("status", "not_one_of")]),
        (requests.RulesQuery(), {"lang": "fr"}, [("lang", "not_one_of")]),
        (requests.NoQuery(), {"x": "1"}, [("x", "unknown")]),
    ],
)
def test_queries(schema: Any, query: dict[str, str], wrong: list[tuple[str, str]]) -> None:
    try:
        schema.load(query)
        found = []
    except ValidationError as error:
        found = [(each.parameter, each.code) for each in query_errors(error.messages_dict)]
    assert found == wrong


def test_errors_are_few_and_short_whatever_comes_in() -> None:
    body = {"actions": [{"type": "pass", "k" * 500: 1}] * 100, **{f"{i}" * 100: 1 for i in range(50)}}
    with pytest.raises(ValidationError) as refusal:
        ACT.load(body)
    errors = body_errors(refusal.value.messages)
    assert len(errors) == MOST_ERRORS
    assert all(isinstance(error, FieldError) and len(error.pointer or "") < 150 for error in errors)


_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 400),
    st.floats(0, 3),
    st.sampled_from(["", "8m", "knuffingen", "c01", "oslo", "x" * 65]),
    st.lists(st.integers(), max_size=1),
)


@pytest.mark.parametrize(("game", "kind"), KINDS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_fast_check_and_the_documenting_schema_agree(game: str, kind: Any, data: st.DataObject) -> None:
    slots = slots_of(kind)
    legal = [st.sampled_from(sorted(slot.one_of, key=str)) if slot.one_of else st.integers(1, 3) for slot in slots]
    body: dict[str, Any] = {
        slot.name: data.draw(st.one_of(good, _ODD)) for slot, good in zip(slots, legal, strict=True)
    }
    for name in data.draw(st.lists(st.sampled_from([slot.name for slot in slots]), max_size=1)):
        del body[name]
    body |= data.draw(st.dictionaries(st.sampled_from(["extra", "x y"]), _ODD, max_size=1))
    documenting = schema_of(kind, "any")
    fast = sorted((error.pointer, error.code) for error in body_errors(check(body, slots)))
    assert fast == errors_of(documenting, body)
    if "type" in body and body["type"] == slots[0].one_of[0]:  # type: ignore[index]
        action, messages = ActionReader((kind,)).read(body)
        assert (action is None) == bool(fast)
        assert sorted((error.pointer, error.code) for error in body_errors(messages)) == fast
        if action is not None:
            assert action.to_wire() == body


@pytest.mark.parametrize(("game", "kind"), [*KINDS, *((game.id, game.options_type) for game in GAMES.values())])
def test_component_and_catalogue_describe_the_same(game: str, kind: Any, description: Description) -> None:
    """The component is made through marshmallow, the catalogue's schema directly."""
    name = "".join(part.capitalize() for part in game.split("-")) + "OptionsRequest"
    if kind in GAMES[game].actions:
        name = f"{kind.__name__}Action"
    component = dict(description.document["components"]["schemas"][name])
    direct = json_schema(kind)
    assert component.pop("additionalProperties") is False
    assert sorted(component.pop("required", [])) == sorted(direct["required"])
    assert component["properties"].keys() == direct["properties"].keys()
    for slot, schema in direct["properties"].items():
        assert _normal(component["properties"][slot]) == _normal(schema), slot


def _normal(schema: dict[str, Any]) -> dict[str, Any]:
    return schema | {"type": sorted(schema["type"])} if isinstance(schema["type"], list) else schema


def test_two_games_with_an_action_of_one_name_are_noticed() -> None:
    kind = GAMES["neues-land"].actions[0]
    with pytest.raises(ValueError, match="place_tile"):
        ActionReader((kind, kind))
