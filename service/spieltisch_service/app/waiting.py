"""Waiting until a match has moved on: listen first, then look, then wait for a ring, then look again."""

from __future__ import annotations

import time

from spieltisch_service.app.live import LiveMatch, LiveMatches
from spieltisch_service.app.ports import Bell

#: A ring can be lost with its connection, so whoever waits looks at least this often.
LOOK_AGAIN_S = 5.0


class Waiting:
    """Long polls over a bell."""

    def __init__(self, live: LiveMatches, bell: Bell) -> None:
        self._live = live
        self.bell = bell

    def for_more(self, live: LiveMatch, after: int, wait_s: float) -> LiveMatch:
        """The match as soon as its version is above `after` or it has ended, or as it is when the wait is over."""
        if live.match.version > after or live.match.ended or not wait_s:
            return live
        deadline_s = time.monotonic() + wait_s
        with self.bell.listen(live.match.id) as ear:
            while True:
                live = self._live.current(live.match.id)
                left_s = deadline_s - time.monotonic()
                if live.match.version > after or live.match.ended or left_s <= 0 or ear.closing:
                    return live
                ear.wait(min(left_s, LOOK_AGAIN_S))
