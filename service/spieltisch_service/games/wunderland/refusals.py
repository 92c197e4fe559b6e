"""Why an action is refused: the rule, a sentence, and the nearest legal actions.

Only the seat to act is told. A sentence rests on what everybody sees and on that seat's own hand; of a card
that is not in it, the answer is the same wherever the card lies (W70).
"""

from __future__ import annotations

import heapq

from spieltisch_service.games.contract import Action
from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.games.wunderland import board, rules
from spieltisch_service.games.wunderland.model import (
    AFTER,
    COMPANIONS,
    FINAL,
    OVER,
    TURN,
    Collect,
    EndTurn,
    Redeem,
    State,
    Stay,
    Travel,
    TravelAlong,
)
from spieltisch_service.games.wunderland.tables import BOARD

_FAR = 1000
#: Which other kind helps most where none of the refused kind is legal; the lower, the nearer.
_KINDS: tuple[type[Action], ...] = (EndTurn, Stay, TravelAlong, Collect, Redeem, Travel)


def refusal(state: State, action: Action) -> IllegalAction:
    """Why `action`, which is not legal in `state`, is refused."""
    rule, detail = _reason(state, action)
    return IllegalAction(rule, detail, _nearest(state, action))


def _reason(state: State, action: Action) -> tuple[str, str]:
    if state.phase == OVER:
        return "W51", "The game is over: the last seat has ended its final phase."
    if isinstance(action, Travel):
        return _no_travel(state, action)
    if isinstance(action, TravelAlong | Stay):
        return _no_answer(state, action)
    if isinstance(action, Collect):
        return _no_collect(state, action)
    if isinstance(action, Redeem):
        return _no_redeem(state, action)
    if isinstance(action, EndTurn) and state.phase == TURN:
        return "W20", "A turn cannot be passed: travel or collect before you end it."
    return "W22", _answer_first(state)


def _no_travel(state: State, action: Travel) -> tuple[str, str]:
    if state.phase == FINAL:
        return "W51", "Nobody travels in the final phase: collect, redeem or end it."
    if state.phase == COMPANIONS:
        return "W22", _answer_first(state)
    if state.phase == AFTER:
        return "W20", "The main action of this turn is done: there is no journey after it."
    if action.origin not in BOARD.places or action.destination not in BOARD.places:
        return "W21", "A journey leads from one place of the map to another."
    if action.origin == action.destination:
        return "W21", f"A journey leads to another place, not back to {_place(action.origin)}."
    far = BOARD.distance[action.origin][action.destination]
    if action.destination not in BOARD.near[action.origin]:
        there, here = _place(action.destination), _place(action.origin)
        return "W21", f"{there} is {far} tracks away from {here}; a journey goes over 1 or 2 tracks."
    return "W21", _too_many(state, state.active, action.origin, action.travellers)


def _no_answer(state: State, action: TravelAlong | Stay) -> tuple[str, str]:
    if state.phase == FINAL:
        return "W51", "Nobody travels in the final phase, so nobody is asked to come along."
    if state.phase == COMPANIONS and isinstance(action, TravelAlong):
        assert state.journey is not None
        return "W22", _too_many(state, state.asked[0], state.journey[0], action.travellers)
    return "W22", "Nobody is asked to travel along now: that comes after another player's journey."


def _no_collect(state: State, action: Collect) -> tuple[str, str]:
    if state.phase == COMPANIONS:
        return "W22", _answer_first(state)
    if not rules.may_collect(state):
        return "W20", "The main action of this turn is done: collecting would be a second one."
    section = BOARD.post.get(action.place)
    if section is None:
        return "W30", f"There are no postcards at {_place(action.place)}: it is not a postcard place."
    if not 1 <= action.postcards <= state.travellers[state.active].get(action.place, 0):
        return "W30", _too_many(state, state.active, action.place, action.postcards)
    left = state.postcards_left[section]
    return "W30", f"The stack at {_place(action.place)} has {_count(left, 'postcard')} left."


def _no_redeem(state: State, action: Redeem) -> tuple[str, str]:
    if state.phase == COMPANIONS:
        return "W40", "Cards are redeemed on your own turn only: travel along or stay."
    if action.card not in state.hands[state.active]:
        return "W40", f"The card {action.card} is not in your hand."
    empty = board.missing(state.travellers[state.active], action.card)
    return "W40", f"None of your travellers stands at {' and '.join(map(_place, empty))}."


def _answer_first(state: State) -> str:
    if state.journey is None:
        return "This is not an action of this game."
    here, there = map(_place, state.journey)
    return f"You are asked about the journey from {here} to {there}: travel along or stay."


def _too_many(state: State, seat: int, place: str, wanted: int) -> str:
    if wanted < 1:
        return "At least one traveller is needed."
    standing = state.travellers[seat].get(place, 0)
    return f"You have {_count(standing, 'traveller')} at {_place(place)}, not {wanted}."


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def _place(place: str) -> str:
    return BOARD.places[place].name["en"] if place in BOARD.places else "an unknown place"


# --- the nearest legal actions ----------------------------------------------------------------------------------


def _nearest(state: State, action: Action) -> list[Action]:
    """One to three legal actions, nearest first: those of the same kind if there are any."""
    found = rules.legal(state)
    same = [other for other in found if other.type == action.type]
    if same:
        return heapq.nsmallest(3, same, key=lambda other: _difference(action, other))
    by_kind: dict[type[Action], Action] = {}
    for other in found:
        by_kind.setdefault(type(other), other)
    return [by_kind[kind] for kind in _KINDS if kind in by_kind][:3]


def _difference(wanted: Action, other: Action) -> tuple[int, int]:
    """How far `other` is from `wanted`, an action of the same kind: first the place, then the number."""
    if isinstance(wanted, Travel) and isinstance(other, Travel):
        apart = _apart(wanted.destination, other.destination) + 2 * _apart(wanted.origin, other.origin)
        return apart, abs(wanted.travellers - other.travellers)
    if isinstance(wanted, Collect) and isinstance(other, Collect):
        return _apart(wanted.place, other.place), abs(wanted.postcards - other.postcards)
    if isinstance(wanted, TravelAlong) and isinstance(other, TravelAlong):
        return 0, abs(wanted.travellers - other.travellers)
    return 0, 0


def _apart(a: str, b: str) -> int:
    """Tracks between two places; far where one of them is not on the map."""
    return BOARD.distance.get(a, {}).get(b, _FAR)
