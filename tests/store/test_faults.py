"""A store that is away, slow, full or read-only: `StoreUnavailable` in bounded time, and nothing half done."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis, exceptions

from spieltisch_service.app.ports import Commit, Committed, Replayed, StoreUnavailable
from spieltisch_service.store import connection, faults, nodes
from spieltisch_service.store.connection import connect, open_client
from spieltisch_service.store.hub import Hub
from spieltisch_service.store.layout import ALL_BUCKETS, match_place
from spieltisch_service.store.redis_store import RedisStore
from tests.patience import as_the_product
from tests.serving import until

from .matches import MATCH, assert_chained, creation, events, follow, row
from .servers import Cluster, UnixServer

#: Every call that a use case can make.
CALLS: dict[str, Callable[[RedisStore], object]] = {
    "load": lambda store: store.load(MATCH, "key"),
    "load_many": lambda store: store.load_many([MATCH, "mt_two"]),
    "version": lambda store: store.version(MATCH),
    "head": lambda store: store.head(MATCH),
    "standing": lambda store: store.standing(MATCH),
    "commit": lambda store: store.commit(creation("mt_new", accounts=("ac_1",))),
    "events": lambda store: store.events(MATCH, 0, 10),
    "events_of_many": lambda store: store.events_of_many({MATCH: 0, "mt_two": 1}, 10),
    "set_rematch": lambda store: store.set_rematch(MATCH, "mt_next"),
    "list_public": lambda store: store.list_public(["open:x", "open:y"], (9, "mt_a"), 10),
    "list_of_account": lambda store: store.list_of_account("ac_1", None, 10),
    "active_of_account": lambda store: store.active_of_account("ac_1"),
    "retire_from_account": lambda store: store.retire_from_account("ac_1", [MATCH]),
    "waiting_for_bots": lambda store: store.waiting_for_bots(10),
    "due": lambda store: store.due(10),
    "pulse": lambda store: store.pulse(beat=True),
    "reserve": lambda store: store.reserve("key", "print", "value", 60),
    "put_account": lambda store: store.put_account("ac_1", b"{}"),
    "account": lambda store: store.account("ac_1"),
    "account_and_match": lambda store: store.account_and_match("ac_1", MATCH),
    "replace_account": lambda store: store.replace_account("ac_1", b"", b"{}"),
    "delete_account": lambda store: store.delete_account("ac_1"),
    "durability": lambda store: store.durability(),
}
WRITES = (
    "commit",
    "set_rematch",
    "reserve",
    "put_account",
)


@pytest.fixture
def own_store(own_server: UnixServer) -> Iterator[RedisStore]:
    store = connect(own_server.url)
    yield store
    store.close()


@pytest.fixture
def admin(own_server: UnixServer) -> Iterator[Any]:
    with Redis(unix_socket_path=str(own_server.socket)) as client:
        yield client


def assert_unavailable(store: RedisStore, *names: str) -> None:
    """All these calls, side by side, end with `StoreUnavailable`."""

    def call(name: str) -> str:
        try:
            CALLS[name](store)
        except StoreUnavailable:
            return name
        return f"{name} was answered"

    with ThreadPoolExecutor(len(names)) as threads:
        assert sorted(threads.map(call, names)) == sorted(names)


def assert_fine(store: RedisStore, made: Any) -> None:
    """The match of `made` is as it was, and more can follow."""
    match = store.load(MATCH)
    assert match is not None
    assert (match.version, match.hash) == (len(made), made[-1].hash)
    assert isinstance(store.commit(follow(made)), Committed)
    assert_chained(store.events(MATCH, 0, 100))


# --- away and slow --------------------------------------------------------------------------------------------------


def test_a_store_that_is_away(own_server: UnixServer, own_store: RedisStore) -> None:
    made = events(2)
    own_store.commit(creation(events=made))
    own_server.kill()
    assert_unavailable(own_store, *CALLS)
    own_server.start()
    assert_fine(own_store, made)


def told(store: RedisStore, match_id: str) -> list[int | None]:
    """The version, in a list, once the store is not away."""

    def answer() -> list[int | None]:
        try:
            return [store.version(match_id)]
        except StoreUnavailable:
            return []

    found: list[int | None] = until(answer, "the store")
    return found


def test_a_store_that_is_paused(own_server: UnixServer, own_store: RedisStore) -> None:
    """It goes on only after every call has failed, so each was bounded. No late answer reaches another call."""
    made = events(2)
    own_store.commit(creation(events=made))
    assert own_server.process is not None
    with as_the_product(), closing(connect(own_server.url)) as hasty:
        own_server.process.send_signal(signal.SIGSTOP)
        try:
            assert_unavailable(hasty, *CALLS)
        finally:
            own_server.process.send_signal(signal.SIGCONT)
        for n in range(30):
            assert told(hasty, f"mt_none{n}") == [None]
            assert told(hasty, MATCH) == [2]
    assert_fine(own_store, made)


def test_waiting_for_a_connection_is_bounded(own_server: UnixServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "POOL_SIZE", 2)
    monkeypatch.setattr(connection, "POOL_WAIT_S", 0.05)
    client = open_client(own_server.url)
    assert isinstance(client, Redis)
    pool: Any = client.connection_pool
    with closing(RedisStore(client)) as store:
        held = [pool.get_connection() for _ in range(2)]
        with ThreadPoolExecutor(8) as threads:
            failures = [one.exception() for one in [threads.submit(store.version, MATCH) for _ in range(8)]]
        assert {type(failure) for failure in failures} == {StoreUnavailable}
        assert all("busy" in str(failure) for failure in failures)
        for each in held:
            pool.release(each)
        assert store.version(MATCH) is None


def test_a_read_survives_a_dead_connection_and_a_write_tells(own_server: UnixServer, own_store: RedisStore) -> None:
    """A restart between two calls that the pool has not noticed."""
    made = events(1)
    own_store.commit(creation(events=made))
    own_server.kill()
    own_server.start()
    assert own_store.version(MATCH) == 1
    assert_fine(own_store, made)


# --- a lost answer --------------------------------------------------------------------------------------------------


@contextmanager
def deaf_proxy(directory: Path, server: UnixServer, lose: threading.Event) -> Iterator[str]:
    """A proxy that passes on everything, but with `lose` set takes an answer and hangs up."""
    place = directory / "proxy.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place))
    listener.listen()

    def serve(client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as upstream:
            upstream.connect(str(server.socket))
            while data := client.recv(65536):
                upstream.sendall(data)
                answer = upstream.recv(65536)
                if lose.is_set() or not answer:
                    return
                client.sendall(answer)

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"unix://{place}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def test_a_write_whose_answer_is_lost_is_sent_once(own_server: UnixServer, admin: Any, tmp_path: Path) -> None:
    lose = threading.Event()
    made = events(1)
    with deaf_proxy(tmp_path, own_server, lose) as url:
        store = connect(url)
        store.commit(creation(events=made))
        more = follow(made, idempotency=("key", row(2, 2)))
        admin.config_resetstat()
        lose.set()
        with pytest.raises(StoreUnavailable):
            store.commit(more)
        lose.clear()
        assert admin.info("commandstats")["cmdstat_evalsha"]["calls"] == 1
        assert store.version(MATCH) == 2
        assert store.commit(more) == Replayed(row(2, 2))
        store.close()


def test_a_read_whose_answer_is_lost_is_sent_again_once(own_server: UnixServer, admin: Any, tmp_path: Path) -> None:
    lose = threading.Event()
    with deaf_proxy(tmp_path, own_server, lose) as url:
        store = connect(url)
        assert store.version(MATCH) is None
        admin.config_resetstat()
        lose.set()
        with pytest.raises(StoreUnavailable):
            store.version(MATCH)
        assert admin.info("commandstats")["cmdstat_llen"]["calls"] == 2
        store.close()


# --- refused writes -------------------------------------------------------------------------------------------------


def assert_refused(store: RedisStore, admin: Any) -> None:
    """Writes fail and leave nothing, reads go on."""
    before = admin.dbsize()
    assert_unavailable(store, *WRITES)
    full = follow(
        events(2),
        document=b"x",
        secret=b"x",
        state=b"x",
        stamps=("started",),
        idempotency=("key", row()),
        index=("open:x", "running:x"),
        bot_to_act=True,
        expires_after_ms=0,
        wake=("ac_1",),
    )
    with pytest.raises(StoreUnavailable):
        store.commit(full)
    assert admin.dbsize() == before
    match = store.load(MATCH, "key")
    assert match is not None
    assert (match.version, match.document, match.state, match.started_at_ms) == (2, b'{"id":1}', None, None)
    assert match.idempotency is None
    assert [name for _, name in store.list_public(["open:x"], None, 10)] == [MATCH]
    assert store.list_public(["running:x"], None, 10) == []
    assert store.waiting_for_bots(10) == []
    assert store.due(10) == []


def test_a_full_store(own_store: RedisStore, admin: Any) -> None:
    made = events(2)
    own_store.commit(creation(events=made, index=(None, "open:x")))
    admin.config_set("maxmemory", 1)
    assert_refused(own_store, admin)
    admin.config_set("maxmemory", 0)
    assert_fine(own_store, made)


def test_a_read_only_replica(own_store: RedisStore, admin: Any) -> None:
    made = events(2)
    own_store.commit(creation(events=made, index=(None, "open:x")))
    admin.replicaof("127.0.0.1", 1)
    assert_refused(own_store, admin)
    with pytest.raises(StoreUnavailable, match="replica"):
        own_store.durability()
    admin.replicaof("NO", "ONE")
    assert_fine(own_store, made)


def test_a_store_without_enough_replicas(own_store: RedisStore, admin: Any) -> None:
    made = events(2)
    own_store.commit(creation(events=made, index=(None, "open:x")))
    admin.config_set("min-replicas-to-write", 1)
    assert_refused(own_store, admin)
    admin.config_set("min-replicas-to-write", 0)
    assert_fine(own_store, made)


def test_a_busy_store(own_server: UnixServer, own_store: RedisStore, admin: Any) -> None:
    made = events(2)
    own_store.commit(creation(events=made))
    admin.config_set("busy-reply-threshold", 10)

    def spin() -> None:
        with (
            Redis(unix_socket_path=str(own_server.socket), socket_timeout=None) as other,
            pytest.raises(exceptions.ResponseError, match="SCRIPT KILL"),
        ):
            other.eval("while true do end", 0)

    spinning = threading.Thread(target=spin)
    spinning.start()

    def ask_until_it_spins() -> None:
        while True:
            own_store.version(MATCH)

    with pytest.raises(StoreUnavailable, match="BUSY"):
        ask_until_it_spins()
    admin.script_kill()
    spinning.join()
    assert_fine(own_store, made)


def test_checks_come_before_writes(own_store: RedisStore, admin: Any) -> None:
    """A match without a creation time cannot enter a list; the whole commit fails."""
    bad = creation(stamps=(), index=(None, "open:x"), idempotency=("key", row()))
    with pytest.raises(exceptions.ResponseError, match="creation time"):
        own_store.commit(bad)
    assert admin.dbsize() == 0


# --- what is not the store's fault ----------------------------------------------------------------------------------


def test_spoilt_data_is_not_called_unavailable(own_store: RedisStore, admin: Any) -> None:
    admin.set(match_place(MATCH).log, "spoilt")
    with pytest.raises(exceptions.ResponseError, match="WRONGTYPE"):
        own_store.version(MATCH)
    with pytest.raises(exceptions.ResponseError, match="WRONGTYPE"):
        own_store.commit(creation())


def test_a_wrong_password_is_not_called_unavailable(own_server: UnixServer, admin: Any) -> None:
    admin.config_set("requirepass", "secret")
    store = connect(own_server.url)
    with pytest.raises(exceptions.AuthenticationError):
        store.version(MATCH)
    store.close()
    store = connect(own_server.url.replace("unix://", "unix://:secret@"))
    assert store.version(MATCH) is None
    store.close()


@pytest.mark.parametrize(
    ("answer", "unavailable"),
    [
        ("LOADING Redis is loading the dataset in memory", True),
        ("BUSY Redis is busy running a script.", True),
        ("READONLY You can't write against a read only replica.", True),
        ("READONLY You can't write against a read only replica. script: 1f, on @user_script:1.", True),
        ("ERR Error running script: @user_script: 9: -READONLY You can't write against a read only replica.", True),
        ("OOM command not allowed when used memory > 'maxmemory'.", True),
        ("MISCONF Errors writing to the AOF file: No space left on device", True),
        ("NOREPLICAS Not enough good replicas to write.", True),
        ("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", True),
        ("CLUSTERDOWN Hash slot not served", True),
        ("CLUSTERDOWN The cluster is down", True),
        ("TRYAGAIN Multiple keys request during rehashing of slot", True),
        ("MOVED 3999 127.0.0.1:6381", True),
        ("ASK 3999 127.0.0.1:6381", True),
        ("ERR max number of clients reached", True),
        ("WRONGTYPE Operation against a key holding the wrong kind of value", False),
        ("ERR unknown command 'EVALSHA'", False),
        ("ERR value is not an integer or out of range", False),
        ("NOPERM this user has no permissions to run the 'evalsha' command", False),
        ("WRONGPASS invalid username-password pair or user is disabled.", False),
        ("NOAUTH Authentication required.", False),
        ("CROSSSLOT Keys in request don't hash to the same slot", False),
    ],
)
def test_what_the_answers_of_a_server_mean(answer: str, unavailable: bool) -> None:
    """Each answer through redis-py's own parser."""
    from redis._parsers.base import BaseParser

    error = BaseParser.parse_error(answer)  # type: ignore[no-untyped-call]
    with pytest.raises(StoreUnavailable if unavailable else type(error)):
        faults.translate(error)


@pytest.mark.parametrize(
    ("error", "unavailable"),
    [
        (exceptions.ConnectionError("gone"), True),
        (exceptions.TimeoutError("slow"), True),
        (exceptions.MaxConnectionsError("busy"), True),
        (exceptions.RedisClusterException("no node"), True),
        (exceptions.SlotNotCoveredError("slot"), True),
        (exceptions.ClusterError("ttl"), True),
        (exceptions.DataError("ours"), False),
        (exceptions.InvalidResponse("garbage"), False),
        (ValueError("ours"), False),
    ],
)
def test_what_the_errors_of_the_library_mean(error: Exception, unavailable: bool) -> None:
    with pytest.raises(StoreUnavailable if unavailable else type(error)):
        faults.translate(error)


# --- a cluster ------------------------------------------------------------------------------------------------------


def match_in(node: int, cluster: Cluster) -> str:
    """A match whose slot belongs to the node."""
    bounds = [16384 * index // 3 for index in range(4)]
    return next(
        match_id
        for match_id in (f"mt_{n}" for n in range(10_000))
        if bounds[node] <= match_place(match_id).bucket.slot < bounds[node + 1]
    )


def test_a_node_that_is_paused(cluster: Cluster, clean_cluster: str) -> None:
    """Long enough for the others to call the cluster down; then it comes back by itself."""
    store = connect(clean_cluster)
    made = events(1)
    ids = [match_in(node, cluster) for node in range(3)]
    for match_id in ids:
        store.commit(creation(match_id, events=made))
    process = cluster.servers[1].process
    assert process is not None
    with as_the_product(), closing(connect(clean_cluster)) as hasty, cluster.quick_to_fail(1, 1_500):
        process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(StoreUnavailable):
                hasty.commit(follow(made, ids[1]))
            with pytest.raises(StoreUnavailable):
                hasty.due(10)
            with pytest.raises(StoreUnavailable):
                hasty.load_many(ids)
            others = cluster.clients[::2]
            until(lambda: {_state(client) for client in others} == {"fail"}, "the others to call the cluster down")
        finally:
            process.send_signal(signal.SIGCONT)
        cluster.until_up()
    # The commit that nobody answered may have happened when the node went on: nobody knows, but the log is whole.
    for match_id in ids:
        version = store.version(match_id)
        assert version == 1 or (version == 2 and match_id == ids[1])
        assert_chained(store.events(match_id, 0, 10))
    assert isinstance(store.commit(follow(made, ids[0])), Committed)
    store.close()


def _state(client: Any) -> str:
    return str(client.execute_command("CLUSTER INFO")["cluster_state"])


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster whose first primary has a replica, for one test alone."""
    cluster = Cluster(tmp_path, replicas=1)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def test_a_primary_that_dies_is_replaced(replicated: Cluster) -> None:
    """Unavailable until its replica has taken over, then fine without a word to the store; the bell too."""
    store, hub = connect(replicated.url), Hub(replicated.url)
    made = events(1)
    match_id = match_in(0, replicated)
    store.commit(creation(match_id, events=made))
    assert replicated.clients[0].wait(1, 50_000) == 1
    with hub.listen(match_id) as ear:
        assert ear.wait(60)
        with replicated.quick_to_fail(0, 4_000):
            replicated.servers[0].kill()
            answer = None
            refusals = 0
            while answer is None:
                try:
                    answer = store.commit(follow(made, match_id))
                except StoreUnavailable:
                    refusals += 1
                    # Takes the rings of a bell that connects to one node after the other, too.
                    ear.wait(0.05)
        assert refusals > 0
        assert isinstance(answer, Committed)
        assert ear.wait(60)
    assert_chained(store.events(match_id, 0, 10))
    hub.close()
    store.close()


def test_a_slot_that_moves(cluster: Cluster, clean_cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half moved: nothing is half done. Moved: the new node is found. And back again."""
    monkeypatch.setattr(nodes, "_TRY_AGAIN_S", 60.0)
    store = connect(clean_cluster)
    made = events(1)
    match_id = match_in(0, cluster)
    slot = match_place(match_id).bucket.slot
    store.commit(creation(match_id, events=made, expires_after_ms=0))
    names = [client.execute_command("CLUSTER MYID").decode() for client in cluster.clients]

    def refused(commit: Commit) -> None:
        """It is tried again for as long as a slot may be on its way."""
        with monkeypatch.context() as hasty:
            hasty.setattr(nodes, "_TRY_AGAIN_S", 0.1)
            with pytest.raises(StoreUnavailable):
                store.commit(commit)

    def move(source: int, target: int) -> None:
        nonlocal made
        here, there = cluster.clients[source], cluster.clients[target]
        there.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", names[source])
        here.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", names[target])
        more = follow(made, match_id, expires_after_ms=0)
        # Whole on the old node: a commit whose keys all exist goes on, one with new keys must wait.
        refused(follow(made, match_id, idempotency=("key", row()), bot_to_act=True))
        keys = here.execute_command("CLUSTER GETKEYSINSLOT", slot, 100)
        here.execute_command("MIGRATE", "127.0.0.1", cluster.ports[target], keys[0], 0, 50_000)
        refused(more)
        for key in keys[1:]:
            here.execute_command("MIGRATE", "127.0.0.1", cluster.ports[target], key, 0, 50_000)
        # All keys are there, the slot is not yet: reads are asked there, however late it has become here.
        with monkeypatch.context() as late:
            late.setattr(nodes, "_TRY_AGAIN_S", 0.0)
            assert store.version(match_id) == len(made)
        for client in (there, here, *cluster.clients):
            client.execute_command("CLUSTER SETSLOT", slot, "NODE", names[target])
        assert isinstance(store.commit(more), Committed)
        made += more.events
        assert store.version(match_id) == len(made)
        assert store.due(10) == [match_id]

    move(0, 1)
    move(1, 0)
    assert_chained(store.events(match_id, 0, 10))
    store.close()


def test_a_cluster_is_found_by_any_of_its_nodes(cluster: Cluster, clean_cluster: str) -> None:
    store = connect(f"redis+cluster://127.0.0.1:1,127.0.0.1:{cluster.ports[2]}")
    ids = [match_in(node, cluster) for node in range(3)]
    for match_id in ids:
        assert isinstance(store.commit(creation(match_id)), Committed)
    assert [match.version if match else None for match in store.load_many(ids)] == [1, 1, 1]
    store.close()


def test_a_cluster_that_is_away() -> None:
    with pytest.raises(StoreUnavailable):
        connect("redis+cluster://127.0.0.1:1,127.0.0.1:2")


def test_the_buckets_spread_over_the_cluster(cluster: Cluster) -> None:
    bounds = [16384 * index // 3 for index in range(4)]
    for node in range(3):
        assert sum(bounds[node] <= bucket.slot < bounds[node + 1] for bucket in ALL_BUCKETS) > 10
