"""Put around the workers of a service: notes when each move came in, by the store's clock, and holds some up.

A move is held by a header of its request, within the worker, until shortly before or after the lapse that it is to beat
is due. It is done from outside; the service knows nothing of it.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import has_request_context, request

from spieltisch_service.app.clocks import Clocks
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.app.playing import Playing
from tests.campaigns.harness.wrapped import method
from tests.campaigns.timed.model import GRACE_MS

#: In the environment of a served process: where the notes go.
NOTES = "SPIELTISCH_CAMPAIGN_NOTES"
#: How many ms after (or before) the lapse is due the move goes on.
HOLD = "X-Campaign-Hold"


@dataclass(slots=True)
class Came:
    """When a move came in (between two instants), when it was answered at the latest, and its tries to be written.

    A try is how many ms it took and what came of it.
    """

    key: str
    earliest_ms: float
    latest_ms: float
    answered_ms: float = 0.0
    tries: list[tuple[float, str]] = field(default_factory=list)
    held: bool = False


_AT = threading.local()


@contextmanager
def noted_moves(folder: Path) -> Iterator[None]:
    """Note the moves of this process in a file of its own as long as this lasts."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = threading.Lock()
    with ExitStack() as stack:
        file = stack.enter_context((folder / f"{os.getpid()}.jsonl").open("a", buffering=1))

        def act(original: Any, playing: Playing, *arguments: Any, **named: Any) -> Any:
            if not has_request_context():
                return original(playing, *arguments, **named)
            began_s = arguments[-1]
            before_s = time.perf_counter()
            now_ms = playing._live.store.pulse(beat=False).now_ms
            after_s = time.perf_counter()
            earliest_ms = now_ms - (after_s - began_s) * 1000
            latest_ms = now_ms + 1 - (before_s - began_s) * 1000
            came = _AT.came = Came(request.headers.get("Idempotency-Key", ""), earliest_ms, latest_ms)
            try:
                return original(playing, *arguments, **named)
            finally:
                _AT.came = None
                came.answered_ms = came.latest_ms + (time.perf_counter() - began_s) * 1000
                told = [came.key, came.earliest_ms, came.latest_ms, came.answered_ms, came.tries]
                with lock:
                    file.write(json.dumps(told) + "\n")

        def concerns(original: Any, clocks: Clocks, times: Any, now_ms: int) -> bool:
            came = getattr(_AT, "came", None)
            found: bool = original(clocks, times, now_ms)
            if came is not None and not came.held and HOLD in request.headers and times is not None:
                came.held = True
                left_ms = (times.deadline_ms or 0) - clocks.listen().now_ms
                if left_ms > 0:
                    time.sleep((left_ms + GRACE_MS + int(request.headers[HOLD])) / 1000)
            return found

        def commit(original: Any, live: LiveMatches, *arguments: Any) -> Any:
            came = getattr(_AT, "came", None)
            before_s = time.perf_counter()
            done = original(live, *arguments)
            if came is not None:
                came.tries.append(((time.perf_counter() - before_s) * 1000, type(done).__name__))
            return done

        stack.enter_context(method(Playing, "act", act))
        stack.enter_context(method(Clocks, "concerns", concerns))
        stack.enter_context(method(LiveMatches, "_commit", commit))
        yield


def read_notes(folder: Path) -> dict[str, list[Came]]:
    """What came in, by the key of the request; more than once where it was sent again."""
    found: dict[str, list[Came]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            came = Came(*json.loads(line))
            found.setdefault(came.key, []).append(came)
    return found
