"""What goes wrong between a client and its service, made to order."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

# Only bounds how long a failing test hangs.
_PATIENCE_S = 120.0


@dataclass
class Asked:
    """A request that the stand-in got."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Answer:
    """What the stand-in shall answer. `cut`: close the connection after so many bytes of the body."""

    status: int = 200
    body: bytes | dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    hang: bool = False

    @staticmethod
    def problem(status: int, code: str, retry_after: str | None = None, **more: Any) -> Answer:
        body = {"type": f"/problems/{code}", "title": code, "status": status, "detail": "said", "code": code}
        headers = {"Content-Type": "application/problem+json"}
        if retry_after is not None:
            headers["Retry-After"] = retry_after
        return Answer(status, {**body, "request_id": "0" * 32, "errors": [], **more}, headers)


class StandIn:
    """An HTTP server that gives the `answers` in order, the last one again and again. `date`: what its clock says."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [Answer()]
        self.asked: list[Asked] = []
        self.date: str | None = None
        self._released = threading.Event()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def date_time_string(self, timestamp: float | None = None) -> str:
                return stand_in.date or super().date_time_string(timestamp)

            def handle_any(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                stand_in.asked.append(Asked(self.command, self.path, dict(self.headers), self.rfile.read(length)))
                answers = stand_in.answers
                stand_in.give(self, answers.pop(0) if len(answers) > 1 else answers[0])

            do_GET = do_POST = do_DELETE = handle_any  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def give(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        handler.send_response(answer.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **answer.headers}
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body[: answer.cut])
        handler.wfile.flush()
        if answer.hang:
            self._released.wait(_PATIENCE_S)
        if answer.cut is not None or answer.hang:
            handler.close_connection = True

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class CuttingProxy:
    """Passes bytes between clients and a service. `cuts` says what happens to the answers to come, in order.

    A number cuts the connection after so many bytes of the answer (0: once the service has answered, so it has
    acted); None, and an empty list, let it through. `exchanges` counts the requests.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self.cuts: list[int | None] = []
        self.exchanges = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> CuttingProxy:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._listener, *self._sockets):
            _shut(each)
        for thread in self._threads:
            thread.join(_PATIENCE_S)
        for each in (self._listener, *self._sockets):
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            service = socket.create_connection(self._target)
            with self._lock:
                self._sockets |= {client, service}
                self._threads = [thread for thread in self._threads if thread.is_alive()]
            for each in (client, service):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            relay = _Relay(self, client, service)
            for work in (relay.forth, relay.back):
                thread = threading.Thread(target=self._until_over(relay, work), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _until_over(self, relay: _Relay, work: Callable[[], None]) -> Callable[[], None]:
        """`work`, and the sockets are given back once both directions are over."""

        def run() -> None:
            with suppress(OSError):
                work()
            with self._lock:
                relay.over += 1
                if relay.over == 2:
                    for each in (relay.client, relay.service):
                        self._sockets.discard(each)
                        each.close()

        return run


class _Relay:
    """One connection through the proxy, with one exchange after the other."""

    def __init__(self, proxy: CuttingProxy, client: socket.socket, service: socket.socket) -> None:
        self.proxy = proxy
        self.client = client
        self.service = service
        self.answering = True
        self.left: int | None = None
        self.over = 0

    def forth(self) -> None:
        """From the client to the service."""
        while piece := self.client.recv(65536):
            if self.answering:
                self.answering = False
                self.proxy.exchanges += 1
                self.left = self.proxy.cuts.pop(0) if self.proxy.cuts else None
            self.service.sendall(piece)
        _shut(self.service)

    def back(self) -> None:
        """From the service to the client."""
        while piece := self.service.recv(65536):
            self.answering = True
            if self.left is not None and self.left <= len(piece):
                self.client.sendall(piece[: self.left])
                # What was sent before arrives; then the connection is gone without a farewell.
                _shut(self.service)
                _shut(self.client)
                return
            if self.left is not None:
                self.left -= len(piece)
            self.client.sendall(piece)
        _shut(self.client)


def _shut(each: socket.socket) -> None:
    try:
        each.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
