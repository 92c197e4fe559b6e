"""The store over Redis or Valkey, standalone or as a cluster. `ports.Store` says what each method promises.

A match is a hash (document `d`, secret `s`, state `z`, the stamps `c`, `b`, `e`, the rematch `r`, the clock `k`, the
revision `n`), a list of events and a hash of idempotency rows. Its version is the length of its list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import merge
from itertools import islice

from redis import Redis, RedisCluster

from spieltisch_service.app.ports import (
    UNOBSERVED,
    AccountFound,
    Commit,
    Count,
    Counted,
    Durability,
    Full,
    Limited,
    Observer,
    Outcome,
    Pulse,
    StoredMatch,
    StoreUnavailable,
)
from spieltisch_service.domain.events import LoggedEvent
from spieltisch_service.store import scripts
from spieltisch_service.store.commits import outcome, placed_commit, stored_of
from spieltisch_service.store.entries import unpack_event, unpack_link
from spieltisch_service.store.health import Health, UnsuitableStore, ask_health, check_health
from spieltisch_service.store.layout import (
    ALL_BUCKETS,
    BEAT,
    OUTAGES,
    RESTORING,
    MatchPlace,
    account_place,
    counter,
    digest,
    match_place,
    reservation,
    slot_of,
)
from spieltisch_service.store.nodes import ClusterNodes, Nodes, OneNode, Placed
from spieltisch_service.store.rows import pack_reservation, unpack_reservation

#: Without a beat for so long the service was down; so many of these times are kept.
_OUTAGE_MS, _KEPT_OUTAGES = 5_000, 500

Pair = tuple[int, str]


class RedisStore:
    """`ports.Store` over a redis-py client, whose pools must be bounded: see `connection.open_client`."""

    def __init__(
        self, client: Redis | RedisCluster, *, durability: str | None = None, observer: Observer = UNOBSERVED
    ) -> None:
        self._nodes: Nodes = ClusterNodes(client) if isinstance(client, RedisCluster) else OneNode(client)
        self._nodes.observer = observer
        self._declared = durability

    def close(self) -> None:
        """Close all connections."""
        self._nodes.close()

    # --- matches --------------------------------------------------------------------------------------------

    def load(self, match_id: str, idempotency_key: str | None = None) -> StoredMatch | None:
        """See `ports.Store`."""
        place = match_place(match_id)
        placed = _load(place, b"" if idempotency_key is None else digest(idempotency_key), b"1")
        return stored_of(self._nodes.ask_all([placed], again=True)[0])

    def load_many(self, match_ids: Sequence[str], *, secrets: bool = False) -> list[StoredMatch | None]:
        """See `ports.Store`."""
        if not match_ids:
            return []
        placed = [_load(match_place(match_id), b"", b"1" if secrets else b"0") for match_id in match_ids]
        return [stored_of(answer) for answer in self._nodes.ask_all(placed, again=True)]

    def version(self, match_id: str) -> int | None:
        """See `ports.Store`."""
        place = match_place(match_id)
        return int(self._nodes.ask(place.bucket.slot, "LLEN", place.log, again=True)) or None

    def head(self, match_id: str) -> str | None:
        """See `ports.Store`."""
        place = match_place(match_id)
        entry = self._nodes.ask(place.bucket.slot, "LINDEX", place.log, -1, again=True)
        return None if entry is None else unpack_link(entry)[1]

    def standing(self, match_id: str) -> tuple[str, int] | None:
        """See `ports.Store`."""
        place = match_place(match_id)
        asked = [Placed(place.bucket.slot, words) for words in (("LINDEX", place.log, -1), ("HGET", place.match, "n"))]
        entry, revision = self._nodes.ask_all(asked, again=True)
        return None if entry is None else (unpack_link(entry)[1], int(revision or 0))

    def commit(self, commit: Commit) -> Outcome:
        """See `ports.Store`. Raises ValueError for events that do not follow the expected version."""
        match, quota = commit.match_id.encode(), commit.quota
        placed = [_counting(row) for row in commit.admitted]
        if quota is not None:
            placed.append(_entry(quota.account, match, quota.most))
        placed += [_entry(account, match) for account in commit.accounts if quota is None or account != quota.account]
        placed.append(placed_commit(commit))
        answers = self._nodes.ask_in_order(placed)
        counts = tuple(Count(*answer[1:]) for answer in answers[: len(commit.admitted)])
        if len(answers) == len(placed):
            return outcome(answers[-1], counts)
        if len(answers) > len(counts):
            return Full(counts)
        return Limited(len(counts) - 1, counts[-1].left_ms, counts)

    def events(self, match_id: str, after: int, limit: int) -> list[LoggedEvent]:
        """See `ports.Store`."""
        if limit <= 0:
            return []
        place = match_place(match_id)
        entries = self._nodes.ask(place.bucket.slot, "LRANGE", place.log, after, after + limit - 1, again=True)
        return [unpack_event(seq, entry) for seq, entry in enumerate(entries, after + 1)]

    def events_of_many(self, after: Mapping[str, int], limit: int) -> dict[str, list[LoggedEvent]]:
        """See `ports.Store`."""
        if limit <= 0 or not after:
            return {}
        places = [(match_place(match_id), start) for match_id, start in after.items()]
        words = [(place.bucket.slot, ("LRANGE", place.log, start, start + limit - 1)) for place, start in places]
        answers = self._nodes.ask_all([Placed(slot, each) for slot, each in words], again=True)
        return {
            match_id: [unpack_event(seq, entry) for seq, entry in enumerate(entries, start + 1)]
            for (match_id, start), entries in zip(after.items(), answers, strict=True)
        }

    def erase(self, match_id: str, version: int, public_list: str | None) -> bool:
        """See `ports.Store`."""
        place = match_place(match_id)
        bucket = place.bucket
        keys = [place.match, place.log, place.answers, bucket.timers, bucket.bots]
        keys += [] if public_list is None else [bucket.public_list(public_list)]
        return bool(self._nodes.run(bucket.slot, scripts.ERASE, keys, place.id, version))

    def set_rematch(self, match_id: str, rematch_id: str) -> None:
        """See `ports.Store`. The first rematch stays."""
        place = match_place(match_id)
        self._nodes.run(place.bucket.slot, scripts.REMATCH, [place.match, place.log], rematch_id)

    # --- lists ----------------------------------------------------------------------------------------------

    def list_public(self, lists: Sequence[str], before: Pair | None, limit: int) -> list[Pair]:
        """See `ports.Store`. A second round trip where many of the newest matches lie in one bucket."""
        if limit <= 0 or not lists:
            return []
        names = tuple(dict.fromkeys(lists))
        places = [(bucket.slot, [bucket.public_list(name) for name in names]) for bucket in ALL_BUCKETS]
        # The newest matches spread over the buckets, so few from each are enough; where they were not, ask for more.
        few = min(limit, 4 + limit // 8)
        pages = self._pages(places, before, few)
        newest = list(islice(merge(*pages, reverse=True), limit))
        last = newest[-1] if len(newest) == limit else None
        # Of a bucket whose page was full, more may lie before the last one that the answer has.
        short = [n for n, page in enumerate(pages) if len(page) >= few and (last is None or page[few - 1] > last)]
        if few < limit and short:
            more = self._pages([places[n] for n in short], before, limit)
            for n, page in zip(short, more, strict=True):
                pages[n] = page
            newest = list(islice(merge(*pages, reverse=True), limit))
        return newest

    def list_of_account(self, account_id: str, before: Pair | None, limit: int) -> list[Pair]:
        """See `ports.Store`."""
        if limit <= 0:
            return []
        place = account_place(account_id)
        return self._pages([(place.slot, [place.matches])], before, limit)[0][:limit]

    def _pages(self, places: Sequence[tuple[int, list[bytes]]], before: Pair | None, limit: int) -> list[list[Pair]]:
        """For each (slot, sorted sets) its newest members behind `before`, newest first, `limit` or more if it can."""
        at_ms = "" if before is None else before[0]
        asked = [Placed(slot, (len(keys), *keys, limit, at_ms), scripts.PAGE) for slot, keys in places]
        pages = [sorted(_pairs(answer), reverse=True) for answer in self._nodes.ask_all(asked, again=True)]
        return pages if before is None else [[pair for pair in page if pair < before] for page in pages]

    def active_of_account(self, account_id: str) -> list[str]:
        """See `ports.Store`."""
        place = account_place(account_id)
        return [name.decode() for name in self._nodes.ask(place.slot, "ZRANGE", place.active, 0, -1, again=True)]

    def retire_from_account(self, account_id: str, match_ids: Sequence[str]) -> None:
        """See `ports.Store`."""
        if match_ids:
            place = account_place(account_id)
            self._nodes.ask(place.slot, "ZREM", place.active, *match_ids)

    def unlist(self, account_id: str, match_id: str) -> None:
        """See `ports.Store`."""
        place = account_place(account_id)
        asked = [Placed(place.slot, ("ZREM", key, match_id)) for key in (place.matches, place.active)]
        self._nodes.ask_all(asked)

    def waiting_for_bots(self, limit: int) -> list[str]:
        """See `ports.Store`. Longest waiting first."""
        if limit <= 0:
            return []
        asked = [Placed(bucket.slot, ("ZRANGE", bucket.bots, 0, limit - 1, "WITHSCORES")) for bucket in ALL_BUCKETS]
        waiting = merge(*(_pairs(answer) for answer in self._nodes.ask_all(asked, again=True)))
        return [match_id for _, match_id in islice(waiting, limit)]

    def due(self, limit: int) -> list[str]:
        """See `ports.Store`. Longest due first."""
        if limit <= 0:
            return []
        asked = [Placed(bucket.slot, (1, bucket.timers, limit), scripts.DUE) for bucket in ALL_BUCKETS]
        late = merge(*(_pairs(answer) for answer in self._nodes.ask_all(asked, again=True)))
        return [match_id for _, match_id in islice(late, limit)]

    def pulse(self, *, beat: bool) -> Pulse:
        """See `ports.Store`. Where any primary does not answer, the service counts as down, and nobody can say more."""
        if isinstance(self._nodes, ClusterNodes):
            for (answer,) in self._nodes.ask_everyone([("PING",)]):
                if isinstance(answer, Exception):
                    raise StoreUnavailable(f"a node of the cluster does not answer: {answer}") from answer
        words = (b"1" if beat else b"0", _OUTAGE_MS, _KEPT_OUTAGES)
        now_ms, last_ms, kept = self._nodes.run(slot_of(BEAT), scripts.PULSE, [BEAT, OUTAGES], *words, again=not beat)
        outages = [(int(began), int(ended)) for began, ended in map(bytes.split, kept)]
        down = not beat and now_ms - int(last_ms) > _OUTAGE_MS
        if down:
            outages.append((int(last_ms), now_ms))
        return Pulse(now_ms, tuple(outages), down)

    # --- accounts and keys ----------------------------------------------------------------------------------

    def reserve(self, key: str, fingerprint: str, value: str, ttl_s: int) -> tuple[str, str]:
        """See `ports.Store`."""
        slot, name = reservation(key)
        kept = self._nodes.ask(slot, "SET", name, pack_reservation(fingerprint, value), "NX", "GET", "EX", ttl_s)
        return (fingerprint, value) if kept is None else unpack_reservation(kept)

    def put_account(self, account_id: str, document: bytes) -> tuple[bytes, int]:
        """See `ports.Store`. The document of an erased account is empty."""
        place = account_place(account_id)
        kept, created_at_ms = self._nodes.run(place.slot, scripts.PUT_ACCOUNT, [place.account], document)
        return kept, int(created_at_ms)

    def account(self, account_id: str) -> AccountFound | None:
        """See `ports.Store`. None for an erased account."""
        return _account(*self._nodes.ask_all(_read(account_id), again=True))

    def account_and_match(self, account_id: str, match_id: str) -> tuple[AccountFound | None, StoredMatch | None]:
        """See `ports.Store`."""
        asked = [*_read(account_id), _load(match_place(match_id), b"", b"1")]
        *account, match = self._nodes.ask_all(asked, again=True)
        return _account(*account), stored_of(match)

    def replace_account(self, account_id: str, old: bytes, new: bytes) -> bool:
        """See `ports.Store`."""
        place = account_place(account_id)
        return bool(self._nodes.run(place.slot, scripts.REPLACE_ACCOUNT, [place.account], old, new))

    def delete_account(self, account_id: str) -> None:
        """See `ports.Store`. The time of creation stays and keeps the id taken."""
        place = account_place(account_id)
        self._nodes.ask(place.slot, "HDEL", place.account, "d")

    # --- limits ---------------------------------------------------------------------------------------------

    def count(self, rows: Sequence[Counted]) -> list[Count]:
        """See `ports.Store`."""
        return [Count(*answer[1:]) for answer in self._nodes.ask_all([_counting(row) for row in rows])]

    # --- health ---------------------------------------------------------------------------------------------

    def durability(self) -> Durability:
        """See `ports.Store`. Raises `StoreUnavailable` also for a store that answers but refuses to write."""
        health = ask_health(self._nodes, self._declared)
        health.raise_unless_writable()
        return Durability(health.level, health.server)

    def check(self, *, allow_volatile: bool = False) -> Health:
        """The check at start: raises `health.UnsuitableStore` for a store that would lose matches, or lacks some.

        `allow_volatile` takes one with an eviction policy or without an append-only file all the same.
        """
        if self._nodes.ask(slot_of(RESTORING), "EXISTS", RESTORING, again=True):
            raise UnsuitableStore("a restore into this store was cut short: run it again with the same file")
        return check_health(ask_health(self._nodes, self._declared), allow_volatile=allow_volatile)


def _counting(row: Counted) -> Placed:
    """What counts one more over all matches."""
    slot, key = counter(row.name)
    return Placed(slot, (1, key, row.window_ms, row.most), scripts.COUNT)


def _entry(account_id: str, match: bytes, most: int | str = "") -> Placed:
    """What puts a match on an account's lists, unless there are `most` others."""
    place = account_place(account_id)
    return Placed(place.slot, (2, place.matches, place.active, match, most), scripts.ADD_TO_ACCOUNT)


def _read(account_id: str) -> list[Placed]:
    """What reads an account and the time."""
    place = account_place(account_id)
    return [Placed(place.slot, ("HMGET", place.account, "d", "c")), Placed(place.slot, ("TIME",))]


def _account(kept: Sequence[bytes | None], time: Sequence[bytes]) -> AccountFound | None:
    document, created_at_ms = kept
    if document is None or created_at_ms is None:
        return None
    return AccountFound(document, int(created_at_ms), int(time[0]) * 1000 + int(time[1]) // 1000)


def _load(place: MatchPlace, field: bytes, secret: bytes) -> Placed:
    return Placed(place.bucket.slot, (3, place.match, place.log, place.answers, field, secret), scripts.LOAD)


def _pairs(answer: Sequence[bytes]) -> list[Pair]:
    """(score, member) from the alternating answer of a sorted set."""
    return [(int(score), member.decode()) for member, score in zip(answer[::2], answer[1::2], strict=True)]
