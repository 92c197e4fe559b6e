"""The public log, by pages and as a stream that ends itself and says why."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import orjson

from spieltisch_service.app.access import require_visible
from spieltisch_service.app.accounts import TRUST_S, Accounts
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.errors import AheadOfLog, FieldError, NotFound, TooManyStreams, Unauthenticated
from spieltisch_service.app.live import LiveMatches, is_match
from spieltisch_service.app.ports import UNOBSERVED, Observer, StoreUnavailable
from spieltisch_service.app.tournaments.book import Book
from spieltisch_service.app.waiting import LOOK_AGAIN_S, Waiting
from spieltisch_service.domain.events import LoggedEvent

HEARTBEAT_S = 10.0
ROTATE_S = 300.0
#: A client that takes longer than this for one piece is sent away; nothing is lost, it resumes.
SLOW_S = 60.0
_PAGE = 500
#: When to ask again about a token while the store is away.
_RETRY_S = 1.0


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing happened, and the stream is alive."""


@dataclass(frozen=True, slots=True)
class End:
    """The stream is over: `ended`, `shutdown`, `rotate`, `slow` or `revoked`."""

    reason: str


StreamItem: TypeAlias = LoggedEvent | Heartbeat | End


class Followed(NamedTuple):
    """What has a log: its id, what kind of thing it is, how far the log goes, and whether it ends there.

    `private`: not everybody may read it.
    """

    id: str
    kind: str
    version: int
    ended: bool
    private: bool


class Streams:
    """Reads the logs of matches and tournaments; at most `cap` streams at a time in this process."""

    def __init__(
        self,
        live: LiveMatches,
        book: Book,
        waiting: Waiting,
        accounts: Accounts,
        cap: int,
        observer: Observer = UNOBSERVED,
    ) -> None:
        self._live = live
        self._book = book
        self._store = live.store
        self._waiting = waiting
        self._accounts = accounts
        self._cap = cap
        self._observer = observer
        self._open = 0
        self._held: dict[str, int] = {}
        self._lock = threading.Lock()

    def page(self, caller: Caller, id_: str, *, after: int, limit: int, wait_s: int) -> dict[str, Any]:
        """The events after `after`, as soon as there is one: `{version, events}`."""
        seen = self._readable(caller, id_, after)

        def has_more(seen: Followed) -> bool:
            return seen.version > after or seen.ended

        seen = self._waiting.until(caller, id_, seen, lambda: self._look(caller, id_), has_more, wait_s)
        events = self._store.events(id_, after, limit) if seen.version > after else []
        version = max(seen.version, events[-1].seq if events else 0)
        return {"version": version, "events": [orjson.Fragment(event.to_json()) for event in events]}

    def open(
        self,
        caller: Caller,
        id_: str,
        *,
        after: int,
        named: str = "after",
        holder: tuple[str, int] | None = None,
    ) -> Iterator[StreamItem]:
        """The events after `after` and whatever follows, until an `End`. `named` is how the caller gave `after`.

        `holder` is who holds the stream, and how many it may hold. Raises before the first item: NotFound, AheadOfLog,
        TooManyStreams. Close the iterator to give its place back.
        """
        seen = self._readable(caller, id_, after, named)
        self._take_place(holder)
        return _Placed(self._stream(caller, seen, after), lambda: self._give_place_back(holder))

    def _look(self, caller: Caller, id_: str) -> Followed:
        """What has a log, as the caller may see it. Raises NotFound."""
        if not is_match(id_):
            held = self._book.fresh(id_)
            return Followed(id_, "tournament", held.version, held.folded.ended, private=False)
        match = self._live.certain(id_).match
        require_visible(match, caller)
        return Followed(id_, "match", match.version, match.ended, private=match.visibility == "private")

    def _readable(self, caller: Caller, id_: str, after: int, named: str = "after") -> Followed:
        seen = self._look(caller, id_)
        if after > seen.version:
            detail = f"the {seen.kind} is at version {seen.version}; event {after} has not happened yet"
            error = FieldError("out_of_range", detail, parameter=named)
            raise AheadOfLog(detail, errors=[error], extra={"version": seen.version})
        return seen

    def _take_place(self, holder: tuple[str, int] | None) -> None:
        with self._lock:
            if self._open >= self._cap:
                self._observer.stream_refused()
                msg = f"this process holds {self._cap} streams already; try again soon, or poll"
                raise TooManyStreams(msg)
            if holder is not None:
                name, most = holder
                if self._held.get(name, 0) >= most:
                    self._observer.stream_refused()
                    msg = f"you hold {most} streams already; close one, or poll"
                    raise TooManyStreams(msg)
                self._held[name] = self._held.get(name, 0) + 1
            self._open += 1
        self._observer.stream_opened()

    def _give_place_back(self, holder: tuple[str, int] | None) -> None:
        with self._lock:
            self._open -= 1
            if holder is not None:
                name, _ = holder
                self._held[name] -= 1
                if not self._held[name]:
                    del self._held[name]
        self._observer.stream_closed()

    def _stream(self, caller: Caller, seen: Followed, after: int) -> Iterator[StreamItem]:
        with self._waiting.bell.listen(seen.id) as ear:
            began_s = beat_s = trusted_until_s = time.monotonic()
            if seen.ended and after == seen.version:
                yield End("ended")
                return
            while True:
                if time.monotonic() >= trusted_until_s:
                    readable_s = self._readable_for_s(caller, seen)
                    if readable_s is None:
                        yield End("revoked")
                        return
                    trusted_until_s = time.monotonic() + readable_s
                for event in self._events(seen.id, after):
                    sent_s = time.monotonic()
                    if sent_s > trusted_until_s:
                        break
                    yield event
                    after = event.seq
                    beat_s = time.monotonic()
                    if event.ends_log:
                        yield End("ended")
                        return
                    if beat_s - sent_s > SLOW_S:
                        yield End("slow")
                        return
                if ear.closing:
                    yield End("shutdown")
                    return
                now_s = time.monotonic()
                if now_s - began_s > ROTATE_S:
                    yield End("rotate")
                    return
                if now_s - beat_s >= HEARTBEAT_S:
                    yield Heartbeat()
                    beat_s = time.monotonic()
                left_s = min(beat_s + HEARTBEAT_S, trusted_until_s) - time.monotonic()
                ear.wait(max(0.0, min(left_s, LOOK_AGAIN_S)))

    def _events(self, id_: str, after: int) -> list[LoggedEvent]:
        try:
            return self._store.events(id_, after, _PAGE)
        except StoreUnavailable:
            # The stream outlives a store that is away for a moment; the next look finds what was missed.
            return []

    def _readable_for_s(self, caller: Caller, seen: Followed) -> float | None:
        """For how long the caller may certainly read on; None: no longer."""
        try:
            left_s = self._accounts.trusted_for_s(caller)
            if not seen.private:
                return left_s
            # Who reads a private match reads it as one of its seats, and can lose that.
            self._look(caller, seen.id)
            return min(left_s, TRUST_S)
        except StoreUnavailable:
            return _RETRY_S
        except (Unauthenticated, NotFound):
            return None


class _Placed:
    """A stream that gives its place back once: when it is exhausted, when it fails, or when it is closed unread."""

    def __init__(self, items: Iterator[StreamItem], give_back: Callable[[], None]) -> None:
        self._items = items
        self._give_back: Callable[[], None] | None = give_back

    def __iter__(self) -> Iterator[StreamItem]:
        return self

    def __next__(self) -> StreamItem:
        try:
            return next(self._items)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the stream."""
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()
        self._items.close()  # type: ignore[attr-defined]
