"""A tournament as a file, and its results computed again from nothing but that file.

The file is NDJSON. Line 1: `{format, tournament, setup, entries, hash}`. Each further line is an entry of the log but
for `created`, which is line 1: `{seq, entry, hash}`, `seq` 2, 3, … to `entries`, and `at` where it is known. The hashes
are a chain, as that of a match: hash(n) is the SHA-256, in hex, of hash(n-1), a line feed, and the line as canonical
JSON without `hash` and `at`; hash(0) is 64 zeros. Whoever knows the last one knows that no line was changed.

The seed of the tournament is in it: it is for tournaments that have ended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from spieltisch_service.domain.errors import DamagedExport, EntryRefused, InvalidSetup
from spieltisch_service.domain.events import canonical, instant, no_number
from spieltisch_service.domain.tournament.fold import apply
from spieltisch_service.domain.tournament.log import Created, Entry, MatchEnded, entry_from_wire
from spieltisch_service.domain.tournament.ratings import clock_class, counting, leaderboard, ratings
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.domain.tournament.standings import crosstable, standings
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.domain.tournament.statistics import played, statistics

FORMAT = "spieltisch-tournament/1"
#: The form of what `recompute` answers.
RESULTS = "spieltisch-tournament-results/1"

_FIRST = "0" * 64


def exported(entries: Sequence[Entry], at_ms: Sequence[int] | None = None) -> Iterator[str]:
    """The lines of the file, each with its line feed. `at_ms`: when each of the entries was written, if known."""
    created = entries[0]
    if not isinstance(created, Created):
        raise EntryRefused("not_created", "a log begins with its creation")
    head = {
        "format": FORMAT,
        "tournament": created.tournament,
        "setup": created.setup.to_wire(),
        "entries": len(entries),
    }
    numbered = ({"seq": seq, "entry": entry.to_wire()} for seq, entry in enumerate(entries[1:], 2))
    chained = _FIRST
    for index, line in enumerate((head, *numbered)):
        chained = _hash(chained, line)
        told = {} if at_ms is None else {"at": instant(at_ms[index])}
        yield canonical({**line, **told, "hash": chained}) + "\n"


def read(lines: Iterable[str | bytes]) -> list[Entry]:
    """The entries of the file, folded on the way. Raises DamagedExport, which says in which line what is wrong."""
    return list(_Folded(lines).entries)


def recompute(lines: Iterable[str | bytes]) -> bytes:
    """The results of an exported tournament: the same bytes for the same log, whoever computes them.

    One line of JSON, keys sorted, without spaces; see `results`. Raises DamagedExport.
    """
    folded = _Folded(lines)
    return f"{canonical(results(folded.state, folded.ended))}\n".encode()


def results(state: State, ended: Sequence[MatchEnded]) -> dict[str, Any]:
    """All that follows from a log: `state` is its fold, `ended` are its results in their order, each once.

    `{format, tournament, game, status, standings, crosstable, ratings, statistics}`; the ratings are those of this
    tournament alone: everybody begins at the same.
    """
    setup = state.setup
    pool = (setup.game, clock_class(setup.clock))
    rated = ratings(counting(setup, ended)).get(pool, {})
    return {
        "format": RESULTS,
        "tournament": state.tournament,
        "game": setup.game,
        "status": state.status,
        "standings": [line.to_wire() for line in standings(state)],
        "crosstable": crosstable(state).to_wire(),
        "ratings": {
            "game": pool[0],
            "clock_class": pool[1],
            "entrants": [{"entrant": name, **rating.to_wire()} for name, rating in leaderboard(rated)],
        },
        "statistics": statistics(played(setup, ended)).to_wire(),
    }


def _hash(before: str, line: Mapping[str, Any]) -> str:
    return hashlib.sha256(f"{before}\n{canonical(line)}".encode()).hexdigest()


@dataclass(init=False)
class _Folded:
    """A file that is read and folded: its entries, their fold, and the results among them, each once."""

    entries: list[Entry]
    ended: list[MatchEnded]
    state: State

    def __init__(self, lines: Iterable[str | bytes]) -> None:
        self._line = 0
        self._hash = _FIRST
        self.entries, self.ended = [], []
        state: State | None = None
        announced = 0
        for text in lines:
            self._line += 1
            line = self._checked(text)
            if state is None:
                announced, entry = self._head(line)
            else:
                entry = self._entry(line)
            state = self._applied(state, entry)
        self._line += 1
        if state is None:
            self._damaged("the file is empty; expected is a line of an exported tournament")
        if len(self.entries) != announced:
            self._damaged(f"the file has {len(self.entries)} of {announced} entries; expected is the next one")
        self.state = state

    def _damaged(self, text: str) -> NoReturn:
        raise DamagedExport(self._line, text)

    def _checked(self, text: str | bytes) -> dict[str, Any]:
        """The line as JSON, without `hash` and `at`, once its hash is right."""
        try:
            line = json.loads(text, parse_constant=no_number)
            if not isinstance(line, dict):
                raise ValueError("it is no object")
            told = line.pop("hash", None)
            line.pop("at", None)
            made = _hash(self._hash, line)
        except (ValueError, RecursionError) as error:
            self._damaged(f"expected is a JSON object on one line: {error}")
        if self._line == 1 and line.get("format") != FORMAT:
            said = f"not {str(line['format'])[:80]!r}" if "format" in line else "and there is none: this is no export"
            self._damaged(f"expected is the format {FORMAT!r}, {said}")
        if "seq" in line and line["seq"] != self._line:
            self._damaged(f"expected is the entry with seq {self._line}, not {str(line['seq'])[:40]}")
        if told != made:
            self._damaged(f"what is written here hashes to {made}, not {str(told)[:80]}: it was changed")
        self._hash = made
        return line

    def _head(self, line: Mapping[str, Any]) -> tuple[int, Entry]:
        if set(line) != {"format", "tournament", "setup", "entries"}:
            self._damaged("expected are format, tournament, setup, entries and hash")
        count, setup = line["entries"], line["setup"]
        if type(count) is not int or not isinstance(setup, dict) or not isinstance(line["tournament"], str):
            self._damaged("expected are a number of entries, the id of the tournament and its setup")
        try:
            return count, Created(line["tournament"], TournamentSetup.from_wire(setup))
        except InvalidSetup as error:
            self._damaged(f"setup/{error.field}: {error}")

    def _entry(self, line: Mapping[str, Any]) -> Entry:
        if set(line) != {"seq", "entry"} or not isinstance(line["entry"], dict):
            self._damaged("expected are seq, entry and hash")
        try:
            return entry_from_wire(line["entry"])
        except EntryRefused as error:
            self._damaged(str(error))

    def _applied(self, state: State | None, entry: Entry) -> State:
        try:
            after = apply(state, entry)
        except EntryRefused as error:
            self._damaged(f"the log cannot have this entry here: {error}")
        self.entries.append(entry)
        # A result that came twice has changed nothing.
        if isinstance(entry, MatchEnded) and after is not state:
            self.ended.append(entry)
        return after
