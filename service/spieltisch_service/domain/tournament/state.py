"""What a tournament's log comes to: entrants, rounds, tables and their results. Never changed, only folded on.

Scores are exact. In a match an entrant gets (opponents beaten + half of those tied) / (n - 1): with two seats 1, ½
or 0, and every match has the mean ½. At a table it gets the mean over the matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from spieltisch_service.domain.tournament.log import MatchEnded, MatchVoided
from spieltisch_service.domain.tournament.seating import matches_of, planned
from spieltisch_service.domain.tournament.setup import TournamentSetup

_PLACE = re.compile(r"[1-9][0-9]{0,5}")

MEAN = Fraction(1, 2)
NOTHING = Fraction(0)

Result = MatchEnded | MatchVoided


def match_scores(ranks: Sequence[int]) -> tuple[Fraction, ...]:
    """What each seat scores in a match with these ranks (best is 1)."""
    beaten = [2 * sum(other > own for other in ranks) + sum(other == own for other in ranks) - 1 for own in ranks]
    return tuple(Fraction(twice, 2 * (len(ranks) - 1)) for twice in beaten)


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part. `number` counts by the order of entering, from 1.

    `status` is `active`, `withdrawn` or `removed` (after no-shows); `no_shows` are those in a row. `since` is the first
    round that it can play in.
    """

    id: str
    name: str
    kind: str
    seeding: int | None
    number: int
    since: int
    status: str = "active"
    no_shows: int = 0
    rejoins: int = 0

    @property
    def active(self) -> bool:
        """Whether it is paired."""
        return self.status == "active"


@dataclass(frozen=True)
class Table:
    """Entrants who play `deals` deals with each other in a round, in as many matches as `duplicate` makes of them."""

    id: str
    round: int
    board: int
    entrants: tuple[str, ...]
    deals: int
    duplicate: bool
    results: Mapping[int, Result] = field(default_factory=dict)

    @property
    def matches(self) -> int:
        """How many matches it has."""
        return matches_of(len(self.entrants), self.deals, self.duplicate)

    @property
    def complete(self) -> bool:
        """Whether all its matches have ended."""
        return len(self.results) == self.matches

    def seats(self, number: int) -> tuple[str, ...]:
        """Who sits at seat 0, 1, … in its `number`th match."""
        return tuple(self.entrants[one] for one in planned(len(self.entrants), number, self.duplicate).seating)

    @cached_property
    def ended(self) -> tuple[MatchEnded, ...]:
        """The results that its matches have so far, by number; those that were voided left out."""
        found = (self.results[number] for number in sorted(self.results))
        return tuple(result for result in found if isinstance(result, MatchEnded))

    @cached_property
    def scores(self) -> Mapping[str, Fraction]:
        """The score of each entrant so far: the mean over the matches that count, ½ if none of its matches does."""
        absent = sum(isinstance(one, MatchVoided) and one.reason == "absent" for one in self.results.values())
        sums = dict.fromkeys(self.entrants, NOTHING)
        for result in self.ended:
            for entrant, score in zip(result.seats, match_scores(result.ranks), strict=True):
                sums[entrant] += score
        counted = len(self.ended) + absent
        if not counted:
            return dict.fromkeys(self.entrants, MEAN if self.complete else NOTHING)
        return {entrant: total / counted for entrant, total in sums.items()}


@dataclass(frozen=True)
class Round:
    """One round as it was paired, with what its tables came to so far."""

    number: int
    tables: tuple[Table, ...]
    sitting_out: tuple[str, ...]
    unopposed: tuple[str, ...]
    by: str

    @cached_property
    def complete(self) -> bool:
        """Whether all its matches have ended."""
        return all(table.complete for table in self.tables)


@dataclass(frozen=True)
class State:
    """A tournament after some of its log. `status` is `open`, `running`, `paused`, `finished` or `cancelled`.

    `entrants` by id, in the order of entering. `stopping`: no round is paired any more. `reason`: why it has ended.
    """

    tournament: str
    setup: TournamentSetup
    status: str = "open"
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    invited: frozenset[str] = frozenset()
    rounds: tuple[Round, ...] = ()
    stopping: bool = False
    reason: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing can happen any more."""
        return self.status in ("finished", "cancelled")

    @cached_property
    def active(self) -> tuple[str, ...]:
        """Who can be paired, in the order of entering."""
        return tuple(entrant.id for entrant in self.entrants.values() if entrant.active)

    @cached_property
    def live_tables(self) -> tuple[Table, ...]:
        """The tables that still have matches to play, by round and board."""
        return tuple(table for each in self.rounds if not each.complete for table in each.tables if not table.complete)

    @cached_property
    def busy(self) -> frozenset[str]:
        """Who sits at a table that still has matches to play."""
        return frozenset(entrant for table in self.live_tables for entrant in table.entrants)

    def tables(self) -> Iterator[Table]:
        """All tables, by round and board."""
        for each in self.rounds:
            yield from each.tables

    def table(self, table_id: str) -> Table | None:
        """The table with that id."""
        tournament, number, board = ["", "", *table_id.rsplit(".", 2)][-3:]
        if tournament != self.tournament or not (_PLACE.fullmatch(number) and _PLACE.fullmatch(board)):
            return None
        tables = self.rounds[int(number) - 1].tables if int(number) <= len(self.rounds) else ()
        return tables[int(board) - 1] if int(board) <= len(tables) else None
