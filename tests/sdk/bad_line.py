"""A bad line between clients and a service: it loses requests, loses answers, delivers twice, delays, and is busy."""

from __future__ import annotations

import http.client
import random
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

FAULTS = ("lose_request", "lose_answer", "cut_answer", "deliver_twice", "delay", "busy")


class BadLine:
    """An HTTP proxy of which one request in `one_in` meets a fault, drawn from `seed`. `met` counts the faults."""

    def __init__(self, url: str, *, one_in: int = 8, seed: int = 1) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._one_in = one_in
        self._rng = random.Random(seed)
        self._lock = threading.Lock()
        self.met: Counter[str] = Counter()
        line = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                line.carry(self)

            do_GET = do_POST = do_DELETE = handle_any  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_: Any) -> None:
                # A client that gave up is no news here.
                return

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> BadLine:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def carry(self, handler: BaseHTTPRequestHandler) -> None:
        """One request and its answer, or what becomes of them."""
        with self._lock:
            fault = self._rng.choice(FAULTS) if self._rng.randrange(self._one_in) == 0 else None
            if fault is not None:
                self.met[fault] += 1
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if fault == "lose_request":
            return self._hang_up(handler)
        if fault == "busy":
            handler.send_response(503)
            handler.send_header("Retry-After", "0")
            handler.send_header("Content-Length", "0")
            return handler.end_headers()
        if fault == "delay":
            time.sleep(0.05)
        status, headers, answer = self._forward(handler, body)
        if fault == "deliver_twice":
            # The second delivery's answer is the one that arrives.
            status, headers, answer = self._forward(handler, body)
        if fault == "lose_answer":
            return self._hang_up(handler)
        handler.send_response(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding", "date", "server", "content-length"):
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(answer)))
        handler.end_headers()
        handler.wfile.write(answer[: len(answer) // 2] if fault == "cut_answer" else answer)
        if fault == "cut_answer":
            return self._hang_up(handler)
        return None

    def _forward(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(*self._target, timeout=60)
        try:
            sent = {name: value for name, value in handler.headers.items() if name.lower() != "connection"}
            connection.request(handler.command, handler.path, body or None, sent)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    @staticmethod
    def _hang_up(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)
