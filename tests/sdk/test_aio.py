"""The client for asyncio: the same calls, and a task that is cancelled leaves nothing behind."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest

from spieltisch import Client, Match, Turn, aio, errors
from spieltisch.aio import AsyncClient, AsyncGames, AsyncKeys, AsyncMatch, AsyncMatches, AsyncTournaments, AsyncTurn
from spieltisch.models import MatchInfo
from spieltisch.resources.games import Games
from spieltisch.resources.keys import Keys
from spieltisch.resources.matches import Matches
from spieltisch.resources.tournaments import Tournaments
from tests.sdk.faults import Answer, StandIn
from tests.sdk.test_events import end, frame, stream
from tests.sdk.test_models import MATCH, VIEW

KEY = "spt_key_secretsecretsecret"
PAIRS = [
    (Client, AsyncClient),
    (Games, AsyncGames),
    (Keys, AsyncKeys),
    (Matches, AsyncMatches),
    (Match, AsyncMatch),
    (Tournaments, AsyncTournaments),
    (Turn, AsyncTurn),
]
#: What only makes sense for the one that is not awaited.
SYNC_ONLY = {"transport"}


def public(kind: type) -> dict[str, Any]:
    return {name: value for name, value in inspect.getmembers(kind) if not name.startswith("_")}


@pytest.mark.parametrize(("sync", "wrapped"), PAIRS)
def test_nothing_is_missing(sync: type, wrapped: type) -> None:
    assert set(public(sync)) - set(public(wrapped)) == SYNC_ONLY & set(public(sync))
    for name, value in public(sync).items():
        if inspect.isfunction(value) and name not in SYNC_ONLY:
            ours = inspect.signature(public(wrapped)[name]).parameters
            theirs = inspect.signature(value).parameters
            assert list(ours) == list(theirs) or name == "from_environment", name


@pytest.mark.parametrize("game", ["neues-land", "wunderland"])
def test_a_match_is_played(live_server: str, game: str) -> None:
    options = {"round_limit": 4} if game == "wunderland" else None

    async def play() -> tuple[list[int], list[int], int]:
        async with AsyncClient(live_server) as service:
            me = await service.register("Ada")
            created = await me.matches.create(game, seats=["me", "invite"], options=options)
            guest = await service.join_with_invitation(created.id, created.invitations[0].token, "Bob")
            seen: list[int] = []

            async def watch() -> None:
                async for event in (await service.matches.get(created.id)).events():
                    seen.append(event.seq)

            async def plays(match: AsyncMatch) -> list[int]:
                acted = []
                async for turn in match.turns():
                    assert turn.match.id == created.id
                    done = await turn.act(turn.legal_actions[-1])
                    assert done is not None
                    acted.append(done.version)
                return acted

            watching = asyncio.create_task(watch())
            mine, theirs = await asyncio.gather(plays(created), plays(guest))
            await watching
            assert await created.refresh() is created
            assert created.result is not None
            assert seen == list(range(1, created.version + 1))
            listed = [match.id async for match in me.matches.list(mine=True, page_size=1)]
            assert listed == [created.id]
            assert (await me.games.get(game)).id == game
            return mine, theirs, created.version

    mine, theirs, version = asyncio.run(play())
    assert mine
    assert theirs
    assert max(mine + theirs) == version


def test_errors_and_request_ids_are_those_of_the_client(live_server: str) -> None:
    async def ask() -> None:
        async with AsyncClient(live_server) as service:
            with pytest.raises(errors.NotFound) as caught:
                await service.matches.get("mt_" + "0" * 32)
            assert service.last_request_id == caught.value.request_id

            async def other() -> str | None:
                await service.live()
                return service.last_request_id

            theirs = await asyncio.create_task(other())
            assert theirs is not None
            assert service.last_request_id == caught.value.request_id != theirs

    asyncio.run(ask())


def of(stand_in: StandIn, **options: Any) -> AsyncMatch:
    client = AsyncClient(stand_in.url, KEY, **options)
    return AsyncMatch(Match(client.sync, MatchInfo.from_wire(MATCH)), client._threads)


async def asked(stand_in: StandIn, number: int) -> None:
    while len(stand_in.asked) < number:
        await asyncio.sleep(0.01)


HANGING = Answer(200, VIEW, cut=5, hang=True)
WAITS: dict[str, tuple[list[Answer], Callable[[AsyncMatch], Any]]] = {
    "for an answer": ([HANGING], lambda match: match.view(after=9, wait=25)),
    "for the service to come back": ([Answer.problem(503, "store_unavailable", "50")], lambda match: match.refresh()),
    "for the first event": ([Answer(200, b"retry: 1000\n\n", hang=True)], lambda match: anext(match.events())),
    "for a turn": (
        [Answer(200, {"account": None, "seat": {"match": "mt_1", "seat": 0}}), HANGING],
        lambda match: anext(match.turns()),
    ),
}


@pytest.mark.parametrize("what", WAITS)
def test_a_cancelled_wait_leaves_no_thread_and_sends_nothing_more(stand_in: StandIn, what: str) -> None:
    stand_in.answers, wait = list(WAITS[what][0]), WAITS[what][1]
    requests = len(stand_in.answers)

    async def cancel() -> None:
        match = of(stand_in)
        task = asyncio.ensure_future(wait(match))
        await asyncio.wait_for(asked(stand_in, requests), 60)
        # The thread may be at any point between having sent and waiting.
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not match._threads._running
        match.client.close()

    before = set(threading.enumerate())
    asyncio.run(cancel())
    ours = [each for each in set(threading.enumerate()) - before if each.name.startswith("spieltisch")]
    for thread in ours:
        thread.join(60)
        assert not thread.is_alive()
    assert len(stand_in.asked) == requests


def test_closing_the_client_ends_what_waits(stand_in: StandIn) -> None:
    stand_in.answers = [HANGING]

    async def close() -> None:
        match = of(stand_in)
        task = asyncio.ensure_future(match.view(after=9, wait=25))
        await asyncio.wait_for(asked(stand_in, 1), 60)
        await asyncio.sleep(0.1)
        match.client.close()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(close())


def test_an_iterator_whose_wait_was_cancelled_says_so(stand_in: StandIn) -> None:
    stand_in.answers = [
        Answer(200, frame(1), {"Content-Type": "text/event-stream", "Content-Length": "999"}, hang=True)
    ]

    async def read() -> None:
        events = of(stand_in).events()
        assert (await anext(events)).seq == 1
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext(events), 0.1)
        with pytest.raises(RuntimeError, match="ask the match for another one"):
            await anext(events)

    asyncio.run(read())


def test_a_stream_is_left_early(stand_in: StandIn) -> None:
    stand_in.answers = [stream(frame(1), frame(2), end("ended"))]

    async def read() -> None:
        async with of(stand_in).events() as events:
            async for event in events:
                assert event.seq == 1
                break
        assert [event async for event in events] == []

    asyncio.run(read())


def test_who_looks_on_is_told_in_threads(stand_in: StandIn) -> None:
    stand_in.answers = [Answer.problem(503, "store_unavailable"), Answer(200, {"status": "alive"})]
    told: list[tuple[int | None, int, bool]] = []

    def note(attempt: Any) -> None:
        told.append((attempt.status, attempt.attempt, threading.current_thread() is threading.main_thread()))

    async def ask() -> None:
        async with aio.AsyncClient(stand_in.url, on_request=note) as client:
            assert await client.live() == {"status": "alive"}

    asyncio.run(ask())
    assert told == [(503, 1, False), (200, 2, False)]
