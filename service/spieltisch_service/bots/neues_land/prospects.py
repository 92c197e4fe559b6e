"""What a position of Neues Land is worth to a seat: points, followers and what they may still bring.

Sound for one look ahead: what a follower counts now (N30 to N36) is computed by the rules, what its area may become
is estimated from the open cells around it and the tiles that are still unseen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from spieltisch_service.games.neues_land.board import Board
from spieltisch_service.games.neues_land.model import State
from spieltisch_service.games.neues_land.scoring import follower_points
from spieltisch_service.games.neues_land.tables import (
    AVAILABLE,
    DIRECTIONS,
    FITS,
    KIND_IDS,
    KINDS,
    PLAIN,
    SIDE_REGIONS,
    WATER,
)

_AT_START = tuple(AVAILABLE[kind] for kind in KIND_IDS)
#: By demand: the kinds that fit it in some rotation.
_FITTING = tuple(tuple(kind for kind in range(len(KINDS)) if FITS[kind][demand]) for demand in range(256))


@dataclass(frozen=True, slots=True)
class Taste:
    """The numbers that a bot plays by; found by matches between bots.

    `turn`: what the follower's part of a turn is worth; `supply`: what 0 … 4 followers at hand are worth, while turns
    are left to use them; `tries`: how many draws a player waits for a tile that fits one cell; `tidy`: how likely a
    tile that fits leaves the area no larger; `growth`: tiles that an open cell still brings to an area; `towns`: the
    same for towns; `rival`: how much an opponent's prospects count against the own.
    """

    turn: float = 1.0
    supply: tuple[float, ...] = (0.0, 2.0, 3.0, 3.5, 4.0)
    supply_turns: float = 4.0
    tries: float = 5.0
    tidy: float = 0.7
    growth: float = 0.4
    towns: float = 0.15
    rival: float = 0.9


DEFAULT_TASTE = Taste()


class Outlook:
    """What holds for all positions that one decision looks at: the tiles unseen, and how many turns are left.

    `unseen`: by kind number, how many tiles nobody has seen; `fits` answers how many of them fit a demand.
    """

    def __init__(self, state: State, taste: Taste = DEFAULT_TASTE) -> None:
        self.taste = taste
        seen = Counter(shape >> 2 for shape in state.board.shapes[1:])
        seen.update(state.discarded)
        for hand in state.hands:
            seen.update(hand)
        self.unseen = [max(0, count - seen[kind]) for kind, count in enumerate(_AT_START)]
        self.count = max(1, sum(self.unseen))
        self.players = state.players
        tiles = len(state.deck) - state.top + sum(map(len, state.hands))
        self.turns = tiles / state.players
        waits = min(taste.tries, max(0.0, self.turns))
        self._chance = [taste.tidy * (1 - (1 - n / self.count) ** waits) for n in range(self.count + 1)]
        self._filled: dict[int, float] = {}

    def filled(self, demand: int) -> float:
        """How likely a cell of this demand is filled, without new openings, by a tile still unseen."""
        chance = self._filled.get(demand)
        if chance is None:
            fitting = sum([self.unseen[kind] for kind in _FITTING[demand]])
            chance = self._filled[demand] = self._chance[fitting]
        return chance

    def open_cells(self, board: Board) -> dict[int, set[int]]:
        """By root of an area: the empty cells that its edges face."""
        found: dict[int, set[int]] = {}
        at, bases, shapes, parent = board.at, board.bases, board.shapes, board.parent
        for cell in board.demands:
            for _, step, back in SIDES:
                tile = at.get(cell + step)
                if tile is not None:
                    node = bases[tile] + SIDE_REGIONS[shapes[tile]][back]
                    while (up := parent[node]) >= 0:
                        node = up
                    if node in found:
                        found[node].add(cell)
                    else:
                        found[node] = {cell}
        return found

    def follower(
        self, board: Board, root: int, cell: int, region: int, cells: Collection[int], turns: float
    ) -> tuple[float, int]:
        """What a follower there may bring its owner, who has `turns` turns left, and what it scores if recalled now.

        `root` is that of its area, `cells` are the empty ones that the area faces.
        """
        terrain = KINDS[board.shapes[board.at[cell]] >> 2].terrains[region]
        if terrain == PLAIN:
            now = board.low[root].bit_count() + board.high[root].bit_count()
        elif terrain == WATER:
            now = board.town_count(root)
        else:
            now = follower_points(board, cell, region, as_open=True)
        taste = self.taste
        if not cells:
            recalled = follower_points(board, cell, region)
            return (max(now, recalled - taste.turn) if turns >= 1 else now), recalled
        if turns < 1:
            return now, now
        demands, filled = board.demands, self._filled
        open_cells = len(cells)
        close = min(1.0, turns / (open_cells + 1))
        for beside in cells:
            demand = demands[beside]
            close *= filled[demand] if demand in filled else self.filled(demand)
        wide = min(open_cells, 4)
        growing = (taste.growth if terrain == PLAIN else taste.towns) * wide
        later = now + growing * min(1.0, turns / 6)
        more = board.tile_count(root) + wide if terrain == WATER else now + growing
        return max(later, later + close * more - taste.turn), now

    def supply(self, count: int, turns: float) -> float:
        """What `count` followers at hand are worth with `turns` turns left."""
        return self.taste.supply[count] * min(1.0, turns / self.taste.supply_turns)


#: As `board._SIDES`: direction, step to the cell there, direction seen from there.
SIDES = tuple(
    (direction, step, (direction + 2) % 4)
    for direction, step in zip(range(len(DIRECTIONS)), (-512, 169 * 512, 512, -169 * 512), strict=True)
)
