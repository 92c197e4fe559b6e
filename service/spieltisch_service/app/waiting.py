"""Waiting until a match has moved on: listen first, then look, then wait for a ring, then look again.

Whoever waits is looked at again, too: a token that ends meanwhile ends the waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from spieltisch_service.app.accounts import Accounts
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.ports import Bell

#: A ring can be lost with its connection, so whoever waits looks at least this often.
LOOK_AGAIN_S = 5.0

T = TypeVar("T")


class Waiting:
    """Long polls over a bell."""

    def __init__(self, live: LiveMatches, bell: Bell, accounts: Accounts) -> None:
        self._live = live
        self._accounts = accounts
        self.bell = bell

    def for_more(self, caller: Caller, live: LiveMatch, after: int, wait_s: float) -> LiveMatch:
        """The match as soon as its version is above `after` or it has ended, or as it is when the wait is over.

        Raises Unauthenticated when the caller's token ends before that. What else the caller may do or see can have
        changed meanwhile, and is to be asked again.
        """

        def has_more(live: LiveMatch) -> bool:
            return live.match.version > after or live.match.ended

        return self.until(caller, live.match.id, live, lambda: self._live.current(live.match.id), has_more, wait_s)

    def until(
        self,
        caller: Caller,
        topic: str,
        seen: T,
        look: Callable[[], T],
        enough: Callable[[T], bool],
        wait_s: float,
    ) -> T:
        """What `look` finds as soon as that is `enough`, or when the wait is over; `seen` is what was found before.

        Raises Unauthenticated when the caller's token ends before that.
        """
        if enough(seen) or not wait_s:
            return seen
        deadline_s = time.monotonic() + wait_s
        with self.bell.listen(topic) as ear:
            while True:
                trusted_s = self._accounts.trusted_for_s(caller)
                seen = look()
                left_s = deadline_s - time.monotonic()
                if enough(seen) or left_s <= 0 or ear.closing:
                    return seen
                ear.wait(min(left_s, trusted_s, LOOK_AGAIN_S))
