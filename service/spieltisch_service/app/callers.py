"""Who asks, and what tells one intent from another."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from spieltisch_service.app.errors import IdempotencyKeyReused
from spieltisch_service.app.ports import IdempotencyRow
from spieltisch_service.domain.events import canonical, instant

Scope: TypeAlias = Literal["play", "create", "organize", "webhooks", "admin"]

#: What a token may do, in the order in which scopes are listed. Each operation of the API needs one of them, or none.
SCOPES: Mapping[Scope, str] = MappingProxyType(
    {
        "play": "take seats, act, resign, and read matches as whoever sits there",
        "create": "create matches",
        "organize": "organize tournaments",
        "webhooks": "have calls sent to a URL",
        "admin": "look after the account: its keys, its name",
    }
)


@dataclass(frozen=True, slots=True)
class Account:
    """A name with keys. `kind` is `human` or `bot`."""

    id: str
    name: str
    kind: str
    created_at_ms: int

    def to_wire(self) -> dict[str, str]:
        """The account as its owner sees it."""
        return {"id": self.id, "name": self.name, "kind": self.kind, "created_at": instant(self.created_at_ms)}


@dataclass(frozen=True, slots=True)
class Key:
    """An API key as its account keeps it.

    `expires_at_ms` is what it was made with (None: never); `ended_at_ms` is when it ends or ended before that, revoked
    or rotated. `ends_with` are its last characters, to know it by. `once` is (digest, fingerprint) of the intent that
    made it, if that has an Idempotency-Key.
    """

    id: str
    name: str
    scopes: tuple[Scope, ...]
    created_at_ms: int
    expires_at_ms: int | None
    ends_with: str
    sha256: str = field(repr=False)
    ended_at_ms: int | None = None
    once: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def until_ms(self) -> int | None:
        """When it ends; None: never."""
        if self.ended_at_ms is None or self.expires_at_ms is None:
            return self.expires_at_ms if self.ended_at_ms is None else self.ended_at_ms
        return min(self.expires_at_ms, self.ended_at_ms)

    def is_live(self, now_ms: int) -> bool:
        """Whether it opens anything at that time."""
        return self.until_ms is None or now_ms < self.until_ms

    def to_wire(self) -> dict[str, Any]:
        """The key as its owner sees it; the token itself is shown once only."""
        return {
            "id": self.id,
            "name": self.name,
            "scopes": list(self.scopes),
            "created_at": instant(self.created_at_ms),
            "expires_at": None if self.until_ms is None else instant(self.until_ms),
            "ends_with": self.ends_with,
        }


@dataclass(frozen=True, slots=True)
class SeatGrant:
    """What a seat token stands for; it ends when the seat's generation moves on."""

    match: str
    seat: int
    generation: int


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: an account (by its key), one seat (by its token), or nobody."""

    account: Account | None = None
    key: Key | None = None
    seat: SeatGrant | None = None
    token: str | None = field(default=None, repr=False)

    @property
    def known(self) -> bool:
        """Whether the caller showed a token."""
        return self.account is not None or self.seat is not None

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """What the caller's token may do; a seat's may play, nobody's nothing."""
        if self.key is not None:
            return self.key.scopes
        return () if self.seat is None else ("play",)

    @property
    def scope(self) -> str:
        """Whose idempotency keys these are."""
        if self.account is not None:
            return f"account:{self.account.id}"
        if self.seat is not None:
            return f"seat:{self.seat.match}:{self.seat.seat}:{self.seat.generation}"
        return "nobody"


ANONYMOUS = Caller()
#: For how long the idempotency key of something new is that of the same intent.
CREATE_KEY_KEPT_MS = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Once:
    """An intent that may be sent again: `key` is unique for caller, method, path and Idempotency-Key.

    `fingerprint` (128 bits, hex) tells another body or query under the same key; `length` is that of the header.
    """

    key: str
    fingerprint: str
    length: int

    @classmethod
    def of(
        cls, header: str, caller: Caller, method: str, path: str, query: Sequence[tuple[str, str]], body: Any
    ) -> Once:
        """The intent behind a request; `body` is the parsed JSON or None."""
        key = hashlib.sha256("\n".join((caller.scope, method, path, header)).encode()).hexdigest()
        said = canonical([sorted(query), body])
        return cls(key, hashlib.sha256(said.encode()).hexdigest()[:32], len(header))


def same_intent(row: IdempotencyRow, once: Once | None) -> IdempotencyRow:
    """The row of an earlier answer, if it was to this very intent. Raises IdempotencyKeyReused."""
    if once is None or row.fingerprint != once.fingerprint:
        msg = "this Idempotency-Key was used before with another body or query; use a new key for another intent"
        raise IdempotencyKeyReused(msg)
    return row


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request comes back with; `body` is for orjson."""

    body: Any
    status: int = 200
    location: str | None = None
    replayed: bool = False
