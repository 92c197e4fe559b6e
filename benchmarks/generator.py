"""The load generator for machines without wrk: one process, one thread, keep-alive connections over a selector.

Does what `replay.lua` makes wrk do, and prints the same line. It takes more of the two cores than wrk, from all
contenders alike, so the ratios come nearer to 1. Tells the first answer that was not expected.

    python -m benchmarks.generator PORT CONNECTIONS SECONDS STEPS FILE once|again [TEMPLATE]
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
_LOCATION = re.compile(rb"\r\nlocation: /v1/matches/(\w+)", re.IGNORECASE)


def packed(requests: Sequence[bytes]) -> bytes:
    """The file that both generators read."""
    return b"".join(b"%d\n%s" % (len(request), request) for request in requests)


def unpacked(data: bytes) -> list[bytes]:
    """The requests of a file."""
    requests, at = [], 0
    while at < len(data):
        behind = data.index(b"\n", at)
        end = behind + 1 + int(data[at:behind])
        requests.append(data[behind + 1 : end])
        at = end
    return requests


class _Load:
    """What is sent next, and what the answers count as. Of n `steps`, each connection has its own or shares one."""

    def __init__(self, requests: list[bytes], steps: int, again: bool, template: bytes | None) -> None:
        self._requests, self._steps, self._again, self._template = requests, steps, again, template
        self._at = list(range(steps))
        self._ready: list[bytes] = []
        self.exhausted = self.joined = self.refused = self.bytes = 0
        self.first_refused = b""

    def next(self, connection: int) -> bytes:
        if self._ready and self._template is not None:
            return self._template.replace(b"{match}", self._ready.pop())
        own = connection % self._steps
        if self._at[own] >= len(self._requests):
            self._at[own] = own
            self.exhausted += not self._again
        request = self._requests[self._at[own]]
        self._at[own] += self._steps
        return request

    def took(self, answer: bytes) -> None:
        self.bytes += len(answer)
        status = answer[9:12]
        if status >= b"400" or (self._template is not None and status != b"201"):
            self.refused += 1
            self.first_refused = self.first_refused or answer
        elif self._template is not None:
            found = _LOCATION.search(answer)
            if found and b'"status":"open"' in answer:
                self._ready.append(found[1])
            else:
                self.joined += 1


class _Connection:
    """One connection with one request on its way."""

    def __init__(self, port: int, number: int, load: _Load) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._number, self._load = number, load
        self._buffer = b""
        self._sent = 0.0

    def send(self) -> None:
        self._buffer = b""
        self._sent = time.perf_counter()
        self.socket.sendall(self._load.next(self._number))

    def receive(self) -> float | None:
        """Seconds from request to answer, once it is complete."""
        part = self.socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the server closed a connection")
        self._buffer += part
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return None
        length = _LENGTH.search(self._buffer, 0, head + 2)
        if len(self._buffer) < head + 4 + (int(length[1]) if length else 0):
            return None
        self._load.took(self._buffer)
        return time.perf_counter() - self._sent


def main(port: int, connections: int, seconds: float, load: _Load) -> None:
    """Send until the time is over; print the result."""
    selector = selectors.DefaultSelector()
    for number in range(connections):
        connection = _Connection(port, number, load)
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send()
    times: list[float] = []
    start = now = time.perf_counter()
    while now < start + seconds:
        for key, _ in selector.select(1.0):
            took_s = key.data.receive()
            if took_s is not None:
                times.append(took_s)
                key.data.send()
        now = time.perf_counter()
    if load.first_refused:
        sys.stderr.write(f"first answer that was not expected:\n{load.first_refused.decode(errors='replace')}\n")
    result = {
        "requests": len(times),
        "seconds": now - start,
        "p99_ms": 1000 * sorted(times)[len(times) * 99 // 100] if times else 0.0,
        "bytes": load.bytes,
        "refused": load.refused,
        "broken": 0,
        "exhausted": load.exhausted,
        "joined": load.joined,
    }
    sys.stdout.write(f"\nRESULT {json.dumps(result)}\n")


if __name__ == "__main__":
    _port, _connections, _seconds, _steps, _file, _mode, *_template = sys.argv[1:]
    main(
        int(_port),
        int(_connections),
        float(_seconds),
        _Load(
            unpacked(Path(_file).read_bytes()),
            int(_steps),
            _mode == "again",
            unpacked(Path(_template[0]).read_bytes())[0] if _template else None,
        ),
    )
