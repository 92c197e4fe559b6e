"""Swiss: in each round those meet who have about as many points and have not met.

Two seats: one matching over everybody. What a pair costs is the square of the difference in points (in hundredths), a
little for not being half a score group apart, and more where both have had the same seat too often; rematches are
forbidden, or dear. Left over, where somebody must be, is who has not sat out yet and has fewest points.

More seats: everybody in the order of points, cut into tables, and swaps against meeting again.
"""

from __future__ import annotations

from spieltisch_service.domain.tournament.lots import drawn, lot
from spieltisch_service.domain.tournament.pairing.matching import best_pairs
from spieltisch_service.domain.tournament.pairing.outcome import Answer, Draft, Over
from spieltisch_service.domain.tournament.pairing.tables import (
    NEVER,
    PairCost,
    filled,
    permitted,
    seated,
    table_sizes,
    together,
)
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.domain.tournament.tally import Tally, tally

_SAT_OUT, _REMATCH, _SEAT_TWICE, _SEAT = 10**10, 10**7, 10**6, 400
#: At a table of more than two, to meet again is as dear as to meet somebody with 1.4 points more.
_MET = 20_000


def rounds(state: State) -> int:
    """How many rounds there are: as many as asked for, or one more than it takes until one alone can have won all."""
    if state.setup.rounds is not None:
        return state.setup.rounds
    return max(3, (len(state.entrants) - 1).bit_length() + 1) if len(state.entrants) > 2 else 1


def pair(state: State) -> Answer:
    """The next round."""
    if len(state.rounds) >= rounds(state):
        return Over("rounds")
    counts = tally(state)
    order = in_order(state, counts)
    if state.setup.seats == 2:
        return _pairs(state, counts, order)
    return group(state, counts, order, _cost(state, counts), _MET - 1)


def in_order(state: State, counts: Tally) -> list[str]:
    """Who can be paired: by points, then seeding, then a lot of this round."""
    number, seed = len(state.rounds) + 1, state.setup.seed

    def key(one: str) -> tuple[object, ...]:
        return (-counts.points[one], -(state.entrants[one].seeding or 0), lot(seed, "round", number, one), one)

    return sorted(state.active, key=key)


def _pairs(state: State, counts: Tally, order: list[str]) -> Answer:
    setup = state.setup
    points = [int(counts.points[one] * 100) for one in order]
    lead = [counts.seats[one][0] - counts.seats[one][1] for one in order]
    group_size = {each: points.count(each) for each in set(points)}

    def cost(one: int, other: int) -> int | None:
        met = counts.met[order[one]][order[other]]
        if (met and setup.rematches == "forbidden") or not setup.may_meet(order[one], order[other]):
            return None
        price = met * met * _REMATCH + (points[one] - points[other]) ** 2
        if points[one] == points[other]:
            price += abs(abs(one - other) - group_size[points[one]] // 2)
        if lead[one] * lead[other] > 0:
            price += _SEAT if min(abs(lead[one]), abs(lead[other])) == 1 else _SEAT_TWICE
        return price

    lowest = min(points)
    bonus = [
        counts.sat_out[one] * _SAT_OUT + (points[place] - lowest) ** 2 + len(order) - place
        for place, one in enumerate(order)
    ]
    pairs = best_pairs(len(order), cost, bonus)
    if not pairs:
        return Over("no_pairing")
    tables = [seated((order[one], order[other]), counts) for one, other in pairs]
    seen = {one for table in tables for one in table}
    return Draft(tables, sitting_out=[one for one in order if one not in seen])


def _cost(state: State, counts: Tally) -> PairCost:
    points = {one: int(counts.points[one] * 100) for one in state.active}

    def cost(one: str, other: str) -> int:
        if not state.setup.may_meet(one, other):
            return NEVER
        met = counts.met[one][other]
        return met * met * _MET + (points[one] - points[other]) ** 2

    return cost


def group(state: State, counts: Tally, order: list[str], cost: PairCost, bearable: int) -> Answer:
    """Tables of more than two out of `order`, as `together` makes them.

    Who must have none is, of those with fewest such rounds, the last.
    """
    setup = state.setup
    # Which tables are the smaller ones is drawn, so that they do not always meet the same.
    sizes = table_sizes(len(order), setup.seats, setup.least_seats)
    turns = sorted(range(len(sizes)), key=lambda table: lot(setup.seed, "sizes", len(state.rounds) + 1, table))
    sizes = [sizes[table] for table in turns]
    spare = len(order) - sum(sizes)
    last = sorted(order, key=lambda one: (counts.sat_out[one], -order.index(one)))[:spare]
    playing = [one for one in order if one not in last]
    tables = together(playing, sizes, cost, bearable, drawn(setup.seed, f"tables {len(state.rounds) + 1}", playing))
    kept, left = permitted(tables, cost, setup.least_seats)
    by = "rule"
    if not kept:
        kept, left = filled(playing, setup.seats, setup.least_seats, cost)
        by = "fallback"
    if not kept:
        return Over("no_pairing")
    return Draft([seated(table, counts) for table in kept], sitting_out=[*last, *left], by=by)
