"""One match of a cup, played to its end whatever its bots do. Runs in whichever process has time for it."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spieltisch.bot import crash
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.player import BotTurn
from spieltisch.bot.programs import Program
from spieltisch.local import service_module
from spieltisch.models import Result
from spieltisch.tournament.cup import Cup
from spieltisch.tournament.seats import players_of

#: Files of failures that are kept of each entrant.
_SAVED = 3


@dataclass(frozen=True)
class Assignment:
    """A match that is to be played: the `number`th of `table`, with its deal's `seed`, `seats` by seat.

    The seats of who is `absent` are left from the beginning. `chance` is what the bots' chance comes from.
    """

    table: str
    number: int
    seats: tuple[str, ...]
    seed: bytes
    absent: tuple[str, ...]
    chance: str

    @property
    def id(self) -> str:
        """What bots hear as the id of the match."""
        return f"{self.table}.{self.number}"


@dataclass
class Outcome:
    """What came of it, by seat. `faults` as the log has them; `used_us`, `longest_us`: of all decisions, of one.

    notes: what went wrong, in words: `{seat, version, fault, said}`.
    """

    ranks: list[int]
    scores: list[int]
    end_reason: str
    faults: list[str | None]
    decisions: list[int]
    used_us: list[int]
    longest_us: list[int]
    notes: list[dict[str, Any]] = field(default_factory=list)


def play(cup: Cup, assignment: Assignment, folder: Path | None, apart: bool) -> Outcome:
    """Play it. `folder` is where failures are saved (None: nowhere); `apart`: in a process of the run's own."""
    if apart:
        # A Ctrl-C reaches all processes of a terminal; the first one tells the others what it means.
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _Played(cup, assignment, folder).to_the_end()


class _Played:
    def __init__(self, cup: Cup, assignment: Assignment, folder: Path | None) -> None:
        self._cup = cup
        self._assignment = assignment
        self._folder = folder
        seats = assignment.seats
        players = players_of(cup, None if folder is None else folder / "stderr")
        self._players: list[Program | None] = [players.of(each) for each in seats]
        tables = service_module("local.table")
        self._refused: type[Exception] = tables.Refused
        self._table = tables.Table(cup.game, len(seats), cup.setup["options"], seed=assignment.seed)
        self._left = [seat for seat, each in enumerate(seats) if each in assignment.absent]
        n = len(seats)
        self._outcome = Outcome([], [], "completed", [None] * n, [0] * n, [0] * n, [0] * n)
        for seat in self._left:
            self._outcome.faults[seat] = "no_show"
        self._times_failed = [0] * n

    def to_the_end(self) -> Outcome:
        table = self._table
        while table.to_act is not None and len(self._left) < table.players - 1:
            if table.to_act in self._left:
                table.act_by_default()
            else:
                self._decide(table.to_act)
        return self._ended()

    def _decide(self, seat: int) -> None:
        player = self._players[seat]
        turn = self._turn(seat, None if player is None else self._view(seat))
        try:
            if player is None:
                name = self._cup.entrant(self._assignment.seats[seat]).source
                with self._timed(seat):
                    self._table.act_as_house(name, lambda: turn.rng)
            else:
                player.prepare()
                with self._timed(seat):
                    action = player.decide(self._turn(seat, turn.raw_view))
                self._act(action)
        except Exception as error:  # whatever it is, the event goes on
            self._failed(seat, turn, error)

    def _act(self, action: Mapping[str, Any]) -> None:
        try:
            self._table.act(action)
        except self._refused as refusal:
            raise BotFailed(f"{dict(action)!s:.300} is refused: {refusal}", "illegal") from None

    def _view(self, seat: int) -> dict[str, Any]:
        # The table's own id tells the deal, by which a bot could know it again.
        return {**self._table.view(seat), "match": self._assignment.id}

    def _turn(self, seat: int, view: Mapping[str, Any] | None) -> BotTurn:
        table = self._table
        return BotTurn(
            table.game.id,
            table.options,
            self._assignment.id,
            seat,
            table.version,
            seed=self._assignment.chance,
            look=lambda: self._view(seat) if view is None else view,
            deadline_s=time.monotonic() + self._cup.policy.decision_ms / 1000,
        )

    @contextlib.contextmanager
    def _timed(self, seat: int) -> Iterator[None]:
        began_ns = time.perf_counter_ns()
        try:
            yield
        finally:
            outcome, took_us = self._outcome, (time.perf_counter_ns() - began_ns) // 1000
            outcome.decisions[seat] += 1
            outcome.used_us[seat] += took_us
            outcome.longest_us[seat] = max(outcome.longest_us[seat], took_us)

    def _failed(self, seat: int, turn: BotTurn, error: Exception) -> None:
        """As the policy has it: played for, or out of the match."""
        policy, outcome = self._cup.policy, self._outcome
        fault = error.fault if isinstance(error, BotFailed) else "crash"
        self._times_failed[seat] += 1
        if outcome.faults[seat] is None:
            outcome.faults[seat] = fault
        note = {"seat": seat, "version": turn.version, "fault": fault, "said": crash.why(error)[:500]}
        outcome.notes.append(note)
        self._save(seat, turn, error)
        if policy.on_fault == "default" and self._times_failed[seat] < policy.faults_per_match:
            self._table.act_by_default()
        else:
            self._left.append(seat)

    def _save(self, seat: int, turn: BotTurn, error: Exception) -> None:
        if self._folder is None:
            return
        entrant = self._assignment.seats[seat]
        folder = self._folder / "crashes" / entrant
        if folder.is_dir() and sum(1 for _ in folder.iterdir()) >= _SAVED:
            return
        told = {"decisions": self._table.decisions_of(seat), "record": self._table.record()}
        with contextlib.suppress(OSError):
            crash.save(folder, turn, entrant, error, told)

    def _ended(self) -> Outcome:
        table, outcome = self._table, self._outcome
        standing = table.standing()
        outcome.scores, outcome.ranks = standing["scores"], standing["ranks"]
        if table.to_act is not None:
            # As the service ends a match that only one has not left: who left last is second.
            stayed = [seat for seat in range(table.players) if seat not in self._left]
            order = [*stayed, *reversed(self._left)]
            outcome.ranks = [order.index(seat) + 1 for seat in range(table.players)]
            outcome.end_reason = "last_seat"
        result = Result.from_wire({"scores": outcome.scores, "ranks": outcome.ranks, "end_reason": outcome.end_reason})
        for seat, player in enumerate(self._players):
            if player is not None:
                player.ended(self._assignment.id, seat, result)
        return outcome
