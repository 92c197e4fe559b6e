"""Compression of answers at the edge of the process, for callers that accept it.

A layer around the application, put there where it is served (`wsgi`): what the application answers, and what tests
and tools that call it directly read, is plain. Streams are never compressed (they have no length), nor are small
bodies. The same body gives the same bytes, and the ETag stays.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from werkzeug.datastructures import Headers
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
        fields = Headers(headers)
        if not _worth_it(status, fields, environ):
            start_response(status, headers, exc_info)
            return chunks
        varies = fields.get("Vary")
        fields["Vary"] = "Accept-Encoding" if not varies else f"{varies}, Accept-Encoding"
        if environ["REQUEST_METHOD"] == "HEAD" or not _accepted(environ):
            start_response(status, list(fields), exc_info)
            return chunks
        try:
            body = gzip.compress(b"".join(chunks), _LEVEL, mtime=0)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()
        fields["Content-Encoding"] = "gzip"
        fields["Content-Length"] = str(len(body))
        start_response(status, list(fields), exc_info)
        return [body]


def _worth_it(status: str, fields: Headers, environ: WSGIEnvironment) -> bool:
    length = fields.get("Content-Length")
    return (
        length is not None
        and int(length) > SMALLEST_BYTES
        and not status.startswith(_LEFT_ALONE)
        and "Content-Encoding" not in fields
        and environ["REQUEST_METHOD"] != "OPTIONS"
    )


def _accepted(environ: WSGIEnvironment) -> bool:
    header = environ.get("HTTP_ACCEPT_ENCODING")
    if not header or "gzip" not in header:
        return False
    return bool(parse_accept_header(header)["gzip"])


def _no_write(_: bytes) -> None:
    msg = "the application returns its body and never writes it"
    raise RuntimeError(msg)
