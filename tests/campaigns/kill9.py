"""KILL9: workers die by `kill -9` and at fault points before and after every call to the store, while clients play."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tests.campaigns.harness import chores
from tests.campaigns.harness.armed import POINTS
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.history import History, problems
from tests.campaigns.harness.players import Player, account, alive, finished, total, until_moved, whole_logs
from tests.campaigns.harness.site import Served, Within, opened, prove
from tests.campaigns.harness.wire import PATIENCE_S

#: Of these a worker dies most often: an action is in the store, and nobody has been told.
_WORST = ("commit:after", "commit:before", "head:before")


def run(run: Run) -> Figures:
    """Play, kill, and compare what was acknowledged with what the store has."""
    history = History()
    with opened(run, limits=True) as site:
        token = account(site.port)
        players = [Player(site.port, token, n, run.rng.getrandbits(64), history) for n in range(run["clients"])]
        errands = chores.Chores(site.port, run.rng.getrandbits(64))
        everyone = [*players, errands]
        for each in everyone:
            each.start()
        try:
            points = _deaths(run, site, players, errands)
            until_moved(players, lambda: _acknowledged(players), run["actions"])
        finally:
            errands.enough.set()
            for player in players:
                player.enough.set()
        errands.join(2 * PATIENCE_S)
        alive([errands])
        finished(players)
        logs = whole_logs(site.port, [log.match for player in players for log in player.logs])
        found = problems(history, logs)
        if found:
            raise Finding(f"{len(found)} contradictions, the first: {found[0]}")
        proved = prove(site.store_url)
    counts = total(players)
    return {
        "operations": counts.acknowledged,
        "kills": run["kills"],
        "at fault points": points,
        "calls to the store that nobody makes": ", ".join(sorted(chores.NEVER)),
        "matches proved": proved,
        "views checked": len(history.reads),
        "unanswered requests": counts.unanswered,
        "most tries": counts.most_tries,
        "lost": 0,
        "doubled": 0,
    }


def _acknowledged(players: Sequence[Player]) -> int:
    return sum(player.counts.acknowledged for player in players)


def _deaths(run: Run, site: Within | Served, players: Sequence[Player], errands: chores.Chores) -> int:
    """Let `kills` workers die, spread evenly over the actions; how many of them died at fault points."""
    rare = [point for point in POINTS if point not in _WORST and point.split(":")[0] not in chores.NEVER]
    # The supervisor takes its time before it starts the bots' process again.
    if not run["processes"] or run["kills"] < len(rare):
        rare = [point for point in rare if point.split(":")[0] not in chores.BESIDE_REQUESTS]
    run.rng.shuffle(rare)
    at_points = 0
    for number in range(run["kills"]):
        until_moved(players, lambda: _acknowledged(players), (number + 1) * run["actions"] // (run["kills"] + 1))
        if number % 2 and site.kill_worker(run.rng):
            continue
        point = run.rng.choice(_WORST) if number % 4 or not rare else rare.pop()
        site.faults.arm(point)
        deadline = time.monotonic() + PATIENCE_S
        while not site.faults.hit(point):
            alive([*players, errands])
            if time.monotonic() > deadline:
                raise Finding(f"nothing passes the fault point {point}: {errands.rounds} errands, {errands.at}")
            time.sleep(0.01)
        at_points += 1
        run.say(f"{number + 1} kills, the last at {point}, {_acknowledged(players):,} actions")
    return at_points


CAMPAIGN = Campaign(
    name="KILL9",
    promise="no acknowledged action is lost or doubled when workers are killed at any moment",
    run=run,
    short={"processes": 1, "clients": 4, "kills": 4, "actions": 400},
    long={"processes": 1, "clients": 48, "kills": 300, "actions": 100_000},
    teeth=("ack-before-write", "row-not-kept", "torn-commit"),
    bite={"processes": 0, "kills": 40, "actions": 1000},
)
