"""A client that is nothing but a socket: quick enough to load the service, and it hides no failure."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from tests.campaigns.harness.campaign import Finding

#: Only what is broken takes as long as this.
PATIENCE_S = 120.0
#: One answer may take so long; then nobody knows what became of the request, and it is sent again.
ANSWER_S = 40.0
_BETWEEN_TRIES_S = 0.05


class Unanswered(OSError):
    """The connection ended before the answer was whole: the request happened or it did not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (names in small letters) and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)

    def __str__(self) -> str:
        return f"{self.status} {self.body[:300].decode(errors='replace')}"


def packed(
    method: str,
    path: str,
    body: Any = None,
    *,
    token: str | None = None,
    key: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """A request as it goes over the wire. `key` is its Idempotency-Key."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    if key is not None:
        lines.append(f"Idempotency-Key: {key}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    content = b"" if body is None else json.dumps(body).encode()
    if body is not None:
        lines.append("Content-Type: application/json")
    if body is not None or method == "POST":
        lines.append(f"Content-Length: {len(content)}")
    return "\r\n".join([*lines, "", ""]).encode() + content


class Wire:
    """One connection at a time to a port of this machine. `unanswered` counts the requests without an answer."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self.port = port
        self.token = token
        self.unanswered = 0
        self._socket: socket.socket | None = None
        self._rest = b""

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()
            self._socket, self._rest = None, b""

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """Send one request, once. Raises Unanswered."""
        return self.send(packed(method, path, body, **{"token": self.token, **more}))

    def settled(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """Send one request until it is answered, and not by 503 either. Raises Finding when that never happens."""
        request = packed(method, path, body, **{"token": self.token, **more})
        deadline = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(OSError):
                answer = self.send(request)
                if answer.status != 503:
                    return answer
            if time.monotonic() > deadline:
                raise Finding(f"{method} {path} is not answered within {PATIENCE_S:.0f} s")
            time.sleep(_BETWEEN_TRIES_S)

    def send(self, request: bytes) -> Answer:
        """Send what `packed` made, once. Raises Unanswered."""
        try:
            if self._socket is None:
                self._socket = socket.create_connection(("127.0.0.1", self.port), ANSWER_S)
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.sendall(request)
            return self._answer()
        except OSError as error:
            self.close()
            self.unanswered += 1
            raise Unanswered(str(error)) from error

    def _answer(self) -> Answer:
        head = self._until(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = self._exactly(int(headers["content-length"])) if "content-length" in headers else self._to_the_end()
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(int(first.split()[1]), headers, body)

    def _more(self) -> bytes:
        assert self._socket is not None
        piece = self._socket.recv(65536)
        if not piece:
            raise OSError("the connection ended within an answer")
        return piece

    def _until(self, end: bytes) -> bytes:
        while end not in self._rest:
            self._rest += self._more()
        found, _, self._rest = self._rest.partition(end)
        return found

    def _exactly(self, length: int) -> bytes:
        pieces = [self._rest]
        missing = length - len(self._rest)
        while missing > 0:
            pieces.append(self._more())
            missing -= len(pieces[-1])
        whole = b"".join(pieces)
        self._rest = whole[length:]
        return whole[:length]

    def _to_the_end(self) -> bytes:
        """A body without a length: chunks."""
        pieces = []
        while size := int(self._until(b"\r\n").split(b";")[0], 16):
            pieces.append(self._exactly(size))
            self._until(b"\r\n")
        self._until(b"\r\n")
        return b"".join(pieces)


def accepted(answer: Answer, *expected: int) -> Any:
    """The JSON of an answer that must be a 2xx (or one of `expected`). Raises Finding."""
    if answer.status not in (expected or (200, 201)):
        raise Finding(f"unexpected answer {answer}")
    return answer.json()
