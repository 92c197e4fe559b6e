"""Bugs for CLOCK to find, put in from outside."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from unittest import mock

from spieltisch_service.app import clocks
from spieltisch_service.app.clocks import Clocks
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.domain import clock
from spieltisch_service.store.redis_store import RedisStore
from tests.campaigns.harness.wrapped import method


def _worker_clock(stack: ExitStack) -> None:
    """What is to be settled is reckoned by the worker's own clock."""

    def reckoned(original: Any, asked: Clocks, times: Any, _: int) -> Any:
        return original(asked, times, time.time_ns() // 1_000_000)

    stack.enter_context(method(Clocks, "reckoned", reckoned))


def _noticed_is_happened(stack: ExitStack) -> None:
    """A lapse happens when somebody notices it."""

    def commit(original: Any, live: LiveMatches, match: Any, wanted: Any, *arguments: Any) -> Any:
        return original(live, match, replace(wanted, at_ms=None), *arguments)

    stack.enter_context(method(LiveMatches, "_commit", commit))


def _late_moves_count(stack: ExitStack) -> None:
    """A move counts as long as nobody has settled the lapse."""

    def commit(original: Any, store: Any, wanted: Any) -> Any:
        timed = wanted.timed and replace(wanted.timed, deadline_ms=None)
        return original(store, replace(wanted, timed=timed))

    stack.enter_context(method(RedisStore, "commit", commit))


def _written_is_received(stack: ExitStack) -> None:
    """A move comes in when it is written."""
    timed = clocks.timed

    def careless(*arguments: Any, **named: Any) -> Any:
        return timed(*arguments, **{**named, "began_s": None})

    stack.enter_context(mock.patch("spieltisch_service.app.live.timed", careless))


def _settled_at_once(stack: ExitStack) -> None:
    """Moves that are on their way are not waited for."""
    stack.enter_context(mock.patch.object(clock, "GRACE_MS", 0))


def _downtime_is_charged(stack: ExitStack) -> None:
    """Nobody hears of outages."""

    def pulse(original: Any, store: Any, *, beat: bool) -> Any:
        return replace(original(store, beat=beat), outages=(), down=False)

    stack.enter_context(method(RedisStore, "pulse", pulse))


BUGS: Mapping[str, Callable[[ExitStack], None]] = {
    "worker-clock": _worker_clock,
    "noticed-is-happened": _noticed_is_happened,
    "late-moves-count": _late_moves_count,
    "written-is-received": _written_is_received,
    "settled-at-once": _settled_at_once,
    "downtime-is-charged": _downtime_is_charged,
}
