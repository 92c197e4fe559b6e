"""`greedy` for Neues Land: the placement, then the follower's action, after which the position is worth most."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
from spieltisch_service.games.neues_land.tables import FOLLOWERS_PER_PLAYER, KIND_NUMBER, KINDS, MOUNTAIN, SIDE_REGIONS


def decide(state: State, taste: Taste = DEFAULT_TASTE) -> Action:
    """The action of the seat to act."""
    legal = rules.legal(state)
    if len(legal) == 1:
        return legal[0]
    outlook = Outlook(state, taste)
    ranked = placements(state, outlook) if state.phase == PLACE_TILE else actions(state, outlook)
    return max(ranked, key=lambda entry: entry[0])[1]


@dataclass(slots=True)
class Guests:
    """The followers on the board as a turn begins, and what they are worth.

    `worth` and `recalled` (points if recalled now) by cell; `signs` by seat: 1 for the own, less than nothing for the
    others; `total`: all of them with their signs; `at`: cells of followers by the root of their area; `faced`: by root,
    the empty cells that an area faces; `robbers`: cells of followers on mountains, for whom distant towns count.
    """

    worth: dict[int, float]
    recalled: dict[int, int]
    signs: tuple[float, ...]
    total: float
    at: dict[int, list[int]]
    faced: dict[int, set[int]]
    robbers: list[int]


_NOWHERE: frozenset[int] = frozenset()


def guests(state: State, outlook: Outlook) -> Guests:
    """The followers as the turn begins."""
    board = state.board
    rival = -outlook.taste.rival / max(1, state.players - 1)
    signs = tuple([1.0 if seat == state.seat else rival for seat in range(state.players)])
    found = Guests({}, {}, signs, 0.0, {}, outlook.open_cells(board), [])
    for cell, (seat, region) in state.followers.items():
        root = board.area(cell, region)
        faced = found.faced.get(root, _NOWHERE)
        worth, recalled = outlook.follower(board, root, cell, region, faced, outlook.turns)
        found.worth[cell], found.recalled[cell] = worth, recalled
        found.total += signs[seat] * worth
        found.at.setdefault(root, []).append(cell)
        if KINDS[board.shapes[board.at[cell]] >> 2].terrains[region] == MOUNTAIN:
            found.robbers.append(cell)
    return found


def placements(state: State, outlook: Outlook) -> list[tuple[float, Action]]:
    """Every placement, and what it brings with the best follower's action after it."""
    before = guests(state, outlook)
    # With a follower more at hand, what each recall brings: of those that a tile does not touch, the best will do.
    own = [cell for cell, (seat, _) in state.followers.items() if seat == state.seat]
    own.sort(key=lambda cell: before.worth[cell] - before.recalled[cell])
    found: list[tuple[float, Action]] = []
    for action in rules.legal(state):
        assert isinstance(action, PlaceTile)
        board = state.board.copy()
        cell = cell_of(action.x, action.y)
        board.lay(KIND_NUMBER[action.tile] * 4 + action.rotation // 90, cell, state.seat)
        found.append((_placed(state, board, cell, before, own, outlook), action))
    return found


def _placed(state: State, board: Board, cell: int, before: Guests, own: Sequence[int], outlook: Outlook) -> float:
    """What a position is worth, points made so far aside, once a tile lies on `cell` of `board`."""
    areas, joined, towns = _areas_of_tile(state.board, board, cell, before.faced)
    changed: dict[int, tuple[float, int]] = {}
    for old, root in joined.items():
        for at in before.at.get(old, ()):
            region = state.followers[at][1]
            changed[at] = outlook.follower(board, root, at, region, areas[root], outlook.turns)
    if towns:
        for at in before.robbers:
            if at not in changed:
                region = state.followers[at][1]
                root = board.area(at, region)
                faced = before.faced.get(state.board.area(at, region), _NOWHERE)
                changed[at] = outlook.follower(board, root, at, region, faced, outlook.turns)
    value = before.total
    for at, (worth, _) in changed.items():
        value += before.signs[state.followers[at][0]] * (worth - before.worth[at])
    supply, turns = state.supply[state.seat], outlook.turns - 1
    best = outlook.supply(supply, turns)
    if supply:
        kept = outlook.supply(supply - 1, turns)
        for gain, _ in _places(board, areas, outlook, turns):
            best = max(best, kept + gain)
    if own:
        more = outlook.supply(supply + 1, turns)
        for at in own:
            if at not in changed:
                best = max(best, more + before.recalled[at] - before.worth[at])
                break
        for at, (worth, recalled) in changed.items():
            if state.followers[at][0] == state.seat:
                best = max(best, more + recalled - worth)
    return value + best


def _areas_of_tile(
    old: Board, board: Board, cell: int, faced: Mapping[int, set[int]]
) -> tuple[dict[int, set[int]], dict[int, int], bool]:
    """What the tile on `cell` of `board` made of the areas of `old`.

    By root: the empty cells that its areas face. By old root: the new one. And whether a plain has other towns now.
    """
    tile = board.at[cell]
    base = board.bases[tile]
    regions = SIDE_REGIONS[board.shapes[tile]]
    areas: dict[int, set[int]] = {board.root(node): set() for node in range(base, len(board.parent))}
    joined: dict[int, int] = {}
    towns = False
    for direction, step, back in SIDES:
        root = board.root(base + regions[direction])
        beside = cell + step
        other = old.at.get(beside)
        if other is None:
            areas[root].add(beside)
            continue
        before = old.root(old.bases[other] + SIDE_REGIONS[old.shapes[other]][back])
        if before not in joined:
            joined[before] = root
            areas[root] |= faced[before]
            towns = towns or old.town_count(before) != board.town_count(root)
    for cells in areas.values():
        cells.discard(cell)
    return areas, joined, towns


def _places(
    board: Board, areas: Mapping[int, Collection[int]], outlook: Outlook, turns: float
) -> Iterator[tuple[float, int]]:
    """What a follower on each free region of the last tile brings, and the region (N24)."""
    base, cell = board.bases[-1], board.cells[-1]
    for node in range(base, len(board.parent)):
        root = board.root(node)
        if board.tally[root] < GUEST:
            yield outlook.follower(board, root, cell, node - base, areas[root], turns)[0], node - base


def actions(state: State, outlook: Outlook) -> list[tuple[float, Action]]:
    """The follower's actions after a tile was laid, and what each brings (N23)."""
    before, board = guests(state, outlook), state.board
    supply, turns = state.supply[state.seat], outlook.turns - 1
    found: list[tuple[float, Action]] = [(outlook.supply(supply, turns), rules.PASS)]
    if supply:
        kept = outlook.supply(supply - 1, turns)
        roots = {board.root(node) for node in range(board.bases[-1], len(board.parent))}
        areas = {root: before.faced.get(root, _NOWHERE) for root in roots}
        found += [(kept + gain, PlaceFollower(region=region)) for gain, region in _places(board, areas, outlook, turns)]
    more = outlook.supply(min(supply + 1, FOLLOWERS_PER_PLAYER), turns)
    for cell, (seat, _) in state.followers.items():
        if seat == state.seat:
            x, y = place_of(cell)
            found.append((more + before.recalled[cell] - before.worth[cell], RecallFollower(x=x, y=y)))
    return found
