"""Tables and pairs by themselves: sizes, matchings, swaps and seats, by hand."""

from collections import Counter

import pytest

from spieltisch_service.domain.tournament.pairing.matching import best_pairs
from spieltisch_service.domain.tournament.pairing.tables import (
    NEVER,
    filled,
    permitted,
    seated,
    table_sizes,
    together,
)
from spieltisch_service.domain.tournament.tally import tally
from tests.domain.tournament.cups import played, started, with_round


@pytest.mark.parametrize(
    ("count", "wanted", "least", "sizes"),
    [
        (8, 4, 2, [4, 4]),
        (9, 4, 2, [3, 3, 3]),
        (10, 4, 2, [4, 3, 3]),
        (11, 4, 2, [4, 4, 3]),
        (5, 4, 2, [3, 2]),
        (3, 4, 2, [3]),
        (2, 5, 2, [2]),
        (7, 2, 2, [2, 2, 2]),
        (4, 3, 3, [3]),
        (5, 4, 3, [4]),
        (1, 2, 2, []),
        (257, 4, 2, [4] * 62 + [3] * 3),
    ],
)
def test_sizes_of_tables(count: int, wanted: int, least: int, sizes: list[int]) -> None:
    assert table_sizes(count, wanted, least) == sizes


def test_as_many_pairs_as_can_be_and_then_the_cheapest() -> None:
    def line(one: int, other: int) -> int | None:
        return abs(one - other) if abs(one - other) < 3 else None

    assert best_pairs(4, line) == [(0, 1), (2, 3)]
    # 0 may only meet 1, and then 2 and 3 are left: one cheap pair is given up for two.
    allowed = {(0, 1): 50, (1, 2): 0, (2, 3): 50}
    assert best_pairs(4, lambda one, other: allowed.get((one, other))) == [(0, 1), (2, 3)]
    assert best_pairs(3, lambda *_: 0, [5, 0, 5]) == [(0, 2)]
    assert best_pairs(3, lambda *_: None) == []
    assert best_pairs(1, line) == []


def test_swaps_take_those_apart_that_must_not_sit_together() -> None:
    def cost(one: str, other: str) -> int:
        return NEVER if {one, other} in ({"a", "b"}, {"c", "d"}) else 0

    tables = together("abcdef", [3, 3], cost, 0, "abcdef")
    assert sorted(len(table) for table in tables) == [3, 3]
    assert all(not {"a", "b"} <= set(table) and not {"c", "d"} <= set(table) for table in tables)


def test_what_swaps_cannot_do_goes_without_a_table() -> None:
    assert permitted([["a", "b", "c"], ["d", "e"]], lambda *pair: NEVER * (set(pair) == {"a", "b"}), 2) == (
        [["a", "c"], ["d", "e"]],
        ["b"],
    )
    assert permitted([["a", "b"]], lambda *_: NEVER, 2) == ([], ["b", "a"])


def test_the_fallback_seats_whoever_may_meet_somebody() -> None:
    def only_ad(one: str, other: str) -> int:
        return 0 if {one, other} == {"a", "d"} else NEVER

    assert filled("abcd", 3, 2, only_ad) == ([["a", "d"]], ["b", "c"])
    assert filled("abcde", 2, 2, lambda *_: 0) == ([["a", "b"], ["c", "d"]], ["e"])


def test_seats_go_to_who_has_had_them_least() -> None:
    state = played(with_round(started("abcd"), "ab", "cd"))
    counts = tally(state)
    assert counts.excess == {"a": [30, -30], "b": [-30, 30], "c": [30, -30], "d": [-30, 30]}
    assert seated("ab", counts) == ("b", "a")
    assert seated("ad", counts) == ("d", "a")
    assert seated("ac", counts) == ("a", "c")
    three = played(with_round(started("abc", seats=3), "abc"))
    assert tally(three).excess["a"] == [40, -20, -20]
    assert seated("abc", tally(three))[0] != "a"


def test_the_tally_counts_seats_by_matches() -> None:
    once = tally(with_round(started("abc", seats=3, deals=4), "abc"))
    assert once.seats == {"a": [2, 1, 1], "b": [1, 2, 1], "c": [1, 1, 2]}
    assert once.excess["a"] == [40, -20, -20]
    twice = tally(with_round(started("abc", seats=3, deals=4, duplicate=True), "abc"))
    assert twice.seats == {key: [8, 8, 8] for key in "abc"}
    assert twice.excess["a"] == [0, 0, 0]
    assert Counter(twice.met["a"]) == {"b": 1, "c": 1}
