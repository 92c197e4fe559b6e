"""Deals and states as plain data, and back.

A deal may come from anybody and is checked; a state comes from this module alone.

The lists of a board are stored as they are and taken over as they come, so that both ways cost next to nothing; only
what is a dict in memory is split into lists. Kinds are stored by number (`tables`): a change of the tiles changes
`rules_version` and asks for a new format here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

from spieltisch_service.games.contract import Plain
from spieltisch_service.games.errors import InvalidDeal, UnknownFormat
from spieltisch_service.games.neues_land.board import Board
from spieltisch_service.games.neues_land.model import PHASES, Deal, NeuesLandOptions, State
from spieltisch_service.games.neues_land.tables import AVAILABLE, DECK_SIZE, KIND_IDS, KIND_NUMBER, START_KIND

_FORMAT = 1
_DEAL_KEYS = ("deck", "set_aside")
_BOARD_LISTS = ("cells", "shapes", "seats", "bases", "parent", "tally", "low", "high")


def parse_deal(raw: Mapping[str, Plain]) -> Deal:
    """An explicit deal, played as it stands. `set_aside` may be left out. Raises InvalidDeal.

    Deck and set-aside tiles together hold no kind more often than the 83 tiles do.
    """
    for key in raw:
        if key not in _DEAL_KEYS:
            escaped = str(key).replace("~", "~0").replace("/", "~1")
            raise InvalidDeal(f"/{escaped}", "unknown", f"A deal has no {key!r}, only deck and set_aside.")
    if "deck" not in raw:
        raise InvalidDeal("/deck", "missing", "A deal needs a deck.")
    used: Counter[str] = Counter()
    deck = _pile("deck", raw["deck"], used)
    set_aside = _pile("set_aside", raw.get("set_aside", []), used)
    if not deck:
        raise InvalidDeal("/deck", "out_of_range", "The deck needs at least one tile.")
    return Deal(deck, set_aside)


def _pile(key: str, raw: Plain, used: Counter[str]) -> tuple[str, ...]:
    """A pile of tiles, counted into `used`."""
    if not isinstance(raw, list):
        raise InvalidDeal(f"/{key}", "wrong_type", f"{key} is a list of kind ids.")
    if len(raw) > DECK_SIZE:
        raise InvalidDeal(f"/{key}", "out_of_range", f"There are only {DECK_SIZE} tiles, not {len(raw)}.")
    for index, tile in enumerate(raw):
        pointer = f"/{key}/{index}"
        if not isinstance(tile, str):
            raise InvalidDeal(pointer, "wrong_type", "A tile is named by its kind id, a string.")
        if tile not in KIND_NUMBER:
            raise InvalidDeal(pointer, "not_one_of", f"There is no tile {tile!r}.")
        if tile == KIND_IDS[START_KIND]:
            raise InvalidDeal(pointer, "not_one_of", f"{tile} is the start tile and lies on the table already.")
        used[tile] += 1
        if used[tile] > AVAILABLE[tile]:
            raise InvalidDeal(pointer, "duplicate", f"{tile} occurs more often than the {AVAILABLE[tile]} there are.")
    return tuple(raw)


def deal_to_wire(deal: Deal) -> dict[str, Plain]:
    """The deal as JSON, always with `set_aside`."""
    return {"deck": list(deal.deck), "set_aside": list(deal.set_aside)}


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
    state.options = NeuesLandOptions(expert=data["expert"], equal_turns=data["equal_turns"])
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
