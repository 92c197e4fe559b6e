"""Gauntlet: one meets the whole field, a table at a time, the strongest first; the others meet only at its tables."""

from __future__ import annotations

from spieltisch_service.domain.tournament.pairing.outcome import Answer, Draft, Over
from spieltisch_service.domain.tournament.pairing.tables import seated
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.domain.tournament.tally import seeded, tally


def champion(state: State) -> str:
    """Who meets the field: the one that the setup names, or the first that entered."""
    return state.setup.champion or next(iter(state.entrants))


def pair(state: State) -> Answer:
    """The next table: as many challengers as have met the champion least often, in as equal tables as can be."""
    one = champion(state)
    if not state.entrants[one].active:
        return Over("too_few_entrants")
    counts = tally(state)
    passes = state.setup.rounds or 1
    waiting = [other for other in seeded(state) if other != one and state.entrants[other].active]
    waiting = [other for other in waiting if counts.met[one][other] < passes]
    if len(waiting) + 1 < state.setup.least_seats:
        return Over("rounds")
    turn = min(counts.met[one][other] for other in waiting)
    waiting = [other for other in waiting if counts.met[one][other] == turn]
    tables = -(-len(waiting) // (state.setup.seats - 1))
    return Draft([seated((one, *waiting[: -(-len(waiting) // tables)]), counts)])
