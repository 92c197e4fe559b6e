"""From a URL to a store: `unix://`, `redis://`, `rediss://`, or `redis+cluster://` with one or more `host:port`."""

from __future__ import annotations

import time
from queue import Empty
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from redis import Redis, RedisCluster
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.connection import BlockingConnectionPool
from redis.exceptions import MaxConnectionsError, RedisClusterException, RedisError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from spieltisch_service.app.ports import UNOBSERVED, Observer
from spieltisch_service.store.faults import translate
from spieltisch_service.store.nodes import ANSWER_S, CONNECT_S, POOL_WAIT_S
from spieltisch_service.store.redis_store import RedisStore
from spieltisch_service.store.vault import Vault

_CLUSTER_SCHEME = "redis+cluster"

#: How many connections there are for each server and process.
POOL_SIZE = 64
#: So long after its last use a connection is not polled before the next one.
_FRESH_S = 0.25


class BoundedPool(BlockingConnectionPool):
    """A pool that tells "all connections are busy" from "the server is away", and looks less often.

    redis-py polls a connection before each use for whether the server closed it, which under gevent costs as much as
    a small command. A connection that was in use a moment ago is not polled here: should it have died since, the
    call fails as it would have with a server that dies a moment later.
    """

    def get_connection(self, *_: Any, **__: Any) -> Any:
        """A connection that is ready; waits for a free one at most `POOL_WAIT_S`."""
        self._checkpid()
        try:
            connection: Any = self.pool.get(block=True, timeout=self.timeout)
        except Empty:
            raise MaxConnectionsError("all connections to the store are busy") from None
        try:
            if connection is None:
                connection = self.make_connection()  # type: ignore[no-untyped-call]
            connection.connect()
            if time.monotonic() - getattr(connection, "used_at_s", 0.0) > _FRESH_S and self._stale(connection):
                connection.disconnect()
                connection.connect()
        except BaseException:
            self.pool.put_nowait(connection)
            raise
        return connection

    def release(self, connection: Any) -> None:
        """Take the connection back."""
        connection.used_at_s = time.monotonic()
        super().release(connection)  # type: ignore[no-untyped-call]

    @staticmethod
    def _stale(connection: Any) -> bool:
        """Whether the server closed the connection, or left an answer in it."""
        try:
            return bool(connection.can_read())
        except (RedisError, OSError):
            return True


def connection_settings() -> dict[str, Any]:
    """What all connections have in common.

    RESP2, because its handshake is empty (nothing is asked before the first command, so a slow server costs one
    timeout and not four) and because nothing here needs RESP3; `legacy_responses` off, so that redis-py never shapes
    an answer by the protocol.
    """
    return {
        "protocol": 2,
        "legacy_responses": False,
        "decode_responses": False,
        "socket_timeout": ANSWER_S,
        "socket_connect_timeout": CONNECT_S,
        "driver_info": None,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def open_client(url: str) -> Redis | RedisCluster:
    """The redis-py client for `url`. Raises ValueError for a URL that names no store.

    A single server is not asked before the first command; a cluster is asked for its map, so `StoreUnavailable`.
    """
    parts = urlsplit(url)
    if parts.scheme == _CLUSTER_SCHEME:
        return _open_cluster(url)
    if parts.scheme not in ("unix", "redis", "rediss"):
        raise ValueError(
            f"a store's URL starts with unix://, redis://, rediss:// or {_CLUSTER_SCHEME}://, not {parts.scheme!r}"
        )
    settings = connection_settings()
    if parts.scheme == "unix":
        del settings["socket_connect_timeout"]
    pool = BoundedPool.from_url(
        url, max_connections=POOL_SIZE, timeout=POOL_WAIT_S, retry=Retry(NoBackoff(), 0), **settings
    )
    return Redis(connection_pool=pool)


def _open_cluster(url: str) -> RedisCluster:
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    nodes: list[ClusterNode] = []
    for place in hosts.split(","):
        host, colon, port = place.rpartition(":")
        if not colon or not host or not port.isdigit():
            raise ValueError(f"a cluster's URL is {_CLUSTER_SCHEME}://host:port[,host:port], not {place!r}")
        nodes.append(ClusterNode(host.strip("[]"), int(port)))  # type: ignore[no-untyped-call]
    first = hosts.split(",")[0]
    try:
        return RedisCluster(
            url=urlunsplit(("redis", login + at + first, "", parts.query, "")),
            startup_nodes=nodes,
            retry=Retry(NoBackoff(), 0),
            connection_pool_class=BoundedPool,
            max_connections=POOL_SIZE,
            timeout=POOL_WAIT_S,
            **connection_settings(),
        )
    except (RedisError, RedisClusterException) as error:
        translate(error)


def connect(url: str, *, durability: str | None = None, observer: Observer = UNOBSERVED) -> RedisStore:
    """The store behind `url`.

    `durability` (`fsync` or `fast`) is what the operator promises; it is reported when the server does not let
    itself be asked (managed servers hide CONFIG), and otherwise the server's own answer is.
    """
    return RedisStore(open_client(url), durability=durability, observer=observer)


def open_vault(url: str) -> Vault:
    """All of the store behind `url`, for backup and restore."""
    return Vault(open_client(url))
