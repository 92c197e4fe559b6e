"""EXPER: experiments between a bot and itself, and between bots of which one is better, played out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from spieltisch.bot.bulk import Bulk, House, Setup
from spieltisch.bot.experiment import SEATINGS, Experiment, Outcome
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run

#: Each game, with options by which a match is short.
_GAMES: Mapping[str, Mapping[str, Any]] = {"wunderland": {"round_limit": 4}, "neues-land": {}}
#: So unlikely must it be that as many wrong verdicts come by chance, if each comes with probability alpha.
_CHANCE = 1e-3


def run(run: Run) -> Figures:
    """Play, and count the verdicts."""
    alpha = run["alpha_percent"] / 100
    wrong: Counter[str] = Counter()
    matches = 0
    for game, times in (("wunderland", run["wunderland_runs"]), ("neues-land", run["neues_land_runs"])):
        if not times:
            continue
        alone = _tried(run, game, "random", "random", times, alpha)
        wrong[game] = sum(outcome.verdict != "undecided" for outcome in alone)
        matches += _matches(alone)
        run.say(f"{game}, random against itself: {wrong[game]} false alarms in {times} experiments")
        most = _most(times, alpha)
        if wrong[game] > most:
            raise Finding(f"{game}: {wrong[game]} false alarms in {times} experiments, {most} are the most by chance")
    known, deals = _known(run, alpha)
    return {
        "operations": matches + known,
        "experiments of a bot with itself": run["wunderland_runs"] + run["neues_land_runs"],
        "false alarms": wrong.total(),
        "alpha": alpha,
        **deals,
    }


def _known(run: Run, alpha: float) -> tuple[int, dict[str, str]]:
    """Bots of which the ladder knows that the first is better: the matches, and after how many deals it was known."""
    matches, told = 0, {}
    pairs = [("greedy", "random", run["power_runs"]), ("planner", "greedy", run["planner_runs"])]
    for own, other, times in pairs:
        for game in _GAMES if times else ():
            found = _tried(run, game, own, other, times, alpha, cap=run["power_cap"], full=True)
            verdicts = Counter(outcome.verdict for outcome in found)
            if verdicts["worse"] > _most(times, alpha):
                raise Finding(f"{game}: {own} is found to be worse than {other}: {dict(verdicts)}")
            deals = sorted(outcome.deals for outcome in found)
            said = f"{verdicts['better']} of {times}, median {deals[times // 2]} deals"
            run.say(f"{game}, {own} better than {other}: {said}")
            told[f"{own} better than {other} in {game}"] = said
            matches += _matches(found)
    return matches, told


def _tried(
    run: Run, game: str, own: str, other: str, times: int, alpha: float, *, cap: int | None = None, full: bool = False
) -> list[Outcome]:
    options = {"round_limit": 30} if full and game == "wunderland" else _GAMES[game]
    setup = Setup(game, 2, options, f"{run.seed}/{own}/{other}", run.folder)
    bulk = Bulk(setup, House(own), [House(other)])
    experiment = Experiment(bulk, alpha=alpha, cap=cap or run["cap"])
    found = []
    for number in range(times):
        outcome, interrupted = experiment.run(run["jobs"], number=number)
        if interrupted:
            raise KeyboardInterrupt
        found.append(outcome)
        if (number + 1) % 50 == 0:
            run.say(f"{game}, {own} against {other}: {number + 1} of {times}")
    return found


def _matches(outcomes: list[Outcome]) -> int:
    return SEATINGS * sum(outcome.deals for outcome in outcomes)


def _most(times: int, alpha: float) -> int:
    """So many of `times` come by chance at the most, each with probability alpha, but for `_CHANCE`."""
    left = 1.0
    for count in range(times + 1):
        left -= math.comb(times, count) * alpha**count * (1 - alpha) ** (times - count)
        if left < _CHANCE:
            return count
    return times


CAMPAIGN = Campaign(
    name="EXPER",
    promise="an experiment finds the better bot, and finds one between a bot and itself no more often than alpha",
    run=run,
    short={
        "alpha_percent": 10,
        "cap": 10,
        "wunderland_runs": 20,
        "neues_land_runs": 0,
        "power_runs": 1,
        "planner_runs": 0,
        "power_cap": 30,
        "jobs": 1,
    },
    long={
        "alpha_percent": 5,
        "cap": 50,
        "wunderland_runs": 500,
        "neues_land_runs": 0,
        "power_runs": 20,
        "planner_runs": 0,
        "power_cap": 400,
        "jobs": 2,
    },
)
