"""`spieltisch replay`: step through a match, of a file or of a service."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from spieltisch import records
from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import add_service, command, connect
from spieltisch.cli.wording import event_text, scores_text
from spieltisch.errors import ServiceMissing
from spieltisch.local import service_module
from spieltisch.models import Event, Seat
from spieltisch.resources.match import Match

_HELP = "Enter or n: on   b: back   a number: to that version   s: start   e: end   q: quit"


class Boards(Protocol):
    """Knows the board after each event."""

    def __call__(self, version: int) -> str | None:
        """The board at a version; None before the start."""


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "replay", "step through a match, forwards and back, with the board at each version", run)
    parser.add_argument("what", metavar="FILE|MATCH", help="a record in a file, or the id of a match of the service")
    parser.add_argument("--at", type=int, metavar="N", help="begin at version N (default: the start)")
    parser.add_argument("--seat", type=int, help="of a match of the service: as this seat sees it, which is yours")
    add_service(parser)


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Show one version after the other, as is asked."""
    boards: Boards
    if Path(given.what).is_file() or given.what.endswith(".json"):
        record = records.read(given.what)
        boards = _offline(record, screen)
    else:
        match = connect(given, screen).matches.get(given.what, seat=given.seat)
        record = match.record(seat=given.seat)
        boards = _online(match, given.seat)
    events = [Event.from_wire(event) for event in record["events"]]
    seats = [Seat.from_wire(seat) for seat in record["seats"]]
    _step(events, seats, boards, screen, begin=given.at)
    return codes.DONE


def _step(events: Sequence[Event], seats: Sequence[Seat], boards: Boards, screen: Screen, *, begin: int | None) -> None:
    last = len(events)
    start = next((event.seq for event in events if event.type == "match_started"), 1)
    at = start if begin is None else begin
    screen.aside(_HELP)
    while True:
        at = max(1, min(at, last))
        _show(events[at - 1], last, seats, boards, screen)
        while True:
            answer = screen.ask(f"{at}/{last} > ")
            wanted = _wanted(answer, at, start, last)
            if wanted is None:
                return
            if wanted == at and answer not in ("s", "e", str(at)):
                screen.aside(_HELP if answer not in ("", "n", "b") else "there is nothing further that way")
                continue
            at = wanted
            break


def _wanted(answer: str | None, at: int, start: int, last: int) -> int | None:
    """The version that an answer asks for, the same where it asks for none; None to quit."""
    if answer is None or answer in ("q", "quit"):
        return None
    if answer.isdigit():
        return max(1, min(int(answer), last))
    if answer in ("", "n"):
        return min(at + 1, last)
    return {"b": max(1, at - 1), "s": start, "e": last}.get(answer, at)


def _show(event: Event, last: int, seats: Sequence[Seat], boards: Boards, screen: Screen) -> None:
    screen.heading(f"{event.seq} of {last}")
    screen.line(event_text(event, seats), "bold cyan")
    scores = event.data.get("scores") or event.data.get("result", {}).get("scores")
    if scores:
        screen.line(scores_text(seats, scores), "bold")
    board = boards(event.seq)
    if board is not None:
        screen.board(board)


def _online(match: Match, seat: int | None) -> Boards:
    return lambda version: match.board_text(seat=seat, at=version)


def _offline(record: dict[str, Any], screen: Screen) -> Boards:
    """Boards by playing the record again, where the rules are at hand."""
    why = "the match has not ended, so its deal is not in the record" if record.get("deal") is None else None
    try:
        game = service_module("games.catalogue").GAMES.get(record["game"])
        if game is None or game.rules_version != record["rules_version"]:
            why = f"the rules {record['game']} {record['rules_version']} are not known here"
    except ServiceMissing:
        why = "pip install spieltisch-service draws them, and so does the service that has the match"
    if why is not None:
        screen.aside(f"no boards: {why}")
        return lambda _: None
    return _Replayed(game, record)


class _Replayed:
    """Plays a record again, as far as is asked for, and keeps the states."""

    def __init__(self, game: Any, record: dict[str, Any]) -> None:
        self._game = game
        self._events = record["events"]
        options = game.options_type(**record["options"])
        players = len(record["seats"])
        self._first, _ = game.start(options, game.parse_deal(record["deal"], options, players), players)
        self._states: list[Any] = [None]

    def __call__(self, version: int) -> str | None:
        while len(self._states) <= version:
            event, state = self._events[len(self._states) - 1], self._states[-1]
            if event["type"] == "match_started":
                state = self._first
            elif event["type"] == "action":
                state, _ = self._game.apply(state, self._game.action_from_wire(event["data"]["action"]))
            self._states.append(state)
        state = self._states[version]
        return None if state is None else str(self._game.describe(self._game.view(state, None)))
