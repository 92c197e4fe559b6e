"""Intervals of 95 % for means of matches that were played in deals.

A deal is the unit: what luck it brings to one seating it takes from another, so matches of one deal tell more together
(or less, where the same entrant wins all of them) than as many of different deals. Everywhere `deals` are the values
of the matches of each deal; deals need not have equally many.

The variance of a mean is that of a ratio of sums over the deals, with D - 1 degrees of freedom for D deals (Kish,
Survey Sampling, 1965); the quantile is Student's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

#: The 97.5 % quantile of the normal distribution.
Z = 1.959964

Deals: TypeAlias = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the bounds of its 95 % interval; None where there are too few deals to say any."""

    mean: float
    low: float | None
    high: float | None

    def to_wire(self) -> dict[str, float | None]:
        """`{mean, low, high}`, to six decimals."""
        return {name: _rounded(getattr(self, name)) for name in self.__slots__}


def _rounded(value: float | None) -> float | None:
    # Adding 0.0 makes of -0.0, which JSON would show, 0.0.
    return None if value is None else round(value, 6) + 0.0


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with `freedom` (1 or more) degrees of freedom.

    Exact for 1 and 2; from 3 on four terms of its expansion (Abramowitz and Stegun 26.7.5), at most 0.12 %
    too small.
    """
    if freedom == 1:
        return 1 / math.tan(math.pi * 0.025)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (4 * 0.975 * 0.025))
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))


def mean(deals: Deals) -> float:
    """The mean of all matches."""
    return math.fsum(map(math.fsum, deals)) / sum(map(len, deals))


def variance(deals: Deals) -> float:
    """The variance of `mean(deals)`, of two deals or more."""
    middle, matches, count = mean(deals), sum(map(len, deals)), len(deals)
    squares = math.fsum((math.fsum(values) - len(values) * middle) ** 2 for values in deals)
    return squares * count / (count - 1) / matches**2


def half_width(deals: Deals) -> float:
    """Half of the width of Student's interval of the mean, of two deals or more."""
    return student(len(deals) - 1) * math.sqrt(variance(deals))


def unbounded(deals: Deals) -> Estimate:
    """The mean of something without bounds, as the points of a game, with Student's interval."""
    middle = mean(deals)
    if len(deals) < 2:
        return Estimate(middle, None, None)
    half = half_width(deals)
    return Estimate(middle, middle - half, middle + half)


def share(deals: Deals) -> Estimate:
    """The mean of something from 0 to 1, as a score or a share of wins, with the bounds of `interval`."""
    return Estimate(mean(deals), *interval(deals))


def difference(deals: Deals) -> Estimate:
    """The mean of something from -1 to 1, as the difference of two scores."""
    halves = share([[(value + 1) / 2 for value in values] for values in deals])
    assert halves.low is not None
    assert halves.high is not None
    return Estimate(*(2 * bound - 1 for bound in (halves.mean, halves.low, halves.high)))


def wilson(wins: float, matches: float) -> tuple[float, float]:
    """The 95 % interval of a win rate of independent matches, with shared wins as parts of wins."""
    rate, square = wins / matches, Z * Z / matches
    middle = rate + square / 2
    half = Z * math.sqrt(max(0.0, rate * (1 - rate)) / matches + square / (4 * matches))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def interval(deals: Deals) -> tuple[float, float]:
    """The 95 % interval of the mean of values from 0 to 1.

    Wilson's interval for the effective number of matches, which is p (1 - p) over the variance of the mean, with
    Student's t for so many deals (Korn and Graubard, 1998). Where no variance shows it is the number played, and one
    match where there is but one deal. Few deals of much the same mean prove little: at the most it is twice the number
    played, or sqrt(deals) / 2 times that number, with which deals that never came weigh as by the rule of three.
    """
    rate, matches, count = mean(deals), sum(map(len, deals)), len(deals)
    if count == 1:
        return wilson(rate, 1)
    found = variance(deals)
    effective = float(matches)
    if found > 0:
        most = matches * max(2.0, math.sqrt(count) / 2)
        effective = min(most, rate * (1 - rate) / found * (Z / student(count - 1)) ** 2)
    return wilson(rate * effective, effective)


def narrowing(groups: Iterable[Deals]) -> float | None:
    """How wide intervals over deals are beside those that take every match as independent, over all `groups`.

    Below 1: sharing deals has narrowed them. The root of the mean squares of the widths, Student's on both sides; None
    where there is nothing to compare.
    """
    told = [deals for deals in groups if len(deals) > 1]
    together = math.fsum(half_width(deals) ** 2 for deals in told)
    apart = math.fsum(half_width([[value] for values in deals for value in values]) ** 2 for deals in told)
    return math.sqrt(together / apart) if apart > 0 else None
