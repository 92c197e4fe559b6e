"""NONINT: whatever a viewer must not know can be changed, and no answer to that viewer changes.

Matches are played over a real store. At positions of each, everybody who may look (a stranger with and without a key,
each seat by its key or its token) asks everything that there is to ask, in the real world and in one that differs in
all that this viewer must not know: status, headers and bytes have to be the same. The questions go into the application
as it is served, compression included; the two worlds stand over one frozen store, so that nothing else differs. What
lies outside is not compared: HTTP as gunicorn speaks it, and time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import redis

from spieltisch_service.app.service import Service
from spieltisch_service.games.catalogue import GAMES
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.logged import quiet_log
from tests.campaigns.harness.own_store import own_store
from tests.campaigns.hidden.comparing import Comparing, askers
from tests.campaigns.hidden.leaks import LEAKS
from tests.campaigns.hidden.tables import Table, play_some, set_up

_GAMES = tuple(GAMES)
#: How far a match is played between two looks at it, at most.
_STEP = {"neues-land": 12, "wunderland": 30}
_OPEN_MATCHES = 0.1


def run(run: Run) -> Figures:
    """Compare `answers` answers of each game."""
    figures: dict[str, Any] = {"operations": 0}
    with own_store(run.folder) as (url, new_service), quiet_log():
        for game in _GAMES if run.plant is None else (LEAKS[run.plant][0],):
            comparing, positions = Comparing(plant=run.plant), 0
            number = 0
            while comparing.compared < run["answers"]:
                with redis.Redis.from_url(url) as client:
                    client.flushall()
                seed = f"{run.seed} {game} {number}"
                positions += _match(comparing, new_service, game, random.Random(seed), seed)
                number += 1
                run.say(f"{game}: {comparing.compared:,} answers compared at {positions} positions, 0 differences")
            figures |= {f"answers of {game}": comparing.compared, f"positions of {game}": positions}
            figures["operations"] += comparing.compared
    return figures | {"differences": 0}


def _match(comparing: Comparing, new_service: Callable[..., Service], game: str, rng: random.Random, seed: str) -> int:
    """Look at one match on its way; how often it was looked at."""
    manual = rng.random() < _OPEN_MATCHES
    table = set_up(new_service, game, rng, **({"start": "manual"} if manual else {}))
    looks = 0
    for _ in range(1 if manual else 6):
        if not manual:
            play_some(table, rng.randint(0, _STEP[game]), rng)
            if not table.running:
                break
        _look(comparing, table, rng, seed)
        looks += 1
    return looks


def _look(comparing: Comparing, table: Table, rng: random.Random, seed: str) -> None:
    memory: dict[Any, Any] = {}
    for viewer, known in askers(table, rng):
        for difference in comparing.differences(table, viewer, known, rng, memory):
            who = "a spectator" if viewer is None else f"seat {viewer}"
            raise Finding(f"{who} (by {known}) can tell two worlds apart, match {seed!r}: {difference}")


CAMPAIGN = Campaign(
    name="NONINT",
    promise="no answer to a viewer hangs on anything that this viewer must not know",
    run=run,
    short={"answers": 6_000},
    long={"answers": 500_000},
    teeth=tuple(LEAKS),
    bite={"answers": 20_000},
)
