"""`spieltisch experiment`: is one bot better than another? Plays here, without a service, until it is known."""

from __future__ import annotations

import argparse
import json
import secrets
from pathlib import Path
from typing import Any

from spieltisch.bot.bulk import Bulk, Setup
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.experiment import Experiment, Outcome, counted
from spieltisch.bot.finding import player_of
from spieltisch.bot.options import at_least_one, game_options
from spieltisch.bot.programs import DECISION_S
from spieltisch.bot.progress import progress
from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import command
from spieltisch.local import service_module

_ASKED = """Each deal is played in both seatings. The test may stop after any deal: the probability that its verdict is
wrong is alpha at the most, however long it takes. The same seed gives the same outcome with any number of jobs."""


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "experiment", "is one bot better than another? play paired deals until it is known", run)
    parser.epilog = _ASKED
    parser.add_argument("--bot", action="append", default=[], metavar="BOT", dest="bots", help=_BOT)
    parser.add_argument("--game", default="neues-land", help="the id of the game (neues-land)")
    parser.add_argument("--options", type=game_options, default={}, help="of the game: round_limit=10,… or JSON")
    parser.add_argument("--alpha", type=float, default=0.05, help="probability of a wrong verdict at the most (0.05)")
    parser.add_argument("--cap", type=at_least_one, default=1000, metavar="N", help="deals at the most (1000)")
    parser.add_argument("--difference", type=float, metavar="D", help=_DIFFERENCE)
    parser.add_argument("--seed", help="makes it repeatable; drawn and printed by default")
    parser.add_argument("--jobs", type=at_least_one, default=1, metavar="K", help="processes (1)")
    parser.add_argument("--repeat", type=at_least_one, metavar="N", help=_REPEAT)
    parser.add_argument(
        "--timeout", type=float, default=DECISION_S, metavar="S", help="a program's time to decide (60)"
    )
    parser.add_argument("--crash-dir", type=Path, default=Path(), metavar="DIR", help="where a failure is saved (here)")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


_BOT = "twice: a house bot, a Python file with a bot, or a program; asked is whether the first is better"
_DIFFERENCE = "stop as `no_difference`, too, when the mean score is known to be within D of 1/2"
_REPEAT = "the whole experiment so many times, each with deals of its own: how often which verdict comes"


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Play, and say what is known."""
    if len(given.bots) != 2:
        raise ValueError("two bots are needed: --bot A --bot B")
    own, other = given.bots
    drawn = given.seed is None
    setup = Setup(given.game, 2, given.options, given.seed or secrets.token_hex(4), given.crash_dir)
    tables = service_module("local.table")
    try:
        setup.table(0)
        players = [player_of(name, given.timeout)() for name in (own, other)]
    except (tables.BadTable, BotFailed) as error:
        raise ValueError(str(error)) from None
    bulk = Bulk(setup, players[0], players[1:])
    try:
        experiment = Experiment(bulk, alpha=given.alpha, cap=given.cap, difference=given.difference)
        if not given.json:
            screen.line(f"{given.game}, {_told(given)}: is {own} better than {other}?")
        outcomes, interrupted = _tried(experiment, given)
    except BotFailed as error:
        screen.error(str(error))
        return codes.REFUSED
    finally:
        bulk.close()
    _say(given, outcomes, screen)
    if drawn and not given.json:
        screen.line(f"the same again: --seed {setup.seed}")
    return codes.INTERRUPTED if interrupted else codes.DONE


def _told(given: argparse.Namespace) -> str:
    within = "" if given.difference is None else f", or within {given.difference:g} of each other"
    return f"{given.cap:,} deals in both seatings at the most, alpha {given.alpha:g}{within}"


def _tried(experiment: Experiment, given: argparse.Namespace) -> tuple[list[Outcome], bool]:
    """The outcomes, and whether it was interrupted."""
    outcomes: list[Outcome] = []
    times = given.repeat or 1
    with progress(2 * given.cap * times, given.game, quiet=given.quiet or given.json) as heard:
        for number in range(times):
            outcome, interrupted = experiment.run(given.jobs, heard, number=number)
            if interrupted and given.repeat is not None:
                return outcomes, True
            outcomes.append(outcome)
            if interrupted:
                return outcomes, True
    return outcomes, False


def _say(given: argparse.Namespace, outcomes: list[Outcome], screen: Screen) -> None:
    if given.repeat is None:
        (outcome,) = outcomes
        screen.line(json.dumps(outcome.to_wire()) if given.json else _sentence(given, outcome))
        return
    told = counted(outcomes)
    if given.json:
        screen.line(json.dumps(told))
        return
    for verdict, count in told["verdicts"].items():
        screen.line(f"  {verdict:<13} {count:>6,} of {told['experiments']:,}  ({count / told['experiments']:.3f})")
    screen.line(f"  {told['matches']:,} matches; deals: median {told['median_deals']}, mean {told['mean_deals']}")


def _sentence(given: argparse.Namespace, outcome: Outcome) -> str:
    own, other = given.bots
    said = {
        "better": f"better: {own} beats {other}",
        "worse": f"worse: {other} beats {own}",
        "no_difference": f"no_difference: {own} and {other} are within {given.difference} of each other",
        "undecided": "undecided",
    }[outcome.verdict]
    if outcome.mean is None:
        return said
    sure = f"{100 * (1 - given.alpha):g} %: {outcome.low:.3f} to {outcome.high:.3f}"
    return f"{said}; score {outcome.mean:.3f} ({sure}) after {outcome.deals:,} deals, {2 * outcome.deals:,} matches"
