"""Tournaments: organize, enter, follow, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spieltisch import events as streams
from spieltisch._transport import segment
from spieltisch.events import EventStream
from spieltisch.models import EventPage
from spieltisch.resources.reading import read
from spieltisch.tournament_models import (
    Crosstable,
    Leaderboard,
    Round,
    Rounds,
    Standings,
    Statistics,
    TournamentInfo,
    TournamentPage,
)

if TYPE_CHECKING:
    from spieltisch.client import Client

_PATH = "/v1/tournaments"


class Tournaments:
    """The tournaments of a service. All of them may be read by anybody; `dry_run` answers, and changes nothing."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._transport = client.transport

    # --- organize -----------------------------------------------------------------------------------------------

    def create(
        self,
        game: str,
        name: str,
        *,
        format: str = "swiss",  # noqa: A002  it is the word of the API
        clock: Mapping[str, Any],
        options: Mapping[str, Any] | None = None,
        seats: int | None = None,
        rounds: int | None = None,
        deals: int | None = None,
        duplicate: bool | None = None,
        rated: bool | None = None,
        entrants_allowed: str | None = None,
        entrants_max: int | None = None,
        invited: Sequence[str] | None = None,
        forbidden: Sequence[tuple[str, str]] | None = None,
        rematches: str | None = None,
        own_pairings: bool | None = None,
        no_show_limit: int | None = None,
        champion: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> TournamentInfo:
        """A new tournament, open for entrants; the client's account organizes it (Forbidden without `organize`).

        format: `round_robin, swiss, single_elimination, double_elimination, arena` or `gauntlet`. clock: as of a match.
        seats: of a match. rounds: by default as many as the format has. deals: of a table, each played in several seat
        orders with `duplicate`. entrants_allowed: `any` (default), `bots` or `invited`. forbidden: pairs that never
        meet. own_pairings: the organizer pairs each round (`pair`). What is left out is as the API description says.
        """
        body = {
            "game": game,
            "name": name,
            "format": format,
            "clock": dict(clock),
            "options": options,
            "seats": seats,
            "rounds": rounds,
            "deals": deals,
            "duplicate": duplicate,
            "rated": rated,
            "entrants_allowed": entrants_allowed,
            "entrants_max": entrants_max,
            "invited": None if invited is None else [*invited],
            "forbidden": None if forbidden is None else [[*pair] for pair in forbidden],
            "rematches": rematches,
            "own_pairings": own_pairings,
            "no_show_limit": no_show_limit,
            "champion": champion,
        }
        return self._changed(_PATH, body, dry_run, idempotency_key)

    def invite(
        self, tournament_id: str, account: str, *, dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> TournamentInfo:
        """An account (`ac_…`) may enter where only the invited may."""
        return self._changed(f"{_one(tournament_id)}/invitations", {"account": account}, dry_run, idempotency_key)

    def start(
        self, tournament_id: str, *, dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> TournamentInfo:
        """Pair the first round; from now on it goes on by itself."""
        return self._changed(f"{_one(tournament_id)}/start", {}, dry_run, idempotency_key)

    def pause(
        self, tournament_id: str, *, dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> TournamentInfo:
        """Pair no further round until it is resumed."""
        return self._changed(f"{_one(tournament_id)}/pause", {}, dry_run, idempotency_key)

    def resume(
        self, tournament_id: str, *, dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> TournamentInfo:
        """Let a paused one go on."""
        return self._changed(f"{_one(tournament_id)}/resumption", {}, dry_run, idempotency_key)

    def stop(
        self, tournament_id: str, *, dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> TournamentInfo:
        """Let it end with the matches that are played now."""
        return self._changed(f"{_one(tournament_id)}/stop", {}, dry_run, idempotency_key)

    def cancel(self, tournament_id: str, *, dry_run: bool | None = None) -> TournamentInfo:
        """End it now, without a winner; matches that are played are aborted."""
        return read(TournamentInfo, self._transport.delete(_one(tournament_id), {"dry_run": dry_run}))

    def pair(
        self,
        tournament_id: str,
        tables: Sequence[Sequence[str]] | None = None,
        *,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Round:
        """The next round as the organizer wants it; with `dry_run` and no tables, as the format would pair it.

        tables: the entrants (`ac_…`, `bot:NAME`) of each, in seat order; who is not named sits out. Wants
        `own_pairings`, but for the dry run.
        """
        body = {"tables": None if tables is None else [list(table) for table in tables]}
        path = f"{_one(tournament_id)}/rounds"
        query = {"dry_run": dry_run}
        return read(Round, self._transport.post(path, body, query=query, idempotency_key=idempotency_key))

    # --- take part ----------------------------------------------------------------------------------------------

    def enter(
        self,
        tournament_id: str,
        *,
        bot: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> TournamentInfo:
        """The client's account takes part; its matches then come with its decisions. bot: a house bot instead."""
        return self._changed(f"{_one(tournament_id)}/entrants", {"bot": bot}, dry_run, idempotency_key)

    def withdraw(
        self, tournament_id: str, entrant: str | None = None, *, dry_run: bool | None = None
    ) -> TournamentInfo:
        """Leave, or (the organizer) let another entrant leave. What is still to be played is forfeited."""
        if entrant is None:
            account = self._client.identity().account
            entrant = "" if account is None else account.id
        path = f"{_one(tournament_id)}/entrants/{segment(entrant)}"
        return read(TournamentInfo, self._transport.delete(path, {"dry_run": dry_run}))

    # --- follow -------------------------------------------------------------------------------------------------

    def get(self, tournament_id: str) -> TournamentInfo:
        """The tournament: how it is set up, who takes part, how far it is."""
        return read(TournamentInfo, self._transport.get(_one(tournament_id)))

    def list(
        self,
        *,
        game: str | None = None,
        status: str | None = None,
        mine: bool | None = None,
        page_size: int | None = None,
    ) -> Iterator[TournamentInfo]:
        """The tournaments, newest first; with `mine` those that the client organizes or has entered."""
        query = {"game": game, "status": status, "mine": mine, "limit": page_size}
        cursor = None
        while True:
            page = read(TournamentPage, self._transport.get(_PATH, {**query, "cursor": cursor}))
            yield from page.tournaments
            cursor = page.next_cursor
            if cursor is None:
                return

    def events(self, tournament_id: str, *, after: int = 0) -> EventStream:
        """Its log after event `after`, and whatever follows, until it has ended. Cuts are bridged."""
        path = f"{_one(tournament_id)}/events"
        return EventStream(streams.follow(self._transport, path, seat=None, after=after))

    def event_page(
        self, tournament_id: str, *, after: int = 0, limit: int | None = None, wait: int | None = None
    ) -> EventPage:
        """Up to `limit` (1 to 500) events after number `after`; for at most `wait` seconds it waits for one."""
        query = {"after": after, "limit": limit, "wait": wait}
        return read(EventPage, self._transport.get(f"{_one(tournament_id)}/events", query, wait_s=wait or 0))

    # --- what it comes to ---------------------------------------------------------------------------------------

    def rounds(self, tournament_id: str) -> Rounds:
        """Who met whom, with all results."""
        return read(Rounds, self._transport.get(f"{_one(tournament_id)}/rounds"))

    def standings(self, tournament_id: str) -> Standings:
        """Who is ahead."""
        return read(Standings, self._transport.get(f"{_one(tournament_id)}/standings"))

    def crosstable(self, tournament_id: str) -> Crosstable:
        """Who did what against whom."""
        return read(Crosstable, self._transport.get(f"{_one(tournament_id)}/crosstable"))

    def statistics(self, tournament_id: str) -> Statistics:
        """Means with their intervals."""
        return read(Statistics, self._transport.get(f"{_one(tournament_id)}/statistics"))

    def results(self, tournament_id: str) -> str:
        """All results in one line of JSON, once it has ended: what `spieltisch recompute` makes of the export."""
        return self._transport.text(f"{_one(tournament_id)}/results")

    def report(self, tournament_id: str) -> str:
        """What there is so far as a page of HTML that needs nothing beside it."""
        return self._transport.text(f"{_one(tournament_id)}/report.html")

    def export(self, tournament_id: str) -> str:
        """The whole tournament as lines of JSON, once it has ended (TournamentNotEnded)."""
        return self._transport.text(f"{_one(tournament_id)}/export")

    def ratings(self, game: str, *, clock_class: str | None = None, limit: int | None = None) -> Leaderboard:
        """The best of a game and clock class (`bullet, blitz, rapid, correspondence, none`)."""
        query = {"clock_class": clock_class, "limit": limit}
        return read(Leaderboard, self._transport.get(f"/v1/ratings/{segment(game)}", query))

    def _changed(
        self, path: str, body: Mapping[str, Any], dry_run: bool | None, idempotency_key: str | None
    ) -> TournamentInfo:
        query = {"dry_run": dry_run}
        return read(TournamentInfo, self._transport.post(path, body, query=query, idempotency_key=idempotency_key))


def _one(tournament_id: str) -> str:
    return f"{_PATH}/{segment(tournament_id)}"
