"""What lets a tournament go on by itself: matches are made, their results noted, rounds paired, deals shown at last.

Everything here is a job that may run twice, at the same time too, or be cut off anywhere, and changes nothing the
second time: a table's match has an id that follows from the table, a result is noted once, a round is paired once, and
every step begins with what the store has. What is still to be done stands in the store as a timer that has run out
(`Store.due`), beside the match or the tournament, until it is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import structlog

from spieltisch_service.app.errors import NotFound
from spieltisch_service.app.live import LiveMatches, Plan, is_match
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.matches import Matches
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.app.tournaments.book import Book, Change
from spieltisch_service.app.tournaments.held import Held
from spieltisch_service.app.tournaments.ratings import RatingBooks
from spieltisch_service.app.tournaments.wire import HOUSE
from spieltisch_service.domain import play
from spieltisch_service.domain.errors import EntryRefused
from spieltisch_service.domain.events import LoggedEvent
from spieltisch_service.domain.match import Match, Seat, Stake
from spieltisch_service.domain.tournament.due import DueMatch, due, revealed, undisputed
from spieltisch_service.domain.tournament.log import (
    Entry,
    Finished,
    MatchEnded,
    MatchVoided,
    Paused,
    RoundPaired,
)
from spieltisch_service.domain.tournament.pairing.outcome import Over
from spieltisch_service.domain.tournament.pairing.rounds import next_round
from spieltisch_service.domain.tournament.seating import planned
from spieltisch_service.domain.tournament.state import State, Table
from spieltisch_service.games.catalogue import GAMES

#: After so many steps a job lets others have their turn; what is left is due.
_MOST_STEPS = 1000

_log = structlog.get_logger(__name__)


class Director:
    """Lets tournaments go on."""

    def __init__(self, book: Book, live: LiveMatches, matches: Matches, tokens: Tokens, ratings: RatingBooks) -> None:
        self._book = book
        self._live = live
        self._matches = matches
        self._tokens = tokens
        self._ratings = ratings

    def look_after(self, id_: str) -> None:
        """Do whatever is due for the match or tournament with that id. Nothing where there is none."""
        try:
            if is_match(id_):
                self._note(id_)
            else:
                self._go_on(id_)
        except NotFound:
            return

    # --- a match has ended ----------------------------------------------------------------------------------

    def _note(self, match_id: str) -> None:
        """Tell the tournament how a match of it has ended, and let it go on."""
        live = self._live.fresh(match_id)
        stake = live.match.played_for
        if stake is None or not live.match.is_to_be_told:
            return
        held = self._book.fresh(stake.tournament)
        number = _number(live.match)
        table = held.folded.table(stake.table)
        if table is not None:
            entry = self._result(live, table, number)
            try:
                held = self._book.change(held.id, None, lambda _: Change([entry]))
            except EntryRefused:
                # The tournament was cancelled meanwhile, or had decided the match without it.
                held = self._book.fresh(held.id)
            noted = held.folded.table(stake.table)
            if noted is not None and isinstance(entry, MatchEnded) and noted.results.get(number) == entry:
                self._ratings.note(held.folded.setup, entry)
            self._show_deals(held.folded, stake.table)
        self._live.rewrite(match_id, lambda match: _with(match, told=True))
        self._go_on(held.id)

    def _result(self, live: LiveMatch, table: Table, number: int) -> Entry:
        match = live.match
        if match.status == "aborted":
            return MatchVoided(table.id, number, match.id, "aborted")
        assert match.result is not None
        decisions, used_ms, late = _spent(self._live.log(match.id, match.version), match.players)
        return MatchEnded(
            table=table.id,
            number=number,
            match=match.id,
            seats=table.seats(number),
            ranks=tuple(match.result["ranks"]),
            scores=tuple(match.result["scores"]),
            end_reason=match.result["end_reason"],
            faults=tuple(map(_fault, match.seats, decisions, late)),
            decisions=decisions,
            used_ms=used_ms,
        )

    def _show_deals(self, state: State, table_id: str) -> None:
        """Let the matches show their deals of which nobody will play another one from it."""
        table = state.table(table_id)
        if table is None or not table.duplicate:
            return
        shown = range(1, table.deals + 1) if state.ended else revealed(table)
        for number, result in table.results.items():
            if planned(len(table.entrants), number, table.duplicate).deal in shown and result.match is not None:
                self._live.rewrite(result.match, lambda match: _with(match, deal_shown=True))

    # --- the tournament goes on -----------------------------------------------------------------------------

    def _go_on(self, tournament_id: str) -> None:
        """Do all that can be done before another match ends."""
        for _ in range(_MOST_STEPS):
            held = self._book.fresh(tournament_id)
            state = held.folded
            if state.status == "open":
                return
            if state.ended:
                self._wind_up(held)
                return
            entry = _next_entry(state)
            if entry is None:
                for match in due(state):
                    self._play(held, match)
                # If anything was written meanwhile, it is looked at again: this compares the version.
                if self._settled(held):
                    return
                continue
            try:
                self._book.change(tournament_id, None, partial(_if_still, entry=entry, version=held.version))
            except EntryRefused as error:
                _log.error("tournament_held", tournament=tournament_id, entry=entry.type, detail=str(error))
                if not self._held_up(held):
                    return
                continue
            if isinstance(entry, MatchEnded | MatchVoided):
                self._show_deals(self._book.fresh(tournament_id).folded, entry.table)

    def _held_up(self, held: Held) -> bool:
        """Pause it, for what it needs next is refused, and would be again; False where that was no help."""
        if held.status != "running":
            self._settled(held)
            return False
        self._book.change(held.id, None, partial(_if_still, entry=Paused(), version=held.version))
        return True

    def _settled(self, held: Held) -> bool:
        """Say that nothing is left to do before something else happens; False where something has."""
        done = self._book.change(held.id, None, lambda now: Change((), settled=now.version == held.version))
        return done.version == held.version

    def _play(self, held: Held, wanted: DueMatch) -> None:
        """Make the match unless it is there, and let those forfeit who have left."""
        match_id = self._tokens.table_match_id(wanted.table, wanted.number)
        try:
            live = self._live.fresh(match_id)
        except NotFound:
            live = self._matches.begin(_match_of(held, wanted, match_id), seed=wanted.seed)
        for seat, entrant in enumerate(wanted.seats):
            if entrant in wanted.absent:
                self._forfeit(live.match.id, seat)

    def _forfeit(self, match_id: str, seat: int) -> None:
        def plan(live: LiveMatch, _: None) -> Plan:
            if live.match.status != "running" or live.match.seats[seat].status != "active":
                return Plan(())
            drafts, state = play.resigned(live.game, live.match, live.state, seat)
            return Plan(drafts, state)

        self._live.change(match_id, None, lambda _: None, plan, fresh=True)

    def _wind_up(self, held: Held) -> None:
        """What follows when a tournament has ended: what still runs is aborted, and every deal may be shown."""
        state = held.folded
        for table in state.live_tables:
            for number in range(1, table.matches + 1):
                self._abort(self._tokens.table_match_id(table.id, number))
        for table in state.tables():
            self._show_deals(state, table.id)
        for account in (held.sheet.organizer, *(one for one in state.entrants if not one.startswith(HOUSE))):
            self._book.store.retire_from_account(account, [held.id])
        self._settled(held)

    def _abort(self, match_id: str) -> None:
        def plan(live: LiveMatch, _: None) -> Plan:
            if live.match.ended:
                return Plan(())
            return Plan([("match_aborted", None, {"reason": "creator"})], live.state)

        try:
            self._live.change(match_id, None, lambda _: None, plan, fresh=True)
            self._live.rewrite(match_id, lambda match: _with(match, told=True, deal_shown=True))
        except NotFound:
            return


def _if_still(now: Held, entry: Entry, version: int) -> Change:
    """The entry, if the tournament is where it was when that was decided."""
    return Change([entry] if now.version == version else ())


def _next_entry(state: State) -> Entry | None:
    """What the log needs next without anybody's doing; None where matches are to be played first."""
    for match in due(state):
        decided = undisputed(match)
        if decided is not None:
            return decided
    found = next_round(state)
    if isinstance(found, RoundPaired):
        return found
    return Finished(found.reason) if isinstance(found, Over) else None


def _match_of(held: Held, wanted: DueMatch, match_id: str) -> Match:
    """The match that a table is to play, with everybody seated."""
    setup = held.folded.setup
    game = GAMES[setup.game]
    return Match(
        id=match_id,
        game=game.id,
        rules_version=game.rules_version,
        options=setup.options,
        start="auto",
        visibility="public",
        metadata={"tournament": held.id, "table": wanted.table, "number": str(wanted.number)},
        creator=held.sheet.organizer,
        commitment=None,
        deal_source="drawn",
        first_seats=tuple(_seat(held, entrant) for entrant in wanted.seats),
        clock=setup.clock,
        played_for=Stake(held.id, wanted.table, deal_shown=not setup.duplicate),
    )


def _seat(held: Held, entrant: str) -> Seat:
    if entrant.startswith(HOUSE):
        return Seat("bot", None, entrant.removeprefix(HOUSE))
    return Seat("account", entrant, held.sheet.names.get(entrant))


def _number(match: Match) -> int:
    return int(match.metadata["number"])


def _with(match: Match, **changes: Any) -> Match:
    assert match.played_for is not None
    return replace(match, played_for=match.played_for._replace(**changes))


def _fault(seat: Seat, decisions: int, late: int) -> str | None:
    """What is to be said of a seat. One that is played for when late (`autoplay`) may never have been there either."""
    if seat.status == "resigned":
        return "resigned"
    if seat.status != "forfeited" and not late:
        return None
    return "timeout" if decisions else "no_show"


def _spent(log: list[LoggedEvent], players: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """How many actions each seat chose by itself, how many ms it took for them, and how often it was played for."""
    decisions, used_ms, late = [0] * players, [0] * players, [0] * players
    for data, seat, at_ms, since_ms in _decided(log):
        if data["cause"] == "player":
            decisions[seat] += 1
            used_ms[seat] += max(0, at_ms - since_ms)
        late[seat] += data["cause"] == "timeout"
    return tuple(decisions), tuple(used_ms), tuple(late)


def _decided(log: list[LoggedEvent]) -> Iterator[tuple[Mapping[str, Any], int, int, int]]:
    """The actions of a log: data, seat, when, and since when the seat had to decide."""
    since_ms = 0
    for event in log:
        content = event.parsed()
        if content["type"] == "action":
            yield content["data"], content["seat"], event.at_ms, since_ms
        if content["type"] in ("match_started", "action", "clock_extended"):
            since_ms = event.at_ms
