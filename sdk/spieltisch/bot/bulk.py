"""Many matches here, without a server: as fast as the rules go, in one process or several."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spieltisch.bot import crash
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.player import BotTurn, Player
from spieltisch.bot.tally import Played
from spieltisch.errors import SpieltischError
from spieltisch.local import service_module
from spieltisch.models import Action, Result


class House(Player):
    """A house bot, played by the service's own code. Raises BotFailed where there is none of that name."""

    def __init__(self, name: str) -> None:
        tables = service_module("local.table")
        if name not in tables.house_bots():
            raise BotFailed(f"there is no house bot {name!r}; there are {', '.join(tables.house_bots())}")
        self.name = name
        self._decide: Callable[..., Action] = tables.house_decision

    def decide(self, turn: BotTurn) -> Action:
        """What the house bot does there."""
        return self._decide(self.name, turn.game, turn.options, _SeenLate(turn), turn.rng)


class _SeenLate(Mapping[str, Any]):
    """The view of a turn, which is made when more of it is looked at than the legal actions."""

    def __init__(self, turn: BotTurn) -> None:
        self._turn = turn

    def __getitem__(self, name: str) -> Any:
        return self._turn.legal_actions if name == "legal_actions" else self._turn.raw_view[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._turn.raw_view)

    def __len__(self) -> int:
        return len(self._turn.raw_view)


@dataclass(frozen=True)
class Setup:
    """What is played: the game, its options, how many seats, and from which seed everything follows.

    deal_of: the explicit deal of each match by its number, where the deals do not follow from the seed.
    """

    game: str
    seats: int
    options: Mapping[str, Any]
    seed: str
    crash_folder: Path = field(default_factory=Path)
    deal_of: Callable[[int], Mapping[str, Any]] | None = None

    def seat_of(self, number: int) -> int:
        """Where the bot sits in this match."""
        return number % self.seats

    def deal_number(self, number: int) -> int:
        """Which deal it is played with: each is played from every seat."""
        return number // self.seats

    def seed_of(self, number: int) -> str:
        """What the chance of all seats of this match comes from."""
        return f"{self.seed}/{number}"

    def table(self, number: int) -> Any:
        """The match as a table, at its start."""
        tables = service_module("local.table")
        if self.deal_of is not None:
            return tables.Table(self.game, self.seats, self.options, deal=self.deal_of(number))
        seed = hashlib.sha256(f"{self.seed}/deal/{self.deal_number(number)}".encode()).digest()
        return tables.Table(self.game, self.seats, self.options, seed=seed)


class Bulk:
    """Plays matches of one setup. `own` and `others` are the players; the seats rotate from match to match."""

    def __init__(self, setup: Setup, own: Player, others: Sequence[Player]) -> None:
        self.setup = setup
        self._own = own
        self._others = others

    def close(self) -> None:
        """Let go of the players."""
        for player in (self._own, *self._others):
            player.close()

    def play(self, number: int, stopped: Callable[[], bool] = lambda: False) -> Played | None:
        """Play one match; None if it was `stopped`."""
        setup = self.setup
        seat = setup.seat_of(number)
        others = iter(self._others)
        players = [self._own if place == seat else next(others) for place in range(setup.seats)]
        table = setup.table(number)
        played = Played(number, setup.deal_number(number), seat)
        while table.to_act is not None:
            if stopped():
                return None
            player = players[table.to_act]
            turn, clock = self._turn(table, number)
            began_ns = time.perf_counter_ns()
            try:
                action = player.decide(turn)
                took_ns = time.perf_counter_ns() - began_ns - clock.spent_ns
                _act(table, action)
            except Exception as error:
                return self._failed(played, table, turn, player, error)
            if player is self._own:
                played.decisions += 1
                played.times.add(took_ns)
            played.actions += 1
        result = Result.from_wire(table.result)
        played.scores, played.ranks = result.scores, result.ranks
        for place, player in enumerate(players):
            player.ended(table.id, place, result)
        return played

    def _turn(self, table: Any, number: int) -> tuple[BotTurn, _Clock]:
        seat = table.to_act
        clock = _Clock()
        turn = BotTurn(
            table.game.id,
            table.options,
            table.id,
            seat,
            table.version,
            seed=self.setup.seed_of(number),
            look=clock.apart(lambda: table.view(seat)),
            list_actions=clock.apart(table.legal_actions),
        )
        return turn, clock

    def _failed(self, played: Played, table: Any, turn: BotTurn, player: Player, error: Exception) -> Played:
        told = {"decisions": table.decisions_of(turn.seat), "record": table.record()}
        played.failure = f"{player.name} at version {turn.version} of match {played.number}: {crash.why(error)}"
        played.saved = str(crash.save(self.setup.crash_folder, turn, player.name, error, told))
        return played


class _Clock:
    """Takes the time that making a view takes, which is not the bot's."""

    def __init__(self) -> None:
        self.spent_ns = 0

    def apart(self, make: Callable[[], Any]) -> Callable[[], Any]:
        """`make`, with its time taken."""

        def timed() -> Any:
            began_ns = time.perf_counter_ns()
            try:
                return make()
            finally:
                self.spent_ns += time.perf_counter_ns() - began_ns

        return timed


def _act(table: Any, action: Any) -> None:
    if not isinstance(action, Mapping):
        raise BotFailed(f"an action is a dictionary, not {action!r:.200}")
    try:
        table.act(action)
    except service_module("local.table").Refused as refusal:
        raise BotFailed(f"{dict(action)} is refused: {refusal}") from None


# --- in several processes -----------------------------------------------------------------------------------


def run(bulk: Bulk, numbers: range, jobs: int, report: Callable[[Played], None], *, at_a_time: int = 20) -> bool:
    """Play the matches of these numbers, with `jobs` processes; `report` hears of each as it is done.

    at_a_time: how many matches, at the most, a process is given at a time. Returns whether a KeyboardInterrupt came
    between; then what is under way is given up, and so it is when `report` raises. Raises SpieltischError when a
    process dies.
    """
    if jobs > 1:
        return _run_in_processes(bulk, numbers, jobs, report, at_a_time)
    try:
        for number in numbers:
            played = bulk.play(number)
            assert played is not None
            report(played)
    except KeyboardInterrupt:
        return True
    return False


def _run_in_processes(bulk: Bulk, numbers: range, jobs: int, report: Callable[[Played], None], at_a_time: int) -> bool:
    if "fork" not in multiprocessing.get_all_start_methods():
        raise SpieltischError("this system does not fork processes: play with --jobs 1")
    context = multiprocessing.get_context("fork")
    stop = context.Event()
    size = max(1, min(at_a_time, len(numbers) // (4 * jobs)))
    pool = concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(bulk, stop))
    under_way: set[concurrent.futures.Future[list[Played]]] = set()
    interrupted = False
    try:
        for start in range(0, len(numbers), size):
            under_way.add(pool.submit(_play_chunk, numbers[start : start + size]))
        while under_way:
            done, _ = concurrent.futures.wait(under_way, return_when=concurrent.futures.FIRST_COMPLETED)
            for chunk in done:
                under_way.discard(chunk)
                for played in chunk.result():
                    report(played)
    except KeyboardInterrupt:
        interrupted = True
    except BrokenProcessPool:
        raise SpieltischError("a process of the run died: killed, out of memory, or ended by the bot") from None
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    for chunk in under_way:
        # What had been played when the stop came counts.
        if not chunk.cancelled() and chunk.exception() is None:
            for played in chunk.result():
                report(played)
    return interrupted


_bulk: Bulk | None = None
_stop: Any = None


def _begin(bulk: Bulk, stop: Any) -> None:
    """What each process does first."""
    global _bulk, _stop
    _bulk, _stop = bulk, stop
    # A Ctrl-C reaches all processes of a terminal; the first one tells the others what it means.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_chunk(numbers: range) -> list[Played]:
    assert _bulk is not None
    found = (_bulk.play(number, _stop.is_set) for number in numbers)
    return [played for played in found if played is not None]
