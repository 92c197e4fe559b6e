"""Races at deadlines that are an hour away: the store's clock is moved on to just before them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis

from spieltisch_service.store.layout import BEAT
from spieltisch_service.store.redis_store import RedisStore
from tests.campaigns.harness.site import Within
from tests.campaigns.harness.skew import Skew
from tests.campaigns.harness.wrapped import method
from tests.campaigns.timed.races import Field, StoreClock
from tests.serving import until

#: How far before the first of the deadlines it is moved to.
_BEFORE_MS = 700


class Hours:
    """Moves the clock of the store of a site of threads.

    To the service that would be an outage of an hour, which costs nobody; so that it is none, the last beat is moved,
    too, while nobody beats.
    """

    def __init__(self, site: Within, skew: Skew) -> None:
        self._site, self._skew, self._beating = site, skew, threading.Lock()
        self.moved = 0

    @contextmanager
    def gated(self) -> Iterator[None]:
        """Beats wait for moves as long as this lasts."""

        def pulse(original: Any, store: Any, **named: Any) -> Any:
            with self._beating:
                return original(store, **named)

        with method(RedisStore, "pulse", pulse):
            yield

    def move(self, where: Field, clock: StoreClock) -> None:
        """Move it to just before the next deadline."""
        with self._beating, redis.Redis.from_url(self._site.store_url) as client:
            clock.ask()
            wanted_ms = min(where.deadlines.values()) - _BEFORE_MS
            self._skew.set(self._skew.ms + round(wanted_ms - clock.now_ms()))
            # A store looks at its clock now and then, and counts on from there.
            until(lambda: clock.ask() >= wanted_ms, "the store to look at its clock")
            client.set(BEAT, round(clock.now_ms()))
            # What a worker takes the time to be is an hour behind.
            for service in self._site.services:
                service.live.memory.clear()
        self.moved += 1
