"""How far a run is, on stderr: a bar where `rich` is installed and somebody looks on, else one plain line."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

#: A line that nobody watches being rewritten comes this seldom.
_QUIET_S = 10.0
_REDRAW_S = 0.1


class Advance(Protocol):
    """Told of each match that has ended."""

    def __call__(self, said: str, /) -> None:
        """One more, and how it stands."""


@contextmanager
def progress(total: int | None, what: str, *, quiet: bool = False) -> Iterator[Advance]:
    """Show how many of `total` (None: nobody knows) there are, within the block."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty() and (rich := _rich()) is not None:
        with _bar(rich, total, what) as advance:
            yield advance
    else:
        line = _Line(total, what)
        try:
            yield line
        finally:
            line.end()


def _rich() -> Any:
    try:
        import rich.progress
    except ImportError:
        return None
    return rich


@contextmanager
def _bar(rich: Any, total: int | None, what: str) -> Iterator[Advance]:
    columns = [
        rich.progress.TextColumn("{task.description}"),
        rich.progress.BarColumn(),
        rich.progress.MofNCompleteColumn(),
        rich.progress.TimeRemainingColumn(),
        rich.progress.TextColumn("{task.fields[said]}"),
    ]
    from rich.console import Console

    with rich.progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total, said="")
        yield lambda said: shown.update(task, advance=1, said=said)


class _Line:
    def __init__(self, total: int | None, what: str) -> None:
        self._total = total
        self._what = what
        self._done = 0
        self._drawn = False
        self._watched = sys.stderr.isatty()
        self._next_s = time.monotonic() + (0 if self._watched else _QUIET_S)

    def __call__(self, said: str) -> None:
        self._done += 1
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + (_REDRAW_S if self._watched else _QUIET_S)
        of = "" if self._total is None else f" of {self._total:,}"
        line = f"{self._what}: {self._done:,}{of} matches, {said}"
        sys.stderr.write(f"\r{line:<78}" if self._watched else f"{line}\n")
        sys.stderr.flush()
        self._drawn = True

    def end(self) -> None:
        """Leave the terminal as it was."""
        if self._drawn and self._watched:
            sys.stderr.write(f"\r{'':<78}\r")
            sys.stderr.flush()
