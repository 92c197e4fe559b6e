"""`planner` for Wunderland: looks some turns of its own ahead, in worlds where the hidden cards are drawn.

In each world the order of the deck is one that could be. A beam of the best standings goes from turn to turn; the
others are thought of as a clock (`prospects.Outlook`), not as players. An action is judged by the best standing that
it leads to, in the mean over the worlds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spieltisch_service.bots.wunderland.greedy import Judged, final, main_actions, ranked
from spieltisch_service.bots.wunderland.prospects import DEFAULT_TASTE, Course, Outlook, Standing, Taste, course
from spieltisch_service.games.contract import Action
from spieltisch_service.games.wunderland import board, rules
from spieltisch_service.games.wunderland.model import AFTER, COMPANIONS, FINAL, State, Travel, to_act


@dataclass(frozen=True, slots=True)
class Effort:
    """How far to look. `nodes`: standings judged for one decision, about; `turns`: own turns ahead in each world;
    `width`: standings that go on."""

    nodes: int = 4000
    turns: int = 2
    width: int = 8


DEFAULT_EFFORT = Effort()

#: Turns by which plans are wrong, about; what a turn too late leaves of a goal; a lead that is hardly lost any more.
_DOUBT = 1.0
_BLUR = 0.6
_SURE = 20.0


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a first action led to; `rivals` are the courses of the others after it."""

    value: float
    first: int
    standing: Standing
    rivals: Sequence[Course]


def decide(worlds: Callable[[], State], effort: Effort = DEFAULT_EFFORT, taste: Taste = DEFAULT_TASTE) -> Action:
    """The action of the seat to act; `worlds` answers a state that could be the real one, another with each call."""
    state = worlds()
    legal = rules.legal(state)
    if len(legal) == 1:
        return legal[0]
    seat = to_act(state)
    assert seat is not None
    if state.phase == FINAL:
        return final(state, seat)
    outlook = Outlook(state, seat, taste)
    firsts = ranked(state, seat, outlook)[: effort.width]
    if state.phase == AFTER or len(firsts) == 1:
        return firsts[0][1]
    totals = [0.0] * len(firsts)
    judged = -1
    # A world in which nothing is judged is one where all is over, and so are the others.
    while judged < outlook.nodes < effort.nodes:
        judged = outlook.nodes
        lines = _begun(state, seat, firsts, outlook)
        for i, value in enumerate(_ahead(lines, outlook, effort)):
            totals[i] += value
        state = worlds()
    return firsts[max(range(len(firsts)), key=totals.__getitem__)][1]


def _begun(state: State, seat: int, firsts: Sequence[Judged], outlook: Outlook) -> list[_Line]:
    """The lines after each first action, in a world."""
    others = [_other(state, seat, other) for other in range(state.players) if other != seat]
    rivals = [course(other, outlook) for other in others]
    # What is drawn next by the own seat, if the others draw as many as their share.
    draws = state.deck[:: state.players]
    lines = []
    for i, (_, action, after) in enumerate(firsts):
        then = rivals
        if isinstance(action, Travel):
            then = [
                _along(other, action, rival, outlook) if action.origin in other.own else rival
                for other, rival in zip(others, rivals, strict=True)
            ]
        known = after.drawing(draws)
        lines.append(_Line(lead(course(known, outlook), then), i, known, then))
    return lines


def _along(other: Standing, journey: Travel, stays: Course, outlook: Outlook) -> Course:
    """The course of a seat that may travel along (W22), and does if that brings it forward."""
    best = stays
    number = other.own[journey.origin]
    for travellers in {1, min(2, number), number}:
        goes = course(other.moved(journey.origin, journey.destination, travellers, other.waits), outlook)
        if goes.ends < best.ends:
            best = goes
    return best


def _other(state: State, seat: int, other: int) -> Standing:
    """The standing of another seat in a world: the cards in its hand, and those that it draws."""
    standing = Standing.of(state, other, 1 if state.phase == COMPANIONS and other == state.active else 0)
    standing.draws = state.deck[(other - seat) % state.players :: state.players]
    return standing


def _ahead(lines: list[_Line], outlook: Outlook, effort: Effort) -> list[float]:
    """By first action, what the best standing is worth that it led to; of those left behind, what they were."""
    found = [line.value for line in lines]
    for _ in range(effort.turns):
        ahead: dict[tuple[object, ...], _Line] = {}
        for line in lines:
            for after in _turn(line, outlook):
                key = _key(after)
                if key not in ahead or ahead[key].value < after.value:
                    ahead[key] = after
        lines = sorted(ahead.values(), key=lambda line: -line.value)[: effort.width]
        best: dict[int, float] = {}
        for line in lines:
            best.setdefault(line.first, line.value)
        floor = lines[-1].value
        found = [best.get(i, min(value, floor)) for i, value in enumerate(found)]
    return found


def _key(line: _Line) -> tuple[object, ...]:
    standing = line.standing
    return line.first, frozenset(standing.own.items()), standing.points, frozenset(standing.piles.items())


def _turn(line: _Line, outlook: Outlook) -> list[_Line]:
    """The lines after one more turn, or the line itself once it has ended the game."""
    standing = _redeemed(line.standing)
    if standing.ended:
        return [_Line(lead(course(standing, outlook), line.rivals), line.first, standing, line.rivals)]
    found = []
    for _, after in main_actions(standing, outlook):
        then = _redeemed(after)
        found.append(_Line(lead(course(then, outlook), line.rivals), line.first, then, line.rivals))
    return found


def _redeemed(standing: Standing) -> Standing:
    """The standing when everything is redeemed that is fulfilled."""
    while not standing.ended:
        card = next((card for card in standing.hand if board.fulfils(standing.own, card)), None)
        if card is None:
            break
        standing = standing.redeeming(card)
    return standing


def lead(own: Course, rivals: Sequence[Course]) -> float:
    """How far ahead the own course comes out of the game, near 0 in steps of points, far away in hardly any.

    Who ends the game first is not certain, but the more likely the earlier the plan says.
    """
    theirs = min([rival.ends for rival in rivals])
    first = 1 / (1 + math.exp(min(50.0, (own.ends - theirs - 0.5) / _DOUBT)))
    if_first = own.at(own.ends, _BLUR) - max([rival.at(own.ends, _BLUR) for rival in rivals])
    if_later = own.at(theirs, _BLUR) - max([rival.at(theirs, _BLUR) for rival in rivals])
    points = first * if_first + (1 - first) * if_later
    return _SURE * math.tanh(points / _SURE) + points / 10
