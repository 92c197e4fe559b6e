"""CLOCK: time is kept fairly: one winner of each race at a deadline, by the store's clock; downtime costs nobody."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from spieltisch_service.bots.house import Sweeper
from spieltisch_service.store.connection import connect
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.players import account
from tests.campaigns.harness.site import Served, Within, prove
from tests.campaigns.harness.skew import Skew, SkewedStore
from tests.campaigns.timed.inside import NOTES, noted_moves, read_notes
from tests.campaigns.timed.judge import Judge
from tests.campaigns.timed.outages import Outage
from tests.campaigns.timed.races import QUICK_CLOCKS, SLOW_CLOCKS, Field, StoreClock, run_races
from tests.campaigns.timed.slow import Hours
from tests.campaigns.timed.tables import Scripted, check, play_all

#: How far from the store's the clocks of the two kinds of workers are, and the store's from everybody's.
_HOUR_MS = 3_600_000
_WRONG: Sequence[tuple[int, int, int]] = ((_HOUR_MS, -_HOUR_MS, 0), (0, 0, _HOUR_MS), (0, 0, -_HOUR_MS))


def run(run: Run) -> Figures:
    """All parts, one after the other."""
    counts: Counter[str] = Counter()
    near = _quick_races(_part(run, "quick"), counts)
    moved, lapsed = counts["edge, moved"], counts["edge, lapsed"]
    if run["races"] >= 100 and not (moved and lapsed and counts["held, moved"]):
        raise Finding(f"these were no races: {dict(counts)}")
    run.say(f"{counts['edge'] + counts['held']:,} races by the quick clocks")
    hours = _slow_races(_part(run, "slow"), counts)
    run.say(f"the store's clock was moved {hours} times")
    as_it_was = [player.log for player in _unskewed(_part(run, "unskewed"))] if run["skews"] else []
    for number, wrong in enumerate(_WRONG[: run["skews"]]):
        run.say(f"clocks wrong by {wrong} ms")
        _skewed(_part(run, f"skewed{number}"), wrong, as_it_was, counts)
    return {
        "operations": counts["edge"] + counts["held"],
        "moves at the deadline": f"{counts['edge']:,}, of which {moved:,} were in time, {near} came within 5 ms",
        "moves held until the lapse was due": f"{counts['held']:,}, of which {counts['held, moved']:,} were in time",
        "hours that the store's clock was moved": hours,
        "lapses": counts["lapses"],
        "of them forfeits": counts["forfeits"],
        "matches": counts["matches"],
        "views": counts["views"],
        "streams": counts["streams"],
        "scripted matches under wrong clocks": counts["scripted"],
        "outages": counts["outages"],
        "matches in them": counts["made good"],
        "most ms given beyond an outage": counts["most given"],
        "two winners or none": 0,
        "ms of error": 0,
    }


def _part(run: Run, name: str) -> Run:
    folder = run.folder / name
    folder.mkdir()
    return Run(run.scale, run.rng.getrandbits(32), folder, run.say, run.plant)


def _quick_races(run: Run, counts: Counter[str]) -> int:
    """Races by clocks of tenths of a second. How many moves came in within 5 ms of the deadline."""
    notes = run.folder / "notes"
    if run["processes"]:
        with Served(run, workers=2, **{NOTES: str(notes)}) as served:
            judge = _raced(run, served.port, served.store_url)
            prove(served.store_url)
    else:
        with noted_moves(notes), Within(run) as site, _swept(site):
            judge = _raced(run, site.port, site.store_url)
            prove(site.store_url)
    counts.update(judge.counts)
    return sum(abs(ms) <= 5 for ms in judge.near_ms)


def _raced(run: Run, port: int, store_url: str) -> Judge:
    with closing(StoreClock(store_url)) as clock:
        where = Field(port, account(port), clock, QUICK_CLOCKS, run["races"])
        run_races(where, run["racers"], run.rng)
    return _judged(run, where, store_url)


def _judged(run: Run, where: Field, store_url: str) -> Judge:
    judge = Judge(where, _outages(store_url), read_notes(run.folder / "notes"))
    judge.judge()
    return judge


def _outages(store_url: str) -> Sequence[tuple[int, int]]:
    with closing(connect(store_url)) as store:
        return store.pulse(beat=False).outages


def _slow_races(run: Run, counts: Counter[str]) -> int:
    """Races by clocks of an hour. How often the store's clock was moved on."""
    if not run["slow_rounds"]:
        return 0
    skew = Skew(run.folder / "skew", -_HOUR_MS)
    notes = run.folder / "notes"
    with noted_moves(notes), Within(run, store=SkewedStore(run.folder / "store", skew)) as site, _swept(site):
        hours = Hours(site, skew)
        with hours.gated(), closing(StoreClock(site.store_url)) as clock:
            racers = run["slow_racers"]
            where = Field(site.port, account(site.port), clock, SLOW_CLOCKS, racers * run["slow_rounds"])
            where.together = threading.Barrier(racers, lambda: hours.move(where, clock))
            run_races(where, racers, run.rng)
        counts.update(_judged(run, where, site.store_url).counts)
        prove(site.store_url)
    return hours.moved


def _unskewed(run: Run) -> list[Scripted]:
    with Within(run) as site, _swept(site):
        token = account(site.port)
        players = play_all([site.port], token, run.rng)
        matches, views = _of_all(players)
        check(site.port, token, matches, views, lambda: _outages(site.store_url))
    return players


def _of_all(players: Sequence[Scripted]) -> tuple[list[str], list[Any]]:
    return [one for each in players for one in each.matches], [one for each in players for one in each.views]


def _skewed(run: Run, wrong: tuple[int, int, int], as_it_was: Sequence[Any], counts: Counter[str]) -> None:
    """Two services of other clocks over a store of yet another play the same matches, and are down for a while."""
    *workers_ms, store_ms = wrong
    skews = [Skew(run.folder / f"skew{number}", ms) for number, ms in enumerate((store_ms, *workers_ms))]
    with ExitStack() as stack:
        store = SkewedStore(run.folder / "store", skews[0])
        store.start()
        stack.callback(store.stop)
        sites = []
        for number, skew in enumerate(skews[1:]):
            served = Served(_part(run, f"served{number}"), workers=1, REDIS_URL=store.url, **skew.environment)
            sites.append(stack.enter_context(served))
        token = account(sites[0].port)
        players = play_all([site.port for site in sites], token, run.rng)
        for player, expected in zip(players, as_it_was, strict=True):
            if player.log != expected:
                raise Finding(f"{player.name}: with clocks wrong by {wrong} ms it goes {player.log}, else {expected}")
        counts["scripted"] += len(players)
        matches, views = _of_all(players)
        with closing(StoreClock(store.url)) as clock:
            outage = Outage(sites, store, clock, token)
            # One death of all workers is enough: where the clocks are wrong makes no difference to that.
            for by in ("pause",) if counts["outages"] else ("pause", "kill"):
                run.say(f"down by {by}")
                outage.happen(run["down_s"], run["down_clock_ms"], by=by)
                counts["outages"] += 1
            outage.end()
        check(sites[0].port, token, matches + outage.matches, views + outage.views, lambda: _outages(store.url))
        counts["made good"] += outage.extensions
        counts["most given"] = max(counts["most given"], outage.most_ms)
        prove(store.url)


@contextmanager
def _swept(site: Within) -> Iterator[None]:
    """The sweeper of a service whose workers are threads of this process."""
    stop = threading.Event()
    sweeping = threading.Thread(target=Sweeper(site.services[-1]).run_until, args=(stop,), daemon=True)
    sweeping.start()
    try:
        yield
    finally:
        stop.set()
        sweeping.join()


CAMPAIGN = Campaign(
    name="CLOCK",
    promise="one winner of every race at a deadline, by the store's clock alone; downtime costs nobody",
    run=run,
    short={
        "processes": 0,
        "races": 240,
        "racers": 32,
        "slow_rounds": 2,
        "slow_racers": 12,
        "skews": 1,
        "down_s": 6,
        "down_clock_ms": 5_000,
    },
    long={
        "processes": 1,
        "races": 12_000,
        "racers": 48,
        "slow_rounds": 10,
        "slow_racers": 24,
        "skews": 3,
        "down_s": 60,
        "down_clock_ms": 30_000,
    },
    teeth=(
        "worker-clock",
        "noticed-is-happened",
        "late-moves-count",
        "written-is-received",
        "settled-at-once",
        "downtime-is-charged",
    ),
    bite={"races": 80, "racers": 16, "slow_rounds": 0},
)
