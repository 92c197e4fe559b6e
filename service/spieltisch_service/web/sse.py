"""Events on the wire as a stream: Server-Sent Events, or a line of JSON each (NDJSON)."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Request

from spieltisch_service.app.errors import FieldError, InvalidParameter
from spieltisch_service.app.streams import End, Heartbeat, StreamItem
from spieltisch_service.web.response import Response

EVENT_STREAM = "text/event-stream"
NDJSON = "application/x-ndjson"
#: How long a client waits before it comes back, unless it knows better.
RETRY_MS = 1000


class Frames:
    """The pieces of one stream, as bytes; closing it closes the stream behind it."""

    def __init__(self, items: Iterator[StreamItem], media_type: str) -> None:
        self._items = items
        self._sse = media_type == EVENT_STREAM
        self._begun = not self._sse

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if not self._begun:
            self._begun = True
            return b"retry: %d\n\n" % RETRY_MS
        item = next(self._items)
        return sse_frame(item) if self._sse else ndjson_line(item)

    def close(self) -> None:
        """Give the stream's place back. Called by the server when the client is gone."""
        close = getattr(self._items, "close", None)
        if close is not None:
            close()


def sse_frame(item: StreamItem) -> bytes:
    """One frame of Server-Sent Events."""
    if isinstance(item, Heartbeat):
        return b": hb\n\n"
    if isinstance(item, End):
        return b'event: end\ndata: {"reason":"%s"}\n\n' % item.reason.encode()
    return b"id: %d\ndata: %s\n\n" % (item.seq, item.to_json().encode())


def ndjson_line(item: StreamItem) -> bytes:
    """One line of JSON; a heartbeat is an empty one."""
    if isinstance(item, Heartbeat):
        return b"\n"
    if isinstance(item, End):
        return b'{"type":"end","reason":"%s"}\n' % item.reason.encode()
    return item.to_json().encode() + b"\n"


def streamed(items: Iterator[StreamItem], media_type: str) -> Response:
    """The answer that sends `items` as they come, unbuffered and uncompressed."""
    response = Response(Frames(items, media_type), mimetype=media_type)
    response.headers["Cache-Control"] = "private, no-store"
    response.headers["Vary"] = "Accept, Authorization"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def resumed_after(request: Request, after: int) -> tuple[int, str]:
    """Where a stream goes on, and which parameter says so: `Last-Event-ID` beats `after`. Raises `InvalidParameter`."""
    header: str | None = request.environ.get("HTTP_LAST_EVENT_ID")
    if header is None:
        return after, "after"
    if not (header.isascii() and header.isdigit() and len(header) <= 15):
        detail = "Last-Event-ID is the id of an event: digits."
        raise InvalidParameter(detail, errors=[FieldError("bad_format", detail, parameter="Last-Event-ID")])
    return int(header), "Last-Event-ID"
