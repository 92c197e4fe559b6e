"""Which matches are to be played now: the next one of each table, and what is decided without being played.

The matches of a table are played one after the other, so that nobody is in two matches at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spieltisch_service.domain.tournament.log import MatchEnded, MatchVoided
from spieltisch_service.domain.tournament.lots import deal_seed
from spieltisch_service.domain.tournament.seating import planned
from spieltisch_service.domain.tournament.state import State, Table


@dataclass(frozen=True, slots=True)
class DueMatch:
    """A match that is to be played: the `number`th of `table`, with its deal's `seed` (32 bytes).

    `seats` are the entrants by seat; of them `absent` have left the tournament, and their seats are forfeited.
    """

    table: str
    number: int
    deal: int
    seats: tuple[str, ...]
    seed: bytes
    absent: tuple[str, ...]


def due(state: State) -> tuple[DueMatch, ...]:
    """The matches that are to be played now, at most one a table, by round and board; none once it has ended."""
    if state.ended:
        return ()
    return tuple(next(matches_left(state, table)) for table in state.live_tables)


def matches_left(state: State, table: Table) -> Iterator[DueMatch]:
    """All matches of `table` that have no result yet, in order."""
    for number in range(1, table.matches + 1):
        if number not in table.results:
            seats = table.seats(number)
            deal = planned(len(seats), number, table.duplicate).deal
            absent = tuple(one for one in seats if not state.entrants[one].active)
            yield DueMatch(table.id, number, deal, seats, deal_seed(state.setup.seed, table.id, deal), absent)


def undisputed(match: DueMatch) -> MatchEnded | MatchVoided | None:
    """What comes of a match that cannot be played because all have left, or all but one; None: it can be played."""
    present = [one for one in match.seats if one not in match.absent]
    if len(present) > 1:
        return None
    if not present:
        return MatchVoided(match.table, match.number, None, "absent")
    ranks = tuple(1 if one in present else 2 for one in match.seats)
    return MatchEnded(match.table, match.number, None, match.seats, ranks, end_reason="walkover")


def revealed(table: Table) -> tuple[int, ...]:
    """The deals of `table` (from 1) that have no match left to be played, so that their seeds may be shown."""
    left = {
        planned(len(table.entrants), number, table.duplicate).deal
        for number in range(1, table.matches + 1)
        if number not in table.results
    }
    return tuple(deal for deal in range(1, table.deals + 1) if deal not in left)
