"""Clocks as a fold of events, by hand, and as the store's scripts are told of them."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spieltisch_service.domain import clock as clocks
from spieltisch_service.domain.clock import (
    DAY_MS,
    GRACE_MS,
    HOUR_MS,
    KINDS,
    Clock,
    Reckoning,
    Row,
    Times,
    pending,
    reckoned,
    row_of,
)

NOON = 1_800_000_000_000
Told = tuple[str, int | None, Mapping[str, Any]]


def action(seat: int, to_act: int | None, cause: str = "player", **data: Any) -> Told:
    return "action", seat, {"cause": cause, "to_act": to_act, **data}


def began(clock: Clock, players: int = 2, to_act: int = 0) -> Times:
    times = clocks.after(clock, None, players, "match_started", None, {"to_act": to_act}, NOON)
    assert times is not None
    return times


def folded(clock: Clock, times: Times, *told: tuple[int, Told]) -> Times:
    """The times after events, each at so many ms after noon."""
    for at_ms, event in told:
        times = times.after(clock, *event, NOON + at_ms)
    return times


# --- the fold -------------------------------------------------------------------------------------------------------


def test_before_the_start_nothing_is_timed() -> None:
    assert clocks.after(Clock("fischer", 1_000), None, 2, "seat_taken", 1, {}, NOON) is None


def test_each_decision_has_its_time_anew() -> None:
    clock = Clock("per_decision", 500)
    times = began(clock)
    assert (times.remaining_ms, times.seat, times.deadline_ms) == ((500, 500), 0, NOON + 500)
    times = folded(clock, times, (450, action(0, 0)))
    assert (times.remaining_ms, times.seat, times.deadline_ms) == ((500, 500), 0, NOON + 950)
    times = folded(clock, times, (900, action(0, 1)))
    assert (times.remaining_ms, times.seat, times.deadline_ms) == ((500, 500), 1, NOON + 1_400)


def test_fischer_takes_what_was_used_and_gives_the_increment() -> None:
    clock = Clock("fischer", 10_000, 300)
    times = folded(clock, began(clock), (1_000, action(0, 0)))
    assert (times.remaining_ms, times.deadline_ms) == ((9_300, 10_000), NOON + 1_000 + 9_300)
    times = folded(clock, times, (3_000, action(0, 1)))
    # 10,000 - 1,000 + 300 - 2,000 + 300
    assert (times.remaining_ms, times.deadline_ms) == ((7_600, 10_000), NOON + 3_000 + 10_000)
    times = folded(clock, times, (12_999, action(1, 0)))
    assert times.remaining_ms == (7_600, 301)


def test_several_actions_at_once_are_one_stretch_of_time() -> None:
    clock = Clock("fischer", 10_000, 300)
    times = folded(clock, began(clock), (4_000, action(0, 0)), (4_000, action(0, 1)))
    assert times.remaining_ms == (10_000 - 4_000 + 2 * 300, 10_000)


def test_a_move_that_was_in_time_but_is_written_later_costs_no_more_than_there_was() -> None:
    clock = Clock("fischer", 1_000, 50)
    assert folded(clock, began(clock), (1_400, action(0, 1))).remaining_ms == (50, 1_000)


def test_the_clock_of_the_seat_that_must_decide_runs_for_companions_too() -> None:
    clock = Clock("fischer", 10_000)
    times = folded(clock, began(clock, 3), (1_000, action(0, 2)), (3_000, action(2, 1)), (3_500, action(1, 0)))
    assert times.remaining_ms == (9_000, 9_500, 8_000)
    assert (times.seat, times.deadline_ms) == (0, NOON + 3_500 + 9_000)


def test_a_lapse_is_at_the_deadline_and_the_next_decision_begins_when_it_was_noticed() -> None:
    clock = Clock("fischer", 1_000, 50)
    late = {"late_ms": 2_500}
    times = folded(clock, began(clock, 3), (1_000, ("seat_forfeited", 0, {})), (1_000, action(0, 1, "timeout", **late)))
    assert times.remaining_ms == (0, 1_000, 1_000)
    assert (times.seat, times.deadline_ms) == (1, NOON + 1_000 + 2_500 + 1_000)


def test_a_seat_that_stays_has_its_increment() -> None:
    clock = Clock("fischer", 1_000, 50, on_timeout="autoplay")
    times = folded(clock, began(clock), (1_000, action(0, 0, "timeout", late_ms=7)))
    assert (times.remaining_ms, times.deadline_ms) == ((50, 1_000), NOON + 1_007 + 50)


def test_what_is_played_for_a_seat_that_left_costs_nobody() -> None:
    clock = Clock("fischer", 1_000, 50)
    times = folded(clock, began(clock, 3), (400, action(0, 1)), (400, action(1, 2, "resigned")))
    assert times.remaining_ms == (650, 1_000, 1_000)
    assert times.deadline_ms == NOON + 1_400


def test_an_extension_moves_the_beginning_and_so_the_deadline() -> None:
    clock = Clock("fischer", 10_000)
    times = folded(clock, began(clock), (70_000, ("clock_extended", 0, {"ms": 60_000})))
    assert (times.remaining_ms, times.deadline_ms) == ((10_000, 10_000), NOON + 70_000)
    assert folded(clock, times, (68_000, action(0, 1))).remaining_ms == (2_000, 10_000)


@pytest.mark.parametrize("end", ["match_finished", "match_aborted"])
def test_after_the_end_no_clock_runs(end: str) -> None:
    clock = Clock("per_decision", 500)
    times = folded(clock, began(clock), (10, (end, None, {})))
    assert (times.deadline_ms, times.due_ms, row_of(times).due) == (None, None, None)


# --- what is settled ------------------------------------------------------------------------------------------------


def test_nothing_is_settled_before_the_last_move_could_have_arrived() -> None:
    times = began(Clock("per_decision", 500))
    assert not reckoned(times, (), NOON + 500 + GRACE_MS - 1)
    assert reckoned(times, (), NOON + 500 + GRACE_MS) == Reckoning(0, NOON + 500, GRACE_MS)


def test_who_had_no_time_is_not_waited_for() -> None:
    clock = Clock("fischer", 1_000, 0, on_timeout="autoplay")
    times = folded(clock, began(clock), (1_000, action(0, 0, "timeout", late_ms=0)))
    assert reckoned(times, (), NOON + 1_000) == Reckoning(0, NOON + 1_000, 0)


@pytest.mark.parametrize(
    ("outages", "extension"),
    [
        ((), 0),
        (((-9_000, -1_000),), 0),  # over before it began
        (((-9_000, 2_000),), 2_000),  # only what lies within counts
        (((2_000, 9_000),), 7_000),
        (((2_000, 99_000),), 97_000),
        (((2_000, 8_000), (12_000, 20_000)), 14_000),  # the second one began within the time as it was extended
        (((2_000, 8_000), (16_000, 23_000)), 6_000),  # and here just not
        (((10_000, 70_000),), 0),  # too late already
        (((9_999, 70_000),), 60_001),
    ],
)
def test_downtime_is_not_charged(outages: tuple[tuple[int, int], ...], extension: int) -> None:
    times = began(Clock("per_decision", 10_000))
    told = [(NOON + start, NOON + end) for start, end in outages]
    assert clocks.downtime(times, told) == extension
    found = reckoned(times, told, NOON + 200_000)
    assert found == Reckoning(extension, NOON + 10_000 + extension, 190_000 - extension)


def test_downtime_is_made_good_once() -> None:
    clock = Clock("per_decision", 10_000)
    outage = (NOON + 2_000, NOON + 62_000)
    times = began(clock)
    found = reckoned(times, [outage], NOON + 62_500)
    assert found == Reckoning(60_000)
    times = folded(clock, times, (62_500, ("clock_extended", 0, {"ms": found.extend_ms})))
    assert times.deadline_ms == NOON + 70_000
    assert not reckoned(times, [outage], NOON + 62_600)
    again = (NOON + 64_000, NOON + 70_000)
    assert reckoned(times, [outage, again], NOON + 70_001) == Reckoning(6_000)


# --- before the time is known ---------------------------------------------------------------------------------------

_CLOCKS = st.one_of(
    st.builds(Clock, st.just("per_decision"), st.integers(100, 9_000), on_timeout=st.sampled_from(clocks.ON_TIMEOUT)),
    st.builds(
        Clock,
        st.just("fischer"),
        st.integers(1_000, 9_000),
        st.sampled_from((0, 500)),
        on_timeout=st.sampled_from(clocks.ON_TIMEOUT),
    ),
)
_LATE = st.one_of(st.just({}), st.builds(lambda ms: {"late_ms": ms}, st.integers(0, 5_000)))


@st.composite
def _commits(draw: st.DrawFn) -> tuple[Clock, list[tuple[int, list[Told]]]]:
    """A clock, and commits: each at so many ms after the one before."""
    seat = draw(st.integers(0, 2))
    commits: list[tuple[int, list[Told]]] = [(0, [("match_started", None, {"to_act": seat})])]
    for _ in range(draw(st.integers(1, 6))):
        told: list[Told] = []
        if draw(st.booleans()):
            told.append(("clock_extended", seat, {"ms": draw(st.integers(1, 3_000))}))
        if draw(st.booleans()):
            told.append(("seat_resigned", draw(st.integers(0, 2)), {}))
        for _ in range(draw(st.integers(0 if told else 1, 3))):
            following = draw(st.integers(0, 2))
            cause = draw(st.sampled_from(("player", "timeout", "resigned")))
            told.append(action(seat, following, cause, **draw(_LATE)))
            seat = following
        commits.append((draw(st.integers(0, 12_000)), told))
    return draw(_CLOCKS), commits


@given(_commits())
def test_a_row_tells_what_the_fold_tells_once_the_time_is_known(
    told: tuple[Clock, list[tuple[int, list[Told]]]],
) -> None:
    clock, commits = told
    times: Times | None = None
    at_ms = NOON
    for later_ms, events in commits:
        at_ms += later_ms
        row = pending(clock, times, 3, events)
        assert row is not None
        assert Row.from_json(row.to_json()) == row
        for event in events:
            times = clocks.after(clock, times, 3, *event, at_ms)
        assert times is not None
        assert row.times(at_ms) == times
        assert row_of(times).times(at_ms + 5) == times
        assert row.due is not None
        assert times.due_ms is not None
        # Where what is left is used up to the very last millisecond, there is no grace.
        assert 0 <= row.due.at(at_ms) - times.due_ms <= (0 if times.remaining_ms[times.seat or 0] else GRACE_MS)


def test_a_row_of_an_unknown_schema_is_not_read() -> None:
    row = row_of(began(Clock("per_decision", 500)))
    with pytest.raises(ValueError, match="schema"):
        Row.from_json(row.to_json().replace("[1,", "[2,", 1))


# --- the clock itself -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        ("per_decision", (100,), (DAY_MS,)),
        ("fischer", (1_000, 0), (7 * DAY_MS, HOUR_MS)),
        ("correspondence", (HOUR_MS,), (28 * DAY_MS,)),
    ],
)
def test_each_kind_has_its_bounds(kind: str, least: tuple[int, ...], most: tuple[int, ...]) -> None:
    for times in (least, most):
        wire = {"kind": kind, **dict(zip(KINDS[kind], times, strict=True)), "on_timeout": "autoplay"}
        assert Clock.from_wire(wire).to_wire() == wire
    for i in range(len(least)):
        for bad in (least[i] - 1, most[i] + 1):
            with pytest.raises(ValueError, match=str(bad)):
                Clock(kind, *(bad if j == i else least[j] for j in range(len(least))))


@pytest.mark.parametrize(
    "wire",
    [
        {"kind": "sundial", "per_decision_ms": 500, "on_timeout": "forfeit"},
        {"kind": "per_decision", "per_decision_ms": 500},
        {"kind": "per_decision", "per_decision_ms": 500.0, "on_timeout": "forfeit"},
        {"kind": "per_decision", "per_decision_ms": True, "on_timeout": "forfeit"},
        {"kind": "per_decision", "per_decision_ms": 500, "on_timeout": "shout"},
        {"kind": "per_decision", "per_decision_ms": 500, "on_timeout": "forfeit", "increment_ms": 1},
        {"kind": "fischer", "initial_ms": 5000, "on_timeout": "forfeit"},
    ],
)
def test_anything_else_is_no_clock(wire: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError)):
        Clock.from_wire(wire)
