"""Requests straight into the WSGI application, as the server would hand them in, and whole answers back.

No client library stands between, which would correct what is odd, or refuse to send it.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson

#: A stream that is still open after so many pieces is left, as a client that has seen enough.
_MOST_PIECES = 1000

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer, as the application gave it to the server."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The first header of that name (in lower case)."""
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def media_type(self) -> str:
        """The media type without parameters."""
        return (self.header("content-type") or "").partition(";")[0]

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return orjson.loads(self.body)

    @property
    def code(self) -> str | None:
        """The code of a problem document."""
        return self.json["code"] if self.media_type == "application/problem+json" else None


class Ear:
    """A listener that hears of the end at once: nothing waits, and streams end after what there is."""

    closing = True

    def wait(self, timeout_s: float) -> bool:
        """Hear nothing."""
        return False

    def __enter__(self) -> Ear:
        return self

    def __exit__(self, *_: object) -> None:
        return


class NoBell:
    """A bell that never rings."""

    def listen(self, topic: str) -> Ear:
        """See `ports.Bell`."""
        return Ear()


class Asking:
    """Asks a WSGI application. Every answer is also given to `watch`, which may raise."""

    def __init__(self, app: Callable[..., Iterable[bytes]], watch: Callable[[Reply], None] | None = None) -> None:
        self._app = app
        self._watch = watch

    def ask(
        self,
        method: str,
        target: str,
        token: str | None = None,
        body: Any = None,
        headers: Headers = (),
        content_type: str | None = "application/json",
    ) -> Reply:
        """Send a request. `target` is a path with its query, as it stands in a request line.

        `body` is sent as JSON unless it is bytes; headers of one name are joined, as the server does it.
        """
        path, _, query = target.partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "127.0.0.1",
            "RAW_URI": target,
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        raw = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
        environ["wsgi.input"] = io.BytesIO(raw)
        if body is not None:
            environ["CONTENT_LENGTH"] = str(len(raw))
            if content_type is not None:
                environ["CONTENT_TYPE"] = content_type
        if token is not None:
            environ["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        _add(environ, headers)
        return self._answered(environ)

    def _answered(self, environ: Mapping[str, Any]) -> Reply:
        begun: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[..., None]:
            begun[:] = [int(status[:3]), tuple(headers)]
            return _no_write

        pieces = self._app(environ, start_response)
        try:
            body = b"".join(piece for piece, _ in zip(pieces, range(_MOST_PIECES), strict=False))
        finally:
            if hasattr(pieces, "close"):
                pieces.close()
        reply = Reply(begun[0], begun[1], body)
        if self._watch is not None:
            self._watch(reply)
        return reply


def _no_write(_: bytes) -> None:
    raise AssertionError("nothing here writes past the answer")


def _add(environ: dict[str, Any], headers: Headers) -> None:
    for name, value in headers:
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        seen = environ.get(key)
        environ[key] = value if seen is None or not key.startswith("HTTP_") else f"{seen},{value}"
