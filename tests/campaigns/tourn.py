"""TOURN: tournaments of every format end, and whatever happens to them, their books balance.

They are imagined: nothing is played, but results, people who come late, leave and come back, no-shows, pauses, results
that come twice or late, and second directors are drawn. At every step it is looked whether anybody has two matches at
a time, meets somebody again or whom it must not meet, or is forgotten; at the end the log is read as JSON, counted by a
second opinion (`cup/recount.py`), and folded again from wherever a crash could have been.
"""

from __future__ import annotations

import json
import random
from collections import Counter

from spieltisch_service.domain.tournament.fold import apply, fold
from spieltisch_service.domain.tournament.log import Entry, entry_from_wire
from spieltisch_service.domain.tournament.pairing.rounds import next_round
from tests.campaigns.cup.checks import check_books, check_course
from tests.campaigns.cup.imagined import Cup, drawn, open_and_start, step, steps_allowed
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.plants import planted

#: How many crashes are tried in each tournament.
_CRASHES = 3


def run(run: Run) -> Figures:
    """Imagine `tournaments`, of which every `large_every`th has `entrants` entrants."""
    counts: Counter[str] = Counter()
    with planted(run.plant):
        for number in range(1, run["tournaments"] + 1):
            seed = f"{run.seed} {number}"
            cup = drawn(random.Random(seed), None if number % run["large_every"] else run["entrants"])
            try:
                _whole(cup, counts)
            except AssertionError as finding:
                what = f"{cup.setup.format} of {cup.field_size} with {cup.setup.seats} seats"
                raise Finding(f"tournament {seed!r} ({what}): {finding}") from finding
            if number % 100 == 0:
                run.say(f"{number:,} tournaments, {counts['matches']:,} matches, nothing found")
    return {"operations": counts["steps"], **counts, "stuck": 0, "differences": 0}


def _whole(cup: Cup, counts: Counter[str]) -> None:
    open_and_start(cup)
    allowed, steps = steps_allowed(cup), 0
    while not cup.state.ended and step(cup):
        steps += 1
        if steps > allowed:
            raise Finding(f"it is stuck after {steps} steps, in round {len(cup.state.rounds)}")
        if steps % 50 == 0:
            # Standings are asked for at any time.
            check_books(cup.state, [entry.to_wire() for entry in cup.log])
    lines = json.loads(json.dumps([entry.to_wire() for entry in cup.log]))
    check_course(check_books(cup.state, lines))
    _crash(cup, [entry_from_wire(line) for line in lines])
    counts["tournaments"] += 1
    counts["steps"] += steps
    counts["rounds"] += len(cup.state.rounds)
    counts["matches"] += sum(len(table.results) for table in cup.state.tables())
    counts["entries"] += len(cup.log)
    counts["refused"] += cup.refused
    counts["sat out"] += sum(len(each.sitting_out) for each in cup.state.rounds)


def _crash(cup: Cup, log: list[Entry]) -> None:
    """From any prefix of the log, as it was read back, it goes on as it did, and the next round is the same round."""
    if log != cup.log or fold(log) != cup.state:
        raise Finding("the log that was read back comes to something else")
    for _ in range(_CRASHES):
        kept = cup.rng.randrange(1, len(log) + 1)
        state = fold(log[:kept])
        for entry in log[kept:]:
            state = apply(state, entry)
        if state != cup.state:
            raise Finding(f"after a crash behind entry {kept} it comes to something else")
    for kept, entry in cup.rng.sample(cup.pairings, min(_CRASHES, len(cup.pairings))):
        if next_round(fold(log[:kept])) != entry:
            raise Finding(f"after a crash before round {entry.round} another one is paired")


CAMPAIGN = Campaign(
    name="TOURN",
    promise="every tournament ends, nobody is paired wrongly, and its books balance, whatever happens to it",
    run=run,
    short={"tournaments": 150, "entrants": 257, "large_every": 75},
    long={"tournaments": 2_000, "entrants": 257, "large_every": 50},
    teeth=(
        "round-paired-twice",
        "late-result-counts",
        "sitting-out-pays-again",
        "meetings-forgotten",
        "seats-as-they-come",
        "gone-are-paired",
    ),
    bite={"tournaments": 600},
)
