import random
from binascii import crc_hqx
from typing import Any

import pytest

from spieltisch_service.app.ports import Commit, Committed
from spieltisch_service.store.connection import open_client
from spieltisch_service.store.layout import match_place
from spieltisch_service.store.redis_store import RedisStore

from .matches import MATCH, creation, events, follow

Pair = tuple[int, str]
LISTS = ["open:neues-land", "running:neues-land", "open:wunderland"]


def fill(url: str, placed: dict[str, list[Pair]]) -> None:
    """Put matches on lists with times of the test's choosing."""
    client: Any = open_client(url)
    with client:
        for name, pairs in placed.items():
            for at_ms, match_id in pairs:
                client.zadd(match_place(match_id).bucket.public_list(name), {match_id: at_ms})


def committed_at(store: RedisStore, commit: Commit) -> int:
    answer = store.commit(commit)
    assert isinstance(answer, Committed)
    return answer.at_ms


def walk(store: RedisStore, lists: list[str], limit: int) -> list[Pair]:
    """All pages, one after the other."""
    got: list[Pair] = []
    before = None
    while page := store.list_public(lists, before, limit):
        assert len(page) <= limit
        got += page
        before = page[-1]
    return got


# --- public lists ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 7, 50, 100, 1000])
def test_the_pages_of_public_lists_are_exact(store: RedisStore, store_url: str, limit: int) -> None:
    """Few distinct times, so that most matches share theirs with others."""
    dice = random.Random(limit)
    count = 60 if limit < 3 else 400
    placed = {name: [(dice.randrange(1, 40), f"mt_{name}_{n}") for n in range(count)] for name in LISTS}
    fill(store_url, placed)
    for lists in (LISTS[:1], LISTS[:2], LISTS):
        assert walk(store, lists, limit) == sorted((pair for name in lists for pair in placed[name]), reverse=True)


@pytest.mark.parametrize("limit", [1, 10, 50])
def test_pages_are_exact_when_all_lies_in_one_bucket(store: RedisStore, store_url: str, limit: int) -> None:
    ids = [f"mt_{n}" for n in range(6000) if crc_hqx(f"mt_{n}".encode(), 0) % 64 == 5]
    assert len(ids) > 60
    pairs = [(1000 - n // 4, match_id) for n, match_id in enumerate(ids)]
    elsewhere = [(990, f"mt_x{n}") for n in range(20)]
    fill(store_url, {LISTS[0]: pairs + elsewhere})
    assert walk(store, LISTS[:1], limit) == sorted(pairs + elsewhere, reverse=True)


def test_a_page_continues_behind_a_match_that_has_left(store: RedisStore, store_url: str) -> None:
    fill(store_url, {LISTS[0]: [(5, "mt_a"), (5, "mt_c"), (4, "mt_z"), (6, "mt_b")]})
    assert store.list_public(LISTS[:1], (5, "mt_b"), 10) == [(5, "mt_a"), (4, "mt_z")]
    assert store.list_public(LISTS[:1], (5, "mt_a"), 10) == [(4, "mt_z")]
    assert store.list_public(LISTS[:1], (4, "mt_z"), 10) == []
    assert store.list_public(LISTS[:1], (9, "mt_a"), 2) == [(6, "mt_b"), (5, "mt_c")]


def test_no_lists_and_no_room_give_nothing(store: RedisStore, store_url: str) -> None:
    fill(store_url, {LISTS[0]: [(5, "mt_a")]})
    assert store.list_public([], None, 10) == []
    assert store.list_public(["finished:neues-land"], None, 10) == []
    assert store.list_public(LISTS, None, 0) == []
    assert store.list_public([LISTS[0], LISTS[0]], None, 10) == [(5, "mt_a")]


def test_a_commit_moves_a_match_between_lists_and_keeps_its_time(store: RedisStore) -> None:
    made = events(1)
    listed = [(committed_at(store, creation(events=made, index=(None, "open:wunderland"))), MATCH)]
    assert store.list_public(["open:wunderland"], None, 10) == listed
    more = follow(made, index=("open:wunderland", "running:wunderland"), stamps=("started",))
    store.commit(more)
    made += more.events
    assert store.list_public(["open:wunderland"], None, 10) == []
    assert store.list_public(["running:wunderland"], None, 10) == listed
    more = follow(made)
    store.commit(more)
    assert store.list_public(["running:wunderland"], None, 10) == listed
    store.commit(follow(made + more.events, index=("running:wunderland", None)))
    assert store.list_public(["open:wunderland", "running:wunderland"], None, 10) == []


# --- bots and timers ------------------------------------------------------------------------------------------------


def test_matches_wait_for_bots_in_turn(store: RedisStore) -> None:
    made = events(1)
    since = {f"mt_{n}": committed_at(store, creation(f"mt_{n}", events=made, bot_to_act=True)) for n in range(20)}

    def in_turn() -> list[str]:
        return sorted(since, key=lambda match_id: (since[match_id], match_id))

    order = in_turn()
    assert store.waiting_for_bots(100) == order
    assert store.waiting_for_bots(3) == order[:3]
    assert store.waiting_for_bots(0) == []
    committed_at(store, follow(made, order[4], bot_to_act=False))
    del since[order[4]]
    committed_at(store, follow(made, order[5], bot_to_act=None))
    assert store.waiting_for_bots(100) == in_turn()
    # Who has moved and must move again waits behind those who have not.
    since[order[0]] = committed_at(store, follow(made, order[0], bot_to_act=True))
    assert store.waiting_for_bots(100) == in_turn()


def test_a_timer_runs_out_by_the_time_of_the_store(store: RedisStore) -> None:
    made = events(1)
    store.commit(creation("mt_late", events=made, expires_after_ms=0))
    store.commit(creation("mt_later", expires_after_ms=60_000))
    store.commit(creation("mt_never"))
    assert store.due(10) == ["mt_late"]
    assert store.due(0) == []
    more = follow(made, "mt_late", expires_after_ms=60_000)
    store.commit(more)
    assert store.due(10) == []
    made += more.events
    more = follow(made, "mt_late", expires_after_ms=0)
    store.commit(more)
    assert store.due(10) == ["mt_late"]
    store.commit(follow(made + more.events, "mt_late", expires_after_ms=None))
    assert store.due(10) == []


def test_due_matches_are_limited_over_all_buckets(store: RedisStore) -> None:
    ids = {f"mt_{n}" for n in range(30)}
    for match_id in ids:
        store.commit(creation(match_id, expires_after_ms=0))
    assert set(store.due(100)) == ids
    assert len(store.due(100)) == 30
    some = store.due(7)
    assert len(set(some)) == 7
    assert set(some) <= ids


# --- an account's matches -------------------------------------------------------------------------------------------


def test_the_matches_of_an_account(store: RedisStore) -> None:
    assert store.active_of_account("ac_1") == []
    assert store.list_of_account("ac_1", None, 10) == []
    for n in range(9):
        store.commit(creation(f"mt_{n}", accounts=("ac_1",)))
    store.commit(creation("mt_0", accounts=("ac_2",)))
    listed = store.list_of_account("ac_1", None, 100)
    assert listed == sorted(listed, reverse=True)
    assert {match_id for _, match_id in listed} == {f"mt_{n}" for n in range(9)}
    assert store.active_of_account("ac_1") == [match_id for _, match_id in reversed(listed)]
    store.retire_from_account("ac_1", ["mt_3", "mt_5", "mt_none"])
    store.retire_from_account("ac_1", [])
    assert store.list_of_account("ac_1", None, 100) == listed
    assert store.active_of_account("ac_1") == [name for _, name in reversed(listed) if name not in ("mt_3", "mt_5")]
    assert store.list_of_account("ac_2", None, 100)[0][1] == "mt_0"


def test_the_list_of_an_account_is_read_in_pages(store: RedisStore) -> None:
    for n in range(25):
        store.commit(creation(f"mt_{n}", accounts=("ac_1",)))
    whole = store.list_of_account("ac_1", None, 100)
    for limit in (1, 4, 25):
        pages: list[Pair] = []
        before = None
        while page := store.list_of_account("ac_1", before, limit):
            assert len(page) <= limit
            pages += page
            before = page[-1]
        assert pages == whole
    assert store.list_of_account("ac_1", None, 0) == []


def test_adding_again_keeps_the_time(store: RedisStore, store_url: str) -> None:
    store.commit(creation("mt_0", accounts=("ac_1",)))
    listed = store.list_of_account("ac_1", None, 10)
    store.commit(creation())
    while (match := store.load(MATCH)) is not None and match.now_ms <= listed[0][0]:
        pass
    store.commit(creation("mt_0", accounts=("ac_1",)))
    assert store.list_of_account("ac_1", None, 10) == listed
