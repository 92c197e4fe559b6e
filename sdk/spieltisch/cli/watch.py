"""`spieltisch watch`: a match as it happens."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import add_service, command, connect
from spieltisch.cli.wording import event_text, match_text
from spieltisch.models import Event

_STYLES = {"match_finished": "bold green", "match_aborted": "bold red", "action": ""}


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "watch", "follow a match as it is played until it has ended", run)
    parser.add_argument("match", help="the id of a match (mt_…)")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="begin after event N (default: 0)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, as the service has them")
    parser.add_argument("--board", action="store_true", help="show the board at the end, too")
    add_service(parser)


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Follow the match until it has ended."""
    match = connect(given, screen).matches.get(given.match)
    if not given.json:
        screen.line(match_text(match.info), "bold")
    with match.events(after=given.after) as events:
        for event in events:
            if given.json:
                print(json.dumps(_plain(event), ensure_ascii=False))
            else:
                if event.type in ("seat_taken", "seat_left"):
                    match.refresh()
                text = f"{event.at.astimezone():%H:%M:%S} {event.seq:4}  {event_text(event, match.seats)}"
                screen.line(text, _STYLES.get(event.type, "dim"))
            sys.stdout.flush()
    if given.board:
        screen.line()
        screen.board(match.board_text())
    return codes.DONE


def _plain(event: Event) -> dict[str, Any]:
    at = event.at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{event.at.microsecond // 1000:03}Z"
    known = {"seq": event.seq, "type": event.type, "at": at, "seat": event.seat, "data": event.data, "hash": event.hash}
    return {**known, **event.extra}
