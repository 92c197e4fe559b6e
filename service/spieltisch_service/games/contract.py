"""What a game is: a set of pure functions over a state, and the shapes that go with them.

A game room (`neues_land/`, `wunderland/`) defines its actions, options and deal as frozen dataclasses, and one
subclass of `Game`. Everything else follows from those: the JSON of an action, its schema, its place in the
OpenAPI document and the checks of a request all come from the dataclass' fields and their `Wire` metadata.

One engine has two faces. `Game.apply` is pure and serves the platform; `Playout` is changed in place and serves
bots and bulk games. The contract suite (`tests/games/`) holds them equal for every game of the catalogue.

`imagine` goes the other way: from what a seat sees to states that it could be in, for bots that think ahead.

The only randomness is the deal. A state is a function of options, players, deal and actions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

#: What JSON can hold, without floats. Keys are strings.
Plain: TypeAlias = "bool | int | str | list[Any] | dict[str, Any] | None"


@dataclass(frozen=True, slots=True)
class Wire:
    """What a field may hold on the wire; put into a dataclass field by `wire()`.

    `minimum` and `maximum` bound an integer (both inclusive); `one_of` lists all allowed values.
    """

    description: str
    minimum: int | None = None
    maximum: int | None = None
    one_of: tuple[int | str, ...] | None = None


def wire(
    description: str,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    one_of: Sequence[int | str] | None = None,
    **dataclass_field: Any,
) -> Any:
    """A dataclass field that knows what it may hold on the wire (see `Wire`); `default=` as in `field()`."""
    meta = Wire(description, minimum, maximum, None if one_of is None else tuple(one_of))
    return field(metadata={"wire": meta}, **dataclass_field)


def action_type(name: str) -> Any:
    """The field `type` of an action: its fixed name on the wire. Must be the first field, annotated `str`."""
    return field(default=name, init=False)


@dataclass(frozen=True, slots=True)
class Action:
    """Base of all actions: one frozen, slotted dataclass per kind, whose first field is `type`.

    The wire form is an object with exactly the dataclass' fields; values are integers and strings.
    The docstring's first line is the kind's description in the catalogue and in the OpenAPI document.
    """

    type: str

    def to_wire(self) -> dict[str, int | str]:
        """The action as JSON, `type` first."""
        return {"type": self.type, **{name: getattr(self, name) for name in self.__match_args__}}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game stands if it ends now, with everything scored.

    `scores` and `ranks` by seat (best is 1, ties share a rank and the next rank is left out: 1, 1, 3);
    `data` is what the `match_finished` event adds for this game (Neues Land: `final`).
    """

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    data: Mapping[str, Plain]


def ranks(scores: Sequence[int]) -> tuple[int, ...]:
    """Ranks by seat: 1 + how many seats have more points (N42, W62)."""
    return tuple(1 + sum(other > own for other in scores) for own in scores)


S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class Playout(Protocol):
    """A game that is played in place, for bots and bulk games. Not shared between threads."""

    def to_act(self) -> int | None:
        """The seat that must act, or None when the game is over."""

    def legal(self) -> Sequence[Action]:
        """The legal actions, as `Game.legal`. Do not change the answer; it is stale after `push`."""

    def push(self, action: Action) -> None:
        """Do `action`, which must be one of `legal()`: nothing is checked here."""

    def scores(self) -> Sequence[int]:
        """As `Game.scores`."""

    def snapshot(self) -> Any:
        """The state as it is now, for the functions of `Game`; later pushes do not change it."""


class Imagination(Protocol[S_co]):
    """A view that was read and checked once, and everything that it leaves open.

    It never changes, and its worlds share nothing with it that could be changed.
    """

    def world(self, seed: bytes) -> S_co:
        """A whole state that the view could be of; the same for the same `seed` (32 bytes, or any).

        What the view does not show is drawn from what is unseen, every arrangement as likely as any other. The
        state has the view and the legal actions that it was imagined from, and can be played to the end.
        """


class Game(ABC, Generic[S]):
    """The rules of one game. Instances hold no state of a match; there is one per game, in the catalogue.

    `S` is the game's state: opaque to everybody else, never changed by these functions. All sequences "by seat"
    have one entry per player, seat 0 first.
    """

    #: The id in URLs and records (`neues-land`).
    id: ClassVar[str]
    #: Names by language (`de`, `en`).
    name: ClassVar[Mapping[str, str]]
    #: Changes whenever the same deal and actions could give another state.
    rules_version: ClassVar[str]
    min_players: ClassVar[int]
    max_players: ClassVar[int]
    #: A frozen dataclass with a default for each field; `wire()` metadata gives its JSON Schema.
    options_type: ClassVar[type[Any]]
    #: Every kind of action.
    actions: ClassVar[tuple[type[Action], ...]]
    #: Every phase in which a match can be; the last is `over`.
    phases: ClassVar[tuple[str, ...]]

    @cached_property
    def kinds(self) -> Mapping[str, type[Action]]:
        """The kinds of action by their `type`."""
        return {str(next(iter(fields(kind))).default): kind for kind in self.actions}

    def action_from_wire(self, raw: Mapping[str, Any]) -> Action:
        """The action that `raw` describes, which has been checked: it has just the right keys and types."""
        return self.kinds[raw["type"]](**{key: value for key, value in raw.items() if key != "type"})

    # --- the deal -------------------------------------------------------------------------------------------

    @abstractmethod
    def deal(self, options: Any, players: int, deal_seed: bytes) -> Any:
        """The deal that `deal_seed` (32 bytes) gives: the set-up of the rules, with `chance.shuffled`."""

    @abstractmethod
    def parse_deal(self, raw: Mapping[str, Plain], options: Any, players: int) -> Any:
        """An explicit deal from its JSON form (last section of the rules). Raises `InvalidDeal`."""

    @abstractmethod
    def deal_to_wire(self, deal: Any) -> dict[str, Plain]:
        """The deal as JSON, every key present; `parse_deal` reads it back as an equal deal."""

    # --- play -----------------------------------------------------------------------------------------------

    @abstractmethod
    def start(self, options: Any, deal: Any, players: int) -> tuple[S, dict[str, Plain]]:
        """The first state, and what `match_started` adds for this game (Neues Land: `drawn`, `discarded`)."""

    @abstractmethod
    def to_act(self, state: S) -> int | None:
        """The seat that must act, or None when the game is over."""

    @abstractmethod
    def phase(self, state: S) -> str:
        """One of `phases`."""

    @abstractmethod
    def turn(self, state: S) -> int:
        """The ordinal of the turn, 0 for the first; it grows whenever a turn ends, also if a seat is next again."""

    @abstractmethod
    def legal(self, state: S) -> Sequence[Action]:
        """All legal actions of the seat to act, each once, in an order that depends on the state alone.

        Empty when the game is over, and only then.
        """

    @abstractmethod
    def apply(self, state: S, action: Action) -> tuple[S, dict[str, Plain]]:
        """The state after `action` of the seat to act, and what its event says about it.

        The event data always has `points` (gained by this action itself, without a final scoring), and what
        the API's event table gives for the game; it holds nothing that a spectator may not know. Raises
        `IllegalAction`; then nothing has changed. An action that is accepted in another form than listed
        (N22) has its recorded form under the key `action`, as JSON; the caller takes it from there.
        """

    def foreseen(self, before: S, state: S) -> S:
        """`state` without the hidden things that came to light for the seat to act since `before`, in the same turn.

        So much of it could that seat know when it sent a list of actions, and by that the list is judged: an answer to
        a list that is refused must not tell what it would have brought to light. What is legal in it is legal in
        `state`. A game in which nothing hidden comes to light within a turn leaves this as it is.
        """
        del before
        return state

    @abstractmethod
    def scores(self, state: S) -> tuple[int, ...]:
        """Points so far, by seat. Neues Land: with the final scoring once over. Wunderland: of redeemed cards."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome:
        """How the game stands if it ends in this state, whether it is over or not (N41, W60, W61)."""

    @abstractmethod
    def default_action(self, state: S) -> Action:
        """What is played for a seat that left: a legal action, chosen from public knowledge only."""

    @abstractmethod
    def playout(self, state: S) -> Playout:
        """A game to be played in place from `state`, which stays as it is."""

    # --- what is seen ---------------------------------------------------------------------------------------

    @abstractmethod
    def view(self, state: S, seat: int | None) -> dict[str, Plain]:
        """The `state` part of a view, for a seat or (None) a spectator; every key present for every viewer.

        Built from an allow-list, never by deleting. A spectator's view holds public knowledge only.
        """

    @abstractmethod
    def imagine(self, view: Mapping[str, Plain], options: Any) -> Imagination[S]:
        """What could lie behind a view of the API, as a seat or a spectator got it from a match with `options`.

        Read are `game, seat, to_act, phase, scores, state`, which must be there; the other keys of a view may be.
        Somebody must act, or the game must be over by its own rules. Raises `InvalidView` for a view that no
        position has: each thing is in one place, and nothing on the table contradicts the rules.
        """

    @abstractmethod
    def describe(self, view: Mapping[str, Plain]) -> str:
        """The board as text, for a terminal (at most 100 columns where possible), from the `state` of a view."""

    @abstractmethod
    def notation(self, action: Action) -> str:
        """The action on one short line, the same for the same action, as for a list of moves."""

    @abstractmethod
    def material(self) -> dict[str, Plain]:
        """What lies on the table before the match, as JSON: tiles, or map and cards."""

    @abstractmethod
    def rules(self, language: str) -> str:
        """The rules as Markdown; `language` is a key of `name`."""

    # --- storing --------------------------------------------------------------------------------------------

    @abstractmethod
    def encode(self, state: S) -> dict[str, Plain]:
        """The state as plain data, derived state included, with the key `format` (an integer).

        Integers stay within 64 bits signed, so that every JSON library reads them.
        """

    @abstractmethod
    def decode(self, data: Mapping[str, Plain]) -> S:
        """The state that was encoded. Raises `UnknownFormat`. Takes over the lists of `data`."""
