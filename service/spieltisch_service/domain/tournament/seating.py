"""Who sits where in the matches of a table, and from which deal each of them is played.

`duplicate`: every deal is played in all orders of 2 and 3 (2 and 6 matches), and in a Latin square of 4 and 5 (4 and 5
matches), so that everybody has had every seat with every deal. In the square of 4 everybody also acts once right
behind everybody else; with 5 that would take ten orders, so there it is as near as five come to it.
Without `duplicate` a deal is one match, and the seats go round by one from deal to deal.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import NamedTuple

Seating = tuple[int, ...]


class PlannedMatch(NamedTuple):
    """One match of a table: its `number` and `deal` (both from 1), and who of the table sits at each seat."""

    number: int
    deal: int
    seating: Seating


@cache
def seatings(n: int, duplicate: bool) -> tuple[Seating, ...]:
    """The orders in which one deal is played by `n` (2 to 5): for each match who (0 to n-1) sits at seat 0, 1, …."""
    if not duplicate:
        return (tuple(range(n)),)
    if n <= 3:
        return tuple(permutations(range(n)))
    # Williams: 0, 1, n-1, 2, n-2, …: the differences of neighbours are all different, so that in the rows, which
    # are this one shifted, every difference and with an even n every pair of neighbours occurs once.
    first = [(step + 1) // 2 if step % 2 else -(step // 2) for step in range(n)]
    return tuple(tuple((one + shift) % n for one in first) for shift in range(n))


def matches_of(n: int, deals: int, duplicate: bool) -> int:
    """How many matches a table of `n` plays."""
    return deals * len(seatings(n, duplicate))


def planned(n: int, number: int, duplicate: bool) -> PlannedMatch:
    """The `number`th match (from 1) of a table of `n`."""
    orders = seatings(n, duplicate)
    deal, order = divmod(number - 1, len(orders))
    seating = orders[order]
    if not duplicate:
        seating = tuple((seat + deal) % n for seat in seating)
    return PlannedMatch(number, deal + 1, seating)
