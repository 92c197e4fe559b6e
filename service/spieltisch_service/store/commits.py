"""A commit in the words of `commit.lua`, and what it answers."""

from __future__ import annotations

from typing import Any

from spieltisch_service.app.ports import (
    BOTS_TOPIC,
    Commit,
    Committed,
    Conflict,
    Count,
    Lapsed,
    Limited,
    Outcome,
    Replayed,
    StoredMatch,
    Timed,
)
from spieltisch_service.store import scripts
from spieltisch_service.store.entries import pack_event, pack_part, unpack_link, unpack_part
from spieltisch_service.store.layout import BOTS_CHANNEL, digest, match_place
from spieltisch_service.store.nodes import Placed
from spieltisch_service.store.rows import pack_row, unpack_row

_STAMP_FIELDS = {"created": b"c", "started": b"b", "ended": b"e"}


def placed_commit(commit: Commit) -> Placed:
    """What writes it. Raises ValueError for events that do not follow the expected version."""
    _check(commit)
    place = match_place(commit.match_id)
    bucket = place.bucket
    keys = [place.match, place.log, place.answers, bucket.timers, bucket.bots]
    leave, enter = commit.index or (None, None)
    keys.extend(bucket.public_list(name) for name in (leave, enter) if name is not None)
    keys.extend(bucket.counter(row.name) for row in commit.counted)
    fields: list[bytes] = []
    # What the end writes stays for good; all that was before is gone with it.
    ended = "ended" in commit.stamps
    if commit.document is not None:
        fields += (b"d", pack_part(commit.document, small=ended or commit.rewrites))
    if commit.secret is not None:
        fields += (b"s", pack_part(commit.secret, small=True))
    if commit.rewrites:
        fields += (b"n", b"%d" % ((commit.revision or 0) + 1))
    if commit.state is not None:
        fields += (b"z", pack_part(commit.state, small=ended))
    timed = commit.timed
    if timed is not None and timed.row is not None:
        fields += (b"k", timed.row)
    field, row = b"", b""
    if commit.idempotency is not None:
        field, row = digest(commit.idempotency[0]), pack_row(commit.idempotency[1])
    words = (
        len(keys),
        *keys,
        place.id,
        commit.expected_version,
        bucket.channel + b" " + BOTS_CHANNEL if BOTS_TOPIC in commit.wake else bucket.channel,
        ",".join(commit.wake),
        field,
        row,
        b"" if leave is None else b"1",
        b"" if enter is None else b"1",
        b"" if commit.bot_to_act is None else b"1" if commit.bot_to_act else b"0",
        b"" if commit.expires_after_ms is None else commit.expires_after_ms,
        len(commit.events),
        len(fields) // 2,
        len(commit.stamps),
        len(commit.counted),
        b"" if commit.expected_hash is None else bytes.fromhex(commit.expected_hash),
        b"" if commit.revision is None else commit.revision,
        *map(pack_event, commit.events),
        *fields,
        *(_STAMP_FIELDS[stamp] for stamp in commit.stamps),
        *(word for row in commit.counted for word in (row.most, row.window_ms)),
        *(() if timed is None else _clock_words(timed)),
    )
    return Placed(bucket.slot, words, scripts.COMMIT)


def _check(commit: Commit) -> None:
    """Refuse what would tear the log: places and numbers of the events must agree."""
    expected = commit.expected_version
    if expected == 0 and not commit.events:
        raise ValueError("a new match begins with an event")
    for seq, event in enumerate(commit.events, expected + 1):
        if event.seq != seq:
            raise ValueError(f"event {event.seq} does not follow version {expected}")


def _clock_words(timed: Timed) -> tuple[bytes | int, ...]:
    """What `commit.lua` takes where a clock runs."""
    due = timed.due
    return (
        b"" if timed.deadline_ms is None else timed.deadline_ms,
        timed.received_ago_ms,
        b"" if timed.at_ms is None else timed.at_ms,
        *((b"", b"", 0, 0) if due is None else (due.after_ms, int(due.from_commit), due.since_ms, due.spare_ms)),
    )


def outcome(answer: Any, counts: tuple[Count, ...]) -> Outcome:
    """What became of a commit, from what `commit.lua` answers and the `counts` of what was counted before it."""
    if isinstance(answer, int):
        return Committed(answer, counts) if answer >= 0 else Lapsed(counts)
    if isinstance(answer, bytes):
        return Replayed(unpack_row(answer), counts)
    if answer and answer[0] == b"counted":
        return Committed(answer[1], (*counts, *map(Count, answer[2::2], answer[3::2])))
    if answer and answer[0] == b"limited":
        return Limited(answer[1], answer[2], counts)
    stored = stored_of(answer) if answer else None
    return Conflict(0 if stored is None else stored.version, stored, counts)


def stored_of(answer: list[bytes] | None) -> StoredMatch | None:
    """The match from what `load.lua` answers."""
    if answer is None:
        return None
    now_ms, version, link, document, secret, state, created, started, ended, rematch, clock, revision, row = answer
    at_ms, hash_ = unpack_link(link)
    return StoredMatch(
        version=int(version),
        hash=hash_,
        at_ms=at_ms,
        document=b"" if document is None else unpack_part(document),
        secret=b"" if secret is None else unpack_part(secret),
        state=None if state is None else unpack_part(state),
        created_at_ms=int(created or 0),
        started_at_ms=None if started is None else int(started),
        ended_at_ms=None if ended is None else int(ended),
        rematch=None if rematch is None else rematch.decode(),
        # A clock that was set back must not make an event lie in the future.
        now_ms=max(int(now_ms), at_ms),
        clock=clock,
        idempotency=None if row is None else unpack_row(row),
        revision=int(revision or 0),
    )
