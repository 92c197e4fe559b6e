"""What the service answers about tournaments and ratings, as frozen dataclasses like those of `models`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from spieltisch._model import INSTANT as _INSTANT
from spieltisch._model import TUPLE as _TUPLE
from spieltisch._model import Model
from spieltisch._model import many as _many


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant(Model):
    """Somebody who takes part: an account (`ac_…`) or a house bot (`bot:NAME`). `name` is None once erased.

    kind: `human`, `bot` or `house`. status: `active`, `withdrawn` or `removed` (after too many no-shows).
    """

    entrant: str
    name: str | None
    kind: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentInfo(Model):
    """A tournament. The rest of how it is set up is in `extra`.

    status: `open`, `running`, `paused`, `finished` or `cancelled`. round: the one paired last, 0 before the first.
    commitment: to `seed`, which is None until the end. reason: why it has ended.
    """

    id: str
    name: str
    game: str
    format: str
    status: str
    version: int
    organizer: str
    seats: int
    round: int
    entrants: tuple[Entrant, ...] = field(metadata=_many(Entrant))
    commitment: str
    seed: str | None
    reason: str | None
    created_at: datetime | None = field(metadata=_INSTANT)
    ended_at: datetime | None = field(metadata=_INSTANT)

    @property
    def ended(self) -> bool:
        """Whether nothing can happen any more."""
        return self.status in ("finished", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPage(Model):
    """Some tournaments, newest first."""

    tournaments: tuple[TournamentInfo, ...] = field(metadata=_many(TournamentInfo))
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round(Model):
    """A round: its `tables` are plain dictionaries, with their matches' results. by: `rule, fallback, organizer`."""

    round: int
    by: str
    complete: bool
    tables: tuple[Mapping[str, Any], ...] = field(metadata=_TUPLE)
    sitting_out: tuple[str, ...] = field(metadata=_TUPLE)
    unopposed: tuple[str, ...] = field(metadata=_TUPLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds(Model):
    """All rounds of a tournament; iterate over it."""

    tournament: str
    status: str
    version: int
    rounds: tuple[Round, ...] = field(metadata=_many(Round))

    def __iter__(self) -> Iterator[Round]:
        return iter(self.rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(Model):
    """A line of the standings. `criteria` decide the order, the first first, each between those equal before it."""

    rank: int
    entrant: str
    name: str | None
    status: str
    points: float
    tables: int
    matches: int
    wins: int
    criteria: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings(Model):
    """Who is ahead, the best first; iterate over it."""

    tournament: str
    status: str
    version: int
    standings: tuple[Standing, ...] = field(metadata=_many(Standing))

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.standings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crosstable(Model):
    """All against all, in the order of the standings: `[matches, won, tied, lost]` of the row's entrant, or None."""

    tournament: str
    status: str
    version: int
    entrants: tuple[str, ...] = field(metadata=_TUPLE)
    rows: tuple[list[list[int] | None], ...] = field(metadata=_TUPLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics(Model):
    """Means with 95 % intervals by entrant and by seat, and how much shared deals narrowed them."""

    tournament: str
    status: str
    version: int
    entrants: tuple[Mapping[str, Any], ...] = field(metadata=_TUPLE)
    seats: tuple[Mapping[str, Any], ...] = field(metadata=_TUPLE)
    narrowing: float | None
    head_to_head: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingLine(Model):
    """A line of a leaderboard: the mean `rating` with its 95 % interval from `low` to `high`."""

    rank: int
    entrant: str
    name: str | None
    rating: float
    deviation: float
    low: float
    high: float
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard(Model):
    """The best of a game and clock class, after `version` rated matches; iterate over it."""

    game: str
    clock_class: str
    version: int
    ratings: tuple[RatingLine, ...] = field(metadata=_many(RatingLine))

    def __iter__(self) -> Iterator[RatingLine]:
        return iter(self.ratings)
