"""The load generator in Python, against a server that counts what comes."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.generator import packed, unpacked
from benchmarks.load import CONNECTIONS, Generator, Load, Result, request
from benchmarks.measure import Invalid


class Server:
    """Answers each request with what `answer` makes of its path, and keeps the paths by connection."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.paths: list[list[str]] = []
        self.status = "200 OK"

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        paths: list[str] = []
        self.paths.append(paths)
        # The generator goes away in the middle, when its time is over.
        with contextlib.suppress(OSError), connection:
            while asked := connection.recv(65536):
                path = asked.split(b" ")[1].decode()
                paths.append(path)
                status, body = self.status, b'{"status":"running"}'
                extra = ""
                if path == "/create":
                    status, body = "201 Created", b'{"status":"open"}'
                    extra = f"Location: /v1/matches/mt_{id(paths)}x{len(paths)}\r\n"
                elif path.startswith("/join/"):
                    status = "201 Created"
                head = f"HTTP/1.1 {status}\r\n{extra}Content-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body)


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve, daemon=True)
    thread.start()
    yield running
    running.listener.shutdown(socket.SHUT_RDWR)
    running.listener.close()
    thread.join(10)


@pytest.fixture
def generator(tmp_path: Path) -> Generator:
    return Generator(tmp_path, name="python")


def test_what_is_packed_is_unpacked() -> None:
    requests = [request("GET", "/a"), request("POST", "/b", b'{"a":"\n12\n"}', Idempotency_Key="k"), b""]
    assert unpacked(packed(requests)) == requests
    assert b"\r\nIdempotency-Key: k\r\n" in requests[1]


def outcome(
    generator: Generator, server: Server, load: Load, enough: Callable[[Result | Invalid], bool]
) -> Result | Invalid:
    """What comes of a second of load, or of more where this machine stood still: then it was not `enough`."""
    for seconds in (1, 5, 25):
        server.paths.clear()
        try:
            found: Result | Invalid = generator.run(server.port, load, seconds)
        except Invalid as invalid:
            found = invalid
        if enough(found):
            break
    return found


def test_each_connection_keeps_to_its_own_requests(server: Server, generator: Generator) -> None:
    requests = [request("GET", f"/{number % CONNECTIONS}") for number in range(4 * CONNECTIONS)]
    load = Load(requests, again=True, apart=True)
    result = outcome(generator, server, load, lambda _: sum(map(bool, server.paths)) >= CONNECTIONS)
    assert isinstance(result, Result)
    assert result.per_s > 0
    assert len(server.paths) == CONNECTIONS
    assert sorted(int(path[1:]) for paths in server.paths for path in set(paths)) == list(range(CONNECTIONS))


def test_a_match_that_was_created_is_joined(server: Server, generator: Generator) -> None:
    load = Load([request("POST", "/create", b"{}")], again=True, template=request("POST", "/join/{match}", b"{}"))
    result = outcome(generator, server, load, lambda found: isinstance(found, Result) and found.joined_per_s > 0)
    assert isinstance(result, Result)
    joined = [path for paths in server.paths for path in paths if path.startswith("/join/mt_")]
    assert len(joined) == len(set(joined))
    assert 0 < result.joined_per_s <= result.per_s / 2 + CONNECTIONS


def test_a_refusal_makes_the_measurement_invalid_and_is_told(server: Server, generator: Generator) -> None:
    server.status = "409 Conflict"
    load = Load([request("GET", "/a")], again=True)
    assert "409 Conflict" in str(outcome(generator, server, load, lambda found: "409 Conflict" in str(found)))


def test_requests_that_do_not_last_make_it_invalid(server: Server, generator: Generator) -> None:
    load = Load([request("GET", "/a")] * CONNECTIONS)
    assert "did not last" in str(outcome(generator, server, load, lambda found: "did not last" in str(found)))
