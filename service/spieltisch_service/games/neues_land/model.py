"""What Neues Land is made of: the options, the deal, the actions and the state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

from spieltisch_service.games.contract import Action, action_type, wire
from spieltisch_service.games.neues_land.board import REACH, Board, place_of, split_placement
from spieltisch_service.games.neues_land.tables import KIND_IDS, ROTATIONS

PLACE_TILE, FOLLOWER, OVER = PHASES = ("place_tile", "follower", "over")


@dataclass(frozen=True, slots=True)
class NeuesLandOptions:
    """How a match of Neues Land is played."""

    expert: bool = wire("Each player holds two open tiles and chooses one of them (N50 to N53).", default=False)
    equal_turns: bool = wire(
        "Before the game, tiles leave the deck unseen until all players have equally many turns (N12).",
        default=False,
    )


@dataclass(frozen=True, slots=True)
class Deal:
    """Kind ids: the deck, first drawn first, and what left it before the game (N12)."""

    deck: tuple[str, ...]
    set_aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceTile(Action):
    """Lay a tile of the hand on an empty cell beside a placed one (N22)."""

    type: str = action_type("place_tile")
    tile: str = wire("Kind id of the tile; in the normal game, the drawn one.", one_of=KIND_IDS)
    x: int = wire("Column; grows to the east.", minimum=-REACH, maximum=REACH)
    y: int = wire("Row; grows to the south.", minimum=-REACH, maximum=REACH)
    rotation: int = wire("Degrees clockwise.", one_of=ROTATIONS)

    def to_wire(self) -> dict[str, int | str]:
        """As `Action.to_wire`, spelled out: every view lists dozens of these."""
        return {"type": self.type, "tile": self.tile, "x": self.x, "y": self.y, "rotation": self.rotation}


@dataclass(frozen=True, slots=True)
class PlaceFollower(Action):
    """Place a follower on a region of the tile just laid (N24)."""

    type: str = action_type("place_follower")
    region: int = wire("Number of the region, in the order of the kind's `regions`.", minimum=0, maximum=4)


@dataclass(frozen=True, slots=True)
class RecallFollower(Action):
    """Take back one of the own followers and score it (N25)."""

    type: str = action_type("recall_follower")
    x: int = wire("Column of the tile that the follower stands on.", minimum=-REACH, maximum=REACH)
    y: int = wire("Row of the tile that the follower stands on.", minimum=-REACH, maximum=REACH)


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Neither place nor recall a follower (N23)."""

    type: str = action_type("pass")


_NEW_PLACE_TILE = partial(object.__new__, PlaceTile)
_SET_TYPE = vars(Action)["type"].__set__
_SET_TILE, _SET_X, _SET_Y, _SET_ROTATION = (vars(PlaceTile)[name].__set__ for name in ("tile", "x", "y", "rotation"))


def place_tile(placement: int) -> PlaceTile:
    """The action that lays a tile by a placement (`board`).

    Fills the slots by their own descriptors, in a third of the time that a frozen dataclass takes for it.
    """
    cell, shape = split_placement(placement)
    x, y = place_of(cell)
    action: PlaceTile = _NEW_PLACE_TILE()
    _SET_TYPE(action, "place_tile")
    _SET_TILE(action, KIND_IDS[shape >> 2])
    _SET_X(action, x)
    _SET_Y(action, y)
    _SET_ROTATION(action, 90 * (shape & 3))
    return action


class Placements(Sequence[PlaceTile]):
    """Placements as actions, which are made when they are looked at: a bot that picks one pays for one."""

    __slots__ = ("_placements",)

    def __init__(self, placements: list[int]) -> None:
        self._placements = placements

    def __len__(self) -> int:
        return len(self._placements)

    @overload
    def __getitem__(self, index: int) -> PlaceTile: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PlaceTile]: ...
    def __getitem__(self, index: int | slice) -> PlaceTile | Sequence[PlaceTile]:
        if isinstance(index, slice):
            return Placements(self._placements[index])
        return place_tile(self._placements[index])

    def __iter__(self) -> Iterator[PlaceTile]:
        return map(place_tile, self._placements)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Placements):
            return self._placements == other._placements
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


class State:
    """A position. `Game` never changes one; `copy` first, then `rules.push`.

    Tiles are kind numbers (`tables`). `deck` never changes, `top` is how many tiles of it are drawn. `hands`,
    `supply`, `points` are by seat; the inner lists of `hands` are replaced, never changed. `followers`: cell →
    (seat, region), in order of placing. `seat` acts unless `phase` is `over`. `turn` counts completed turns.
    `shown` is a head start for the view: its entries for the first tiles; replaced, never changed.
    """

    __slots__ = (
        "board", "deck", "discarded", "followers", "hands", "options", "phase", "players", "points", "seat",
        "set_aside_count", "shown", "supply", "top", "turn",
    )  # fmt: skip

    options: NeuesLandOptions
    players: int
    deck: list[int]
    top: int
    set_aside_count: int
    board: Board
    seat: int
    phase: str
    turn: int
    hands: list[list[int]]
    supply: list[int]
    points: list[int]
    followers: dict[int, tuple[int, int]]
    discarded: list[int]
    shown: list[dict[str, Any]]

    def copy(self) -> State:
        """A state that can be changed without changing this one."""
        other = State()
        other.options = self.options
        other.players = self.players
        other.deck = self.deck
        other.top = self.top
        other.set_aside_count = self.set_aside_count
        other.board = self.board.copy()
        other.seat = self.seat
        other.phase = self.phase
        other.turn = self.turn
        other.hands = self.hands.copy()
        other.supply = self.supply.copy()
        other.points = self.points.copy()
        other.followers = self.followers.copy()
        other.discarded = self.discarded.copy()
        other.shown = self.shown
        return other
