"""All of a store for backup and restore: `holdings.Holdings` over Redis or Valkey, standalone or as a cluster.

What there is is found by walking over the keys of every primary. Not for requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from redis import Redis, RedisCluster

from spieltisch_service.app.holdings import NotEmpty, Reservation, WholeAccount, WholeMatch
from spieltisch_service.store import scripts
from spieltisch_service.store.entries import AT_BYTES, pack_event, pack_part, unpack_event, unpack_part
from spieltisch_service.store.layout import (
    ANYTHING,
    BEAT,
    JOBS,
    OUTAGES,
    RESERVATIONS,
    RESTORING,
    account_place,
    match_place,
    slot_of,
)
from spieltisch_service.store.nodes import ClusterNodes, Nodes, OneNode, Placed
from spieltisch_service.store.rows import pack_reservation, pack_row, unpack_reservation, unpack_row

_MATCH = re.compile(rb"spt:\{b:\d\d\}:m:(.+)", re.DOTALL)
_ACCOUNT = re.compile(rb"spt:\{a:(.+)\}:me", re.DOTALL)
_BATCH = 32
_MEMBERS = 1000


class Vault:
    """`holdings.Holdings` over a redis-py client as `connection.open_client` makes it."""

    def __init__(self, client: Redis | RedisCluster) -> None:
        self._nodes: Nodes = ClusterNodes(client) if isinstance(client, RedisCluster) else OneNode(client)

    def close(self) -> None:
        """Close all connections."""
        self._nodes.close()

    # --- reading --------------------------------------------------------------------------------------------

    def matches(self) -> Iterator[WholeMatch]:
        """See `Holdings`."""
        for names in self._found(b"spt:{b:*}:m:*", _MATCH):
            placed = []
            for name in names:
                place = match_place(name)
                keys = (place.match, place.log, place.answers, place.bucket.timers, place.bucket.bots)
                placed.append(Placed(place.bucket.slot, (len(keys), *keys, place.id), scripts.WHOLE_MATCH))
            for name, answer in zip(names, self._nodes.ask_all(placed, again=True), strict=True):
                if answer is not None:
                    yield _whole_match(name, answer)

    def accounts(self) -> Iterator[WholeAccount]:
        """See `Holdings`."""
        for names in self._found(b"spt:{a:*}:me", _ACCOUNT):
            placed = []
            for name in names:
                place = account_place(name)
                placed.append(Placed(place.slot, ("HMGET", place.account, "d", "c")))
                lists = (place.matches, place.active)
                placed += [Placed(place.slot, ("ZRANGE", key, 0, -1, "WITHSCORES")) for key in lists]
            answers = self._nodes.ask_all(placed, again=True)
            for name, (document, created), matches, active in zip(
                names, answers[::3], answers[1::3], answers[2::3], strict=True
            ):
                yield WholeAccount(name, document, int(created), _entries(matches), _entries(active))

    def reservations(self) -> Iterator[Reservation]:
        """See `Holdings`."""
        for names in self._found(RESERVATIONS + b"*", re.compile(re.escape(RESERVATIONS) + b"(.+)")):
            keys = [RESERVATIONS + name.encode() for name in names]
            placed = [Placed(slot_of(key), (word, key)) for key in keys for word in ("GET", "PEXPIRETIME")]
            answers = self._nodes.ask_all(placed, again=True)
            for name, kept, expires_at_ms in zip(names, answers[::2], answers[1::2], strict=True):
                # Its time may be over since it was found.
                if kept is not None and expires_at_ms >= 0:
                    yield Reservation(name, *unpack_reservation(kept), expires_at_ms)

    def _found(self, pattern: bytes, form: re.Pattern[bytes]) -> Iterator[list[str]]:
        """The names within the keys of that form, some at a time; a key may come more than once."""
        names = (found[1].decode() for key in self._nodes.keys(pattern) if (found := form.fullmatch(key)))
        while some := list(islice(names, _BATCH)):
            yield some

    # --- writing --------------------------------------------------------------------------------------------

    def begin(self, archive: str) -> bool:
        """See `Holdings`."""
        slot = slot_of(RESTORING)
        mark = self._nodes.ask(slot, "GET", RESTORING, again=True)
        if mark == archive.encode():
            return True
        # A service that ran on the empty store leaves its heartbeat and its queue, which say nothing of these matches.
        found = (key for key in self._nodes.keys(ANYTHING) if not key.startswith(JOBS.encode()))
        if any(key not in (BEAT, OUTAGES) for key in found):
            if mark is not None:
                raise NotEmpty("a restore of another file was cut short here: run that one again, or empty the store")
            raise NotEmpty("the store holds matches or accounts already: restore into an empty one")
        self._nodes.ask(slot, "SET", RESTORING, archive)
        self._nodes.ask(slot_of(BEAT), "DEL", BEAT, OUTAGES)
        return False

    def put_matches(self, matches: Sequence[WholeMatch]) -> None:
        """See `Holdings`."""
        self._nodes.ask_all([_put_match(match) for match in matches])

    def put_accounts(self, accounts: Sequence[WholeAccount]) -> None:
        """See `Holdings`."""
        placed = []
        for account in accounts:
            place = account_place(account.id)
            for key, entries in ((place.matches, account.matches), (place.active, account.active)):
                for first in range(0, len(entries), _MEMBERS):
                    words = [word for name, at_ms in entries[first : first + _MEMBERS] for word in (at_ms, name)]
                    placed.append(Placed(place.slot, ("ZADD", key, *words)))
            document = () if account.document is None else ("d", account.document)
            placed.append(Placed(place.slot, ("HSET", place.account, "c", account.created_at_ms, *document)))
        self._nodes.ask_all(placed)

    def put_reservations(self, reservations: Sequence[Reservation]) -> None:
        """See `Holdings`."""
        placed = []
        for one in reservations:
            key = RESERVATIONS + one.digest.encode()
            value = pack_reservation(one.fingerprint, one.value)
            placed.append(Placed(slot_of(key), ("SET", key, value, "PXAT", max(1, one.expires_at_ms))))
        self._nodes.ask_all(placed)

    def finish(self) -> None:
        """See `Holdings`."""
        self._nodes.ask(slot_of(RESTORING), "DEL", RESTORING)


def _put_match(match: WholeMatch) -> Placed:
    place = match_place(match.id)
    bucket = place.bucket
    keys = [place.match, place.log, place.answers, bucket.timers, bucket.bots]
    if match.listed is not None:
        keys.append(bucket.public_list(match.listed))
    fields: dict[str, Any] = {
        "d": pack_part(match.document, small=True),
        "s": pack_part(match.secret, small=True),
        "z": None if match.state is None else pack_part(match.state, small=match.ended_at_ms is not None),
        "c": match.created_at_ms,
        "b": match.started_at_ms,
        "e": match.ended_at_ms,
        "r": match.rematch,
        "k": match.clock,
        "n": match.revision or None,
    }
    kept = [(name, value) for name, value in fields.items() if value is not None]
    words = (
        len(keys),
        *keys,
        place.id,
        _or_nothing(match.timer_at_ms),
        _or_nothing(match.bots_since_ms),
        b"" if match.listed is None else match.created_at_ms,
        len(kept),
        len(match.log),
        *(word for pair in kept for word in pair),
        *(event.at_ms.to_bytes(AT_BYTES, "big") + pack_event(event) for event in match.log),
        *(word for digest, row in match.answers.items() for word in (bytes.fromhex(digest), pack_row(row))),
    )
    return Placed(bucket.slot, words, scripts.PUT_WHOLE_MATCH)


def _or_nothing(number: int | None) -> int | bytes:
    return b"" if number is None else number


def _whole_match(match_id: str, answer: Sequence[Any]) -> WholeMatch:
    document, secret, state, created, started, ended, rematch, revision, log, answers, timer, bots = answer
    rows: Mapping[bytes, bytes] = dict(zip(answers[::2], answers[1::2], strict=True))
    return WholeMatch(
        id=match_id,
        document=unpack_part(document),
        secret=unpack_part(secret),
        state=None if state is None else unpack_part(state),
        created_at_ms=int(created),
        started_at_ms=None if started is None else int(started),
        ended_at_ms=None if ended is None else int(ended),
        rematch=None if rematch is None else rematch.decode(),
        timer_at_ms=None if timer is None else int(float(timer)),
        bots_since_ms=None if bots is None else int(float(bots)),
        log=[unpack_event(seq, entry) for seq, entry in enumerate(log, 1)],
        answers={field.hex(): unpack_row(row) for field, row in rows.items()},
        revision=int(revision or 0),
    )


def _entries(answer: Sequence[bytes]) -> list[tuple[str, int]]:
    return [(name.decode(), int(float(at_ms))) for name, at_ms in zip(answer[::2], answer[1::2], strict=True)]
