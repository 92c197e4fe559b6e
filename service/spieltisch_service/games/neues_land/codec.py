"""States as plain data, and back.

The lists of a board are stored as they are and taken over as they come, so that both ways cost next to nothing; only
what is a dict in memory is split into lists. Kinds are stored by number (`tables`): a change of the tiles changes
`rules_version` and asks for a new format here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from spieltisch_service.games.contract import Plain
from spieltisch_service.games.errors import UnknownFormat
from spieltisch_service.games.neues_land.board import Board
from spieltisch_service.games.neues_land.model import PHASES, Options, State

_FORMAT = 1
_BOARD_LISTS = ("cells", "shapes", "seats", "bases", "parent", "tally", "low", "high")


def encode(state: State) -> dict[str, Plain]:
    """The state as plain data, integers within 64 bits. Shares lists with the state: dump it, do not change it."""
    board, options = state.board, state.options
    return {
        "format": _FORMAT,
        "expert": options.expert,
        "equal_turns": options.equal_turns,
        "players": state.players,
        "deck": state.deck,
        "top": state.top,
        "set_aside_count": state.set_aside_count,
        "seat": state.seat,
        "phase": PHASES.index(state.phase),
        "turn": state.turn,
        "hands": state.hands,
        "supply": state.supply,
        "points": state.points,
        "followers": list(chain.from_iterable((cell, *who) for cell, who in state.followers.items())),
        "discarded": state.discarded,
        "open_cells": list(board.demands),
        "demands": list(board.demands.values()),
        "cells": board.cells,
        "shapes": board.shapes,
        "seats": board.seats,
        "bases": board.bases,
        "parent": board.parent,
        "tally": board.tally,
        "low": board.low,
        "high": board.high,
    }


def decode(data: Mapping[str, Any]) -> State:
    """The state that was encoded. Takes over the lists of `data`. Raises UnknownFormat."""
    if data.get("format") != _FORMAT:
        raise UnknownFormat(f"neues-land state of format {data.get('format')!r}, this version reads {_FORMAT}")
    board = Board()
    for name in _BOARD_LISTS:
        setattr(board, name, data[name])
    board.demands = dict(zip(data["open_cells"], data["demands"], strict=True))
    board.at = dict(zip(board.cells, range(len(board.cells)), strict=True))
    state = State()
    state.options = Options(expert=data["expert"], equal_turns=data["equal_turns"])
    state.players = data["players"]
    state.deck, state.top = data["deck"], data["top"]
    state.set_aside_count = data["set_aside_count"]
    state.board = board
    state.seat, state.phase, state.turn = data["seat"], PHASES[data["phase"]], data["turn"]
    state.hands, state.supply, state.points = data["hands"], data["supply"], data["points"]
    flat = data["followers"]
    state.followers = dict(zip(flat[::3], zip(flat[1::3], flat[2::3], strict=True), strict=True))
    state.discarded, state.shown = data["discarded"], []
    return state
