"""Who sits where: by hand for small tables, and what the squares are for."""

from collections import Counter
from itertools import pairwise, permutations

import pytest

from spieltisch_service.domain.tournament.seating import matches_of, planned, seatings


def test_a_deal_of_two_or_three_is_played_in_all_orders() -> None:
    assert set(seatings(2, True)) == {(0, 1), (1, 0)}
    assert set(seatings(3, True)) == set(permutations(range(3)))


def test_the_square_of_four_by_hand() -> None:
    assert seatings(4, True) == ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_everybody_has_every_seat_equally_often(n: int) -> None:
    orders = seatings(n, True)
    seats = Counter((who, seat) for order in orders for seat, who in enumerate(order))
    assert set(seats.values()) == {len(orders) // n}
    assert len(seats) == n * n


def test_everybody_acts_behind_everybody_else_as_equally_as_can_be() -> None:
    for n, times in ((2, {1}), (3, {2}), (4, {1}), (5, {2})):
        behind = Counter(pair for order in seatings(n, True) for pair in pairwise(order))
        assert set(behind.values()) == times
    # Five orders of five have twenty neighbours, each difference twice: ten of the twenty pairs.
    assert len({pair for order in seatings(5, True) for pair in pairwise(order)}) == 10


def test_the_matches_of_a_table() -> None:
    assert [matches_of(n, 2, True) for n in (2, 3, 4, 5)] == [4, 12, 8, 10]
    assert matches_of(4, 3, False) == 3
    assert planned(2, 4, True) == (4, 2, (1, 0))
    assert planned(3, 2, False) == (2, 2, (1, 2, 0))
    assert planned(4, 6, True) == (6, 2, (1, 2, 0, 3))
