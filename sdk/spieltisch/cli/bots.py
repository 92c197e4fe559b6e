"""`spieltisch bot run`: play with a bot of one's own, here or on a service. `spieltisch.bot` does it all."""

from __future__ import annotations

import argparse
from typing import Any

from spieltisch.cli.screen import Screen
from spieltisch.cli.service import command


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "bot", "play with a bot of your own, many matches here or some on a service", run)
    parser.add_argument("what", choices=("run",))
    parser.add_argument("program", help="a Python file with a bot, a program that speaks on stdio, or a house bot")
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="OPTIONS", help="run PROGRAM --help lists them")


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Hand the rest of the command line to the bot kit; its exit code."""
    del screen
    # Loaded late: no other command needs it.
    from spieltisch.bot.__main__ import main as run_bot

    return run_bot([given.what, given.program, *given.rest])
