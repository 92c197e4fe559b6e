"""`Client("local:")`: the real service within this process, with its house bots, and without a network.

It needs the distribution `spieltisch-service`, which is only imported when it is asked for. All clients of a process
share one service; its matches are gone when the process ends.
"""

from __future__ import annotations

import atexit
import importlib
import io
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from spieltisch._transport import Transport
from spieltisch.errors import ServiceMissing, SpieltischError

#: What stands for the URL of a service.
LOCAL = "local:"

_lock = threading.Lock()
_running: Any = None
_running_pid = 0


def service_module(name: str) -> Any:
    """A module of the service's package, loaded now. Raises ServiceMissing."""
    try:
        return importlib.import_module(f"spieltisch_service.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "spieltisch_service":
            raise
    raise ServiceMissing("this plays without a server and needs the rules for it: pip install spieltisch-service")


def close() -> None:
    """End this process's service and forget its matches; the next client of `local:` starts another one."""
    global _running
    with _lock:
        ended, _running = _running, None
        if ended is not None and _running_pid == os.getpid():
            ended.close()


def _service() -> Any:
    """This process's service, which is started if need be."""
    global _running, _running_pid
    with _lock:
        if _running is None:
            _running = service_module("local.served").LocalService()
            _running_pid = os.getpid()
            atexit.register(close)
        elif _running_pid != os.getpid():
            raise SpieltischError("the local service belongs to the process that this one was forked from")
        return _running


class LocalTransport(Transport):
    """Hands requests to the service within this process. Safe to share between threads."""

    def __init__(self, url: str, key: str | None = None, **options: Any) -> None:
        if url != LOCAL:
            raise ValueError(f"the service within this process is {LOCAL!r}, with nothing behind it")
        super().__init__("http://localhost", key, **options)
        self.url = LOCAL
        self._local_adapter = _LocalAdapter(_service())

    def _adapter(self) -> Any:
        return self._local_adapter

    def close(self) -> None:
        """Nothing is open. The service goes on, since other clients may use it; `spieltisch.local.close` ends it."""


class _LocalAdapter(BaseAdapter):
    """Makes of a request a call of a WSGI application, in the thread that asks."""

    def __init__(self, service: Any) -> None:
        super().__init__()
        self._service = service

    def send(self, request: Any, stream: bool = False, *_: Any, **__: Any) -> requests.Response:
        """The answer; timeouts do not apply, since nothing can get lost."""
        if self._service.closed:
            raise SpieltischError("the service within this process has ended")
        started: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> Callable[[bytes], None]:
            started[:] = [status, headers]
            return _written_directly

        body = _Body(self._service.app(_environ(request), start_response))
        status, _, reason = started[0].partition(" ")
        response = requests.Response()
        response.status_code = int(status)
        response.reason = reason
        response.url = request.url
        response.request = request
        response.headers = CaseInsensitiveDict(started[1])
        response.raw = body
        if not stream:
            # As HTTPAdapter's callers find it: read, and nothing left to give back.
            len(response.content)
        return response

    def close(self) -> None:
        """Nothing is open."""


class _Body:
    """The body of an answer, as requests reads it: in the pieces in which the application makes it."""

    chunked = True

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._closed = False

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        """The pieces, as they come."""
        try:
            yield from self._pieces
        finally:
            self.close()

    def close(self) -> None:
        """Tell the application that no more is wanted."""
        close = getattr(self._pieces, "close", None)
        if close is not None and not self._closed:
            self._closed = True
            close()

    release_conn = close


def _environ(request: Any) -> dict[str, Any]:
    path, _, query = request.url.removeprefix(LOCAL).partition("?")
    body: bytes = request.body or b""
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        # As WSGI has it: the bytes of the path, each as one character.
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in request.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
    return environ


def _written_directly(_: bytes) -> None:
    raise NotImplementedError("the service answers with pieces, never by the old way of writing")
