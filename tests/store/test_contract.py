"""What `ports.Store` promises, over every kind of store."""

from dataclasses import replace
from typing import Any

import pytest

from spieltisch_service.app.ports import Commit, Committed, Conflict, IdempotencyRow, Replayed, Store, StoredMatch
from spieltisch_service.store.connection import open_client
from spieltisch_service.store.layout import match_place
from spieltisch_service.store.redis_store import RedisStore

from .matches import MATCH, assert_chained, creation, events, follow, row


def committed_at(answer: Committed | Replayed | Conflict) -> int:
    assert isinstance(answer, Committed)
    return answer.at_ms


def loaded(store: Store, match_id: str = MATCH, key: str | None = None) -> StoredMatch:
    match = store.load(match_id, key)
    assert match is not None
    return match


# --- one match ------------------------------------------------------------------------------------------------------


def test_a_match_that_is_not_there(store: RedisStore) -> None:
    assert store.load("mt_none") is None
    assert store.load("mt_none", "key") is None
    assert store.load_many(["mt_none", MATCH]) == [None, None]
    assert store.load_many([]) == []
    assert store.version("mt_none") is None
    assert store.head("mt_none") is None
    assert store.standing("mt_none") is None
    assert store.events("mt_none", 0, 10) == []


def test_what_was_committed_is_loaded(store: RedisStore) -> None:
    made = events(3)
    at_ms = committed_at(store.commit(creation(events=made, document=b"\x00\xff{", state=b"state")))
    match = loaded(store)
    assert (match.version, match.hash, match.at_ms) == (3, made[-1].hash, at_ms)
    assert (match.document, match.secret, match.state) == (b"\x00\xff{", b'{"seed":2}', b"state")
    assert (match.created_at_ms, match.started_at_ms, match.ended_at_ms) == (at_ms, None, None)
    assert (match.rematch, match.idempotency) == (None, None)
    assert match.now_ms >= at_ms
    assert store.version(MATCH) == 3
    assert store.head(MATCH) == made[-1].hash


def test_each_part_changes_alone(store: RedisStore) -> None:
    made = events(1)
    created = committed_at(store.commit(creation(events=made)))
    assert loaded(store).state is None
    more = follow(made, state=b"s1", stamps=("started",))
    started = committed_at(store.commit(more))
    made += more.events
    more = follow(made, document=b"d2", stamps=("ended",))
    ended = committed_at(store.commit(more))
    match = loaded(store)
    assert (match.document, match.secret, match.state) == (b"d2", b'{"seed":2}', b"s1")
    assert (match.created_at_ms, match.started_at_ms, match.ended_at_ms) == (created, started, ended)


def test_a_commit_without_events_changes_the_rest(store: RedisStore) -> None:
    made = events(2)
    store.commit(creation(events=made))
    assert isinstance(store.commit(Commit(MATCH, 2, (), secret=b"other")), Committed)
    match = loaded(store)
    assert (match.version, match.hash, match.secret) == (2, made[-1].hash, b"other")


def test_many_matches_at_once_without_what_is_secret(store: RedisStore) -> None:
    ids = [f"mt_{n}" for n in range(40)]
    for match_id in ids:
        store.commit(creation(match_id, document=match_id.encode(), idempotency=("key", row())))
    got = store.load_many(["mt_none", *reversed(ids), ids[0]])
    assert got[0] is None
    assert [match.document.decode() if match else None for match in got[1:]] == [*reversed(ids), ids[0]]
    assert all(match is not None and match.secret == b"" and match.idempotency is None for match in got[1:])
    known = store.load_many(ids, secrets=True)
    assert [match.secret if match else None for match in known] == [loaded(store, each).secret for each in ids]
    assert all(match is not None and match.secret for match in known)


def test_what_happened_in_many_matches_is_read_at_once(store: RedisStore) -> None:
    logs = {f"mt_{n}": events(n) for n in range(1, 30)}
    for match_id, made in logs.items():
        store.commit(creation(match_id, events=made))
    after = {match_id: len(made) // 2 for match_id, made in logs.items()}
    got = store.events_of_many({**after, "mt_none": 0}, 10)
    assert got == {**{each: store.events(each, start, 10) for each, start in after.items()}, "mt_none": []}
    assert [event.seq for event in got["mt_28"]] == [*range(15, 25)]
    assert store.events_of_many({}, 10) == store.events_of_many(after, 0) == {}


# --- the log --------------------------------------------------------------------------------------------------------


def test_the_log_is_read_in_pages(store: RedisStore) -> None:
    made = events(7, text="Zürich → 🂡")
    store.commit(creation(events=made))
    log = store.events(MATCH, 0, 100)
    assert_chained(log)
    assert [event.body for event in log] == [event.body for event in made]
    assert [event.seq for event in store.events(MATCH, 2, 3)] == [3, 4, 5]
    assert store.events(MATCH, 2, 3) == log[2:5]
    assert store.events(MATCH, 7, 3) == []
    assert store.events(MATCH, 99, 3) == []
    assert store.events(MATCH, 0, 0) == []


def test_a_long_commit(store: RedisStore) -> None:
    store.commit(creation(events=events(1500)))
    log = store.events(MATCH, 0, 2000)
    assert len(log) == 1500
    assert_chained(log)


def test_events_must_follow_the_expected_version(store: RedisStore) -> None:
    with pytest.raises(ValueError, match="does not follow"):
        store.commit(Commit(MATCH, 0, events(1, after=1)))
    with pytest.raises(ValueError, match="begins with an event"):
        store.commit(Commit(MATCH, 0, ()))
    assert store.version(MATCH) is None


def test_the_same_version_with_other_events_is_another_match(store: RedisStore) -> None:
    """A store that lost the end of a log and went on is at a version again that a worker remembers otherwise."""
    made = events(2)
    store.commit(creation(events=made))
    remembered = follow(made, expected_hash="00" * 32)
    conflict = store.commit(remembered)
    assert conflict == Conflict(2)
    assert isinstance(conflict, Conflict)
    assert conflict.stored is not None
    assert conflict.stored.hash == made[-1].hash
    assert isinstance(store.commit(follow(made, expected_hash=made[-1].hash)), Committed)


def test_a_document_is_written_on_the_one_that_was_read(store: RedisStore) -> None:
    """No event tells that it is another one, so its revision is compared; where none is written, that may be any."""
    made = events(2)
    store.commit(creation(events=made))
    assert (loaded(store).revision, store.standing(MATCH)) == (0, (made[-1].hash, 0))
    assert isinstance(store.commit(Commit(MATCH, 2, (), document=b"one", revision=0, rewrites=True)), Committed)
    assert isinstance(store.commit(Commit(MATCH, 2, (), document=b"two", revision=1, rewrites=True)), Committed)
    assert (loaded(store).revision, store.standing(MATCH)) == (2, (made[-1].hash, 2))
    for stale in (
        Commit(MATCH, 2, (), document=b"one again", revision=1, rewrites=True),
        follow(made, document=b"one and an event", revision=0),
    ):
        conflict = store.commit(stale)
        assert isinstance(conflict, Conflict)
        assert conflict == Conflict(2)
        assert conflict.stored is not None
        assert (conflict.stored.document, conflict.stored.revision) == (b"two", 2)
    more = follow(made, state=b"an action")
    assert isinstance(store.commit(more), Committed)
    match = loaded(store)
    assert (match.version, match.document, match.state, match.revision) == (3, b"two", b"an action", 2)
    assert isinstance(store.commit(follow(made + more.events, document=b"three", revision=2)), Committed)
    found = store.load_many([MATCH])[0]
    assert found is not None
    assert (found.document, found.revision) == (b"three", 2)


def test_time_never_goes_back(store: RedisStore, store_url: str) -> None:
    """An entry from the future stands for a clock that was set back."""
    made = events(1)
    store.commit(creation(events=made))
    future_ms = loaded(store).now_ms + 3_600_000
    place = match_place(MATCH)
    client: Any = open_client(store_url)
    with client:
        client.lset(place.log, 0, future_ms.to_bytes(6, "big") + bytes.fromhex(made[0].hash) + b"{}")
    assert committed_at(store.commit(follow(made, expires_after_ms=0))) == future_ms
    match = loaded(store)
    assert match.at_ms == match.now_ms == future_ms
    assert store.due(10) == []


# --- conflict and replay --------------------------------------------------------------------------------------------


def test_another_version_is_a_conflict_and_nothing_is_written(store: RedisStore) -> None:
    made = events(3)
    lists: dict[str, Any] = {"index": (None, "open:wunderland"), "bot_to_act": True, "expires_after_ms": 0}
    assert store.commit(Commit(MATCH, 3, events(1, 3), document=b"x", idempotency=("key", row()), **lists)) == Conflict(
        0
    )
    assert store.load(MATCH, "key") is None
    store.commit(creation(events=made, state=b"s"))
    before = loaded(store)
    for expected in (0, 2, 4):
        late = Commit(
            MATCH,
            expected,
            events(1, expected),
            document=b"x",
            secret=b"x",
            state=b"x",
            stamps=("started", "ended"),
            idempotency=("key", row()),
            **lists,
        )
        conflict = store.commit(late)
        assert conflict == Conflict(3)
        assert conflict.stored is not None
        assert replace(conflict.stored, now_ms=0) == replace(before, now_ms=0)
    after = loaded(store, key="key")
    assert (after.document, after.secret, after.state) == (before.document, before.secret, before.state)
    assert (after.version, after.hash, after.started_at_ms, after.idempotency) == (3, made[-1].hash, None, None)
    assert store.list_public(["open:wunderland"], None, 10) == []
    assert store.waiting_for_bots(10) == []
    assert store.due(10) == []


def test_a_key_is_answered_before_the_version_is_compared(store: RedisStore) -> None:
    made = events(1)
    kept = row(first=1, last=1)
    store.commit(creation(events=made, idempotency=("key", kept)))
    store.commit(follow(made))
    again = creation(events=events(1, other=1), document=b"other", idempotency=("key", row(9, 9, "cd" * 32)))
    assert store.commit(again) == Replayed(kept)
    match = loaded(store, key="key")
    assert (match.version, match.document, match.idempotency) == (2, b'{"id":1}', kept)
    assert loaded(store, key="other").idempotency is None
    assert loaded(store).idempotency is None


@pytest.mark.parametrize(
    "kept",
    [
        IdempotencyRow("ab" * 32, 200, (), 5, 4),
        IdempotencyRow("AB" * 32, 201, (0,), 1, 1),
        IdempotencyRow("abc", 200, (0, 1, 2, 3, 4, 5), 1, 70_000),
        IdempotencyRow("größer", 204, (5,), 9, 0),
        IdempotencyRow("", 200, (1,), 2**31, 2**31),
    ],
)
def test_a_row_comes_back_as_it_was(store: RedisStore, kept: IdempotencyRow) -> None:
    store.commit(creation(idempotency=("key", kept)))
    assert loaded(store, key="key").idempotency == kept
    assert store.commit(creation(idempotency=("key", kept))) == Replayed(kept)


def test_keys_belong_to_their_match(store: RedisStore) -> None:
    store.commit(creation(idempotency=("key", row())))
    assert isinstance(store.commit(creation("mt_two", idempotency=("key", row()))), Committed)


def test_the_rematch_is_noted_once(store: RedisStore) -> None:
    store.set_rematch(MATCH, "mt_next")
    assert store.load(MATCH) is None
    store.commit(creation())
    store.set_rematch(MATCH, "mt_next")
    store.set_rematch(MATCH, "mt_next")
    store.set_rematch(MATCH, "mt_late")
    match = loaded(store)
    assert (match.rematch, match.version) == ("mt_next", 1)


# --- accounts and keys ----------------------------------------------------------------------------------------------


def test_an_account_is_kept_once(store: RedisStore) -> None:
    assert store.account("ac_1") is None
    document, created_at_ms = store.put_account("ac_1", b"\xffAda")
    assert document == b"\xffAda"
    assert created_at_ms > 0
    assert store.put_account("ac_1", b"Eve") == (b"\xffAda", created_at_ms)
    found = store.account("ac_1")
    assert found is not None
    assert found[:2] == (b"\xffAda", created_at_ms)
    assert created_at_ms <= found.now_ms < created_at_ms + 3_600_000
    assert store.account("ac_2") is None


def test_an_account_and_a_match_are_read_together(store: RedisStore) -> None:
    assert store.account_and_match("ac_1", MATCH) == (None, None)
    account = store.put_account("ac_1", b"Ada")
    found, match = store.account_and_match("ac_1", MATCH)
    assert found is not None
    assert (found[:2], match) == (account, None)
    store.commit(creation())
    found, match = store.account_and_match("ac_1", MATCH)
    assert found is not None
    assert found[:2] == account
    assert match is not None
    assert abs(found.now_ms - match.now_ms) < 3_600_000
    assert replace(match, now_ms=0) == replace(loaded(store), now_ms=0)
    assert store.account_and_match("ac_2", MATCH)[0] is None


def test_an_account_is_replaced_where_it_is_as_it_was_read(store: RedisStore) -> None:
    assert not store.replace_account("ac_1", b"Ada", b"Eve")
    _, created_at_ms = store.put_account("ac_1", b"\xffAda")
    assert not store.replace_account("ac_1", b"Ada", b"Eve")
    assert store.replace_account("ac_1", b"\xffAda", b"Ada \x00")
    assert not store.replace_account("ac_1", b"\xffAda", b"Eve")
    found = store.account("ac_1")
    assert found is not None
    assert found[:2] == (b"Ada \x00", created_at_ms)
    store.delete_account("ac_1")
    assert not store.replace_account("ac_1", b"Ada \x00", b"Eve")
    assert not store.replace_account("ac_1", b"", b"Eve")
    assert store.account("ac_1") is None


def test_an_erased_account_never_comes_back(store: RedisStore) -> None:
    store.delete_account("ac_1")
    _, created_at_ms = store.put_account("ac_1", b"Ada")
    store.delete_account("ac_1")
    store.delete_account("ac_1")
    assert store.account("ac_1") is None
    assert store.put_account("ac_1", b"Ada") == (b"", created_at_ms)
    assert store.account("ac_1") is None


def test_the_first_reservation_holds(store: RedisStore) -> None:
    assert store.reserve("k" * 255, "print", "ac_1 → mt_1", 60) == ("print", "ac_1 → mt_1")
    assert store.reserve("k" * 255, "other", "ac_2", 60) == ("print", "ac_1 → mt_1")
    assert store.reserve("j" * 255, "", "", 60) == ("", "")
    assert store.reserve("j" * 255, "x", "y", 60) == ("", "")


def test_a_reservation_ends(store: RedisStore, store_url: str) -> None:
    store.reserve("key", "print", "value", 86_400)
    with open_client(store_url) as client:
        names = list(client.scan_iter("spt:idem:*"))
        assert len(names) == 1
        assert 86_000 < client.ttl(names[0]) <= 86_400
        client.delete(names[0])
    assert store.reserve("key", "new", "new", 60) == ("new", "new")


# --- health ---------------------------------------------------------------------------------------------------------


def test_the_store_tells_its_durability(store: RedisStore) -> None:
    durability = store.durability()
    assert durability.level == "fast"
    name, version = durability.server.split(" ")
    assert name == "valkey"
    assert int(version.split(".")[0]) >= 7
