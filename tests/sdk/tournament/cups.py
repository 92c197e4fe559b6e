"""Cups for tests: quick ones, written as files, and bots that fail in every way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spieltisch.tournament.cup import Cup, read_cup
from spieltisch.tournament.running import Ran, run

#: Three random bots who play short matches.
QUICK = """\
game = "wunderland"
format = "round_robin"
seed = "quick"
deals = 2
duplicate = true
options = { round_limit = 2 }
"""
#: As good as no limits: a machine that is busy elsewhere is no fault of a bot.
PATIENT = "[policy]\ndecision_ms = 600_000\nstart_ms = 600_000\n"
HOUSE = ("random", "greedy", "random")

_DECIDE = """\
import os, sys, time
from spieltisch.bot import bot

@bot
def decide(turn):
    action = turn.legal_actions[0]
    bad = turn.seat == 0 or {always}
    {fail}
    return action
"""
#: By the name of what goes wrong.
FAILURES = {
    "fine": "pass",
    # Not before there is a file `go`, in the third match of a table.
    "waits": "while turn.match.endswith('.3') and not os.path.exists('go'): time.sleep(0.01)",
    "raises": "if bad: raise ValueError('oh')",
    "dies": "if bad: os._exit(7)",
    "stalls": "while bad: pass",
    "sleeps": "if bad: time.sleep(1000)",
    "cheats": "action = {'type': 'end_turn', 'points': 100} if bad else action",
    "babbles": "bad and print('no JSON', file=sys.__stdout__, flush=True)",
    "late": "os._exit(0) if turn.version > 6 else None",
}
ENTERS_FINE = '\n[[entrants]]\nfile = "fine.py"\n'


def entrants(names: Sequence[str] = HOUSE) -> str:
    """House bots, each with a name of its own."""
    return "".join(f'\n[[entrants]]\nname = "{name} {at}"\nbot = "{name}"\n' for at, name in enumerate(names))


def write_cup(folder: Path, head: str = QUICK, tail: str | None = None) -> Path:
    path = folder / "cup.toml"
    path.write_text(head + (entrants() if tail is None else tail), "utf-8")
    return path


def write_bot(folder: Path, failure: str, *, always: bool = True) -> Path:
    path = folder / f"{failure}.py"
    path.write_text(_DECIDE.format(fail=FAILURES[failure], always=always), "utf-8")
    return path


def played(path: Path, output: Path, **said: Any) -> tuple[Cup, Ran]:
    cup = read_cup(path, output)
    return cup, run(cup, **{"jobs": 1, "quiet": True, **said})
