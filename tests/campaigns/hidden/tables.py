"""Matches to look at: people at a table, who play by chance for a while."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.games.catalogue import GAMES
from tests.games.played import OPTIONS

MATERIAL: Any = GAMES["wunderland"].material()
PLACES_OF_CARD = {card["id"]: card["places"] for card in MATERIAL["cards"]}


@dataclass
class Table:
    """A match, with the key and the token of each seat, and the key of somebody who looks on."""

    new_service: Callable[..., Service]
    match_id: str
    callers: list[Caller]
    tokens: list[str] = field(default_factory=list)
    stranger: Caller = ANONYMOUS

    def live(self) -> LiveMatch:
        """The match as the store has it."""
        return self.new_service().live.fresh(self.match_id)

    @property
    def running(self) -> bool:
        """Whether it is still played."""
        return self.live().match.status == "running"


def set_up(new_service: Callable[..., Service], game: str, rng: random.Random, **wanted: Any) -> Table:
    """A match of that game between as many as chance says; it runs unless `start="manual"`."""
    service = new_service()
    players = rng.randint(GAMES[game].min_players, GAMES[game].max_players)
    *callers, stranger = (_registered(service, f"P{i}") for i in range(players + 1))
    seats = ["me"] + ["open"] * (players - 1)
    options = wanted.pop("options", None) or rng.choice(OPTIONS[game])
    made = service.matches.create(callers[0], NewMatch(game, seats, options, **wanted), None).body
    match_id = made["id"]
    answers = [made] + [
        service.seats.join(caller, match_id, seat=None, nonce="a-nonce", invitation=None, name=None, once=None).body
        for caller in callers[1:]
    ]
    return Table(new_service, match_id, callers, [answer["grants"][0]["token"] for answer in answers], stranger)


def _registered(service: Service, name: str) -> Caller:
    return service.accounts.authenticate(service.accounts.create(name, "human", ANONYMOUS, None).body["key"])


def play_some(table: Table, plies: int, rng: random.Random) -> None:
    """Act by chance, in Wunderland towards what the own cards ask for, so that hands have a history.

    Sometimes stop just before a card is redeemed: then what may be done hangs on what is held.
    """
    service = table.new_service()
    for _ in range(plies):
        live = service.live.current(table.match_id)
        seat = live.to_act()
        if seat is None:
            return
        legal = list(live.game.legal(live.state))
        redeeming = [action for action in legal if action.type == "redeem"]
        if redeeming and rng.random() < 0.3:
            return
        wanted = redeeming or towards_cards(live, seat, legal) or legal
        service.play.act(table.callers[seat], table.match_id, [rng.choice(wanted)], None, None, None)


def towards_cards(live: LiveMatch, seat: int, legal: Sequence[Any]) -> list[Any]:
    """The journeys of one traveller to a place of an own card where none stands yet; staying, when others travel."""
    if live.match.game != "wunderland":
        return []
    view: Any = live.game.view(live.state, seat)
    asked = {place for card in view["hand"] for place in PLACES_OF_CARD[card]}
    wanted = asked - set(view["travellers"][seat])
    journeys = [action for action in legal if action.type == "travel" and action.travellers == 1]
    direct = [action for action in journeys if action.destination in wanted and action.origin not in asked]
    return direct or [action for action in legal if action.type in ("stay", "end_turn")] or journeys
