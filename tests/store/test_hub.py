import os
import signal
import threading
from collections.abc import Iterator

import pytest
from redis import Redis, exceptions

from spieltisch_service.app.ports import Bell, Observer
from spieltisch_service.store.connection import connect, open_client
from spieltisch_service.store.hub import Hub
from spieltisch_service.store.layout import ALL_BUCKETS, match_place
from spieltisch_service.store.redis_store import RedisStore

from .matches import MATCH, creation, events, follow
from .servers import UnixServer

#: Long enough that only a lost ring can take so long.
SOON_S = 120.0


def as_bell(hub: Hub) -> Bell:
    """mypy holds the hub to what a bell is."""
    return hub


@pytest.fixture
def hub(store_url: str) -> Iterator[Hub]:
    opened = Hub(store_url)

    # The first connection rings every ear; the tests are about the rings after it.
    with opened.listen("mt_first") as ear:
        assert ear.wait(SOON_S)
    yield opened
    opened.close()


def test_a_commit_rings_for_its_match_and_its_accounts(store: RedisStore, hub: Hub) -> None:
    bell = as_bell(hub)
    with (
        bell.listen(MATCH) as match,
        hub.listen("ac_1") as first,
        hub.listen("ac_2") as second,
        hub.listen("ac_3") as other,
        hub.listen("mt_other") as other_match,
    ):
        store.commit(creation(wake=("ac_1", "ac_2")))
        assert match.wait(SOON_S)
        assert first.wait(SOON_S)
        assert second.wait(SOON_S)
        assert not other.wait(0)
        assert not other_match.wait(0)


def test_every_bucket_rings(store: RedisStore, hub: Hub) -> None:
    by_bucket: dict[bytes, str] = {}
    number = 0
    while len(by_bucket) < len(ALL_BUCKETS):
        number += 1
        by_bucket.setdefault(match_place(f"mt_{number}").bucket.channel, f"mt_{number}")
    for match_id in by_bucket.values():
        with hub.listen(match_id) as ear:
            store.commit(creation(match_id))
            assert ear.wait(SOON_S)


def test_a_ring_before_the_wait_counts_once(store: RedisStore, hub: Hub) -> None:
    made = events(1)
    with hub.listen(MATCH) as late, hub.listen(MATCH) as early:
        store.commit(creation(events=made))
        store.commit(follow(made))
        assert early.wait(SOON_S)
        # Both rings have certainly come when a third commit has rung elsewhere.
        with hub.listen("mt_two") as last:
            store.commit(creation("mt_two"))
            assert last.wait(SOON_S)
        assert late.wait(0)
        assert not late.wait(0)


def test_what_was_not_written_does_not_ring(store: RedisStore, hub: Hub) -> None:
    with hub.listen(MATCH) as ear, hub.listen("mt_two") as last:
        store.commit(creation())
        assert ear.wait(SOON_S)
        store.commit(creation())
        store.commit(creation("mt_two"))
        assert last.wait(SOON_S)
        assert not ear.wait(0)


def test_the_message_names_match_version_and_accounts(store: RedisStore, store_url: str) -> None:
    with open_client(store_url) as client, client.pubsub() as pubsub:
        pubsub.subscribe(match_place(MATCH).bucket.channel)
        assert pubsub.get_message(timeout=SOON_S)["type"] == "subscribe"
        store.commit(creation(events=events(3), wake=("ac_1", "ac_2")))
        assert pubsub.get_message(timeout=SOON_S)["data"] == b"mt_one 3 ac_1,ac_2"


def test_closing_wakes_all_ears_at_once(hub: Hub) -> None:
    answers: list[bool] = []
    ready = threading.Barrier(21)

    def listen() -> None:
        with hub.listen(MATCH) as ear:
            ready.wait()
            answers.append(ear.wait(600))

    threads = [threading.Thread(target=listen) for _ in range(20)]
    for thread in threads:
        thread.start()
    ready.wait()
    hub.close()
    for thread in threads:
        thread.join(SOON_S)
    assert answers == [False] * 20
    with hub.listen(MATCH) as ear:
        assert ear.closing
        assert not ear.wait(600)


def test_who_left_is_forgotten(hub: Hub) -> None:
    with hub.listen(MATCH), hub.listen(MATCH), hub.listen("ac_1"):
        assert hub.ears == 3
    assert hub.ears == 0


def _subscribers(client: Redis) -> set[str]:
    return {one["id"] for one in client.client_list() if int(one["sub"])}


def test_thousands_of_ears_share_one_connection_and_one_thread(own_server: UnixServer) -> None:
    store, hub = connect(own_server.url), Hub(own_server.url)
    threads = set(threading.enumerate())
    with Redis.from_url(own_server.url) as client:
        before = _subscribers(client)
        with hub.listen("mt_first") as first:
            assert first.wait(SOON_S)
        entered = [hub.listen(f"mt_{number}") for number in range(5000)]
        ears = [listening.__enter__() for listening in entered]
        assert len(set(threading.enumerate()) - threads) == 1
        assert len(_subscribers(client) - before) == 1
        store.commit(creation("mt_4999"))
        assert ears[4999].wait(SOON_S)
        assert not ears[4998].wait(0)
        for listening in entered:
            listening.__exit__(None, None, None)
        assert hub.ears == 0
    hub.close()
    store.close()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_a_reader_of_its_own(store: RedisStore, hub: Hub) -> None:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            with hub.listen("ac_1") as ear:
                os.write(write, b"1" if ear.wait(SOON_S) else b"0")
        finally:
            os._exit(0)
    os.close(write)
    assert os.read(read, 1) == b"1"
    os.close(read)
    os.waitpid(pid, 0)


def test_after_the_store_was_away_every_ear_rings(own_server: UnixServer) -> None:
    hub = Hub(own_server.url)
    with hub.listen(MATCH) as ear, hub.listen("ac_1") as other:
        # The second may have come after the ring of the first connection.
        assert ear.wait(SOON_S)
        other.wait(0.2)
        own_server.kill()
        assert not ear.wait(0.2)
        own_server.start()
        assert ear.wait(SOON_S)
        assert other.wait(SOON_S)
        store = connect(own_server.url)
        store.commit(creation())
        assert ear.wait(SOON_S)
        store.close()
    hub.close()


class Losses(Observer):
    """Counts how often the bell has lost the store."""

    def __init__(self) -> None:
        self.told = threading.Semaphore(0)

    def bell_lost(self) -> None:
        self.told.release()


class Quiet:
    """A connection on which nothing comes; each sign of life that is asked for is given `gives` times. Then it ends."""

    class Over(Exception):
        pass

    def __init__(self, gives: int, ticks: int) -> None:
        self.asked = 0
        self._gives, self._ticks, self._owed = gives, ticks, 0

    def send_command(self, *words: str) -> None:
        assert words == ("PING",)
        self.asked += 1
        self._owed = self._gives

    def read_response(self, **_: object) -> list[bytes]:
        self._ticks -= 1
        if self._ticks < 0:
            raise Quiet.Over
        if self._owed:
            self._owed -= 1
            return [b"pong", b""]
        raise exceptions.TimeoutError


def test_a_quiet_store_that_answers_is_fine_for_any_length_of_time() -> None:
    line = Quiet(1, 6 * 100)
    with pytest.raises(Quiet.Over):
        Hub("unix:///nowhere")._read(line)
    # Asked after five quiet ticks, and the sixth brings the answer.
    assert line.asked == 100


def test_a_store_that_gives_no_sign_of_life_is_given_up() -> None:
    line = Quiet(0, 100)
    with pytest.raises(exceptions.TimeoutError):
        Hub("unix:///nowhere")._read(line)
    assert line.asked == 1


def test_a_silent_store_is_noticed(own_server: UnixServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spieltisch_service.store.hub._TICK_S", 0.02)
    losses = Losses()
    hub = Hub(own_server.url, losses)
    with hub.listen(MATCH) as ear:
        assert ear.wait(SOON_S)
        assert own_server.process is not None
        own_server.process.send_signal(signal.SIGSTOP)
        try:
            assert losses.told.acquire(timeout=SOON_S)
        finally:
            own_server.process.send_signal(signal.SIGCONT)
        assert ear.wait(SOON_S)
    hub.close()


def test_a_store_that_comes_later(tmp_path: str, own_server: UnixServer) -> None:
    own_server.kill()
    hub = Hub(own_server.url)
    with hub.listen(MATCH) as ear:
        assert not ear.wait(0.3)
        own_server.start()
        assert ear.wait(SOON_S)
    hub.close()


def test_an_outage_is_told_once_and_so_is_its_end(own_server: UnixServer, caplog: pytest.LogCaptureFixture) -> None:
    own_server.kill()
    losses = Losses()
    hub = Hub(own_server.url, losses)
    with hub.listen(MATCH) as ear:
        for _ in range(4):
            assert losses.told.acquire(timeout=SOON_S)
        own_server.start()
        assert ear.wait(SOON_S)
    hub.close()
    told = [record.getMessage() for record in caplog.records if record.name.endswith(".hub")]
    assert len(told) == 2, told
    assert told[0].startswith("the bell lost the store and connects again: ")
    assert told[1] == "the bell has the store again"
