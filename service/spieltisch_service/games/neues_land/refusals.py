"""Which actions are accepted, and why others are not: the number of the rule, a sentence, the nearest legal actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from spieltisch_service.games.contract import Action
from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.games.neues_land.board import GUEST, REACH, cell_of
from spieltisch_service.games.neues_land.model import (
    FOLLOWER,
    OVER,
    PLACE_TILE,
    Pass,
    PlaceFollower,
    PlaceTile,
    RecallFollower,
    State,
)
from spieltisch_service.games.neues_land.rules import legal
from spieltisch_service.games.neues_land.tables import (
    DIRECTION_NAMES,
    FITS,
    KIND_IDS,
    KIND_NUMBER,
    KINDS,
    LEAST_QUARTER,
    ROTATIONS,
    SIDE_TERRAINS,
    TERRAINS,
)

_SUGGESTIONS = 3


def accepted(state: State, action: Action) -> Action:
    """The recorded form of `action`, which is `action` itself unless another rotation shows the same tile (N22).

    Raises IllegalAction.
    """
    if state.phase == OVER:
        _refuse(state, action, "N40", "The game is over.")
    if isinstance(action, PlaceTile):
        return _accepted_tile(state, action)
    if state.phase != FOLLOWER:
        _refuse(state, action, "N23", "A tile must be laid first; a follower or a pass comes after it.")
    if isinstance(action, PlaceFollower):
        _check_place(state, action)
    elif isinstance(action, RecallFollower):
        _check_recall(state, action)
    elif not isinstance(action, Pass):
        raise TypeError(f"not an action of Neues Land: {action!r}")
    return action


def _cell(x: int, y: int) -> int:
    """The cell at (x, y); -1, which is no cell, where no tile can ever lie."""
    return cell_of(x, y) if -REACH <= x <= REACH and -REACH <= y <= REACH else -1


def _accepted_tile(state: State, action: PlaceTile) -> PlaceTile:
    if state.phase != PLACE_TILE:
        _refuse(state, action, "N23", "The tile is laid; now place a follower, recall one, or pass.")
    hand = state.hands[state.seat]
    kind = KIND_NUMBER.get(action.tile, -1)
    if kind not in hand:
        names = " and ".join(KIND_IDS[held] for held in hand)
        if state.options.expert:
            _refuse(state, action, "N51", f"{action.tile} is not in the hand, which holds {names}.")
        _refuse(state, action, "N20", f"{action.tile} is not the drawn tile, which is {names}.")
    if action.rotation not in ROTATIONS:
        _refuse(state, action, "N10", f"A tile is turned by 0, 90, 180 or 270 degrees, not by {action.rotation}.")
    demand = state.board.demands.get(_cell(action.x, action.y))
    quarter = action.rotation // 90
    least = LEAST_QUARTER[kind][quarter]
    if demand is None or kind * 4 + least not in FITS[kind][demand]:
        _refuse_placement(state, action, kind, demand)
    if least == quarter:
        return action
    return PlaceTile(tile=action.tile, x=action.x, y=action.y, rotation=90 * least)


def _refuse_placement(state: State, action: PlaceTile, kind: int, demand: int | None) -> NoReturn:
    """Say why the tile of the hand cannot lie there (N22, N51)."""
    place = f"({action.x}, {action.y})"
    if demand is None:
        if _cell(action.x, action.y) in state.board.at:
            _refuse(state, action, "N22", f"A tile lies at {place} already.")
        _refuse(state, action, "N22", f"A tile at {place} would share no edge with a placed tile.")
    if not state.board.fits_somewhere(kind):
        _refuse(state, action, "N51", f"{action.tile} fits nowhere now and stays in the hand; lay the other tile.")
    shown = SIDE_TERRAINS[kind * 4 + action.rotation // 90]
    clashes = [
        f"its {DIRECTION_NAMES[direction]} edge would show {TERRAINS[own]} beside {TERRAINS[asked]}"
        for direction, own in enumerate(shown)
        if (asked := demand >> 2 * direction & 3) not in (0, own)
    ]
    reasons = ", ".join(clashes)
    _refuse(state, action, "N22", f"{action.tile} does not fit at {place} turned by {action.rotation}: {reasons}.")


def _check_place(state: State, action: PlaceFollower) -> None:
    board = state.board
    kind = KINDS[board.shapes[-1] >> 2]
    if not 0 <= action.region < len(kind.terrains):
        _refuse(state, action, "N24", f"The tile just laid, {kind.id}, has regions 0 to {len(kind.terrains) - 1} only.")
    if not state.supply[state.seat]:
        _refuse(state, action, "N24", "There is no follower in the supply; all four are on the board.")
    if board.tally[board.root(board.bases[-1] + action.region)] >= GUEST:
        terrain = TERRAINS[kind.terrains[action.region]]
        _refuse(state, action, "N24", f"A follower stands in the {terrain} area of region {action.region} already.")


def _check_recall(state: State, action: RecallFollower) -> None:
    place = f"({action.x}, {action.y})"
    follower = state.followers.get(_cell(action.x, action.y))
    if follower is None:
        _refuse(state, action, "N25", f"No follower stands at {place}.")
    if follower[0] != state.seat:
        _refuse(state, action, "N25", f"The follower at {place} belongs to seat {follower[0]}.")


def _refuse(state: State, action: Action, rule: str, detail: str) -> NoReturn:
    raise IllegalAction(rule, detail, nearest(state, action))


def nearest(state: State, action: Action) -> list[Action]:
    """One to three legal actions, those most like `action` first; none when the game is over."""
    likeness = _likeness(action)
    return sorted(legal(state), key=likeness)[:_SUGGESTIONS]


def _likeness(action: Action) -> Callable[[Action], tuple[int, ...]]:
    """A key by which legal actions sort from most to least like `action`."""

    def key(other: Action) -> tuple[int, ...]:
        if isinstance(action, PlaceTile) and isinstance(other, PlaceTile):
            steps = abs(action.x - other.x) + abs(action.y - other.y)
            return (action.tile != other.tile, steps, (other.rotation - action.rotation) % 360)
        if isinstance(action, PlaceFollower) and isinstance(other, PlaceFollower):
            return (0, abs(action.region - other.region))
        if isinstance(action, RecallFollower) and isinstance(other, RecallFollower):
            return (0, abs(action.x - other.x) + abs(action.y - other.y))
        return (2 - isinstance(other, Pass),)

    return key
