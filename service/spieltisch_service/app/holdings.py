"""Everything that a store holds, match by match and account by account: what a backup reads and a restore writes.

Beside `ports`, because no request may need any of it. Nothing here depends on how a store keeps what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from spieltisch_service.app.ports import IdempotencyRow
from spieltisch_service.domain.events import LoggedEvent


class NotEmpty(Exception):
    """The store holds something already; the message says what to do."""


@dataclass(frozen=True, slots=True)
class WholeMatch:
    """One match with all that belongs to it, read at one instant.

    `document`, `secret` and `state` are JSON, as in `ports.StoredMatch`. `answers` are the idempotency rows by the
    digest (hex) that stands for their key. `timer_at_ms` is when its timer runs out, `bots_since_ms` since when it
    waits for a house bot, `listed` the public list (`status:game`) that it is to be put on, `clock` the row of its
    clock; a store does not tell these two, which follow from the rest. `revision` is that of `ports.StoredMatch`.
    """

    id: str
    document: bytes
    secret: bytes
    state: bytes | None
    created_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None
    rematch: str | None
    timer_at_ms: int | None
    bots_since_ms: int | None
    log: Sequence[LoggedEvent]
    answers: Mapping[str, IdempotencyRow]
    listed: str | None = None
    clock: bytes | None = None
    revision: int = 0


@dataclass(frozen=True, slots=True)
class WholeAccount:
    """One account; `document` is None where it was erased. Both lists are (match id, when it was put there in ms)."""

    id: str
    document: bytes | None
    created_at_ms: int
    matches: Sequence[tuple[str, int]]
    active: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is kept under an idempotency key outside of matches; `digest` (hex) stands for the key."""

    digest: str
    fingerprint: str
    value: str
    expires_at_ms: int


class Holdings(Protocol):
    """All of a store. Every method may take many round trips and raises `StoreUnavailable`.

    The three that read go over the whole store while it is in use: what was there from the beginning to the end comes
    once, what is made meanwhile may come. A backup asks for matches, accounts and reservations in this order, since
    they are written in the opposite one: what a match needs of the others is then always there.
    """

    def matches(self) -> Iterator[WholeMatch]:
        """All matches, each as it is at one instant."""

    def accounts(self) -> Iterator[WholeAccount]:
        """All accounts, the erased ones too: their ids stay taken."""

    def reservations(self) -> Iterator[Reservation]:
        """All that is kept under idempotency keys outside of matches."""

    def begin(self, archive: str) -> bool:
        """Mark the store as being restored from `archive` (a digest); True where that had begun and was cut short.

        Raises NotEmpty for a store that holds anything else. No service starts on a store that is so marked.
        """

    def put_matches(self, matches: Sequence[WholeMatch]) -> None:
        """Write matches, each all or nothing. One that is there already stays."""

    def put_accounts(self, accounts: Sequence[WholeAccount]) -> None:
        """Write accounts. Writing one again changes nothing."""

    def put_reservations(self, reservations: Sequence[Reservation]) -> None:
        """Write reservations, as far as their time is not over."""

    def finish(self) -> None:
        """Take the mark of `begin` away."""
