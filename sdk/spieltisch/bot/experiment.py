"""Is one bot better than another? Plays paired deals until a test that may look at any time knows.

The test is the service's (`spieltisch_service.domain.tournament.sequential`). It takes the deals in their order, so
that the same seed has the same outcome with any number of processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from spieltisch.bot.bulk import Bulk
from spieltisch.bot.bulk import run as run_bulk
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.tally import Played
from spieltisch.local import service_module

#: A deal is played in both seatings: the matches of the deal d are 2 d and 2 d + 1, in which the seats change places.
SEATINGS = 2


@dataclass(frozen=True)
class Outcome:
    """How an experiment ended: `verdict` is `better`, `worse`, `no_difference` or `undecided`, of the first bot.

    mean: its score in a match, None without a deal. low, high: what the confidence sequence leaves of it.
    """

    verdict: str
    deals: int
    mean: float | None
    low: float
    high: float

    def to_wire(self) -> dict[str, Any]:
        """As JSON."""
        told = {name: None if value is None else round(value, 4) for name, value in self._numbers().items()}
        return {"verdict": self.verdict, "deals": self.deals, "matches": SEATINGS * self.deals, **told}

    def _numbers(self) -> dict[str, float | None]:
        return {"score": self.mean, "low": self.low, "high": self.high}


class _Enough(Exception):
    """The test knows."""


class Experiment:
    """Tries bots at a `bulk` of two seats; the question is what `Question` of the service's test takes.

    Raises ValueError for a question that cannot be asked.
    """

    def __init__(self, bulk: Bulk, *, alpha: float, cap: int, difference: float | None = None) -> None:
        test = service_module("domain.tournament.sequential")
        self._bulk = bulk
        self._question = test.Question(alpha=alpha, cap=cap, difference=difference)
        self._trial: Callable[[Any], Any] = test.Trial

    def run(self, jobs: int, heard: Callable[[str], None] = lambda _: None, *, number: int = 0) -> tuple[Outcome, bool]:
        """The outcome, and whether a KeyboardInterrupt came before it. Raises BotFailed for a bot that does.

        number: of the experiment, for several with one seed: each has deals of its own. heard: told of every match.
        """
        cap = self._question.cap
        first = number * cap
        shares: dict[int, float] = {}
        trial = self._trial(self._question)

        def take(played: Played) -> None:
            nonlocal trial
            if played.failure is not None:
                raise BotFailed(played.failure)
            shares[played.number] = played.share
            heard(f"{trial.deals:,} deals, score {0.5 if trial.mean is None else trial.mean:.3f}")
            while len(pair := self._pair(shares, first + trial.deals)) == SEATINGS:
                trial = trial.after(sum(pair) / SEATINGS)
                if trial.over:
                    raise _Enough

        numbers = range(SEATINGS * first, SEATINGS * (first + cap))
        try:
            interrupted = run_bulk(self._bulk, numbers, jobs, take, at_a_time=SEATINGS)
        except _Enough:
            interrupted = False
        low, high = trial.interval
        return Outcome(trial.verdict, trial.deals, trial.mean, low, high), interrupted

    @staticmethod
    def _pair(shares: dict[int, float], deal: int) -> list[float]:
        """The scores in the matches of a deal that have ended."""
        numbers = range(SEATINGS * deal, SEATINGS * (deal + 1))
        return [shares[number] for number in numbers if number in shares]


def counted(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """What many experiments came to: how often each verdict, and after how many deals."""
    deals = sorted(outcome.deals for outcome in outcomes)
    return {
        "experiments": len(outcomes),
        "verdicts": dict(sorted(Counter(outcome.verdict for outcome in outcomes).items())),
        "matches": SEATINGS * sum(deals),
        "median_deals": deals[len(deals) // 2] if deals else None,
        "mean_deals": round(sum(deals) / len(deals), 1) if deals else None,
    }
