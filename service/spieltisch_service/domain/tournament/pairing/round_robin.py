"""Round robin: everybody meets everybody.

Two seats: the circle method. One stays, the others go round by one place a round; everybody alternates between the
seats but for the round against the one that stays. Who would have met somebody that has left, or that it must not meet,
is unopposed. A second pass has the seats the other way round.

More seats: as many rounds as it takes at least until one can have met all others, ceil((n - 1) / (seats - 1)). With
seats² entrants of 3, 4 or 5 seats these are the lines of an affine plane, and everybody meets everybody exactly once.
Else each round is built by swaps that avoid meeting again, so that two may meet twice while others do not meet; so it
goes on, too, where somebody has left a plane.
"""

from __future__ import annotations

from collections.abc import Sequence

from spieltisch_service.domain.tournament.lots import drawn
from spieltisch_service.domain.tournament.pairing.outcome import Answer, Draft, Over
from spieltisch_service.domain.tournament.pairing.swiss import group
from spieltisch_service.domain.tournament.pairing.tables import seated
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.domain.tournament.tally import Tally, tally

#: Products in the field of four elements; its sums are those of bits. The others are numbers modulo 3 and 5.
_TIMES_4 = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))


def one_pass(entrants: int, seats: int) -> int:
    """How many rounds it takes once through."""
    if entrants <= seats:
        return 1
    if seats == 2:
        return entrants - 1 + entrants % 2
    return -(-(entrants - 1) // (seats - 1))


def rounds(state: State) -> int:
    """How many rounds there are."""
    return state.setup.rounds or one_pass(len(state.entrants), state.setup.seats)


def pair(state: State) -> Answer:
    """The next round."""
    if len(state.rounds) >= rounds(state):
        return Over("rounds")
    circle = drawn(state.setup.seed, "circle", state.entrants)
    counts = tally(state)
    if state.setup.seats == 2:
        return _two(state, circle, counts)
    number = len(state.rounds) % one_pass(len(circle), state.setup.seats)
    if len(circle) == state.setup.seats**2 and len(state.active) == len(circle):
        return Draft([seated(line, counts) for line in plane(circle, number)])
    order = drawn(state.setup.seed, f"round {len(state.rounds) + 1}", state.active)
    return group(state, counts, order, lambda one, other: counts.met[one][other] ** 2, 0)


def _two(state: State, circle: list[str], counts: Tally) -> Draft:
    tables, sitting_out, unopposed = [], [], []
    passed, number = divmod(len(state.rounds), one_pass(len(circle), 2))
    for one, other in circle_round(circle, number):
        here = [each for each in (one, other) if each is not None and state.entrants[each].active]
        if one is None or other is None:
            sitting_out += here
        elif len(here) < 2 or not state.setup.may_meet(one, other):
            unopposed += here
        else:
            wanted = (other, one) if passed % 2 else (one, other)
            lead = [counts.seats[each][0] - counts.seats[each][1] for each in wanted]
            # Where all stay, the circle never leads by more than two; what others' leaving has done is put right.
            tables.append(wanted if lead[0] <= 1 and lead[1] >= -1 else seated(wanted, counts))
    return Draft(tables, sitting_out, unopposed)


def circle_round(circle: Sequence[str], number: int) -> list[tuple[str | None, str | None]]:
    """Round `number` (from 0) of the circle method: pairs in seat order; None opposite to who sits out."""
    places: list[str | None] = [*circle, *([None] if len(circle) % 2 else [])]
    stays = places.pop()
    n = len(places)
    fixed = (places[number % n], stays)
    pairs = [fixed if number % 2 == 0 else fixed[::-1]]
    for step in range(1, (n + 1) // 2):
        pair = (places[(number + step) % n], places[(number - step) % n])
        pairs.append(pair if step % 2 else pair[::-1])
    return pairs


def plane(circle: Sequence[str], number: int) -> list[list[str]]:
    """The lines of one direction in the affine plane of 3², 4² or 5² points: every other one meets them once."""
    q = {9: 3, 16: 4, 25: 5}[len(circle)]

    def line(x: int, shift: int) -> int:
        return (_TIMES_4[number][x] ^ shift) if q == 4 else (number * x + shift) % q

    if number == q:
        return [[circle[q * x + y] for y in range(q)] for x in range(q)]
    return [[circle[q * x + line(x, shift)] for x in range(q)] for shift in range(q)]
