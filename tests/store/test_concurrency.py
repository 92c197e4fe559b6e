import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from spieltisch_service.app.ports import Commit, Committed, Conflict, IdempotencyRow, Replayed
from spieltisch_service.domain.events import chained
from spieltisch_service.store.connection import open_client
from spieltisch_service.store.redis_store import RedisStore

from .matches import MATCH, assert_chained, creation, events, follow, row

T = TypeVar("T")


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """Run `work(0 … count - 1)` in threads that all begin together."""
    ready = threading.Barrier(count)

    def run(number: int) -> T:
        ready.wait()
        return work(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))


def test_fifty_copies_of_one_request_are_one_event(store: RedisStore) -> None:
    made = events(1)
    store.commit(creation(events=made))

    def send(number: int) -> object:
        # Each copy has a row of its own, to tell whose was kept.
        kept = IdempotencyRow("ab" * 32, 200, (number,), 2, 2)
        return store.commit(follow(made, idempotency=("key", kept)))

    answers = at_once(50, send)
    assert Counter(map(type, answers)) == {Committed: 1, Replayed: 49}
    (author,) = [number for number, answer in enumerate(answers) if isinstance(answer, Committed)]
    kept = IdempotencyRow("ab" * 32, 200, (author,), 2, 2)
    assert [answer for answer in answers if isinstance(answer, Replayed)] == [Replayed(kept)] * 49
    match = store.load(MATCH, "key")
    assert match is not None
    assert (match.version, match.idempotency) == (2, kept)


def test_fifty_copies_of_one_creation_are_one_match(store: RedisStore) -> None:
    answers = at_once(50, lambda _: store.commit(creation(idempotency=("key", row()), index=(None, "open:x"))))
    assert Counter(map(type, answers)) == {Committed: 1, Replayed: 49}
    assert len(store.list_public(["open:x"], None, 10)) == 1


def test_without_a_key_one_of_fifty_wins(store: RedisStore) -> None:
    answers = at_once(50, lambda _: store.commit(creation()))
    assert Counter(map(type, answers)) == {Committed: 1, Conflict: 49}
    assert {answer.version for answer in answers if isinstance(answer, Conflict)} == {1}


@pytest.mark.parametrize("flush", [False, True], ids=["", "scripts flushed meanwhile"])
def test_each_version_has_one_author(store: RedisStore, store_url: str, flush: bool) -> None:
    """64 threads write to one match until each has been the author of two versions."""
    store.commit(creation(state=b"1"))

    def play(number: int) -> list[int]:
        mine: list[int] = []
        while len(mine) < 2:
            match = store.load(MATCH)
            assert match is not None
            assert match.state == str(match.version).encode()
            event = chained(match.version, match.hash, [("action", 0, {"author": number})])
            seq = match.version + 1
            key = f"{number}:{len(mine)}"
            kept = row(seq, seq)
            answer = store.commit(Commit(MATCH, match.version, event, state=str(seq).encode(), idempotency=(key, kept)))
            if isinstance(answer, Committed):
                mine.append(seq)
                assert store.commit(Commit(MATCH, 0, events(1), idempotency=(key, kept))) == Replayed(kept)
            else:
                assert isinstance(answer, Conflict)
                assert answer.version > match.version
        return mine

    stop = threading.Event()

    def forget_scripts() -> None:
        with open_client(store_url) as client:
            while not stop.wait(0.005):
                client.script_flush()

    forgetter = threading.Thread(target=forget_scripts)
    if flush:
        forgetter.start()
    try:
        authored = at_once(64, play)
    finally:
        stop.set()
        if flush:
            forgetter.join()
    log = store.events(MATCH, 0, 1000)
    assert_chained(log)
    assert len(log) == 1 + 2 * 64
    authors = {version: number for number, versions in enumerate(authored) for version in versions}
    assert authors == {event.seq: event.parsed()["data"]["author"] for event in log[1:]}


def test_a_reader_sees_whole_commits(store: RedisStore) -> None:
    """State, version, hash and the idempotency row are of one instant."""
    made = events(1)
    store.commit(creation(events=made, state=b"1", idempotency=("1", row(1, 1))))
    last = 200

    def read() -> list[int]:
        seen = [0]
        while seen[-1] < last:
            match = store.load(MATCH)
            assert match is not None
            assert match.state == str(match.version).encode()
            again = store.load(MATCH, str(match.version))
            assert again is not None
            assert again.idempotency == row(match.version, match.version)
            seen.append(match.version)
        return seen

    with ThreadPoolExecutor(2) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        for seq in range(2, last + 1):
            more = follow(made, state=str(seq).encode(), idempotency=(str(seq), row(seq, seq)))
            assert isinstance(store.commit(more), Committed)
            made += more.events
        for reader in readers:
            seen = reader.result()
            assert seen == sorted(seen)


def test_one_of_many_reservations_holds(store: RedisStore) -> None:
    answers = at_once(32, lambda number: store.reserve("key", f"print {number}", f"value {number}", 60))
    assert len(set(answers)) == 1
    (kept,) = set(answers)
    assert kept in [(f"print {number}", f"value {number}") for number in range(32)]


def test_one_of_many_accounts_is_kept(store: RedisStore) -> None:
    answers = at_once(32, lambda number: store.put_account("ac_1", str(number).encode()))
    found = store.account("ac_1")
    assert found is not None
    assert set(answers) == {found[:2]}
