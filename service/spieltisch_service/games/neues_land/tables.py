"""The tiles as tables: everything about a tile that does not depend on where it lies.

`data/tiles.json` is parsed and checked once, at import. From then on a *kind* is its number in ascending order of
the ids (0 to 69), and a *shape* is a kind in a rotation: kind * 4 + quarter turns clockwise. Directions are 0 north,
1 east, 2 south, 3 west; terrains are 1 plain, 2 mountain, 3 water, and 0 stands for "nothing there".

A *demand* is what an empty cell asks of a tile: two bits for each direction, the terrain that the neighbour shows
there, or 0. With 256 demands and 70 kinds, whether and how a tile fits is one look into `FITS` (N22).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

PLAIN, MOUNTAIN, WATER = 1, 2, 3
#: Terrain by its number; 0 is no terrain.
TERRAINS = ("", "plain", "mountain", "water")
#: Follower by the number of the terrain that it stands on (N5).
FOLLOWERS = ("", "explorer", "robber", "sailor")
DIRECTIONS = ("N", "E", "S", "W")
DIRECTION_NAMES = ("north", "east", "south", "west")
ROTATIONS = (0, 90, 180, 270)

#: What the tile file must be: the SHA-256 of its `kinds` as JSON with sorted keys and no blanks. Other tiles are
#: other rules, and ask for another `rules_version`.
_KINDS_SHA256 = "86b8d7c16da814226f72eec9f3a71f7afd8766349840ea3e60acfd8e8341edfe"
_FORMAT = "neues-land-tiles/1"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of tile (N1, N2). Tuples "by region" have one entry per region, in the order of the file."""

    id: str
    count: int
    #: Terrain by region.
    terrains: tuple[int, ...]
    #: Directions of the edges at rotation 0, by region.
    edges: tuple[tuple[int, ...], ...]
    borders: tuple[tuple[int, int], ...]
    towns: tuple[tuple[int, int], ...]

    def side_regions(self, quarter: int) -> tuple[int, ...]:
        """The region at each direction after `quarter` quarter turns clockwise (N10)."""
        at = {edge: region for region, edges in enumerate(self.edges) for edge in edges}
        return tuple(at[(direction - quarter) % 4] for direction in range(4))

    def picture(self, quarter: int) -> object:
        """What the tile looks like after `quarter` quarter turns, without region numbers (N22).

        Terrain and edges name a region: only regions without an edge could be confused, and `_check` allows one.
        """
        names = [
            (terrain, frozenset((edge + quarter) % 4 for edge in edges))
            for terrain, edges in zip(self.terrains, self.edges, strict=True)
        ]
        return (
            frozenset(names),
            frozenset(frozenset((names[a], names[b])) for a, b in self.borders),
            frozenset(frozenset((names[a], names[b])) for a, b in self.towns),
        )


def _parse(raw: Mapping[str, Any]) -> Kind:
    regions = raw["regions"]
    return Kind(
        id=raw["id"],
        count=raw["count"],
        terrains=tuple(TERRAINS.index(region["terrain"]) for region in regions),
        edges=tuple(tuple(DIRECTIONS.index(edge) for edge in region["edges"]) for region in regions),
        borders=tuple((a, b) for a, b in raw["borders"]),
        towns=tuple((a, b) for a, b in raw["towns"]),
    )


def _check(kind: Kind) -> None:
    """Raise ValueError if `kind` breaks N1 or N2, or the rest of this package could not tell its regions apart."""
    regions = range(len(kind.terrains))
    pairs = [*kind.borders, *kind.towns]
    if any(not 0 <= a < b < len(regions) for a, b in pairs):
        raise ValueError(f"tile kind {kind.id}: pairs of two regions, smaller first")
    faults = {
        "1 to 5 regions": not 1 <= len(regions) <= 5,
        "each edge once": sorted(edge for edges in kind.edges for edge in edges) != [0, 1, 2, 3],
        "at most one region without an edge": sum(not edges for edges in kind.edges) > 1,
        "each border once": len(set(kind.borders)) < len(kind.borders),
        "towns on borders": not set(kind.towns) <= set(kind.borders),
        "towns between land and water": any(
            (kind.terrains[a] == WATER) == (kind.terrains[b] == WATER) for a, b in kind.towns
        ),
        "regions of one terrain apart": any(kind.terrains[a] == kind.terrains[b] for a, b in kind.borders),
        "at least one tile": kind.count < 1,
    }
    broken = [name for name, fault in faults.items() if fault]
    if broken:
        raise ValueError(f"tile kind {kind.id}: {', '.join(broken)}")


def parse_tiles(text: str) -> tuple[Kind, ...]:
    """The kinds of a tile file in ascending order of their ids, checked.

    Raises ValueError when the file is not the one that these rules are about.
    """
    raw = json.loads(text)
    digest = hashlib.sha256(json.dumps(raw["kinds"], sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    kinds = tuple(sorted((_parse(kind) for kind in raw["kinds"]), key=lambda kind: kind.id))
    for kind in kinds:
        _check(kind)
    found = (raw["format"], len({kind.id for kind in kinds}), sum(kind.count for kind in kinds), digest)
    if found != (_FORMAT, 70, 84, _KINDS_SHA256):
        raise ValueError(f"not the tiles of these rules: {found}")
    return kinds


def data_text(name: str) -> str:
    """The text of a file of this package's `data/`."""
    return files(__package__).joinpath("data", name).read_text(encoding="utf-8")


def _least_rotation(kind: Kind) -> tuple[int, ...]:
    pictures = [kind.picture(quarter) for quarter in range(4)]
    return tuple(pictures.index(picture) for picture in pictures)


def _fits(kind_number: int) -> tuple[tuple[int, ...], ...]:
    """By demand, the shapes of the kind that fit, ascending: each picture once, in its smallest rotation."""
    shapes = [kind_number * 4 + quarter for quarter in sorted(set(LEAST_QUARTER[kind_number]))]
    fits = []
    for demand in range(256):
        asked = [demand >> 2 * direction & 3 for direction in range(4)]
        fits.append(
            tuple(
                shape
                for shape in shapes
                if all(terrain in (0, own) for terrain, own in zip(asked, SIDE_TERRAINS[shape], strict=True))
            )
        )
    return tuple(fits)


_RAW = json.loads(data_text("tiles.json"))
KINDS = parse_tiles(data_text("tiles.json"))
KIND_IDS = tuple(kind.id for kind in KINDS)
KIND_NUMBER = {kind.id: number for number, kind in enumerate(KINDS)}
START_KIND = KIND_NUMBER[_RAW["start_tile"]]
FOLLOWERS_PER_PLAYER: int = _RAW["followers_per_player"]
EXPERT_HAND: int = _RAW["expert_hand"]
MIN_PLAYERS, MAX_PLAYERS = _RAW["players"]

#: The 83 tiles of the full deck, how often each kind occurs (N11).
AVAILABLE = Counter({kind.id: kind.count for kind in KINDS}) - Counter([KIND_IDS[START_KIND]])
DECK_SIZE = AVAILABLE.total()

#: By kind and quarter: the smallest quarter that shows the same tile (N22).
LEAST_QUARTER = tuple(_least_rotation(kind) for kind in KINDS)
#: By shape: the region at each direction.
SIDE_REGIONS = tuple(kind.side_regions(quarter) for kind in KINDS for quarter in range(4))
#: By shape: the terrain at each direction.
SIDE_TERRAINS = tuple(
    tuple(KINDS[shape >> 2].terrains[region] for region in regions) for shape, regions in enumerate(SIDE_REGIONS)
)
#: By shape and direction: what the tile asks of the cell on that side, as bits of that cell's demand.
SIDE_DEMANDS = tuple(
    tuple(terrain << 2 * ((direction + 2) % 4) for direction, terrain in enumerate(terrains))
    for terrains in SIDE_TERRAINS
)
#: By kind and demand: the shapes that fit, ascending, one for each picture (N22).
FITS = tuple(_fits(number) for number in range(len(KINDS)))
#: By kind, by region: how many edges the region touches.
EDGE_COUNTS = tuple(tuple(len(edges) for edges in kind.edges) for kind in KINDS)
#: By kind, by region: how many towns lie on the region's borders.
TOWN_COUNTS = tuple(
    tuple(sum(region in pair for pair in kind.towns) for region in range(len(kind.terrains))) for kind in KINDS
)
#: By kind: pairs (mountain region, plain region) that touch inside the tile (N32).
FOOTHILLS = tuple(
    tuple(
        pair if kind.terrains[pair[0]] == MOUNTAIN else pair[::-1]
        for pair in kind.borders
        if {kind.terrains[pair[0]], kind.terrains[pair[1]]} == {MOUNTAIN, PLAIN}
    )
    for kind in KINDS
)
