"""What the store counts: beside a commit, over all matches, and how many matches an account has."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from spieltisch_service.app.ports import (
    Commit,
    Committed,
    Conflict,
    Count,
    Counted,
    Full,
    Lapsed,
    Limited,
    Quota,
    Replayed,
    Timed,
)
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


def apart() -> tuple[str, str, str]:
    """Three matches whose commits lie in different places."""
    found = {match_place(name).bucket: name for name in (f"mt_{n}" for n in range(200))}
    first, second, third, *_ = found.values()
    return first, second, third


def test_what_is_admitted_is_counted_over_all_matches_and_before_all_else(store: RedisStore) -> None:
    first, second, third = apart()
    for used, match_id in enumerate((first, second), 1):
        done = store.commit(replace(creation(match_id), admitted=(FROM, WHO), accounts=("ac_1",)))
        assert isinstance(done, Committed)
        assert [count.used for count in done.counts] == [used, used]
        assert all(0 < count.left_ms <= 60_000 for count in done.counts)
    over = store.commit(replace(creation(third), admitted=(FROM, WHO), accounts=("ac_1",), quota=Quota("ac_1", 9)))
    assert isinstance(over, Limited)
    assert over.row == 1
    assert [count.used for count in over.counts] == [3, 3]
    assert 0 < over.left_ms <= 60_000
    assert store.version(third) is None
    assert sorted(store.active_of_account("ac_1")) == sorted([first, second])
    # What comes behind the one that is used up is not counted.
    assert store.commit(replace(creation(third), admitted=(WHO, FROM))).counts[0].used == 4
    assert store.count([FROM])[0].used == 4


def test_what_is_admitted_is_counted_whatever_becomes_of_the_commit(store: RedisStore) -> None:
    made = events(1)
    new = replace(creation(events=made), idempotency=("key", row()), admitted=(FROM,))
    assert isinstance(store.commit(new), Committed)
    again = store.commit(new)
    assert isinstance(again, Replayed)
    assert again.counts[0].used == 2
    behind = store.commit(replace(new, idempotency=("other", row())))
    assert isinstance(behind, Conflict)
    assert behind.counts[0].used == 3
    late = store.commit(replace(follow(made), admitted=(FROM,), timed=Timed(1)))
    assert isinstance(late, Lapsed)
    assert late.counts[0].used == 4


def test_what_is_admitted_and_what_is_counted_beside_the_match_are_told_in_this_order(store: RedisStore) -> None:
    store.count([FROM])
    done = store.commit(replace(creation(), admitted=(FROM,), counted=(FROM, WHO)))
    assert isinstance(done, Committed)
    assert [count.used for count in done.counts] == [2, 1, 1]


def test_many_are_admitted_at_once_as_far_as_there_is_room(store: RedisStore) -> None:
    few = Counted("creates:ac_1", 5, 60_000)
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda n: store.commit(replace(creation(f"mt_{n}"), admitted=(few,))), range(32)))
    assert sum(isinstance(each, Committed) for each in done) == 5
    assert sum(isinstance(each, Limited) for each in done) == 27
    assert sum(store.version(f"mt_{n}") is not None for n in range(32)) == 5


def entering(match_id: str, account_id: str, most: int, *others: str) -> Commit:
    return replace(creation(match_id), accounts=(account_id, *others), quota=Quota(account_id, most))


def test_an_account_gets_as_many_matches_as_it_may_have(store: RedisStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda n: store.commit(entering(f"mt_{n}", "ac_1", 5)), range(32)))
    assert sum(isinstance(each, Committed) for each in done) == 5
    assert done.count(Full()) == 27
    there = store.active_of_account("ac_1")
    assert len(there) == 5
    # What is on the list needs no more room.
    assert isinstance(store.commit(entering(there[0], "ac_1", 5)), Conflict)
    assert isinstance(store.commit(entering("mt_other", "ac_2", 5)), Committed)
    store.retire_from_account("ac_1", there[:1])
    assert isinstance(store.commit(entering("mt_more", "ac_1", 5)), Committed)
    assert store.commit(entering("mt_much", "ac_1", 5)) == Full()


def test_without_room_nothing_is_written_but_the_request_is_counted(store: RedisStore) -> None:
    assert isinstance(store.commit(entering("mt_1", "ac_1", 1)), Committed)
    full = store.commit(replace(entering(MATCH, "ac_1", 1, "ac_2"), admitted=(FROM,)))
    assert isinstance(full, Full)
    assert full.counts[0].used == 1
    assert store.version(MATCH) is None
    assert store.active_of_account("ac_1") == ["mt_1"]
    assert store.active_of_account("ac_2") == []


def test_a_quota_is_that_of_one_account_and_holds_up_no_other(store: RedisStore) -> None:
    assert isinstance(store.commit(entering("mt_1", "ac_2", 1)), Committed)
    assert isinstance(store.commit(entering(MATCH, "ac_1", 1, "ac_2")), Committed)
    assert sorted(store.active_of_account("ac_2")) == sorted(["mt_1", MATCH])
    assert store.active_of_account("ac_1") == [MATCH]
