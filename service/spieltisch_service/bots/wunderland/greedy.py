"""`greedy` for Wunderland: the action after which the own standing is worth most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from spieltisch_service.bots.wunderland.prospects import DEFAULT_TASTE, Outlook, Standing, Taste, worth
from spieltisch_service.games.contract import Action
from spieltisch_service.games.wunderland import rules
from spieltisch_service.games.wunderland.model import (
    AFTER,
    COLLECTS,
    COMPANIONS,
    END_TURN,
    FINAL,
    JOURNEYS,
    TURN,
    Collect,
    EndTurn,
    Redeem,
    State,
    Travel,
    TravelAlong,
    to_act,
)
from spieltisch_service.games.wunderland.tables import BOARD

#: What the standing after an action is worth, the action, the standing.
Judged: TypeAlias = tuple[float, Action, Standing]

#: Goals that a first look plans; how many journeys are then looked at with every number of travellers, and how many
#: are judged in full.
_FIRST_GOALS = 2
_CLOSE_LOOKS = 3
_FULL_LOOKS = 10


def decide(state: State, taste: Taste = DEFAULT_TASTE) -> Action:
    """The action of the seat to act."""
    legal = rules.legal(state)
    if len(legal) == 1:
        return legal[0]
    seat = to_act(state)
    assert seat is not None
    if state.phase == FINAL:
        return final(state, seat)
    return ranked(state, seat, Outlook(state, seat, taste))[0][1]


def final(state: State, seat: int) -> Action:
    """W51: what scores most now; nothing can be lost by it but the travellers used."""
    standing = Standing.of(state, seat, 0)
    best, chosen = standing.score(), None
    for action in rules.legal(state):
        score = standing.score() if isinstance(action, EndTurn) else _result(standing, action, state).score()
        if score > best:
            best, chosen = score, action
    return END_TURN if chosen is None else chosen


def ranked(state: State, seat: int, outlook: Outlook) -> list[Judged]:
    """The actions that are worth a look, the best first: all, but of journeys those that a first look finds good."""
    standing = Standing.of(state, seat, 1 if state.phase == AFTER else 0)
    if state.phase == TURN:
        redeems = [action for action in rules.legal(state) if isinstance(action, Redeem)]
        found = judged(((action, standing.redeeming(action.card)) for action in redeems), outlook)
        found += judged(main_actions(standing, outlook), outlook)
    else:
        found = judged(((action, _result(standing, action, state)) for action in rules.legal(state)), outlook)
    found.sort(key=_first, reverse=True)
    return found


def judged(results: Iterable[tuple[Action, Standing]], outlook: Outlook) -> list[Judged]:
    """What each standing is worth, with all goals planned."""
    return [(worth(after, outlook, outlook.taste.goals), action, after) for action, after in results]


def _result(standing: Standing, action: Action, state: State) -> Standing:
    """The standing after an action of any phase, when nobody else does anything."""
    if isinstance(action, Redeem):
        return standing.redeeming(action.card)
    if isinstance(action, Collect):
        return standing.collected(action.place, action.postcards, standing.waits)
    if isinstance(action, TravelAlong):
        assert state.phase == COMPANIONS
        assert state.journey is not None
        return standing.moved(*state.journey, action.travellers, standing.waits)
    return standing


def main_actions(standing: Standing, outlook: Outlook) -> list[tuple[Action, Standing]]:
    """Collecting, and the journeys that a first look finds good, at the beginning of a turn (W20)."""
    spent = standing.waits + 1
    looked: list[Judged] = []

    def look(journey: Action) -> float:
        assert isinstance(journey, Travel)
        after = standing.moved(journey.origin, journey.destination, journey.travellers, spent)
        value = worth(after, outlook, _FIRST_GOALS)
        looked.append((value, journey, after))
        return value

    close: list[tuple[float, tuple[Action, ...]]] = []
    for origin, number in standing.own.items():
        journeys = JOURNEYS[origin][number]
        for first in range(0, len(journeys), number):
            last = first + number - 1
            value = look(journeys[last])
            if last > first:
                close.append((max(value, look(journeys[first])), journeys[first + 1 : last]))
    close.sort(key=_first, reverse=True)
    for _, between in close[:_CLOSE_LOOKS]:
        for journey in between:
            look(journey)
    looked.sort(key=_first, reverse=True)
    results: list[tuple[Action, Standing]] = [(journey, after) for _, journey, after in looked[:_FULL_LOOKS]]
    waits = spent if outlook.own_turn else standing.waits
    for place, number in standing.own.items():
        if place in BOARD.post:
            for action in COLLECTS[place][min(number, standing.left[BOARD.post[place]])]:
                assert isinstance(action, Collect)
                results.append((action, standing.collected(place, action.postcards, waits)))
    return results


def _first(entry: tuple[Any, ...]) -> float:
    value: float = entry[0]
    return value
