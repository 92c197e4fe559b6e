"""The answer to what cannot be read as an HTTP request, and so never reaches the application."""

from __future__ import annotations

import orjson

from spieltisch_service.web.problems import MEDIA_TYPE, document, new_request_id

_DETAIL = "The request line or a header is too long, or not as HTTP has it."


def answer_to_unreadable() -> bytes:
    """A whole HTTP answer, a problem document, after which the connection is closed. Nothing that came is repeated."""
    request_id = new_request_id()
    body = orjson.dumps(document("invalid_parameter", _DETAIL, request_id))
    head = (
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nCache-Control: no-store\r\n"
        f"X-Content-Type-Options: nosniff\r\nX-Request-Id: {request_id}\r\n"
        f"Content-Type: {MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
