"""A report as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from spieltisch_service.reports.wording import cell_rate, facts, faults, name_of, narrowed, number

#: What a spreadsheet would take for a formula.
_FORMULA = re.compile(r"\s*[=+\-@]")
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~]|^[-+])")

_RATED = ("rank", "entrant", "name", "rating", "low", "high", "deviation", "matches")
_COLUMNS = ("rank", "entrant", "name", "kind", "status", "points", "tables", "matches", "wins")


def as_json(content: Mapping[str, Any]) -> str:
    """The content as it is, for programs."""
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def standings_csv(content: Mapping[str, Any]) -> str:
    """A line for each entrant, with all numbers of it."""
    heads = [*_COLUMNS, "rating", "rating_low", "rating_high", "score", "score_low", "score_high"]
    heads += ["win_rate", "game_points", "narrowing", "decisions", "mean_ms", "longest_ms", "faults"]
    lines = []
    for each in content["entrants"]:
        rating, counted, time = each["rating"] or {}, each["statistics"] or {}, each["time"] or {}
        score = counted.get("score") or {}
        lines.append(
            [
                *(each[name] for name in _COLUMNS),
                *(rating.get(name) for name in ("rating", "low", "high")),
                *(score.get(name) for name in ("mean", "low", "high")),
                (counted.get("win_rate") or {}).get("mean"),
                (counted.get("points") or {}).get("mean"),
                counted.get("narrowing"),
                *(time.get(name) for name in ("decisions", "mean_ms", "longest_ms")),
                sum(each["faults"].values()),
            ]
        )
    return _csv([heads, *lines])


def crosstable_csv(content: Mapping[str, Any]) -> str:
    """A line for each two that have met: how many matches, and how many of them the first one won, tied and lost."""
    table = content["crosstable"]
    lines = [
        [one, other, *cell]
        for one, row in zip(table["entrants"], table["rows"], strict=True)
        for other, cell in zip(table["entrants"], row, strict=True)
        if cell is not None
    ]
    return _csv([["entrant", "against", "matches", "won", "tied", "lost"], *lines])


def leaderboard_csv(content: Mapping[str, Any]) -> str:
    """A line for each of `ratings`, as `GET /v1/ratings/{game}` has them."""
    return _csv([_RATED, *([each[name] for name in _RATED] for each in content["ratings"])])


def _csv(lines: Iterable[Sequence[Any]]) -> str:
    made = io.StringIO()
    writer = csv.writer(made)
    writer.writerows([_harmless(value) for value in line] for line in lines)
    return made.getvalue()


def _harmless(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def markdown(content: Mapping[str, Any]) -> str:
    """Everything but the plots."""
    lines = [f"# {_text(name_of(content))}", ""]
    lines += [f"- {_text(fact)}: {_text(value)}" for fact, value in facts(content)]
    lines += ["", "## Standings", "", *_standings(content), "", "## Crosstable", "", *_crosstable(content)]
    lines += ["", "## Seats", "", *_seats(content)]
    said = narrowed(content)
    if said:
        lines += ["", said]
    failed = [each for each in content["entrants"] if each["faults"]]
    if failed:
        lines += ["", "## Faults", ""]
        lines += [f"- {_text(each['name'])}: {faults(each['faults'])}" for each in failed]
    if content["notes"]:
        lines.append("")
        lines += [
            f"- {_text(note['entrant'])} {note['times']}×, first in {_text(note['match'])}: {_text(note['said'])}"
            for note in content["notes"]
        ]
    return "\n".join(lines) + "\n"


def standings_markdown(content: Mapping[str, Any]) -> str:
    """The standings alone."""
    return "\n".join(_standings(content)) + "\n"


def crosstable_markdown(content: Mapping[str, Any]) -> str:
    """The crosstable alone."""
    return "\n".join(_crosstable(content)) + "\n"


def leaderboard_markdown(content: Mapping[str, Any]) -> str:
    """The `ratings`, as `GET /v1/ratings/{game}` has them."""
    rows = [
        [
            str(each["rank"]),
            _text(each["name"] or each["entrant"]),
            _interval(each["rating"], each["low"], each["high"], 0),
            str(each["matches"]),
        ]
        for each in content["ratings"]
    ]
    return "\n".join(_table(["", "entrant", "rating (95 %)", "matches"], rows)) + "\n"


def _standings(content: Mapping[str, Any]) -> list[str]:
    heads = ["", "entrant", "points", "tables", "matches", "won", "mean score (95 %)", "rating (95 %)", "ms a decision"]
    rows = []
    for each in content["entrants"]:
        score, rating, time = (each["statistics"] or {}).get("score"), each["rating"], each["time"]
        gone = "" if each["status"] == "active" else f" ({each['status']})"
        rows.append(
            [
                str(each["rank"]),
                _text(each["name"]) + gone,
                number(each["points"], 4),
                *(str(each[name]) for name in ("tables", "matches", "wins")),
                "" if score is None else _interval(score["mean"], score["low"], score["high"], 3),
                "" if rating is None else _interval(rating["rating"], rating["low"], rating["high"], 0),
                "" if time is None else number(time["mean_ms"], 3),
            ]
        )
    return _table(heads, rows)


def _interval(mean: float, low: float | None, high: float | None, places: int) -> str:
    if low is None or high is None:
        return number(mean, places)
    return f"{number(mean, places)} ({number(low, places)} to {number(high, places)})"


def _crosstable(content: Mapping[str, Any]) -> list[str]:
    table = content["crosstable"]
    names = {each["entrant"]: each["name"] for each in content["entrants"]}
    rows = [
        [_text(names[one]), *("" if cell is None else f"{number(cell_rate(cell), 2)} of {cell[0]}" for cell in row)]
        for one, row in zip(table["entrants"], table["rows"], strict=True)
    ]
    return _table(["", *map(str, range(1, len(rows) + 1))], rows)


def _seats(content: Mapping[str, Any]) -> list[str]:
    rows = []
    for each in content["statistics"]["seats"]:
        score, points = each["score"], each["points"]
        rows.append(
            [
                str(each["seats"]),
                str(each["seat"] + 1),
                str(each["matches"]),
                _interval(score["mean"], score["low"], score["high"], 3),
                "" if points is None else _interval(points["mean"], points["low"], points["high"], 1),
            ]
        )
    return _table(["seats", "seat", "matches", "mean score (95 %)", "points of the game (95 %)"], rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows)]


def _text(text: str) -> str:
    """A text of somebody's as Markdown that means nothing but itself, on one line."""
    return _MARKDOWN.sub(r"\\\1", escape(" ".join(text.split()), quote=False))
