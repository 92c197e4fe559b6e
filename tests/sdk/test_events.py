"""Streams that are cut, fall silent or end for another reason: the same events, each once."""

import json
import random
import threading
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from spieltisch import Client, Match, _transport, errors
from spieltisch.events import Frame, Frames
from spieltisch.models import Event, MatchInfo
from tests.sdk.conftest import Clock
from tests.sdk.faults import Answer, CuttingProxy, StandIn
from tests.sdk.test_models import EVENT, MATCH

Clients = Callable[..., Client]
SSE = {"Content-Type": "text/event-stream"}


def frame(seq: int, type_: str = "action") -> bytes:
    return f"id: {seq}\ndata: {json.dumps({**EVENT, 'seq': seq, 'type': type_})}\n\n".encode()


def end(reason: str) -> bytes:
    return f'event: end\ndata: {{"reason": "{reason}"}}\n\n'.encode()


def stream(*frames: bytes) -> Answer:
    return Answer(200, b"retry: 1000\n\n" + b"".join(frames), SSE)


def match_of(client: Client) -> Match:
    return Match(client, MatchInfo.from_wire(MATCH))


# --- frames -------------------------------------------------------------------------------------------------

TEXT = (
    'retry: 250\r\n\r\n: hb\n\nid: 7\ndata: {"ort":\n'
    'data:"Köln"}\n\n: hb\n\nevent: end\ndata: {"reason": "ended"}\n\ndata: unfinished'
).encode()
FRAMES = [Frame("message", '{"ort":\n"Köln"}'), Frame("end", '{"reason": "ended"}')]


def test_frames_are_the_same_however_the_bytes_come() -> None:
    for first in range(len(TEXT)):
        for second in (first, first + 1, first + 7):
            frames = Frames()
            pieces = TEXT[:first], TEXT[first:second], TEXT[second:]
            assert [each for piece in pieces for each in frames.feed(piece)] == FRAMES
            assert frames.retry_s == 0.25


# --- why a stream ends --------------------------------------------------------------------------------------


def test_the_end_of_the_match_ends_the_stream(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [stream(frame(1), frame(2), end("ended"))]
    assert [event.seq for event in match_of(client_of()).events()] == [1, 2]
    assert len(stand_in.asked) == 1
    assert stand_in.asked[0].path == "/v1/matches/mt_1/events?after=0"
    assert stand_in.asked[0].headers["Accept"] == "text/event-stream"


@pytest.mark.parametrize("type_", ["match_finished", "match_aborted"])
def test_the_last_event_ends_the_stream_if_its_end_is_lost(
    stand_in: StandIn, client_of: Clients, clock: Clock, type_: str
) -> None:
    stand_in.answers = [stream(frame(1), frame(2, type_)), Answer.problem(500, "internal")]
    assert [event.seq for event in match_of(client_of()).events()] == [1, 2]


@pytest.mark.parametrize("reason", ["shutdown", "rotate", "slow", "of a newer service"])
def test_other_ends_are_resumed(stand_in: StandIn, client_of: Clients, clock: Clock, reason: str) -> None:
    stand_in.answers = [stream(frame(1), frame(2), end(reason)), stream(frame(3), end("ended"))]
    assert [event.seq for event in match_of(client_of()).events()] == [1, 2, 3]
    assert [asked.headers.get("Last-Event-ID") for asked in stand_in.asked] == [None, "2"]
    assert len(clock.slept) == 1


def test_a_revoked_key_is_told(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [stream(frame(1), end("revoked")), Answer.problem(401, "unauthenticated")]
    events = match_of(client_of()).events()
    assert next(events).seq == 1
    with pytest.raises(errors.Unauthenticated):
        next(events)


def test_a_silent_stream_is_opened_again(
    stand_in: StandIn, client_of: Clients, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_transport, "SILENCE_S", 0.1)
    silent = stream(frame(1))
    silent.headers = {**SSE, "Content-Length": "100000"}
    silent.hang = True
    give = stand_in.give

    def by_what_is_known(handler: Any, _: Answer) -> None:
        """The first event may be late, too, on a busy machine, and the stream be opened again before it comes."""
        give(handler, stream(frame(2), end("ended")) if "Last-Event-ID" in handler.headers else silent)

    monkeypatch.setattr(stand_in, "give", by_what_is_known)
    assert [event.seq for event in match_of(client_of()).events()] == [1, 2]
    assert [asked.headers.get("Last-Event-ID") for asked in stand_in.asked][-1] == "1"


def test_silence_is_longer_than_two_heartbeats() -> None:
    assert 20 < _transport.SILENCE_S <= 30


def test_events_that_come_twice_are_given_once(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [stream(frame(1), frame(2)), stream(frame(1), frame(2), frame(3), end("ended"))]
    assert [event.seq for event in match_of(client_of()).events()] == [1, 2, 3]


def test_a_gap_is_asked_for_again(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [stream(frame(1), frame(3), end("ended")), stream(frame(2), frame(3), end("ended"))]
    assert [event.seq for event in match_of(client_of()).events()] == [1, 2, 3]
    assert stand_in.asked[1].headers["Last-Event-ID"] == "1"


def test_too_many_streams_are_waited_for(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [Answer.problem(503, "too_many_streams", "5"), stream(frame(1), end("ended"))]
    assert [event.seq for event in match_of(client_of()).events()] == [1]
    assert clock.slept[0] >= 5


def test_a_stream_that_never_brings_anything_is_given_up(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [Answer(200, b"", SSE)]
    with pytest.raises(errors.ConnectionFailed):
        next(match_of(client_of(retry_for=30)).events())
    assert 30 < sum(clock.slept) < 60


def test_what_is_no_event_is_unexpected(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    for data in (b"data: nothing\n\n", b"data: []\n\n", b'data: {"seq": 1}\n\n'):
        stand_in.answers = [Answer(200, data, SSE)]
        with pytest.raises(errors.UnexpectedAnswer):
            next(match_of(client_of()).events())


# --- a real log ---------------------------------------------------------------------------------------------


@pytest.fixture
def ended_match(ada: Client) -> Match:
    match = ada.matches.create("wunderland", ["me", "me"], options={"round_limit": 1})
    for turn in match.turns():
        turn.act(turn.legal_actions[0])
    return match


def seen_through(proxy: CuttingProxy, match: Match) -> Match:
    return Client(proxy.url, match.client.key).matches.get(match.id)


def test_a_stream_that_is_cut_anywhere_gives_the_same_transcript(
    ended_match: Match, proxy: CuttingProxy, clock: Clock
) -> None:
    expected = list(ended_match.events())
    assert [event.seq for event in expected] == list(range(1, ended_match.version + 1))
    assert expected == list(ended_match.event_page().events)
    watched = seen_through(proxy, ended_match)
    for cut in range(0, 4000, 61):
        proxy.cuts = [cut, cut // 2 + 300]
        assert list(watched.events()) == expected, cut
    watched.client.close()


def test_a_stream_begins_where_it_is_told(ended_match: Match) -> None:
    last = ended_match.version
    assert [event.seq for event in ended_match.events(after=last - 2)] == [last - 1, last]
    assert list(ended_match.events(after=last)) == []
    with pytest.raises(errors.AheadOfLog):
        next(ended_match.events(after=last + 1))


def test_a_running_match_is_followed_over_cuts(ada: Client, proxy: CuttingProxy, clock: Clock) -> None:
    match = ada.matches.create("neues-land", ["me", "bot:random"])
    watched = seen_through(proxy, match)
    rng = random.Random(7)
    proxy.cuts = [rng.randrange(4000) for _ in range(40)]
    transcript: list[Event] = []
    watching = threading.Thread(target=lambda: transcript.extend(watched.events()))
    watching.start()
    for turn in match.turns():
        turn.act(rng.choice(turn.legal_actions))
    watching.join(240)
    assert transcript == list(match.events())
    assert transcript[-1].type == "match_finished"
    assert len(proxy.cuts) < 40


def test_a_stream_that_is_left_gives_its_connection_back(ada: Client) -> None:
    match = ada.matches.create("neues-land", ["me", "me"])
    events = match.events()
    assert [event.type for event in islice(events, 2)] == ["match_created", "match_started"]
    events.close()  # type: ignore[attr-defined]
    assert match.view(seat=0).version == 2


# --- closing ------------------------------------------------------------------------------------------------


def test_another_thread_closes_a_stream(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [Answer(200, b"retry: 1000\n\n" + frame(1), {**SSE, "Content-Length": "999"}, hang=True)]
    events = match_of(client_of()).events()
    seen: list[int] = []
    first = threading.Event()

    def read() -> None:
        for event in events:
            seen.append(event.seq)
            first.set()

    thread = threading.Thread(target=read)
    thread.start()
    assert first.wait(60)
    events.close()
    # Left to itself, the stream would be opened again once it was silent for long enough, and never end.
    thread.join(60)
    assert not thread.is_alive()
    assert seen == [1]
    assert list(events) == []
    assert len(stand_in.asked) == 1


def test_a_pause_between_streams_is_ended_as_well(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [Answer(200, b"retry: 600000\n\n" + frame(1) + end("rotate"), SSE)]
    told: list[object] = []
    with match_of(client_of(on_request=told.append)).events() as events:
        assert next(events).seq == 1
        thread = threading.Thread(target=lambda: told.append(next(events, "ended")))
        thread.start()
    thread.join(60)
    assert told[1:] == ["ended"]
