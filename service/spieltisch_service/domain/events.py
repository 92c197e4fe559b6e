"""Events and the hash chain that binds them.

The log of a match is public. hash(n) = SHA-256 of hash(n-1) + newline + C(n), where C(n) is the canonical JSON
(RFC 8785) of `{data, seat, seq, type}` and hash(0) is 64 zeros. `at` is the store's clock and not chained.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NoReturn

import orjson

GENESIS_HASH = "0" * 64


def canonical(value: Any) -> str:
    """The canonical JSON (RFC 8785) of `value`.

    Exact for what the platform writes: integers of at most 53 bits, no floats, keys within the Basic
    Multilingual Plane, no lone surrogates.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        # Others may have written numbers of more than 64 bits, or lone surrogates.
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def no_number(name: str) -> NoReturn:
    """Refuse NaN and Infinity where `json.loads` finds them: `canonical` would write null. Raises ValueError."""
    raise ValueError(f"{name} is no number of JSON")


def instant(at_ms: int) -> str:
    """Milliseconds since 1970 UTC as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    seconds, ms = divmod(at_ms, 1000)
    return f"{_to_the_second(seconds)}.{ms:03d}Z"


# Most events that are shown are of this very second.
@lru_cache(maxsize=1024)
def _to_the_second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def instant_ms(at: str) -> int:
    """The milliseconds since 1970 UTC of an `instant`. Raises ValueError."""
    whole = datetime.strptime(at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    return int(whole.timestamp()) * 1000 + whole.microsecond // 1000


@dataclass(frozen=True, slots=True)
class Event:
    """One event before the store has stamped it.

    `body` is C(n), `hash` its link of the chain; `seq` counts from 1 without gaps.
    """

    seq: int
    type: str
    seat: int | None
    data: Mapping[str, Any]
    body: str
    hash: str


#: How the last event of a match, or of a tournament, ends.
_LAST = tuple(f'"type":"{name}"}}' for name in ("match_finished", "match_aborted", "finished", "cancelled"))


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event of the log: the chained body, its hash and the store's time in milliseconds."""

    seq: int
    body: str
    hash: str
    at_ms: int

    def parsed(self) -> Mapping[str, Any]:
        """`{data, seat, seq, type}`."""
        value: Mapping[str, Any] = json.loads(self.body)
        return value

    @property
    def ends_log(self) -> bool:
        """Whether nothing can follow."""
        return self.body.endswith(_LAST)

    def to_json(self) -> str:
        """The event as API clients see it, always the same bytes."""
        return f'{self.body[:-1]},"at":"{instant(self.at_ms)}","hash":"{self.hash}"}}'


def chain_hash(previous: str, body: str) -> str:
    """hash(n) from hash(n-1) and C(n)."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


def chained(
    version: int, previous: str, drafts: Iterable[tuple[str, int | None, Mapping[str, Any]]]
) -> tuple[Event, ...]:
    """The events after `version`, whose last hash is `previous`, for drafts of (type, seat, data)."""
    events = []
    for type_, seat, data in drafts:
        version += 1
        body = canonical({"data": data, "seat": seat, "seq": version, "type": type_})
        previous = chain_hash(previous, body)
        events.append(Event(version, type_, seat, data, body, previous))
    return tuple(events)
