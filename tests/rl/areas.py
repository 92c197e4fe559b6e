"""Areas of Neues Land by flood fill over a view, from the printed tiles alone: another way to count than the rules'."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spieltisch_service.games.neues_land.game import NEUES_LAND

STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
EDGES = "NESW"
Region = tuple[int, int, int]


def kinds() -> Mapping[str, Mapping[str, Any]]:
    """The printed tiles by id."""
    material: Any = NEUES_LAND.material()
    return {kind["id"]: kind for kind in material["kinds"]}


KINDS = kinds()


@dataclass
class Area:
    """Regions that are joined over edges (N3)."""

    regions: set[Region] = field(default_factory=set)
    open_edges: int = 0
    towns: int = 0
    followers: list[int] = field(default_factory=list)

    @property
    def tiles(self) -> int:
        """How many tiles it has, each once."""
        return len({(x, y) for x, y, _ in self.regions})


class Land:
    """The table of a view."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self.tiles = {(tile["x"], tile["y"]): tile for tile in state["tiles"]}
        self.standing = {(man["x"], man["y"], man["region"]): man["seat"] for man in state["followers"]}

    def region_at(self, x: int, y: int, edge: str) -> int:
        """Which region of the tile touches the edge in that direction, as the tile lies."""
        tile = self.tiles[x, y]
        printed = EDGES[(EDGES.index(edge) - tile["rotation"] // 90) % 4]
        (region,) = (n for n, one in enumerate(KINDS[tile["tile"]]["regions"]) if printed in one["edges"])
        return region

    def terrain(self, x: int, y: int, region: int) -> str:
        """The terrain of a region."""
        terrain: str = KINDS[self.tiles[x, y]["tile"]]["regions"][region]["terrain"]
        return terrain

    def area(self, x: int, y: int, region: int) -> Area:
        """The area that a region belongs to."""
        area, waiting = Area(), [(x, y, region)]
        while waiting:
            here = waiting.pop()
            if here in area.regions:
                continue
            area.regions.add(here)
            x, y, region = here
            area.towns += sum(region in pair for pair in KINDS[self.tiles[x, y]["tile"]]["towns"])
            if here in self.standing:
                area.followers.append(self.standing[here])
            for edge, (dx, dy) in STEPS.items():
                if self.region_at(x, y, edge) != region:
                    continue
                if (x + dx, y + dy) in self.tiles:
                    beyond = EDGES[(EDGES.index(edge) + 2) % 4]
                    waiting.append((x + dx, y + dy, self.region_at(x + dx, y + dy, beyond)))
                else:
                    area.open_edges += 1
        return area
