"""`spieltisch tournament`: play a cup here, without a server, and report on tournaments from here or elsewhere."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import command
from spieltisch.local import service_module

_FORMATS = ("json", "csv", "crosstable", "markdown", "html")
_FORMATS_HELP = "json, csv (standings), crosstable (a CSV too), markdown (the default), html (one page, all in it)"


def add(commands: Any) -> None:
    """Its arguments."""
    made = commands.add_parser("tournament", help="play a tournament of bots here", description=__doc__)
    what = made.add_subparsers(dest="what", metavar="COMMAND", required=True)
    running = command(what, "run", "play a cup file to its end; the same command goes on after a stop", run)
    running.add_argument("cup", type=Path, help="the cup, a TOML file")
    running.add_argument("--dry-run", action="store_true", help="show what would be played, and play nothing")
    running.add_argument("--jobs", type=_at_least_one, metavar="K", help="processes (as many as there are cores)")
    running.add_argument("--engine", metavar="NAME", help="local, or dask://HOST:PORT for the workers of a scheduler")
    running.add_argument("--output", type=Path, metavar="DIR", help="where everything is written (as the cup says)")
    start = running.add_mutually_exclusive_group()
    start.add_argument("--resume", action="store_true", help="go on with a run; refuse to begin one")
    start.add_argument("--anew", action="store_true", help="forget what was played, and begin again")
    running.add_argument("--quiet", action="store_true", help="show no progress")
    reporting = command(what, "report", "report on a run, or on the export of a service", report)
    reporting.add_argument("log", type=Path, help="the folder of a run, its log, or an export (NDJSON)")
    reporting.add_argument("--format", choices=_FORMATS, default="markdown", help=_FORMATS_HELP)
    reporting.add_argument("-o", "--output", type=Path, metavar="FILE", help="where it is written (standard output)")


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Play it; the exit code."""
    # Loaded late: no other command needs it.
    from spieltisch.tournament.cup import read_cup
    from spieltisch.tournament.running import run as run_cup

    cup = read_cup(given.cup, given.output)
    if given.dry_run:
        return _show_plan(cup, screen)
    ran = run_cup(cup, engine=given.engine, jobs=given.jobs, anew=given.anew, resume=given.resume, quiet=given.quiet)
    speed = f", {ran.played / ran.took_s:,.1f} matches/s" if ran.played and ran.took_s else ""
    before = f" after {ran.known:,} that were played before" if ran.known else ""
    screen.line(f"{ran.played:,} matches of {cup.game}{before} in {ran.took_s:,.1f} s{speed}")
    if ran.interrupted:
        screen.line(f"stopped; the same command goes on ({cup.output})")
        return codes.INTERRUPTED
    _show_standings(ran.state, screen)
    screen.line(f"{cup.output / 'report.html'} shows it all; what else there is lies beside it")
    return codes.DONE


def report(given: argparse.Namespace, screen: Screen) -> int:
    """Write a report; the exit code."""
    from spieltisch.tournament.reporting import FORMATS, content_of

    text = FORMATS[given.format](content_of(given.log))
    if given.output is None:
        sys.stdout.write(text)
    else:
        given.output.write_text(text, "utf-8", newline="")
        screen.aside(f"written to {given.output}")
    return codes.DONE


def _show_standings(state: Any, screen: Screen) -> None:
    lines = service_module("domain.tournament.standings").standings(state)
    screen.table(
        ["", "entrant", "points", "tables", "matches", "won", ""],
        [
            [
                *(str(each.rank), each.name, f"{float(each.points):g}", str(each.tables), str(each.matches)),
                *(str(each.wins), "" if each.status == "active" else each.status),
            ]
            for each in lines
        ],
    )


def _show_plan(cup: Any, screen: Screen) -> int:
    from spieltisch.tournament.plan import plan
    from spieltisch.tournament.seats import shown

    found = plan(cup)
    setup = cup.setup
    each_deal = "in all seat orders" if setup["duplicate"] else "once"
    deals = "1 deal" if setup["deals"] == 1 else f"{setup['deals']} deals"
    screen.line(f"{setup['name'] or cup.tournament}: {setup['format']} of {cup.game}, seed {setup['seed']!r}")
    sizes = ", ".join(f"{number} of {size}" for size, number in sorted(found.tables.items(), reverse=True))
    screen.line(
        f"{found.rounds} rounds, {sum(found.tables.values())} tables ({sizes}), {deals} a table, each {each_deal}"
    )
    screen.line(f"{found.matches:,} matches; results would be written to {cup.output}")
    screen.table(
        ["entrant", "is", "matches", "by seat", "sits out"],
        [
            [
                *(one.name, shown(one), str(sum(found.seats[one.id]))),
                *(" ".join(map(str, found.seats[one.id])), str(found.sitting_out[one.id])),
            ]
            for one in cup.entrants
        ],
    )
    return codes.DONE
