"""Compression of answers at the edge of the process, for callers that accept it.

A layer around the application, put there where it is served (`wsgi`): what the application answers, and what tests
and tools that call it directly read, is plain. Streams are never compressed (they have no length), nor are small
bodies. The same body gives the same bytes, and the ETag stays.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from werkzeug.http import parse_accept_header

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SMALLEST_BYTES = 1024
#: The fastest level; JSON of a view shrinks to a fifth even so.
_LEVEL = 1
#: No body, or only a part of one.
_LEFT_ALONE = ("1", "204", "206", "304")


class Compressed:
    """A WSGI application whose longer bodies are compressed with gzip."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """See PEP 3333."""
        started: list[Any] = []

        def remember(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            started[:] = [status, headers, exc_info]
            return _no_write

        chunks = self._application(environ, remember)
        status, headers, exc_info = started
        if not _is_worth_it(status, headers, environ):
            start_response(status, headers, exc_info)
            return chunks
        varies = [value for name, value in headers if name.lower() == "vary"]
        headers = [each for each in headers if each[0].lower() != "vary"]
        headers.append(("Vary", ", ".join((*varies, "Accept-Encoding"))))
        if environ["REQUEST_METHOD"] == "HEAD" or not _accepted(environ):
            start_response(status, headers, exc_info)
            return chunks
        try:
            body = gzip.compress(b"".join(chunks), _LEVEL, mtime=0)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()
        headers = [each for each in headers if each[0].lower() != "content-length"]
        start_response(status, [*headers, ("Content-Encoding", "gzip"), ("Content-Length", str(len(body)))], exc_info)
        return [body]


def _is_worth_it(status: str, headers: list[tuple[str, str]], environ: WSGIEnvironment) -> bool:
    if status.startswith(_LEFT_ALONE) or environ["REQUEST_METHOD"] == "OPTIONS":
        return False
    is_long = False
    for name, value in headers:
        if name.lower() == "content-encoding":
            return False
        if name.lower() == "content-length":
            is_long = int(value) > SMALLEST_BYTES
    return is_long


def _accepted(environ: WSGIEnvironment) -> bool:
    header = environ.get("HTTP_ACCEPT_ENCODING")
    if not header or "gzip" not in header:
        return False
    return bool(parse_accept_header(header)["gzip"])


def _no_write(_: bytes) -> None:
    msg = "the application returns its body and never writes it"
    raise RuntimeError(msg)
