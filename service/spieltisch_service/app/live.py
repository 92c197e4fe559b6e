"""Matches as a worker works on them: loaded, kept for a moment, committed to.

A worker may keep a match in memory: the commit compares versions, so what is kept can be stale but never wrong. Only
what the store said decides a refusal: before a request is refused, the match and the request's idempotency row are
read anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import orjson

from spieltisch_service.app.callers import Once, same_intent
from spieltisch_service.app.clocks import Clocks, overtaken, timed
from spieltisch_service.app.differences import change_of, document_if_changed, grown, index, stamped, stamps, topics
from spieltisch_service.app.errors import Refusal, no_such_match
from spieltisch_service.app.limits import Meter, TooMany
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.memory import Memory
from spieltisch_service.app.ports import (
    UNOBSERVED,
    Commit,
    Committed,
    Conflict,
    Full,
    IdempotencyRow,
    Lapsed,
    Limited,
    Observer,
    Quota,
    Store,
    StoredMatch,
    StoreUnavailable,
    Timed,
)
from spieltisch_service.app.stored import match_of, secret_of, state_of
from spieltisch_service.domain import play
from spieltisch_service.domain.clock import GRACE_MS
from spieltisch_service.domain.events import Event, LoggedEvent, chained
from spieltisch_service.domain.match import Match, Secret

#: What the ids of matches begin with; an account's lists and the timers name tournaments, too.
_MATCH = "mt_"
_DEADLINE_S = 8.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a use case wants to change: drafts of events, and the match, secret and state that are new with them.

    `seats` go into the idempotency row; `match` is only given when more than the events changes it (people, and what no
    event tells); `accounts` get the match on their lists first, within the `quota`; `meter` counts it. `settles`: it
    is what the clock says. It happened at `at_ms`, unless that is still to come (None: now).
    """

    drafts: Sequence[play.Draft]
    state: Any = None
    secret: Secret | None = None
    match: Match | None = None
    seats: tuple[int, ...] = ()
    accounts: tuple[str, ...] = ()
    quota: Quota | None = None
    meter: Meter | None = None
    settles: bool = False
    at_ms: int | None = None


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
    """Loads, keeps and commits matches. Whatever is read or changed, what its clock says by then has happened first."""

    def __init__(self, store: Store, clocks: Clocks, observer: Observer = UNOBSERVED) -> None:
        self.store = store
        self._clocks = clocks
        self._observer = observer
        self.memory = Memory()

    # --- reading --------------------------------------------------------------------------------------------

    def fresh(self, match_id: str) -> LiveMatch:
        """The match as the store has it. Raises NotFound."""
        return self._settled(self.keep(self._stored(match_id, None)))

    def current(self, match_id: str) -> LiveMatch:
        """The match after the store's last event, from memory where that is still the one. Raises NotFound.

        Names, and what else no event tells, may be as they were half a minute ago: see `certain`.
        """
        kept = self.memory.recall(match_id)
        if kept is not None and kept.match.hash == self.store.head(match_id):
            return self._settled(kept)
        return self.fresh(match_id)

    def certain(self, match_id: str) -> LiveMatch:
        """`current`, and at the store's revision too: what no event tells (names, whose tokens are good) is so now."""
        kept = self.memory.recall(match_id)
        if kept is not None and (kept.match.hash, kept.match.revision) == self.store.standing(match_id):
            return self._settled(kept)
        return self.fresh(match_id)

    def keeps(self, match_id: str) -> bool:
        """Whether the match is in memory, at whatever version."""
        return self.memory.recall(match_id) is not None

    def keep(self, stored: StoredMatch) -> LiveMatch:
        """The stored match as a live one, which stays in memory for a while."""
        live = self._live(stored, None)
        self.memory.remember(live)
        return live

    def many(self, match_ids: Sequence[str]) -> list[LiveMatch]:
        """Those of the matches that exist. Their `secret` is not read."""
        match_ids = [each for each in match_ids if is_match(each)]
        return [
            self._settled(self._live(stored, stored_id))
            for stored_id, stored in zip(match_ids, self.store.load_many(match_ids), strict=True)
            if stored is not None
        ]

    def glance(self, match_id: str) -> LiveMatch | None:
        """The match as the store has it, which is not kept in memory: nobody plays it. None where there is none."""
        stored = self.store.load(match_id)
        return None if stored is None else self._live(stored, None)

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
        began_s: float | None = None,
    ) -> Done:
        """Check `rights`, then do what `plan` says, both of the match as the store has it, once.

        What is kept in memory is passed over if `fresh`, or below version `at_least`, which the caller has seen.
        A move counts if the request came in (`began_s`, `perf_counter`) before the time of its seat was over.
        `plan` may be asked several times: when another request came first, and, before it refuses, on the match
        read anew. Raises what these two raise, NotFound, and IdempotencyKeyReused.
        """
        deadline_s = time.monotonic() + _DEADLINE_S
        live = None if fresh else self.memory.recall(match_id)
        if live is not None:
            late = self._late(live, live.about_now_ms, time.perf_counter(), began_s, settled=False)
            live = None if live.match.version < at_least else late
        certain = settled = False
        unsettled = live is None or live.match.clock is not None
        while time.monotonic() < deadline_s:
            row = None
            if live is None:
                asked_s = time.perf_counter()
                stored = self._stored(match_id, once)
                live, row, certain = self.keep(stored), stored.idempotency, True
                live = self._late(live, live.now_ms, asked_s, began_s, settled=settled)
            try:
                right = rights(live)
                if row is not None:
                    return Done(live, row=same_intent(row, once))
                if unsettled and self._clocks.concerns(live.match.times, live.about_now_ms):
                    unsettled, settled, live = False, self.settle(match_id), None
                    continue
                wanted = plan(live, right)
            except Refusal:
                if certain:
                    raise
                live = None
                continue
            asked_s = time.perf_counter()
            done = self._commit(live, wanted, once, status, began_s)
            if isinstance(done, Done):
                return done
            live, certain = None, False
            if isinstance(done, Lapsed):
                settled |= self.settle(match_id, patiently=True)
            elif done is not None:
                # Who was behind is told what the store has; that is as certain as a match that was just loaded.
                live, certain = self._late(self.keep(done), done.now_ms, asked_s, began_s, settled=settled), True
        msg = "the match is changed by others faster than this request could be"
        raise StoreUnavailable(msg)

    @staticmethod
    def _late(live: LiveMatch, now_ms: int, at_s: float, began_s: float | None, *, settled: bool) -> LiveMatch:
        """The match as a request that came in at `began_s` has it; at `at_s` it was `now_ms` at the latest."""
        if live.match.times is None:
            return live
        waited_s = 0.0 if began_s is None else at_s - began_s
        late = overtaken(live.match, now_ms - int(waited_s * 1000), settled=settled)
        return replace(live, overtaken=True) if late else live

    def settle(self, match_id: str, *, patiently: bool = False) -> bool:
        """Let happen what the match's clock says by now; whether there was anything. Raises NotFound.

        `patiently`: wait for it, where the time is over and only moves that are still on their way are waited for.
        """
        live = self.keep(self._stored(match_id, None))
        times = live.match.times
        if patiently and times is not None and times.due_ms is not None:
            time.sleep(min(max(0.02, (times.due_ms - live.now_ms) / 1000), GRACE_MS / 1000))
            live = self.keep(self._stored(match_id, None))
        found = self._clocks.reckoned(live.match.times, live.now_ms)
        if not found:
            return False
        drafts, state = [], live.state
        if found.extend_ms:
            drafts.append(play.extended(live.to_act(), found.extend_ms))
        if found.lapsed_ms is not None:
            lapse, state = play.lapsed(live.game, live.match, state, found.late_ms)
            drafts += lapse
        deadline_ms = None if live.match.times is None else live.match.times.deadline_ms
        wanted = Plan(drafts, state, settles=True, at_ms=None if deadline_ms is None else deadline_ms + found.extend_ms)
        return isinstance(self._commit(live, wanted, None, 200), Done)

    def _settled(self, live: LiveMatch) -> LiveMatch:
        if live.match.times is None or not self._clocks.concerns(live.match.times, live.about_now_ms):
            return live
        self.settle(live.match.id)
        return self.keep(self._stored(live.match.id, None))

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
                document=match.to_document(),
                expires_after_ms=match.timer_ms,
                expected_hash=match.hash,
                revision=match.revision,
                rewrites=True,
                timed=timed(match, match, (), settles=False, at_ms=None, began_s=None),
            )
            if isinstance(self.store.commit(commit), Committed):
                self.memory.forget(match_id)
                return

    def _commit(
        self, live: LiveMatch, wanted: Plan, once: Once | None, status: int, began_s: float | None = None
    ) -> Done | StoredMatch | Lapsed | None:
        """The match that the store has (None: it has none) when that is not at the expected version any more."""
        before = live.match
        rewrites = not wanted.drafts and wanted.match is not None
        if not wanted.drafts:
            if once is None and not rewrites:
                return Done(live, seats=wanted.seats)
            wanted = replace(wanted, state=live.state)
        events = chained(before.version, before.hash, wanted.drafts)
        changed = wanted.match or before
        if rewrites:
            changed = replace(changed, revision=before.revision + 1)
        after = grown(changed, events, before.at_ms)
        secret, state = wanted.secret or live.secret, wanted.state
        now = LiveMatch(after, secret, state, live.now_ms, live.loaded_s)
        row = None
        if once is not None:
            row = once.key, IdempotencyRow(once.fingerprint, status, wanted.seats, before.version + 1, after.version)
        clock = timed(before, after, events, settles=wanted.settles, at_ms=wanted.at_ms, began_s=began_s)
        outcome = self.store.commit(_commit(live, now, events, wanted, row, clock))
        if wanted.meter is not None and outcome.counts:
            wanted.meter.counts = outcome.counts
        if isinstance(outcome, Lapsed):
            return outcome
        if isinstance(outcome, Conflict):
            self._observer.conflicted()
            self.memory.forget(before.id)
            return outcome.stored
        if isinstance(outcome, Limited):
            assert wanted.meter is not None
            raise wanted.meter.exceeded(outcome)
        if isinstance(outcome, Full):
            assert wanted.quota is not None
            raise TooMany(wanted.quota)
        if not isinstance(outcome, Committed):
            return Done(self.fresh(before.id), row=same_intent(outcome.row, once))
        self._observer.committed(after.game, events)
        # The time of its last event, for what follows from that must be the same whenever it is built again.
        at_ms = outcome.at_ms if events else before.at_ms
        now = replace(now, match=stamped(before, after, at_ms), now_ms=outcome.at_ms)
        if before.clock is not None:
            match = grown(changed, events, outcome.at_ms)
            now_ms = max(live.at_least_now_ms, match.told_at_ms(outcome.at_ms))
            now = replace(now, match=match, now_ms=now_ms, told_s=time.monotonic())
        self.memory.remember(now)
        logged = tuple(LoggedEvent(event.seq, event.body, event.hash, outcome.at_ms) for event in events)
        return Done(now, logged, seats=wanted.seats)

    def _stored(self, match_id: str, once: Once | None) -> StoredMatch:
        """What the store has of the match. Raises NotFound."""
        stored = self.store.load(match_id, None if once is None else once.key)
        if stored is None:
            raise no_such_match()
        return stored

    def _live(self, stored: StoredMatch, known: str | None) -> LiveMatch:
        """The stored match as a live one; from memory where `known` is kept as it is stored."""
        kept = None if known is None else self.memory.recall(known)
        if kept is not None and (kept.match.hash, kept.match.revision) == (stored.hash, stored.revision):
            return kept
        match = match_of(stored)
        secret = secret_of(stored.secret) if stored.secret else Secret(None, (), None)
        return LiveMatch(match, secret, state_of(match, stored.state), stored.now_ms, time.monotonic())


def _commit(
    live: LiveMatch,
    now: LiveMatch,
    events: Sequence[Event],
    wanted: Plan,
    row: tuple[str, IdempotencyRow] | None,
    clock: Timed | None,
) -> Commit:
    """What writes the events and makes the match `now` of what was `live`."""
    before, after = live.match, now.match
    document = document_if_changed(before, after)
    secret, state = now.secret, now.state
    return Commit(
        before.id,
        before.version,
        tuple(events),
        document=document,
        secret=None if secret is live.secret and before.version else secret.to_json(),
        state=None if state is None or state is live.state else orjson.dumps(now.game.encode(state)),
        stamps=stamps(before, after),
        idempotency=row,
        index=index(before, after),
        bot_to_act=change_of(live.waits_for_bot(), now.waits_for_bot()),
        expires_after_ms=after.timer_ms,
        wake=topics(before, after, now.waits_for_bot()),
        accounts=wanted.accounts,
        expected_hash=before.hash if before.version else None,
        revision=None if document is None or not before.version else before.revision,
        rewrites=after.revision != before.revision,
        admitted=() if wanted.meter is None else wanted.meter.due("store"),
        quota=wanted.quota,
        counted=() if wanted.meter is None else wanted.meter.due("commit"),
        timed=clock,
    )


def is_match(id_: str) -> bool:
    """Whether it is a match's id, and not that of something else that is kept as matches are."""
    return id_.startswith(_MATCH)
