"""Plots as SVG, of rows with a value and its interval each. Text keeps its size however wide they are shown.

Places are shares of the width, so that a phone and a desk see the same drawing; colours are the page's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

_ROW, _AXIS, _TOP = 40, 22, 6


@dataclass(frozen=True, slots=True)
class Row:
    """`label` and `told` (the value in words) stand above the line from `low` to `high` with a dot at `value`.

    low, high: None where there is no interval.
    """

    label: str
    value: float
    low: float | None
    high: float | None
    told: str


@dataclass(frozen=True, slots=True)
class Axis:
    """From `least` to `most`, with lines at `ticks` (each with its label); `mark` is a value that is drawn through."""

    least: float
    most: float
    ticks: Sequence[tuple[float, str]]
    mark: float | None = None
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Where a value is, in percent of the width."""
        of: Callable[[float], float] = math.log if self.logarithmic else float
        least, most = of(self.least), of(self.most)
        inside = min(max(value, self.least), self.most)
        return round(100 * (of(inside) - least) / (most - least), 2)


def linear(values: Sequence[float], mark: float | None = None) -> Axis:
    """An axis that holds all values and `mark`, with about four ticks at round numbers."""
    every = [*values, *([] if mark is None else [mark])]
    low, high = min(every), max(every)
    if high == low:
        low, high = low - 1, high + 1
    step = _round_step((high - low) / 4)
    first, last = math.floor(low / step), math.ceil(high / step)
    places = max(0, -math.floor(math.log10(step)))
    ticks = [(at * step, f"{at * step:,.{places}f}") for at in range(first, last + 1)]
    return Axis(first * step, last * step, ticks, mark)


def _round_step(step: float) -> float:
    """1, 2 or 5 times a power of ten, at least `step`."""
    power = float(10.0 ** math.floor(math.log10(step)))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= step * 0.999)


def shares(mark: float | None = 0.5) -> Axis:
    """An axis from 0 to 1."""
    return Axis(0, 1, [(at / 4, label) for at, label in enumerate(("0", "¼", "½", "¾", "1"))], mark)


def decades(values: Sequence[float]) -> Axis:
    """A logarithmic axis over milliseconds, from a power of ten to a power of ten."""
    low = math.floor(math.log10(max(min(values), 0.001)))
    high = max(math.ceil(math.log10(max(max(values), 0.001))), low + 1)
    every = max(1, math.ceil((high - low) / 4))
    ticks = [(10.0**at, _milliseconds(at)) for at in range(low, high + 1, every)]
    return Axis(10.0**low, 10.0**high, ticks, logarithmic=True)


def _milliseconds(power: int) -> str:
    if power < 0:
        return f"{10 ** (power + 3)} µs"
    return f"{10**power} ms" if power < 3 else f"{10 ** (power - 3):,} s"


def dots(rows: Sequence[Row], axis: Axis, title: str) -> Markup:
    """A dot for each value, and its interval as a bar."""
    height = _TOP + _ROW * len(rows) + _AXIS
    bottom = height - _AXIS
    drawn = [_ticks(axis, bottom)]
    if axis.mark is not None:
        drawn.append(_line("mark", axis.share(axis.mark), _TOP, axis.share(axis.mark), bottom))
    for at, row in enumerate(rows):
        drawn.append(_row(row, axis, _TOP + at * _ROW))
    return Markup('<svg class="plot" role="img" width="100%" height="{}"><title>{}</title>{}</svg>').format(
        height, title, Markup("").join(drawn)
    )


def _ticks(axis: Axis, bottom: int) -> Markup:
    drawn = []
    for value, label in axis.ticks:
        at = axis.share(value)
        anchor = "start" if at < 3 else "end" if at > 97 else "middle"
        drawn.append(_line("tick", at, _TOP, at, bottom))
        drawn.append(
            Markup('<text class="axis" x="{}%" y="{}" text-anchor="{}">{}</text>').format(
                at, bottom + 16, anchor, label
            )
        )
    return Markup("").join(drawn)


def _row(row: Row, axis: Axis, top: int) -> Markup:
    text, line = top + 15, top + 27
    drawn = [
        Markup('<text class="label" x="0" y="{}">{}</text>').format(text, shortened(row.label)),
        Markup('<text class="told" x="100%" y="{}" text-anchor="end">{}</text>').format(text, row.told),
    ]
    if row.low is not None and row.high is not None:
        drawn.append(_line("bar", axis.share(row.low), line, axis.share(row.high), line))
    drawn.append(
        Markup('<circle class="dot" cx="{}%" cy="{}" r="5"><title>{}: {}</title></circle>').format(
            axis.share(row.value), line, row.label, row.told
        )
    )
    return Markup("").join(drawn)


def _line(kind: str, x1: float, y1: int, x2: float, y2: int) -> Markup:
    return Markup('<line class="{}" x1="{}%" y1="{}" x2="{}%" y2="{}"/>').format(kind, x1, y1, x2, y2)


def shortened(name: str, most: int = 22) -> str:
    """A name that leaves room for what stands beside it."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
