"""Matches of Neues Land in the middle of the game, written to the store at once, and what is played in them next."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from benchmarks.load import request
from benchmarks.positions import Line, line
from benchmarks.site import Account
from spieltisch_service.app.live import LiveMatches, Plan
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.domain import play
from spieltisch_service.domain.match import Match, Seat, Secret
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action

#: At 34 tiles; the scripts go on to 46, so that a load is about 40 tiles.
_PLIES = 66
#: How many actions a script has.
SCRIPT = 24
_LINES = 16


@dataclass(frozen=True, slots=True)
class Prepared:
    """A match in the store, its version, and the actions that come next."""

    id: str
    version: int
    script: Sequence[Action]

    def acts(self, key: str) -> Iterator[bytes]:
        """The script as requests, each with a new idempotency key and the version that it is for."""
        for number, action in enumerate(self.script):
            body = json.dumps({"actions": [action.to_wire()], "version": self.version + number}).encode()
            yield request(
                "POST",
                f"/v1/matches/{self.id}/actions",
                body,
                Authorization=f"Bearer {key}",
                Idempotency_Key=secrets.token_hex(16),
            )


@cache
def _lines() -> tuple[Line, ...]:
    return tuple(line(GAMES["neues-land"], 2, _PLIES + SCRIPT, seed) for seed in range(_LINES))


def prepared(matches: LiveMatches, account: Account, count: int, plies: int = _PLIES) -> list[Prepared]:
    """`count` new hot-seat matches of the account after `plies` actions."""
    return [_written(matches, account, _lines()[number % _LINES], plies) for number in range(count)]


def _written(matches: LiveMatches, account: Account, drawn: Line, plies: int) -> Prepared:
    """Play a line in a new match and commit it whole: what its requests would have left, in one step."""
    game = GAMES["neues-land"]
    match_id = f"mt_{secrets.token_hex(16)}"
    seat = Seat("account", account.id, account.name)
    match = Match(
        id=match_id,
        game=game.id,
        rules_version=game.rules_version,
        options={"expert": False, "equal_turns": False},
        start="auto",
        visibility="public",
        metadata={},
        creator=account.id,
        commitment=None,
        deal_source="explicit",
        first_seats=(seat, seat),
    )
    deal = game.deal_to_wire(game.deal(game.options_type(), 2, drawn.seed))
    first, secret, state = play.started(game, match, Secret(None, (None, None), deal))
    drafts, state = _played(drawn, plies, match, state)
    whole = [play.created(match), first, *drafts]
    matches.create(LiveMatch(match, secret, None, 0, 0.0), Plan(whole, state, secret, seats=(0, 1)), None)
    return Prepared(match_id, len(whole), drawn.actions[plies : plies + SCRIPT])


_PLAYED: dict[tuple[bytes, int], tuple[list[play.Draft], Any]] = {}


def _played(drawn: Line, plies: int, match: Match, state: Any) -> tuple[list[play.Draft], Any]:
    """The drafts of the first actions of a line, and the state behind them; the same for all matches that play it."""
    key = (drawn.seed, plies)
    if key not in _PLAYED:
        game = GAMES["neues-land"]
        running = replace(match, seats=match.first_seats, status="running")
        drafts: list[play.Draft] = []
        for action in drawn.actions[:plies]:
            more, state = play.acted(game, running, state, state.seat, [action])
            drafts += more
        _PLAYED[key] = drafts, state
    return _PLAYED[key]
