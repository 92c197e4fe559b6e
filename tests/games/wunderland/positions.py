"""Positions for the rules' tests: a match in the middle, written down instead of played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from spieltisch_service.games.contract import Action
from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import State, WunderlandOptions

#: Cards that no test's travellers fulfil by accident.
DECK = ["c33", "c34", "c35", "c36", "c37", "c38", "c39", "c40", "c41", "c42"]


def action_of(raw: Mapping[str, Any]) -> Action:
    """The action that its JSON form names."""
    fields = {key: value for key, value in raw.items() if key != "type"}
    name = "".join(part.capitalize() for part in raw["type"].split("_"))
    return next(kind for kind in WUNDERLAND.actions if kind.__name__ == name)(**fields)


def travel(origin: str, destination: str, travellers: int) -> Action:
    return action_of({"type": "travel", "origin": origin, "destination": destination, "travellers": travellers})


def along(travellers: int) -> Action:
    return action_of({"type": "travel_along", "travellers": travellers})


def collect(place: str, postcards: int) -> Action:
    return action_of({"type": "collect", "place": place, "postcards": postcards})


def redeem(card: str) -> Action:
    return action_of({"type": "redeem", "card": card})


STAY = action_of({"type": "stay"})
END = action_of({"type": "end_turn"})


def new_match(
    players: int = 2, deck: Sequence[str] = DECK, postcards: str = "own_turn", round_limit: int | None = None
) -> State:
    """A match that has just begun."""
    options = WunderlandOptions(postcards=postcards, round_limit=round_limit)  # type: ignore[arg-type]
    deal = WUNDERLAND.parse_deal({"deck": list(deck)}, options, players)
    return WUNDERLAND.start(options, deal, players)[0]


def position(
    *travellers: Mapping[str, int],
    hands: Mapping[int, Sequence[str]] | None = None,
    deck: Sequence[str] = DECK,
    redeemed: Mapping[int, Sequence[str]] | None = None,
    postcards: Mapping[int, Mapping[str, int]] | None = None,
    rule: str = "own_turn",
    round_limit: int | None = None,
) -> State:
    """Seat 0 begins a turn; `travellers` by seat, the rest of the eight at Knuffingen; `deck` is what is left."""
    players = len(travellers)
    state = new_match(players, postcards=rule, round_limit=round_limit)
    for seat, placed in enumerate(travellers):
        home = 8 - sum(placed.values())
        state.travellers[seat] = {**({"knuffingen": home} if home else {}), **placed}
    for seat, cards in (hands or {}).items():
        state.hands[seat] = list(cards)
    material: dict[str, Any] = WUNDERLAND.material()
    worth: dict[str, int] = {card["id"]: card["points"] for card in material["cards"]}
    for seat, cards in (redeemed or {}).items():
        state.redeemed[seat] = list(cards)
        state.points[seat] = sum(worth[card] for card in cards)
    for seat, taken in (postcards or {}).items():
        state.postcards[seat] |= taken
        for section, number in taken.items():
            state.postcards_left[section] -= number
    state.deck = tuple(deck)
    return state


def play(state: State, *actions: Action) -> State:
    """The state after these legal actions; also holds that `apply` leaves the state before as it was."""
    for action in actions:
        before = state
        kept = WUNDERLAND.encode(before), WUNDERLAND.scores(before)
        state, _ = WUNDERLAND.apply(before, action)
        assert (WUNDERLAND.encode(before), WUNDERLAND.scores(before)) == kept
    return state


def refused(state: State, action: Action) -> IllegalAction:
    """How `action` is refused; also holds that the refusal is sound."""
    before = WUNDERLAND.encode(state)
    with pytest.raises(IllegalAction) as caught:
        WUNDERLAND.apply(state, action)
    legal = list(WUNDERLAND.legal(state))
    assert action not in legal
    assert 1 <= len(caught.value.suggestions) <= 3
    assert len(set(caught.value.suggestions)) == len(caught.value.suggestions)
    assert set(caught.value.suggestions) <= set(legal)
    assert caught.value.detail.endswith(".")
    assert WUNDERLAND.encode(state) == before
    return caught.value
