"""Clocks over HTTP: what a body may ask for, and what answers say. Every answer is held against the description."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.checked import Checked, Person

CLOCKS: list[dict[str, Any]] = [
    {"kind": "per_decision", "per_decision_ms": 60_000},
    {"kind": "fischer", "initial_ms": 600_000, "increment_ms": 0, "on_timeout": "autoplay"},
    {"kind": "correspondence", "per_decision_ms": 86_400_000, "on_timeout": "forfeit"},
]


@pytest.mark.parametrize("clock", CLOCKS, ids=lambda clock: clock["kind"])
def test_a_match_is_timed_as_asked(ada: Person, clock: dict[str, Any]) -> None:
    wanted = {"game": "neues-land", "seats": ["me", "me"], "clock": clock}
    made = Checked.ok(ada.post("/v1/matches", json=wanted))
    whole = {"on_timeout": "forfeit", **clock}
    assert made["clock"] == whole
    path = f"/v1/matches/{made['id']}"
    assert Checked.ok(ada.get(path))["clock"] == whole
    assert Checked.ok(ada.get(f"{path}/record"))["events"][0]["data"]["clock"] == whole
    time_ms = clock.get("per_decision_ms") or clock["initial_ms"]
    view = ada.view(path)
    assert view["remaining_ms"] == [time_ms] * 2
    assert view["deadline_at"] is not None
    (waiting,) = Checked.ok(ada.get("/v1/me/decisions"))["decisions"]
    assert waiting["deadline_at"] == view["deadline_at"]
    acted = Checked.ok(
        ada.post(f"{path}/actions", json={"actions": ada.view(path, "?seat=0")["legal_actions"][:1], "seat": 0})
    )
    assert acted["view"]["deadline_at"] > view["deadline_at"] or clock["kind"] == "fischer"
    assert ada.view(path, f"?at={view['version']}") == view


@pytest.mark.parametrize("clock", [{}, {"clock": None}], ids=["absent", "null"])
def test_without_a_clock_there_is_none(ada: Person, clock: dict[str, Any]) -> None:
    made = Checked.ok(ada.post("/v1/matches", json={"game": "wunderland", "seats": ["me", "me"], **clock}))
    assert made["clock"] is None
    view = ada.view(f"/v1/matches/{made['id']}")
    assert (view["deadline_at"], view["remaining_ms"]) == (None, None)
    (waiting,) = Checked.ok(ada.get("/v1/me/decisions"))["decisions"]
    assert waiting["deadline_at"] is None


@pytest.mark.parametrize(
    ("clock", "pointer", "code"),
    [
        ("fast", "/clock", "wrong_type"),
        ({}, "/clock/kind", "missing"),
        ({"kind": 7}, "/clock/kind", "wrong_type"),
        ({"kind": "sundial"}, "/clock/kind", "not_one_of"),
        ({"kind": "fischer", "initial_ms": 60_000}, "/clock/increment_ms", "missing"),
        ({"kind": "per_decision", "per_decision_ms": 99}, "/clock/per_decision_ms", "out_of_range"),
        ({"kind": "per_decision", "per_decision_ms": 86_400_001}, "/clock/per_decision_ms", "out_of_range"),
        ({"kind": "per_decision", "per_decision_ms": 5e3}, "/clock/per_decision_ms", "wrong_type"),
        ({"kind": "correspondence", "per_decision_ms": 3_599_999}, "/clock/per_decision_ms", "out_of_range"),
        ({"kind": "per_decision", "per_decision_ms": 500, "on_timeout": "shout"}, "/clock/on_timeout", "not_one_of"),
        ({"kind": "per_decision", "per_decision_ms": 500, "increment_ms": 5}, "/clock/increment_ms", "unknown"),
    ],
)
def test_what_is_no_clock_is_refused_where_it_is_wrong(ada: Person, clock: Any, pointer: str, code: str) -> None:
    answer = ada.post("/v1/matches", json={"game": "neues-land", "seats": ["me", "me"], "clock": clock})
    assert answer.status_code == 400
    (error,) = answer.get_json()["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)


def test_a_view_with_a_clock_can_be_imagined_from(ada: Person) -> None:
    clock = {"kind": "per_decision", "per_decision_ms": 60_000}
    made = Checked.ok(ada.post("/v1/matches", json={"game": "wunderland", "seats": ["me", "me"], "clock": clock}))
    view = ada.view(f"/v1/matches/{made['id']}", "?seat=0")
    asked = {"game": "wunderland", "view": view, "branches": [[]], "seed": "x"}
    assert len(Checked.ok(ada.post("/v1/sandbox", json=asked))["worlds"]) == 1
