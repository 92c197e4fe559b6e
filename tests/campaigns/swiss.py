"""SWISS: a tournament of SDK bots ends by itself while its workers die, and its file computes to the same bytes.

Bots with accounts of their own enter, look for decisions and play; the organizer starts it and does nothing more. Now
and then a worker of the server dies by `kill -9`, and each second time the process that lets tournaments go on.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import threading
import time

from spieltisch import Client
from spieltisch.errors import MatchNotRunning, NotYourTurn, StaleVersion
from spieltisch.tournament_models import TournamentInfo
from spieltisch_service.domain.tournament.export import recompute
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.players import alive
from tests.campaigns.harness.site import Served, prove
from tests.campaigns.harness.wire import PATIENCE_S
from tests.serving import until

#: Long enough for what waits while a worker starts, on a busy machine.
_CLOCK_MS = 120_000
_CLOCK = {"kind": "per_decision", "per_decision_ms": _CLOCK_MS, "on_timeout": "forfeit"}


class Bot(threading.Thread):
    """Plays what waits for it, by chance, until `enough`; in its match number `held` not before it `may_go_on`."""

    def __init__(self, url: str, name: str, seed: int, held: int = 0) -> None:
        super().__init__(name=name, daemon=True)
        self.may_go_on = threading.Event()
        self._held, self._matches = held, set[str]()
        self.client = Client(url, retry_for=PATIENCE_S).register(name, kind="bot")
        self.rng = random.Random(seed)
        self.enough = threading.Event()
        self.decisions = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        """Play."""
        try:
            cursor = None
            while not self.enough.is_set():
                waiting = self.client.decisions(wait=2, cursor=cursor)
                cursor = waiting.cursor
                for each in waiting:
                    self._decide(each.match, each.seat)
        except BaseException as error:
            self.error = error

    def _decide(self, match_id: str, seat: int) -> None:
        self._matches.add(match_id)
        if len(self._matches) == self._held:
            # Half of the time that it has.
            self.may_go_on.wait(_CLOCK_MS / 2000)
        match = self.client.matches.get(match_id)
        view = match.view(seat=seat)
        while view.legal_actions:
            try:
                view = match.act(self.rng.choice(view.legal_actions), seat=seat, version=view.version).view
            except StaleVersion as stale:
                view = stale.view
            except (MatchNotRunning, NotYourTurn):
                return
            else:
                self.decisions += 1


def run(run: Run) -> Figures:
    """Enter, start, kill, and compare."""
    with Served(run) as site:
        url = f"http://127.0.0.1:{site.port}"
        organizer = Client(url, retry_for=PATIENCE_S).register("Organizer")
        # One holds the last round up until the last kill, so that it does not come when all is over.
        held = [run["rounds"], *[0] * (run["bots"] - 1)]
        bots = [Bot(url, f"Bot {n}", run.rng.getrandbits(64), matches) for n, matches in enumerate(held)]
        options = {"round_limit": run["round_limit"]}
        wanted = {"format": "swiss", "seats": 4, "rounds": run["rounds"], "options": options}
        cup = organizer.tournaments.create("wunderland", "Cup of the killed", clock=_CLOCK, **wanted).id
        for bot in bots:
            bot.client.tournaments.enter(cup)
            bot.start()
        organizer.tournaments.start(cup)
        try:
            ended = _until_ended(run, site, organizer, cup, bots)
        finally:
            for bot in bots:
                bot.enough.set()
                bot.may_go_on.set()
        for bot in bots:
            bot.join(2 * PATIENCE_S)
        alive(bots)
        return _compared(run, site, organizer, ended, bots)


def _until_ended(run: Run, site: Served, organizer: Client, cup: str, bots: list[Bot]) -> TournamentInfo:
    """Kill, spread over the matches, and wait until the tournament says that it has ended."""
    matches = run["rounds"] * -(-run["bots"] // 4)
    kills, last, since_s = 0, -1, time.monotonic()
    while True:
        alive(bots)
        found = organizer.tournaments.get(cup)
        if found.ended:
            if kills < run["kills"]:
                raise Finding(f"it was over after {kills} of {run['kills']} kills")
            return found
        if found.version != last:
            last, since_s = found.version, time.monotonic()
        elif time.monotonic() - since_s > 2 * PATIENCE_S:
            raise Finding(f"nothing happens any more behind version {last}")
        results = sum(len(table["results"]) for each in organizer.tournaments.rounds(cup) for table in each.tables)
        if kills < run["kills"] and results >= matches * kills // run["kills"]:
            if kills % 2:
                os.kill(site.serving.part("spieltisch_service.worker"), signal.SIGKILL)
            elif not site.kill_worker(run.rng):
                continue
            kills += 1
            if kills == run["kills"]:
                bots[0].may_go_on.set()
            run.say(f"{kills} kills, {results} of {matches} results")
        time.sleep(0.2)


def _compared(run: Run, site: Served, organizer: Client, ended: TournamentInfo, bots: list[Bot]) -> Figures:
    cup = organizer.tournaments
    rounds = list(cup.rounds(ended.id))
    results = [result for each in rounds for table in each.tables for result in table["results"]]
    if ended.reason != "rounds" or len(rounds) != run["rounds"]:
        raise Finding(f"it ended by {ended.reason} after {len(rounds)} rounds")
    for each in rounds:
        seated = sorted(one for table in each.tables for one in table["entrants"])
        if seated != sorted(bot.client.identity().account.id for bot in bots):  # type: ignore[union-attr]
            raise Finding(f"round {each.round} seats {seated}")
    ids = [result["match"] for result in results]
    if len(set(ids)) != len(ids) or None in ids:
        raise Finding(f"matches are played twice or not at all: {ids}")
    faults = [fault for result in results for fault in result["faults"] if fault is not None]
    if faults:
        raise Finding(f"who was there was forfeited: {faults}")
    told, export = cup.results(ended.id), cup.export(ended.id)
    if recompute(export.splitlines()) != told.encode():
        raise Finding("the export computes to other results than the service's")
    if [line.entrant for line in cup.standings(ended.id)] != [line["entrant"] for line in _standings(told)]:
        raise Finding("the standings are in another order than in the results")
    page = cup.report(ended.id)
    missing = [bot.name for bot in bots if bot.name not in page]
    if missing or re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", page):
        raise Finding(f"the report lacks {missing}, or loads something from elsewhere")
    # The job that rates one may have died with its worker, and comes again.
    until(lambda: _rated(organizer) >= len(results), "the last match to be rated")
    if _rated(organizer) != len(results):
        raise Finding(f"{_rated(organizer)} of {len(results)} matches are rated")
    return {
        "operations": sum(bot.decisions for bot in bots),
        "rounds": len(rounds),
        "matches": len(results),
        "kills": run["kills"],
        "bytes of results, equal to those recomputed": len(told),
        "proved": prove(site.store_url),
        "faults of those who were there": 0,
    }


def _rated(organizer: Client) -> int:
    return organizer.tournaments.ratings("wunderland", clock_class="rapid", limit=200).version


def _standings(told: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(told)["standings"]
    return found


CAMPAIGN = Campaign(
    name="SWISS",
    promise="a tournament ends by itself while its workers are killed, and its file computes to the same bytes",
    run=run,
    short={"bots": 8, "rounds": 2, "kills": 2, "round_limit": 1},
    long={"bots": 16, "rounds": 5, "kills": 5, "round_limit": 30},
)
