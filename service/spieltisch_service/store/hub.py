"""The bell: one reader a process hears of every commit and rings the ears that listen for it.

Commits ring on 64 channels, as `MATCH VERSION TOPIC,TOPIC,…`. One thread (a greenlet, under gevent) reads them
all over a connection of its own; an ear is an event in memory, so thousands of them are cheap. Nothing depends on a
ring: whenever the reader has (re)connected it rings every ear, since it cannot know what it missed.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis import Redis, RedisCluster, exceptions
from redis.connection import ConnectionPool
from redis.exceptions import RedisClusterException, RedisError

from spieltisch_service.app.ports import UNOBSERVED, Observer, StoreUnavailable
from spieltisch_service.store.connection import open_client
from spieltisch_service.store.layout import CHANNELS

_LOG = logging.getLogger(__name__)

#: How long the reader waits for a message before it looks whether the bell is closing.
_TICK_S = 1.0
#: After so many quiet ticks the reader asks the server for a sign of life, and so many later it gives up.
_QUIET_TICKS = 5
#: The pause before the first and (doubled each time) the last attempt to connect again.
_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0


class _Ear:
    """See `ports.Ear`."""

    __slots__ = ("_hub", "_rung")

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._rung = threading.Event()

    def ring(self) -> None:
        self._rung.set()

    def wait(self, timeout_s: float) -> bool:
        """See `ports.Ear`."""
        if self._hub.closing:
            return False
        rung = self._rung.wait(timeout_s)
        self._rung.clear()
        return rung and not self._hub.closing

    @property
    def closing(self) -> bool:
        """See `ports.Ear`."""
        return self._hub.closing


class Hub:
    """`ports.Bell` over a redis-py client or a URL as in `connection.open_client`.

    The reader starts with the first ear, and anew in a forked child. With `channels` it hears only what rings there.
    """

    def __init__(
        self,
        store: Redis | RedisCluster | str,
        observer: Observer = UNOBSERVED,
        channels: Sequence[bytes] = CHANNELS,
    ) -> None:
        self._store = store
        self._channels = channels
        self._observer = observer
        self._client: Redis | RedisCluster | None = None if isinstance(store, str) else store
        self._lock = threading.Lock()
        self._ears: dict[bytes, set[_Ear]] = {}
        self._closing = threading.Event()
        self._reader_pid = 0
        self._connections = 0

    @property
    def closing(self) -> bool:
        """True once `close` was called."""
        return self._closing.is_set()

    @property
    def ears(self) -> int:
        """How many are listening."""
        with self._lock:
            return sum(map(len, self._ears.values()))

    @contextmanager
    def listen(self, topic: str) -> Iterator[_Ear]:
        """See `ports.Bell`. `topic` is a match id or an account id."""
        ear, name = _Ear(self), topic.encode()
        with self._lock:
            self._ears.setdefault(name, set()).add(ear)
        self._start()
        try:
            yield ear
        finally:
            with self._lock:
                ears = self._ears[name]
                ears.discard(ear)
                if not ears:
                    del self._ears[name]

    def close(self) -> None:
        """Wake all ears at once, for good; the reader ends within a second or so."""
        self._closing.set()
        self._ring_all()

    # --- the reader -----------------------------------------------------------------------------------------

    def _start(self) -> None:
        pid = os.getpid()
        if self._reader_pid == pid or self.closing:
            return
        with self._lock:
            if self._reader_pid == pid:
                return
            self._reader_pid = pid
        threading.Thread(target=self._read_on, name="bell", daemon=True).start()

    def _read_on(self) -> None:
        """Read until closing, over one connection after another."""
        pause_s = _PAUSE_S
        lost = False
        while not self.closing:
            connection: Any = None
            try:
                connection = self._connect()
                if lost:
                    lost = False
                    _LOG.warning("the bell has the store again")
                self._ring_all()
                pause_s = _PAUSE_S
                self._read(connection)
            except (RedisError, RedisClusterException, StoreUnavailable, OSError) as error:
                self._observer.bell_lost()
                if not lost and not self.closing:
                    # Once, and not with every attempt: what the log tells is the change.
                    lost = True
                    _LOG.warning("the bell lost the store and connects again: %s", error)
            finally:
                if connection is not None:
                    connection.disconnect()
            # All processes lose the store at once; they must not all come back at once.
            self._closing.wait(pause_s * (0.5 + secrets.randbelow(1000) / 1000))
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _connect(self) -> Any:
        """A connection that has subscribed to the channels."""
        pool = self._pool()
        connection: Any = pool.connection_class(**pool.connection_kwargs)
        try:
            connection.connect()
            connection.send_command("SUBSCRIBE", *self._channels)
            for _ in self._channels:
                connection.read_response()
        except BaseException:
            connection.disconnect()
            raise
        return connection

    def _pool(self) -> ConnectionPool:
        """Where to connect: the server, or one node of the cluster after the other; every node hears everything."""
        if self._client is None:
            assert isinstance(self._store, str)
            self._client = open_client(self._store)
        if not isinstance(self._client, RedisCluster):
            return self._client.connection_pool
        nodes = sorted(self._client.get_nodes(), key=lambda node: str(node.name))  # type: ignore[no-untyped-call]
        self._connections += 1
        node = nodes[(self._reader_pid + self._connections) % len(nodes)]
        pool: ConnectionPool = self._client.get_redis_connection(node).connection_pool
        return pool

    def _read(self, connection: Any) -> None:
        """Ring for each message; raises when the connection breaks or the server gives no sign of life."""
        quiet_ticks = 0
        while not self.closing:
            try:
                message = connection.read_response(timeout=_TICK_S, disconnect_on_error=False)
            except exceptions.TimeoutError:
                quiet_ticks += 1
                if quiet_ticks == _QUIET_TICKS:
                    connection.send_command("PING")
                elif quiet_ticks == 2 * _QUIET_TICKS:
                    raise
                continue
            quiet_ticks = 0
            if message[0] == b"message":
                self._ring(message[2])

    def _ring(self, message: bytes) -> None:
        match_id, _, accounts = message.split(b" ", 2)
        with self._lock:
            for topic in (match_id, *accounts.split(b",")):
                for ear in self._ears.get(topic, ()):
                    ear.ring()

    def _ring_all(self) -> None:
        with self._lock:
            for ears in self._ears.values():
                for ear in ears:
                    ear.ring()
