"""A report as one page of HTML: no script, no network, nothing beside it. Every text in it is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from spieltisch_service.reports import plots
from spieltisch_service.reports.plots import Row
from spieltisch_service.reports.wording import cell_rate, facts, faults, name_of, narrowed, number

#: The crosstable of a page: who comes after these is in the CSV alone.
CROSSTABLE_MOST = 40


def html(content: Mapping[str, Any]) -> str:
    """The page of the content that `report` gave."""
    return _template().render(
        name=name_of(content),
        facts=facts(content),
        content=content,
        entrants=content["entrants"],
        ratings=_ratings(content),
        scores=_scores(content),
        seats=_seats(content),
        times=_times(content),
        narrowings=_narrowings(content),
        narrowed=narrowed(content),
        crosstable=_crosstable(content),
        crosstable_most=CROSSTABLE_MOST,
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("spieltisch_service.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "faults": faults}
    return environment.get_template("page.html.j2")


def _interval(mean: float, low: float | None, high: float | None, places: int) -> str:
    """A value with its interval, as short as can be."""
    if low is None or high is None:
        return number(mean, places)
    return f"{mean:.{places}f} [{low:.{places}f}, {high:.{places}f}]"


def _estimated(label: str, of: Mapping[str, Any], places: int, mean: str = "mean") -> Row:
    return Row(label, of[mean], of["low"], of["high"], _interval(of[mean], of["low"], of["high"], places))


def _drawn(rows: Sequence[Row], title: str, axis: plots.Axis | None = None, mark: float | None = None) -> Markup | None:
    if not rows:
        return None
    values = [value for row in rows for value in (row.value, row.low, row.high) if value is not None]
    return plots.dots(rows, axis or plots.linear(values, mark), title)


def _ratings(content: Mapping[str, Any]) -> Markup | None:
    rated = sorted((each for each in content["entrants"] if each["rating"]), key=lambda each: -each["rating"]["rating"])
    rows = [_estimated(each["name"], each["rating"], 0, "rating") for each in rated]
    return _drawn(rows, "Ratings with their 95 % intervals")


def _scores(content: Mapping[str, Any]) -> Markup | None:
    counted = [each for each in content["entrants"] if each["statistics"]]
    rows = [_estimated(each["name"], each["statistics"]["score"], 2) for each in counted]
    return _drawn(rows, "Mean score of a match with its 95 % interval", plots.shares())


def _seats(content: Mapping[str, Any]) -> list[tuple[str, Markup | None, Markup | None]]:
    """For each number of seats: how many matches, scores and points by seat."""
    found = []
    lines = content["statistics"]["seats"]
    for size in sorted({each["seats"] for each in lines}):
        own = [each for each in lines if each["seats"] == size]
        scores = [_estimated(f"Seat {each['seat'] + 1}", each["score"], 2) for each in own]
        points = [_estimated(f"Seat {each['seat'] + 1}", each["points"], 1) for each in own if each["points"]]
        found.append(
            (
                f"{own[0]['matches']:,} matches of {size}",
                _drawn(scores, f"Mean score by seat, {size} seats", plots.shares()),
                _drawn(points, f"Points of the game by seat, {size} seats"),
            )
        )
    return found


def _times(content: Mapping[str, Any]) -> Markup | None:
    timed = [each for each in content["entrants"] if each["time"]]
    rows = []
    for each in timed:
        mean_ms, longest_ms = each["time"]["mean_ms"], each["time"]["longest_ms"]
        told = _time(mean_ms) + ("" if longest_ms is None else f", max {_time(longest_ms)}")
        rows.append(Row(each["name"], mean_ms, None if longest_ms is None else mean_ms, longest_ms, told))
    values = [value for row in rows for value in (row.value, row.high) if value]
    return _drawn(rows, "Time of a decision: the mean, and the longest", plots.decades(values)) if values else None


def _time(ms: float) -> str:
    if ms < 1:
        return f"{ms * 1000:.0f} µs"
    return f"{ms:.3g} ms" if ms < 1000 else f"{ms / 1000:.3g} s"


def _narrowings(content: Mapping[str, Any]) -> Markup | None:
    if not content["setup"]["duplicate"]:
        return None
    counted = [each for each in content["entrants"] if each["statistics"]]
    rows = [
        Row(each["name"], factor, min(factor, 1.0), max(factor, 1.0), f"{factor:.2f} ×")
        for each in counted
        if (factor := each["statistics"]["narrowing"]) is not None
    ]
    return _drawn(rows, "Width of each interval beside one over independent matches", mark=1.0)


def _crosstable(content: Mapping[str, Any]) -> list[tuple[str, list[dict[str, Any] | None]]]:
    """Rows of a name and its cells: `{rate, told, title, tone, depth}`, None for two that have not met."""
    table = content["crosstable"]
    names = {each["entrant"]: each["name"] for each in content["entrants"]}
    shown = table["entrants"][:CROSSTABLE_MOST]
    rows = []
    for one, row in zip(shown, table["rows"], strict=False):
        cells = [
            None if cell is None else _cell(cell, f"{names[one]} against {names[other]}")
            for other, cell in zip(shown, row, strict=False)
        ]
        rows.append((names[one], cells))
    return rows


def _cell(cell: Sequence[int], who: str) -> dict[str, Any]:
    rate = cell_rate(cell)
    matches, won, tied, lost = cell
    return {
        "told": f"{rate:.2f}".removeprefix("0") if rate < 1 else "1",
        "title": f"{who}: {won} won, {tied} tied, {lost} lost of {matches}",
        "tone": "good" if rate > 0.5 else "bad" if rate < 0.5 else "even",
        "depth": round(abs(rate - 0.5) + 0.1, 2) if rate != 0.5 else 0,
    }
