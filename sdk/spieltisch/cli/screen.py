"""What is shown and asked: as plain text, or with `rich` where it is installed and a person looks."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Screen:
    """Plain text. Results go to the standard output; what is said aside, and errors, to the standard error."""

    @property
    def width(self) -> int:
        """How many characters a line has."""
        return shutil.get_terminal_size((100, 30)).columns

    def line(self, text: str = "", style: str = "") -> None:
        """One line; `style` is what rich calls it."""
        del style
        print(text)

    def heading(self, text: str) -> None:
        """What the next lines are about."""
        self.line()
        self.line(text)

    def board(self, text: str) -> None:
        """A board as the service draws it."""
        self.line(text.rstrip("\n"))

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows under headings."""
        widths = [max(len(row[at]) for row in [headings, *rows]) for at in range(len(headings))]
        for row in [headings, *rows] if any(headings) else rows:
            self.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())

    def choices(self, heading: str, rows: Sequence[str]) -> None:
        """What there is to choose from, in as many columns as fit."""
        if heading:
            self.line(heading if "…" in heading else f"{heading} …")
        for line in in_columns(rows, self.width - 2):
            self.line(f"  {line}" if heading else line)

    def markdown(self, text: str) -> None:
        """A text in Markdown."""
        self.line(text.rstrip("\n"))

    def aside(self, text: str) -> None:
        """What is not part of the result."""
        print(text, file=sys.stderr)

    def error(self, text: str) -> None:
        """Why it does not go on."""
        print(f"spieltisch: {text}", file=sys.stderr)

    def ask(self, prompt: str) -> str | None:
        """What somebody types; None at the end of the input."""
        try:
            answer = input(prompt)
        except EOFError:
            print()
            return None
        if not sys.stdin.isatty():
            print(answer)
        return answer.strip()

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """Within, somebody else must do something."""
        del text
        yield


class RichScreen(Screen):
    """The same with colours."""

    def __init__(self, rich: Any) -> None:
        self._rich = rich
        self._console = rich.console.Console(highlight=False, soft_wrap=True)

    @property
    def width(self) -> int:
        """How many characters a line has."""
        return int(self._console.width)

    def line(self, text: str = "", style: str = "") -> None:
        """One line."""
        self._console.print(text, style=style or None, markup=False)

    def heading(self, text: str) -> None:
        """A line across the screen with a title."""
        self._console.print()
        self._console.rule(self._rich.text.Text(text, style="bold"), style="cyan", align="left")

    def board(self, text: str) -> None:
        """A board in colours."""
        for number, line in enumerate(text.rstrip("\n").split("\n")):
            # The first line names the match, which whoever looks knows.
            shown = self._rich.text.Text(line, style="dim") if number == 0 else coloured(self._rich.text.Text(line))
            self._console.print(shown, no_wrap=True, crop=False)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows under headings."""
        table = self._rich.table.Table(
            box=None, show_header=any(headings), header_style="bold cyan", pad_edge=False, padding=(0, 2, 0, 0)
        )
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*(self._rich.text.Text(cell) for cell in row))
        self._console.print(table)

    def choices(self, heading: str, rows: Sequence[str]) -> None:
        """The same columns with what can be typed in colour."""
        if heading:
            self._console.print(self._rich.text.Text(heading if "…" in heading else f"{heading} …", style="bold"))
        for line in in_columns(rows, self.width - 2):
            text = self._rich.text.Text(f"  {line}")
            text.highlight_regex(r"\[[\d.]+\]", "bold yellow")
            self._console.print(text, no_wrap=True, crop=False)

    def markdown(self, text: str) -> None:
        """Laid out, not wider than is easily read."""
        self._console.print(self._rich.markdown.Markdown(text), width=min(self.width, 100), soft_wrap=False)

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """A sign that moves meanwhile."""
        with self._console.status(self._rich.text.Text(text, style="dim"), spinner="dots"):
            yield


_PLAYERS = ("bold bright_red", "bold bright_blue", "bold bright_magenta", "bold bright_yellow", "bold bright_white")
_TERRAIN = {
    ".": "green on dark_green",
    "^": "grey70 on grey30",
    "~": "bright_cyan on dark_blue",
    "*": "bold black on orange1",
}
#: A row of tiles: a row number or none, and signs of terrain, towns, borders and followers.
_TILES = re.compile(r"\s*(-?\d+ )?[\s.^~*'0-9a-z]*[.^~][\s.^~*'0-9a-z]*")
_FOLLOWER = re.compile(r"(?<=[.^~*])(\d)[a-z]")
_COUNTS = re.compile(r"(?<=\s)[·\d]{2,5}(?=\s|$)")


def coloured(text: Any) -> Any:
    """A line of a board with its signs in colour."""
    line = text.plain
    if _TILES.fullmatch(line):
        begin = len(line) - len(line.lstrip())
        for at, sign in enumerate(line):
            if sign in _TERRAIN and at >= begin:
                text.stylize(_TERRAIN[sign], at, at + 1)
        for found in _FOLLOWER.finditer(line):
            text.stylize(_PLAYERS[int(found[1]) % len(_PLAYERS)], *found.span())
        return text
    for found in _COUNTS.finditer(line) if line.startswith("  ") else ():
        for at in range(*found.span()):
            dot = line[at] == "·"
            text.stylize("dim" if dot else _PLAYERS[(at - found.start()) % len(_PLAYERS)], at, at + 1)
        if found[0].strip("·"):
            name = line.rfind("  ", 0, len(line[: found.start()].rstrip()))
            text.stylize("bold", max(name, 0), found.start())
    text.highlight_regex(r"^(Your|scores:) .*", "bold yellow")
    text.highlight_regex(r"^(seat|Seat) \d+:", "bold")
    text.highlight_regex(r"^\S[^:]* \(postcards left: \d+\)$", "bold cyan")
    return text


def in_columns(cells: Sequence[str], width: int) -> list[str]:
    """The cells from top to bottom in as many columns as fit into the width."""
    if not cells:
        return []
    longest = max(map(len, cells)) + 3
    across = max(1, min(len(cells), (width + 3) // longest))
    down = -(-len(cells) // across)
    return ["".join(cell.ljust(longest) for cell in cells[row::down]).rstrip() for row in range(down)]


def screen_for(*, plain: bool) -> Screen:
    """The screen that fits: rich only where it is installed and the output is a terminal."""
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            # Lets input() move the cursor and remember lines.
            import readline  # noqa: F401
    if plain or not sys.stdout.isatty():
        return Screen()
    try:
        import rich.console
        import rich.markdown
        import rich.status
        import rich.table
        import rich.text
    except ImportError:
        return Screen()
    return RichScreen(rich)
