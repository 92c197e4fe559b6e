"""What would be played: the same course of things, with results that a lot decides instead of matches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from spieltisch.tournament.cup import Cup
from spieltisch.tournament.engine import Engine, Results
from spieltisch.tournament.event import Event
from spieltisch.tournament.playing import Assignment, Outcome


@dataclass(frozen=True)
class Plan:
    """How many rounds, tables by their size, and matches; by entrant its matches at seat 0, 1, …, and sittings out.

    Where pairing follows the results, numbers of single entrants may come out otherwise.
    """

    rounds: int
    tables: Counter[int]
    matches: int
    seats: dict[str, list[int]]
    sitting_out: Counter[str]


class _Drawn(Engine):
    def play(self, assignments: Iterator[Assignment]) -> Results:
        for each in assignments:
            ranks = list(range(1, len(each.seats) + 1))
            random.Random(each.chance).shuffle(ranks)  # noqa: S311  no secret
            nothing = [0] * len(ranks)
            yield each, Outcome(ranks, nothing, "completed", [None] * len(ranks), nothing, nothing, nothing)


def plan(cup: Cup) -> Plan:
    """The plan of a cup."""
    event = Event(cup, [], lambda *_: None)
    event.play(_Drawn(cup, None))
    rounds = event.state.rounds
    found = Plan(
        len(rounds),
        Counter(len(table.entrants) for table in event.state.tables()),
        event.played,
        {each.id: [0] * cup.setup["seats"] for each in cup.entrants},
        Counter(one for each in rounds for one in (*each.sitting_out, *each.unopposed)),
    )
    for table in event.state.tables():
        for number in range(1, table.matches + 1):
            for seat, entrant in enumerate(table.seats(number)):
                found.seats[entrant][seat] += 1
    return found
