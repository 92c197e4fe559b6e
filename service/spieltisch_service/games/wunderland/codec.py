"""States as plain data, and deals from and to JSON.

An encoded state has the key `format`; lists are taken over by `decode`, not copied. Places, sections and cards
go by their ids, so that a state stays readable where it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spieltisch_service.games.contract import Plain
from spieltisch_service.games.errors import InvalidDeal, UnknownFormat
from spieltisch_service.games.wunderland.model import PHASES, Deal, State, WunderlandOptions
from spieltisch_service.games.wunderland.tables import BOARD

FORMAT = 1

_PHASES = {phase: phase for phase in PHASES}


def encode(state: State) -> dict[str, Plain]:
    """The state as plain data; shares nothing with it."""
    return {
        "format": FORMAT,
        "options": [state.options.postcards, state.options.round_limit],
        "phase": state.phase,
        "turn": state.turn,
        "round": state.round,
        "active": state.active,
        "asked": list(state.asked),
        "journey": None if state.journey is None else list(state.journey),
        "travellers": [dict(sorted(own.items())) for own in state.travellers],
        "left": list(state.postcards_left.values()),
        "postcards": [list(own.values()) for own in state.postcards],
        "redeemed": [cards.copy() for cards in state.redeemed],
        "hands": [cards.copy() for cards in state.hands],
        "deck": list(state.deck),
    }


def decode(data: Mapping[str, Any]) -> State:
    """The state that was encoded. Raises `UnknownFormat` for another format than this one."""
    if data.get("format") != FORMAT:
        raise UnknownFormat(f"wunderland state of format {data.get('format')!r}")
    postcards, round_limit = data["options"]
    sections = BOARD.sections
    journey = data["journey"]
    return State(
        options=WunderlandOptions(postcards, round_limit),
        players=len(data["hands"]),
        phase=_PHASES[data["phase"]],
        turn=data["turn"],
        round=data["round"],
        active=data["active"],
        asked=tuple(data["asked"]),
        journey=None if journey is None else (journey[0], journey[1]),
        travellers=data["travellers"],
        postcards_left=dict(zip(sections, data["left"], strict=True)),
        postcards=[dict(zip(sections, own, strict=True)) for own in data["postcards"]],
        redeemed=data["redeemed"],
        points=[sum([BOARD.cards[card].points for card in cards]) for cards in data["redeemed"]],
        hands=data["hands"],
        deck=tuple(data["deck"]),
    )


def parse_deal(raw: Mapping[str, Any], players: int) -> Deal:
    """An explicit deal (last section of the rules). Raises `InvalidDeal`.

    Each card at most once, and at least a hand for each of `players`; a deck may be shorter than the full one.
    """
    for key in raw:
        if key != "deck":
            pointer = "/" + key.replace("~", "~0").replace("/", "~1")
            raise InvalidDeal(pointer, "unknown", "A deal of Wunderland has the key deck alone.")
    if "deck" not in raw:
        raise InvalidDeal("/deck", "missing", "A deal of Wunderland has a deck.")
    deck = raw["deck"]
    if not isinstance(deck, list):
        raise InvalidDeal("/deck", "wrong_type", "The deck is a list of card ids.")
    seen: set[str] = set()
    for index, card in enumerate(deck):
        pointer = f"/deck/{index}"
        if not isinstance(card, str):
            raise InvalidDeal(pointer, "wrong_type", "A card is named by its id.")
        if card not in BOARD.cards:
            raise InvalidDeal(pointer, "not_one_of", "There is no such destination card.")
        if card in seen:
            raise InvalidDeal(pointer, "duplicate", f"The deal names {card} more than once.")
        seen.add(card)
    least = players * BOARD.hand_size
    if len(deck) < least:
        raise InvalidDeal("/deck", "out_of_range", f"A deal for {players} players has at least {least} cards.")
    return Deal(tuple(deck))


def deal_to_wire(deal: Deal) -> dict[str, Plain]:
    """The deal as JSON."""
    return {"deck": list(deal.deck)}
