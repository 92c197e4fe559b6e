"""What becomes of tournaments when an account is erased: nobody waits for who does not come back."""

from __future__ import annotations

from contextlib import suppress

from spieltisch_service.app.errors import NotFound
from spieltisch_service.app.tournaments.book import Book, Change
from spieltisch_service.app.tournaments.held import Held
from spieltisch_service.domain.tournament.log import Cancelled, Entry, Stopped, Withdrawn


def leave(book: Book, tournament_id: str, account_id: str) -> None:
    """Take the account out of a tournament, and let the tournament end that would wait for it as its organizer.

    Again: nothing.
    """
    with suppress(NotFound):
        book.change(tournament_id, None, lambda held: Change(_last_entries(held, account_id)))


def _last_entries(held: Held, account_id: str) -> list[Entry]:
    state = held.folded
    if state.ended:
        return []
    entrant = state.entrants.get(account_id)
    entries: list[Entry] = []
    if entrant is not None and entrant.active:
        entries.append(Withdrawn(account_id, "left"))
    if held.sheet.organizer == account_id:
        if state.status == "open":
            entries.append(Cancelled("organizer"))
        elif (state.status == "paused" or state.setup.own_pairings) and not state.stopping:
            entries.append(Stopped())
    return entries
