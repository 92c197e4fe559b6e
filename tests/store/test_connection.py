"""URLs, the check at start, and what the service does in processes of its kind."""

import subprocess
import sys
from typing import Any

import pytest
from redis import Redis

from spieltisch_service.app.ports import Durability
from spieltisch_service.store.connection import connect, open_client
from spieltisch_service.store.health import UnsuitableStore

from .matches import creation
from .servers import UnixServer


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:6379",
        "127.0.0.1:6379",
        "",
        "redis+cluster://",
        "redis+cluster://127.0.0.1",
        "redis+cluster://127.0.0.1:x",
        "redis+cluster://127.0.0.1:7000,",
    ],
)
def test_a_url_that_names_no_store(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        connect(url)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "rediss://127.0.0.1:1", "unix:///no/such/socket"])
def test_a_single_server_is_not_asked_before_it_is_needed(url: str) -> None:
    connect(url).close()


def test_a_new_connection_says_nothing_but_the_command(own_server: UnixServer) -> None:
    """No HELLO, no CLIENT SETINFO or MAINT_NOTIFICATIONS: each would be one more timeout of a slow server."""
    with Redis(unix_socket_path=str(own_server.socket)) as admin:
        admin.ping()
        admin.config_resetstat()
        store = connect(own_server.url)
        store.version("mt_one")
        stats = admin.info("commandstats")
        store.close()
    assert set(stats) == {"cmdstat_llen", "cmdstat_config|resetstat"}
    assert stats["cmdstat_llen"]["calls"] == 1


# --- the check at start ---------------------------------------------------------------------------------------------


@pytest.fixture
def admin(own_server: UnixServer) -> Any:
    return Redis(unix_socket_path=str(own_server.socket))


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        ({"appendfsync": "always"}, "fsync"),
        ({"appendfsync": "everysec"}, "fast"),
        ({"appendfsync": "no"}, "none"),
        ({"appendonly": "no"}, "none"),
    ],
)
def test_the_level_is_what_the_server_does(own_server: UnixServer, admin: Any, settings: Any, level: str) -> None:
    admin.config_set(*next(iter(settings.items())))
    version = admin.info("server")["valkey_version"]
    # What the operator promises does not count where the server can be asked.
    store = connect(own_server.url, durability="fsync")
    assert store.durability() == Durability(level, f"valkey {version}")
    if level == "none":
        with pytest.raises(UnsuitableStore, match="appendonly yes"):
            store.check()
    assert store.check(allow_volatile=True).level == level
    store.close()
    admin.close()


@pytest.mark.parametrize(("declared", "level"), [(None, "fast"), ("fsync", "fsync")])
def test_a_server_that_hides_its_settings(own_server: UnixServer, admin: Any, declared: Any, level: str) -> None:
    admin.execute_command("ACL", "SETUSER", "game", "on", ">pw", "~*", "&*", "+@all", "-config")
    store = connect(own_server.url.replace("unix://", "unix://game:pw@"), durability=declared)
    assert store.durability().level == level
    assert store.check().level == level
    # INFO cannot be hidden that way, and is not overruled.
    admin.config_set("appendonly", "no")
    assert store.durability().level == "none"
    store.close()
    admin.close()


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_a_store_that_throws_things_away_is_refused(own_server: UnixServer, admin: Any, policy: str) -> None:
    store = connect(own_server.url)
    assert store.check().eviction == ()
    admin.config_set("maxmemory-policy", policy)
    with pytest.raises(UnsuitableStore, match=f"{policy}.*noeviction"):
        store.check()
    assert store.check(allow_volatile=True).eviction == (policy,)
    store.close()
    admin.close()


def test_the_weakest_node_of_a_cluster_counts(cluster: Any, clean_cluster: str) -> None:
    store = connect(clean_cluster)
    assert store.check().level == "fast"
    cluster.clients[2].config_set("maxmemory-policy", "allkeys-lru")
    cluster.clients[1].config_set("appendfsync", "no")
    try:
        health = store.check(allow_volatile=True)
        assert (health.level, health.eviction) == ("none", ("allkeys-lru",))
        with pytest.raises(UnsuitableStore):
            store.check()
    finally:
        cluster.clients[2].config_set("maxmemory-policy", "noeviction")
        cluster.clients[1].config_set("appendfsync", "everysec")
    store.close()


# --- processes ------------------------------------------------------------------------------------------------------

GREENLETS = """
from gevent import monkey; monkey.patch_all()
import sys, gevent
from spieltisch_service.app.ports import Commit, Committed
from spieltisch_service.domain.events import chained
from spieltisch_service.store import connection, nodes
from spieltisch_service.store.connection import connect
from spieltisch_service.store.hub import Hub

# A busy machine is no finding here: nobody gives up, however long the queue for a connection is.
connection.POOL_WAIT_S = connection.ANSWER_S = nodes.ANSWER_S = 50.0
nodes.CALL_S = 60.0
store, hub = connect(sys.argv[1]), Hub(sys.argv[1])

def player(number):
    with hub.listen(f"ac_{number}") as ear:
        mine = 0
        while mine < 2:
            match = store.load("mt_one")
            event = chained(match.version, match.hash, [("action", 0, {"by": number})])
            next_one = f"ac_{(number + 1) % 100}"
            answer = store.commit(Commit("mt_one", match.version, event, wake=(next_one,)))
            mine += isinstance(answer, Committed)
        # The neighbour's commits ring, and waiting blocks nobody else.
        assert ear.wait(60)

# More greenlets than the pool has connections.
players = [gevent.spawn(player, number) for number in range(100)]
gevent.joinall(players, raise_error=True)
assert store.version("mt_one") == 201
with hub.listen("ac_x") as ear:
    waiting = gevent.spawn(ear.wait, 600)
    gevent.sleep(0)
    hub.close()
    assert waiting.get() is False
store.close()
print("done")
"""


def test_a_hundred_greenlets_share_one_pool(store_url: str) -> None:
    store = connect(store_url)
    store.commit(creation())
    store.close()
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", GREENLETS, store_url],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_a_client_of_ones_own(clean_valkey: str) -> None:
    client = open_client(clean_valkey)
    with client:
        assert client.ping()
