"""A match: what the log and the list of people say about it at one version.

`open → running → finished | aborted`. A `Match` is never changed; `after` folds one event into the next one. The
log is public and names nobody, so who took a seat is kept beside it, by the number of the event (`people`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, NamedTuple, Self

import orjson

from spieltisch_service.domain import clock as clocks
from spieltisch_service.domain.clock import Clock, Times
from spieltisch_service.domain.events import GENESIS_HASH, LoggedEvent, instant

_DAY_MS = 86_400_000
#: How often the holder of a seat can have its token replaced.
MOST_REPLACED = 100


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat. `kind` is `account`, `guest` or `bot` when taken, `open` or `invite` when not.

    `by_invitation` is what a seat falls back to when it is left; `generation` grows then, which ends its tokens.
    """

    kind: str
    account: str | None = None
    name: str | None = None
    status: str = "active"
    by_invitation: bool = False
    generation: int = 0

    @property
    def taken(self) -> bool:
        """Whether somebody sits here."""
        return self.kind not in ("open", "invite")

    def left(self) -> Seat:
        """The seat after its holder went away, before the start."""
        kind = "invite" if self.by_invitation else "open"
        return Seat(kind, by_invitation=self.by_invitation, generation=self.generation + 1)


@dataclass(frozen=True, slots=True)
class Person:
    """Who took a seat: a kind (`account` or `guest`), the account's id if there is one, and the name.

    `invitation` is the id of the one that was used, if it counts its uses.
    """

    kind: str
    account: str | None
    name: str | None
    invitation: str | None = None


@dataclass(frozen=True, slots=True)
class Invitation:
    """Opens `seat`, or (None) any seat that is for invitations, `uses` times (None: as often as it is free)."""

    id: str
    seat: int | None
    uses: int | None
    expires_at_ms: int | None = None
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Secret:
    """What nobody may see before the end: seed (hex; None for an explicit deal), nonces by seat, deal as JSON.

    `deal` is None until it is drawn at the start, unless it was given.
    """

    seed: str | None
    nonces: tuple[str | None, ...]
    deal: Mapping[str, Any] | None

    def to_json(self) -> bytes:
        """For the store."""
        return orjson.dumps({"schema": 1, "seed": self.seed, "nonces": self.nonces, "deal": self.deal})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """What `to_json` wrote. Raises ValueError for an unknown schema number."""
        raw = orjson.loads(text)
        # The first secrets had no number, and the very form that got the number 1.
        if raw.get("schema", 1) != 1:
            msg = "a secret of an unknown schema"
            raise ValueError(msg)
        return cls(raw["seed"], tuple(raw["nonces"]), raw["deal"])


class Lifetimes(NamedTuple):
    """How long a match lasts behind its last event, in ms: open, running, and ended (None: for good).

    A match keeps those that it was created with. These defaults must stay what they are: a stored match without any has
    them.
    """

    open_ms: int = 7 * _DAY_MS
    running_ms: int = 30 * _DAY_MS
    ended_ms: int | None = None


_LIFETIMES = Lifetimes()


class Stake(NamedTuple):
    """What a match is played for: the `tournament`, and its `table` there.

    `told`: the tournament knows that the match has ended. `deal_shown`: no other match with this one's seed is still to
    be played, so that seed and deal may be shown once it has ended.
    """

    tournament: str
    table: str
    told: bool = False
    deal_shown: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    """One match at one version. `first_seats` are the seats at creation; `left` those that went, first out first.

    `clock` is None where nobody's time is limited; `times` is what it shows since the start. `replaced` are the seats
    whose holder had the token replaced, once for each time; `invitations` those that were made or revoked since the
    creation. No event tells of these two: `revision` counts how often the document changed without one. `played_for`
    is None where the match is its own affair.
    """

    id: str
    game: str
    rules_version: str
    options: Mapping[str, Any]
    start: str
    visibility: str
    metadata: Mapping[str, str]
    creator: str
    commitment: str | None
    deal_source: str
    first_seats: tuple[Seat, ...]
    people: Mapping[int, Person] = field(default_factory=dict)
    lifetimes: Lifetimes = _LIFETIMES
    clock: Clock | None = None
    replaced: tuple[int, ...] = ()
    invitations: tuple[Invitation, ...] = ()
    played_for: Stake | None = None
    version: int = 0
    hash: str = GENESIS_HASH
    status: str = "open"
    seats: tuple[Seat, ...] = ()
    result: Mapping[str, Any] | None = None
    left: tuple[int, ...] = ()
    at_ms: int = 0
    created_at_ms: int = 0
    started_at_ms: int | None = None
    ended_at_ms: int | None = None
    rematch: str | None = None
    times: Times | None = None
    revision: int = 0

    # --- folding --------------------------------------------------------------------------------------------

    def after(
        self, event_type: str, seat: int | None, data: Mapping[str, Any], seq: int, hash_: str, at_ms: int
    ) -> Match:
        """The match after one event of its log."""
        changed: dict[str, Any] = {"version": seq, "hash": hash_, "at_ms": at_ms}
        match event_type:
            case "match_created":
                changed |= {"seats": self.first_seats, "created_at_ms": at_ms}
            case "seat_taken":
                changed["seats"] = self._seats_with(seat, self._taken_by(seat, self.people[seq]))
            case "seat_left":
                changed["seats"] = self._seats_with(seat, self._seat(seat).left())
            case "match_started":
                changed |= {"status": "running", "started_at_ms": at_ms}
            case "seat_resigned" | "seat_forfeited":
                status = event_type.removeprefix("seat_")
                changed["seats"] = self._seats_with(seat, replace(self._seat(seat), status=status))
                changed["left"] = (*self.left, seat)
            case "match_finished":
                changed |= {"status": "finished", "result": data["result"], "ended_at_ms": at_ms}
            case "match_aborted":
                changed |= {"status": "aborted", "ended_at_ms": at_ms}
        if self.clock is not None:
            changed["times"] = clocks.after(self.clock, self.times, self.players, event_type, seat, data, at_ms)
        return self.changed(**changed)

    def changed(self, **fields_: Any) -> Match:
        """What `dataclasses.replace` gives, in half the time: every event asks for it."""
        values = list(_values(self))
        for name, value in fields_.items():
            values[_PLACES[name]] = value
        return Match(*values)

    def after_all(self, events: Iterable[LoggedEvent]) -> Match:
        """The match after several events."""
        match = self
        for event in events:
            content = event.parsed()
            match = match.after(content["type"], content["seat"], content["data"], event.seq, event.hash, event.at_ms)
        return match

    def unborn(self) -> Match:
        """The match before its first event, for folding its log from the start."""
        return Match(**{name: getattr(self, name) for name in _PLACES if name not in _FOLDED})

    def _seat(self, seat: int | None) -> Seat:
        assert seat is not None
        return self.seats[seat]

    def _taken_by(self, seat: int | None, person: Person) -> Seat:
        return replace(self._seat(seat), kind=person.kind, account=person.account, name=person.name)

    def _seats_with(self, index: int | None, seat: Seat) -> tuple[Seat, ...]:
        return tuple(seat if i == index else old for i, old in enumerate(self.seats))

    # --- asking ---------------------------------------------------------------------------------------------

    @property
    def players(self) -> int:
        """How many seats the match has."""
        return len(self.first_seats)

    @property
    def ended(self) -> bool:
        """Whether nothing can happen any more."""
        return self.status in ("finished", "aborted")

    @property
    def lasts_ms(self) -> int | None:
        """How long it lasts behind its last event; None: for good."""
        if self.ended:
            return self.lifetimes.ended_ms
        return self.lifetimes.open_ms if self.status == "open" else self.lifetimes.running_ms

    @property
    def timer_ms(self) -> int | None:
        """How long after its last event somebody must look after it: at once where its tournament is to be told."""
        return 0 if self.is_to_be_told else self.lasts_ms

    @property
    def is_to_be_told(self) -> bool:
        """Whether it has ended, and its tournament does not know that yet."""
        return self.ended and self.played_for is not None and not self.played_for.told

    @property
    def shows_deal(self) -> bool:
        """Whether everybody may know seed and deal."""
        return self.ended and (self.played_for is None or self.played_for.deal_shown)

    @property
    def expires_at_ms(self) -> int | None:
        """When it is aborted unless something happens, or an ended one deleted; None: never."""
        return None if self.lasts_ms is None else self.at_ms + self.lasts_ms

    @property
    def rated(self) -> bool:
        """Whether the match could count: a drawn deal, and every seat its own account or house bot."""
        accounts = [seat.account for seat in self.seats if seat.kind == "account"]
        return (
            self.deal_source == "drawn"
            and len(accounts) == len(set(accounts))
            and all(seat.kind != "guest" for seat in self.seats)
        )

    def told_at_ms(self, at_ms: int) -> int:
        """By when its last event, which happened at `at_ms`, was told: a lapse is noticed later."""
        return at_ms if self.times is None else max(at_ms, self.times.since_ms)

    def seats_of(self, account: str) -> list[int]:
        """The seats that the account holds."""
        return [i for i, seat in enumerate(self.seats) if seat.account == account]

    def generation_of(self, seat: int, replacements: int | None = None) -> int:
        """Which token of a seat is good now, or was after so many `replacements` by its present holder."""
        count = self.replaced.count(seat) if replacements is None else replacements
        return self.seats[seat].generation * (MOST_REPLACED + 1) + count

    def used(self, invitation_id: str) -> int:
        """How often somebody took a seat by an invitation that counts its uses."""
        return sum(person.invitation == invitation_id for person in self.people.values())

    def active_seats(self) -> list[int]:
        """The seats that have not resigned or been forfeited."""
        return [i for i, seat in enumerate(self.seats) if seat.status == "active"]

    def to_wire(self) -> dict[str, Any]:
        """The match as API clients see it; the same for every viewer."""
        return {
            "id": self.id,
            "game": self.game,
            "rules_version": self.rules_version,
            "options": self.options,
            "status": self.status,
            "version": self.version,
            "seats": self.seats_to_wire(),
            "start": self.start,
            "visibility": self.visibility,
            "commitment": self.commitment,
            "deal_source": self.deal_source,
            "clock": None if self.clock is None else self.clock.to_wire(),
            "rated": self.rated,
            "metadata": self.metadata,
            "created_at": instant(self.created_at_ms),
            "started_at": None if self.started_at_ms is None else instant(self.started_at_ms),
            "ended_at": None if self.ended_at_ms is None else instant(self.ended_at_ms),
            "expires_at": None if self.expires_at_ms is None else instant(self.expires_at_ms),
            "result": self.result,
            "rematch": self.rematch,
        }

    def seats_to_wire(self) -> list[dict[str, Any]]:
        """The seats as API clients see them."""
        return [
            {
                "seat": i,
                "kind": seat.kind,
                "taken": seat.taken,
                "account": seat.account,
                "name": seat.name,
                "status": seat.status,
            }
            for i, seat in enumerate(self.seats)
        ]

    # --- storing --------------------------------------------------------------------------------------------

    def to_document(self) -> bytes:
        """The match without what every event moves (version, hash, times, rematch), as JSON for the store."""
        kept = {name: getattr(self, name) for name in _KEPT}
        if self.lifetimes != _LIFETIMES:
            kept["lifetimes"] = list(self.lifetimes)
        # Versions without clocks read what has none.
        if self.clock is not None:
            kept["clock"] = self.clock.to_wire()
        if self.replaced:
            kept["replaced"] = self.replaced
        if self.invitations:
            kept["invitations"] = self.invitations
        if self.played_for is not None:
            kept["played_for"] = self.played_for._asdict()
        return orjson.dumps({"schema": 1} | kept, default=_seat_or_person, option=_DOCUMENT)

    @classmethod
    def from_document(cls, text: str | bytes, **moving: Any) -> Self:
        """What `to_document` wrote, with what it left out. Raises ValueError for an unknown schema number."""
        raw = orjson.loads(text)
        if raw.pop("schema") != 1:
            msg = "a match document of an unknown schema"
            raise ValueError(msg)
        raw["first_seats"] = tuple(Seat(**seat) for seat in raw["first_seats"])
        raw["seats"] = tuple(Seat(**seat) for seat in raw["seats"])
        raw["people"] = {int(seq): Person(**person) for seq, person in raw["people"].items()}
        raw["left"] = tuple(raw["left"])
        if "lifetimes" in raw:
            raw["lifetimes"] = Lifetimes(*raw["lifetimes"])
        if "clock" in raw:
            raw["clock"] = Clock.from_wire(raw["clock"])
        raw["replaced"] = tuple(raw.get("replaced", ()))
        raw["invitations"] = tuple(Invitation(**each) for each in raw.get("invitations", ()))
        if "played_for" in raw:
            raw["played_for"] = Stake(**raw["played_for"])
        return cls(**raw, **moving)


_values = attrgetter(*(each.name for each in fields(Match)))
_PLACES = {each.name: place for place, each in enumerate(fields(Match))}
_MOVING = ("version", "hash", "at_ms", "created_at_ms", "started_at_ms", "ended_at_ms", "rematch", "times", "revision")
#: What the events say: as the defaults have it, nothing has happened.
_FOLDED = {*_MOVING, "status", "seats", "result", "left"} - {"revision"}
_SELDOM = ("lifetimes", "clock", "replaced", "invitations", "played_for")
_KEPT = tuple(each.name for each in fields(Match) if each.name not in (*_MOVING, *_SELDOM))


#: `people` goes by number, and `_seat_or_person` leaves something out.
_DOCUMENT = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


def _seat_or_person(value: Any) -> dict[str, Any]:
    written = {name: getattr(value, name) for name in value.__slots__}
    if written.get("invitation", "") is None:
        del written["invitation"]
    return written
