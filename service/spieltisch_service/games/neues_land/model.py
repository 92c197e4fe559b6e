"""What Neues Land is made of: the options, the deal, the actions and the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spieltisch_service.games.contract import Action, action_type, wire
from spieltisch_service.games.neues_land.board import REACH, Board
from spieltisch_service.games.neues_land.tables import KIND_IDS, ROTATIONS

PLACE_TILE, FOLLOWER, OVER = PHASES = ("place_tile", "follower", "over")


@dataclass(frozen=True, slots=True)
class Options:
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

    options: Options
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
