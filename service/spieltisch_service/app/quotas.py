"""How much of a kind an account may have at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

from spieltisch_service.app.limits import Limits, TooMany
from spieltisch_service.app.live import Done, LiveMatches, is_match
from spieltisch_service.app.ports import Quota
from spieltisch_service.app.tournaments.book import Book
from spieltisch_service.app.tournaments.held import Held

T = TypeVar("T")


class Quotas:
    """Refuses what would be too much, where `limits` are in force."""

    def __init__(self, live: LiveMatches, book: Book, limits: Limits | None) -> None:
        self._live = live
        self._book = book
        self._limits = limits

    def held(self, account_id: str | None, match_id: str, enter: Callable[[Quota | None], Done], *, new: bool) -> Done:
        """`enter` a match, which is `new` or there, within the quota of the account (None: there is none to look at).

        Raises RateLimited for an account with as many open and running matches as it may have.
        """
        if self._limits is None or account_id is None:
            return enter(None)
        return self._within(Quota(account_id, self._limits.live_matches), match_id, enter, new=new)

    def organized(self, account_id: str, tournament_id: str, create: Callable[[Quota | None], Held]) -> Held:
        """`create` a tournament within the quota of its organizer.

        Raises RateLimited for an account that organizes as many as it may that have not ended.
        """
        if self._limits is None:
            return create(None)
        # They are on a list of their own, which is kept as if it were another account's.
        quota = Quota(f"{account_id}:organizes", self._limits.live_tournaments, "tournaments")
        return self._within(quota, tournament_id, create, new=True)

    def _within(self, quota: Quota, id_: str, enter: Callable[[Quota | None], T], *, new: bool) -> T:
        with suppress(TooMany):
            return enter(quota)
        # The list of active ones may be too long: those that have ended leave it when somebody looks.
        store = self._live.store
        store.retire_from_account(quota.account, list(self._ended(store.active_of_account(quota.account))))
        try:
            return enter(quota)
        except TooMany:
            if new and store.version(id_) is not None:
                # It was admitted when it was made, and whoever asks for it again gets the same answer.
                return enter(None)
            raise

    def _ended(self, ids: Sequence[str]) -> Iterable[str]:
        yield from (live.match.id for live in self._live.many(ids) if live.match.ended)
        yield from (held.id for held in self._book.many([id_ for id_ in ids if not is_match(id_)]) if held.folded.ended)
