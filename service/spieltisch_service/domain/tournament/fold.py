"""A tournament's log, folded into its state. What cannot be is refused, and then nothing has changed.

A result that comes a second time is the same result or is refused; a round is paired once; an entrant sits at one
unfinished table at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NoReturn

from spieltisch_service.domain.errors import EntryRefused, Reason, Wrong
from spieltisch_service.domain.tournament import log
from spieltisch_service.domain.tournament.log import (
    Cancelled,
    Created,
    Entered,
    Entry,
    Finished,
    Invited,
    MatchEnded,
    MatchVoided,
    Paused,
    Rejoined,
    Resumed,
    RoundPaired,
    Started,
    Stopped,
    Withdrawn,
    table_id,
)
from spieltisch_service.domain.tournament.setup import BRACKETS, ENTRANT_ID, JOINABLE, MAX_DEALS
from spieltisch_service.domain.tournament.state import Entrant, Result, Round, State, Table

#: How often an entrant may come back.
MAX_REJOINS = 3


def fold(entries: Iterable[Entry]) -> State:
    """The state after all of `entries`, of which the first is `Created`. Raises EntryRefused."""
    state: State | None = None
    for entry in entries:
        state = apply(state, entry)
    if state is None:
        _refuse("not_created", "the log is empty")
    return state


def apply(state: State | None, entry: Entry) -> State:
    """The state after one more entry; the same one for what is known already. Raises EntryRefused."""
    if state is None or isinstance(entry, Created):
        if state is not None or not isinstance(entry, Created):
            _refuse("not_created", "a log begins with its creation, and has just one")
        return State(entry.tournament, entry.setup, invited=frozenset(entry.setup.invited))
    match entry:
        case MatchEnded() | MatchVoided():
            return _with_result(state, entry)
        case RoundPaired():
            return _with_round(state, entry)
        case Invited() | Entered() | Withdrawn() | Rejoined():
            return _with_people(state, entry)
        case _:
            return _with_status(state, entry)


def _refuse(code: Reason | Wrong, text: str) -> NoReturn:
    raise EntryRefused(code, text)


# --- status ---------------------------------------------------------------------------------------------------


def _with_status(state: State, entry: Entry) -> State:
    match entry:
        case Started():
            _only(state, "open")
            least = max(2, state.setup.least_seats)
            if len(state.active) < least:
                _refuse("too_few_entrants", f"it takes {least} entrants to start, and there are {len(state.active)}")
            champion = state.setup.champion
            if champion is not None and champion not in state.active:
                _refuse("no_champion", f"the champion {champion} has not entered")
            return replace(state, status="running")
        case Paused():
            _only(state, "running")
            return replace(state, status="paused")
        case Resumed():
            _only(state, "paused")
            return replace(state, status="running")
        case Stopped():
            _only(state, "running", "paused")
            return replace(state, stopping=True)
        case Cancelled():
            _only(state, "open", "running", "paused")
            return replace(state, status="cancelled", reason=entry.reason)
        case Finished():
            _only(state, "running", "paused")
            if state.live_tables:
                _refuse("matches_live", "matches are still to be played")
            return replace(state, status="finished", reason=entry.reason)
    raise TypeError(f"no entry of a log: {entry!r}")


def _only(state: State, *allowed: str) -> None:
    if state.status not in allowed:
        _refuse("wrong_status", f"the tournament is {state.status}, not {' or '.join(allowed)}")


# --- who takes part -------------------------------------------------------------------------------------------


def _with_people(state: State, entry: Invited | Entered | Withdrawn | Rejoined) -> State:
    match entry:
        case Invited():
            _only(state, "open", "running", "paused")
            _known_form(entry.entrant)
            if entry.entrant in state.invited:
                return state
            return replace(state, invited=state.invited | {entry.entrant})
        case Entered():
            return _entered(state, entry)
        case Withdrawn():
            _only(state, "open", "running", "paused")
            entrant = _entrant(state, entry.entrant)
            if not entrant.active:
                _refuse("not_active", f"{entrant.id} is {entrant.status} already")
            if state.status == "open":
                rest = {each: one for each, one in state.entrants.items() if each != entrant.id}
                return replace(state, entrants=rest)
            return _with_entrant(state, replace(entrant, status="withdrawn"))
        case Rejoined():
            _only(state, "running", "paused")
            entrant = _entrant(state, entry.entrant)
            if entrant.active:
                _refuse("already_entered", f"{entrant.id} takes part already")
            if state.setup.format in BRACKETS:
                _refuse("no_rejoining", "who has left an elimination is out")
            if entrant.rejoins >= MAX_REJOINS:
                _refuse("no_rejoining", f"{entrant.id} has come back {MAX_REJOINS} times")
            back = replace(
                entrant, status="active", no_shows=0, rejoins=entrant.rejoins + 1, since=len(state.rounds) + 1
            )
            return _with_entrant(state, back)


def _entered(state: State, entry: Entered) -> State:
    setup = state.setup
    if setup.format in JOINABLE:
        _only(state, "open", "running", "paused")
    else:
        _only(state, "open")
    _known_form(entry.entrant)
    if entry.entrant in state.entrants:
        _refuse("already_entered", f"{entry.entrant} has entered already")
    if len(state.entrants) >= setup.entrants_max:
        _refuse("full", f"there are {setup.entrants_max} entrants already")
    if entry.kind not in ("human", "bot", "house", "program"):
        _refuse("malformed", f"no entrant is a {entry.kind[:40]!r}")
    if setup.entrants_allowed == "bots" and entry.kind == "human":
        _refuse("not_allowed", "only bots may enter")
    if setup.entrants_allowed == "invited" and entry.entrant not in state.invited:
        _refuse("not_allowed", f"{entry.entrant} is not invited")
    number = 1 + max((one.number for one in state.entrants.values()), default=0)
    since = len(state.rounds) + 1
    return _with_entrant(state, Entrant(entry.entrant, entry.name, entry.kind, entry.seeding, number, since))


def _known_form(entrant: str) -> None:
    if not ENTRANT_ID.fullmatch(entrant):
        _refuse("malformed", f"{entrant[:140]!r} is no id of an entrant")


def _entrant(state: State, entrant: str) -> Entrant:
    found = state.entrants.get(entrant)
    if found is None:
        _refuse("unknown_entrant", f"{entrant[:140]} has not entered")
    return found


def _with_entrant(state: State, entrant: Entrant) -> State:
    return replace(state, entrants={**state.entrants, entrant.id: entrant})


# --- rounds ---------------------------------------------------------------------------------------------------


def _with_round(state: State, entry: RoundPaired) -> State:
    _only(state, "running")
    if entry.round <= len(state.rounds):
        _refuse("round_paired", f"round {entry.round} is paired already")
    if entry.round != len(state.rounds) + 1:
        _refuse("wrong_round", f"the next round is {len(state.rounds) + 1}, not {entry.round}")
    if state.stopping:
        _refuse("stopping", "no round is paired any more")
    if not state.setup.rolling and state.live_tables:
        _refuse("matches_live", f"round {len(state.rounds)} is still played")
    check_tables(state, [table.seats for table in entry.tables], (*entry.sitting_out, *entry.unopposed))
    for board, table in enumerate(entry.tables, 1):
        if (table.id, table.board) != (table_id(state.tournament, entry.round, board), board):
            _refuse("malformed", f"table {board} is not called {table.id[:200]}")
        if not 1 <= table.deals <= MAX_DEALS:
            _refuse("malformed", f"{table.deals} is no number of deals")
    tables = tuple(
        Table(table.id, entry.round, table.board, table.seats, table.deals, state.setup.duplicate)
        for table in entry.tables
    )
    paired = Round(entry.round, tables, entry.sitting_out, entry.unopposed, entry.by)
    return replace(state, rounds=(*state.rounds, paired))


def check_tables(state: State, tables: Sequence[Sequence[str]], without: Sequence[str] = ()) -> None:
    """Whether a round could have these tables, and those people `without` one. Raises EntryRefused if not."""
    seen: set[str] = set()
    for entrant in (*(one for table in tables for one in table), *without):
        if entrant in seen:
            _refuse("paired_twice", f"{entrant} is named twice")
        seen.add(entrant)
        found = _entrant(state, entrant)
        if not found.active:
            _refuse("not_active", f"{entrant} is {found.status}")
        if entrant in state.busy:
            _refuse("busy", f"{entrant} still plays")
    for seats in tables:
        least, most = state.setup.least_seats, state.setup.seats
        if not least <= len(seats) <= most:
            size = f"{least} to {most}" if least < most else str(most)
            _refuse("wrong_size", f"a table has {size} entrants, not {len(seats)}")
        for index, one in enumerate(seats):
            for other in seats[:index]:
                if not state.setup.may_meet(one, other):
                    _refuse("forbidden_pair", f"{other} and {one} must not meet")


# --- results --------------------------------------------------------------------------------------------------


def _with_result(state: State, entry: Result) -> State:
    table = state.table(entry.table)
    if table is None:
        _refuse("unknown_table", f"there is no table {entry.table[:200]}")
    known = table.results.get(entry.number)
    if known is not None:
        if known == entry:
            return state
        _refuse("already_ended", f"match {entry.number} of table {table.id} has another result already")
    _only(state, "running", "paused")
    if not 1 <= entry.number <= table.matches:
        _refuse("unknown_match", f"table {table.id} has {table.matches} matches")
    if isinstance(entry, MatchEnded):
        _check_result(table, entry)
    elif entry.reason not in ("absent", "aborted"):
        _refuse("malformed", f"no match is voided because of {entry.reason[:40]!r}")
    # A copy of the whole round for each result: pointers of at most a few hundred tables.
    played = replace(table, results={**table.results, entry.number: entry})
    number = table.round - 1
    before = state.rounds[number]
    tables = (*before.tables[: table.board - 1], played, *before.tables[table.board :])
    after = replace(state, rounds=(*state.rounds[:number], replace(before, tables=tables), *state.rounds[number + 1 :]))
    return _with_no_shows(after, entry) if isinstance(entry, MatchEnded) else after


def _check_result(table: Table, entry: MatchEnded) -> None:
    if entry.seats != table.seats(entry.number):
        _refuse("wrong_seats", f"match {entry.number} of table {table.id} seats {', '.join(table.seats(entry.number))}")
    n = len(entry.seats)
    by_seat = (entry.ranks, *(one for one in (entry.scores, entry.faults, entry.decisions, entry.used_ms) if one))
    if any(len(one) != n for one in by_seat):
        _refuse("malformed", f"a result says one thing of each of the {n} seats")
    if any(own != 1 + sum(other < own for other in entry.ranks) for own in entry.ranks):
        _refuse("malformed", f"no {n} seats rank {list(entry.ranks)}")
    if any(fault is not None and fault not in log.FAULTS for fault in entry.faults):
        _refuse("malformed", f"a fault is one of {', '.join(log.FAULTS)}")


def _with_no_shows(state: State, entry: MatchEnded) -> State:
    """Who did not show up often enough in a row is removed; who played has none in a row any more."""
    absent = entry.no_shows()
    changed = {}
    for each in entry.seats:
        entrant = state.entrants[each]
        count = entrant.no_shows + 1 if each in absent else 0
        # A match that was decided without being played says nothing about who would have come.
        if entry.match is None or count == entrant.no_shows:
            continue
        status = "removed" if entrant.active and count >= state.setup.no_show_limit else entrant.status
        changed[each] = replace(entrant, no_shows=count, status=status)
    return replace(state, entrants={**state.entrants, **changed}) if changed else state
