"""How much of a kind an account may have at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from spieltisch_service.app.limits import Limits, TooManyMatches
from spieltisch_service.app.live import Done, LiveMatches
from spieltisch_service.app.ports import Quota


class Quotas:
    """Refuses what would be too much, where `limits` are in force."""

    def __init__(self, live: LiveMatches, limits: Limits | None) -> None:
        self._live = live
        self._limits = limits

    def held(self, account_id: str | None, match_id: str, enter: Callable[[Quota | None], Done], *, new: bool) -> Done:
        """`enter` a match, which is `new` or there, within the quota of the account (None: there is none to look at).

        Raises RateLimited for an account with as many open and running matches as it may have.
        """
        if self._limits is None or account_id is None:
            return enter(None)
        quota, store = Quota(account_id, self._limits.live_matches), self._live.store
        with suppress(TooManyMatches):
            return enter(quota)
        # The list of active matches may be too long: those that have ended leave it when somebody looks.
        lives = self._live.many(store.active_of_account(account_id))
        store.retire_from_account(account_id, [live.match.id for live in lives if live.match.ended])
        try:
            return enter(quota)
        except TooManyMatches:
            if new and store.version(match_id) is not None:
                # It was admitted when it was made, and whoever asks for it again gets the same answer.
                return enter(None)
            raise
