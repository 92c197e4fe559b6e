"""Reads the command line, runs the command, and says in one line what went wrong."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from spieltisch._version import __version__
from spieltisch.cli import bots, codes, doctor, experiment, games, play, recompute, replay, tournament, verify, watch
from spieltisch.cli.screen import Screen, screen_for
from spieltisch.errors import ApiError, ConnectionFailed, IllegalAction, SpieltischError, UnexpectedAnswer

COMMANDS = (games, play, watch, replay, verify, recompute, doctor, bots, experiment, tournament)

_CODES = """exit codes: 0 done; 1 refused, not valid or not well; 2 wrong command line; 3 valid as far as could be
checked; 4 no service reached; 130 interrupted"""


def parser() -> argparse.ArgumentParser:
    """What the command line may be."""
    made = argparse.ArgumentParser(
        prog="spieltisch", description="Play board games on a Spieltisch service.", epilog=_CODES
    )
    made.add_argument("--version", action="version", version=f"spieltisch {__version__}")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    given = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a sign shows another one.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    screen = screen_for(plain=getattr(given, "plain", True))
    try:
        code: int = given.run(given, screen)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        if sys.stdout.isatty():
            # The terminal has written ^C into the line.
            print()
        return codes.INTERRUPTED
    except BrokenPipeError:
        # What is left in the buffer has no reader either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return codes.UNREAD
    except (SpieltischError, ValueError, OSError) as error:
        return _failed(error, screen)


def _failed(error: Exception, screen: Screen) -> int:
    if isinstance(error, ConnectionFailed):
        screen.error(f"{error} (--url or SPIELTISCH_URL says where it is)")
        return codes.UNREACHABLE
    if isinstance(error, IllegalAction):
        screen.error(f"{error.rule}: {error.detail}")
    elif isinstance(error, ApiError):
        where = "".join(f"; {each.pointer or each.parameter}: {each.detail}" for each in error.errors)
        screen.error(f"{error.code}: {error.detail or error.title}{where if error.detail not in where else ''}")
    elif isinstance(error, OSError) and error.filename and error.strerror:
        screen.error(f"{error.filename}: {error.strerror}")
    else:
        screen.error(str(error))
    if isinstance(error, UnexpectedAnswer):
        return codes.UNREACHABLE
    return codes.MISUSED if isinstance(error, ValueError) else codes.REFUSED
