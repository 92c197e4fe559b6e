"""`greedy` for Neues Land: the placement, then the follower's action, after which the position is worth most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spieltisch_service.bots.neues_land.prospects import DEFAULT_TASTE, SIDES, Outlook, Taste
from spieltisch_service.games.contract import Action
from spieltisch_service.games.neues_land import rules
from spieltisch_service.games.neues_land.board import GUEST, Board, cell_of, place_of
from spieltisch_service.games.neues_land.model import (
    PLACE_TILE,
    PlaceFollower,
    PlaceTile,
    RecallFollower,
    State,
)
from spieltisch_service.games.neues_land.scoring import follower_points
from spieltisch_service.games.neues_land.tables import FOLLOWERS_PER_PLAYER, KIND_NUMBER, KINDS, MOUNTAIN, SIDE_REGIONS


def decide(state: State, taste: Taste = DEFAULT_TASTE) -> Action:
    """The action of the seat to act."""
    legal = rules.legal(state)
    if len(legal) == 1:
        return legal[0]
    outlook = Outlook(state, taste)
    ranked = placements(state, outlook) if state.phase == PLACE_TILE else actions(state, outlook)
    return max(ranked, key=lambda entry: entry[0])[1]


@dataclass(frozen=True, slots=True)
class Guests:
    """What the followers on the board are worth before the turn.

    `worth` by cell; `cells`: by root, the empty cells that an area faces; `signs` by seat: 1 for the own, less than
    nothing for the others.
    """

    worth: Mapping[int, float]
    cells: Mapping[int, set[int]]
    signs: tuple[float, ...]


def guests(state: State, outlook: Outlook) -> Guests:
    """The followers as the turn begins."""
    board = state.board
    cells = outlook.open_cells(board)
    rival = -outlook.taste.rival / max(1, state.players - 1)
    signs = tuple(1.0 if seat == state.seat else rival for seat in range(state.players))
    worth = {
        cell: outlook.follower(board, cell, region, cells.get(board.area(cell, region), set()), outlook.turns)
        for cell, (_, region) in state.followers.items()
    }
    return Guests(worth, cells, signs)


def placements(state: State, outlook: Outlook) -> list[tuple[float, PlaceTile]]:
    """Every placement, and what it brings with the best follower's action after it."""
    before = guests(state, outlook)
    found = []
    for action in rules.legal(state):
        assert isinstance(action, PlaceTile)
        board = state.board.copy()
        cell = cell_of(action.x, action.y)
        kind = KIND_NUMBER[action.tile]
        board.lay(kind * 4 + action.rotation // 90, cell, state.seat)
        found.append((placed(state, board, cell, before, outlook), action))
    return found


def placed(state: State, board: Board, cell: int, before: Guests, outlook: Outlook) -> float:
    """What a position is worth, points made so far aside, once a tile lies on `cell` of `board`."""
    areas, touched = _areas_of_tile(state.board, board, cell, before.cells)
    worth: dict[int, float] = {}
    value = 0.0
    for at, (seat, region) in state.followers.items():
        root = board.area(at, region)
        if root in areas:
            own = outlook.follower(board, at, region, areas[root], outlook.turns)
        elif KINDS[board.shapes[board.at[at]] >> 2].terrains[region] == MOUNTAIN and touched:
            own = outlook.follower(board, at, region, _cells_of(state.board, at, region, before.cells), outlook.turns)
        else:
            own = before.worth[at]
        worth[at] = own
        value += before.signs[seat] * own
    return value + max(gain for gain, _ in _follower_actions(state, board, areas, worth, outlook))


def _cells_of(board: Board, cell: int, region: int, cells: Mapping[int, set[int]]) -> set[int]:
    return cells.get(board.area(cell, region), set())


def _areas_of_tile(
    old: Board, board: Board, cell: int, cells: Mapping[int, set[int]]
) -> tuple[dict[int, set[int]], bool]:
    """By root: the empty cells that the areas of the new tile face; and whether it joined anything with towns."""
    tile = board.at[cell]
    base = board.bases[tile]
    regions = SIDE_REGIONS[board.shapes[tile]]
    areas: dict[int, set[int]] = {board.root(node): set() for node in range(base, len(board.parent))}
    touched = False
    for direction, step, back in SIDES:
        own = areas[board.root(base + regions[direction])]
        beside = cell + step
        other = old.at.get(beside)
        if other is None:
            own.add(beside)
        else:
            root = old.root(old.bases[other] + SIDE_REGIONS[old.shapes[other]][back])
            own |= cells[root]
            touched = True
    for own in areas.values():
        own.discard(cell)
    return areas, touched


def _follower_actions(
    state: State, board: Board, areas: Mapping[int, set[int]], worth: Mapping[int, float], outlook: Outlook
) -> list[tuple[float, Action]]:
    """The follower's actions after the last tile of `board`, and what each gains over having no followers at hand."""
    seat = state.seat
    supply = state.supply[seat]
    turns = outlook.turns - 1
    found: list[tuple[float, Action]] = [(outlook.supply(supply, turns), rules.PASS)]
    if supply:
        kept = outlook.supply(supply - 1, turns)
        base, cell = board.bases[-1], board.cells[-1]
        for node in range(base, len(board.parent)):
            root = board.root(node)
            if board.tally[root] < GUEST:
                gain = outlook.follower(board, cell, node - base, areas[root], turns)
                found.append((kept + gain, PlaceFollower(region=node - base)))
    if supply < FOLLOWERS_PER_PLAYER:
        more = outlook.supply(supply + 1, turns)
        for cell, (owner, region) in state.followers.items():
            if owner == seat:
                points = follower_points(board, cell, region)
                found.append((more + points - worth[cell], _recall(cell)))
    return found


def actions(state: State, outlook: Outlook) -> list[tuple[float, Action]]:
    """The follower's actions after a tile was laid, and what each brings."""
    before = guests(state, outlook)
    areas = {
        board_root: before.cells.get(board_root, set())
        for board_root in {state.board.root(node) for node in range(state.board.bases[-1], len(state.board.parent))}
    }
    return _follower_actions(state, state.board, areas, before.worth, outlook)


def _recall(cell: int) -> RecallFollower:
    x, y = place_of(cell)
    return RecallFollower(x=x, y=y)
