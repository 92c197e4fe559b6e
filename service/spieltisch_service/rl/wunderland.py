"""Wunderland for learning agents: what an agent sees, and the numbers of its actions.

| | |
|---|---|
| agents | `seat_0` … `seat_3`, 2 to 4 |
| action space | `Discrete(2866)` |
| observation | `observation`: int16 vector of the parts below; `action_mask`: int8 (2866,) |
| reward | 0 until the end, then by rank (see `env`) |
| hidden | the deck's order and the others' hands (W70): no part depends on them |
| rules | `games/wunderland/data/rules.en.md`, version 1 of our own edition: map, cards, numbering |

Every action has one number in all positions, whatever the hand: a network can learn what the number means. Of the
43 × 43 pairs of places, only the 344 that a journey can join (W21) have numbers; `JOURNEYS` lists them, by place of
departure and then destination, ids in alphabetical order.

| actions | numbers |
|---|---|
| `travel` by journey j with n travellers | 8 j + n - 1, from 0 |
| `travel_along` with n travellers | 2752 + n - 1 |
| `stay` | 2760 |
| `collect` n postcards at the k-th postcard place (`POSTS`) | 2761 + 8 k + n - 1 |
| `redeem` the k-th card (`CARDS`) | 2817 + k |
| `end_turn` | 2865 |

Parts for n players, in this order; rows by seat begin with the observer's own (`encoding`). Places, sections and cards
are in the order of `PLACES`, `SECTIONS`, `CARDS`.

| part | shape | range | |
|---|---|---|---|
| phase | 5 | 0 … 1 | one-hot: turn, companions, after, final, over |
| to_act, active | n | 0 … 1 | one-hot: who decides, whose turn it is; zeros once over |
| asked | n | 0 … 1 | who is still to answer (W22, W51) |
| round, round_limit | 1 | 0 … 1000 | later rounds than 1000 count as 1000; limit 0 is none (W52) |
| scores | n | 0 … 125 | of redeemed cards |
| standing | n | 0 … 237 | what the scores would be if the game ended now (W60, W61) |
| travellers | n, 43 | 0 … 8 | how many stand at each place |
| origin, destination | 43 | 0 … 1 | one-hot: the journey that companions are asked about |
| postcards_left | 7 | 0 … 16 | |
| postcards | n, 7 | 0 … 16 | |
| redeemed | n, 48 | 0 … 1 | cards |
| hand | 48 | 0 … 1 | the observer's own cards |
| wanted | 43 | 0 … 2 | how many of them name the place |
| hand_counts | n | 0 … 2 | how many cards each holds |
| deck_count | 1 | 0 … 48 - 2 n | |

Versions: v0, the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from spieltisch_service.games.contract import Action
from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import (
    PHASES,
    Collect,
    EndTurn,
    Redeem,
    Stay,
    Travel,
    TravelAlong,
    WunderlandOptions,
)
from spieltisch_service.games.wunderland.scoring import postcard_points
from spieltisch_service.games.wunderland.tables import BOARD
from spieltisch_service.rl.encoding import Encoding, from_chair
from spieltisch_service.rl.layout import Layout, Numbers, Part

PLACES = tuple(BOARD.places)
CARDS = tuple(BOARD.cards)
SECTIONS = BOARD.sections
#: The postcard places.
POSTS = tuple(sorted(BOARD.post))
#: Every journey: (place of departure, destination).
JOURNEYS = tuple((origin, to) for origin in sorted(BOARD.near) for to in BOARD.near[origin])

_PLACE = {place: number for number, place in enumerate(PLACES)}
_CARD = {card: number for number, card in enumerate(CARDS)}
_POST = {place: number for number, place in enumerate(POSTS)}
_JOURNEY = {journey: number for number, journey in enumerate(JOURNEYS)}

_MOST = BOARD.travellers
TRAVEL_ALONG = _MOST * len(JOURNEYS)
STAY = TRAVEL_ALONG + _MOST
COLLECT = STAY + 1
REDEEM = COLLECT + _MOST * len(POSTS)
END_TURN = REDEEM + len(CARDS)

#: The last round that is told from later ones; no round limit is greater.
_LAST_ROUND = 1000
_MOST_POINTS = BOARD.cards_to_end * max(card.points for card in BOARD.cards.values())
_MOST_POSTCARD_POINTS = postcard_points([BOARD.scored_per_section] * len(SECTIONS))


def index(action: Action) -> int:
    """The number of an action."""
    if isinstance(action, Travel):
        return _MOST * _JOURNEY[action.origin, action.destination] + action.travellers - 1
    if isinstance(action, TravelAlong):
        return TRAVEL_ALONG + action.travellers - 1
    if isinstance(action, Stay):
        return STAY
    if isinstance(action, Collect):
        return COLLECT + _MOST * _POST[action.place] + action.postcards - 1
    if isinstance(action, Redeem):
        return REDEEM + _CARD[action.card]
    assert isinstance(action, EndTurn)
    return END_TURN


def _layout(players: int) -> Layout:
    places, sections, cards = len(PLACES), len(SECTIONS), len(CARDS)
    return Layout(
        [
            Part("phase", (len(PHASES),), 0, 1),
            Part("to_act", (players,), 0, 1),
            Part("active", (players,), 0, 1),
            Part("asked", (players,), 0, 1),
            Part("round", (1,), 0, _LAST_ROUND),
            Part("round_limit", (1,), 0, _LAST_ROUND),
            Part("scores", (players,), 0, _MOST_POINTS),
            Part("standing", (players,), 0, _MOST_POINTS + _MOST_POSTCARD_POINTS),
            Part("travellers", (players, places), 0, _MOST),
            Part("origin", (places,), 0, 1),
            Part("destination", (places,), 0, 1),
            Part("postcards_left", (sections,), 0, BOARD.stack),
            Part("postcards", (players, sections), 0, BOARD.stack),
            Part("redeemed", (players, cards), 0, 1),
            Part("hand", (cards,), 0, 1),
            Part("wanted", (places,), 0, BOARD.hand_size),
            Part("hand_counts", (players,), 0, BOARD.hand_size),
            Part("deck_count", (1,), 0, cards - BOARD.hand_size * players),
        ]
    )


class WunderlandEncoding(Encoding):
    """Views and actions of Wunderland as numbers."""

    version: ClassVar[int] = 0

    def __init__(self, players: int, options: WunderlandOptions) -> None:
        self.game = WUNDERLAND
        self.layout = _layout(players)
        self.action_count = END_TURN + 1
        self._players = players
        self._round_limit = options.round_limit or 0

    def indices(self, view: Mapping[str, Any], legal: Sequence[Action]) -> list[int]:  # noqa: ARG002
        """The numbers of `legal`, which do not depend on the view."""
        return [index(action) for action in legal]

    def describe(
        self,
        view: Mapping[str, Any],
        legal: Sequence[Action],  # noqa: ARG002
        parts: Mapping[str, Numbers],
    ) -> None:
        """Write the parts that the module's docstring lists."""
        state, seat, players = view["state"], view["seat"], self._players
        parts["phase"][PHASES.index(view["phase"])] = 1
        for name, who in (("to_act", view["to_act"]), ("active", state["active_seat"])):
            if who is not None:
                parts[name][(who - seat) % players] = 1
        for who in state["seats_to_ask"]:
            parts["asked"][(who - seat) % players] = 1
        parts["round"][0] = min(state["round"], _LAST_ROUND)
        parts["round_limit"][0] = self._round_limit
        if state["journey"] is not None:
            parts["origin"][_PLACE[state["journey"]["origin"]]] = 1
            parts["destination"][_PLACE[state["journey"]["destination"]]] = 1
        parts["postcards_left"][:] = [state["postcards_left"][section] for section in SECTIONS]
        parts["hand_counts"][:] = from_chair(seat, state["hand_counts"])
        parts["deck_count"][0] = state["deck_count"]
        self._describe_hand(state["hand"], parts)
        self._describe_seats(state, seat, parts)

    def _describe_hand(self, hand: Sequence[str], parts: Mapping[str, Numbers]) -> None:
        for card in hand:
            parts["hand"][_CARD[card]] = 1
            for place in BOARD.cards[card].places:
                parts["wanted"][_PLACE[place]] += 1

    def _describe_seats(self, state: Mapping[str, Any], seat: int, parts: Mapping[str, Numbers]) -> None:
        for row, who in enumerate(from_chair(seat, range(self._players))):
            travellers = state["travellers"][who]
            parts["travellers"][row, [_PLACE[place] for place in travellers]] = list(travellers.values())
            piles = [state["postcards"][who][section] for section in SECTIONS]
            parts["postcards"][row] = piles
            redeemed = state["redeemed"][who]
            parts["redeemed"][row, [_CARD[card] for card in redeemed]] = 1
            points = sum(BOARD.cards[card].points for card in redeemed)
            parts["scores"][row] = points
            parts["standing"][row] = points + postcard_points(piles)
