"""The tiles of a view of Neues Land, laid, and the areas that they form, as arrays.

A view comes after the other, and nearly always shows the same tiles and at most one more: so a table grows instead of
being laid anew, and what follows from its tiles is counted once for all views of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spieltisch_service.games.neues_land.board import Board, cell_of
from spieltisch_service.games.neues_land.tables import KIND_NUMBER, SIDE_REGIONS

Tile: TypeAlias = Mapping[str, Any]

_REGIONS = np.array(SIDE_REGIONS, dtype=np.int64)


class Laid:
    """A table with the tiles of a view on it, no followers. Changed by `show` alone.

    By tile: `places` (t, 2), x and y; `shapes` (t,); `nodes` (t, 4), the region at each direction as the board numbers
    them. By node: `roots`, the area that it belongs to; `areas` (3, nodes), the tiles, open edges and towns of that.
    """

    board: Board
    places: NDArray[np.int64]
    shapes: NDArray[np.int64]
    nodes: NDArray[np.int64]
    roots: list[int]
    areas: NDArray[np.int16]

    def __init__(self) -> None:
        self._tiles: list[Tile] = []

    def show(self, tiles: list[Tile]) -> None:
        """Have the `tiles` of a view on the table, which are laid in their order."""
        count = len(self._tiles)
        if count == len(tiles) and tiles == self._tiles:
            return
        if not count or tiles[:count] != self._tiles:
            self.board, count = Board.at_start(), 1
        for tile in tiles[count:]:
            shape = KIND_NUMBER[tile["tile"]] * 4 + tile["rotation"] // 90
            self.board.lay(shape, cell_of(tile["x"], tile["y"]), tile["seat"])
        self._tiles = list(tiles)
        self._count(tiles)

    def _count(self, tiles: Sequence[Tile]) -> None:
        board = self.board
        self.places = np.array([(tile["x"], tile["y"]) for tile in tiles])
        self.shapes = np.array(board.shapes)
        self.nodes = np.array(board.bases)[:, None] + _REGIONS[self.shapes]
        self.roots = [board.root(node) for node in range(len(board.parent))]
        roots = list(set(self.roots))
        counted = np.zeros((3, len(self.roots)), dtype=np.int16)
        counted[:, roots] = [
            [board.tile_count(root) for root in roots],
            [board.open_edge_count(root) for root in roots],
            [board.town_count(root) for root in roots],
        ]
        self.areas = counted[:, self.roots]

    def guests(self, followers: Sequence[Mapping[str, Any]], seat: int) -> NDArray[np.int16]:
        """How many followers of `seat`, and of the others, stand in the area of each node: shape (2, nodes)."""
        counted = np.zeros((2, len(self.roots)), dtype=np.int16)
        for follower in followers:
            root = self.board.area(cell_of(follower["x"], follower["y"]), follower["region"])
            counted[int(follower["seat"] != seat), root] += 1
        return counted[:, self.roots]
