"""Who decides in the matches of a cup: house bots in this process, everything else in a process of its own.

A process that crashes, stalls or talks nonsense is ended and started again, and nobody else is hurt. Each process of
a run keeps the players that it has started for the matches to come.
"""

from __future__ import annotations

import shlex
import sys
import threading
from collections import OrderedDict
from pathlib import Path

from spieltisch.bot.programs import Program
from spieltisch.tournament.cup import Contestant, Cup

#: Programs that one process keeps running at a time; who has waited longest is ended first.
_KEPT = 24


class Players:
    """The players of a cup, started when they are needed. `folder` takes what their programs say on stderr."""

    def __init__(self, cup: Cup, folder: Path | None = None) -> None:
        self._cup = cup
        self._folder = folder
        self._running: OrderedDict[str, Program] = OrderedDict()

    def of(self, entrant: str) -> Program | None:
        """The player; None for a house bot, whom the table itself lets act."""
        one = self._cup.entrant(entrant)
        if one.kind == "house":
            return None
        if entrant not in self._running:
            while len(self._running) >= _KEPT:
                self._running.popitem(last=False)[1].close()
            self._running[entrant] = self._started(one)
        self._running.move_to_end(entrant)
        return self._running[entrant]

    def _started(self, one: Contestant) -> Program:
        policy = self._cup.policy
        command = [sys.executable, *one.arguments] if one.kind == "bot" else one.arguments
        complaints = None
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            complaints = self._folder / f"{one.id}.txt"
        return Program(
            command,
            decision_s=policy.decision_ms / 1000,
            hello_s=policy.start_ms / 1000,
            folder=one.folder,
            complaints=complaints,
            name=one.id,
        )

    def close(self) -> None:
        """End them all."""
        while self._running:
            self._running.popitem()[1].close()


_held = threading.local()
#: The players of all threads.
_everybody: set[Players] = set()


def players_of(cup: Cup, folder: Path | None) -> Players:
    """The players that this thread keeps for the cup; those of another cup are ended."""
    if getattr(_held, "cup", None) != cup:
        let_go()
        _held.cup, _held.players = cup, Players(cup, folder)
        _everybody.add(_held.players)
    players: Players = _held.players
    return players


def let_go() -> None:
    """End all players that this thread keeps."""
    players: Players | None = getattr(_held, "players", None)
    if players is not None:
        players.close()
        _everybody.discard(players)
    _held.cup = _held.players = None


def let_all_go() -> None:
    """End the players of all threads of this process, of which none plays now."""
    for players in list(_everybody):
        players.close()


def shown(one: Contestant) -> str:
    """How a contestant is named in a plan."""
    return {"house": f"house bot {one.source}", "bot": f"file {one.source}"}.get(
        one.kind, f"program {shlex.join(shlex.split(one.source))}"
    )
