"""`python -m spieltisch.bot run PROGRAM …`: play with a program, or a Python file, as with a bot of one's own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from spieltisch.bot.commands import run
from spieltisch.bot.finding import player_of
from spieltisch.bot.player import Bot

_USAGE = """\
usage: python -m spieltisch.bot run PROGRAM [OPTIONS]

PROGRAM is a file that speaks the protocol of sdk/STDIO.md, a command in quotes, a Python file with a bot, or the
name of a house bot. The options are those of every bot; see: python -m spieltisch.bot run PROGRAM --help"""


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    if len(arguments) < 2 or arguments[0] != "run":
        print(_USAGE, file=sys.stdout if "--help" in arguments or "-h" in arguments else sys.stderr)
        return 0 if "--help" in arguments or "-h" in arguments else 2
    program, options = arguments[1], arguments[2:]
    decision_s = 60.0
    if "--timeout" in options[:-1]:
        decision_s = float(options[options.index("--timeout") + 1])
    try:
        make = player_of(program, decision_s)
        games = None
        if program.endswith(".py"):
            found = make()
            games = found.games if isinstance(found, Bot) else None
    except ValueError as error:
        print(f"python -m spieltisch.bot: {error}", file=sys.stderr)
        return 2
    name = Path(program.split()[-1]).stem
    quoted = f"'{program}'" if " " in program else program
    return run(make, options, shown_as=f"python -m spieltisch.bot run {quoted}", games=games, name=name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
