"""Double elimination, two seats: who has lost twice is out.

In each round the unbeaten meet among themselves, the strongest the weakest, and so do those that have lost once; where
two would meet again that have met, the weaker half moves on until none do, or as few as can be. The last of both meet
in the final; if the unbeaten one loses that, there is a second final.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from spieltisch_service.domain.tournament.pairing.matching import best_pairs
from spieltisch_service.domain.tournament.pairing.outcome import Answer, Draft, Over
from spieltisch_service.domain.tournament.pairing.tables import seated
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.domain.tournament.tally import Tally, placed, seeded, tally


def losses(state: State) -> Counter[str]:
    """How many tables each has lost."""
    return Counter(placed(state, table)[1] for table in state.tables() if table.complete)


def pair(state: State) -> Answer:
    """The next round."""
    counts, lost = tally(state), losses(state)
    alive = [one for one in seeded(state) if state.entrants[one].active and lost[one] < 2]
    if len(alive) < 2:
        return Over("decided")
    unbeaten = [one for one in alive if lost[one] == 0]
    beaten = [one for one in alive if lost[one] == 1]
    if len(unbeaten) == len(beaten) == 1:
        return Draft([seated((unbeaten[0], beaten[0]), counts)])
    tables = [*_among(unbeaten, counts), *_among(beaten, counts)]
    playing = {one for table in tables for one in table}
    return Draft(tables, sitting_out=[one for one in alive if one not in playing])


def _among(group: Sequence[str], counts: Tally) -> list[tuple[str, ...]]:
    # Of an odd number the strongest that has sat out least often does.
    spare = min(group, key=lambda one: (counts.sat_out[one], group.index(one))) if len(group) % 2 else None
    playing = [one for one in group if one != spare]
    half = len(playing) // 2
    strong, weak = playing[:half], playing[half:][::-1]
    for shift in range(half):
        pairs = list(zip(strong, [*weak[shift:], *weak[:shift]], strict=True))
        if not any(counts.met[one][other] for one, other in pairs):
            break
    else:
        best = best_pairs(len(playing), lambda one, other: counts.met[playing[one]][playing[other]])
        pairs = [(playing[one], playing[other]) for one, other in best]
    return [seated(pair, counts) for pair in pairs]
