"""Play while the store dies again and again: what BOUNCE and POWERCUT have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.campaigns.harness.campaign import Finding, Run
from tests.campaigns.harness.held import Lost
from tests.campaigns.harness.history import History, Log, problems
from tests.campaigns.harness.players import Counts, Player, account, finished, total, until_moved, whole_logs
from tests.campaigns.harness.site import Site, prove


@dataclass(frozen=True)
class Survived:
    """What the players did, how many matches were proved, and how many acknowledged events are gone, all noticed."""

    counts: Counts
    proved: int
    lost: int


def survived(
    run: Run, site: Site, outage: Callable[[int], None], *, outages: int, actions: int, may_lose: bool = False
) -> Survived:
    """Let `outages` happen, spread evenly over that many acknowledged actions, and judge what is left.

    Raises Finding for anything lost; with `may_lose`, for what is lost in silence, or leaves anything but whole logs.
    """
    history = History()
    token = account(site.port)
    seeds = [run.rng.getrandbits(64) for _ in range(run["clients"])]
    players = [Player(site.port, token, n, seed, history, may_lose=may_lose) for n, seed in enumerate(seeds)]

    def acknowledged() -> int:
        return sum(player.counts.acknowledged for player in players)

    for player in players:
        player.start()
    try:
        for number in range(outages):
            until_moved(players, acknowledged, (number + 1) * actions // (outages + 1))
            outage(number)
            run.say(f"{number + 1} outages, {acknowledged():,} actions")
        until_moved(players, acknowledged, max(actions, acknowledged() + 5 * len(players)))
    finally:
        for player in players:
            player.enough.set()
    finished(players)
    logs = whole_logs(site.port, [log.match for player in players for log in player.logs])
    found = _silent(history, players, logs) if may_lose else problems(history, logs)
    if found:
        raise Finding(f"{len(found)} contradictions, the first: {found[0]}")
    lost = sum(len(log.lost) for player in players for log in player.logs)
    return Survived(total(players), prove(site.store_url), lost)


def _silent(history: History, players: Sequence[Player], logs: Mapping[str, Log]) -> list[str]:
    """What was acknowledged and is gone, or has become something else, without that its player could see it.

    A player sees it by what it holds of a log: the log as it is now is shorter, or has other hashes. Then it takes up
    the log as it is, which must be one whole chain.
    """
    seen: dict[str, set[str]] = {}
    found = []
    for player in players:
        for held in player.logs:
            try:
                held.begin_again(list(logs[held.match]))
            except Lost:
                found.append(f"R1 {held.match}: what is left is no chain")
            seen[held.match] = {*held.hashes, *held.lost}
    for act in history.acts:
        missing = set(act.hashes) - seen[act.match]
        if missing:
            found.append(f"R8 {act.match}: {len(missing)} acknowledged events at {act.first} were lost in silence")
    return found
