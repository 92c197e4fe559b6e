"""Compression of answers, for callers that accept it. Streams are never compressed, nor are small bodies."""

from __future__ import annotations

import gzip

from flask import Request, Response

SMALLEST_BYTES = 1024
#: The fastest level; JSON of a view shrinks to a fifth even so.
_LEVEL = 1


def compressed(request: Request, response: Response) -> Response:
    """Compress the body where it is worth it and accepted. The same body gives the same bytes; the ETag stays."""
    if response.is_streamed or response.direct_passthrough:
        return response
    # A list of one item by now: what is not streamed was built in memory.
    body = response.get_data()
    if len(body) <= SMALLEST_BYTES or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    accepted = request.environ.get("HTTP_ACCEPT_ENCODING")
    if accepted and "gzip" in accepted and request.accept_encodings["gzip"] > 0:
        response.set_data(gzip.compress(body, _LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response
