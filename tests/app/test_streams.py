"""Streams give the whole log once, whatever happens, and say why they end."""

import threading
from collections.abc import Iterator
from itertools import islice

import pytest

from spieltisch_service.app import accounts, errors, streams
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.app.streams import End, Heartbeat, StreamItem
from spieltisch_service.domain.events import LoggedEvent
from spieltisch_service.store.connection import connect
from spieltisch_service.store.hub import Hub
from tests.app.test_playing import hot_seat, play_on
from tests.conftest import SECRET


def test_a_stream_is_the_log_and_ends_with_the_match(service: Service, other_worker: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "wunderland", round_limit=2)
    items: list[StreamItem] = []
    reader = threading.Thread(target=lambda: items.extend(service.streams.open(ANONYMOUS, match_id, after=0)))
    reader.start()
    play_on(other_worker, ada, match_id, 400)
    reader.join(120)
    log = service.live.log(match_id, service.live.fresh(match_id).match.version)
    assert items == [*log, End("ended")]
    for after in range(len(log) + 1):
        assert list(service.streams.open(ANONYMOUS, match_id, after=after)) == [*log[after:], End("ended")]


def test_a_stopping_process_ends_its_streams(ada: Caller, service: Service, clean_valkey: str) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    hub = Hub(clean_valkey)
    worker = Service(connect(clean_valkey), hub, SECRET)
    stream = worker.streams.open(ANONYMOUS, match_id, after=2)
    items: list[StreamItem] = []
    reader = threading.Thread(target=lambda: items.extend(stream))
    reader.start()
    hub.close()
    reader.join(120)
    assert items == [End("shutdown")]


def test_a_quiet_stream_beats(service: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.02)
    match_id = hot_seat(service, ada, "neues-land")
    stream = service.streams.open(ANONYMOUS, match_id, after=1)
    assert [type(item) for item in islice(stream, 3)] == [LoggedEvent, Heartbeat, Heartbeat]


def test_a_stream_whose_token_has_ended_is_revoked(
    service: Service, ada: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.02)
    monkeypatch.setattr(accounts, "TRUST_S", 0.1)
    match_id = service.matches.create(ada, NewMatch("wunderland", ["me", "me"], visibility="private"), None).body["id"]
    stream = service.streams.open(ada, match_id, after=2)
    assert next(stream) == Heartbeat()
    service.accounts.erase(ada)
    assert End("revoked") in list(stream)


def test_a_stream_of_a_private_match_ends_with_the_seat(
    service: Service, ada: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.02)
    monkeypatch.setattr(streams, "TRUST_S", 0.1)
    wanted = NewMatch("wunderland", ["me", "invite"], visibility="private", start="manual")
    match = service.matches.create(ada, wanted, None).body
    asked = {"seat": None, "nonce": None, "name": None, "once": None}
    service.seats.join(bob, match["id"], invitation=match["invitations"][0]["token"], **asked)
    stream = service.streams.open(bob, match["id"], after=2)
    assert next(stream) == Heartbeat()
    service.seats.leave(ada, match["id"], 1)
    items = list(stream)
    assert items[-1] == End("revoked")
    with pytest.raises(errors.NotFound):
        service.streams.open(bob, match["id"], after=2)


def test_a_long_stream_rotates(service: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ROTATE_S", 0.0)
    match_id = hot_seat(service, ada, "neues-land")
    assert list(service.streams.open(ANONYMOUS, match_id, after=2)) == [End("rotate")]


def test_a_slow_reader_is_sent_away(service: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SLOW_S", -1.0)
    match_id = hot_seat(service, ada, "neues-land")
    assert [type(item) for item in service.streams.open(ANONYMOUS, match_id, after=0)] == [LoggedEvent, End]


def test_the_cap_counts_open_streams_only(service: Service, ada: Caller, clean_valkey: str) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    worker = Service(connect(clean_valkey), service.bell, SECRET, stream_cap=2)
    held: list[Iterator[StreamItem]] = [worker.streams.open(ANONYMOUS, match_id, after=0) for _ in range(2)]
    next(held[0])
    with pytest.raises(errors.TooManyStreams):
        worker.streams.open(ANONYMOUS, match_id, after=0)
    for stream in held:
        stream.close()  # type: ignore[attr-defined]
        stream.close()  # type: ignore[attr-defined]
    finished = hot_seat(service, ada, "neues-land")
    service.seats.resign(ada, finished, 0, None)
    assert End("ended") in list(worker.streams.open(ANONYMOUS, finished, after=0))
    again = [worker.streams.open(ANONYMOUS, match_id, after=0) for _ in range(2)]
    with pytest.raises(errors.TooManyStreams):
        worker.streams.open(ANONYMOUS, match_id, after=0)
    assert len(again) == 2


def test_nobody_reads_ahead_of_the_log(service: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    with pytest.raises(errors.AheadOfLog):
        service.streams.open(ANONYMOUS, match_id, after=3)
    with pytest.raises(errors.AheadOfLog):
        service.streams.page(ANONYMOUS, match_id, after=3, limit=1, wait_s=0)
    assert service.streams.page(ANONYMOUS, match_id, after=2, limit=1, wait_s=0) == {"version": 2, "events": []}
