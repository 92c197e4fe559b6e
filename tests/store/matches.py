"""Commits of invented matches, for the store's tests."""

from collections.abc import Mapping
from typing import Any

from spieltisch_service.app.ports import Commit, IdempotencyRow
from spieltisch_service.domain.events import GENESIS_HASH, Event, chain_hash, chained

MATCH = "mt_one"


def events(count: int = 1, after: int = 0, previous: str = GENESIS_HASH, **data: Any) -> tuple[Event, ...]:
    """`count` chained events behind `after`."""
    return chained(after, previous, [("action", 0, {"n": after + n + 1, **data}) for n in range(count)])


def creation(match_id: str = MATCH, count: int = 1, **changes: Any) -> Commit:
    """The commit that creates a match."""
    settings: Mapping[str, Any] = {
        "events": events(count),
        "document": b'{"id":1}',
        "secret": b'{"seed":2}',
        "stamps": ("created",),
        **changes,
    }
    return Commit(match_id, 0, **settings)


def follow(done: tuple[Event, ...], match_id: str = MATCH, **changes: Any) -> Commit:
    """The commit of one more event behind `done`."""
    settings: Mapping[str, Any] = {"events": events(1, len(done), done[-1].hash), **changes}
    return Commit(match_id, len(done), **settings)


def row(first: int = 1, last: int = 1, fingerprint: str = "ab" * 32) -> IdempotencyRow:
    return IdempotencyRow(fingerprint, 201, (0, 2), first, last)


def assert_chained(log: list[Any]) -> None:
    """Sequence, hashes and times of a log from its first event."""
    previous, at_ms = GENESIS_HASH, 0
    for seq, event in enumerate(log, 1):
        assert event.seq == seq
        assert event.hash == chain_hash(previous, event.body)
        assert event.at_ms >= at_ms
        previous, at_ms = event.hash, event.at_ms
