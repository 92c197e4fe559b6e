"""Actions and events in words."""

from typing import Any

import pytest

from spieltisch.cli.screen import in_columns
from spieltisch.cli.wording import action_text, choices, event_text, matching
from spieltisch.models import Event, Seat


def place(x: int, y: int, rotation: int) -> dict[str, Any]:
    return {"type": "place_tile", "tile": "116mmg", "x": x, "y": y, "rotation": rotation}


def travel(to: str, travellers: int) -> dict[str, Any]:
    return {"type": "travel", "origin": "oslo", "destination": to, "travellers": travellers}


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (place(1, -2, 90), "place tile 116mmg (1,-2) rotation 90"),
        (travel("kiruna", 3), "travel oslo > kiruna travellers 3"),
        ({"type": "redeem", "card": "c17"}, "redeem c17"),
        ({"type": "pass"}, "pass"),
        ({"type": "bid", "amount": 7, "suit": "red"}, "bid red amount 7"),
    ],
)
def test_an_action_is_one_line_whatever_the_order_of_its_fields(action: dict[str, Any], text: str) -> None:
    assert action_text(action) == text
    assert action_text(dict(sorted(action.items()))) == text


def test_choices_share_what_they_have_in_common() -> None:
    actions = [place(0, 1, 0), place(0, 1, 90), place(2, 1, 270)]
    actions += [*(travel("kiruna", number) for number in (1, 2, 3)), travel("tower", 1)]
    actions += [{"type": "stay"}, {"type": "redeem", "card": "c1"}, {"type": "redeem", "card": "c9"}]
    told = [(each.heading, each.rows) for each in choices(actions, range(len(actions)))]
    assert told == [
        ("place tile 116mmg … rotation", ("(0,1)  [0] 0  [1] 90", "[2] (2,1) 270")),
        ("travel … travellers", ("oslo > kiruna  [3..5] 1..3", "[6] oslo > tower 1")),
        ("", ("[7] stay",)),
        ("redeem", ("[8] c1  [9] c9",)),
    ]


def test_numbers_stay_when_some_are_left_out() -> None:
    actions = [place(0, 1, 0), place(0, 1, 90), place(0, 1, 180), place(5, 5, 0)]
    assert [each.rows for each in choices(actions, [1, 3])] == [("[1] (0,1) 90", "[3] (5,5) 0")]
    assert [each.rows for each in choices(actions, [2])] == [("[2] place tile 116mmg (0,1) rotation 180",)]


def test_words_find_actions() -> None:
    texts = ["travel oslo > st-moritz travellers 2", "travel oslo > ruebeland travellers 1"]
    texts += ["place tile 1 (-1,0)", "place tile 1 (1,0)"]
    assert matching(texts, "St. Moritz") == [0]
    assert matching(texts, "Rübeland 1") == [1]
    assert matching(texts, "OSLO travel") == [0, 1]
    assert matching(texts, "(1,0)") == [3]
    assert matching(texts, "(-1,0)") == [2]
    assert matching(texts, "oslo place") == []


SEATS = [
    Seat(seat=0, kind="account", taken=True, account="ac_1", name="Ada", status="active"),
    Seat(seat=1, kind="open", taken=False, account=None, name=None, status="active"),
]


def event(type_: str, seat: int | None = None, **data: Any) -> Event:
    wire = {"seq": 1, "type": type_, "at": "2026-01-31T12:00:00.000Z", "seat": seat, "data": data, "hash": "0"}
    return Event.from_wire(wire)


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (
            event(
                "action", 0, action={"type": "pass"}, cause="player", points=0, scores=[0, 0], to_act=1, phase="turn"
            ),
            "seat 0 (Ada): pass",
        ),
        (
            event(
                "action",
                1,
                action={"type": "pass"},
                cause="resigned",
                points=4,
                drawn=[{"seat": 0, "tile": "44mg"}],
                discarded=[],
            ),
            "seat 1: pass  +4  (resigned)  [drawn seat 0 tile 44mg]",
        ),
        (event("seat_taken", 0), "seat 0 (Ada) taken"),
        (event("seat_resigned", 1), "seat 1 resigned"),
        (
            event("match_started", nonces=[None], to_act=0, scores=[0, 0], phase="turn"),
            "the match starts, seat 0 begins",
        ),
        (
            event("match_finished", result={"scores": [3, 3], "ranks": [1, 1], "end_reason": "completed"}),
            "the match is over (completed): seat 0 (Ada) 3, seat 1 3; won by seat 0 (Ada) and seat 1",
        ),
        (event("match_aborted", reason="expired"), "the match is aborted (expired)"),
        (event("match_paused"), "match_paused"),
    ],
)
def test_an_event_is_one_line(told: Event, text: str) -> None:
    assert event_text(told, SEATS) == text


def test_columns_are_read_downwards() -> None:
    assert in_columns(["a", "bb", "c", "d", "e"], 9) == ["a    d", "bb   e", "c"]
    assert in_columns(["a" * 50, "b"], 20) == ["a" * 50, "b"]
    assert in_columns([], 20) == []
