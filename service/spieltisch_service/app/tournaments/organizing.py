"""What organizers and entrants do: create, invite, enter, withdraw, start, pause, go on, stop, cancel, pair by hand."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from spieltisch_service.app.access import require_account, require_known
from spieltisch_service.app.callers import CREATE_KEY_KEPT_MS, Answer, Caller, Once
from spieltisch_service.app.errors import (
    FieldError,
    Forbidden,
    InvalidBody,
    TournamentRefuses,
)
from spieltisch_service.app.quotas import Quotas
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.app.tournaments.book import Book, Change
from spieltisch_service.app.tournaments.held import Held, Sheet
from spieltisch_service.app.tournaments.wire import HOUSE, round_to_wire, to_wire
from spieltisch_service.domain.errors import EntryRefused, InvalidSetup
from spieltisch_service.domain.tournament.fold import apply
from spieltisch_service.domain.tournament.log import (
    Cancelled,
    Created,
    Entered,
    Entry,
    Invited,
    Paused,
    Rejoined,
    Resumed,
    RoundPaired,
    Started,
    Stopped,
    Withdrawn,
)
from spieltisch_service.domain.tournament.pairing.rounds import next_round, own_round
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.games.catalogue import GAMES

#: Why nobody is paired, by the reason that the pairing gives.
_WHY_NONE = {
    "matches": "matches are still played",
    "rounds": "all rounds are paired",
    "decided": "it is decided",
    "stopped": "it was stopped",
    "too_few_entrants": "too few are left",
    "no_pairing": "nobody is left who may meet",
    "organizer": "it is cancelled",
}


class Organizing:
    """The use cases that change a tournament. `bots` are the names of the house bots."""

    def __init__(self, book: Book, tokens: Tokens, bots: Sequence[str], quotas: Quotas) -> None:
        self._book = book
        self._tokens = tokens
        self._bots = bots
        self._quotas = quotas

    # --- create ---------------------------------------------------------------------------------------------

    def create(self, caller: Caller, wanted: Mapping[str, Any], once: Once | None, *, dry_run: bool = False) -> Answer:
        """A new tournament, open for entrants; 201. The caller's account organizes it."""
        organizer = require_account(caller)
        given = {name: value for name, value in wanted.items() if value is not None}
        game = GAMES[given["game"]]
        options = {key: value for key, value in given.get("options", {}).items() if value is not None}
        given["options"] = asdict(game.options_type(**options))
        self._require_known_bots(given)
        try:
            setup = TournamentSetup.from_wire({**given, "seed": secrets.token_hex(32)})
        except InvalidSetup as error:
            raise InvalidBody(str(error), errors=[_field_error(error)]) from None
        turn = 0
        while True:
            intent = secrets.token_hex(16) if once is None else once.key
            id_ = self._tokens.tournament_id(intent, turn)
            begun = Held(id_, Sheet(organizer), setup.seed)
            if dry_run:
                return Answer(to_wire(_with(begun, Created(id_, setup))), 200)
            create = partial(self._book.create, begun, [Created(id_, setup)], once, (organizer,))
            done = self._quotas.organized(organizer, id_, create)
            if done.row is None or done.now_ms - done.created_at_ms < CREATE_KEY_KEPT_MS:
                return Answer(to_wire(done), 201, f"/v1/tournaments/{id_}", replayed=done.row is not None)
            turn += 1

    # --- who takes part -------------------------------------------------------------------------------------

    def enter(self, caller: Caller, tournament_id: str, once: Once | None, *, bot: str | None, dry_run: bool) -> Answer:
        """The caller's account takes part, or the organizer enters the house bot `bot`; 201. Again after leaving."""
        account_id = require_account(caller)
        account = caller.account
        assert account is not None
        if bot is not None:
            self._require_bot(HOUSE + bot, "/bot")
        entrant = account_id if bot is None else HOUSE + bot

        def plan(held: Held) -> Change:
            if bot is not None:
                _require_organizer(held, caller)
            known = held.folded.entrants.get(entrant)
            if known is not None and not known.active and held.status != "open":
                return Change([Rejoined(entrant)])
            # The log is for good and names nobody: the sheet has the names.
            if bot is None:
                return Change(
                    [Entered(entrant, entrant, account.kind)],
                    names={entrant: account.name},
                    accounts=(account_id,),
                )
            # Whom the organizer enters is invited.
            invited = [Invited(entrant)] if held.folded.setup.entrants_allowed == "invited" else []
            return Change([*invited, Entered(entrant, entrant, "house")])

        return self._answer(tournament_id, once, plan, 201, dry_run)

    def invite(self, caller: Caller, tournament_id: str, once: Once | None, *, account: str, dry_run: bool) -> Answer:
        """An account may enter where only the invited may."""
        return self._by_organizer(caller, tournament_id, once, lambda _: [Invited(account)], dry_run)

    def withdraw(self, caller: Caller, tournament_id: str, entrant: str, *, dry_run: bool) -> Answer:
        """An entrant leaves, by itself or by the organizer; what it still has to play is forfeited. Again: nothing."""
        account_id = require_account(caller)

        def plan(held: Held) -> Change:
            if entrant != account_id:
                _require_organizer(held, caller)
            known = held.folded.entrants.get(entrant)
            gone = self._has_left(held, entrant) if known is None else not known.active
            if gone:
                return Change(())
            by = "left" if entrant == account_id else "organizer"
            return Change([Withdrawn(entrant, by)])

        return self._answer(tournament_id, None, plan, 200, dry_run)

    def _has_left(self, held: Held, entrant: str) -> bool:
        """Whether it had entered and left before the start, after which nothing of it is kept but the log."""
        contents = (event.parsed() for event in self._book.log(held.id, held.version))
        return any(each["type"] == Withdrawn.type and each["data"]["entrant"] == entrant for each in contents)

    def _require_known_bots(self, given: Mapping[str, Any]) -> None:
        """Raise InvalidBody for a house bot that does not live here: it could never enter."""
        self._require_bot(given.get("champion", ""), "/champion")
        for place, one in enumerate(given.get("invited", ())):
            self._require_bot(one, f"/invited/{place}")
        for place, pair in enumerate(given.get("forbidden", ())):
            for side, one in enumerate(pair):
                self._require_bot(one, f"/forbidden/{place}/{side}")

    def _require_bot(self, entrant: str, pointer: str) -> None:
        if entrant.startswith(HOUSE) and entrant.removeprefix(HOUSE) not in self._bots:
            detail = f"a house bot is one of {', '.join(self._bots)}"
            raise InvalidBody(detail, errors=[FieldError("not_one_of", detail, pointer=pointer)])

    # --- how it goes on -------------------------------------------------------------------------------------

    def start(self, caller: Caller, tournament_id: str, once: Once | None, *, dry_run: bool) -> Answer:
        """Nobody enters any more, and the first round is paired."""

        def entries(held: Held) -> Sequence[Entry]:
            state = apply(held.folded, Started())
            if not state.setup.some_may_meet(state.active):
                # The start would be its end.
                raise EntryRefused("no_pairing", "nobody who has entered may meet any other one")
            return [Started()]

        return self._by_organizer(caller, tournament_id, once, entries, dry_run)

    def pause(self, caller: Caller, tournament_id: str, once: Once | None, *, dry_run: bool) -> Answer:
        """No round is paired any more until it goes on; what is played is played to its end."""
        return self._by_organizer(caller, tournament_id, once, lambda _: [Paused()], dry_run)

    def resume(self, caller: Caller, tournament_id: str, once: Once | None, *, dry_run: bool) -> Answer:
        """It goes on."""
        return self._by_organizer(caller, tournament_id, once, lambda _: [Resumed()], dry_run)

    def stop(self, caller: Caller, tournament_id: str, once: Once | None, *, dry_run: bool) -> Answer:
        """It ends with the matches that are played now, and has standings."""
        return self._by_organizer(caller, tournament_id, once, lambda _: [Stopped()], dry_run)

    def cancel(self, caller: Caller, tournament_id: str, *, dry_run: bool) -> Answer:
        """It ends now, without a result; matches that are played are aborted. Again: nothing."""

        def entries(held: Held) -> Sequence[Entry]:
            return () if held.status == "cancelled" else [Cancelled("organizer")]

        return self._by_organizer(caller, tournament_id, None, entries, dry_run)

    def pair(
        self,
        caller: Caller,
        tournament_id: str,
        once: Once | None,
        *,
        tables: Sequence[Sequence[str]] | None,
        dry_run: bool,
    ) -> Answer:
        """The next round: as the organizer wants it, or, with `dry_run` and no tables, as the format would pair it."""
        require_known(caller)
        if tables is None and not dry_run:
            detail = "say who meets whom, or ask with ?dry_run=true what the format would pair"
            raise InvalidBody(detail, errors=[FieldError("missing", detail, pointer="/tables")])

        def plan(held: Held) -> Change:
            _require_organizer(held, caller)
            return Change(_proposed(held.folded) if tables is None else [own_round(held.folded, tables)])

        done = self._changed(tournament_id, once, plan, 201, dry_run)
        body = round_to_wire(done.folded.rounds[-1])
        return Answer(body, 200 if dry_run else 201, replayed=done.row is not None)

    # --- all of them ----------------------------------------------------------------------------------------

    def _by_organizer(
        self,
        caller: Caller,
        tournament_id: str,
        once: Once | None,
        entries: Callable[[Held], Sequence[Entry]],
        dry_run: bool,
    ) -> Answer:
        require_known(caller)

        def plan(held: Held) -> Change:
            _require_organizer(held, caller)
            return Change(entries(held))

        return self._answer(tournament_id, once, plan, 200, dry_run)

    def _answer(
        self, tournament_id: str, once: Once | None, plan: Callable[[Held], Change], status: int, dry_run: bool
    ) -> Answer:
        done = self._changed(tournament_id, once, plan, status, dry_run)
        return Answer(to_wire(done), 200 if dry_run else status, replayed=done.row is not None)

    def _changed(
        self, tournament_id: str, once: Once | None, plan: Callable[[Held], Change], status: int, dry_run: bool
    ) -> Held:
        try:
            return self._book.change(tournament_id, once, plan, status=status, dry_run=dry_run)
        except EntryRefused as error:
            raise TournamentRefuses(str(error), extra={"reason": error.code}) from None


def _with(held: Held, entry: Entry) -> Held:
    return replace(held, state=apply(held.state, entry), version=held.version + 1)


def _proposed(state: State) -> list[Entry]:
    """The round that the format would pair next, whoever pairs, with what must come before it.

    Raises EntryRefused where there is none.
    """
    first: dict[str, Entry] = {"open": Started(), "paused": Resumed()}
    before = [first[state.status]] if state.status in first else []
    for entry in before:
        state = apply(state, entry)
    found = next_round(replace(state, setup=replace(state.setup, own_pairings=False)))
    if isinstance(found, RoundPaired):
        return [*before, found]
    raise EntryRefused("nothing_to_pair", f"there is no round to pair now: {_WHY_NONE.get(found.reason, found.reason)}")


def _require_organizer(held: Held, caller: Caller) -> None:
    if caller.account is None or caller.account.id != held.sheet.organizer:
        msg = "only the account that organizes the tournament may do this"
        raise Forbidden(msg)


def _field_error(error: InvalidSetup) -> FieldError:
    return FieldError("out_of_range", str(error), pointer=f"/{error.field}")
