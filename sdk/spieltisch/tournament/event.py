"""The course of a cup: what comes next, decided by the service's own core, in an order that only the cup decides.

Matches are played in whatever order there is time for them, but their results enter the log in the order of a queue:
each table in it has its next match; when that has ended, the table goes to the end, and new tables come behind. So the
same cup has the same log, however many processes play it and wherever it was interrupted.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

from spieltisch.errors import SpieltischError
from spieltisch.local import service_module
from spieltisch.tournament.cup import Cup
from spieltisch.tournament.engine import Engine
from spieltisch.tournament.playing import Assignment, Outcome


class LogRefused(SpieltischError):
    """The log does not go on as this cup does; the message says where."""


#: Writes one entry of the log, and what is to stand beside it: None where nothing was played.
Write = Callable[[dict[str, Any], "tuple[Assignment, Outcome] | None"], None]


class Event:
    """A cup as far as it has been played. `known` are the entries that its log has already; `write` adds others.

    `state` is the tournament's.
    """

    def __init__(self, cup: Cup, known: list[dict[str, Any]], write: Write) -> None:
        self._cup = cup
        self._core = _Core()
        self._known = deque(known)
        self._write = write
        self._entries = 0
        self._queue: deque[str] = deque()
        self._faulty: Counter[str] = Counter()
        self._buffer: dict[tuple[str, int, tuple[str, ...]], tuple[Assignment, Outcome]] = {}
        #: Counts what makes matches that were begun ahead of time worthless.
        self._removals = 0
        self.state: Any = None
        self._open()
        self._settle()

    @property
    def ended(self) -> bool:
        """Whether all is played."""
        return bool(self.state.ended)

    @property
    def played(self) -> int:
        """How many matches have a result."""
        return sum(len(table.results) for table in self.state.tables())

    def play(self, engine: Engine) -> None:
        """Play it to its end."""
        while not self.ended:
            removals = self._removals
            for assignment, outcome in engine.play(self._ahead(removals)):
                self._buffer[assignment.table, assignment.number, assignment.absent] = (assignment, outcome)
                self._fold_buffered()

    # --- the order of things --------------------------------------------------------------------------------

    def _open(self) -> None:
        """The entries before the first round."""
        log, cup = self._core.log, self._cup
        self._add(log.Created(cup.tournament, self._core.setup.TournamentSetup.from_wire(cup.setup)))
        for each in cup.entrants:
            self._add(log.Entered(each.id, each.name, each.kind, each.seeding))
        self._add(log.Started())

    def _settle(self) -> None:
        """Everything that needs no match to be played."""
        while not self.ended:
            if not (self._remove_faulty() or self._result_known() or self._next_round()):
                return

    def _remove_faulty(self) -> bool:
        limit = self._cup.policy.remove_after
        for entrant in self.state.active if limit is not None else ():
            if self._faulty[entrant] >= (limit or 0):
                self._removals += 1
                self._add(self._core.log.Withdrawn(entrant, f"faults in {self._faulty[entrant]} matches"))
                return True
        return False

    def _result_known(self) -> bool:
        """Whether the next match had a result without being played: its opponents have left, or the log has it."""
        match = self._head()
        if match is None:
            return False
        entry = self._core.due.undisputed(match)
        if entry is None and self._known:
            entry = self._read()
            if getattr(entry, "table", None) != match.table or getattr(entry, "number", None) != match.number:
                raise self._other(entry)
        if entry is None:
            return False
        self._with_result(entry, None)
        return True

    def _next_round(self) -> bool:
        if self._queue and not self.state.setup.rolling:
            return False
        rounds = self._core.rounds
        answer = rounds.next_round(self.state)
        if isinstance(answer, self._core.outcome.Over) and not self._queue:
            self._add(self._core.log.Finished(answer.reason))
            return True
        if not isinstance(answer, self._core.log.RoundPaired):
            if not self._queue:
                raise SpieltischError(f"nobody can be paired any more: {answer}")
            return False
        self._add(answer)
        self._queue.extend(table.id for table in answer.tables)
        return True

    def _head(self) -> Any:
        """The match whose result comes next."""
        if not self._queue:
            return None
        return next(self._core.due.matches_left(self.state, self.state.table(self._queue[0])))

    def _fold_buffered(self) -> None:
        """Take what has been played into the log, as far as it is its turn."""
        while (match := self._head()) is not None:
            found = self._buffer.pop((match.table, match.number, match.absent), None)
            if found is None:
                return
            self._with_result(self._entry(match, found[1]), found)
            self._settle()

    def _ahead(self, removals: int) -> Iterator[Assignment]:
        """The matches to come, in the order in which their results will be wanted."""
        state, core = self.state, self._core
        left = deque(core.due.matches_left(state, state.table(table)) for table in self._queue)
        while left and removals == self._removals:
            matches = left.popleft()
            match = next(matches, None)
            if match is None:
                continue
            left.append(matches)
            key = (match.table, match.number, match.absent)
            if core.due.undisputed(match) is None and key not in self._buffer:
                chance = core.lots.lot(state.setup.seed, "bots", match.table, match.number)
                yield Assignment(*key[:2], match.seats, match.seed, match.absent, f"{chance:016x}")

    # --- the log --------------------------------------------------------------------------------------------

    def _entry(self, match: Any, outcome: Outcome) -> Any:
        return self._core.log.MatchEnded(
            match.table,
            match.number,
            f"{match.table}.{match.number}",
            match.seats,
            tuple(outcome.ranks),
            tuple(outcome.scores),
            outcome.end_reason,
            tuple(outcome.faults) if any(outcome.faults) else (),
            tuple(outcome.decisions),
        )

    def _with_result(self, entry: Any, found: tuple[Assignment, Outcome] | None) -> None:
        self._add(entry, found)
        table = self._queue.popleft()
        if not self.state.table(table).complete:
            self._queue.append(table)
        for entrant, fault in zip(getattr(entry, "seats", ()), getattr(entry, "faults", ()), strict=False):
            self._faulty[entrant] += fault not in (None, "no_show")

    def _add(self, entry: Any, found: tuple[Assignment, Outcome] | None = None) -> None:
        """One more entry: the next that the log has, which must be the same, or one that is written now."""
        if self._known:
            if self._read() != entry:
                raise self._other(entry)
            self._known.popleft()
        else:
            self._write(entry.to_wire(), found)
        self._entries += 1
        self.state = self._core.fold.apply(self.state, entry)

    def _read(self) -> Any:
        try:
            return self._core.log.entry_from_wire(self._known[0])
        except self._core.refused as error:
            raise LogRefused(f"entry {self._entries + 1} of the log cannot be read: {error}") from None

    def _other(self, entry: Any) -> LogRefused:
        return LogRefused(
            f"entry {self._entries + 1} of the log is {self._known[0].get('type')}, where {entry.type} was expected: "
            "it is of another cup, or of another version of the program; --anew plays it again from the start"
        )


class _Core:
    """The modules of the service that a tournament is made of."""

    def __init__(self) -> None:
        self.setup = service_module("domain.tournament.setup")
        self.log = service_module("domain.tournament.log")
        self.fold = service_module("domain.tournament.fold")
        self.due = service_module("domain.tournament.due")
        self.lots = service_module("domain.tournament.lots")
        self.rounds = service_module("domain.tournament.pairing.rounds")
        self.outcome = service_module("domain.tournament.pairing.outcome")
        self.refused: type[Exception] = service_module("domain.errors").EntryRefused
