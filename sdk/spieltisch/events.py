"""A match's events as they happen: server-sent events, read so that a cut, a silence or a restart loses nothing."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from spieltisch import _interrupts
from spieltisch._interrupts import Interrupt, Interrupted
from spieltisch._transport import Stream, Transport
from spieltisch.errors import ConnectionFailed, UnexpectedAnswer
from spieltisch.models import Event

_LONGEST_DELAY_S = 10.0


@dataclass(frozen=True)
class Frame:
    """One frame of a stream: its `event` name (`message` where it has none) and its `data`."""

    event: str
    data: str


class Frames:
    """Cuts a stream of bytes into frames, wherever the pieces begin and end. `retry_s` is what the stream asked for."""

    def __init__(self) -> None:
        self.retry_s = 1.0
        self._rest = b""
        self._event = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[Frame]:
        """The frames that are complete with this piece; one that is not closed by an empty line is none yet."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            frame = self._line(line.removesuffix(b"\r").decode("utf-8", "replace"))
            if frame is not None:
                yield frame

    def _line(self, line: str) -> Frame | None:
        if not line:
            frame = Frame(self._event or "message", "\n".join(self._data)) if self._data else None
            self._event, self._data = "", []
            return frame
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "retry" and value.isdigit():
            self.retry_s = int(value) / 1000
        return None


class EventStream(Iterator[Event]):
    """Events as they come. `close()`, by whichever thread, ends the loop over it and gives its connection back."""

    def __init__(self, events: Generator[Event, None, None]) -> None:
        self._events = events
        self._closed = Interrupt()
        self._reading = threading.Lock()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> Event:
        with self._reading:
            if self._closed.is_set:
                raise StopIteration
            try:
                with self._closed.heard():
                    return next(self._events)
            except Interrupted:
                if not self._closed.is_set:
                    raise
            raise StopIteration

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it; a thread that waits for the next event finds the end of the loop."""
        self._closed.set()
        with self._reading:
            self._events.close()


def follow(transport: Transport, path: str, *, seat: int | None, after: int) -> Generator[Event, None, None]:
    """The events after `after`, each once and in order, and whatever follows, until the match has ended.

    A stream that is cut, falls silent or ends for a reason of the service's own is opened again after the last event.
    Raises ApiError (also when the key is revoked), and ConnectionFailed when no stream could be had for as long as the
    transport retries.
    """
    last = after
    alive_s = time.monotonic()
    cuts = 0
    while True:
        frames = Frames()
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": str(last)} if last else {})
        failure = ConnectionFailed(f"GET {path}: the stream ended before the match")
        with closing(transport.stream(path, {"seat": seat, "after": after}, headers)) as stream:
            try:
                for frame in _frames(stream, frames):
                    alive_s, cuts = time.monotonic(), 0
                    if frame is None:
                        continue
                    content = _content(path, frame)
                    if frame.event == "end":
                        if content.get("reason") == "ended":
                            return
                        break
                    event = _event(path, content)
                    if event.seq > last + 1:
                        break
                    if event.seq == last + 1:
                        last = event.seq
                        yield event
                        alive_s = time.monotonic()
                        if event.ends_match:
                            return
            except ConnectionFailed as error:
                failure = error
        if time.monotonic() - alive_s > transport.retry_for_s:
            raise failure
        delay_s = min(_LONGEST_DELAY_S, frames.retry_s * 2 ** min(cuts, 5))
        cuts += 1
        _interrupts.pause(delay_s * random.uniform(0.5, 1.0))  # noqa: S311  no secret


def _frames(stream: Stream, frames: Frames) -> Iterator[Frame | None]:
    """The frames of a stream; None with every sign of life."""
    for piece in stream:
        yield None
        yield from frames.feed(piece)


def _content(path: str, frame: Frame) -> dict[str, Any]:
    try:
        content = json.loads(frame.data)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise UnexpectedAnswer(f"GET {path}: a frame of the stream holds no JSON object")
    return content


def _event(path: str, content: dict[str, Any]) -> Event:
    try:
        return Event.from_wire(content)
    except (KeyError, TypeError, ValueError):
        pass
    raise UnexpectedAnswer(f"GET {path}: a frame of the stream holds no event")
