"""Neues Land for learning agents: what an agent sees, and the numbers of its actions.

| | |
|---|---|
| agents | `seat_0` … `seat_4`, 2 to 5 |
| action space | `Discrete(4526)`; expert variant: `Discrete(9026)` |
| observation | `observation`: int16 vector of the parts below; `action_mask`: int8, one for each action |
| reward | 0 until the end, then by rank (see `env`) |
| hidden | the deck's order and which tiles are set aside: no part depends on them |
| rules | `games/neues_land/data/rules.en.md`, version 1 of our own edition: three-terrain tiles, numbering |

Tiles can spread over 167 × 167 cells, of which a network would see next to none in use. So there is a *window* of
31 × 31 cells around the start tile, in which each (slot of the hand, cell, rotation) has one number for ever, as a
network with a board for its input wants it. Whatever is legal outside the window has an *overflow* number: there the
k-th such placement in the order of `Game.legal` has the number k, and the part `overflow` says in row k what it is.
Random games hardly ever leave the window, good players do in one game out of ten. Nothing legal is ever left out,
because no position has more placements than there are overflow numbers: t tiles have at most 2 t + 2 empty cells beside
them (the start tile has 4, each further one takes one away and adds three at most), and at most 83 tiles lie when the
last one is to be laid.

| actions | numbers |
|---|---|
| `place_follower` on region r | r, 0 … 4 |
| `recall_follower`: the k-th own follower in the order of (x, y), row k of `followers[0]` | 5 + k, to 8 |
| `pass` | 9 |
| `place_tile` in the window: slot s, rotation q × 90° | 10 + ((s · 31 + y + 15) · 31 + x + 15) · 4 + q |
| `place_tile` outside, k-th | 10 + 3844 h + k |

h is the number of slots of a hand: 1, or 2 in the expert variant, where slot 0 holds the tile that came first; of two
equal tiles it is always slot 0. There are 672 overflow numbers, or 1328 with h = 2 (then 82 tiles lie at most while
there are two to choose from).

Parts for n players, in this order; rows by seat begin with the observer's own (`encoding`). A kind is its number in
ascending order of the ids, from 0; directions are north, east, south, west; terrains 1 plain, 2 mountain, 3 water.

| part | shape | range | |
|---|---|---|---|
| phase | 3 | 0 … 1 | one-hot: place_tile, follower, over |
| to_act | n | 0 … 1 | one-hot: who decides; zeros once over |
| scores | n | 0 … 14112 | points so far |
| standing | n | 0 … 14112 | what the scores would be if the game ended now (N41) |
| supply | n | 0 … 4 | followers not on the board |
| counts | 3 | 0 … 83 | tiles in the deck, set aside, discarded |
| hands | n, h | 0 … 70 | kind + 1 of each tile in a hand, 0 for none |
| hand | h, 22 | 0 … 2 | the observer's tiles, not turned: 12 × terrain, 6 × joined, 4 × towns (see below) |
| unseen | 70 | 0 … 3 | by kind: tiles in the deck or set aside |
| tiles | 84, 5 | -83 … 83 | as laid: x, y, kind + 1, quarter turns, who (0: start tile, 1: the observer, …) |
| followers | n, 4, 7 | -83 … 168 | by (x, y): 1, x, y, region, terrain, points if recalled now, if the game ended now |
| overflow | 672 or 1328, 4 | -83 … 83 | slot + 1, x, y, quarter turns of each placement outside the window |
| board | 31, 31, 39 | 0 … 170 | the window: [y + 15, x + 15, plane] |

| planes of `board` | |
|---|---|
| 0 … 11 | 3 × direction + terrain - 1: 1 where the tile's edge there has that terrain |
| 12 … 17 | edges that are one region: NE, NS, NW, ES, EW, SW |
| 18 … 21, 22 … 25, 26 … 29 | by direction, of the area that the edge belongs to: its tiles, its open edges, its towns |
| 30 … 33, 34 … 37 | by direction, in that area: followers of the observer, of the others |
| 38 | the tile laid last |

Everything is public; areas and their worth are counted out because they reach further than a convolution sees. What the
planes leave out (regions without an edge, borders inside a tile) follows from the kinds in `tiles`.

Versions: v0, the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spieltisch_service.games.contract import Action
from spieltisch_service.games.neues_land.board import REACH, cell_of
from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import (
    OVER,
    PHASES,
    PLACE_TILE,
    NeuesLandOptions,
    PlaceFollower,
    PlaceTile,
    RecallFollower,
)
from spieltisch_service.games.neues_land.scoring import follower_points
from spieltisch_service.games.neues_land.tables import (
    AVAILABLE,
    DECK_SIZE,
    EXPERT_HAND,
    FOLLOWERS,
    FOLLOWERS_PER_PLAYER,
    KIND_IDS,
    KIND_NUMBER,
    KINDS,
    SIDE_REGIONS,
    SIDE_TERRAINS,
    TOWN_COUNTS,
)
from spieltisch_service.rl.encoding import Encoding, from_chair
from spieltisch_service.rl.laid import Laid
from spieltisch_service.rl.layout import Layout, Numbers, Part

#: The window reaches so far from the start tile in each direction.
RADIUS = 15
WIDTH = 2 * RADIUS + 1

RECALL = 5
PASS = RECALL + FOLLOWERS_PER_PLAYER
WINDOW = PASS + 1
#: Numbers of the window for each slot of a hand.
PER_SLOT = WIDTH * WIDTH * 4

_MOST_TILES = DECK_SIZE + 1
#: No follower scores more: every tile twice (N30); all the towns twice (N32), or tiles and towns (N34), are fewer.
_MOST_OF_ONE = 2 * _MOST_TILES
_MOST_POINTS = _MOST_OF_ONE * _MOST_TILES

_PAIRS = tuple(combinations(range(4), 2))
#: First planes: tile planes, then by direction tiles, open edges, towns, own and other followers; then the last tile.
_SHAPE_PLANES = 12 + len(_PAIRS)
_AREA_PLANES = 5 * 4
_LAST_PLANE = _SHAPE_PLANES + _AREA_PLANES
_PLANES = _LAST_PLANE + 1


def _shape_planes() -> Numbers:
    """By shape: terrain of each edge, and which edges are one region."""
    planes = np.zeros((len(SIDE_REGIONS), _SHAPE_PLANES), dtype=np.int16)
    for shape, (regions, terrains) in enumerate(zip(SIDE_REGIONS, SIDE_TERRAINS, strict=True)):
        for direction, terrain in enumerate(terrains):
            planes[shape, 3 * direction + terrain - 1] = 1
        planes[shape, 12:] = [regions[a] == regions[b] for a, b in _PAIRS]
    return planes


_OF_SHAPE = _shape_planes()
#: By kind: towns on the region of each edge, the tile not turned.
_EDGE_TOWNS = np.array([[TOWN_COUNTS[kind][region] for region in SIDE_REGIONS[4 * kind]] for kind in range(len(KINDS))])
_COUNTS = np.array([AVAILABLE[kind] for kind in KIND_IDS], dtype=np.int16)


def overflow_count(slots: int) -> int:
    """How many numbers there are for placements outside the window (see above)."""
    most_tiles = _MOST_TILES - slots
    return (2 * most_tiles + 2) * 4 * slots


def _layout(players: int, slots: int) -> Layout:
    return Layout(
        [
            Part("phase", (len(PHASES),), 0, 1),
            Part("to_act", (players,), 0, 1),
            Part("scores", (players,), 0, _MOST_POINTS),
            Part("standing", (players,), 0, _MOST_POINTS),
            Part("supply", (players,), 0, FOLLOWERS_PER_PLAYER),
            Part("counts", (3,), 0, DECK_SIZE),
            Part("hands", (players, slots), 0, len(KINDS)),
            Part("hand", (slots, _SHAPE_PLANES + 4), 0, int(_EDGE_TOWNS.max())),
            Part("unseen", (len(KINDS),), 0, int(_COUNTS.max())),
            Part("tiles", (_MOST_TILES, 5), -REACH, REACH),
            Part("followers", (players, FOLLOWERS_PER_PLAYER, 7), -REACH, _MOST_OF_ONE),
            Part("overflow", (overflow_count(slots), 4), -REACH, REACH),
            Part("board", (WIDTH, WIDTH, _PLANES), 0, 2 * _MOST_TILES + 2),
        ]
    )


def _in_window(action: PlaceTile) -> bool:
    return -RADIUS <= action.x <= RADIUS and -RADIUS <= action.y <= RADIUS


class NeuesLandEncoding(Encoding):
    """Views and actions of Neues Land as numbers."""

    version: ClassVar[int] = 0

    def __init__(self, players: int, options: NeuesLandOptions) -> None:
        self.game = NEUES_LAND
        self._players = players
        self._slots = EXPERT_HAND if options.expert else 1
        self._overflow = WINDOW + PER_SLOT * self._slots
        self.layout = _layout(players, self._slots)
        self.action_count = self._overflow + overflow_count(self._slots)
        self._laid = Laid()

    # --- actions --------------------------------------------------------------------------------------------

    def indices(self, view: Mapping[str, Any], legal: Sequence[Action]) -> list[int]:
        """The numbers of `legal`; those outside the window, and of recalls, count up in its order."""
        if view["phase"] != PLACE_TILE:
            return self._follower_indices(legal)
        hand = view["state"]["hands"][view["seat"]]
        bases = {tile: WINDOW + PER_SLOT * hand.index(tile) for tile in hand}
        found, outside = [], self._overflow
        for action in legal:
            assert isinstance(action, PlaceTile)
            if _in_window(action):
                cell = (action.y + RADIUS) * WIDTH + action.x + RADIUS
                found.append(bases[action.tile] + cell * 4 + action.rotation // 90)
            else:
                found.append(outside)
                outside += 1
        return found

    @staticmethod
    def _follower_indices(legal: Sequence[Action]) -> list[int]:
        found, recall = [], RECALL
        for action in legal:
            if isinstance(action, PlaceFollower):
                found.append(action.region)
            elif isinstance(action, RecallFollower):
                found.append(recall)
                recall += 1
            else:
                found.append(PASS)
        return found

    # --- observations ---------------------------------------------------------------------------------------

    def describe(self, view: Mapping[str, Any], legal: Sequence[Action], parts: Mapping[str, Numbers]) -> None:
        """Write the parts that the module's docstring lists."""
        state, seat = view["state"], view["seat"]
        parts["phase"][PHASES.index(view["phase"])] = 1
        if view["to_act"] is not None:
            parts["to_act"][(view["to_act"] - seat) % self._players] = 1
        parts["scores"][:] = from_chair(seat, view["scores"])
        parts["supply"][:] = from_chair(seat, state["supply"])
        parts["counts"][:] = state["deck_count"], state["set_aside_count"], len(state["discarded"])
        self._laid.show(state["tiles"])
        self._describe_hands(state, seat, parts)
        self._describe_followers(view, parts)
        self._describe_board(state, seat, parts)
        if view["phase"] == PLACE_TILE:
            self._describe_overflow(state["hands"][seat], legal, parts["overflow"])

    def _describe_overflow(self, hand: Sequence[str], legal: Sequence[Action], rows: Numbers) -> None:
        """`overflow`, in the order in which `indices` counts."""
        outside = [action for action in legal if isinstance(action, PlaceTile) and not _in_window(action)]
        for row, action in enumerate(outside):
            rows[row] = hand.index(action.tile) + 1, action.x, action.y, action.rotation // 90

    def _describe_hands(self, state: Mapping[str, Any], seat: int, parts: Mapping[str, Numbers]) -> None:
        """`hands`, `hand`, and `unseen`: what is neither on the table, nor in a hand, nor discarded."""
        hands = from_chair(seat, state["hands"])
        seen = [KIND_NUMBER[kind] for kind in state["discarded"]]
        for row, hand in enumerate(hands):
            kinds = [KIND_NUMBER[kind] for kind in hand]
            seen += kinds
            parts["hands"][row, : len(kinds)] = [kind + 1 for kind in kinds]
        for slot, tile in enumerate(hands[0]):
            kind = KIND_NUMBER[tile]
            parts["hand"][slot, :_SHAPE_PLANES] = _OF_SHAPE[4 * kind]
            parts["hand"][slot, _SHAPE_PLANES:] = _EDGE_TOWNS[kind]
        # The start tile is none of the counted ones.
        gone = np.append(self._laid.shapes[1:] >> 2, np.array(seen, dtype=np.int64))
        parts["unseen"][:] = _COUNTS - np.bincount(gone, minlength=len(KINDS))

    def _describe_followers(self, view: Mapping[str, Any], parts: Mapping[str, Numbers]) -> None:
        """`followers`, and `standing`, which once the game is over is in `scores` already."""
        board, seat, over = self._laid.board, view["seat"], view["phase"] == OVER
        table, standing = parts["followers"], parts["standing"]
        standing[:] = parts["scores"]
        rows = [0] * self._players
        for follower in sorted(view["state"]["followers"], key=lambda one: (one["x"], one["y"])):
            chair = (follower["seat"] - seat) % self._players
            x, y, region = follower["x"], follower["y"], follower["region"]
            cell = cell_of(x, y)
            terrain = FOLLOWERS.index(follower["kind"])
            now = follower_points(board, cell, region)
            final = follower_points(board, cell, region, as_open=True)
            table[chair, rows[chair]] = 1, x, y, region, terrain, now, final
            rows[chair] += 1
            if not over:
                standing[chair] += final

    def _describe_board(self, state: Mapping[str, Any], seat: int, parts: Mapping[str, Numbers]) -> None:
        """`tiles`, and the planes of `board`."""
        tiles, laid = state["tiles"], self._laid
        listed = parts["tiles"][: len(tiles)]
        listed[:, :2] = laid.places
        listed[:, 2] = (laid.shapes >> 2) + 1
        listed[:, 3] = laid.shapes & 3
        listed[1:, 4] = [(tile["seat"] - seat) % self._players + 1 for tile in tiles[1:]]
        inside: NDArray[np.bool_] = np.all(np.abs(laid.places) <= RADIUS, axis=1)
        columns, rows = (laid.places[inside] + RADIUS).T
        planes, nodes = parts["board"], laid.nodes[inside]
        planes[rows, columns, :_SHAPE_PLANES] = _OF_SHAPE[laid.shapes[inside]]
        by_area = np.concatenate((laid.areas[:, nodes], laid.guests(state["followers"], seat)[:, nodes]))
        planes[rows, columns, _SHAPE_PLANES:_LAST_PLANE] = by_area.transpose(1, 0, 2).reshape(-1, _AREA_PLANES)
        if len(tiles) > 1 and inside[-1]:
            planes[rows[-1], columns[-1], _LAST_PLANE] = 1
