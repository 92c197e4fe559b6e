"""The chain of events, against the value that the contract gives and an independent RFC 8785 implementation."""

import hashlib
import json

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from spieltisch_service.domain.events import (
    GENESIS_HASH,
    LoggedEvent,
    canonical,
    chain_hash,
    chained,
    instant,
    instant_ms,
)

BMP = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=("Cs",)))
WRITTEN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(BMP, inner),
)


@given(WRITTEN)
def test_canonical_is_rfc_8785(value: object) -> None:
    assert canonical(value).encode() == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["18446744073709551616", "-9223372036854775809", '"\ud800"', '{"a":["\udfff"]}'])
def test_what_the_platform_never_writes_reads_as_it_was_written(text: str) -> None:
    assert canonical(json.loads(text)) == text


def test_the_first_hash_is_that_of_the_contract() -> None:
    body = '{"data":{"match":"mt_example"},"seat":null,"seq":1,"type":"match_created"}'
    expected = "391aa2d50c491d3ec6e032daa80d87c16c12e8309eb6957227d13dd1dad2be07"
    event = chained(0, GENESIS_HASH, [("match_created", None, {"match": "mt_example"})])[0]
    assert GENESIS_HASH == "0" * 64
    assert event.body == body
    assert chain_hash(GENESIS_HASH, body) == event.hash == expected


def test_each_hash_covers_the_one_before() -> None:
    events = chained(4, "ab" * 32, [("seat_taken", 1, {}), ("seat_left", 1, {})])
    second = hashlib.sha256(f'{events[0].hash}\n{{"data":{{}},"seat":1,"seq":6,"type":"seat_left"}}'.encode())
    assert [event.seq for event in events] == [5, 6]
    assert events[1].hash == second.hexdigest()


def test_an_event_on_the_wire_has_its_six_fields() -> None:
    event = LoggedEvent(3, '{"data":{"a":1},"seat":0,"seq":3,"type":"action"}', "cd" * 32, 1_700_000_000_007)
    assert json.loads(event.to_json()) == {
        "seq": 3,
        "type": "action",
        "at": "2023-11-14T22:13:20.007Z",
        "seat": 0,
        "data": {"a": 1},
        "hash": "cd" * 32,
    }


@pytest.mark.parametrize(
    ("kind", "ends"),
    [("match_finished", True), ("match_aborted", True), ("finished", True), ("cancelled", True), ("action", False)],
)
def test_the_last_event_is_known_by_its_type(kind: str, ends: bool) -> None:
    event = chained(0, GENESIS_HASH, [(kind, None, {"type": "match_finished"})])[0]
    assert LoggedEvent(1, event.body, event.hash, 0).ends_log is ends


@given(st.integers(0, 4_000_000_000_000))
def test_instants_read_back(at_ms: int) -> None:
    assert instant_ms(instant(at_ms)) == at_ms


def test_an_instant_has_milliseconds() -> None:
    assert instant(0) == "1970-01-01T00:00:00.000Z"
    assert instant(1_796_000_000_120) == "2026-11-30T00:53:20.120Z"
