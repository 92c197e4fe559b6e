"""What waits for a caller, over all matches."""

from __future__ import annotations

import hashlib
import re
import time
from typing import Any

import orjson

from spieltisch_service.app.access import held_seats, require_known
from spieltisch_service.app.accounts import Accounts
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.errors import FieldError, InvalidParameter, Unauthenticated
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.waiting import LOOK_AGAIN_S, Waiting
from spieltisch_service.domain.events import instant


class Decisions:
    """The list of decisions, with a cursor that tells whether it has changed."""

    def __init__(self, live: LiveMatches, waiting: Waiting, accounts: Accounts) -> None:
        self._live = live
        self._store = live.store
        self._waiting = waiting
        self._accounts = accounts

    def waiting(self, caller: Caller, wait_s: int, cursor: str | None) -> dict[str, Any]:
        """`{decisions, cursor}`, oldest match first; with `cursor` once the list differs, or the wait is over."""
        require_known(caller)
        if cursor is not None and not re.fullmatch("[0-9a-f]{32}", cursor):
            detail = "a cursor is the one of an earlier answer"
            raise InvalidParameter(detail, errors=[FieldError("bad_format", detail, parameter="cursor")])
        deadline_s = time.monotonic() + (wait_s if cursor is not None else 0)
        topic = caller.account.id if caller.account is not None else caller.seat.match if caller.seat else ""
        with self._waiting.bell.listen(topic) as ear:
            while True:
                trusted_s = self._accounts.trusted_for_s(caller)
                found = self._now(caller)
                mark = hashlib.sha256(orjson.dumps(found)).hexdigest()[:32]
                left_s = deadline_s - time.monotonic()
                if mark != cursor or left_s <= 0 or ear.closing:
                    return {"decisions": found, "cursor": mark}
                ear.wait(min(left_s, trusted_s, LOOK_AGAIN_S))

    def _now(self, caller: Caller) -> list[dict[str, Any]]:
        if caller.account is None:
            assert caller.seat is not None
            return self._decisions(self._live.current(caller.seat.match), caller)
        account_id = caller.account.id
        lives = self._live.many(self._store.active_of_account(account_id))
        ended = [live.match.id for live in lives if live.match.ended]
        if ended:
            self._store.retire_from_account(account_id, ended)
        return [decision for live in lives for decision in self._decisions(live, caller)]

    def _decisions(self, live: LiveMatch, caller: Caller) -> list[dict[str, Any]]:
        seat = live.to_act()
        try:
            if seat is None or seat not in held_seats(live.match, caller):
                return []
        except Unauthenticated:
            return []
        since_ms, deadline_ms = live.match.at_ms, None
        if live.match.times is not None:
            since_ms, deadline_ms = live.match.times.since_ms, live.match.times.deadline_ms
        return [
            {
                "match": live.match.id,
                "game": live.match.game,
                "seat": seat,
                "version": live.match.version,
                "since_at": instant(since_ms),
                "deadline_at": None if deadline_ms is None else instant(deadline_ms),
            }
        ]
