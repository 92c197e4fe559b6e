"""Tables of more than two: how many of which size, who sits together, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

from spieltisch_service.domain.tournament.tally import Tally

#: What it costs to seat two together that must not meet; nothing else comes near it.
NEVER = 10**12
#: How many swaps are tried for one entrant, at most, and how often all tables are gone through.
_TRIES, _PASSES = 60, 4

PairCost = Callable[[str, str], int]


def table_sizes(count: int, wanted: int, least: int) -> list[int]:
    """Sizes of the tables for `count` entrants, the larger first; as few as can be are left without one.

    As few tables as hold all, whose sizes differ by one at most: a table of two among tables of four would play
    another game.
    """
    for seated in range(count, least - 1, -1):
        tables = -(-seated // wanted)
        size, larger = divmod(seated, tables)
        if size >= least:
            return [size + 1] * larger + [size] * (tables - larger)
    return []


def together(
    order: Sequence[str], sizes: Sequence[int], cost: PairCost, bearable: int, turns: Iterable[str]
) -> list[list[str]]:
    """Tables of `sizes` from `order`, neighbours together, then changed by swaps as long as these make it cheaper.

    Whose table costs more than is `bearable` is swapped with the one, of at most `_TRIES` at the nearest tables, with
    whom that saves most; they come in the order of `turns`. All are gone through `_PASSES` times at most.
    """
    tables: list[list[str]] = []
    rest = iter(order)
    for size in sizes:
        tables.append([next(rest) for _ in range(size)])
    where = {one: number for number, table in enumerate(tables) for one in table}
    turns = list(turns)
    for _ in range(_PASSES):
        changed = False
        for one in turns:
            if _at(tables[where[one]], one, one, cost) > bearable:
                changed |= _swapped(tables, where, one, cost)
        if not changed:
            break
    return tables


def _at(table: Sequence[str], leaving: str, coming: str, cost: PairCost) -> int:
    """What it costs that `coming` sits at the table instead of `leaving`."""
    return sum(cost(coming, other) for other in table if other not in (leaving, coming))


def _swapped(tables: list[list[str]], where: dict[str, int], one: str, cost: PairCost) -> bool:
    home = where[one]
    own = tables[home]
    tried, best, chosen = 0, 0, None
    for number in sorted(range(len(tables)), key=lambda number: abs(number - home)):
        if number == home:
            continue
        there = tables[number]
        comes = {other: _at(there, other, one, cost) - _at(there, other, other, cost) for other in there}
        for other in there:
            tried += 1
            gain = comes[other] + _at(own, one, other, cost) - _at(own, one, one, cost)
            if gain < best:
                best, chosen = gain, other
        if tried >= _TRIES:
            break
    if chosen is None:
        return False
    away = where[chosen]
    own[own.index(one)], tables[away][tables[away].index(chosen)] = chosen, one
    where[one], where[chosen] = away, home
    return True


def permitted(tables: Sequence[Sequence[str]], cost: PairCost, least: int) -> tuple[list[list[str]], list[str]]:
    """The tables without those that must not meet there, and who thereby has none, the last of a table first."""
    kept, left = [], []
    for table in tables:
        stay: list[str] = []
        for one in table:
            if all(cost(one, other) < NEVER for other in stay):
                stay.append(one)
            else:
                left.append(one)
        if len(stay) >= least:
            kept.append(stay)
        else:
            left += stay
    return kept, left


def filled(order: Sequence[str], size: int, least: int, cost: PairCost) -> tuple[list[list[str]], list[str]]:
    """The fallback: one after the other goes to the first table that has room for it and nobody it must not meet.

    Wherever two may meet, it comes to a table at least.
    """
    tables: list[list[str]] = []
    for one in order:
        for table in tables:
            if len(table) < size and all(cost(one, other) < NEVER for other in table):
                table.append(one)
                break
        else:
            tables.append([one])
    kept = [table for table in tables if len(table) >= least]
    return kept, [one for table in tables if len(table) < least for one in table]


def seated(members: Sequence[str], tally: Tally) -> tuple[str, ...]:
    """`members` in the order of seats that leaves everybody's seats as near to equal as can be; of such, the first.

    A seat that one has had more often than one's share is dear, sixteen times as much for each match of `Tally.excess`.
    """
    n = len(members)
    prices = [[1 << min(max(each // 15 + 20, 0), 60) for each in tally.excess[one][:n]] for one in members]
    turns = range(tally.deals % n)

    def price(order: tuple[int, ...]) -> int:
        return sum(prices[one][(place - turn) % n] for place, one in enumerate(order) for turn in turns)

    best = min(permutations(range(n)), key=price)
    return tuple(members[one] for one in best)
