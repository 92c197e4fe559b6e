"""Is one bot better than another? A test that may be looked at after every deal, and stops as soon as it knows.

A deal is played in both seatings; its score is the mean of the first bot's scores in them, from 0 to 1, and 1/2 is what
bots of equal strength have on average. Whether the mean is above some m is bet on: a bettor who stakes a fraction f of
the wealth on each deal, at odds that are fair if the mean is m, has prod(1 + f (x / m - 1)). If the mean is m or less,
no way of betting can be expected to win, and by Ville's inequality wealth ever reaches 2 / alpha from 1 with
probability alpha / 2 at most, however often one looks. The wealth here is shared out over a fixed set of fractions
(Robbins' mixture), which needs no guess of how large the difference is, and knows no order of the deals. That the mean
is below m is bet on in the same way, with 1 - x and 1 - m.

The means that nobody has got rich against are a confidence sequence: it holds the true mean at all times together with
probability 1 - alpha or more. All verdicts are read from it. (Waudby-Smith and Ramdas, Estimating means of bounded
random variables by betting, JRSS B 2024.)
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

#: What a test can say: of the first bot, and that the two differ by no more than was asked about.
VERDICTS = ("better", "worse", "no_difference", "undecided")

_EVEN = 0.5
#: The fractions of wealth that are staked: so many, from 1/sqrt(cap) to nearly all, in equal ratios.
_STAKES = 16
_MOST_STAKED = 0.95
#: To how much the bounds are computed.
_PRECISION = 1e-6


@dataclass(frozen=True)
class Question:
    """What is asked: with which probability of a wrong verdict at the most, and for how many deals at the most.

    `alpha` is over all verdicts together. `difference` (from the mean score 1/2, so that 0.05 is 55 to 45) is the
    smallest that is of interest: with it the test may stop for `no_difference`. Raises ValueError.
    """

    alpha: float = 0.05
    cap: int = 1000
    difference: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError("alpha lies between 0 and 1")
        if self.cap < 1:
            raise ValueError("the cap is one deal or more")
        if self.difference is not None and not 0 < self.difference < _EVEN:
            raise ValueError("the difference from 1/2 lies between 0 and 1/2")

    @cached_property
    def stakes(self) -> tuple[float, ...]:
        """The fractions among which the wealth is shared out in equal parts at the beginning."""
        least = min(_MOST_STAKED, 1 / math.sqrt(self.cap))
        return tuple(least * (_MOST_STAKED / least) ** (step / (_STAKES - 1)) for step in range(_STAKES))


@dataclass(frozen=True)
class Trial:
    """A question and the scores of the deals so far: `scores` counts how often each value came."""

    question: Question
    scores: Counter[float] = field(default_factory=Counter)

    def after(self, score: float) -> Trial:
        """The trial with one deal more. Raises ValueError for a score outside 0 to 1, or if the trial is over."""
        if not 0 <= score <= 1:
            raise ValueError(f"the score of a deal is from 0 to 1, not {score}")
        if self.over:
            raise ValueError(f"the trial is over: {self.verdict}")
        return Trial(self.question, self.scores + Counter((float(score),)))

    @property
    def deals(self) -> int:
        """How many deals were played."""
        return self.scores.total()

    @property
    def mean(self) -> float | None:
        """The mean score of the first bot so far."""
        return math.fsum(value * count for value, count in self.scores.items()) / self.deals if self.deals else None

    @property
    def over(self) -> bool:
        """Whether no more is to be played."""
        return self.verdict != "undecided" or self.deals >= self.question.cap

    @cached_property
    def verdict(self) -> str:
        """One of `VERDICTS`; `undecided` while it goes on, and at the cap."""
        difference, turned = self.question.difference, self._turned()
        if self._above(_EVEN):
            return "better"
        if turned._above(_EVEN):
            return "worse"
        if difference is not None and self._above(_EVEN - difference) and turned._above(_EVEN - difference):
            return "no_difference"
        return "undecided"

    @property
    def interval(self) -> tuple[float, float]:
        """The means that the deals up to now leave: where the confidence sequence stands."""
        return self._lower(), 1 - self._turned()._lower()

    def _turned(self) -> Trial:
        """The same as the second bot has it."""
        return Trial(self.question, Counter({1 - value: count for value, count in self.scores.items()}))

    def _above(self, m: float) -> bool:
        """Whether somebody who bet that the mean is above `m` has got rich: then it is not `m` or less."""
        return self._wealth(m) >= math.log(2 / self.question.alpha)

    def _wealth(self, m: float) -> float:
        """The logarithm of the wealth of who bets that the mean is above `m`."""
        logs = [
            math.fsum(count * math.log1p(stake * (value / m - 1)) for value, count in self.scores.items())
            for stake in self.question.stakes
        ]
        most = max(logs)
        return most + math.log(math.fsum(math.exp(each - most) for each in logs) / len(logs))

    def _lower(self) -> float:
        """Wealth falls with m, so the bound is found by halving."""
        low, high = 0.0, 1.0
        while high - low > _PRECISION:
            middle = (low + high) / 2
            low, high = (middle, high) if self._above(middle) else (low, middle)
        return low
