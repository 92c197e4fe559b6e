"""What many matches come to: wins, ties, points, each with its 95 % interval, and how long the decisions took."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

_Z = 1.959964
#: Times are counted in steps of 2 ** (1 / 8), so that millions of them need no memory.
_STEPS = 8


class Times:
    """How long decisions took; quantiles are exact to one part in eleven."""

    def __init__(self) -> None:
        self.count = 0
        self.total_ns = 0
        self.longest_ns = 0
        self._buckets: Counter[int] = Counter()

    def add(self, duration_ns: int) -> None:
        """One decision."""
        self.count += 1
        self.total_ns += duration_ns
        self.longest_ns = max(self.longest_ns, duration_ns)
        self._buckets[math.floor(_STEPS * math.log2(max(1, duration_ns)))] += 1

    def add_all(self, other: Times) -> None:
        """The decisions of another one."""
        self.count += other.count
        self.total_ns += other.total_ns
        self.longest_ns = max(self.longest_ns, other.longest_ns)
        self._buckets.update(other._buckets)

    def quantile_ms(self, share: float) -> float:
        """How long `share` (0 to 1) of the decisions took at most, in milliseconds; 0.0 where there are none."""
        wanted, seen = share * self.count, 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= wanted:
                return float(min(2 ** ((bucket + 1) / _STEPS), self.longest_ns)) / 1e6
        return 0.0


@dataclass
class Played:
    """One match, from the seat of the bot that is looked at.

    deal: the same for matches that were played with the same deal. failure: why it has no result.
    """

    number: int
    deal: int
    seat: int
    scores: Sequence[int] = ()
    ranks: Sequence[int] = ()
    decisions: int = 0
    actions: int = 0
    times: Times = field(default_factory=Times)
    failure: str | None = None
    saved: str | None = None

    @property
    def share(self) -> float:
        """1 for a win, a part of it for a tie at the top, else 0."""
        return 1 / list(self.ranks).count(1) if self.ranks[self.seat] == 1 else 0.0

    @property
    def ahead(self) -> int:
        """Points more than the best of the others."""
        others = [score for seat, score in enumerate(self.scores) if seat != self.seat]
        return self.scores[self.seat] - max(others)


def mean_and_margin(values: Iterable[tuple[int, float]]) -> tuple[float, float]:
    """The mean of values, and how far it may be off (95 %).

    Each value comes with the deal that it belongs to. Matches of one deal are not independent of each other; deals
    are, so the margin comes from how much these differ. It is infinite for fewer than two of them.
    """
    by_deal: dict[int, list[float]] = defaultdict(list)
    for deal, value in values:
        by_deal[deal].append(value)
    count = sum(map(len, by_deal.values()))
    if not count:
        return math.nan, math.inf
    mean = sum(map(sum, by_deal.values())) / count
    deals = len(by_deal)
    if deals < 2:
        return mean, math.inf
    squares = sum((sum(group) - len(group) * mean) ** 2 for group in by_deal.values())
    return mean, _student(deals - 1) * math.sqrt(squares * deals / (deals - 1)) / count


def share_and_margin(values: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """The same for shares between 0 and 1, of which the margin is never more than 1.

    Where all matches ended alike, it is what the true share may be off by for that to happen in one run of forty.
    """
    mean, margin = mean_and_margin(values)
    if mean in (0, 1):
        return mean, 1 - 0.025 ** (1 / len({deal for deal, _ in values}))
    return mean, min(margin, 1.0)


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution; the series is exact to 1 % from 3 degrees of freedom on."""
    known = {1: 12.7062, 2: 4.3027}
    if freedom in known:
        return known[freedom]
    z = _Z
    first = (z**3 + z) / (4 * freedom)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    return z + first + second + third


class Tally:
    """All matches of a run."""

    def __init__(self) -> None:
        self.played: list[Played] = []
        self.failed: list[Played] = []
        self.times = Times()
        self.actions = 0

    def add(self, match: Played) -> None:
        """One more."""
        (self.played if match.failure is None else self.failed).append(match)
        self.times.add_all(match.times)
        self.actions += match.actions

    @property
    def wins(self) -> int:
        """Matches won alone."""
        return sum(match.share == 1 for match in self.played)

    @property
    def ties(self) -> int:
        """Matches that share the first place."""
        return sum(0 < match.share < 1 for match in self.played)

    def summary(self, took_s: float) -> dict[str, Any]:
        """Everything, as JSON; None for what cannot be known from so few matches."""
        numbers: dict[str, Any] = {
            "matches": len(self.played),
            "wins": self.wins,
            "ties": self.ties,
            "losses": len(self.played) - self.wins - self.ties,
            "errors": len(self.failed),
        }
        values: dict[str, Callable[[Played], float]] = {
            "win_share": lambda each: each.share,
            "points": lambda each: each.scores[each.seat],
            "ahead": lambda each: each.ahead,
        }
        for name, value in values.items():
            found = [(each.deal, value(each)) for each in self.played]
            mean, margin = share_and_margin(found) if name == "win_share" else mean_and_margin(found)
            numbers[name] = {"mean": _finite(mean), "margin_95": _finite(margin)}
        seats = sorted({each.seat for each in self.played})
        by_seat = {seat: [each.share for each in self.played if each.seat == seat] for seat in seats}
        numbers["seats"] = [
            {"seat": seat, "matches": len(shares), "win_share": sum(shares) / len(shares)}
            for seat, shares in by_seat.items()
        ]
        numbers["decisions"] = {
            "count": self.times.count,
            "median_ms": round(self.times.quantile_ms(0.5), 4),
            "p99_ms": round(self.times.quantile_ms(0.99), 4),
            "longest_ms": round(self.times.longest_ns / 1e6, 4),
        }
        numbers["took_s"] = round(took_s, 3)
        numbers["matches_per_s"] = round(len(self.played) / took_s, 2) if took_s else None
        numbers["actions_per_s"] = round(self.actions / took_s, 1) if took_s else None
        return numbers


def as_text(summary: dict[str, Any]) -> str:
    """A summary in a few lines for people."""
    lines = []
    if summary["matches"]:
        share, points, ahead = (summary[name] for name in ("win_share", "points", "ahead"))
        lines.append(
            f"  wins {summary['wins']:,}, ties {summary['ties']:,}, losses {summary['losses']:,}: "
            f"{_said(share, 100, 1)} % of the matches (a tie counts as its share)"
        )
        lines.append(f"  points {_said(points)}; ahead of the best other by {_said(ahead)}")
        seats = [f"seat {each['seat']} {100 * each['win_share']:.1f} %" for each in summary["seats"]]
        lines.append(f"  by seat: {', '.join(seats)}")
    times = summary["decisions"]
    lines.append(
        f"  {times['count']:,} decisions: median {times['median_ms']:.3g} ms, 99 % within {times['p99_ms']:.3g} ms, "
        f"longest {times['longest_ms']:.3g} ms"
    )
    lines.append(f"  errors {summary['errors']}")
    rate = f": {summary['matches_per_s']:,} matches/s, {summary['actions_per_s']:,} actions/s" if lines else ""
    lines.append(f"  took {summary['took_s']:,} s{rate}")
    return "\n".join(lines)


def _said(value: dict[str, Any], factor: float = 1, digits: int = 2) -> str:
    margin = "?" if value["margin_95"] is None else f"{value['margin_95'] * factor:.{digits}f}"
    return f"{value['mean'] * factor:.{digits}f} ± {margin}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
