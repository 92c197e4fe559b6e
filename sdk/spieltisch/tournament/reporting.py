"""Reports of a tournament: of a run's folder, of its log, or of an export of a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from spieltisch.errors import SpieltischError
from spieltisch.local import service_module
from spieltisch.tournament.book import DETAILS, LOG, read_lines

#: The forms that a report has, with what makes each of them of its content.
FORMATS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "json": lambda content: _text("as_json", content),
    "csv": lambda content: _text("standings_csv", content),
    "crosstable": lambda content: _text("crosstable_csv", content),
    "markdown": lambda content: _text("markdown", content),
    "html": lambda content: str(service_module("reports.page").html(content)),
}
#: The files that a run leaves.
FILES = {
    "json": "report.json",
    "csv": "standings.csv",
    "crosstable": "crosstable.csv",
    "markdown": "report.md",
    "html": "report.html",
}


def _text(form: str, content: Mapping[str, Any]) -> str:
    return str(getattr(service_module("reports.text"), form)(content))


def content_of(path: Path) -> dict[str, Any]:
    """The content of the report of a folder, a log or an export. Raises SpieltischError and OSError."""
    log = path / LOG if path.is_dir() else path
    details = log.with_name(DETAILS)
    try:
        lines = list(read_lines(log))
        entries = _entries(lines, log)
        fold, ended_type = service_module("domain.tournament.fold"), service_module("domain.tournament.log").MatchEnded
        state: Any = None
        ended = []
        for entry in entries:
            before, state = state, fold.apply(state, entry)
            if isinstance(entry, ended_type) and state is not before:
                ended.append(entry)
        if state is None:
            raise ValueError("it is empty")
        beside = _details(read_lines(details)) if details.is_file() else {}
    except (ValueError, KeyError, TypeError, service_module("domain.errors").DomainError) as error:
        raise SpieltischError(f"{log} holds no tournament: {error}") from None
    found: dict[str, Any] = service_module("reports.content").report(state, ended, beside)
    return found


def _entries(lines: list[dict[str, Any]], path: Path) -> list[Any]:
    if lines and "format" in lines[0]:
        entries: list[Any] = service_module("domain.tournament.export").read(path.read_bytes().splitlines(True))
        return entries
    read = service_module("domain.tournament.log").entry_from_wire
    return [read(line) for line in lines]


def _details(lines: Any) -> dict[tuple[str, int], Any]:
    """What stands beside the matches, the last of each: one that was played again has been written again."""
    made = service_module("reports.content").Details
    return {
        (line["table"], line["number"]): made(line["used_us"], line["longest_us"], line.get("notes", ()))
        for line in lines
    }


def write_reports(folder: Path) -> None:
    """Write all forms into the folder of a run."""
    content = content_of(folder)
    for form, name in FILES.items():
        (folder / name).write_text(FORMATS[form](content), "utf-8", newline="")
