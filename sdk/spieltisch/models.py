"""What the service answers, as frozen dataclasses.

Fields that this version of the package does not know are kept in `extra`, so that a newer service loses nothing on the
way. Actions and the `state` of a game are plain dictionaries in the form that the game's rules describe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from spieltisch._model import INSTANT as _INSTANT
from spieltisch._model import TUPLE as _TUPLE
from spieltisch._model import Model
from spieltisch._model import by as _by
from spieltisch._model import many as _many

Action = Mapping[str, Any]


class Actions(list[dict[str, Any]]):
    """Legal actions: a list of plain dictionaries that can be searched."""

    def where(self, test: Callable[[dict[str, Any]], bool] | None = None, **values: Any) -> Actions:
        """Those that have all these values (`where(type="place_tile", x=1)`) and pass `test`, in the same order.

        An action that lacks a field has none of its values.
        """
        wanted = values.items()
        return Actions(action for action in self if wanted <= action.items() and (test is None or test(action)))

    def types(self) -> tuple[str, ...]:
        """The types that occur, each once, in order."""
        return tuple(dict.fromkeys(action["type"] for action in self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(Model):
    """A name with a key. `kind` is `human` or `bot`; `name` is None once it was erased."""

    id: str
    name: str | None
    kind: str
    created_at: datetime = field(metadata=_INSTANT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration(Model):
    """A new account and its API key, which cannot be recovered when lost."""

    account: Account = field(metadata=_by(Account.from_wire))
    key: str = field(repr=False)
    notice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key(Model):
    """An API key of the account, without the key itself. `ends_with` are its last characters, to know it by.

    scopes: of `play, create, organize, webhooks, admin`. expires_at: when it ends, or ended; None: never.
    """

    id: str
    name: str
    scopes: tuple[str, ...] = field(metadata=_TUPLE)
    created_at: datetime = field(metadata=_INSTANT)
    expires_at: datetime | None = field(default=None, metadata=_INSTANT)
    ends_with: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey(Key):
    """An API key that was just made: `key` is shown now and cannot be recovered when lost."""

    key: str = field(repr=False)
    notice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList(Model):
    """The keys of the account."""

    keys: tuple[Key, ...] = field(metadata=_many(Key))


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSeat(Model):
    """The seat that a seat token stands for: the id of its match, and its number."""

    match: str
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Me(Model):
    """Who the client is: an `account` (by an API key) or one `seat` (by its token); what it may do, and until when.

    expires_at: when the token ends; None: at no set time.
    """

    account: Account | None = field(default=None, metadata=_by(Account.from_wire))
    key: Key | None = field(default=None, metadata=_by(Key.from_wire))
    seat: HeldSeat | None = field(default=None, metadata=_by(HeldSeat.from_wire))
    scopes: tuple[str, ...] = field(default=(), metadata=_TUPLE)
    expires_at: datetime | None = field(default=None, metadata=_INSTANT)
    limits: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Model):
    """One game of the catalogue. What only its own page tells (material, actions, …) is in `extra`.

    name: by language. players: `min` and `max`. options: a JSON Schema.
    """

    id: str
    name: Mapping[str, str]
    rules_version: str
    players: Mapping[str, int]
    phases: tuple[str, ...] = field(metadata=_TUPLE)
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue(Model):
    """All games of a service."""

    games: tuple[Game, ...] = field(metadata=_many(Game))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat(Model):
    """One seat. `kind`: `account, guest, bot, open, invite`; `status`: `active, resigned, forfeited`."""

    seat: int
    kind: str
    taken: bool
    account: str | None
    name: str | None
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Model):
    """How a match ended, by seat: `scores`, and `ranks` from 1. `end_reason`: `completed` or `last_seat`."""

    scores: tuple[int, ...] = field(metadata=_TUPLE)
    ranks: tuple[int, ...] = field(metadata=_TUPLE)
    end_reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant(Model):
    """The token of a seat. It acts for that seat alone; whoever has it is that seat."""

    seat: int
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation(Model):
    """What opens `seat`, or (None) any `invite` seat, to be handed to whoever shall sit there.

    token: in the answer that made it alone; else "". uses: how often a seat may be taken by it, and `used` how often
    that was; None: whenever its seat is free, and nobody counts. expires_at: when it ends; None: with the match.
    """

    seat: int | None
    token: str = field(default="", repr=False)
    id: str = ""
    uses: int | None = None
    used: int = 0
    expires_at: datetime | None = field(default=None, metadata=_INSTANT)
    revoked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationList(Model):
    """Invitations of a match."""

    invitations: tuple[Invitation, ...] = field(metadata=_many(Invitation))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchInfo(Model):
    """A match as it was when the service answered (`status`: `open, running, finished, aborted`), with its `clock`."""

    id: str
    game: str
    rules_version: str
    options: Mapping[str, Any]
    status: str
    version: int
    seats: tuple[Seat, ...] = field(metadata=_many(Seat))
    start: str
    visibility: str
    commitment: str | None
    deal_source: str
    rated: bool
    metadata: Mapping[str, str]
    created_at: datetime = field(metadata=_INSTANT)
    started_at: datetime | None = field(metadata=_INSTANT)
    ended_at: datetime | None = field(metadata=_INSTANT)
    expires_at: datetime | None = field(default=None, metadata=_INSTANT)
    result: Result | None = field(metadata=_by(Result.from_wire))
    rematch: str | None
    clock: Mapping[str, Any] | None = None
    grants: tuple[Grant, ...] = field(default=(), metadata=_many(Grant))
    invitations: tuple[Invitation, ...] = field(default=(), metadata=_many(Invitation))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPage(Model):
    """Some matches of a list; `next_cursor` is None at its end."""

    matches: tuple[MatchInfo, ...] = field(metadata=_many(MatchInfo))
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class View(Model):
    """What one seat (`seat`), or a spectator (None), may see of a match at one `version`.

    `to_act` must act by `deadline_at`; `remaining_ms` is what each seat had when that began.
    """

    match: str
    game: str
    version: int
    status: str
    seat: int | None
    to_act: int | None
    phase: str | None
    scores: tuple[int, ...] | None = field(metadata=_TUPLE)
    state: Mapping[str, Any] | None
    legal_actions: Actions | None = field(metadata=_by(Actions))
    deadline_at: datetime | None = field(default=None, metadata=_INSTANT)
    remaining_ms: tuple[int, ...] | None = field(default=None, metadata=_TUPLE)
    result: Result | None = field(metadata=_by(Result.from_wire))

    @property
    def ended(self) -> bool:
        """Whether nothing can happen any more."""
        return self.status in ("finished", "aborted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imagined(Model):
    """A view of an imagined world, by the same seat as the one it came from.

    `legal_actions` are those of whoever must act, whose view it may be or not; None once the game is over.
    """

    game: str
    seat: int | None
    to_act: int | None
    phase: str
    scores: tuple[int, ...] = field(metadata=_TUPLE)
    state: Mapping[str, Any]
    legal_actions: Actions | None = field(metadata=_by(Actions))
    result: Result | None = field(metadata=_by(Result.from_wire))


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedStep(Model):
    """The action of a branch, by its `index`, that a `rule` forbids in this world."""

    index: int
    rule: str
    detail: str
    suggestions: Actions = field(metadata=_by(Actions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Model):
    """What came of a branch in a world: the `view` after all its actions, or the `error` that stopped it."""

    view: Imagined | None = field(metadata=_by(Imagined.from_wire))
    error: RefusedStep | None = field(metadata=_by(RefusedStep.from_wire))


@dataclass(frozen=True, slots=True, kw_only=True)
class World(Model):
    """One world that a view could be of: what came of each branch, in the order asked."""

    branches: tuple[Branch, ...] = field(metadata=_many(Branch))


@dataclass(frozen=True, slots=True, kw_only=True)
class Worlds(Model):
    """All worlds that were asked for; iterate over it."""

    worlds: tuple[World, ...] = field(metadata=_many(World))

    def __iter__(self) -> Iterator[World]:
        return iter(self.worlds)

    def __len__(self) -> int:
        return len(self.worlds)


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalActions(Model):
    """What the caller may do at `version`; `legal_actions` is None when the decision is not the caller's."""

    version: int
    legal_actions: Actions | None = field(metadata=_by(Actions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Model):
    """One event of the public log of a match or tournament.

    `seq` counts from 1 without gaps; `hash` is its link of the chain.
    """

    seq: int
    type: str
    at: datetime = field(metadata=_INSTANT)
    seat: int | None
    data: Mapping[str, Any]
    hash: str

    @property
    def ends_match(self) -> bool:
        """Whether no event can follow."""
        return self.type in ("match_finished", "match_aborted", "finished", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage(Model):
    """Some events of a match, and the `version` that it is at."""

    version: int
    events: tuple[Event, ...] = field(metadata=_many(Event))


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted(Model):
    """What an action came to: the events that it caused and the view after them."""

    version: int
    events: tuple[Event, ...] = field(metadata=_many(Event))
    view: View = field(metadata=_by(View.from_wire))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Model):
    """A match that waits for the caller. `deadline_at` is None where there is no clock."""

    match: str
    game: str
    seat: int
    version: int
    since_at: datetime = field(metadata=_INSTANT)
    deadline_at: datetime | None = field(metadata=_INSTANT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions(Model):
    """All that waits for the caller; iterate over it. `cursor` goes into the next call, to wait for a change."""

    decisions: tuple[Decision, ...] = field(metadata=_many(Decision))
    cursor: str

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def __len__(self) -> int:
        return len(self.decisions)
