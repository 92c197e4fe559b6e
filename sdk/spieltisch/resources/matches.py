"""Matches: create, join, find."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spieltisch._transport import segment
from spieltisch.errors import UnexpectedAnswer
from spieltisch.models import MatchInfo, MatchPage
from spieltisch.resources.match import Match
from spieltisch.resources.reading import read

if TYPE_CHECKING:
    from spieltisch.client import Client


class Matches:
    """The matches of a service, as the client may see them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._transport = client.transport

    def create(
        self,
        game: str,
        seats: Sequence[str],
        *,
        options: Mapping[str, Any] | None = None,
        deal: Mapping[str, Any] | None = None,
        start: str | None = None,
        visibility: str | None = None,
        metadata: Mapping[str, str] | None = None,
        clock: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Match:
        """A new match.

        seats: who sits where, seat 0 first: `me`, `open`, `invite` or `bot:NAME`. deal: an explicit one; the match is
        then unrated. start: `auto` (default), with the last seat, or `manual`. visibility: `public` (default),
        `unlisted` or `private`. clock: `{"kind": "per_decision", "per_decision_ms": …}`, `{"kind": "fischer",
        "initial_ms": …, "increment_ms": …}` or `{"kind": "correspondence", "per_decision_ms": …}`, each with
        `on_timeout` (`forfeit`, the default, or `autoplay`); without, nobody's time is limited.
        idempotency_key: for an intent that outlives this process; else one of its own.
        """
        body = {
            "game": game,
            "seats": list(seats),
            "options": options,
            "deal": deal,
            "start": start,
            "visibility": visibility,
            "metadata": metadata,
            "clock": clock,
        }
        data = self._transport.post("/v1/matches", body, idempotency_key=idempotency_key)
        return Match(self._client, read(MatchInfo, data))

    def get(self, match_id: str, *, seat: int | None = None) -> Match:
        """The match of that id; `seat` checks that the client holds it (NotYourSeat)."""
        data = self._transport.get(f"/v1/matches/{segment(match_id)}", {"seat": seat})
        return Match(self._client, read(MatchInfo, data))

    def list(
        self,
        *,
        game: str | None = None,
        status: str | None = None,
        open_seats: bool | None = None,
        mine: bool | None = None,
        page_size: int | None = None,
    ) -> Iterator[Match]:
        """The matches, newest first: the public ones, or with `mine` those that the client is in.

        Pages of `page_size` (1 to 100) are fetched as the loop gets to them.
        """
        query = {"game": game, "status": status, "open_seats": open_seats, "mine": mine, "limit": page_size}
        cursor = None
        while True:
            page = read(MatchPage, self._transport.get("/v1/matches", {**query, "cursor": cursor}))
            for info in page.matches:
                yield Match(self._client, info)
            cursor = page.next_cursor
            if cursor is None:
                return

    def export_all(self, *, game: str | None = None, page_size: int | None = None) -> Iterator[dict[str, Any]]:
        """The records of all finished public matches, newest first, each as `Match.record` gives it.

        Pages of `page_size` (1 to 200) are fetched as the loop gets to them. A match whose deal others have still to
        play is left out.
        """
        cursor = None
        while True:
            query = {"game": game, "limit": page_size, "cursor": cursor}
            # Not `splitlines`: names may hold what it takes for the end of a line.
            *lines, last = self._transport.text("/v1/exports/matches", query).removesuffix("\n").split("\n")
            cursor = _next_cursor(last)
            for line in lines:
                yield json.loads(line)
            if cursor is None:
                return

    def join(
        self,
        match_id: str,
        *,
        seat: int | None = None,
        nonce: str | None = None,
        invitation: str | None = None,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> Match:
        """Take a seat: the lowest free open one, the one named, or the invitation's.

        nonce: 1 to 64 of A-Z a-z 0-9 _ -, what this seat adds to the shuffle. name: of a guest, who joins by
        invitation without a key; the match that is returned then acts by the token of its seat.
        """
        body = {"seat": seat, "nonce": nonce, "invitation": invitation, "name": name}
        path = f"/v1/matches/{segment(match_id)}/seats"
        info = read(MatchInfo, self._transport.post(path, body, idempotency_key=idempotency_key))
        if self._client.key is None and info.grants:
            return Match(self._client.with_key(info.grants[0].token), info)
        return Match(self._client, info)


def _next_cursor(line: str) -> str | None:
    """What the last line of an export says. Raises UnexpectedAnswer where that is not the last one."""
    try:
        end = json.loads(line)
    except ValueError:
        end = None
    if not isinstance(end, dict) or "next_cursor" not in end:
        raise UnexpectedAnswer("the export of matches was cut")
    cursor: str | None = end["next_cursor"]
    return cursor
