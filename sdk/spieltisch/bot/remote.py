"""Matches on a service, several at a time: what a bot does there, and how it comes back to what it left."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spieltisch._interrupts import Interrupt, Interrupted
from spieltisch.bot import crash
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.player import BotTurn, Player
from spieltisch.bot.tally import Played
from spieltisch.client import Client
from spieltisch.errors import (
    ApiError,
    ConnectionFailed,
    Forbidden,
    IllegalAction,
    InvalidBody,
    MatchNotOpen,
    MatchNotRunning,
    NoSeat,
    NotFound,
    NotYourTurn,
    SeatTaken,
    SpieltischError,
    StaleVersion,
    Unauthenticated,
)
from spieltisch.models import Action, View
from spieltisch.resources.match import Match
from spieltisch.resources.turns import time_left_ms

#: How long one request may wait for the others of a match, or for a decision; a stop has to wait as long.
_WAIT_S = 5
#: The list of decisions changes with every move: it is not asked for more often than this.
_PAUSE_S = 0.25
#: Where the number of a match in its run is kept, so that its bot has the same chance after a restart.
NUMBER = "bot-match"


@dataclass(frozen=True)
class Wanted:
    """What is to be played.

    count: how many matches, None without end. create: makes the match of a number; None: what waits is played.
    join: take open seats, too. keep: matches that are not over at the end stay, to be gone on with; else they are
    resigned.
    """

    game: str | None
    seed: str
    count: int | None = None
    create: Callable[[int], Match] | None = None
    join: bool = False
    keep: bool = False
    concurrency: int = 4
    crash_folder: Path = field(default_factory=Path)


class Remote:
    """Plays on a service with the account of `client`. `make` makes a player; each thread has one of its own."""

    def __init__(self, client: Client, make: Callable[[], Player], wanted: Wanted) -> None:
        self._client = client
        self._make = make
        self._wanted = wanted
        self._lock = threading.Condition()
        self._waiting: deque[Match | str] = deque()
        self._numbers: deque[int] = deque()
        self._in_hand: dict[str, Match] = {}
        self._under_way: dict[str, Match] = {}
        self._left = threading.Event()
        self._stop = threading.Event()
        self._done = 0
        self._failure: BaseException | None = None
        self._interrupt = Interrupt()
        #: One line for each match that was not over at the end.
        self.left_behind: list[str] = []
        #: Whether a KeyboardInterrupt was the end.
        self.interrupted = False
        self._report: Callable[[Played], None] = lambda _: None

    # --- the run ----------------------------------------------------------------------------------------------

    def run(self, report: Callable[[Played], None]) -> None:
        """Play until there is nothing left to do, or a KeyboardInterrupt; `report` hears of each match.

        `left_behind` then says what became of the matches that were not over. Raises Unauthenticated, and what the
        making of a player raises.
        """
        self._report = report
        found = [match for match in self._client.matches.list(mine=True, status="running") if self._plays(match)]
        self._waiting.extend(found)
        if self._wanted.create is not None:
            assert self._wanted.count is not None
            known = {_number(match) for match in found}
            numbers = [number for number in range(self._wanted.count) if number not in known]
            self._numbers.extend(numbers[: max(0, self._wanted.count - len(found))])
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(self._wanted.concurrency)]
        for worker in workers:
            worker.start()
        try:
            if self._wanted.create is None:
                self._watch()
            _join(workers)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self._halt()
            self._interrupt.set()
            _join(workers)
            self._settle()
        if self._failure is not None:
            raise self._failure

    def _halt(self) -> None:
        self._stop.set()
        with self._lock:
            self._lock.notify_all()

    def _settle(self) -> None:
        """Leave no match hanging."""
        said = self.left_behind
        for match in list(self._under_way.values()):
            try:
                match.refresh()
                if match.ended:
                    continue
                if self._wanted.keep:
                    said.append(f"match {match.id} goes on when this bot is started again with the same key")
                elif match.status == "open":
                    match.abort()
                    said.append(f"match {match.id} had not started and is aborted")
                else:
                    self._resign(match)
                    said.append(f"match {match.id} is resigned")
            except SpieltischError as error:
                said.append(f"match {match.id} is left as it is: {error}")

    def _plays(self, match: Match) -> bool:
        return self._wanted.game is None or match.game == self._wanted.game

    # --- what there is to do ----------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Hand the matches that wait for the bot to the workers, as they come."""
        cursor = None
        while not self._stop.is_set():
            if self._left.is_set():
                self._left.clear()
                cursor = None
            try:
                found = self._client.decisions(wait=None if cursor is None else _WAIT_S, cursor=cursor)
            except ConnectionFailed:
                cursor = None
                continue
            cursor = found.cursor
            for decision in found:
                if self._wanted.game is None or decision.game == self._wanted.game:
                    self._offer(decision.match)
            if self._wanted.join:
                self._join_one()
            self._stop.wait(_PAUSE_S)

    def _offer(self, match_id: str) -> None:
        with self._lock:
            known = {match if isinstance(match, str) else match.id for match in self._waiting}
            if match_id not in self._in_hand and match_id not in known:
                self._waiting.append(match_id)
                self._lock.notify()

    def _join_one(self) -> None:
        """Take a seat of one match that looks for players, while there are hands free."""
        if len(self._in_hand) >= self._wanted.concurrency:
            return
        for match in self._client.matches.list(game=self._wanted.game, open_seats=True, status="open", page_size=20):
            if match.id in self._under_way:
                continue
            try:
                joined = self._client.matches.join(match.id)
            except (SeatTaken, MatchNotOpen, NotFound, Forbidden):
                continue
            self._under_way[joined.id] = joined
            return

    def _next(self) -> Match | None:
        """The next match to play; None when there will be none."""
        while True:
            with self._lock:
                while not self._waiting and not self._numbers:
                    if self._stop.is_set() or self._wanted.create is not None:
                        return None
                    self._lock.wait()
                if self._stop.is_set():
                    return None
                known = self._waiting.popleft() if self._waiting else None
                number = self._numbers.popleft() if known is None else None
            if number is not None:
                assert self._wanted.create is not None
                match = self._wanted.create(number)
            elif isinstance(known, str):
                match = self._client.matches.get(known)
            else:
                assert known is not None
                match = known
            with self._lock:
                if match.id in self._in_hand:
                    continue
                self._in_hand[match.id] = self._under_way[match.id] = match
            return match

    # --- playing ----------------------------------------------------------------------------------------------

    def _work(self) -> None:
        player: Player | None = None
        try:
            player = self._make()
            with self._interrupt.heard():
                while (match := self._next()) is not None:
                    self._take(match, player)
        except Interrupted:
            return
        except BaseException as error:
            self._failure = self._failure or error
            self._halt()
        finally:
            if player is not None:
                player.close()

    def _take(self, match: Match, player: Player) -> None:
        try:
            played = self._play(match, player)
        except (ApiError, ConnectionFailed, NoSeat) as error:
            if isinstance(error, Unauthenticated):
                raise
            played = Played(_number(match) or 0, hash(match.id), 0, failure=f"match {match.id}: {error}")
        with self._lock:
            del self._in_hand[match.id]
        if played is not None:
            self._finished(match, played)
        else:
            self._left.set()

    def _finished(self, match: Match, played: Played) -> None:
        with self._lock:
            if match.ended:
                self._under_way.pop(match.id, None)
            self._done += 1
            if self._wanted.create is None and self._wanted.count is not None and self._done >= self._wanted.count:
                self._halt()
            self._report(played)

    def _play(self, match: Match, player: Player) -> Played | None:
        """Play until the match is over; None when it is left: because of a stop, or for one that waits."""
        seats = match.own_seats()
        number = _number(match)
        played = Played(number if number is not None else -1, hash(match.id), min(seats))
        view = match.view(seat=min(seats))
        first = view.version
        while not view.ended:
            to_act = view.to_act
            if self._stop.is_set():
                return None
            if to_act is None or to_act not in seats:
                if self._wanted.create is None and self._waiting:
                    return None
                view = match.view(seat=view.seat, after=view.version, wait=_WAIT_S)
            elif to_act != view.seat:
                view = match.view(seat=to_act)
            else:
                turn = self._turn(match, view)
                try:
                    view = self._decide(match, turn, player, played)
                except Exception as error:
                    if isinstance(error, SpieltischError) and not isinstance(error, IllegalAction | InvalidBody):
                        raise
                    return self._failed(match, turn, player, played, error)
        match.refresh()
        played.actions = match.version - first
        if match.result is None:
            played.failure = f"match {match.id} was aborted"
        else:
            played.scores, played.ranks = match.result.scores, match.result.ranks
        for seat in seats:
            player.ended(match.id, seat, match.result)
        return played

    def _turn(self, match: Match, view: View) -> BotTurn:
        number = _number(match)
        assert view.seat is not None
        left_ms = time_left_ms(view)
        return BotTurn(
            view.game,
            match.info.options,
            match.id,
            view.seat,
            view.version,
            seed=f"{self._wanted.seed}/{match.id if number is None else number}",
            look=lambda: as_wire(view),
            view=view,
            deadline_s=None if left_ms is None else time.monotonic() + left_ms / 1000,
        )

    def _decide(self, match: Match, turn: BotTurn, player: Player, played: Played) -> View:
        """One decision, and the view after it."""
        began_ns = time.perf_counter_ns()
        action = _checked(player.decide(turn))
        took_ns = time.perf_counter_ns() - began_ns
        try:
            after = match.act(action, seat=turn.seat, version=turn.version).view
        except StaleVersion as stale:
            # Another process of this bot was faster.
            return stale.view
        except (NotYourTurn, MatchNotRunning):
            return match.view(seat=turn.seat)
        played.decisions += 1
        played.times.add(took_ns)
        return after

    def _failed(self, match: Match, turn: BotTurn, player: Player, played: Played, error: Exception) -> Played:
        """Keep what the bot failed of, and give the match up, so that nobody waits for it."""
        played.failure = f"{player.name} at version {turn.version} of match {match.id}: {crash.why(error)}"
        record = match.record(seat=turn.seat)
        decisions = [
            {
                "view": as_wire(match.view(seat=turn.seat, at=event["seq"] - 1)),
                "action": event["data"]["action"],
            }
            for event in record["events"]
            if event["type"] == "action" and event["seat"] == turn.seat
        ]
        decisions.append({"view": turn.raw_view, "action": None})
        told = {"decisions": decisions, "record": record}
        played.saved = str(crash.save(self._wanted.crash_folder, turn, player.name, error, told))
        self._resign(match)
        return played

    def _resign(self, match: Match) -> None:
        for seat in match.own_seats():
            try:
                match.resign(seat=seat)
            except MatchNotRunning:
                match.refresh()
                return


def _join(workers: list[threading.Thread]) -> None:
    for worker in workers:
        # In steps, so that a Ctrl-C is heard.
        while worker.is_alive():
            worker.join(0.2)


def _number(match: Match) -> int | None:
    """The number of the match in its run, if it is one of a run."""
    said = match.info.metadata.get(NUMBER, "")
    return int(said) if said.isdigit() else None


def _checked(action: Any) -> Action:
    if not isinstance(action, Mapping):
        raise BotFailed(f"an action is a dictionary, not {action!r:.200}")
    try:
        json.dumps(dict(action), allow_nan=False)
    except (TypeError, ValueError):
        raise BotFailed(f"{dict(action)!r:.200} is no JSON") from None
    return action


def as_wire(view: View) -> dict[str, Any]:
    """A view as the JSON that it was."""
    result, until = view.result, view.deadline_at
    known = {
        "match": view.match,
        "game": view.game,
        "version": view.version,
        "status": view.status,
        "seat": view.seat,
        "to_act": view.to_act,
        "phase": view.phase,
        "scores": None if view.scores is None else list(view.scores),
        "state": view.state,
        "legal_actions": view.legal_actions,
        "deadline_at": None if until is None else until.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "remaining_ms": None if view.remaining_ms is None else list(view.remaining_ms),
        "result": None
        if result is None
        else {"scores": list(result.scores), "ranks": list(result.ranks), "end_reason": result.end_reason},
    }
    return {**known, **view.extra}
