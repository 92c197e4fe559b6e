"""Time as the use cases see it: whether the service is up, and what of a match's clock is to be settled.

Only the store's clock decides. A process that serves requests beats every few seconds; when none did for too long, the
service was down, and the store keeps from when to when. What a process has heard of that is good for a moment: before
it has gone by, no outage can have ended of which it does not know (a new one takes longer to become one).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence

import structlog

from spieltisch_service.app.ports import Pulse, Store, StoreUnavailable, Timed
from spieltisch_service.domain.clock import NOTHING_DUE, Reckoning, Times, downtime, pending, reckoned, row_of
from spieltisch_service.domain.events import Event
from spieltisch_service.domain.match import Match

#: How often a process beats, and for how long it believes what it has heard.
BEAT_S = 2.0
_BELIEVED_S = 3.5
#: No request is believed to have come in longer ago than this.
LONGEST_AGO_MS = 10_000

_log = structlog.get_logger(__name__)


class Clocks:
    """What a process knows of the service's outages. `serves`: it answers requests, so its being there counts."""

    def __init__(self, store: Store, *, serves: bool) -> None:
        self._store = store
        self._serves = serves
        self._pulse: Pulse | None = None
        self._heard_s = 0.0

    def listen(self) -> Pulse:
        """Ask the store, and say that the service is up if this process serves. Raises StoreUnavailable."""
        asked_s = time.monotonic()
        pulse = self._store.pulse(beat=self._serves)
        self._pulse, self._heard_s = pulse, asked_s
        return pulse

    def _known(self) -> Pulse:
        pulse = self._pulse
        if pulse is None or time.monotonic() - self._heard_s > _BELIEVED_S:
            return self.listen()
        return pulse

    def concerns(self, times: Times | None, now_ms: int) -> bool:
        """Whether something of these clocks is to be settled, if it is about `now_ms`. Raises StoreUnavailable."""
        if times is None or times.due_ms is None:
            return False
        return now_ms >= times.due_ms or downtime(times, self._outages()) > 0

    def reckoned(self, times: Times | None, now_ms: int) -> Reckoning:
        """What is to be settled at `now_ms`, by the store's clock. Nothing while the service is down.

        Nobody loses on time before the store was asked for outages after `now_ms`.
        """
        if times is None or self._known().down:
            return NOTHING_DUE
        found = reckoned(times, self._outages(), now_ms)
        if found.lapsed_ms is None:
            return found
        pulse = self.listen()
        return NOTHING_DUE if pulse.down else reckoned(times, pulse.outages, now_ms)

    def _outages(self) -> Sequence[tuple[int, int]]:
        return self._known().outages


def timed(
    before: Match, after: Match, events: Sequence[Event], *, settles: bool, at_ms: int | None, began_s: float | None
) -> Timed | None:
    """What a commit of the events brings along for the clock; None where none runs, neither before nor after.

    `settles`: it is the clock itself that speaks. `began_s`: when the request came in (`perf_counter`), if one did.
    """
    clock = before.clock
    if clock is None or after.times is None:
        return None
    if not events:
        assert before.times is not None
        return Timed(None, due=row_of(before.times).due)
    told = ((event.type, event.seat, event.data) for event in events)
    row = pending(clock, before.times, before.players, told)
    assert row is not None
    deadline_ms = None if settles or before.times is None else before.times.deadline_ms
    ago_ms = 0 if began_s is None else int((time.perf_counter() - began_s) * 1000)
    return Timed(deadline_ms, min(ago_ms, LONGEST_AGO_MS), at_ms, row.to_json().encode(), row.due)


def overtaken(match: Match, came_ms: int, *, settled: bool) -> bool:
    """Whether the running decision came about by a lapse that was noticed after a request came in, at `came_ms`.

    `settled`: that request itself noticed something.
    """
    times = match.times
    # A decision begins later than the event before it only where that was a lapse.
    return times is not None and times.since_ms > match.at_ms and (settled or came_ms < times.since_ms)


class Heart:
    """Beats for a process that serves, from `start` to `stop`."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                # Whoever needs the store says that it is away; here it shows in the beats that are missing.
                with contextlib.suppress(StoreUnavailable):
                    self._clocks.listen()
            except Exception as error:  # a heart that stops stands still for good, unnoticed
                _log.error("no_heartbeat", detail=repr(error))
            self._stop.wait(BEAT_S)
