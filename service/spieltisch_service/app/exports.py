"""Finished matches in bulk: their records, one after the other, for whoever learns from them or checks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spieltisch_service.app.cursors import cursor_of, position_of
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.domain.record import record
from spieltisch_service.games.catalogue import GAMES


class Exports:
    """What everybody may have of everything, which needs no rights: public matches whose deal is shown."""

    def __init__(self, live: LiveMatches) -> None:
        self._live = live

    def matches(self, *, game: str | None, cursor: str | None, limit: int) -> Iterator[dict[str, Any]]:
        """The records of the next `limit` finished matches, newest first, and at last `{next_cursor}` (None: no more).

        A record is read when it is asked for, and held no longer. Left out, so that there are fewer than `limit`: what
        is not public, and matches whose deal others have still to play. Raises InvalidParameter before the first one.
        """
        before = None if cursor is None else position_of(cursor)
        lists = [f"finished:{each}" for each in GAMES if game in (None, each)]
        page = self._live.store.list_public(lists, before, limit)
        return self._records([match_id for _, match_id in page], cursor_of(page[-1]) if len(page) == limit else None)

    def _records(self, match_ids: Sequence[str], next_cursor: str | None) -> Iterator[dict[str, Any]]:
        for match_id in match_ids:
            live = self._live.glance(match_id)
            if live is None:
                continue
            match = live.match
            if match.status == "finished" and match.visibility == "public" and match.shows_deal:
                yield record(match, live.secret, self._live.log(match_id, match.version))
        yield {"next_cursor": next_cursor}
