"""How rows, entries and parts are written: stored data depends on it for good."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spieltisch_service.app.ports import IdempotencyRow
from spieltisch_service.domain.events import GENESIS_HASH, LoggedEvent, chained
from spieltisch_service.store import entries
from spieltisch_service.store.entries import pack_event, pack_part, unpack_event, unpack_link, unpack_part
from spieltisch_service.store.rows import pack_reservation, pack_row, unpack_reservation, unpack_row

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBER = st.integers(0, 2**32 - 1)


@given(
    st.builds(
        IdempotencyRow,
        fingerprint=TEXT | st.binary().map(bytes.hex),
        status=st.integers(200, 299),
        seats=st.lists(st.integers(0, 255), max_size=31).map(tuple),
        first=NUMBER,
        last=NUMBER,
    )
)
def test_a_row_is_read_back(row: IdempotencyRow) -> None:
    assert unpack_row(pack_row(row)) == row


def test_a_row_is_small() -> None:
    assert len(pack_row(IdempotencyRow("5f" * 16, 200, (1,), 70, 71))) <= 26
    with pytest.raises(ValueError, match="32 seats"):
        pack_row(IdempotencyRow("", 200, tuple(range(32)), 1, 1))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), TEXT)
def test_a_reservation_is_read_back(fingerprint: str, value: str) -> None:
    assert unpack_reservation(pack_reservation(fingerprint, value)) == (fingerprint, value)


@given(
    st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT, lambda data: st.lists(data)),
    st.integers(0, 2**48 - 1),
)
def test_an_entry_is_read_back(data: Any, at_ms: int) -> None:
    (event,) = chained(6, GENESIS_HASH, [("action", None, {"data": data})])
    entry = at_ms.to_bytes(6, "big") + pack_event(event)
    assert unpack_event(7, entry) == LoggedEvent(7, event.body, event.hash, at_ms)
    assert unpack_link(entry) == unpack_link(entry[:38]) == (at_ms, event.hash)


def test_a_large_event_is_read_back() -> None:
    (event,) = chained(
        0, GENESIS_HASH, [("match_finished", None, {"final": [{"x": n, "y": n * n} for n in range(9999)]})]
    )
    assert unpack_event(1, b"\0" * 6 + pack_event(event)).body == event.body


#: One action of each kind, as the table of events in the contract has them.
TYPICAL: list[dict[str, Any]] = [
    {
        "action": {"type": "place_tile", "tile": "422mgs-02", "x": 5, "y": -3, "rotation": 270},
        "cause": "player",
        "discarded": [],
        "drawn": [],
        "phase": "follower",
        "points": 0,
        "scores": [17, 23],
        "to_act": 1,
    },
    {
        "action": {"type": "place_follower", "region": 2},
        "cause": "player",
        "discarded": [],
        "drawn": [{"seat": 1, "tile": "1115mmmg"}],
        "phase": "place_tile",
        "points": 4,
        "scores": [21, 23],
        "to_act": 0,
    },
    {
        "action": {"type": "travel", "origin": "knuffingen", "destination": "oslo", "travellers": 3},
        "cards_drawn": 0,
        "cause": "player",
        "phase": "companions",
        "points": 0,
        "scores": [15, 0, 20],
        "to_act": 2,
    },
]


@pytest.mark.parametrize("data", TYPICAL, ids=lambda data: data["action"]["type"])
def test_a_typical_action_takes_a_third_of_its_body(data: dict[str, Any]) -> None:
    (event,) = chained(77, GENESIS_HASH, [("action", 1, data)])
    assert len(pack_event(event)) - 33 < len(event.body) / 3


def test_the_dictionary_never_changes() -> None:
    """Stored logs cannot be read with another one: add a second beside it."""
    assert sha256(entries._DICTIONARY).hexdigest() == "fbdd8185a04ac96d183ee01d7079678fa7abc163ff5a3064f839dd95beefa010"


@given(st.binary(max_size=300), st.booleans())
def test_a_part_is_read_back(data: bytes, small: bool) -> None:
    assert unpack_part(pack_part(data, small=small)) == data


def test_a_part_that_stays_is_small() -> None:
    state = b'{"tiles":[' + b'{"x":1,"y":2,"tile":"44mg","rotation":90},' * 80 + b"]}"
    assert len(pack_part(state, small=True)) < len(state) / 4
