"""T14: pairing a round of a Swiss tournament of 200, in milliseconds of CPU time; of a whole tournament the worst."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.measure import Row, Target, interleaved, median
from spieltisch_service.domain.tournament.due import due
from spieltisch_service.domain.tournament.fold import apply, fold
from spieltisch_service.domain.tournament.log import Created, Entered, MatchEnded, RoundPaired, Started
from spieltisch_service.domain.tournament.pairing.rounds import next_round
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.domain.tournament.state import State

_ENTRANTS = 200
_ROUNDS = 9
T14 = {
    seats: Target(f"Swiss of {_ENTRANTS}, {seats} seats: pair a round", 500, 150, at_most=True, unit="ms")
    for seats in (2, 4)
}


def _started(seats: int) -> State:
    setup = TournamentSetup("neues-land", "swiss", "benchmark", seats=seats, rounds=_ROUNDS)
    people = [Entered(f"e{number}", f"e{number}") for number in range(_ENTRANTS)]
    return fold([Created("to", setup), *people, Started()])


def _played(state: State) -> State:
    """Everything that is due, won by who entered first."""
    for match in due(state):
        numbers = [int(one[1:]) for one in match.seats]
        ranks = tuple(1 + sum(other < own for other in numbers) for own in numbers)
        state = apply(state, MatchEnded(match.table, match.number, None, match.seats, ranks))
    return state


def _worst_ms(seats: int) -> Callable[[], float]:
    def measured() -> float:
        state, worst = _started(seats), 0
        for _ in range(_ROUNDS):
            start = time.process_time_ns()
            answer = next_round(state)
            worst = max(worst, time.process_time_ns() - start)
            assert isinstance(answer, RoundPaired), answer
            state = _played(apply(state, answer))
        return worst / 1e6

    return measured


def measured(rounds: int) -> list[Row]:
    """T14 for two and four seats."""
    times = interleaved({str(seats): _worst_ms(seats) for seats in T14}, rounds)
    said = f"the slowest of {_ROUNDS} rounds"
    return [
        Row("T14", target, said, median(times[str(seats)]), (min(times[str(seats)]), max(times[str(seats)])))
        for seats, target in T14.items()
    ]
