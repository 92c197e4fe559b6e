"""Who meets whom next: the one door to all formats, and to an organizer's own pairings.

A pure function of the state: to ask it is the dry run, to apply its answer the real one. It is bounded, always answers,
and always answers the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from spieltisch_service.domain.errors import EntryRefused
from spieltisch_service.domain.tournament.fold import check_tables
from spieltisch_service.domain.tournament.log import RoundPaired
from spieltisch_service.domain.tournament.pairing import (
    arena,
    double_elimination,
    elimination,
    gauntlet,
    round_robin,
    swiss,
)
from spieltisch_service.domain.tournament.pairing.outcome import Answer, Draft, Over, Wait
from spieltisch_service.domain.tournament.state import State

FORMATS: Mapping[str, Callable[[State], Answer]] = {
    "round_robin": round_robin.pair,
    "swiss": swiss.pair,
    "single_elimination": elimination.pair,
    "double_elimination": double_elimination.pair,
    "arena": arena.pair,
    "gauntlet": gauntlet.pair,
}


def next_round(state: State) -> RoundPaired | Wait | Over:
    """The next round, as the entry that pairs it; or why there is none now, or none any more."""
    if state.ended:
        return Over(state.reason or state.status)
    if state.status == "open":
        return Wait("open")
    if state.live_tables and (state.stopping or not state.setup.rolling):
        return Wait("matches")
    if state.stopping:
        return Over("stopped")
    if len(state.active) < 2:
        return Wait("matches") if state.live_tables else Over("too_few_entrants")
    if state.setup.own_pairings:
        return Over("rounds") if len(state.rounds) >= (state.setup.rounds or 0) else Wait("organizer")
    if state.status == "paused":
        return Wait("paused")
    answer = FORMATS[state.setup.format](state)
    return answer.entry(state) if isinstance(answer, Draft) else answer


def own_round(state: State, tables: Sequence[Sequence[str]]) -> RoundPaired:
    """The next round as the organizer wants it: `tables` of entrants in seat order. Who is not named sits out.

    Raises EntryRefused for what no round can be, and where the organizer does not pair.
    """
    if not state.setup.own_pairings:
        raise EntryRefused("own_pairings", "this tournament pairs by itself")
    if len(state.rounds) >= (state.setup.rounds or 0):
        raise EntryRefused("wrong_round", f"all {state.setup.rounds} rounds are paired")
    check_tables(state, tables)
    named = set(chain.from_iterable(tables))
    return Draft(tables, sitting_out=[one for one in state.active if one not in named], by="organizer").entry(state)
