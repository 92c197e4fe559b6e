"""What a seat, or a spectator, may see (W70): the `state` part of a view, put together from an allow-list.

`round` is the round being played, 1 first; it stays in the final phase, so `round_limit` is its highest value.
`active_seat` is whose turn it is, in the final phase whose part of it, and null once the game is over.
`seats_to_ask` are the seats still to answer, the one to act first: companions (W22) or the final phase (W51).
"""

from __future__ import annotations

from typing import Any

from spieltisch_service.games.wunderland.model import OVER, State


def view(state: State, seat: int | None) -> dict[str, Any]:
    """The state as `seat` sees it, or as everybody does (None). `hand` is null but for a seat's own."""
    journey = state.journey
    return {
        "round": state.round,
        "active_seat": None if state.phase == OVER else state.active,
        "journey": None if journey is None else {"origin": journey[0], "destination": journey[1]},
        "seats_to_ask": list(state.asked),
        "travellers": [dict(sorted(own.items())) for own in state.travellers],
        "postcards_left": state.postcards_left.copy(),
        "postcards": [own.copy() for own in state.postcards],
        "redeemed": [cards.copy() for cards in state.redeemed],
        "hand": None if seat is None else state.hands[seat].copy(),
        "hand_counts": [len(cards) for cards in state.hands],
        "deck_count": len(state.deck),
    }
