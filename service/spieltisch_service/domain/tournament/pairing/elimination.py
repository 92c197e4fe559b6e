"""Single elimination.

Two seats: a bracket in which the strongest meet last; who has no opponent there sits out and goes on. Ties at a table
are broken as `tally.placed` says. Who has left by the next round loses to whoever it would have met.

More seats: the field, the strongest spread out, is split into tables; of each the better half goes on (of three two, of
five three). As soon as one table holds all, that is the final.
"""

from __future__ import annotations

from collections.abc import Sequence

from spieltisch_service.domain.tournament.pairing.outcome import Answer, Draft, Over
from spieltisch_service.domain.tournament.pairing.tables import seated, table_sizes
from spieltisch_service.domain.tournament.state import Round, State
from spieltisch_service.domain.tournament.tally import Tally, placed, seeded, tally


def pair(state: State) -> Answer:
    """The next round."""
    counts = tally(state)
    return _bracket(state, counts) if state.setup.seats == 2 else _halves(state, counts)


# --- two seats ------------------------------------------------------------------------------------------------


def bracket(order: Sequence[str]) -> list[str | None]:
    """The places of the first round: of every two neighbours one goes on, and so do the strongest, as far as can be."""
    places = [0]
    while len(places) < len(order):
        size = 2 * len(places)
        places = [each for place in places for each in (place, size - 1 - place)]
    return [order[place] if place < len(order) else None for place in places]


def _bracket(state: State, counts: Tally) -> Answer:
    places = bracket(seeded(state))
    for each in state.rounds:
        places = _after(state, places, each)
    places = [one if one is not None and state.entrants[one].active else None for one in places]
    if sum(one is not None for one in places) < 2:
        return Over("decided")
    tables, alone = [], []
    for one, other in zip(places[::2], places[1::2], strict=True):
        if one is not None and other is not None:
            tables.append(seated((one, other), counts))
        elif one is not None or other is not None:
            alone.append(one or other or "")
    return Draft(tables, sitting_out=alone)


def _after(state: State, places: list[str | None], done: Round) -> list[str | None]:
    """The places of the next round."""
    winners = {frozenset(table.entrants): placed(state, table)[0] for table in done.tables}
    alone = frozenset(done.sitting_out)
    following: list[str | None] = []
    for pair in zip(places[::2], places[1::2], strict=True):
        met = frozenset(one for one in pair if one is not None)
        following.append(winners.get(met) or next((one for one in pair if one in alone), None))
    return following


# --- more seats -----------------------------------------------------------------------------------------------


def still_in(state: State) -> list[str]:
    """Who goes on after the rounds so far, the strongest first; those that have left, too."""
    field = set(state.entrants)
    for each in state.rounds:
        better = {one for table in each.tables for one in placed(state, table)[: -(-len(table.entrants) // 2)]}
        field &= better | set(each.sitting_out)
    return [one for one in seeded(state) if one in field]


def _halves(state: State, counts: Tally) -> Answer:
    last = state.rounds[-1] if state.rounds else None
    if last is not None and len(last.tables) == 1 and not last.sitting_out:
        return Over("decided")
    field = [one for one in still_in(state) if state.entrants[one].active]
    if len(field) < state.setup.least_seats:
        return Over("decided")
    sizes = table_sizes(len(field), state.setup.seats, state.setup.least_seats)
    count = sum(sizes)
    tables: list[list[str]] = [[] for _ in sizes]
    for number, one in enumerate(field[:count]):
        lap, place = divmod(number, len(sizes))
        tables[-1 - place if lap % 2 else place].append(one)
    return Draft([seated(table, counts) for table in tables], sitting_out=field[count:])
