"""Streams, byte for byte."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from spieltisch_service.app.service import Service
from spieltisch_service.app.streams import End, Heartbeat, StreamItem
from spieltisch_service.domain.events import LoggedEvent
from spieltisch_service.web.sse import EVENT_STREAM, NDJSON, Frames
from tests.web.checked import Checked, Person

BODY = '{"data":{"note":"\\n\u00e9"},"seat":null,"seq":3,"type":"action"}'
EVENT = LoggedEvent(3, BODY, "ab" * 32, 1_000)


class Items:
    """A stream that tells whether it was closed."""

    def __init__(self, *items: StreamItem) -> None:
        self._items = iter(items)
        self.closed = False

    def __iter__(self) -> Iterator[StreamItem]:
        return self

    def __next__(self) -> StreamItem:
        return next(self._items)

    def close(self) -> None:
        self.closed = True


def test_the_frames_of_server_sent_events() -> None:
    frames = list(Frames(Items(EVENT, Heartbeat(), End("rotate")), EVENT_STREAM))
    assert frames[0] == b"retry: 1000\n\n"
    lines = frames[1].split(b"\n")
    assert lines[0] == b"id: 3"
    assert lines[1].startswith(b"data: ")
    assert lines[2:] == [b"", b""]
    assert json.loads(lines[1][6:]) == json.loads(BODY) | {"at": "1970-01-01T00:00:01.000Z", "hash": "ab" * 32}
    assert frames[2] == b": hb\n\n"
    assert frames[3] == b'event: end\ndata: {"reason":"rotate"}\n\n'


def test_the_lines_of_ndjson() -> None:
    lines = list(Frames(Items(EVENT, Heartbeat(), End("slow")), NDJSON))
    assert lines[0].endswith(b"\n")
    assert lines[0].count(b"\n") == 1
    assert json.loads(lines[0])["seq"] == 3
    assert lines[1:] == [b"\n", b'{"type":"end","reason":"slow"}\n']


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_closing_gives_the_place_back_however_far_it_came(taken: int) -> None:
    items = Items(EVENT, EVENT)
    frames = Frames(items, EVENT_STREAM)
    for _ in range(taken):
        next(frames)
    frames.close()
    assert items.closed


def events_of(sent: str) -> list[Any]:
    """The events of a stream of server-sent events."""
    frames = [frame.split("\n") for frame in sent.split("\n\n")]
    return [json.loads(frame[1].removeprefix("data: ")) for frame in frames if frame[0].startswith("id: ")]


def test_all_three_forms_tell_the_same(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me"])
    ada.plays_to_the_end(path)
    page = Checked.ok(client.get(f"{path}/events"))
    assert page["version"] == len(page["events"])
    stream = client.get(f"{path}/events", headers={"Accept": EVENT_STREAM})
    assert events_of(stream.text) == page["events"]
    assert stream.text.endswith('event: end\ndata: {"reason":"ended"}\n\n')
    lines = client.get(f"{path}/events", headers={"Accept": NDJSON}).text.splitlines()
    assert [json.loads(line) for line in lines[:-1]] == page["events"]
    assert json.loads(lines[-1]) == {"type": "end", "reason": "ended"}


def test_a_stream_is_neither_kept_nor_held_back_nor_compressed(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me"])
    ada.plays_to_the_end(path)
    stream = client.get(f"{path}/events", headers={"Accept": EVENT_STREAM, "Accept-Encoding": "gzip"})
    assert stream.headers["X-Accel-Buffering"] == "no"
    assert "no-store" in stream.headers["Cache-Control"]
    assert "Content-Encoding" not in stream.headers
    assert "Content-Length" not in stream.headers
    assert stream.mimetype == EVENT_STREAM


@pytest.mark.parametrize("cut", range(0, 8))
def test_a_stream_goes_on_where_it_was_cut(client: Checked, ada: Person, cut: int) -> None:
    path = ada.creates(["me", "me"])
    ada.plays_to_the_end(path)
    whole = Checked.ok(client.get(f"{path}/events"))["events"]
    headers = {"Accept": EVENT_STREAM, "Last-Event-ID": str(cut)}
    rest = client.get(f"{path}/events?after=2", headers=headers)
    assert events_of(rest.text) == whole[cut:]


@pytest.mark.parametrize("wrong", ["x", "-1", "1.0", "\u00b2", "9" * 16])
def test_a_wrong_last_event_id_is_refused(client: Checked, ada: Person, wrong: str) -> None:
    path = ada.creates(["me", "me"])
    answer = client.get(f"{path}/events", headers={"Accept": EVENT_STREAM, "Last-Event-ID": wrong})
    assert answer.status_code == 400
    assert answer.json is not None
    assert answer.json["errors"][0]["parameter"] == "Last-Event-ID"


def test_a_stream_that_is_ahead_is_refused_before_its_first_byte(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me"])
    answer = client.get(f"{path}/events", headers={"Accept": NDJSON, "Last-Event-ID": "99"})
    assert (answer.status_code, answer.mimetype) == (409, "application/problem+json")


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("text/event-stream", EVENT_STREAM),
        ("application/x-ndjson, application/json;q=0.5", NDJSON),
        ("text/html, */*;q=0.1", "application/json"),
    ],
)
def test_the_form_is_chosen_by_accept(client: Checked, ada: Person, accept: str | None, media_type: str) -> None:
    path = ada.creates(["me", "me"])
    ada.plays_to_the_end(path)
    headers = {} if accept is None else {"Accept": accept}
    assert client.get(f"{path}/events", headers=headers).mimetype == media_type


def test_a_waiting_page_comes_with_the_event(service: Service, client: Checked, ada: Person, bob: Person) -> None:
    path = ada.creates(["me", "open"])
    found: list[Any] = []
    waiting = threading.Thread(target=lambda: found.append(client.get(f"{path}/events?after=1&wait=25").json))
    waiting.start()
    # Joining is what the other waits for, whether it listens already or not.
    time.sleep(0.05)
    assert bob.post(f"{path}/seats").status_code == 201
    waiting.join(timeout=60)
    assert [event["type"] for event in found[0]["events"]][:1] == ["seat_taken"]
