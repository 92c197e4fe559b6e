"""A tournament at one version: what its log and its sheet come to.

A tournament is kept as a match is: a document (who organizes it, what people are called), a secret (its seed) and a
chained, public log, of which everything else is a fold. The log names nobody, so that a name can be erased.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import orjson

from spieltisch_service.app.ports import IdempotencyRow, UnknownForm
from spieltisch_service.domain.errors import DomainError
from spieltisch_service.domain.events import GENESIS_HASH, LoggedEvent, chain_hash
from spieltisch_service.domain.tournament import lots
from spieltisch_service.domain.tournament.fold import apply
from spieltisch_service.domain.tournament.log import Created, Entry, entry_from_wire
from spieltisch_service.domain.tournament.state import State

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Sheet:
    """What of a tournament is not in its log: its `organizer` (an account), and how its entrants are called, by id."""

    organizer: str
    names: Mapping[str, str] = field(default_factory=dict)

    def to_document(self) -> bytes:
        """For the store."""
        return orjson.dumps({"schema": SCHEMA, "organizer": self.organizer, "names": dict(self.names)})

    @classmethod
    def from_document(cls, document: bytes) -> Self:
        """What `to_document` wrote. Raises UnknownForm."""
        try:
            raw = orjson.loads(document)
            if raw["schema"] == SCHEMA:
                return cls(raw["organizer"], raw["names"])
        except (ValueError, KeyError, TypeError):
            pass
        raise UnknownForm("a tournament is stored in a form that this version does not read")


@dataclass(frozen=True, slots=True)
class Held:
    """A tournament at one version. `now_ms` is the store's time when it was read; `state` None: not created yet.

    `row` is what an earlier answer under the same key has left.
    """

    id: str
    sheet: Sheet
    seed: str
    state: State | None = None
    version: int = 0
    hash: str = GENESIS_HASH
    at_ms: int = 0
    created_at_ms: int = 0
    ended_at_ms: int | None = None
    now_ms: int = 0
    revision: int = 0
    row: IdempotencyRow | None = None
    loaded_s: float = field(default_factory=time.monotonic)

    @property
    def folded(self) -> State:
        """The state of one that has been created."""
        assert self.state is not None
        return self.state

    @property
    def status(self) -> str:
        """The state's; empty for one that has not been created."""
        return "" if self.state is None else self.state.status

    def after(self, events: Sequence[LoggedEvent]) -> Held:
        """The tournament after more events of its log. Raises UnknownForm."""
        state, hash_, at_ms = self.state, self.hash, self.at_ms
        for event in events:
            if event.hash != chain_hash(hash_, event.body):
                raise OtherLog
            state, hash_, at_ms = folded(state, event, self.seed), event.hash, event.at_ms
        return replace(self, state=state, version=self.version + len(events), hash=hash_, at_ms=at_ms)


class OtherLog(Exception):
    """What follows does not follow from what was kept: the store has lost the end of the log, and went on."""


def folded(state: State | None, event: LoggedEvent, seed: str) -> State:
    """The state after one more event of the log. Raises UnknownForm."""
    content = event.parsed()
    try:
        return apply(state, entry_of(content["type"], content["data"], seed))
    except (DomainError, KeyError, TypeError, ValueError) as error:
        raise UnknownForm("a tournament's log is stored in a form that this version does not read") from error


def entry_of(type_: str, data: Mapping[str, Any], seed: str) -> Entry:
    """The entry that an event stands for. The log keeps the seed to itself until the end. Raises EntryRefused."""
    if type_ == Created.type:
        data = {"tournament": data["tournament"], "setup": {**data["setup"], "seed": seed}}
    return entry_from_wire({"type": type_, **data})


def draft_of(entry: Entry) -> tuple[str, None, dict[str, Any]]:
    """The event that stands for an entry."""
    data = entry.to_wire()
    del data["type"]
    if isinstance(entry, Created):
        data["commitment"] = lots.commitment(data["setup"].pop("seed"), entry.tournament)
    return entry.type, None, data


def without(names: Mapping[str, str], entrant: str) -> dict[str, str]:
    """The names but for that of an entrant."""
    return {each: name for each, name in names.items() if each != entrant}


def seed_of(secret: bytes) -> str:
    """The seed in a tournament's secret. Raises UnknownForm."""
    try:
        raw = orjson.loads(secret)
        if raw["schema"] == SCHEMA:
            return str(raw["seed"])
    except (ValueError, KeyError, TypeError):
        pass
    raise UnknownForm("a tournament's secret is stored in a form that this version does not read")
