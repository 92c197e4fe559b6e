"""The table: which tiles lie where, the areas that they form, and the cells that wait for a tile.

A *cell* is one number, ((x + 84) * 169 + (y + 84)) * 512, so that ascending cells are ascending (x, y), a step in any
direction is one addition, and cell + shape is one number too, a *placement*. Placed tiles are numbered in order of
laying, the start tile 0.

Areas (N3) are a union-find over *nodes*, the regions of the placed tiles in order: node = `bases[tile]` + region.
`parent` holds minus the number of nodes for the root of an area, and another node for all others. Trees are joined
by size and never rewritten by a look-up, so reading changes nothing. What an area must know adds up when areas join:
its *tally* is one number that holds three, edges that face an empty cell + 1,024 * towns + 1,048,576 * followers, so
that one addition joins them. Only its tiles do not add up, for one tile may give two regions to an area (N3): they
are a bit mask, kept in two halves of 42 bits.

All of it is lists of integers, which go into the store and come back as they are: halves, for JSON has 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator

from spieltisch_service.games.neues_land.tables import (
    EDGE_COUNTS,
    FITS,
    KINDS,
    SIDE_DEMANDS,
    SIDE_REGIONS,
    START_KIND,
    TOWN_COUNTS,
)

#: x and y of a tile lie within -REACH … REACH: 83 tiles in a row from the start tile.
REACH = 83
_OFFSET = REACH + 1
_ROW = 512
_COLUMN = (2 * _OFFSET + 1) * _ROW
_HALF = 42

_TOWN = 1 << 10
#: A tally of at least this much has a follower in it.
GUEST = 1 << 20

#: Direction, step to the cell there, direction seen from there.
_SIDES = ((0, -_ROW, 2), (1, _COLUMN, 3), (2, _ROW, 0), (3, -_COLUMN, 1))

#: By kind, by region: what a region alone brings along.
_PARENTS = tuple((-1,) * len(kind.terrains) for kind in KINDS)
_NO_TILES = tuple((0,) * len(kind.terrains) for kind in KINDS)
_TALLIES = tuple(
    tuple(edges + _TOWN * towns for edges, towns in zip(*by_region, strict=True))
    for by_region in zip(EDGE_COUNTS, TOWN_COUNTS, strict=True)
)


def cell_of(x: int, y: int) -> int:
    """The cell at (x, y), both within -84 … 84."""
    return (x + _OFFSET) * _COLUMN + (y + _OFFSET) * _ROW


def place_of(cell: int) -> tuple[int, int]:
    """(x, y) of a cell."""
    x, y = divmod(cell, _COLUMN)
    return x - _OFFSET, y // _ROW - _OFFSET


def split_placement(placement: int) -> tuple[int, int]:
    """The cell and the shape of a placement."""
    shape = placement % _ROW
    return placement - shape, shape


class Board:
    """The placed tiles and what follows from them. Changed in place by `lay` and `join`.

    By tile: `cells`, `shapes`, `seats` (who laid it, -1 for the start tile), `bases` (its first node).
    By node: `parent`; and for roots (0 for others) `tally`, `low` and `high`, the masks of the area's tiles 0 to
    41, and 42 to 83.
    `demands`: each empty cell beside a tile, and what it asks for. `at`: the tile on each occupied cell.
    """

    __slots__ = (
        "at", "bases", "cells", "demands", "high", "low", "parent", "seats", "shapes", "tally",
    )  # fmt: skip

    cells: list[int]
    shapes: list[int]
    seats: list[int]
    bases: list[int]
    parent: list[int]
    tally: list[int]
    low: list[int]
    high: list[int]
    demands: dict[int, int]
    at: dict[int, int]

    @classmethod
    def at_start(cls) -> Board:
        """The start tile at (0, 0), not turned (N10)."""
        board = cls()
        board.cells, board.shapes, board.seats, board.bases = [], [], [], []
        board.parent, board.tally, board.low, board.high = [], [], [], []
        board.demands, board.at = {cell_of(0, 0): 0}, {}
        board.lay(START_KIND * 4, cell_of(0, 0), -1)
        return board

    def copy(self) -> Board:
        """A board that can be changed without changing this one."""
        other = Board()
        other.cells = self.cells.copy()
        other.shapes = self.shapes.copy()
        other.seats = self.seats.copy()
        other.bases = self.bases.copy()
        other.parent = self.parent.copy()
        other.tally = self.tally.copy()
        other.low = self.low.copy()
        other.high = self.high.copy()
        other.demands = self.demands.copy()
        other.at = self.at.copy()
        return other

    def fits_somewhere(self, kind: int) -> bool:
        """Whether a tile of `kind` can be laid anywhere (N21)."""
        fits = FITS[kind]
        # A loop: nearly always one of the first cells will do, and `any` would build a generator first.
        for demand in self.demands.values():  # noqa: SIM110
            if fits[demand]:
                return True
        return False

    def lay(self, shape: int, cell: int, seat: int) -> None:
        """Lay a tile on `cell`, a key of `demands` that it fits (not checked), and join the areas (N3)."""
        kind = shape >> 2
        tile = len(self.cells)
        base = len(self.parent)
        self.parent += _PARENTS[kind]
        self.tally += _TALLIES[kind]
        none = _NO_TILES[kind]
        if tile < _HALF:
            self.low += (1 << tile,) * len(none)
            self.high += none
        else:
            self.low += none
            self.high += (1 << tile - _HALF,) * len(none)
        at, demands, bases, shapes = self.at, self.demands, self.bases, self.shapes
        own_regions, own_demands = SIDE_REGIONS[shape], SIDE_DEMANDS[shape]
        for direction, step, back in _SIDES:
            beside = cell + step
            other = at.get(beside)
            if other is None:
                demands[beside] = demands.get(beside, 0) | own_demands[direction]
            else:
                self._join(base + own_regions[direction], bases[other] + SIDE_REGIONS[shapes[other]][back])
        del demands[cell]
        at[cell] = tile
        self.cells.append(cell)
        shapes.append(shape)
        self.seats.append(seat)
        bases.append(base)

    def _join(self, node: int, other: int) -> None:
        """Make one area of the two whose regions meet at an edge; that edge faces no empty cell any more."""
        parent, tally = self.parent, self.tally
        while (up := parent[node]) >= 0:
            node = up
        while (up := parent[other]) >= 0:
            other = up
        if node == other:
            tally[node] -= 2
            return
        if parent[node] > parent[other]:
            node, other = other, node
        parent[node] += parent[other]
        parent[other] = node
        tally[node] += tally[other] - 2
        tally[other] = 0
        low, high = self.low, self.high
        low[node] |= low[other]
        high[node] |= high[other]
        low[other] = high[other] = 0

    def root(self, node: int) -> int:
        """The node that stands for the area of `node`."""
        parent = self.parent
        while (up := parent[node]) >= 0:
            node = up
        return node

    def area(self, cell: int, region: int) -> int:
        """The root of the area that `region` of the tile on `cell` belongs to."""
        return self.root(self.bases[self.at[cell]] + region)

    def is_closed(self, root: int) -> bool:
        """Whether none of an area's edges faces an empty cell (N3)."""
        return self.tally[root] % _TOWN == 0

    def open_edge_count(self, root: int) -> int:
        """How many edges of an area face an empty cell."""
        return self.tally[root] % _TOWN

    def town_count(self, root: int) -> int:
        """How many towns belong to an area (N2); each belongs to one land area and one water area."""
        return self.tally[root] % GUEST // _TOWN

    def tile_count(self, root: int) -> int:
        """How many tiles an area has, each once (N3)."""
        return self.low[root].bit_count() + self.high[root].bit_count()

    def tiles(self, root: int) -> Iterator[int]:
        """The tiles of an area, in order of laying."""
        mask = self.low[root] | self.high[root] << _HALF
        while mask:
            bit = mask & -mask
            yield bit.bit_length() - 1
            mask ^= bit
