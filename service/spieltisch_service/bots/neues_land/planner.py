"""`planner` for Neues Land: plays the best moves of `greedy` on, over tiles still unseen, and takes the mean.

Each world is one order of the unseen tiles. In it everybody plays greedily for some turns, and the position that they
come to is judged. All moves are judged in the same worlds; those that fall behind are left out of the later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spieltisch_service.bots.neues_land.greedy import actions, guests, placements
from spieltisch_service.bots.neues_land.prospects import DEFAULT_TASTE, Outlook, Taste
from spieltisch_service.games.contract import Action
from spieltisch_service.games.neues_land import rules
from spieltisch_service.games.neues_land.model import OVER, PLACE_TILE, State
from spieltisch_service.games.neues_land.scoring import outcome


@dataclass(frozen=True, slots=True)
class Effort:
    """How far to look. `nodes`: placements judged for one decision, about; `width`: moves that are compared;
    `turns`: how many turns each world is played on; `last`: so many turns before the end it is played out;
    `trust`: as how many worlds the judgement of `greedy` counts."""

    nodes: int = 3000
    width: int = 5
    turns: int = 2
    last: int = 4
    trust: float = 2.0


DEFAULT_EFFORT = Effort()


@dataclass(slots=True)
class _Move:
    """The rest of the turn that begins with an action, and what it came to so far."""

    actions: Sequence[Action]
    total: float
    worlds: float

    def mean(self) -> float:
        return self.total / self.worlds


class _Search:
    def __init__(self, worlds: Callable[[], State], effort: Effort, taste: Taste) -> None:
        self.worlds, self.effort, self.taste = worlds, effort, taste
        self.nodes = 0

    def turn(self, state: State) -> None:
        """Play a whole turn greedily, in place."""
        if state.phase == OVER:
            return
        ranked = placements(state, Outlook(state, self.taste))
        self.nodes += len(ranked)
        rules.push(state, max(ranked, key=_value)[1], [])
        rules.push(state, max(actions(state, Outlook(state, self.taste)), key=_value)[1], [])

    def judged(self, world: State, move: _Move, seat: int) -> float:
        """What comes of a move in a world."""
        state = world.copy()
        # So that the search ends where nothing more is to be placed.
        self.nodes += 1
        for action in move.actions:
            rules.push(state, action, [])
        left = len(state.deck) - state.top + sum(map(len, state.hands))
        for _ in range(left if left <= self.effort.last else self.effort.turns):
            self.turn(state)
        return standing(state, seat, self.taste)

    def best(self, moves: list[_Move], seat: int) -> Action:
        """The move with the best mean, when the nodes are spent."""
        while len(moves) > 1:
            share = self.nodes + (self.effort.nodes - self.nodes) // max(1, (len(moves) - 1).bit_length())
            while True:
                world = self.worlds()
                # As leads over the first: what a world brings to all of them tells nothing.
                values = [self.judged(world, move, seat) for move in moves]
                for move, value in zip(moves, values, strict=True):
                    move.total += value - values[0]
                    move.worlds += 1
                if self.nodes >= share:
                    break
            moves.sort(key=lambda move: -move.mean())
            moves = moves[: (len(moves) + 1) // 2]
            if self.nodes >= self.effort.nodes:
                break
        return moves[0].actions[0]


def _value(entry: tuple[float, Action]) -> float:
    return entry[0]


def standing(state: State, seat: int, taste: Taste) -> float:
    """What a position between two turns is worth to a seat."""
    rival = -taste.rival / max(1, state.players - 1)
    signs = [1.0 if other == seat else rival for other in range(state.players)]
    if state.phase == OVER:
        return sum(sign * score for sign, score in zip(signs, outcome(state).scores, strict=True))
    outlook = Outlook(state, taste)
    worth = guests(state, outlook).worth
    value = sum(signs[owner] * worth[cell] for cell, (owner, _) in state.followers.items())
    for sign, points, supply in zip(signs, state.points, state.supply, strict=True):
        value += sign * (points + outlook.supply(supply, outlook.turns))
    return value


def decide(worlds: Callable[[], State], effort: Effort = DEFAULT_EFFORT, taste: Taste = DEFAULT_TASTE) -> Action:
    """The action of the seat to act; `worlds` answers a state that could be the real one, another with each call."""
    state = worlds()
    legal = rules.legal(state)
    if len(legal) == 1:
        return legal[0]
    search = _Search(worlds, effort, taste)
    outlook = Outlook(state, taste)
    ranked: Sequence[tuple[float, Action]]
    if state.phase == PLACE_TILE:
        ranked = placements(state, outlook)
        search.nodes += len(ranked)
    else:
        ranked = actions(state, outlook)
    ranked = sorted(ranked, key=_value, reverse=True)[: effort.width]
    moves = []
    for value, action in ranked:
        turn = [action]
        if state.phase == PLACE_TILE:
            laid = state.copy()
            rules.push(laid, action, [])
            turn.append(max(actions(laid, Outlook(laid, taste)), key=_value)[1])
        moves.append(_Move(turn, effort.trust * (value - ranked[0][0]), effort.trust))
    return search.best(moves, state.seat)
