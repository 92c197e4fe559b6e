"""Sending commands to the node that holds a slot: one server, or the primaries of a cluster.

Commands go over the connections of redis-py's pools, but not through its clients: those send a command again on
their own, wait without a bound while a cluster is away, and refuse scripts in pipelines. Here every call has one
deadline, a write is sent once, and only a server's "I do not have that script" or "not here" (which say that nothing
happened) are answered by sending again.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from hiredis import pack_command
from redis import Redis, RedisCluster, exceptions
from redis.cluster import ClusterNode
from redis.connection import ConnectionPool
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MaxConnectionsError,
    MovedError,
    NoScriptError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TryAgainError,
)

from spieltisch_service.app.ports import UNOBSERVED, Observer, StoreUnavailable
from spieltisch_service.store.faults import translate
from spieltisch_service.store.scripts import IN_ORDER, STEPS, Script

#: Within this many seconds every call has an answer or has failed.
CALL_S = 5.0
#: How long a call waits for a free connection, how long connecting may take, and how long each answer.
POOL_WAIT_S, CONNECT_S, ANSWER_S = 1.0, 2.0, 2.0
#: How long a slot that is being moved between nodes is tried again.
_TRY_AGAIN_S = 1.0
#: How many keys a server looks at in one step of going over all of them.
_SCANNED_AT_ONCE = 1000

Command: TypeAlias = tuple[Any, ...]


class Placed(NamedTuple):
    """A command and the slot of its keys. With `script`, the command is the part behind EVALSHA and the hash."""

    slot: int
    command: Command
    script: Script | None = None

    def words(self, *, whole: bool = False) -> Command:
        """What is sent; `whole` sends the script's text instead of its hash."""
        if self.script is None:
            return self.command
        if whole:
            return ("EVAL", self.script.source, *self.command)
        return ("EVALSHA", self.script.sha, *self.command)


def _as_one(placed: Sequence[Placed]) -> Placed:
    """The scripts as one that does them in order."""
    keys: list[Any] = []
    words: list[Any] = []
    for one in placed:
        assert one.script is not None
        first_word = 1 + one.command[0]
        keys += one.command[1:first_word]
        words += (STEPS.index(one.script) + 1, one.command[0], len(one.command) - first_word)
        words += one.command[first_word:]
    return Placed(placed[0].slot, (len(keys), *keys, *words), IN_ORDER)


def exchange(pool: ConnectionPool, commands: Sequence[Command], deadline: float) -> list[Any]:
    """Send all `commands` at once and read all answers; errors of single commands are among the answers.

    `deadline` is on the monotonic clock. Raises redis-py's errors when the server is away or slow; the connection
    is then closed, so that no later call reads a late answer.
    """
    # So that neither a second attempt nor the third node of a slow cluster can break the bound.
    if deadline - time.monotonic() < POOL_WAIT_S + CONNECT_S:
        raise exceptions.TimeoutError("no time left to ask the store")
    connection: Any = pool.get_connection()
    try:
        connection.send_packed_command([b"".join(map(pack_command, commands))])
        answers: list[Any] = []
        for _ in commands:
            left_s = deadline - time.monotonic()
            try:
                if left_s >= ANSWER_S:
                    answers.append(connection.read_response())
                else:
                    answers.append(connection.read_response(timeout=max(left_s, 0.001)))
            except ResponseError as error:
                answers.append(error)
        return answers
    except BaseException:
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


class Nodes(ABC):
    """The servers behind a store. `observer` hears of every call that fails."""

    observer: Observer = UNOBSERVED

    def ask(self, slot: int, *command: Any, again: bool = False) -> Any:
        """The answer to one command. `again`: it only reads and may be sent twice when a connection breaks."""
        return self.ask_all([Placed(slot, command)], again=again)[0]

    def run(self, slot: int, script: Script, keys: Sequence[bytes], *arguments: Any, again: bool = False) -> Any:
        """The answer of a script."""
        return self.ask_all([Placed(slot, (len(keys), *keys, *arguments), script)], again=again)[0]

    def ask_all(self, placed: Sequence[Placed], *, again: bool = False) -> list[Any]:
        """The answers to all commands, in their order, one round trip a node.

        Raises `StoreUnavailable`, or the first error that an answer is.
        """
        deadline = time.monotonic() + CALL_S
        try:
            answers = self._send(placed, [one.words() for one in placed], deadline, again)
            unknown = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
            if unknown:
                some = [placed[index] for index in unknown]
                words = [one.words(whole=True) for one in some]
                for index, answer in zip(unknown, self._send(some, words, deadline, again), strict=True):
                    answers[index] = answer
            for answer in answers:
                if isinstance(answer, Exception):
                    raise answer
            return answers
        except (RedisError, RedisClusterException) as error:
            self.observer.store_failed()
            translate(error)

    def ask_in_order(self, placed: Sequence[Placed]) -> list[Any]:
        """The answers of scripts (`scripts.STEPS`), each of which is only done when those in front of it are.

        One whose answer is an array that begins with 0 is the last. Raises `StoreUnavailable`, or the first error that
        an answer is.
        """
        answers: list[Any] = []
        for one in placed:
            answers += self.ask_all([one])
            if isinstance(answers[-1], list) and answers[-1][:1] == [0]:
                break
        return answers

    def ask_everyone(self, commands: Sequence[Command]) -> list[list[Any]]:
        """The answers of each primary to all commands; errors of single commands are among the answers."""
        deadline = time.monotonic() + CALL_S
        try:
            return [exchange(pool, commands, deadline) for pool in self._pools()]
        except (RedisError, RedisClusterException) as error:
            self.observer.store_failed()
            translate(error)

    def keys(self, pattern: bytes) -> Iterator[bytes]:
        """The keys of all primaries that match `pattern`, each once or more.

        Raises `StoreUnavailable`, also where slots of a cluster moved meanwhile, so that some may have been missed.
        """
        try:
            before = self._layout()
            for pool in self._pools():
                cursor: Any = 0
                while True:
                    deadline = time.monotonic() + CALL_S
                    words = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED_AT_ONCE)
                    (answer,) = _exchange(pool, [words], deadline, True)
                    if isinstance(answer, Exception):
                        raise answer
                    cursor, names = answer
                    yield from names
                    if int(cursor) == 0:
                        break
            if self._layout() != before:
                raise StoreUnavailable("the slots of the cluster moved while its keys were read: try again")
        except (RedisError, RedisClusterException) as error:
            self.observer.store_failed()
            translate(error)

    def _layout(self) -> Mapping[int, str]:
        """Which server has which slot, as it is now; nothing where there is one server."""
        return {}

    @abstractmethod
    def _send(self, placed: Sequence[Placed], words: Sequence[Command], deadline: float, again: bool, /) -> list[Any]:
        """The answers to `words`, whose slots are those of `placed`; errors are among the answers."""

    @abstractmethod
    def _pools(self) -> list[ConnectionPool]:
        """The pool of each primary."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""


def _exchange(pool: ConnectionPool, commands: Sequence[Command], deadline: float, again: bool) -> list[Any]:
    """`exchange`, with `again` a second time when the connection broke."""
    try:
        return exchange(pool, commands, deadline)
    except MaxConnectionsError:
        raise
    except exceptions.ConnectionError:
        if not again:
            raise
        return exchange(pool, commands, deadline)


class OneNode(Nodes):
    """A single server."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._pool: ConnectionPool = client.connection_pool

    def _send(self, _: Sequence[Placed], words: Sequence[Command], deadline: float, again: bool) -> list[Any]:
        return _exchange(self._pool, words, deadline, again)

    def _pools(self) -> list[ConnectionPool]:
        return [self._pool]

    def ask_in_order(self, placed: Sequence[Placed]) -> list[Any]:
        """See `Nodes`. One script does them all: here, all keys are in one place."""
        if len(placed) == 1:
            return self.ask_all(placed)
        answers: list[Any] = self.ask_all([_as_one(placed)])[0]
        return answers

    def close(self) -> None:
        """See `Nodes`."""
        self._client.close()
        self._pool.disconnect()


class ClusterNodes(Nodes):
    """The primaries of a cluster. The map of slots is redis-py's; it is renewed in the background."""

    def __init__(self, client: RedisCluster) -> None:
        self._client: Any = client
        self._map: Any = client.nodes_manager
        self._renewing = threading.Lock()

    def _send(self, placed: Sequence[Placed], words: Sequence[Command], deadline: float, again: bool) -> list[Any]:
        by_node: dict[str, tuple[ClusterNode, list[int]]] = {}
        for index, one in enumerate(placed):
            node = self._map.get_node_from_slot(one.slot)
            by_node.setdefault(node.name, (node, []))[1].append(index)
        answers: list[Any] = [None] * len(placed)
        for node, indexes in by_node.values():
            got = self._at(node, [words[index] for index in indexes], deadline, again)
            for index, answer in zip(indexes, got, strict=True):
                if isinstance(answer, MovedError | AskError | TryAgainError):
                    answer = self._redirected(placed[index].slot, words[index], answer, deadline)
                if isinstance(answer, ClusterDownError):
                    self._renew()
                answers[index] = answer
        return answers

    def _at(self, node: ClusterNode, commands: Sequence[Command], deadline: float, again: bool = False) -> list[Any]:
        try:
            return _exchange(self._pool_of(node), commands, deadline, again)
        except MaxConnectionsError:
            raise
        except (exceptions.ConnectionError, exceptions.TimeoutError):
            self._renew()
            raise

    def _redirected(self, slot: int, words: Command, answer: ResponseError, deadline: float) -> Any:
        """Follow "not here" until the command has run. All of these answers say that nothing happened so far."""
        give_up = min(deadline, time.monotonic() + _TRY_AGAIN_S)
        while True:
            # A moved slot is an "ask" too for redis-py's classes, so it comes first.
            if isinstance(answer, MovedError):
                self._map.move_slot(answer)
                self._renew()
                answer = self._at(self._map.get_node_from_slot(slot), [words], deadline)[0]
            elif isinstance(answer, AskError):
                node = self._map.get_node(host=answer.host, port=answer.port)
                if node is None:
                    self._renew()
                    return answer
                answer = self._at(node, [("ASKING",), words], deadline)[1]
            elif isinstance(answer, TryAgainError):
                time.sleep(0.02)
                answer = self._at(self._map.get_node_from_slot(slot), [words], deadline)[0]
            else:
                return answer
            if time.monotonic() >= give_up:
                return answer

    def _renew(self) -> None:
        """Ask the cluster for its map, in the background and once at a time: a call must not wait for it."""
        if self._renewing.acquire(blocking=False):
            threading.Thread(target=self._renew_now, name="cluster map", daemon=True).start()

    def _renew_now(self) -> None:
        try:
            self._map.initialize(disconnect_startup_nodes_pools=False)
        except (RedisError, RedisClusterException, OSError):
            # The cluster is still away; the next call that fails asks again.
            time.sleep(0.2)
        finally:
            self._renewing.release()

    def _layout(self) -> Mapping[int, str]:
        self._map.initialize(disconnect_startup_nodes_pools=False)
        return {slot: nodes[0].name for slot, nodes in self._map.slots_cache.items()}

    def _pool_of(self, node: ClusterNode) -> ConnectionPool:
        pool: ConnectionPool = self._client.get_redis_connection(node).connection_pool
        return pool

    def _pools(self) -> list[ConnectionPool]:
        return [self._pool_of(node) for node in self._client.get_primaries()]

    def close(self) -> None:
        """See `Nodes`."""
        self._client.close()
