"""BOUNCE: the store dies by `kill -9` under load and comes back with its append-only file, at both levels.

At `fsync` nothing that was acknowledged is lost. At `fast` the last second may be, and for that second part the end of
the file is cut off; then nothing is lost in silence: every player can see it by the hashes that it holds.
"""

from __future__ import annotations

import os
from pathlib import Path

import redis

from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.outages import Survived, survived
from tests.campaigns.harness.site import OwnStore, Within, opened


def run(run: Run) -> Figures:
    """Both levels, one after the other."""
    kept = _at_fsync(run)
    fast = _at_fast(run)
    return {
        "operations": kept.counts.acknowledged + fast.counts.acknowledged,
        "bounces at fsync": run["bounces"],
        "lost at fsync": kept.lost,
        "bounces at fast": run["fast_bounces"],
        "events lost at fast, all noticed": fast.lost,
        "forks": 0,
        "matches proved": kept.proved + fast.proved,
        "tries while the store was away": kept.counts.unavailable + fast.counts.unavailable,
    }


def _at_fsync(run: Run) -> Survived:
    with opened(run) as site:
        if run.plant == "no-append-file":
            with redis.Redis.from_url(site.store_url) as client:
                client.config_set("appendonly", "no")

        def bounce(_: int) -> None:
            before = _length(run.folder / "data") if run.plant == "tail-lost" else 0
            site.kill_store()
            if run.plant == "tail-lost":
                _cut_tail(run.folder / "data", before - 2000)
            site.await_store()

        return survived(run, site, bounce, outages=run["bounces"], actions=run["actions"])


def _at_fast(run: Run) -> Survived:
    folder = run.folder / "fast"
    folder.mkdir()
    part = Run({**run.scale, "processes": 0}, run.rng.getrandbits(32), folder, run.say)
    store = OwnStore(folder / "data", "fast")
    with Within(part, store=store) as site:

        def bounce(_: int) -> None:
            # What the disk had a moment ago, and a part of what came since.
            before = _length(folder / "data")
            store.kill()
            _cut_tail(folder / "data", part.rng.randint(before - 4000, before))
            store.start()

        done = survived(part, site, bounce, outages=run["fast_bounces"], actions=run["fast_actions"], may_lose=True)
    if run["fast_bounces"] and not done.lost:
        raise Finding("the end of the file was cut off, and nothing is missing: nobody looked")
    return done


def _file(data: Path) -> Path:
    return max((data / "appendonlydir").glob("*.incr.aof"), key=lambda file: file.stat().st_mtime_ns)


def _length(data: Path) -> int:
    return _file(data).stat().st_size


def _cut_tail(data: Path, length: int) -> None:
    os.truncate(_file(data), max(0, length))


CAMPAIGN = Campaign(
    name="BOUNCE",
    promise="at fsync nothing acknowledged is lost when the store is killed; at fast nothing is lost in silence",
    run=run,
    short={"processes": 0, "clients": 4, "bounces": 4, "actions": 300, "fast_bounces": 3, "fast_actions": 200},
    long={"processes": 1, "clients": 8, "bounces": 50, "actions": 5_000, "fast_bounces": 50, "fast_actions": 3_000},
    teeth=("no-append-file", "tail-lost", "ack-before-write"),
)
