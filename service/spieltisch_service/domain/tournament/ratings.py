"""Ratings by game and clock class: Plackett-Luce (Weng and Lin, 2011) as openskill has it, for any number of seats.

**Scale.** Everybody begins at 1500 with a standard deviation of 246. Of two entrants that are both well known, the one
that is 400 points ahead has odds of 10 to 1. A shown rating comes with its 95 % interval, 1.96 standard deviations to
both sides; a leaderboard is in the order of the lower bounds, so that a lucky newcomer does not lead it.

**Clock classes**, by the time for a decision; a Fischer clock is taken for 40 decisions: initial / 40 + increment.
`none` without a clock, `bullet` below 3 s, `blitz` below 15 s, `rapid` below 1 h, else `correspondence`.

Only matches of rated tournaments count that were played with everybody there, in the order of the log. After each of
them rating and deviation are rounded to 0.01, so that the same log gives the same ratings to the last digit, whatever
the machine does with the last bits of a float.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openskill.models import PlackettLuce

from spieltisch_service.domain.clock import HOUR_MS, SECOND_MS, Clock
from spieltisch_service.domain.tournament.intervals import Z
from spieltisch_service.domain.tournament.log import MatchEnded
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.domain.tournament.statistics import was_played

#: openskill's proportions, on a scale on which 400 points are odds of 10 to 1.
_BETA = 400 / (math.sqrt(2) * math.log(10))
_START, _START_DEVIATION, _DRIFT = 1500.0, 2 * _BETA, _BETA / 50
_DECIMALS = 2
_DECISIONS = 40
_CLASSES = (("bullet", 3 * SECOND_MS), ("blitz", 15 * SECOND_MS), ("rapid", HOUR_MS))

#: All clock classes, the fastest first.
CLOCK_CLASSES = (*(name for name, _ in _CLASSES), "correspondence", "none")

_model = PlackettLuce(mu=_START, sigma=_START_DEVIATION, beta=_BETA, tau=_DRIFT)


@dataclass(frozen=True, slots=True)
class Rating:
    """What is known of an entrant's strength after so many rated matches: mean and standard deviation."""

    mean: float = _START
    deviation: float = round(_START_DEVIATION, _DECIMALS)
    matches: int = 0

    @property
    def low(self) -> float:
        """The lower bound of the 95 % interval."""
        return round(self.mean - Z * self.deviation, _DECIMALS)

    @property
    def high(self) -> float:
        """The upper bound of the 95 % interval."""
        return round(self.mean + Z * self.deviation, _DECIMALS)

    def to_wire(self) -> dict[str, Any]:
        """`{rating, deviation, low, high, matches}`."""
        return {
            "rating": self.mean,
            "deviation": self.deviation,
            "low": self.low,
            "high": self.high,
            "matches": self.matches,
        }


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """What counts of a match: its game, its clock class, who took part and their ranks (1 is best, ties are equal)."""

    game: str
    clock_class: str
    entrants: tuple[str, ...]
    ranks: tuple[int, ...]


#: Ratings by entrant, of each game and clock class.
Ratings = Mapping[tuple[str, str], Mapping[str, Rating]]


def clock_class(clock: Clock | None) -> str:
    """Which of `CLOCK_CLASSES` a match with this clock is rated in."""
    if clock is None:
        return "none"
    decision_ms = clock.time_ms / _DECISIONS + clock.increment_ms if clock.is_fischer else clock.time_ms
    return next((name for name, below_ms in _CLASSES if decision_ms < below_ms), "correspondence")


def counting(setup: TournamentSetup, ended: Iterable[MatchEnded]) -> Iterator[RatedMatch]:
    """What counts of the matches of a tournament, in their order."""
    if setup.rated:
        pool = clock_class(setup.clock)
        for each in ended:
            if was_played(each):
                yield RatedMatch(setup.game, pool, each.seats, each.ranks)


def rated(known: Mapping[str, Rating], entrants: Sequence[str], ranks: Sequence[int]) -> dict[str, Rating]:
    """The new ratings of those who played one match; who is not `known` begins now. Raises ValueError for no match."""
    if len(entrants) != len(ranks) or len(entrants) < 2 or len(set(entrants)) < len(entrants):
        raise ValueError("a rated match has two entrants or more, each once and with a rank")
    before = [known.get(entrant, Rating()) for entrant in entrants]
    teams = [[_model.rating(mu=rating.mean, sigma=rating.deviation)] for rating in before]
    after = _model.rate(teams, ranks=[float(rank) for rank in ranks])
    return {
        entrant: Rating(round(team[0].mu, _DECIMALS), round(team[0].sigma, _DECIMALS), rating.matches + 1)
        for entrant, rating, team in zip(entrants, before, after, strict=True)
    }


def ratings(matches: Iterable[RatedMatch], known: Ratings | None = None) -> dict[tuple[str, str], dict[str, Rating]]:
    """The ratings after these rated matches, in their order, of those `known` before."""
    found = {pool: dict(held) for pool, held in (known or {}).items()}
    for match in matches:
        held = found.setdefault((match.game, match.clock_class), {})
        held.update(rated(held, match.entrants, match.ranks))
    return found


def leaderboard(held: Mapping[str, Rating]) -> list[tuple[str, Rating]]:
    """Everybody of one game and clock class: the best lower bound first, then the mean, then the name."""
    return sorted(held.items(), key=lambda each: (-each[1].low, -each[1].mean, each[0]))
