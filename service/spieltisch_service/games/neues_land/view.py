"""What everybody sees. Only the order of the deck and the tiles set aside are hidden, so all viewers see the same."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from spieltisch_service.games.contract import Plain
from spieltisch_service.games.neues_land.board import place_of
from spieltisch_service.games.neues_land.model import State
from spieltisch_service.games.neues_land.rules import Drawn
from spieltisch_service.games.neues_land.tables import FOLLOWERS, KIND_IDS, KINDS


def view(state: State) -> dict[str, Plain]:
    """The `state` part of a view. Entries of `tiles` are shared between views; do not change them."""
    board = state.board
    shown = _tiles(state)
    followers: list[Plain] = []
    for cell, (seat, region) in state.followers.items():
        x, y = place_of(cell)
        terrain = KINDS[board.shapes[board.at[cell]] >> 2].terrains[region]
        followers.append({"seat": seat, "x": x, "y": y, "region": region, "kind": FOLLOWERS[terrain]})
    last = shown[-1]
    return {
        "tiles": shown.copy(),
        "followers": followers,
        "supply": state.supply.copy(),
        "hands": [[KIND_IDS[kind] for kind in hand] for hand in state.hands],
        "last": {"x": last["x"], "y": last["y"]} if len(shown) > 1 else None,
        "deck_count": len(state.deck) - state.top,
        "set_aside_count": state.set_aside_count,
        "discarded": [KIND_IDS[kind] for kind in state.discarded],
    }


def _tiles(state: State) -> list[dict[str, Any]]:
    """The placed tiles in order of laying; only those that no earlier view of this play has built are built."""
    board, shown = state.board, state.shown
    if len(shown) < len(board.cells):
        shown = shown.copy()
        first = len(shown)
        shown += map(_tile, board.cells[first:], board.shapes[first:], board.seats[first:])
        state.shown = shown
    return shown


# A match that is read again from the store shows the same tiles as before.
@lru_cache(maxsize=1 << 14)
def _tile(cell: int, shape: int, seat: int) -> dict[str, Any]:
    x, y = place_of(cell)
    return {
        "x": x,
        "y": y,
        "tile": KIND_IDS[shape >> 2],
        "rotation": (shape & 3) * 90,
        "seat": None if seat < 0 else seat,
    }


def event_data(drawn: list[Drawn], discarded: list[int]) -> dict[str, Plain]:
    """What events say about tiles: who drew what in order (N20, N50, N53), and what left the game (N21, N52)."""
    return {
        "drawn": [{"seat": seat, "tile": KIND_IDS[kind]} for seat, kind in drawn],
        "discarded": [KIND_IDS[kind] for kind in discarded],
    }
