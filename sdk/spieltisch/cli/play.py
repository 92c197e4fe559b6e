"""`spieltisch play`: a person at the table, with house bots."""

from __future__ import annotations

import argparse
import json
from typing import Any

from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import add_service, command, connect
from spieltisch.cli.wording import action_text, choices, event_text, match_text, matching, result_rows, seat_name
from spieltisch.client import Client
from spieltisch.errors import Conflict
from spieltisch.resources.match import Match
from spieltisch.resources.turns import Turn

_NAME = "Guest"
#: Where more than so many rows could be chosen from, the rest comes when asked for.
_ROWS = 60

_HELP = """a number      play that action (there is no undo)
words         show the actions in which all of them occur; Enter plays it where that is one
Enter, all    show all actions
board         show the board again
rules         read the rules
resign        give up, after a question
quit          leave; the match stays, and play --match goes on with it"""


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "play", "play a match against house bots, in the terminal", run)
    parser.add_argument("game", nargs="?", help="the id of a game (default: the first one)")
    parser.add_argument("--against", metavar="BOT", action="append", help="a house bot, or several (default: random)")
    parser.add_argument("--seat", type=int, default=0, help="where you sit; seat 0 begins (default)")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="of the game (games show)")
    parser.add_argument("--match", metavar="ID", help="go on with this match")
    parser.add_argument("--record", metavar="FILE", help="write the record into this file once the match has ended")
    add_service(parser)


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Play until the match has ended or somebody leaves."""
    client = connect(given, screen, otherwise=None if given.match else _NAME)
    match = client.matches.get(given.match) if given.match else _created(client, given)
    screen.line(match_text(match.info), "bold")
    left = Player(client, match, screen).play()
    if left:
        given_url = f" --url {client.url}" if given.url else ""
        screen.line(f"The match waits for you: spieltisch play --match {match.id}{given_url}")
        return codes.DONE
    _conclude(match, screen)
    if given.record:
        screen.line(f"The record is in {match.export(given.record)}")
    return codes.DONE


def _created(client: Client, given: argparse.Namespace) -> Match:
    game = given.game or client.games.list()[0].id
    seats = [f"bot:{name}" for name in given.against or ["random"]]
    if not 0 <= given.seat <= len(seats):
        raise ValueError(f"there are seats 0 to {len(seats)}")
    seats.insert(given.seat, "me")
    return client.matches.create(game, seats, options=dict(_option(each) for each in given.option) or None)


def _option(text: str) -> tuple[str, Any]:
    """`round_limit=10` as a name and a value, which is text where it is no JSON."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--option {text}: a name, = and a value are expected")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


class Player:
    """Shows what happens, and asks what to do."""

    def __init__(self, client: Client, match: Match, screen: Screen) -> None:
        self._client = client
        self._match = match
        self._screen = screen
        self._seen = 0

    def play(self) -> bool:
        """Play; whether the person left before the end."""
        turns = self._match.turns()
        with self._screen.waiting("waiting for the others …"):
            turn = next(turns, None)
        while turn is not None:
            self._tell(turn)
            if not self._decided(turn):
                return True
            with self._screen.waiting("waiting for the others …"):
                turn = next(turns, None)
        return False

    def _tell(self, turn: Turn) -> None:
        """What happened since the last turn, and the board."""
        page = self._match.event_page(after=self._seen) if self._seen else None
        if self._match.info.status != turn.view.status or page is None:
            self._match.refresh()
        for event in page.events if page is not None else ():
            if event.seat != turn.seat or event.data.get("cause") not in (None, "player"):
                self._screen.line(event_text(event, self._match.seats), "cyan")
        # While the events were asked for, nobody but this seat could act.
        self._seen = turn.view.version
        self._board(turn)

    def _board(self, turn: Turn) -> None:
        phase = str(turn.view.phase).replace("_", " ")
        self._screen.heading(f"Your turn, {seat_name(self._match.seats, turn.seat)}: {phase}")
        self._screen.board(turn.text())

    def _decided(self, turn: Turn) -> bool:
        """Ask until something is done; False to leave."""
        actions = turn.legal_actions
        texts = [action_text(action) for action in actions]
        shown = list(range(len(actions)))
        self._list(turn, shown)
        while True:
            answer = self._screen.ask(f"{self._prompt(shown, texts)} > ")
            if answer is None or answer == "quit":
                return False
            if answer.isdigit() or (answer == "" and len(shown) == 1):
                number = int(answer) if answer else shown[0]
                if number >= len(actions):
                    self._screen.line(f"The numbers go from 0 to {len(actions) - 1}.", "yellow")
                elif self._act(turn, actions[number], texts[number]):
                    return True
            elif answer == "resign":
                if self._screen.ask("Give up for good? Then type yes > ") == "yes":
                    self._match.resign(seat=turn.seat)
                    return True
            elif answer in ("", "all"):
                shown = list(range(len(actions)))
                self._list(turn, shown, whole=answer == "all")
            elif not self._looked(turn, answer):
                found = matching(texts, answer)
                if found:
                    shown = found
                    self._list(turn, shown)
                else:
                    self._screen.line(f"No action has {answer!r} in it; ? tells what you can type.", "yellow")

    def _looked(self, turn: Turn, answer: str) -> bool:
        """Show what was asked for; False where it was no such question."""
        if answer in ("?", "help"):
            self._screen.line(_HELP)
        elif answer == "board":
            self._board(turn)
        elif answer == "rules":
            self._screen.markdown(self._client.games.rules(self._match.game))
        else:
            return False
        return True

    def _prompt(self, shown: list[int], texts: list[str]) -> str:
        if len(shown) == 1:
            return f"Enter = {texts[shown[0]]}, or ?"
        return "number, words or ?"

    def _list(self, turn: Turn, numbers: list[int], *, whole: bool = False) -> None:
        left = len(numbers) if whole else _ROWS
        hidden = 0
        self._screen.line()
        for each in choices(turn.legal_actions, numbers):
            if left > 0:
                self._screen.choices(each.heading, each.rows[:left])
            hidden += max(0, len(each.rows) - left)
            left = max(0, left - len(each.rows))
        if hidden:
            self._screen.line(f"… and {hidden} rows more: type words of what you look for, or all", "dim")

    def _act(self, turn: Turn, action: dict[str, Any], text: str) -> bool:
        try:
            acted = turn.act(action)
        except Conflict as error:
            self._screen.line(f"That did not happen: {error.detail}", "yellow")
            return True
        if acted is None:
            self._screen.line("That did not happen: the match had moved on.", "yellow")
            return True
        own = [event for event in acted.events if event.type == "action" and event.seat == turn.seat]
        gained = own[0].data.get("points") if own else 0
        self._screen.line(f"You: {text}" + (f"  +{gained}" if gained else ""), "green")
        return True


def _conclude(match: Match, screen: Screen) -> None:
    result = match.result
    screen.heading("The match is over" if result is not None else "The match was aborted")
    if result is not None:
        screen.board(match.board_text())
        screen.line()
        screen.table(("rank", "seat", "points", ""), result_rows(match.seats, result))
    screen.line()
    screen.line(f"Look at it again: spieltisch replay {match.id}", "dim")
