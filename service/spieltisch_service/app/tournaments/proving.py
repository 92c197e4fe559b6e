"""Whether an archived tournament, or book of ratings, is whole: log, chain and document must all tell the same."""

from __future__ import annotations

from spieltisch_service.app.holdings import WholeMatch
from spieltisch_service.app.tournaments.book import LISTED
from spieltisch_service.app.tournaments.held import Held, Sheet, seed_of, without
from spieltisch_service.app.tournaments.ratings import RATED, book_id, pool_of, ratings_of
from spieltisch_service.domain.tournament import lots
from spieltisch_service.domain.tournament.ratings import Rating, rated

TOURNAMENT = "tn_"


def problem_of(whole: WholeMatch) -> str | None:
    """What is wrong with it, whose chain has been proved; None: nothing. Raises UnknownForm."""
    return _problem_of_tournament(whole) if whole.id.startswith(TOURNAMENT) else _problem_of_ratings(whole)


def held_of(whole: WholeMatch) -> Held:
    """The tournament. Raises UnknownForm."""
    return Held(whole.id, Sheet.from_document(whole.document), seed_of(whole.secret)).after(whole.log)


def listed_as(whole: WholeMatch) -> str | None:
    """The public list that it is on."""
    return f"{held_of(whole).status}:{LISTED}" if whole.id.startswith(TOURNAMENT) else None


def without_names(whole: WholeMatch, erased: set[str]) -> bytes:
    """Its document without the names of accounts that were erased."""
    if not whole.id.startswith(TOURNAMENT):
        return whole.document
    sheet = Sheet.from_document(whole.document)
    names = dict(sheet.names)
    for account in erased & set(names):
        names = without(names, account)
    return whole.document if names == sheet.names else Sheet(sheet.organizer, names).to_document()


def _problem_of_tournament(whole: WholeMatch) -> str | None:
    held = held_of(whole)
    created = whole.log[0].parsed()["data"]
    if created["tournament"] != whole.id:
        return "its log is that of another tournament"
    if created["commitment"] != lots.commitment(held.seed, whole.id):
        return "its seed is not the one that was committed to"
    if held.folded.ended != (whole.ended_at_ms is not None):
        return "its log and its end do not fit"
    return None


def _problem_of_ratings(whole: WholeMatch) -> str | None:
    if book_id(*pool_of(whole.document)) != whole.id:
        return "its document is that of other ratings"
    known: dict[str, Rating] = {}
    for event in whole.log:
        content = event.parsed()
        if content["type"] != RATED:
            return f"it has an event {content['type']}"
        known |= rated(known, content["data"]["entrants"], content["data"]["ranks"])
    return None if known == ratings_of(whole.state) else "its ratings are not what its log gives"
