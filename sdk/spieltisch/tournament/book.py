"""The files of a run: its log, what goes beside it, and the cup that both are of.

`log.ndjson` holds the tournament, an entry a line, and nothing that depends on how fast somebody was: the same cup
gives the same bytes. `details.ndjson` holds times and what went wrong in words. Each is only added to, a whole line at
a time; a line that a kill has cut off is removed when the run goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spieltisch.errors import SpieltischError
from spieltisch.tournament.cup import Cup, changed

LOG, DETAILS, CUP = "log.ndjson", "details.ndjson", "cup.json"


class BookRefused(SpieltischError):
    """The folder holds something else than this cup, or somebody else plays in it; the message says what."""


class Book:
    """The open files of a folder; nobody else writes there meanwhile. Raises BookRefused and OSError.

    anew: what was there is removed. resume: there must be a run that goes on.
    """

    def __init__(self, cup: Cup, *, anew: bool = False, resume: bool = False) -> None:
        folder = cup.output
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(folder)
        try:
            if anew:
                for name in (LOG, DETAILS, CUP):
                    (folder / name).unlink(missing_ok=True)
            self._check(folder / CUP, cup, resume)
            self.log = Lines(folder / LOG)
            self.details = Lines(folder / DETAILS)
        except BaseException:
            os.close(self._lock)
            raise

    def _check(self, path: Path, cup: Cup, resume: bool) -> None:
        text = json.dumps(cup.told(), indent=1, ensure_ascii=False) + "\n"
        if not path.exists():
            if resume:
                raise BookRefused(f"there is no run in {path.parent} that could go on")
            if (path.parent / LOG).exists():
                raise BookRefused(f"{path.parent} has a log but no {CUP}: another output, or --anew")
            # As a whole or not at all.
            draft = path.with_suffix(".new")
            draft.write_text(text, "utf-8")
            draft.replace(path)
            return
        try:
            before = json.loads(path.read_text("utf-8"))
        except ValueError:
            raise BookRefused(f"{path} cannot be read: another output, or --anew") from None
        if differing := changed(cup, before):
            raise BookRefused(
                f"{path.parent} holds another cup, with other values of {', '.join(differing)}: "
                "another output, or --anew to play it again from the start"
            )

    def close(self) -> None:
        """Let others write."""
        self.log.close()
        self.details.close()
        os.close(self._lock)


class Lines:
    """A file of JSON lines: those that it held whole when it was opened (`known`), and those that are added."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        content = path.read_bytes()
        self.known: list[dict[str, Any]] = []
        length = 0
        for line in content.splitlines(keepends=True):
            found = _parsed(line)
            if found is None:
                break
            self.known.append(found)
            length += len(line)
        if length < len(content):
            if content.count(b"\n", length) > 1:
                os.close(self._file)
                raise BookRefused(f"line {len(self.known) + 1} of {path} is no JSON object")
            os.ftruncate(self._file, length)

    def add(self, content: Mapping[str, Any]) -> None:
        """One more line. After this a kill of the process loses nothing of it."""
        line = line_of(content)
        while line:
            line = line[os.write(self._file, line) :]

    def close(self) -> None:
        """No more lines."""
        os.close(self._file)


def line_of(content: Mapping[str, Any]) -> bytes:
    """A line as it is written."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a file that may still be written. Raises ValueError for anything but JSON objects."""
    content = path.read_bytes()
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        found = _parsed(line)
        if found is not None:
            yield found
        elif line.endswith(b"\n"):
            raise ValueError(f"line {number} of {path} is no JSON object")


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _locked(folder: Path) -> int:
    import fcntl

    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise BookRefused(f"another run writes to {folder}") from None
    return lock
