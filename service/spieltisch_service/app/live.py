"""Matches as a worker works on them: loaded, kept for a moment, committed to.

A worker may keep a match in memory: the commit compares versions, so what is kept can be stale but never wrong. Only
what the store said decides a refusal: before a request is refused, the match and the request's idempotency row are
read anew.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from spieltisch_service.app.callers import Once
from spieltisch_service.app.errors import IdempotencyKeyReused, Refusal, no_such_match
from spieltisch_service.app.limits import Meter
from spieltisch_service.app.ports import (
    BOTS_TOPIC,
    UNOBSERVED,
    Commit,
    Committed,
    Conflict,
    IdempotencyRow,
    Limited,
    Observer,
    Stamp,
    Store,
    StoredMatch,
    StoreUnavailable,
)
from spieltisch_service.app.stored import match_of, secret_of, state_of
from spieltisch_service.domain import play
from spieltisch_service.domain.events import LoggedEvent, chained
from spieltisch_service.domain.match import Match, Secret
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game

_KEEP_S = 30.0
_KEPT_MATCHES = 512
_DEADLINE_S = 8.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """A match with its secret and its game state (None before the start), all at `match.version`.

    `views` keeps the answers that were built, by viewer; `now_ms` is the store's time when it was read.
    """

    match: Match
    secret: Secret
    state: Any
    now_ms: int
    loaded_s: float
    views: dict[int | None, bytes] = field(default_factory=dict)

    @property
    def game(self) -> Game[Any]:
        """The rules that it is played by."""
        return GAMES[self.match.game]

    def to_act(self) -> int | None:
        """The seat that must act, of a running match."""
        return self.game.to_act(self.state) if self.match.status == "running" else None

    def waits_for_bot(self) -> bool:
        """Whether a house bot must act."""
        seat = self.to_act()
        return seat is not None and self.match.seats[seat].kind == "bot"

    def view(self, seat: int | None) -> bytes:
        """The view for a seat or (None) a spectator, as JSON."""
        body = self.views.get(seat)
        if body is None:
            view = play.view(self.game, self.match, self.state, seat)
            body = self.views[seat] = orjson.dumps(view, option=orjson.OPT_SORT_KEYS)
        return body


@dataclass(frozen=True, slots=True)
class Plan:
    """What a use case wants to change: drafts of events, and the match, secret and state that are new with them.

    `seats` go into the idempotency row; `match` is only given when more than the events changes it (people);
    `accounts` get the match on their lists first; `meter` counts it.
    """

    drafts: Sequence[play.Draft]
    state: Any = None
    secret: Secret | None = None
    match: Match | None = None
    seats: tuple[int, ...] = ()
    accounts: tuple[str, ...] = ()
    meter: Meter | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a plan: the match after it and its events, or the row of an earlier answer.

    `seats` are those of the plan.
    """

    live: LiveMatch
    events: tuple[LoggedEvent, ...] = ()
    row: IdempotencyRow | None = None
    seats: tuple[int, ...] = ()


class LiveMatches:
    """Loads, keeps and commits matches."""

    def __init__(self, store: Store, observer: Observer = UNOBSERVED) -> None:
        self.store = store
        self._observer = observer
        self._kept: OrderedDict[str, LiveMatch] = OrderedDict()
        self._lock = threading.Lock()

    # --- reading --------------------------------------------------------------------------------------------

    def fresh(self, match_id: str) -> LiveMatch:
        """The match as the store has it. Raises NotFound."""
        return self.keep(self._stored(match_id, None))

    def current(self, match_id: str) -> LiveMatch:
        """The match at the store's version, from memory where that is still the one. Raises NotFound."""
        kept = self._recall(match_id)
        if kept is not None and kept.match.version == self.store.version(match_id):
            return kept
        return self.fresh(match_id)

    def keeps(self, match_id: str) -> bool:
        """Whether the match is in memory, at whatever version."""
        return self._recall(match_id) is not None

    def keep(self, stored: StoredMatch) -> LiveMatch:
        """The stored match as a live one, which stays in memory for a while."""
        live = self._live(stored, None)
        self._remember(live)
        return live

    def many(self, match_ids: Sequence[str]) -> list[LiveMatch]:
        """Those of the matches that exist. Their `secret` is not read."""
        return [
            self._live(stored, stored_id)
            for stored_id, stored in zip(match_ids, self.store.load_many(match_ids), strict=True)
            if stored is not None
        ]

    def past(self, live: LiveMatch, version: int) -> LiveMatch:
        """The match as it was at an earlier version, from deal and log."""
        log = self.log(live.match.id, version)
        match, state = play.replayed(live.game, live.match, live.secret, log)
        return LiveMatch(match, live.secret, state, live.now_ms, live.loaded_s)

    def log(self, match_id: str, version: int) -> list[LoggedEvent]:
        """The first `version` events."""
        return self.store.events(match_id, 0, version)

    # --- writing --------------------------------------------------------------------------------------------

    def change(
        self,
        match_id: str,
        once: Once | None,
        rights: Callable[[LiveMatch], T],
        plan: Callable[[LiveMatch, T], Plan],
        *,
        status: int = 200,
        fresh: bool = False,
        at_least: int = 0,
    ) -> Done:
        """Check `rights`, then do what `plan` says, both of the match as the store has it, once.

        What is kept in memory is passed over if `fresh`, or below version `at_least`, which the caller has seen.
        `plan` may be asked several times: when another request came first, and, before it refuses, on the match
        read anew. Raises what these two raise, NotFound, and IdempotencyKeyReused.
        """
        deadline_s = time.monotonic() + _DEADLINE_S
        live = None if fresh else self._recall(match_id)
        if live is not None and live.match.version < at_least:
            live = None
        certain = False
        while time.monotonic() < deadline_s:
            row = None
            if live is None:
                stored = self._stored(match_id, once)
                live, row, certain = self.keep(stored), stored.idempotency, True
            try:
                right = rights(live)
                if row is not None:
                    return Done(live, row=_same(row, once))
                wanted = plan(live, right)
            except Refusal:
                if certain:
                    raise
                live = None
                continue
            done = self._commit(live, wanted, once, status)
            if isinstance(done, Done):
                return done
            # Who was behind is told what the store has; that is as certain as a match that was just loaded.
            live, certain = (None, False) if done is None else (self.keep(done), True)
        msg = "the match is changed by others faster than this request could be"
        raise StoreUnavailable(msg)

    def create(self, live: LiveMatch, wanted: Plan, once: Once | None) -> Done:
        """Write a new match (`live` at version 0). An existing one of this id and key is answered again."""
        done = self._commit(live, wanted, once, 201)
        return done if isinstance(done, Done) else Done(self.fresh(live.match.id), seats=wanted.seats)

    def rewrite(self, match_id: str, changed: Callable[[Match], Match]) -> None:
        """Change what no event tells (names). Does nothing when the match is gone or nothing changes."""
        while (stored := self.store.load(match_id)) is not None:
            live = self.keep(stored)
            match = changed(live.match)
            if match == live.match:
                return
            commit = Commit(
                match_id,
                match.version,
                (),
                document=match.to_document().encode(),
                expires_after_ms=match.lasts_ms,
            )
            if isinstance(self.store.commit(commit), Committed):
                self._forget(match_id)
                return

    def _commit(self, live: LiveMatch, wanted: Plan, once: Once | None, status: int) -> Done | StoredMatch | None:
        """The match that the store has (None: it has none) when that is not at the expected version any more."""
        before = live.match
        if not wanted.drafts:
            if once is None:
                return Done(live, seats=wanted.seats)
            wanted = replace(wanted, state=live.state)
        events = chained(before.version, before.hash, wanted.drafts)
        after = wanted.match or before
        for event in events:
            after = after.after(event.type, event.seat, event.data, event.seq, event.hash, before.at_ms)
        secret = wanted.secret or live.secret
        state = wanted.state
        now = LiveMatch(after, secret, state, live.now_ms, live.loaded_s)
        row = None
        if once is not None:
            row = IdempotencyRow(once.fingerprint, status, wanted.seats, before.version + 1, after.version)
        outcome = self.store.commit(
            Commit(
                before.id,
                before.version,
                events,
                document=_document_if_changed(before, after),
                secret=None if secret is live.secret and before.version else secret.to_json().encode(),
                state=None if state is None or state is live.state else orjson.dumps(now.game.encode(state)),
                stamps=_stamps(before, after),
                idempotency=None if once is None or row is None else (once.key, row),
                index=_index(before, after),
                bot_to_act=_change(live.waits_for_bot(), now.waits_for_bot()),
                expires_after_ms=after.lasts_ms,
                wake=_topics(before, after, now.waits_for_bot()),
                accounts=wanted.accounts,
                counted=() if wanted.meter is None else wanted.meter.rows,
            )
        )
        if isinstance(outcome, Conflict):
            self._observer.conflicted()
            self._forget(before.id)
            return outcome.stored
        if isinstance(outcome, Limited):
            assert wanted.meter is not None
            raise wanted.meter.exceeded(outcome)
        if not isinstance(outcome, Committed):
            return Done(self.fresh(before.id), row=_same(outcome.row, once))
        if wanted.meter is not None:
            wanted.meter.counts = outcome.counts
        self._observer.committed(after.game, events)
        # The time of its last event, for what follows from that must be the same whenever it is built again.
        at_ms = outcome.at_ms if events else before.at_ms
        now = replace(now, match=_stamped(before, after, at_ms), now_ms=outcome.at_ms)
        self._remember(now)
        logged = tuple(LoggedEvent(event.seq, event.body, event.hash, outcome.at_ms) for event in events)
        return Done(now, logged, seats=wanted.seats)

    # --- memory ---------------------------------------------------------------------------------------------

    def _recall(self, match_id: str) -> LiveMatch | None:
        with self._lock:
            kept = self._kept.get(match_id)
            if kept is None:
                return None
            if time.monotonic() - kept.loaded_s > _KEEP_S:
                del self._kept[match_id]
                return None
            self._kept.move_to_end(match_id)
            return kept

    def _remember(self, live: LiveMatch) -> None:
        with self._lock:
            self._kept[live.match.id] = live
            self._kept.move_to_end(live.match.id)
            if len(self._kept) > _KEPT_MATCHES:
                self._kept.popitem(last=False)

    def _forget(self, match_id: str) -> None:
        with self._lock:
            self._kept.pop(match_id, None)

    def _stored(self, match_id: str, once: Once | None) -> StoredMatch:
        """What the store has of the match. Raises NotFound."""
        stored = self.store.load(match_id, None if once is None else once.key)
        if stored is None:
            raise no_such_match()
        return stored

    def _live(self, stored: StoredMatch, known: str | None) -> LiveMatch:
        """The stored match as a live one; from memory where `known` is kept at that version."""
        if known is not None:
            kept = self._recall(known)
            if kept is not None and kept.match.version == stored.version:
                return kept
        match = match_of(stored)
        secret = secret_of(stored.secret) if stored.secret else Secret(None, (), None)
        return LiveMatch(match, secret, state_of(match, stored.state), stored.now_ms, time.monotonic())


def _same(row: IdempotencyRow, once: Once | None) -> IdempotencyRow:
    if once is None or row.fingerprint != once.fingerprint:
        msg = "this Idempotency-Key was used before with another body or query; use a new key for another intent"
        raise IdempotencyKeyReused(msg)
    return row


def _document_if_changed(before: Match, after: Match) -> bytes | None:
    if (
        before.version
        and before.status == after.status
        and before.seats is after.seats
        and before.people is after.people
    ):
        return None
    return after.to_document().encode()


def _stamps(before: Match, after: Match) -> tuple[Stamp, ...]:
    stamps: list[Stamp] = []
    if not before.version:
        stamps.append("created")
    if before.started_at_ms is None and after.started_at_ms is not None:
        stamps.append("started")
    if not before.ended and after.ended:
        stamps.append("ended")
    return tuple(stamps)


def _stamped(before: Match, after: Match, at_ms: int) -> Match:
    stamps = _stamps(before, after)
    return replace(
        after,
        at_ms=at_ms,
        created_at_ms=at_ms if "created" in stamps else after.created_at_ms,
        started_at_ms=at_ms if "started" in stamps else after.started_at_ms,
        ended_at_ms=at_ms if "ended" in stamps else after.ended_at_ms,
    )


def _index(before: Match, after: Match) -> tuple[str | None, str | None] | None:
    old = f"{before.status}:{before.game}" if before.version else None
    new = f"{after.status}:{after.game}"
    return (old, new) if after.visibility == "public" and old != new else None


def _topics(before: Match, after: Match, waits_for_bot: bool) -> tuple[str, ...]:
    accounts = {seat.account for seat in (*before.seats, *after.seats) if seat.account is not None}
    return (*accounts, BOTS_TOPIC) if waits_for_bot else tuple(accounts)


def _change(before: bool, after: bool) -> bool | None:
    return None if before == after else after
