"""Matches whose time is over: open and running ones are aborted, ended ones deleted unless they are kept for good."""

from __future__ import annotations

from spieltisch_service.app.live import LiveMatches, Plan
from spieltisch_service.app.live_match import LiveMatch


class Expiry:
    """What the sweeper does with a match whose timer has run out."""

    def __init__(self, live: LiveMatches) -> None:
        self._live = live
        self._store = live.store

    def expire(self, match_id: str) -> bool:
        """End or delete the match if its time is over, by the store's; whether it was so."""

        def plan(live: LiveMatch, _: None) -> Plan:
            if live.match.ended or not _is_over(live):
                return Plan(())
            return Plan([("match_aborted", None, {"reason": "expired"})], live.state)

        done = self._live.change(match_id, None, lambda _: None, plan, fresh=True)
        if done.events or not done.live.match.ended or not _is_over(done.live):
            return bool(done.events)
        match = done.live.match
        listed = f"{match.status}:{match.game}" if match.visibility == "public" else None
        if not self._store.erase(match_id, match.version, listed):
            return False
        # Their lists lie elsewhere, and may be too long, but never too short: so they come last.
        taken = [seat.account for seat in (*match.first_seats, *match.seats)]
        taken += [person.account for person in match.people.values()]
        for account in {match.creator, *taken} - {None}:
            self._store.unlist(str(account), match_id)
        return True


def _is_over(live: LiveMatch) -> bool:
    expires_at_ms = live.match.expires_at_ms
    return expires_at_ms is not None and live.now_ms >= expires_at_ms and not live.match.is_to_be_told
