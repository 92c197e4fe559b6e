"""How much of a kind an account may have at a time."""

from __future__ import annotations

from spieltisch_service.app.errors import RateLimited
from spieltisch_service.app.limits import Limits
from spieltisch_service.app.live import LiveMatches

#: When it is worth asking again whether a match has ended.
_ASK_AGAIN_S = 60


class Quotas:
    """Refuses what would be too much, where `limits` are in force."""

    def __init__(self, live: LiveMatches, limits: Limits | None) -> None:
        self._live = live
        self._limits = limits

    def admit_to_match(self, account_id: str, match_id: str, *, new: bool) -> None:
        """Put a match on the account's lists, before it is created (`new`) or a seat of it taken.

        Raises RateLimited for an account with as many open and running matches as it may have.
        """
        if self._limits is None:
            return
        most, store = self._limits.live_matches, self._live.store
        if store.enlist(account_id, match_id, most):
            return
        # The list of active matches may be too long: those that have ended leave it when somebody looks.
        lives = self._live.many(store.active_of_account(account_id))
        store.retire_from_account(account_id, [live.match.id for live in lives if live.match.ended])
        if store.enlist(account_id, match_id, most):
            return
        if new and store.version(match_id) is not None:
            # It was admitted when it was made, and whoever asks for it again gets the same answer.
            return
        msg = f"live_matches: the account has {most} open and running matches, which is all that it may have"
        raise RateLimited(msg, _ASK_AGAIN_S, "live_matches")
