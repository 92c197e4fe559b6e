"""`python -m benchmarks [T1 T5 …]`: measure what was asked for, and print the table."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence

import click

from benchmarks import bots, engines, micro, pairing, requests_to, round_trips, sdk_calls
from benchmarks.measure import Invalid, Row, Skipped, table
from benchmarks.site import Site

_NAMES = [*(f"T{number}" for number in range(1, 11)), "T13", "T14"]
_BY_LOAD = ("T1", "T2", "T3", "T4")
#: T9 counts and does not time, and T13 plays whole matches: they need no more rounds than these.
_COUNTING_ROUNDS = 2
_WHOLE_MATCH_ROUNDS = 3


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(_NAMES))
@click.option("--rounds", type=click.IntRange(1), default=6, show_default=True, help="How often each contender runs.")
@click.option("--seconds", type=click.IntRange(1), default=3, show_default=True, help="Load in a round.")
@click.option("--durability", type=click.Choice(["fsync", "fast"]), default="fsync", show_default=True)
@click.option("--limits", is_flag=True, help="Count against limits that nobody reaches, as a service for others does.")
@click.option("--generator", type=click.Choice(["wrk", "python"]), help="What sends the load; wrk if it is there.")
def main(names: Sequence[str], rounds: int, seconds: int, durability: str, limits: bool, generator: str | None) -> None:
    """Measure NAMES (all, if none is given) and print the table."""
    wanted = set(names) or set(_NAMES)
    _say(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start, {rounds} rounds")
    rows: list[Row] = []
    failed = False

    def run(name: str, measurement: Callable[[], Sequence[Row]]) -> None:
        nonlocal failed
        _say(f"{name} …")
        try:
            rows.extend(measurement())
        except Skipped as reason:
            _say(f"{name} SKIPPED: {reason}")
        except Invalid as reason:
            failed = True
            _say(f"{name} INVALID: {reason}")

    if wanted & {*_BY_LOAD, "T9", "T10", "T13"}:
        if generator is None and wanted.intersection(_BY_LOAD) and shutil.which("wrk") is None:
            _say("wrk is not installed (apt-get install wrk): load comes from Python, and the ratios come nearer to 1")
        by_load = sorted(wanted.intersection(_BY_LOAD))
        with Site(durability=durability, generator=generator, with_anchors=bool(by_load), limits=limits) as site:
            if by_load:
                run(", ".join(by_load), lambda: requests_to.measured(site, rounds, seconds, wanted))
            if "T9" in wanted:
                run("T9", lambda: round_trips.measured(site, min(rounds, _COUNTING_ROUNDS)))
            if "T10" in wanted:
                run("T10", lambda: sdk_calls.measured(site, rounds))
            if "T13" in wanted:
                run("T13", lambda: bots.measured(site, min(rounds, _WHOLE_MATCH_ROUNDS)))
    engine_rows: dict[str, Callable[[], Sequence[Row]]] = {
        "T5": lambda: [engines.neues_land_against_chess(rounds)],
        "T6": lambda: [engines.wunderland_against_catanatron(rounds)],
        "T7": lambda: micro.list_and_push(rounds),
        "T8": lambda: micro.stored_to_live(rounds),
        "T14": lambda: pairing.measured(rounds),
    }
    for name, measurement in engine_rows.items():
        if name in wanted:
            run(name, measurement)
    if rows:
        click.echo(table(sorted(rows, key=lambda row: _NAMES.index(row.name))))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
