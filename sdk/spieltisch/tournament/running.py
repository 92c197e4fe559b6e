"""A run: the cup is played from where its log is, and the log grows with each match."""

from __future__ import annotations

import signal
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from spieltisch.bot.progress import progress
from spieltisch.local import service_module
from spieltisch.tournament.book import LOG, Book, read_lines
from spieltisch.tournament.cup import Cup
from spieltisch.tournament.engine import engine_for
from spieltisch.tournament.event import Event
from spieltisch.tournament.plan import plan
from spieltisch.tournament.playing import Assignment, Outcome
from spieltisch.tournament.reporting import write_reports

EXPORT, RESULTS = "export.ndjson", "results.json"


@dataclass
class Ran:
    """What a run did: matches that were `known` before, and those that were `played` now, in `took_s`."""

    state: Any
    known: int
    played: int = 0
    faults: int = 0
    took_s: float = 0.0
    interrupted: bool = False


def run(
    cup: Cup,
    *,
    engine: str | None = None,
    jobs: int | None = None,
    anew: bool = False,
    resume: bool = False,
    quiet: bool = False,
) -> Ran:
    """Play the cup to its end, or until a KeyboardInterrupt. Raises SpieltischError, ValueError and OSError."""
    with suppress(ValueError):
        # As a Ctrl-C: a stop by the system leaves a log that can be gone on with just as well.
        signal.signal(signal.SIGTERM, _interrupt)
    with closing(Book(cup, anew=anew, resume=resume)) as book, closing(engine_for(cup, engine, jobs)) as playing:
        return _run(cup, book, playing, quiet)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _run(cup: Cup, book: Book, playing: Any, quiet: bool) -> Ran:
    advance: Any = None
    ran: Ran | None = None

    def write(entry: dict[str, Any], found: tuple[Assignment, Outcome] | None) -> None:
        # What stands beside a match comes first, so that no match in the log is without.
        if found is not None:
            book.details.add(_details(*found))
        book.log.add(entry)
        if found is not None and ran is not None:
            ran.played += 1
            ran.faults += len(found[1].notes)
            advance(f"{ran.faults} faults" if ran.faults else "")

    began_s = time.monotonic()
    event = Event(cup, book.log.known, write)
    ran = Ran(event.state, event.played)
    try:
        with progress(plan(cup).matches - event.played, cup.game, quiet=quiet or event.ended) as advance:
            event.play(playing)
    except KeyboardInterrupt:
        ran.interrupted = True
    ran.state, ran.took_s = event.state, time.monotonic() - began_s
    if event.ended:
        _write_results(cup)
    return ran


def _write_results(cup: Cup) -> None:
    """The log as the service exports one, what follows from it, and the reports."""
    export, log = service_module("domain.tournament.export"), service_module("domain.tournament.log")
    lines = list(export.exported([log.entry_from_wire(entry) for entry in read_lines(cup.output / LOG)]))
    (cup.output / EXPORT).write_text("".join(lines), "utf-8")
    (cup.output / RESULTS).write_bytes(export.recompute(lines))
    write_reports(cup.output)


def _details(assignment: Assignment, outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {
        "table": assignment.table,
        "number": assignment.number,
        "used_us": outcome.used_us,
        "longest_us": outcome.longest_us,
    }
    return found | ({"notes": outcome.notes} if outcome.notes else {})
