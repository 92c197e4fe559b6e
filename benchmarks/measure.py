"""Rounds, medians and the table: how contenders are measured against each other, and what the targets are."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


class Skipped(Exception):
    """Something that a measurement needs is missing; the message says what and where it comes from."""


class Invalid(Exception):
    """What was measured is not what was meant (an answer other than the expected one, say)."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked of one figure: `must` and `aim`; `at_most` tells which side of them is good."""

    what: str
    must: float
    aim: float
    at_most: bool = False
    unit: str = ""

    def verdict(self, value: float) -> str:
        """`aim`, `must` or `MISSED`."""
        for name, bound in (("aim", self.aim), ("must", self.must)):
            if value <= bound if self.at_most else value >= bound:
                return name
        return "MISSED"

    def bound(self, value: float) -> str:
        """`≥ 0.55`, `≤ 300 µs`."""
        return f"{'≤' if self.at_most else '≥'} {value:g}{self.unit and ' ' + self.unit}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `value` is what the target is about; `spread` its least and greatest in a round."""

    name: str
    target: Target
    measured: str
    value: float
    spread: tuple[float, float] | None = None

    def cells(self) -> tuple[str, ...]:
        """The line, as `HEAD` names its cells."""
        target = self.target
        spread = "" if self.spread is None else f" ({self.spread[0]:.3g} to {self.spread[1]:.3g})"
        value = f"{self.value:.3g}{target.unit and ' ' + target.unit}{spread}"
        return (
            self.name,
            target.what,
            self.measured,
            value,
            target.bound(target.must),
            target.bound(target.aim),
            target.verdict(self.value),
        )


HEAD = ("", "what", "measured (medians)", "value (of the rounds)", "must", "aim", "reached")


def interleaved(contenders: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """What each contender gives in each round; in every round another one begins."""
    names = list(contenders)
    results: dict[str, list[T]] = {name: [] for name in names}
    for number in range(rounds):
        for shift in range(len(names)):
            name = names[(number + shift) % len(names)]
            results[name].append(contenders[name]())
    return results


def median(values: Sequence[float]) -> float:
    """The median as a float."""
    return float(statistics.median(values))


def ratio(own: Sequence[float], anchor: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """The median of the ratios within each round, and their range: what slows a whole round cancels out."""
    ratios = [one / other for one, other in zip(own, anchor, strict=True)]
    return median(ratios), (min(ratios), max(ratios))


def table(rows: Sequence[Row]) -> str:
    """The rows under their head, in columns."""
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
