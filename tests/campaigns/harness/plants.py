"""Bugs that are planted into the service, from outside, to see that the campaigns find them.

Each is a mistake that a service like this one makes in earnest. They are made in terms of the ports and not of the
Lua scripts, so that they stay the same bugs when the store is written anew.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from types import ModuleType
from typing import Any
from unittest import mock

from flask import request

from spieltisch_service.app.live import LiveMatches
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.ports import Commit, Committed, Conflict, Count, StoreUnavailable
from spieltisch_service.app.streams import Streams
from spieltisch_service.domain.tournament import fold, standings
from spieltisch_service.domain.tournament.log import MatchEnded, RoundPaired
from spieltisch_service.domain.tournament.pairing import arena, double_elimination, elimination, gauntlet, swiss
from spieltisch_service.domain.tournament.state import MEAN, State, Table
from spieltisch_service.domain.tournament.tally import Tally
from spieltisch_service.store import redis_store
from spieltisch_service.store.layout import digest, match_place
from spieltisch_service.store.redis_store import RedisStore
from spieltisch_service.store.vault import Vault
from tests.campaigns.harness.wrapped import method
from tests.campaigns.timed.bugs import BUGS as CLOCK_BUGS

_LATE_S = 0.03


def _no_version_compare(stack: ExitStack) -> None:
    """The commit writes behind whatever is there."""

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        now = store.version(wanted.match_id) or 0
        return original(store, wanted if now == 0 else replace(wanted, expected_version=now))

    stack.enter_context(mock.patch.object(redis_store, "_check"))
    stack.enter_context(method(RedisStore, "commit", commit))


def _ack_before_write(stack: ExitStack) -> None:
    """An action is acknowledged, and written a moment later."""

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        if wanted.expected_version < 2:
            return original(store, wanted)

        def later() -> None:
            time.sleep(_LATE_S)
            with suppress(StoreUnavailable):
                original(store, wanted)

        threading.Thread(target=later, daemon=True).start()
        return Committed(time.time_ns() // 1_000_000)

    stack.enter_context(method(RedisStore, "commit", commit))


def _row_not_kept(stack: ExitStack) -> None:
    """The idempotency row of an action is not written."""

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        return original(store, replace(wanted, idempotency=None))

    stack.enter_context(method(RedisStore, "commit", commit))


def _row_expires(stack: ExitStack) -> None:
    """The rows are lost after a while, here after three more commits."""
    kept: deque[tuple[bytes, bytes, int]] = deque()

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        done = original(store, wanted)
        if wanted.idempotency is not None:
            place = match_place(wanted.match_id)
            kept.append((place.answers, digest(wanted.idempotency[0]), place.bucket.slot))
        while len(kept) > 3:
            key, field, slot = kept.popleft()
            store._nodes.ask(slot, "HDEL", key, field)
        return done

    stack.enter_context(method(RedisStore, "commit", commit))


def _row_after_compare(stack: ExitStack) -> None:
    """The version is compared before the row is looked up, so that a copy hears that it is late."""

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        stored = store.load(wanted.match_id)
        if stored is not None and stored.version != wanted.expected_version:
            return Conflict(stored.version, stored)
        return original(store, wanted)

    def load(original: Any, store: Any, match_id: str, _: str | None = None) -> Any:
        return original(store, match_id)

    stack.enter_context(method(RedisStore, "load", load))
    stack.enter_context(method(RedisStore, "commit", commit))


def _resent_write(stack: ExitStack) -> None:
    """The client library sends a write again whose answer was lost, and nobody asks whether it had happened."""
    chance = random.Random(1)

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        done = original(store, wanted)
        if isinstance(done, Committed) and wanted.expected_version > 1 and chance.randrange(20) == 0:
            return original(store, replace(wanted, idempotency=None))
        return done

    stack.enter_context(method(RedisStore, "commit", commit))


def _torn_commit(stack: ExitStack) -> None:
    """Events first, then the state that belongs to them: two steps, between which a worker can die."""

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        if not wanted.events or wanted.state is None or not wanted.expected_version:
            return original(store, wanted)
        done = original(store, replace(wanted, state=None))
        if isinstance(done, Committed):
            store.head(wanted.match_id)
            after = wanted.expected_version + len(wanted.events)
            timer = wanted.expires_after_ms
            original(store, Commit(wanted.match_id, after, (), state=wanted.state, expires_after_ms=timer))
        return done

    stack.enter_context(method(RedisStore, "commit", commit))


def _stale_reads(stack: ExitStack) -> None:
    """Views come from a worker's memory without asking the store."""

    def current(original: Any, live: LiveMatches, match_id: str) -> LiveMatch:
        kept = live.memory.recall(match_id)
        return kept if kept is not None else original(live, match_id)

    stack.enter_context(method(LiveMatches, "current", current))


def _wrong_reply(stack: ExitStack) -> None:
    """Now and then a call gets the answer to the one before, as from a connection with an answer left in it."""
    chance, last = random.Random(1), [(None, None)]

    def load(original: Any, store: Any, match_id: str, key: str | None = None) -> Any:
        left = last[0][1]
        last[0] = (match_id, original(store, match_id, key))
        return left if left is not None and chance.randrange(10) == 0 else last[0][1]

    stack.enter_context(method(RedisStore, "load", load))


def _reservation_not_kept(stack: ExitStack) -> None:
    """What is created is not kept under its key."""

    def reserve(_: Any, store: Any, key: str, fingerprint: str, value: str, ttl_s: int) -> tuple[str, str]:
        return fingerprint, value

    stack.enter_context(method(RedisStore, "reserve", reserve))


def _resumed(by: int) -> Callable[[ExitStack], None]:
    def plant(stack: ExitStack) -> None:
        def opened(original: Any, streams: Streams, caller: Any, match_id: str, *, after: int, **named: Any) -> Any:
            shifted = after + by if after > 1 else after
            return original(streams, caller, match_id, after=shifted, **named)

        stack.enter_context(method(Streams, "open", opened))

    return plant


def _hole_in_a_page(stack: ExitStack) -> None:
    """Now and then an event is missing from what is read of a log."""
    chance = random.Random(1)

    def events(original: Any, store: Any, match_id: str, after: int, limit: int) -> Any:
        found = original(store, match_id, after, limit)
        if len(found) > 2 and chance.randrange(10) == 0:
            del found[chance.randrange(1, len(found) - 1)]
        return found

    stack.enter_context(method(RedisStore, "events", events))


def _of_whole(change: Callable[[Any], Any], what: str) -> Callable[[ExitStack], None]:
    """A backup in which something is other than in the store."""

    def plant(stack: ExitStack) -> None:
        def changed(original: Any, vault: Vault) -> Iterator[Any]:
            return (new for one in original(vault) if (new := change(one)) is not None)

        stack.enter_context(method(Vault, what, changed))

    return plant


def _round_paired_twice(stack: ExitStack) -> None:
    """Who pairs a round that is paired pairs it once more."""
    original = fold._with_round

    def with_round(state: State, entry: RoundPaired) -> State:
        if entry.round == len(state.rounds):
            return replace(state, rounds=(*state.rounds, state.rounds[-1]))
        return original(state, entry)

    stack.enter_context(mock.patch.object(fold, "_with_round", with_round))


def _late_result_counts(stack: ExitStack) -> None:
    """A result that comes late takes the place of the one that is there."""
    original = fold._with_result

    def with_result(state: State, entry: MatchEnded) -> State:
        table = state.table(entry.table)
        if table is None or entry.number not in table.results or state.ended:
            return original(state, entry)
        return original(_without(state, table, entry.number), entry)

    stack.enter_context(mock.patch.object(fold, "_with_result", with_result))


def _without(state: State, table: Table, number: int) -> State:
    results = {each: result for each, result in table.results.items() if each != number}
    round_ = state.rounds[table.round - 1]
    tables = tuple(replace(each, results=results) if each.id == table.id else each for each in round_.tables)
    return replace(
        state, rounds=tuple(replace(each, tables=tables) if each is round_ else each for each in state.rounds)
    )


def _tally_with(*places: ModuleType, change: Callable[[Tally], Tally]) -> Callable[[ExitStack], None]:
    """What has happened so far is counted wrongly."""

    def plant(stack: ExitStack) -> None:
        for place in places:
            original = place.tally
            stack.enter_context(mock.patch.object(place, "tally", lambda state, o=original: change(o(state))))

    return plant


def _paid_again(found: Tally) -> Tally:
    return replace(
        found, points={one: found.points[one] + max(0, sat - 1) * MEAN for one, sat in found.sat_out.items()}
    )


def _seats_as_they_come(stack: ExitStack) -> None:
    """Nobody looks who has had which seat."""
    for place in (swiss, elimination, double_elimination, gauntlet, arena):
        stack.enter_context(mock.patch.object(place, "seated", lambda members, _: tuple(members)))


def _gone_are_paired(stack: ExitStack) -> None:
    """Who has left is paired on."""
    everybody = property(lambda state: tuple(state.entrants))
    stack.enter_context(mock.patch.object(State, "active", everybody))


def _believes_addresses(stack: ExitStack) -> None:
    """Whoever sends X-Forwarded-For comes from there."""
    from spieltisch_service.web import limits

    network = limits.network
    stack.enter_context(
        mock.patch.object(limits, "network", lambda seen: network(request.headers.get("X-Forwarded-For", seen)))
    )


def _creates_uncounted(stack: ExitStack) -> None:
    """Each new match is the first one that is counted."""

    def commit(original: Any, store: Any, wanted: Commit) -> Any:
        done = original(store, replace(wanted, admitted=()))
        return replace(done, counts=tuple(Count(1, row.window_ms) for row in wanted.admitted) or done.counts)

    stack.enter_context(method(RedisStore, "commit", commit))


def _streams_unlimited(stack: ExitStack) -> None:
    """Nobody counts how many streams a key holds."""

    def take(original: Any, streams: Any, _: Any) -> Any:
        return original(streams, None)

    def give_back(original: Any, streams: Any, _: Any) -> Any:
        return original(streams, None)

    stack.enter_context(method(Streams, "_take_place", take))
    stack.enter_context(method(Streams, "_give_place_back", give_back))


def _nothing_here(_: ExitStack) -> None:
    """The campaign itself does it, to the store's process or to its files."""


#: By name, what puts the bug in.
PLANTS: Mapping[str, Callable[[ExitStack], None]] = {
    "no-version-compare": _no_version_compare,
    "ack-before-write": _ack_before_write,
    "row-not-kept": _row_not_kept,
    "row-expires": _row_expires,
    "row-after-compare": _row_after_compare,
    "resent-write": _resent_write,
    "torn-commit": _torn_commit,
    "stale-reads": _stale_reads,
    "wrong-reply": _wrong_reply,
    "reservation-not-kept": _reservation_not_kept,
    "resumed-too-late": _resumed(1),
    "resumed-too-early": _resumed(-1),
    "hole-in-a-page": _hole_in_a_page,
    "backup-without-rows": _of_whole(lambda whole: replace(whole, answers={}), "matches"),
    "backup-without-last-event": _of_whole(lambda whole: replace(whole, log=whole.log[:-1]), "matches"),
    "backup-without-lists": _of_whole(lambda whole: replace(whole, matches=(), active=()), "accounts"),
    "round-paired-twice": _round_paired_twice,
    "late-result-counts": _late_result_counts,
    "sitting-out-pays-again": _tally_with(standings, change=_paid_again),
    "meetings-forgotten": _tally_with(swiss, change=lambda found: replace(found, met=defaultdict(Counter))),
    "seats-as-they-come": _seats_as_they_come,
    "gone-are-paired": _gone_are_paired,
    "no-append-file": _nothing_here,
    "tail-lost": _nothing_here,
    "no-fsync": _nothing_here,
    "fsync-every-second": _nothing_here,
    "believes-addresses": _believes_addresses,
    "creates-uncounted": _creates_uncounted,
    "streams-unlimited": _streams_unlimited,
    **CLOCK_BUGS,
}


@contextmanager
def planted(name: str | None) -> Iterator[None]:
    """The service of this process has the bug as long as this lasts."""
    with ExitStack() as stack:
        if name is not None:
            PLANTS[name](stack)
        yield
