"""What each entrant has done so far: points, whom it met, where it sat. Counted anew from the rounds each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from spieltisch_service.domain.tournament.lots import lot
from spieltisch_service.domain.tournament.state import MEAN, NOTHING, State, Table


@dataclass(frozen=True)
class Tally:
    """Everything by entrant, for all that ever entered.

    `points`: the scores of complete tables; ½ for sitting out, the first time, and for each time unopposed. `tables`:
    how many it was paired at. `met`: at how many tables it met each other entrant. `last`: whom it met at the last
    one. `seats`: how many matches it was to play at seat 0, 1, …; `excess`: by how many sixtieths of a match that is
    more than its share (of a match of n, 1/n for each of its seats). `sat_out`: how often it sat out.
    `deals`: in how many matches of a table the seats go round; 0 where `duplicate` makes them equal anyway.
    """

    points: dict[str, Fraction]
    tables: dict[str, int]
    met: dict[str, Counter[str]]
    last: dict[str, tuple[str, ...]]
    seats: dict[str, list[int]]
    excess: dict[str, list[int]]
    sat_out: dict[str, int]
    deals: int


def tally(state: State) -> Tally:
    """The tally of all rounds."""
    entrants = list(state.entrants)
    found = Tally(
        dict.fromkeys(entrants, NOTHING),
        dict.fromkeys(entrants, 0),
        {one: Counter() for one in entrants},
        dict.fromkeys(entrants, ()),
        {one: [0] * state.setup.seats for one in entrants},
        {one: [0] * state.setup.seats for one in entrants},
        dict.fromkeys(entrants, 0),
        0 if state.setup.duplicate else state.setup.deals,
    )
    for each in state.rounds:
        for table in each.tables:
            _count(found, table)
        for one in each.sitting_out:
            if found.sat_out[one] == 0:
                found.points[one] += MEAN
            found.sat_out[one] += 1
        for one in each.unopposed:
            found.points[one] += MEAN
    return found


def _count(found: Tally, table: Table) -> None:
    scores = table.scores if table.complete else {}
    n = len(table.entrants)
    for place, one in enumerate(table.entrants):
        if one in scores:
            found.points[one] += scores[one]
        found.tables[one] += 1
        found.last[one] = tuple(other for other in table.entrants if other != one)
        found.met[one].update(found.last[one])
        counts, excess = found.seats[one], found.excess[one]
        whole, rest = (table.matches // n, 0) if table.duplicate else divmod(table.deals, n)
        for seat in range(n):
            # The seats go round by one from deal to deal, downwards for everybody.
            counts[seat] += whole + ((place - seat) % n < rest)
            excess[seat] += 60 * ((place - seat) % n < rest) - 60 * rest // n


def seeded(state: State) -> list[str]:
    """All that entered, the strongest first: by seeding (those without one last), then by lot."""
    return sorted(state.entrants, key=lambda one: _strength(state, one))


def _strength(state: State, one: str) -> tuple[int, int, str]:
    seeding = state.entrants[one].seeding
    return (-seeding if seeding is not None else 1 << 62, lot(state.setup.seed, "seeding", one), one)


def placed(state: State, table: Table) -> tuple[str, ...]:
    """The entrants of a table that has ended, the best first.

    By its score there, then the matches won there, then the points of the game that it made there, then the better
    seeding (see `seeded`).
    """
    wins: Counter[str] = Counter()
    made: Counter[str] = Counter()
    for result in table.ended:
        for seat, one in enumerate(result.seats):
            wins[one] += _won(result.ranks, seat)
            made[one] += result.scores[seat] if result.scores else 0

    def key(one: str) -> tuple[object, ...]:
        return (-table.scores[one], -wins[one], -made[one], _strength(state, one))

    return tuple(sorted(table.entrants, key=key))


def _won(ranks: Sequence[int], seat: int) -> bool:
    return ranks[seat] == 1 and ranks.count(1) == 1
