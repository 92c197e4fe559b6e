"""Arena: whoever is free is paired with who is near, until everybody has had so many tables.

Near is who has about the same score per table. Who has had fewer tables comes first. Nobody meets again at once whom it
has just met, as long as somebody else may become free.
"""

from __future__ import annotations

from spieltisch_service.domain.tournament.lots import lot
from spieltisch_service.domain.tournament.pairing.matching import best_pairs
from spieltisch_service.domain.tournament.pairing.outcome import Answer, Draft, Over, Wait
from spieltisch_service.domain.tournament.pairing.swiss import group
from spieltisch_service.domain.tournament.pairing.tables import NEVER, seated
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.domain.tournament.tally import Tally, tally

#: Tables per entrant where nobody says how many.
TABLES = 10
_AGAIN = 10**6


def tables_each(state: State) -> int:
    """How many tables everybody has."""
    return state.setup.rounds or TABLES


def pair(state: State) -> Answer:
    """The next tables."""
    alone = not state.live_tables
    if not alone and sum(one not in state.busy for one in state.active) < state.setup.least_seats:
        return Wait("matches")
    counts = tally(state)
    number, seed = len(state.rounds) + 1, state.setup.seed
    most = tables_each(state)
    open_to_play = [one for one in state.active if counts.tables[one] < most]
    free = [one for one in open_to_play if one not in state.busy]
    near = {one: _near(counts, one) for one in free}
    free.sort(key=lambda one: (-near[one], lot(seed, "arena", number, one), one))
    if len(free) < state.setup.least_seats:
        return Over("rounds") if alone else Wait("matches")
    if state.setup.seats == 2:
        return _pairs(state, counts, free, near)

    def cost(one: str, other: str) -> int:
        if not state.setup.may_meet(one, other):
            return NEVER
        return (near[one] - near[other]) ** 2 // 100 + _AGAIN * (one in counts.last[other])

    if not alone:
        # Full tables only, as long as those that play may yet come to fill them.
        full = len(free) // state.setup.seats * state.setup.seats
        keen = sorted(free, key=lambda one: (counts.tables[one], free.index(one)))[:full]
        free = [one for one in free if one in keen]
        if not free:
            return Wait("matches")
    answer = group(state, counts, free, cost, _AGAIN - 1)
    if isinstance(answer, Draft):
        return Draft(answer.tables, by=answer.by)
    return answer if alone else Wait("matches")


def _near(counts: Tally, one: str) -> int:
    """The score per table in thousandths; the mean for who has had none."""
    tables = counts.tables[one]
    return int(1000 * counts.points[one] / tables) if tables else 500


def _pairs(state: State, counts: Tally, free: list[str], near: dict[str, int]) -> Answer:
    alone = not state.live_tables

    def cost(one: int, other: int) -> int | None:
        if not state.setup.may_meet(free[one], free[other]):
            return None
        again = free[other] in counts.last[free[one]] or free[one] in counts.last[free[other]]
        if again and not alone:
            return None
        same = [counts.seats[each][0] - counts.seats[each][1] for each in (free[one], free[other])]
        price = (near[free[one]] - near[free[other]]) ** 2 + again * 10**8
        return price + (10**5 if same[0] * same[1] > 0 else 0)

    behind = max(counts.tables[one] for one in free)
    bonus = [(behind - counts.tables[one]) * 10**9 for one in free]
    pairs = best_pairs(len(free), cost, bonus)
    if pairs:
        return Draft([seated((free[one], free[other]), counts) for one, other in pairs])
    return Over("no_pairing") if alone else Wait("matches")
