"""Actions, options, the deal and the state of Wunderland, and every action that can ever be legal, made once.

Making a frozen dataclass costs about a microsecond, and a turn has a hundred legal actions: so `legal` puts
together tuples of ready-made ones (`JOURNEYS`, `COLLECTS`, `ANSWERS`, `REDEEMS`, `END_TURN`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from spieltisch_service.games.contract import Action, action_type, wire
from spieltisch_service.games.wunderland.tables import BOARD

_PLACES = tuple(BOARD.places)
_CARDS = tuple(BOARD.cards)

#: The phases of a match: before the main action; a companion is asked; after it; W51; the end.
TURN, COMPANIONS, AFTER, FINAL, OVER = PHASES = ("turn", "companions", "after", "final", "over")

OWN_TURN, WITH_TRAVEL = "own_turn", "with_travel"


@dataclass(frozen=True, slots=True)
class Travel(Action):
    """Send travellers together from one place to another, 1 or 2 tracks away (W21)."""

    type: str = action_type("travel")
    origin: str = wire("place that the travellers leave", one_of=_PLACES)
    destination: str = wire("place that they go to, 1 or 2 tracks away", one_of=_PLACES)
    travellers: int = wire("how many of your travellers go", minimum=1, maximum=BOARD.travellers)


@dataclass(frozen=True, slots=True)
class TravelAlong(Action):
    """Send travellers along with another player's journey, the whole way (W22)."""

    type: str = action_type("travel_along")
    travellers: int = wire("how many of your travellers go along", minimum=1, maximum=BOARD.travellers)


@dataclass(frozen=True, slots=True)
class Stay(Action):
    """Send nobody along with another player's journey (W22)."""

    type: str = action_type("stay")


@dataclass(frozen=True, slots=True)
class Collect(Action):
    """Take postcards at a postcard place; the travellers used go back to Knuffingen (W30, W32)."""

    type: str = action_type("collect")
    place: str = wire("postcard place where your travellers stand", one_of=_PLACES)
    postcards: int = wire("how many postcards, one a traveller", minimum=1, maximum=BOARD.travellers)


@dataclass(frozen=True, slots=True)
class Redeem(Action):
    """Show a destination card on all of whose places you have travellers, for its points (W40)."""

    type: str = action_type("redeem")
    card: str = wire("destination card in your hand", one_of=_CARDS)


@dataclass(frozen=True, slots=True)
class EndTurn(Action):
    """End your turn, or your part of the final phase (W42, W51)."""

    type: str = action_type("end_turn")


@dataclass(frozen=True, slots=True)
class WunderlandOptions:
    """How a match is played, where the rules leave a choice (W32, W52)."""

    postcards: Literal["own_turn", "with_travel"] = wire(
        "own_turn: collecting is a turn's main action; with_travel: it is free before and after the journey",
        one_of=(OWN_TURN, WITH_TRAVEL),
        default="own_turn",
    )
    round_limit: int | None = wire(
        "after how many finished rounds the final phase begins, null for never",
        minimum=1,
        maximum=1000,
        default=None,
    )


@dataclass(frozen=True, slots=True)
class Deal:
    """The order of the destination cards, first drawn first; the hands come from its front (W10)."""

    deck: tuple[str, ...]


@dataclass(slots=True)
class State:
    """A match between two actions. Changed by `rules.push` alone; everybody else works on a copy.

    Lists are by seat. `turn` counts finished turns, each seat's part of the final phase included; `round` is the
    round being played, 1 first, and stays at the last one in the final phase, so that it never exceeds
    `round_limit`. `active` is the seat whose turn it is (once over: the last one). `asked` are the seats
    still to answer, the one to act first: the companions of a journey (W22), or those of the final phase (W51).
    `journey` is (origin, destination) while companions are asked. `travellers[seat]` holds only places with at
    least one; `postcards[seat]` and `postcards_left` have every section. `deck` is what is left of it.
    """

    options: WunderlandOptions
    players: int
    phase: str
    turn: int
    round: int
    active: int
    asked: tuple[int, ...]
    journey: tuple[str, str] | None
    travellers: list[dict[str, int]]
    postcards_left: dict[str, int]
    postcards: list[dict[str, int]]
    redeemed: list[list[str]]
    points: list[int]
    hands: list[list[str]]
    deck: tuple[str, ...]

    def copy(self) -> State:
        """A state that can be changed without changing this one."""
        return State(
            self.options,
            self.players,
            self.phase,
            self.turn,
            self.round,
            self.active,
            self.asked,
            self.journey,
            [own.copy() for own in self.travellers],
            self.postcards_left.copy(),
            [own.copy() for own in self.postcards],
            [cards.copy() for cards in self.redeemed],
            self.points.copy(),
            [cards.copy() for cards in self.hands],
            self.deck,
        )


def to_act(state: State) -> int | None:
    """The seat that must act, or None when the game is over."""
    if state.phase == COMPANIONS:
        return state.asked[0]
    return None if state.phase == OVER else state.active


_NUMBERS = range(BOARD.travellers + 1)

STAY = Stay()
END_TURN = EndTurn()


def _journeys(origin: str) -> tuple[tuple[Action, ...], ...]:
    single = {
        (to, n): Travel(origin=origin, destination=to, travellers=n) for to in BOARD.near[origin] for n in _NUMBERS if n
    }
    return tuple(tuple(single[to, n] for to in BOARD.near[origin] for n in range(1, most + 1)) for most in _NUMBERS)


def _collects(place: str) -> tuple[tuple[Action, ...], ...]:
    single = [Collect(place=place, postcards=n) for n in _NUMBERS if n]
    return tuple(tuple(single[:most]) for most in _NUMBERS)


#: `JOURNEYS[origin][n]`: every journey with at most n travellers from there, by destination, then number.
JOURNEYS: Mapping[str, tuple[tuple[Action, ...], ...]] = {place: _journeys(place) for place in BOARD.places}
#: `COLLECTS[place][n]`: taking 1 to n postcards there.
COLLECTS: Mapping[str, tuple[tuple[Action, ...], ...]] = {place: _collects(place) for place in BOARD.post}
#: `ANSWERS[n]`: what a companion with n travellers at the place of departure may answer.
ANSWERS: tuple[tuple[Action, ...], ...] = tuple(
    (*along, STAY) for along in ([TravelAlong(travellers=k) for k in range(1, n + 1)] for n in _NUMBERS)
)
REDEEMS: Mapping[str, Action] = {card: Redeem(card=card) for card in BOARD.cards}
