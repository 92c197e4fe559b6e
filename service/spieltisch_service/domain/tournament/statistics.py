"""What the matches of an event say about entrants and seats, each mean with its 95 % interval.

The deal is the unit (`intervals`). The intervals answer for the luck of the deals and of play, against the opponents
that were met; they say nothing of opponents that were not. Means by seat are those of whoever sat there: where each
deal is played from all seats they are free of who is how strong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from spieltisch_service.domain.tournament import intervals
from spieltisch_service.domain.tournament.intervals import Estimate
from spieltisch_service.domain.tournament.log import MatchEnded
from spieltisch_service.domain.tournament.seating import planned
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.domain.tournament.state import match_scores


@dataclass(frozen=True, slots=True)
class MatchPlayed:
    """A match with its outcome. `deal` tells which matches share one; the rest is by seat.

    `ranks`: 1 is best, equal ranks are shared. `points`: those of the game; empty where nobody knows them.
    """

    deal: Hashable
    seating: tuple[str, ...]
    ranks: tuple[int, ...]
    points: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        seats = len(self.seating)
        if seats < 2 or len(self.ranks) != seats or len(self.points) not in (0, seats):
            raise ValueError("a match has two seats or more, each with an entrant, a rank and points")
        if len(set(self.seating)) < seats:
            raise ValueError("an entrant sits at one seat of a match")


def played(setup: TournamentSetup, ended: Iterable[MatchEnded]) -> list[MatchPlayed]:
    """Of the matches of a tournament those that were played: not what was decided without, or with somebody missing."""
    return [
        MatchPlayed(
            (each.table, planned(len(each.seats), each.number, setup.duplicate).deal),
            each.seats,
            each.ranks,
            each.scores,
        )
        for each in ended
        if was_played(each)
    ]


def was_played(ended: MatchEnded) -> bool:
    """Whether a match tells something of how strong who is: everybody was there. (A fault in play is part of that.)"""
    return ended.match is not None and not ended.no_shows()


@cache
def _scores(ranks: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(map(float, match_scores(ranks)))


def win(ranks: Sequence[int], seat: int) -> float:
    """The part of the win that a seat has: 1 alone, 1/2 of two that share it, …, 0 of a loser."""
    return 1 / ranks.count(1) if ranks[seat] == 1 else 0.0


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """An entrant: means of its scores, parts of wins and points of the game (None: nobody knows them).

    `narrowing` is how wide the interval of its score is beside one that takes matches as independent; None: no telling.
    """

    entrant: str
    matches: int
    deals: int
    score: Estimate
    win_rate: Estimate
    points: Estimate | None
    narrowing: float | None


@dataclass(frozen=True, slots=True)
class SeatLine:
    """A seat (from 0) of the matches with so many seats; a seat that does not matter has a mean score of 1/2."""

    seats: int
    seat: int
    matches: int
    score: Estimate
    points: Estimate | None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """One entrant against another in the matches of both: the mean of the differences of score and of points."""

    entrant: str
    against: str
    matches: int
    score_ahead: Estimate
    points_ahead: Estimate | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """All of it. `narrowing` is over all entrants; `head_to_head` only of an event of two."""

    entrants: tuple[EntrantLine, ...]
    seats: tuple[SeatLine, ...]
    narrowing: float | None
    head_to_head: HeadToHead | None

    def to_wire(self) -> dict[str, Any]:
        """As JSON, to six decimals."""
        return {
            "entrants": [_wire(line) for line in self.entrants],
            "seats": [_wire(line) for line in self.seats],
            "narrowing": _told(self.narrowing),
            "head_to_head": None if self.head_to_head is None else _wire(self.head_to_head),
        }


def _wire(line: EntrantLine | SeatLine | HeadToHead) -> dict[str, Any]:
    return {name: _told(getattr(line, name)) for name in line.__slots__}


def _told(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.to_wire()
    return round(value, 6) if isinstance(value, float) else value


#: The value of a match for one of its seats.
_Value = Callable[[MatchPlayed, int], float]


def _score(match: MatchPlayed, seat: int) -> float:
    return _scores(match.ranks)[seat]


def _win(match: MatchPlayed, seat: int) -> float:
    return win(match.ranks, seat)


def _points(match: MatchPlayed, seat: int) -> float:
    return match.points[seat]


class _Seen:
    """The matches that something took part in, each with the seat it had there, by deal."""

    def __init__(self) -> None:
        self._by_deal: dict[Hashable, list[tuple[MatchPlayed, int]]] = {}

    def add(self, match: MatchPlayed, seat: int) -> None:
        self._by_deal.setdefault(match.deal, []).append((match, seat))

    @property
    def deals(self) -> int:
        return len(self._by_deal)

    @property
    def matches(self) -> int:
        return sum(map(len, self._by_deal.values()))

    def of(self, value: _Value) -> list[list[float]]:
        return [[value(match, seat) for match, seat in pairs] for pairs in self._by_deal.values()]

    def points(self, value: _Value) -> Estimate | None:
        known = [[pair for pair in pairs if pair[0].points] for pairs in self._by_deal.values()]
        deals = [[value(match, seat) for match, seat in pairs] for pairs in known if pairs]
        return intervals.unbounded(deals) if deals else None


def statistics(matches: Iterable[MatchPlayed]) -> Statistics:
    """What these matches say; entrants by name, seats by number of seats and seat."""
    played = list(matches)
    by_entrant: dict[str, _Seen] = {}
    by_seat: dict[tuple[int, int], _Seen] = {}
    for match in played:
        for seat, entrant in enumerate(match.seating):
            by_entrant.setdefault(entrant, _Seen()).add(match, seat)
            by_seat.setdefault((len(match.seating), seat), _Seen()).add(match, seat)
    names = sorted(by_entrant)
    return Statistics(
        entrants=tuple(_entrant_line(name, by_entrant[name]) for name in names),
        seats=tuple(_seat_line(*place, by_seat[place]) for place in sorted(by_seat)),
        narrowing=intervals.narrowing(by_entrant[name].of(_score) for name in names),
        head_to_head=head_to_head(played, *names) if len(names) == 2 else None,
    )


def _entrant_line(name: str, seen: _Seen) -> EntrantLine:
    return EntrantLine(
        entrant=name,
        matches=seen.matches,
        deals=seen.deals,
        score=intervals.share(seen.of(_score)),
        win_rate=intervals.share(seen.of(_win)),
        points=seen.points(_points),
        narrowing=intervals.narrowing([seen.of(_score)]),
    )


def _seat_line(seats: int, seat: int, seen: _Seen) -> SeatLine:
    return SeatLine(seats, seat, seen.matches, intervals.share(seen.of(_score)), seen.points(_points))


def head_to_head(matches: Iterable[MatchPlayed], entrant: str, against: str) -> HeadToHead | None:
    """The one against the other, from the matches in which both sat; None where there are none."""
    seen = _Seen()
    for match in matches:
        if entrant in match.seating and against in match.seating:
            seen.add(match, match.seating.index(entrant))
    if not seen.deals:
        return None

    def ahead(value: _Value) -> _Value:
        return lambda match, seat: value(match, seat) - value(match, match.seating.index(against))

    scores = intervals.difference(seen.of(ahead(_score)))
    return HeadToHead(entrant, against, seen.matches, scores, seen.points(ahead(_points)))
