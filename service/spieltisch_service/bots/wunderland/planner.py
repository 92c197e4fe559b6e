"""`planner` for Wunderland: looks some turns of its own ahead, in worlds where the hidden cards are drawn.

In each world the order of the deck is one that could be. A beam of the best standings goes from turn to turn; the
others are thought of as a clock (`prospects.Outlook`), not as players. An action is judged by the best standing that
it leads to, in the mean over the worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spieltisch_service.bots.wunderland.greedy import final, main_actions, ranked
from spieltisch_service.bots.wunderland.prospects import DEFAULT_TASTE, Outlook, Standing, Taste, worth
from spieltisch_service.games.contract import Action
from spieltisch_service.games.wunderland import board, rules
from spieltisch_service.games.wunderland.model import AFTER, FINAL, State, to_act


@dataclass(frozen=True, slots=True)
class Effort:
    """How far to look. `nodes`: standings judged for one decision, about; `turns`: own turns ahead in each world;
    `width`: standings that go on."""

    nodes: int = 900
    turns: int = 3
    width: int = 6


DEFAULT_EFFORT = Effort()


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a first action led to. `late`: points that count less, for they are made later than now."""

    value: float
    first: int
    standing: Standing
    late: float


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
        lines = [_Line(value, i, after.drawing(state.deck), 0.0) for i, (value, _, after) in enumerate(firsts)]
        for i, value in enumerate(_ahead(lines, outlook, effort)):
            totals[i] += value
        state = worlds()
    return firsts[max(range(len(firsts)), key=totals.__getitem__)][1]


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
    if line.standing.ended:
        return [line]
    standing, late = _redeemed(line.standing, line.late, outlook)
    if standing.ended:
        return [_Line(worth(standing, outlook, 0) - late, line.first, standing, late)]
    found = []
    for value, _, after in main_actions(standing, outlook):
        lost = late + (after.score() - standing.score()) * (1 - outlook.weights[standing.waits])
        then, lost_then = _redeemed(after, lost, outlook)
        if then is not after:
            value = worth(then, outlook, outlook.taste.goals)
        found.append(_Line(value - lost_then, line.first, then, lost_then))
    return found


def _redeemed(standing: Standing, late: float, outlook: Outlook) -> tuple[Standing, float]:
    """Redeem what is fulfilled, drawing cards, and how many points that makes late."""
    while not standing.ended:
        card = next((card for card in standing.hand if board.fulfils(standing.own, card)), None)
        if card is None:
            break
        after = standing.redeeming(card)
        late += (after.points - standing.points) * (1 - outlook.weights[max(0, standing.waits - 1)])
        standing = after
    return standing, late
