"""What the store counts: beside a commit, over all matches, and how many matches an account has."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from spieltisch_service.app.ports import Commit, Committed, Conflict, Count, Counted, Limited, Replayed
from spieltisch_service.store.layout import match_place
from spieltisch_service.store.redis_store import RedisStore

from .matches import MATCH, creation, events, follow, row

WHO = Counted("account:ac_1", 2, 60_000)
FROM = Counted("address:192.0.2.1", 100, 60_000)


def test_a_commit_counts_and_tells(store: RedisStore) -> None:
    made = events(1)
    store.commit(creation(events=made))
    for used in (1, 2):
        more = replace(follow(made), counted=(WHO, FROM))
        made += more.events
        done = store.commit(more)
        assert isinstance(done, Committed)
        assert [count.used for count in done.counts] == [used, used]
        assert all(0 < count.left_ms <= 60_000 for count in done.counts)


def test_what_is_used_up_is_not_written(store: RedisStore) -> None:
    made = events(1)
    store.commit(creation(events=made))
    for _ in range(2):
        more = replace(follow(made), counted=(FROM, WHO))
        made += more.events
        assert isinstance(store.commit(more), Committed)
    over = store.commit(replace(follow(made, state=b"s2"), counted=(FROM, WHO)))
    assert isinstance(over, Limited)
    assert over.row == 1
    assert 0 < over.left_ms <= 60_000
    stored = store.load(MATCH)
    assert stored is not None
    assert (stored.version, stored.state) == (3, None)
    # Nor was it counted: there is room for exactly as many as before.
    assert store.commit(replace(follow(made), counted=(FROM,))).counts[0].used == 3  # type: ignore[union-attr]


def test_an_answer_given_again_and_a_conflict_count_for_nothing(store: RedisStore) -> None:
    made = events(1)
    store.commit(creation(events=made))
    more = replace(follow(made), counted=(WHO,), idempotency=("key", row()))
    assert isinstance(store.commit(more), Committed)
    assert isinstance(store.commit(more), Replayed)
    assert isinstance(store.commit(replace(more, idempotency=("other", row()))), Conflict)
    made += more.events
    done = store.commit(replace(follow(made), counted=(WHO,)))
    assert isinstance(done, Committed)
    assert done.counts[0].used == 2


def test_a_new_match_is_counted_behind_its_lists(store: RedisStore) -> None:
    new = replace(creation(), index=(None, "open:neues-land"), counted=(WHO,))
    done = store.commit(new)
    assert isinstance(done, Committed)
    assert done.counts == (Count(1, done.counts[0].left_ms),)
    assert [match_id for _, match_id in store.list_public(["open:neues-land"], None, 10)] == [MATCH]


def test_a_window_ends_by_itself(store: RedisStore) -> None:
    first = store.count([Counted("brief", 1, 1)])
    assert first[0].used == 1
    while store.count([Counted("brief", 1, 1)])[0].used != 1:
        pass


def test_many_count_at_once_without_losing_any(store: RedisStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda _: store.count([WHO, FROM]), range(64)))
    assert sorted(count[0].used for count in counts) == list(range(1, 65))
    assert sorted(count[1].used for count in counts) == list(range(1, 65))


def test_counters_of_matches_are_kept_by_bucket(store: RedisStore) -> None:
    other = next(f"mt_{n}" for n in range(100) if match_place(f"mt_{n}").bucket != match_place(MATCH).bucket)
    for match_id in (MATCH, other):
        done = store.commit(replace(creation(match_id), counted=(WHO,)))
        assert isinstance(done, Committed)
        assert done.counts[0].used == 1


def test_an_account_gets_as_many_matches_as_it_may_have(store: RedisStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda n: store.enlist("ac_1", f"mt_{n}", 5), range(32)))
    assert sum(done) == 5
    there = store.active_of_account("ac_1")
    assert len(there) == 5
    assert store.enlist("ac_1", there[0], 5)
    assert store.enlist("ac_2", "mt_1", 5)
    store.retire_from_account("ac_1", there[:1])
    assert store.enlist("ac_1", "mt_more", 5)
    assert not store.enlist("ac_1", "mt_much", 5)


def test_a_commit_lists_a_match_whatever_the_account_may_have(store: RedisStore) -> None:
    assert store.enlist("ac_1", "mt_1", 1)
    store.commit(Commit(MATCH, 0, events(1), document=b"{}", secret=b"{}", stamps=("created",), accounts=("ac_1",)))
    assert sorted(store.active_of_account("ac_1")) == sorted(["mt_1", MATCH])
