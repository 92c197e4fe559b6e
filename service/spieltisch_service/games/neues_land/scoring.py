"""Points (N30 to N36), and how a game stands if it ends now (N41, N42)."""

from __future__ import annotations

from spieltisch_service.games.contract import Outcome, Plain, ranks
from spieltisch_service.games.neues_land.board import Board, place_of
from spieltisch_service.games.neues_land.model import OVER, State
from spieltisch_service.games.neues_land.tables import FOOTHILLS, KINDS, MOUNTAIN, PLAIN


def follower_points(board: Board, cell: int, region: int, *, as_open: bool = False) -> int:
    """Points for the follower on `region` of the tile on `cell`, were it recalled now.

    With `as_open` an area scores as if it were open, closed or not (N41).
    """
    root = board.area(cell, region)
    terrain = KINDS[board.shapes[board.at[cell]] >> 2].terrains[region]
    closed = not as_open and board.is_closed(root)
    count = board.tile_count(root)
    # N31, N33, N35: two tiles are too few for the closed area's bonus; a single tile is not (N36).
    bonus = closed and count != 2
    if terrain == PLAIN:
        return 2 * count if bonus else count
    if terrain == MOUNTAIN:
        towns = _mountain_towns(board, root)
        return 2 * towns if bonus else towns
    return board.town_count(root) + (count if bonus else 0)


def _mountain_towns(board: Board, root: int) -> int:
    """The towns of a mountain and of every plain that touches it, each plain counted once (N32).

    A town has one land region (N2), so no town is met twice.
    """
    plains = set()
    for tile in board.tiles(root):
        base = board.bases[tile]
        for mountain, plain in FOOTHILLS[board.shapes[tile] >> 2]:
            if board.root(base + mountain) == root:
                plains.add(board.root(base + plain))
    return board.town_count(root) + sum(map(board.town_count, plains))


def scores(state: State) -> tuple[int, ...]:
    """Points by seat so far; with the final scoring once the game is over."""
    return outcome(state).scores if state.phase == OVER else tuple(state.points)


def outcome(state: State) -> Outcome:
    """How the game stands if it ends now; `data` lists the followers that were still on the board."""
    totals = state.points.copy()
    final: list[Plain] = []
    for cell, (seat, region) in state.followers.items():
        points = follower_points(state.board, cell, region, as_open=True)
        totals[seat] += points
        x, y = place_of(cell)
        final.append({"seat": seat, "x": x, "y": y, "points": points})
    return Outcome(tuple(totals), ranks(totals), {"final": final})
