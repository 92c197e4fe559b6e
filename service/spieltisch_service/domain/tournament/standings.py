"""Who is ahead, and who has done what against whom.

The order is total: each criterion only decides between those that are equal in all before it, and the last is a lot
that the tournament's seed has drawn from the beginning. Only complete tables count.

- `points`: the sum of the scores at tables; ½ for the first time that one sat out, and each time one was unopposed.
- `opponents`: the mean of the points of all that one has met, each as often as one has met it.
- `direct`: against those that are equal up to here, the sum over tables of (mean result against it - ½), where a match
  against somebody counts 1 if one ranks before it, ½ if equal. Who has not met them has 0.
- `wins`: the matches in which one alone was first.
- `lot`: the smaller first (`lots`, "standing", the upper 32 of its 64 bits).

Round robin, Swiss, arena: points, opponents, direct, wins, lot. Gauntlet: `mean`, the points per table, and then the
same, since the champion has more tables than all others.

Eliminations: `alive` (1: not knocked out), `round` (the last that one was in), `place` (at its last table, 1 is best;
0 without a table), points, opponents, wins, lot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, permutations
from typing import Any

from spieltisch_service.domain.tournament.lots import lot
from spieltisch_service.domain.tournament.pairing import double_elimination
from spieltisch_service.domain.tournament.setup import BRACKETS, TournamentSetup
from spieltisch_service.domain.tournament.state import MEAN, NOTHING, State, Table
from spieltisch_service.domain.tournament.tally import placed, tally

_LEAGUE = ("points", "opponents", "direct", "wins", "lot")
#: The criteria of which more is worse.
_LESS_IS_BETTER = ("place", "lot")

Values = dict[str, Fraction]


def criteria(setup: TournamentSetup) -> tuple[str, ...]:
    """What decides the order, the first first."""
    if setup.format in BRACKETS:
        return ("alive", "round", "place", "points", "opponents", "wins", "lot")
    return ("mean", *_LEAGUE) if setup.format == "gauntlet" else _LEAGUE


def decimal(value: Fraction, places: int = 4) -> float:
    """The value rounded to so many decimal places, a half upwards: from the exact fraction, so the same everywhere."""
    scale: int = 10**places
    scaled: int = (2 * value.numerator * scale + value.denominator) // (2 * value.denominator)
    return scaled / scale


@dataclass(frozen=True, slots=True)
class Standing:
    """One line. `values` holds the value of every criterion; `matches` are those that were played or decided."""

    rank: int
    entrant: str
    name: str
    status: str
    points: Fraction
    tables: int
    matches: int
    wins: int
    values: Mapping[str, Fraction]

    def to_wire(self) -> dict[str, Any]:
        """The line as JSON: points and means rounded to four places."""
        return {
            "rank": self.rank,
            "entrant": self.entrant,
            "name": self.name,
            "status": self.status,
            "points": decimal(self.points),
            "tables": self.tables,
            "matches": self.matches,
            "wins": self.wins,
            "criteria": {
                name: value.numerator if value.denominator == 1 else decimal(value)
                for name, value in self.values.items()
            },
        }


def standings(state: State) -> tuple[Standing, ...]:
    """Everybody that takes part, the best first; ranks are 1, 2, 3, … without ties."""
    values = _values(state)
    order = sorted(state.entrants)
    done: tuple[str, ...] = ()
    for name in criteria(state.setup):
        if name == "direct":
            _set_direct(state, values, order, done)
        done = (*done, name)
        order.sort(key=lambda one: _key(values[one], done))
    found = tally(state)
    matches = Counter(one for table in _complete(state) for result in table.ended for one in result.seats)
    return tuple(
        Standing(
            rank,
            one,
            state.entrants[one].name,
            state.entrants[one].status,
            found.points[one],
            found.tables[one],
            matches[one],
            int(values[one]["wins"]),
            values[one],
        )
        for rank, one in enumerate(order, 1)
    )


def _key(values: Values, names: Iterable[str]) -> tuple[Fraction, ...]:
    return tuple(values[name] if name in _LESS_IS_BETTER else -values[name] for name in names)


def _complete(state: State) -> list[Table]:
    return [table for table in state.tables() if table.complete]


def _values(state: State) -> dict[str, Values]:
    """All criteria by entrant, in their order; `direct` is still 0."""
    found, names = tally(state), criteria(state.setup)
    met: Counter[str] = Counter()
    against = dict.fromkeys(state.entrants, NOTHING)
    wins: Counter[str] = Counter()
    scored: Counter[str] = Counter()
    for table in _complete(state):
        together = sum((found.points[one] for one in table.entrants), NOTHING)
        for one in table.entrants:
            scored[one] += 1
            met[one] += len(table.entrants) - 1
            against[one] += together - found.points[one]
        for result in table.ended:
            if result.ranks.count(1) == 1:
                wins[result.seats[result.ranks.index(1)]] += 1
    far = _how_far(state) if state.setup.format in BRACKETS else {}
    values = {}
    for one in state.entrants:
        all_of_it = {
            "points": found.points[one],
            "opponents": against[one] / met[one] if met[one] else NOTHING,
            "direct": NOTHING,
            "wins": Fraction(wins[one]),
            "lot": Fraction(lot(state.setup.seed, "standing", one) >> 32),
            "mean": found.points[one] / scored[one] if scored[one] else NOTHING,
            **far.get(one, {}),
        }
        values[one] = {name: all_of_it[name] for name in names}
    return values


def _how_far(state: State) -> dict[str, Values]:
    """What decides an elimination: `alive`, `round` and `place` by entrant."""
    lost = double_elimination.losses(state) if state.setup.format == "double_elimination" else None
    far: dict[str, Values] = {
        one: {"alive": Fraction(entrant.active), "round": NOTHING, "place": NOTHING}
        for one, entrant in state.entrants.items()
    }
    for each in state.rounds:
        for table in each.tables:
            places = placed(state, table) if table.complete else table.entrants
            for place, one in enumerate(places, 1):
                far[one] |= {"round": Fraction(each.number), "place": Fraction(place if table.complete else 0)}
                if table.complete and lost is None and place > -(-len(places) // 2):
                    far[one]["alive"] = NOTHING
        for one in each.sitting_out:
            far[one]["round"] = Fraction(each.number)
    for one in lost or ():
        if lost is not None and lost[one] > 1:
            far[one]["alive"] = NOTHING
    return far


def _set_direct(state: State, values: dict[str, Values], order: list[str], names: tuple[str, ...]) -> None:
    """Sets `direct` of those that are equal in the criteria `names`, by which `order` is sorted."""
    group_of: dict[str, int] = {}
    for number, (_, group) in enumerate(groupby(order, key=lambda one: _key(values[one], names))):
        group_of |= dict.fromkeys(group, number)
    for table in _complete(state):
        numbers = [group_of[one] for one in table.entrants]
        if len(set(numbers)) == len(numbers):
            continue
        for (one, other), cell in _cells(table).items():
            if group_of[one] == group_of[other] and cell.matches:
                values[one]["direct"] += Fraction(2 * cell.won + cell.tied, 2 * cell.matches) - MEAN


# --- crosstable -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    """What one has done against another: `matches` in which they met, and how many of them it won, tied and lost."""

    matches: int = 0
    won: int = 0
    tied: int = 0
    lost: int = 0

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.matches + other.matches, self.won + other.won, self.tied + other.tied, self.lost + other.lost)


@dataclass(frozen=True, slots=True)
class Crosstable:
    """All against all. `entrants` in the order of the standings; `cells` of those that have met, by (one, other)."""

    entrants: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]

    def to_wire(self) -> dict[str, Any]:
        """As JSON: rows and columns in the order of `entrants`, null where two have not met.

        A cell is `[matches, won, tied, lost]` of the row's entrant against the column's.
        """
        return {
            "entrants": list(self.entrants),
            "rows": [[self._cell(a, b) for b in self.entrants] for a in self.entrants],
        }

    def _cell(self, one: str, other: str) -> list[int] | None:
        cell = self.cells.get((one, other))
        return None if cell is None else [cell.matches, cell.won, cell.tied, cell.lost]


def crosstable(state: State) -> Crosstable:
    """What everybody has done against everybody at complete tables."""
    cells: dict[tuple[str, str], Cell] = {}
    for table in _complete(state):
        for pair, cell in _cells(table).items():
            cells[pair] = cells[pair] + cell if pair in cells else cell
    return Crosstable(tuple(each.entrant for each in standings(state)), cells)


def _cells(table: Table) -> dict[tuple[str, str], Cell]:
    counts = {pair: [0, 0, 0] for pair in permutations(table.entrants, 2)}
    for result in table.ended:
        for (one, own), (other, its) in permutations(zip(result.seats, result.ranks, strict=True), 2):
            counts[one, other][0 if own < its else 1 if own == its else 2] += 1
    return {pair: Cell(sum(found), *found) for pair, found in counts.items()}
