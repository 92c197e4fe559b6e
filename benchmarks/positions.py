"""Positions in the middle of games, and the actions that lead on from there, played by chance from given seeds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spieltisch_service.games.contract import Action, Game


@dataclass(frozen=True, slots=True)
class Line:
    """A game played by chance: its deal seed, its first actions, and the state after them."""

    seed: bytes
    actions: Sequence[Action]
    state: Any


def line(game: Game[Any], players: int, plies: int, seed: int) -> Line:
    """A line of `plies` actions. Seeds whose game ends before that are passed over."""
    rng = random.Random(f"{game.id} {seed}")
    while True:
        deal_seed = rng.randbytes(32)
        options = game.options_type()
        state, _ = game.start(options, game.deal(options, players, deal_seed), players)
        playout = game.playout(state)
        actions: list[Action] = []
        while len(actions) < plies and playout.to_act() is not None:
            actions.append(rng.choice(playout.legal()))
            playout.push(actions[-1])
        if playout.to_act() is not None or len(actions) == plies:
            return Line(deal_seed, actions, playout.snapshot())
