"""A second reading of the rules of Neues Land, slow and plain, which shares no code with the engine.

It knows the tiles (as the catalogue shows them) and a list of placed tiles, and works everything out anew each time:
placements by trying all cells and rotations, areas by flood fill, scores by counting. `Referee` plays whole games.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

Wire = dict[str, Any]
Node = tuple[int, int, int]  # x, y, region

COMPASS = "NESW"
NEXT_TO = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
FOLLOWER_KIND = {"plain": "explorer", "mountain": "robber", "water": "sailor"}


def turned(edge: str, rotation: int) -> str:
    """N10: clockwise."""
    return COMPASS[(COMPASS.index(edge) + rotation // 90) % 4]


def same_picture(kind: Wire, one: int, other: int) -> bool:
    """N22 (D): some renumbering of the regions turns the tile in one rotation into the tile in the other."""
    regions = kind["regions"]

    def pairs(key: str, order: tuple[int, ...]) -> set[frozenset[int]]:
        return {frozenset(order[region] for region in pair) for pair in kind[key]}

    unchanged = tuple(range(len(regions)))
    for order in permutations(unchanged):
        if (
            all(
                regions[a]["terrain"] == regions[b]["terrain"]
                and {turned(edge, one) for edge in regions[a]["edges"]}
                == {turned(edge, other) for edge in regions[b]["edges"]}
                for a, b in enumerate(order)
            )
            and pairs("borders", order) == pairs("borders", unchanged)
            and pairs("towns", order) == pairs("towns", unchanged)
        ):
            return True
    return False


@dataclass
class Tiles:
    """The kinds by id, with what each shows in each rotation."""

    kinds: dict[str, Wire]
    rotations: dict[str, list[int]] = field(init=False)
    sides: dict[tuple[str, int], dict[str, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.rotations = {
            name: [
                rotation
                for rotation in (0, 90, 180, 270)
                if not any(same_picture(kind, rotation, less) for less in range(0, rotation, 90))
            ]
            for name, kind in self.kinds.items()
        }
        self.sides = {
            (name, rotation): {
                turned(edge, rotation): region for region, raw in enumerate(kind["regions"]) for edge in raw["edges"]
            }
            for name, kind in self.kinds.items()
            for rotation in (0, 90, 180, 270)
        }

    def terrain(self, name: str, region: int) -> str:
        terrain: str = self.kinds[name]["regions"][region]["terrain"]
        return terrain


@dataclass
class Table:
    """Placed tiles: (x, y) → (kind, rotation)."""

    tiles: Tiles
    at: dict[tuple[int, int], tuple[str, int]]

    def fits(self, name: str, x: int, y: int, rotation: int) -> bool:
        """N22."""
        if (x, y) in self.at:
            return False
        shared = 0
        for edge, (dx, dy) in NEXT_TO.items():
            beside = self.at.get((x + dx, y + dy))
            if beside is None:
                continue
            shared += 1
            mine = self.tiles.terrain(name, self.tiles.sides[name, rotation][edge])
            theirs = self.tiles.terrain(beside[0], self.tiles.sides[beside][OPPOSITE[edge]])
            if mine != theirs:
                return False
        return shared > 0

    def placements(self, name: str) -> list[Wire]:
        xs, ys = [x for x, _ in self.at], [y for _, y in self.at]
        return [
            {"type": "place_tile", "tile": name, "x": x, "y": y, "rotation": rotation}
            for x in range(min(xs) - 1, max(xs) + 2)
            for y in range(min(ys) - 1, max(ys) + 2)
            for rotation in self.tiles.rotations[name]
            if self.fits(name, x, y, rotation)
        ]

    def area(self, start: Node) -> tuple[set[Node], bool]:
        """N3: the regions joined with `start`, and whether the area is closed."""
        found, todo, closed = {start}, [start], True
        while todo:
            x, y, region = todo.pop()
            placed = self.at[x, y]
            for edge, own in self.tiles.sides[placed].items():
                if own != region:
                    continue
                dx, dy = NEXT_TO[edge]
                beside = self.at.get((x + dx, y + dy))
                if beside is None:
                    closed = False
                    continue
                node = (x + dx, y + dy, self.tiles.sides[beside][OPPOSITE[edge]])
                if node not in found:
                    found.add(node)
                    todo.append(node)
        return found, closed

    def towns(self, area: set[Node]) -> int:
        return sum(region in pair for x, y, region in area for pair in self.tiles.kinds[self.at[x, y][0]]["towns"])

    def points(self, node: Node, as_open: bool = False) -> int:
        """N30 to N36, and with `as_open` N41."""
        area, closed = self.area(node)
        closed = closed and not as_open
        count = len({(x, y) for x, y, _ in area})
        terrain = self.tiles.terrain(self.at[node[0], node[1]][0], node[2])
        if terrain == "plain":
            if closed and count == 2:
                return 2  # N31
            return count * 2 if closed else count  # N30
        if terrain == "water":
            if closed and count != 2:
                return self.towns(area) + count  # N34, N36
            return self.towns(area)  # N34, N35
        plains: set[frozenset[Node]] = set()
        for x, y, region in area:
            name = self.at[x, y][0]
            for pair in self.tiles.kinds[name]["borders"]:
                if region in pair:
                    other = pair[0] if pair[1] == region else pair[1]
                    if self.tiles.terrain(name, other) == "plain":
                        plains.add(frozenset(self.area((x, y, other))[0]))
        towns = self.towns(area) + sum(self.towns(set(plain)) for plain in plains)
        return 2 * towns if closed and count != 2 else towns  # N32, N33


class Referee:
    """A whole game, from set-up to the end, for comparison after each action."""

    def __init__(self, material: Wire, players: int, expert: bool, deck: list[str]) -> None:
        self.tiles = Tiles({kind["id"]: kind for kind in material["kinds"]})
        self.table = Table(self.tiles, {(0, 0): (material["start_tile"], 0)})
        self.players, self.expert, self.deck = players, expert, list(deck)
        self.hands: list[list[str]] = [[] for _ in range(players)]
        self.followers: dict[tuple[int, int], tuple[int, int]] = {}
        self.base = [0] * players
        self.discarded: list[str] = []
        self.drawn: list[Wire] = []
        self.last: tuple[int, int] | None = None
        self.seat: int | None = 0
        self.laid = False
        if expert:  # N50
            for seat in range(players):
                self.draw(seat)
                self.draw(seat)
        self.begin(0)

    def draw(self, seat: int) -> None:
        if self.deck:
            tile = self.deck.pop(0)
            self.hands[seat].append(tile)
            self.drawn.append({"seat": seat, "tile": tile})

    def playable(self, seat: int) -> bool:
        return any(self.table.placements(tile) for tile in self.hands[seat])

    def begin(self, seat: int) -> None:
        self.laid = False
        if not self.expert:
            self.draw(seat)  # N20
            while self.hands[seat] and not self.playable(seat):  # N21
                self.discarded.append(self.hands[seat].pop())
                self.draw(seat)
            self.seat = seat if self.hands[seat] else None  # N40
            return
        for offset in range(self.players):  # N53
            candidate = (seat + offset) % self.players
            while self.hands[candidate] and not self.playable(candidate):  # N52
                count = len(self.hands[candidate])
                self.discarded += self.hands[candidate]
                self.hands[candidate] = []
                for _ in range(count):
                    self.draw(candidate)
            if self.hands[candidate]:
                self.seat = candidate
                return
        self.seat = None

    def supply(self, seat: int) -> int:
        return 4 - sum(owner == seat for owner, _ in self.followers.values())

    def legal(self) -> list[Wire]:
        if self.seat is None:
            return []
        if not self.laid:
            return [action for tile in sorted(set(self.hands[self.seat])) for action in self.table.placements(tile)]
        assert self.last is not None
        x, y = self.last
        actions: list[Wire] = []
        standing = {(*cell, region) for cell, (_, region) in self.followers.items()}
        if self.supply(self.seat):
            for region in range(len(self.tiles.kinds[self.table.at[x, y][0]]["regions"])):
                if not self.table.area((x, y, region))[0] & standing:  # N24
                    actions.append({"type": "place_follower", "region": region})
        own = sorted(cell for cell, (owner, _) in self.followers.items() if owner == self.seat)
        actions += [{"type": "recall_follower", "x": x, "y": y} for x, y in own]
        return [*actions, {"type": "pass"}]

    def act(self, action: Wire) -> int:
        """Do a legal action; the points that it gains."""
        assert self.seat is not None
        seat, self.drawn = self.seat, []
        if action["type"] == "place_tile":
            self.table.at[action["x"], action["y"]] = (action["tile"], action["rotation"])
            self.last = (action["x"], action["y"])
            self.hands[seat].remove(action["tile"])
            self.laid = True
            while self.expert and self.deck and len(self.hands[seat]) < 2:
                self.draw(seat)
            return 0
        gained = 0
        if action["type"] == "place_follower":
            assert self.last is not None
            self.followers[self.last] = (seat, action["region"])
        elif action["type"] == "recall_follower":
            x, y = action["x"], action["y"]
            gained = self.table.points((x, y, self.followers.pop((x, y))[1]))
            self.base[seat] += gained
        self.begin((seat + 1) % self.players)
        return gained

    def final(self) -> list[Wire]:
        """N41."""
        return [
            {"seat": seat, "x": x, "y": y, "points": self.table.points((x, y, region), as_open=True)}
            for (x, y), (seat, region) in self.followers.items()
        ]

    def scores(self, final: bool) -> list[int]:
        totals = list(self.base)
        for entry in self.final() if final else []:
            totals[entry["seat"]] += entry["points"]
        return totals
