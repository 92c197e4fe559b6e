"""The same client for asyncio: each method of `Client`, `Match` and the others, to be awaited.

    async with AsyncClient("http://localhost:8000") as service:
        me = await service.register("Ada")
        match = await me.matches.create("neues-land", seats=["me", "bot:random"])
        async for turn in match.turns():
            await turn.act(turn.legal_actions[0])

Nothing is done twice here: every call runs the method of the same name in a thread. Cancelling a task, or leaving
`async with`, ends what its thread waits for; a POST that was cancelled may have been carried out.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from spieltisch._interrupts import Interrupt, Interrupted
from spieltisch._transport import Transport
from spieltisch.client import Client
from spieltisch.models import Actions, Invitation, MatchInfo, Result, Seat, View
from spieltisch.resources.games import Games
from spieltisch.resources.keys import Keys
from spieltisch.resources.match import Match
from spieltisch.resources.matches import Matches
from spieltisch.resources.tournaments import Tournaments
from spieltisch.resources.turns import Turn

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
_Async = Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]

_END: Any = object()
_last_request_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("spieltisch_request", default=None)


class _Threads:
    """Runs calls in threads, as many as wait at once up to `most`, and ends them with their tasks."""

    def __init__(self, transport: Transport, most: int) -> None:
        self._transport = transport
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="spieltisch")
        self._running: set[Interrupt] = set()

    async def run(self, function: Callable[..., R], *arguments: Any, **options: Any) -> R:
        """What the function returns. Cancelled, it returns once its thread has ended, which is soon."""
        interrupt = Interrupt()
        noted: list[str | None] = []

        def call() -> R:
            try:
                with interrupt.heard():
                    return function(*arguments, **options)
            finally:
                noted.append(self._transport.last_request_id)

        job = self._pool.submit(contextvars.copy_context().run, call)
        done = asyncio.wrap_future(job)
        # Whoever was cancelled does not ask for the outcome, and asyncio would complain.
        done.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._running.add(interrupt)
        try:
            return await asyncio.shield(done)
        except Interrupted:
            raise asyncio.CancelledError("the client was closed") from None
        except asyncio.CancelledError:
            interrupt.set()
            if not job.cancel():
                await asyncio.wait([done])
            raise
        finally:
            self._running.discard(interrupt)
            if noted:
                _last_request_id.set(noted[0])

    def close(self) -> None:
        for interrupt in list(self._running):
            interrupt.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


class AsyncStream(AsyncIterator[R]):
    """What an iterator of the client gives, one after the other. `async with` or `aclose` ends it early.

    A wait that was cancelled ends it, too: ask the match for another one.
    """

    def __init__(self, threads: _Threads, iterator: Iterator[Any], wrap: Callable[[Any], R]) -> None:
        self._threads = threads
        self._iterator = iterator
        self._wrap = wrap
        self._cancelled = False

    def __aiter__(self) -> AsyncStream[R]:
        return self

    async def __anext__(self) -> R:
        if self._cancelled:
            raise RuntimeError("this iterator ended when a wait for it was cancelled; ask the match for another one")
        try:
            value = await self._threads.run(next, self._iterator, _END)
        except asyncio.CancelledError:
            self._cancelled = True
            raise
        if value is _END:
            raise StopAsyncIteration
        return self._wrap(value)

    async def __aenter__(self) -> AsyncStream[R]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End it and give its connection back."""
        close: Callable[[], None] = getattr(self._iterator, "close", lambda: None)
        await self._threads.run(close)


class _Facade(Generic[S]):
    """Stands before an object of the client, which `sync` is, and runs its methods in threads."""

    def __init__(self, sync: S, threads: _Threads) -> None:
        self._sync = sync
        self._threads = threads

    def __repr__(self) -> str:
        return f"<async {self._sync!r}>"

    @property
    def sync(self) -> S:
        """The object of `spieltisch` itself."""
        return self._sync


def _told(name: str) -> Any:
    """What the object knows by itself, without asking the service."""
    return property(lambda facade: getattr(facade._sync, name))


def _calls(function: Callable[Concatenate[S, P], R]) -> _Async[P, R]:
    @functools.wraps(function)
    async def call(facade: _Facade[S], /, *arguments: P.args, **options: P.kwargs) -> R:
        return await facade._threads.run(function, facade._sync, *arguments, **options)

    return call


def _gives_match(function: Callable[Concatenate[S, P], Match]) -> _Async[P, AsyncMatch]:
    @functools.wraps(function)
    async def call(facade: _Facade[S], /, *arguments: P.args, **options: P.kwargs) -> AsyncMatch:
        found = await facade._threads.run(function, facade._sync, *arguments, **options)
        asked: object = facade
        # A match that returns itself does so here as well.
        if isinstance(asked, AsyncMatch) and asked.sync is found:
            return asked
        return AsyncMatch(found, facade._threads)

    return call


def _gives_client(function: Callable[Concatenate[S, P], Client]) -> _Async[P, AsyncClient]:
    @functools.wraps(function)
    async def call(facade: _Facade[S], /, *arguments: P.args, **options: P.kwargs) -> AsyncClient:
        return AsyncClient._of(
            await facade._threads.run(function, facade._sync, *arguments, **options), facade._threads
        )

    return call


def _iterates(
    function: Callable[Concatenate[S, P], Iterator[R]],
) -> Callable[Concatenate[Any, P], AsyncStream[R]]:
    @functools.wraps(function)
    def start(facade: _Facade[S], /, *arguments: P.args, **options: P.kwargs) -> AsyncStream[R]:
        return AsyncStream(facade._threads, function(facade._sync, *arguments, **options), lambda value: value)

    return start


def _finds_matches(
    function: Callable[Concatenate[S, P], Iterator[Match]],
) -> Callable[Concatenate[Any, P], AsyncStream[AsyncMatch]]:
    @functools.wraps(function)
    def start(facade: _Facade[S], /, *arguments: P.args, **options: P.kwargs) -> AsyncStream[AsyncMatch]:
        threads = facade._threads
        matches = function(facade._sync, *arguments, **options)
        return AsyncStream(threads, matches, lambda match: AsyncMatch(match, threads))

    return start


class AsyncGames(_Facade[Games]):
    """The games that a service knows."""

    list = _calls(Games.list)
    get = _calls(Games.get)
    rules = _calls(Games.rules)


class AsyncKeys(_Facade[Keys]):
    """The API keys of the client's account."""

    list = _calls(Keys.list)
    get = _calls(Keys.get)
    create = _calls(Keys.create)
    revoke = _calls(Keys.revoke)
    rotate = _calls(Keys.rotate)


class AsyncTournaments(_Facade[Tournaments]):
    """The tournaments of a service."""

    create = _calls(Tournaments.create)
    invite = _calls(Tournaments.invite)
    start = _calls(Tournaments.start)
    pause = _calls(Tournaments.pause)
    resume = _calls(Tournaments.resume)
    stop = _calls(Tournaments.stop)
    cancel = _calls(Tournaments.cancel)
    pair = _calls(Tournaments.pair)
    enter = _calls(Tournaments.enter)
    withdraw = _calls(Tournaments.withdraw)
    get = _calls(Tournaments.get)
    event_page = _calls(Tournaments.event_page)
    rounds = _calls(Tournaments.rounds)
    standings = _calls(Tournaments.standings)
    crosstable = _calls(Tournaments.crosstable)
    statistics = _calls(Tournaments.statistics)
    results = _calls(Tournaments.results)
    report = _calls(Tournaments.report)
    export = _calls(Tournaments.export)
    ratings = _calls(Tournaments.ratings)
    events = _iterates(Tournaments.events)
    list = _iterates(Tournaments.list)


class AsyncTurn(_Facade[Turn]):
    """A decision of one seat: what it sees, and what it may do."""

    view: View = _told("view")
    seat: int = _told("seat")
    legal_actions: Actions = _told("legal_actions")
    remaining_ms: int | None = _told("remaining_ms")

    @property
    def match(self) -> AsyncMatch:
        """The match that it is a turn of."""
        return AsyncMatch(self._sync.match, self._threads)

    text = _calls(Turn.text)
    act = _calls(Turn.act)


class AsyncMatch(_Facade[Match]):
    """One match, as one client sees it and acts in it."""

    info: MatchInfo = _told("info")
    id: str = _told("id")
    game: str = _told("game")
    status: str = _told("status")
    ended: bool = _told("ended")
    version: int = _told("version")
    seats: tuple[Seat, ...] = _told("seats")
    result: Result | None = _told("result")
    seat_tokens: dict[int, str] = _told("seat_tokens")
    invitations: tuple[Invitation, ...] = _told("invitations")

    @property
    def client(self) -> AsyncClient:
        """Who sees and acts."""
        return AsyncClient._of(self._sync.client, self._threads)

    refresh = _gives_match(Match.refresh)
    view = _calls(Match.view)
    legal_actions = _calls(Match.legal_actions)
    board_text = _calls(Match.board_text)
    record = _calls(Match.record)
    export = _calls(Match.export)
    events = _iterates(Match.events)
    event_page = _calls(Match.event_page)
    act = _calls(Match.act)
    own_seats = _calls(Match.own_seats)
    resign = _gives_match(Match.resign)
    start = _gives_match(Match.start)
    replace_token = _calls(Match.replace_token)
    invite = _calls(Match.invite)
    list_invitations = _calls(Match.list_invitations)
    revoke_invitation = _calls(Match.revoke_invitation)
    leave = _gives_match(Match.leave)
    abort = _gives_match(Match.abort)
    rematch = _gives_match(Match.rematch)

    def turns(self, seat: int | None = None) -> AsyncStream[AsyncTurn]:
        """A turn whenever this client must act, until the match has ended."""
        threads = self._threads

        def turns() -> Iterator[Turn]:
            # Asking which seats are held is a request, so it belongs into the thread too.
            yield from self._sync.turns(seat)

        return AsyncStream(threads, turns(), lambda turn: AsyncTurn(turn, threads))


class AsyncMatches(_Facade[Matches]):
    """The matches of a service, as the client may see them."""

    create = _gives_match(Matches.create)
    get = _gives_match(Matches.get)
    join = _gives_match(Matches.join)
    export_all = _iterates(Matches.export_all)
    list = _finds_matches(Matches.list)


class AsyncClient(_Facade[Client]):
    """`Client` for asyncio.

    most_threads: how many calls may wait for the service at once; a turn that is waited for is one.
    options: as of `Client`; `on_request` is called in threads.
    """

    def __init__(self, url: str, key: str | None = None, *, most_threads: int = 1000, **options: Any) -> None:
        sync = Client(url, key, **options)
        super().__init__(sync, _Threads(sync.transport, most_threads))

    @classmethod
    def _of(cls, sync: Client, threads: _Threads) -> AsyncClient:
        client = cls.__new__(cls)
        _Facade.__init__(client, sync, threads)
        return client

    @classmethod
    def from_environment(cls, *, most_threads: int = 1000, **options: Any) -> AsyncClient:
        """The client that SPIELTISCH_URL and SPIELTISCH_KEY describe. Raises ValueError."""
        sync = Client.from_environment(**options)
        return cls._of(sync, _Threads(sync.transport, most_threads))

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End whatever this client, and those made from it, wait for. It cannot be used any more."""
        self._threads.close()

    url: str = _told("url")
    key: str | None = _told("key")

    @property
    def last_request_id(self) -> str | None:
        """What the service calls the last request of this task that it answered."""
        return _last_request_id.get()

    @property
    def games(self) -> AsyncGames:
        """The catalogue."""
        return AsyncGames(self._sync.games, self._threads)

    @property
    def keys(self) -> AsyncKeys:
        """The API keys of the client's account."""
        return AsyncKeys(self._sync.keys, self._threads)

    @property
    def matches(self) -> AsyncMatches:
        """The matches."""
        return AsyncMatches(self._sync.matches, self._threads)

    @property
    def tournaments(self) -> AsyncTournaments:
        """The tournaments, and the ratings that come of them."""
        return AsyncTournaments(self._sync.tournaments, self._threads)

    def with_key(self, key: str) -> AsyncClient:
        """A client of the same service for another key."""
        return AsyncClient._of(self._sync.with_key(key), self._threads)

    register = _gives_client(Client.register)
    me = _calls(Client.me)
    identity = _calls(Client.identity)
    erase = _calls(Client.erase)
    decisions = _calls(Client.decisions)
    sandbox = _calls(Client.sandbox)
    join_with_invitation = _gives_match(Client.join_with_invitation)
    links = _calls(Client.links)
    spec = _calls(Client.spec)
    problem = _calls(Client.problem)
    live = _calls(Client.live)
    ready = _calls(Client.ready)
    metrics = _calls(Client.metrics)
