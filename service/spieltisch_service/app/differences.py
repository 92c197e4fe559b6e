"""What a commit has to say about a match that was `before` and is `after`."""

from __future__ import annotations

from collections.abc import Sequence

from spieltisch_service.app.ports import BOTS_TOPIC, Stamp
from spieltisch_service.domain.events import Event
from spieltisch_service.domain.match import Match


def document_if_changed(before: Match, after: Match) -> bytes | None:
    """The match's document, where it is another one."""
    if (
        before.version
        and before.status == after.status
        and before.seats is after.seats
        and before.people is after.people
        and before.revision == after.revision
    ):
        return None
    return after.to_document()


def stamps(before: Match, after: Match) -> tuple[Stamp, ...]:
    """Which times in a match's life the commit is."""
    found: list[Stamp] = []
    if not before.version:
        found.append("created")
    if before.started_at_ms is None and after.started_at_ms is not None:
        found.append("started")
    if not before.ended and after.ended:
        found.append("ended")
    return tuple(found)


def stamped(before: Match, after: Match, at_ms: int) -> Match:
    """The match after a commit at `at_ms`."""
    found = stamps(before, after)
    return after.changed(
        at_ms=at_ms,
        created_at_ms=at_ms if "created" in found else after.created_at_ms,
        started_at_ms=at_ms if "started" in found else after.started_at_ms,
        ended_at_ms=at_ms if "ended" in found else after.ended_at_ms,
    )


def grown(before: Match, events: Sequence[Event], at_ms: int) -> Match:
    """The match after a commit of the events at `at_ms`, with what its clock shows then."""
    for event in events:
        before = before.after(event.type, event.seat, event.data, event.seq, event.hash, at_ms)
    return before


def index(before: Match, after: Match) -> tuple[str | None, str | None] | None:
    """The public lists that it leaves and enters."""
    old = f"{before.status}:{before.game}" if before.version else None
    new = f"{after.status}:{after.game}"
    return (old, new) if after.visibility == "public" and old != new else None


def topics(before: Match, after: Match, waits_for_bot: bool) -> tuple[str, ...]:
    """Whom it concerns."""
    accounts = {seat.account for seat in (*before.seats, *after.seats) if seat.account is not None}
    return (*accounts, BOTS_TOPIC) if waits_for_bot else tuple(accounts)


def change_of(before: bool, after: bool) -> bool | None:
    """What it is now, where it is another."""
    return None if before == after else after
