"""Where in a TOML file a key stands, for messages about it. A look at the text, not a parser."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_-]+)\s*\]\]?")


class Places:
    """The lines of a file, found by `key`, `table.key`, `tables[2]` and `tables[2].key`."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()

    def line(self, key: str) -> int | None:
        """The number of the line, from 1; that of what holds the key if the key is nowhere; None: no telling."""
        found = re.fullmatch(r"(?:([a-z_]+)(?:\[(\d+)\])?\.)?([a-z_]+)(?:\[(\d+)\])?", key)
        if found is None:
            return None
        table, number, last, own_number = found.groups()
        if own_number is not None:
            table, number, last = last, own_number, ""
        start, end = self._table(table, None if number is None else int(number))
        if start is None:
            return self._assigned(table, 0, self._first_header()) if table else None
        within = self._assigned(last, start, end) if last else None
        return within or (start + 1 if table else None)

    def _first_header(self) -> int:
        return next((at for at, line in enumerate(self._lines) if _HEADER.match(line)), len(self._lines))

    def _table(self, name: str | None, number: int | None) -> tuple[int | None, int]:
        """Where the `number`th table of that name begins and ends."""
        if name is None:
            return 0, self._first_header()
        headers = [(at, found[2]) for at, line in enumerate(self._lines) if (found := _HEADER.match(line))]
        own = [at for at, called in headers if called == name]
        if (number or 0) >= len(own):
            return None, 0
        start = own[number or 0]
        return start, next((at for at, _ in headers if at > start), len(self._lines))

    def _assigned(self, key: str, start: int, end: int) -> int | None:
        pattern = re.compile(rf"\s*(?:\[\[?\s*)?[\"']?{re.escape(key)}[\"']?\s*(?:[=.\]])")
        # A table may also be what the key names: [options], [[entrants]].
        found = next((at for at in range(start, end) if pattern.match(self._lines[at])), None)
        if found is None and start == 0:
            found = next((at for at in range(end, len(self._lines)) if pattern.match(self._lines[at])), None)
        return None if found is None else found + 1
