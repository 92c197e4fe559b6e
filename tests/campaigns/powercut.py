"""POWERCUT: the power of the store's machine is cut under load, and whatever it had not synced is gone."""

from __future__ import annotations

from tests.campaigns.harness.campaign import Campaign, Figures, Run
from tests.campaigns.harness.outages import survived
from tests.campaigns.harness.power import PoweredStore, compiled
from tests.campaigns.harness.site import Within

#: How the store writes with a planted bug.
_APPENDFSYNC = {"no-fsync": "no", "fsync-every-second": "everysec"}


def run(run: Run) -> Figures:
    """Play, cut, start again, and compare."""
    otherwise = _APPENDFSYNC.get(run.plant or "")
    store = PoweredStore(run.folder / "store", compiled(run.folder), run.rng)
    rewrites = 0
    with Within(run, store=store) as site:
        if otherwise:
            store.sync(otherwise)

        def cut(number: int) -> None:
            nonlocal rewrites
            if number % 4 == 3:
                # So that the power also goes while the file is written anew, or just after.
                store.rewrite()
                rewrites += 1
            store.kill()
            store.start()
            if otherwise:
                store.sync(otherwise)

        done = survived(run, site, cut, outages=run["cuts"], actions=run["actions"])
    return {
        "operations": done.counts.acknowledged,
        "cuts": run["cuts"],
        "during rewrites": rewrites,
        "bytes that were not synced": store.dropped,
        "tries while the store was away": done.counts.unavailable + done.counts.unanswered,
        "matches proved": done.proved,
        "lost": done.lost,
    }


CAMPAIGN = Campaign(
    name="POWERCUT",
    promise="at the level fsync no acknowledged action is lost when the power is cut",
    run=run,
    short={"clients": 4, "cuts": 5, "actions": 300},
    long={"clients": 8, "cuts": 200, "actions": 8_000},
    teeth=("no-fsync", "fsync-every-second", "ack-before-write"),
)
