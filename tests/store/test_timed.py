"""Commits to matches with a clock, and how the store tells whether the service is up, over every kind of store."""

import signal
import time
from contextlib import closing
from typing import Any

import pytest
from redis.crc import key_slot

from spieltisch_service.app.ports import Committed, Lapsed, StoreUnavailable, Timed
from spieltisch_service.domain.clock import Due
from spieltisch_service.store import redis_store
from spieltisch_service.store.connection import connect, open_client
from spieltisch_service.store.layout import BEAT, OUTAGES, match_place
from spieltisch_service.store.redis_store import RedisStore
from tests.patience import as_the_product
from tests.store.servers import Cluster

from .matches import MATCH, creation, events, follow, row

DAY_MS = 86_400_000


def now_ms(store: RedisStore) -> int:
    return store.pulse(beat=False).now_ms


def timer_of(store_url: str) -> int | None:
    place = match_place(MATCH)
    with open_client(store_url) as client:
        score: Any = client.zscore(place.bucket.timers, place.id)
    return None if score is None else int(score)


def test_before_the_deadline_a_commit_is_written(store: RedisStore) -> None:
    made = events()
    store.commit(creation(events=made))
    timed = Timed(now_ms(store) + DAY_MS, row=b"row")
    assert isinstance(store.commit(follow(made, timed=timed)), Committed)
    match = store.load(MATCH)
    assert match is not None
    assert (match.version, match.clock) == (2, b"row")


def test_past_the_deadline_nothing_is_written(store: RedisStore, store_url: str) -> None:
    made = events()
    store.commit(creation(events=made, expires_after_ms=DAY_MS, timed=Timed(None, row=b"first")))
    timer = timer_of(store_url)
    late = Timed(now_ms(store), row=b"second", due=Due(True, 5))
    rest: dict[str, Any] = {"document": b"x", "state": b"x", "idempotency": ("key", row()), "bot_to_act": True}
    assert store.commit(follow(made, timed=late, **rest)) == Lapsed()
    match = store.load(MATCH, "key")
    assert match is not None
    assert (match.version, match.clock, match.state, match.idempotency) == (1, b"first", None, None)
    assert (timer_of(store_url), store.waiting_for_bots(10)) == (timer, [])


def test_what_was_received_before_the_deadline_is_written_after_it(store: RedisStore) -> None:
    made = events()
    store.commit(creation(events=made))
    deadline_ms = now_ms(store) - 1_000
    assert store.commit(follow(made, timed=Timed(deadline_ms, received_ago_ms=500))) == Lapsed()
    assert isinstance(store.commit(follow(made, timed=Timed(deadline_ms, received_ago_ms=60_000))), Committed)


def test_an_answer_of_before_comes_before_the_deadline(store: RedisStore) -> None:
    made = events()
    store.commit(creation(events=made, idempotency=("key", row())))
    again = follow(made, timed=Timed(0), idempotency=("key", row()))
    assert store.commit(again) == store.commit(creation(idempotency=("key", row())))


def test_what_the_clock_says_happened_when_it_was_over(store: RedisStore) -> None:
    made = events()
    began = store.commit(creation(events=made))
    assert isinstance(began, Committed)
    while now_ms(store) < began.at_ms + 20:
        time.sleep(0.005)
    assert store.commit(follow(made, timed=Timed(None, at_ms=began.at_ms + 7))) == Committed(began.at_ms + 7)
    assert [event.at_ms for event in store.events(MATCH, 0, 9)] == [began.at_ms, began.at_ms + 7]


def test_what_was_received_in_time_may_have_happened_by_the_deadline_at_the_latest(store: RedisStore) -> None:
    made = events()
    began = store.commit(creation(events=made))
    assert isinstance(began, Committed)
    while now_ms(store) < began.at_ms + 20:
        time.sleep(0.005)
    deadline_ms = began.at_ms + 7
    in_time = Timed(deadline_ms, received_ago_ms=60_000, at_ms=deadline_ms)
    assert store.commit(follow(made, timed=in_time)) == Committed(deadline_ms)
    later = Timed(now_ms(store) + DAY_MS, at_ms=now_ms(store) + DAY_MS)
    done = store.commit(follow(store.events(MATCH, 0, 9), timed=later))
    assert isinstance(done, Committed)
    assert deadline_ms < done.at_ms <= now_ms(store)


def test_but_never_before_the_last_event(store: RedisStore) -> None:
    made = events()
    began = store.commit(creation(events=made))
    assert isinstance(began, Committed)
    assert store.commit(follow(made, timed=Timed(None, at_ms=began.at_ms - 7))) == began


@pytest.mark.parametrize(
    "due",
    [
        Due(True, 7_000),
        Due(True, 0),
        Due(True, 7_000, since_ms=0, spare_ms=2_000),
        Due(True, 7_000, since_ms=9_000_000_000_000, spare_ms=2_000),
        Due(False, 2_000_000_000_000),
        Due(False, 2_000_000_000_000, since_ms=1_700_000_000_000, spare_ms=90_000_000_000),
        Due(True, 2 * DAY_MS),
        None,
    ],
)
def test_the_timer_runs_out_when_the_lapse_is_due(store: RedisStore, store_url: str, due: Due | None) -> None:
    made = events()
    store.commit(creation(events=made))
    done = store.commit(follow(made, expires_after_ms=DAY_MS, timed=Timed(None, due=due)))
    assert isinstance(done, Committed)
    idle_ms = done.at_ms + DAY_MS
    assert timer_of(store_url) == (idle_ms if due is None else min(idle_ms, due.at(done.at_ms)))


def test_a_match_that_has_ended_has_no_timer(store: RedisStore, store_url: str) -> None:
    made = events()
    store.commit(creation(events=made, expires_after_ms=DAY_MS, timed=Timed(None, due=Due(True, 1))))
    store.commit(follow(made, timed=Timed(None, row=b"over")))
    assert timer_of(store_url) is None


def test_a_commit_without_events_leaves_the_row(store: RedisStore) -> None:
    made = events()
    store.commit(creation(events=made, timed=Timed(None, row=b"row")))
    store.commit(follow(made, events=(), document=b"x", timed=Timed(None, due=Due(False, 5))))
    match = store.load(MATCH)
    assert match is not None
    assert match.clock == b"row"


# --- the pulse ------------------------------------------------------------------------------------------------------


#: Far more than a service may be silent in these tests before it was down, and less.
HOUR_MS, SHORT_MS = 3_600_000, 300_000


def test_the_service_was_down_after_five_seconds_without_a_beat() -> None:
    with as_the_product():
        assert redis_store._OUTAGE_MS == 5_000
    assert SHORT_MS < redis_store._OUTAGE_MS < HOUR_MS


def beaten(store_url: str, ago_ms: int, now: int) -> None:
    """As if the last beat had been so long ago."""
    with open_client(store_url) as client:
        client.set(BEAT, now - ago_ms)


def test_before_the_first_beat_the_service_was_down(store: RedisStore) -> None:
    looked = store.pulse(beat=False)
    assert (looked.down, looked.outages) == (True, ((0, looked.now_ms),))
    first = store.pulse(beat=True)
    assert (first.down, first.outages) == (False, ((0, first.now_ms),))
    assert store.pulse(beat=True).outages == first.outages
    assert not store.pulse(beat=False).down


def test_a_gap_between_beats_is_an_outage(store: RedisStore, store_url: str) -> None:
    first = store.pulse(beat=True)
    beaten(store_url, HOUR_MS, first.now_ms)
    looked = store.pulse(beat=False)
    # Whoever looks only does not end it, and does not note it.
    assert looked.down
    assert looked.outages == (*first.outages, (first.now_ms - HOUR_MS, looked.now_ms))
    back = store.pulse(beat=True)
    assert back.outages == (*first.outages, (first.now_ms - HOUR_MS, back.now_ms))
    assert not store.pulse(beat=False).down


def test_a_short_gap_is_none(store: RedisStore, store_url: str) -> None:
    first = store.pulse(beat=True)
    beaten(store_url, SHORT_MS, first.now_ms)
    assert store.pulse(beat=True).outages == first.outages


def test_a_clock_that_was_set_back_makes_no_outage_and_beats_on(store: RedisStore, store_url: str) -> None:
    first = store.pulse(beat=True)
    beaten(store_url, -24 * HOUR_MS, first.now_ms)
    assert store.pulse(beat=True).outages == first.outages
    with open_client(store_url) as client:
        kept: Any = client.get(BEAT)
    assert int(kept) < first.now_ms + HOUR_MS


def test_so_many_outages_are_kept(store: RedisStore, store_url: str) -> None:
    store.pulse(beat=True)
    with open_client(store_url) as client:
        client.rpush(OUTAGES, *(f"{n} {n + 1}" for n in range(2_000)))
    beaten(store_url, HOUR_MS, now_ms(store))
    assert len(store.pulse(beat=True).outages) == 500


def test_where_one_primary_is_away_there_is_no_beat(cluster: Cluster, clean_cluster: str) -> None:
    """Its matches stand still, and nobody must be charged for that."""
    holder = next(i for i, client in enumerate(cluster.clients) if _holds(client, key_slot(BEAT)))
    other = cluster.servers[(holder + 1) % 3].process
    assert other is not None
    with closing(connect(clean_cluster)) as store:
        store.pulse(beat=True)
    with as_the_product(), closing(connect(clean_cluster)) as hasty:
        other.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(StoreUnavailable):
                hasty.pulse(beat=True)
        finally:
            other.send_signal(signal.SIGCONT)
            cluster.until_up()


def _holds(client: Any, slot: int) -> bool:
    (ranges,) = [
        node["slots"] for node in client.execute_command("CLUSTER NODES").values() if "myself" in node["flags"]
    ]
    return any(int(low) <= slot <= int(high) for low, high in ranges)
