"""A commit in the words of `commit.lua`."""

from __future__ import annotations

from spieltisch_service.app.ports import BOTS_TOPIC, Commit, Timed
from spieltisch_service.store import scripts
from spieltisch_service.store.entries import pack_event, pack_part
from spieltisch_service.store.layout import BOTS_CHANNEL, digest, match_place
from spieltisch_service.store.nodes import Placed
from spieltisch_service.store.rows import pack_row

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
    if commit.document is not None:
        fields += (b"d", pack_part(commit.document, small=True))
    if commit.secret is not None:
        fields += (b"s", pack_part(commit.secret, small=True))
    if commit.rewrites:
        fields += (b"n", b"%d" % ((commit.revision or 0) + 1))
    if commit.state is not None:
        # The last state stays for good; all others are gone with the next action.
        fields += (b"z", pack_part(commit.state, small="ended" in commit.stamps))
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
