"""What a tournament comes to: lists, rounds, standings, crosstable, statistics, the file of all of it, and ratings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from spieltisch_service.app.access import require_account
from spieltisch_service.app.accounts import Accounts
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.errors import TournamentNotEnded
from spieltisch_service.app.listing import page_of
from spieltisch_service.app.live import is_match
from spieltisch_service.app.tournaments.book import LISTED, Book
from spieltisch_service.app.tournaments.held import Held, entry_of
from spieltisch_service.app.tournaments.ratings import RatingBooks
from spieltisch_service.app.tournaments.wire import HOUSE, name_of, round_to_wire, to_wire
from spieltisch_service.domain.events import canonical
from spieltisch_service.domain.tournament.export import exported, results
from spieltisch_service.domain.tournament.log import Entry, MatchEnded
from spieltisch_service.domain.tournament.ratings import leaderboard
from spieltisch_service.domain.tournament.standings import crosstable, standings
from spieltisch_service.domain.tournament.statistics import played, statistics
from spieltisch_service.reports import content

STATUSES = ("open", "running", "paused", "finished", "cancelled")


class Reading:
    """The use cases that change nothing."""

    def __init__(self, book: Book, ratings: RatingBooks, accounts: Accounts) -> None:
        self._book = book
        self._ratings = ratings
        self._accounts = accounts

    def get(self, tournament_id: str) -> dict[str, Any]:
        """The tournament. Raises NotFound."""
        return to_wire(self._book.fresh(tournament_id))

    def listed(
        self, caller: Caller, *, game: str | None, status: str | None, mine: bool, cursor: str | None, limit: int
    ) -> dict[str, Any]:
        """A page of tournaments, newest first; with `mine` those that the caller organizes or has entered."""
        account_id = require_account(caller) if mine else None
        lists = [f"{each}:{LISTED}" for each in STATUSES if status in (None, each)]

        def shown(ids: Sequence[str]) -> dict[str, dict[str, Any]]:
            found = self._book.many([id_ for id_ in ids if not is_match(id_)])
            return {held.id: to_wire(held) for held in found if _wanted(held, game, status)}

        tournaments, next_cursor = page_of(self._book.store, account_id or lists, shown, cursor, limit)
        return {"tournaments": tournaments, "next_cursor": next_cursor}

    def rounds(self, tournament_id: str) -> dict[str, Any]:
        """Who met whom, round by round."""
        held = self._book.fresh(tournament_id)
        return self._of(held, rounds=[round_to_wire(each) for each in held.folded.rounds])

    def standings(self, tournament_id: str) -> dict[str, Any]:
        """Who is ahead, with what decides where points are equal."""
        held = self._book.fresh(tournament_id)
        lines = [{**line.to_wire(), "name": name_of(held.sheet, line.entrant)} for line in standings(held.folded)]
        return self._of(held, standings=lines)

    def crosstable(self, tournament_id: str) -> dict[str, Any]:
        """What each entrant scored against each other one."""
        held = self._book.fresh(tournament_id)
        return self._of(held, **crosstable(held.folded).to_wire())

    def statistics(self, tournament_id: str) -> dict[str, Any]:
        """What the matches say about entrants and seats, each mean with its interval."""
        held = self._book.fresh(tournament_id)
        ended = [result for table in held.folded.tables() for result in table.ended]
        return self._of(held, **statistics(played(held.folded.setup, ended)).to_wire())

    def results(self, tournament_id: str) -> bytes:
        """Standings, crosstable, ratings and statistics in one, as canonical JSON.

        It is what `spieltisch recompute` makes of the export, to the last byte. Raises NotFound, TournamentNotEnded.
        """
        held, entries, _ = self._ended(tournament_id)
        ended = [entry for entry in entries if isinstance(entry, MatchEnded)]
        return f"{canonical(results(held.folded, ended))}\n".encode()

    def export(self, tournament_id: str) -> Iterator[str]:
        """The whole tournament as lines of JSON, from which anybody can compute all of this again.

        Raises NotFound, TournamentNotEnded.
        """
        _, entries, at_ms = self._ended(tournament_id)
        return exported(entries, at_ms)

    def report(self, tournament_id: str) -> dict[str, Any]:
        """What there is so far as the content of a report, for one of the forms of `reports`.

        It has the names that people have now; who has none, an id. Raises NotFound.
        """
        held = self._book.fresh(tournament_id)
        entries, _ = self._entries(held)
        state = held.folded
        named = {
            entrant.id: replace(entrant, name=name_of(held.sheet, entrant.id) or entrant.id)
            for entrant in state.entrants.values()
        }
        ended = [entry for entry in entries if isinstance(entry, MatchEnded)]
        return content.report(replace(state, entrants=named), ended)

    def _ended(self, tournament_id: str) -> tuple[Held, list[Entry], list[int]]:
        held = self._book.fresh(tournament_id)
        if not held.folded.ended:
            msg = f"the tournament is {held.status}; its seed is secret until it has ended"
            raise TournamentNotEnded(msg)
        return held, *self._entries(held)

    def _entries(self, held: Held) -> tuple[list[Entry], list[int]]:
        """The whole log, and when each entry of it happened."""
        log = self._book.log(held.id, held.version)
        contents = [event.parsed() for event in log]
        entries = [entry_of(each["type"], each["data"], held.seed) for each in contents]
        return entries, [event.at_ms for event in log]

    def leaderboard(self, game: str, speed: str, *, limit: int) -> dict[str, Any]:
        """The best of a game and clock class."""
        found = self._ratings.read(game, speed)
        best = leaderboard(found.held)[:limit]
        return {
            "game": game,
            "clock_class": speed,
            "version": found.version,
            "ratings": [
                {"rank": rank, "entrant": entrant, "name": self._name(entrant), **rating.to_wire()}
                for rank, (entrant, rating) in enumerate(best, 1)
            ],
        }

    def _name(self, entrant: str) -> str | None:
        return entrant.removeprefix(HOUSE) if entrant.startswith(HOUSE) else self._accounts.name_of(entrant)

    @staticmethod
    def _of(held: Held, **found: Any) -> dict[str, Any]:
        return {"tournament": held.id, "status": held.status, "version": held.version, **found}


def _wanted(held: Held, game: str | None, status: str | None) -> bool:
    return game in (None, held.folded.setup.game) and status in (None, held.status)
