"""What a bot's command line can say."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spieltisch.bot.programs import DECISION_S

_EXAMPLES = """\
examples:
  {program} -n 200 --against random --jobs 2
  {program} --url http://127.0.0.1:8000 -n 20 --concurrency 4
  {program} --url http://127.0.0.1:8000 --play waiting
"""


def parser(program: str) -> argparse.ArgumentParser:
    """The command line of a bot that is started by `program`."""
    made = argparse.ArgumentParser(
        prog=program,
        description="Play matches with this bot: here, on a service, or for a host.",
        epilog=_EXAMPLES.format(program=program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    where = made.add_argument_group("where").add_mutually_exclusive_group()
    where.add_argument("--local", action="store_true", help="here, without a server (the default)")
    where.add_argument("--url", help="on the service at this URL; `local:` is one within this process")
    where.add_argument("--stdio", action="store_true", help="for a host that asks on stdin (sdk/STDIO.md)")
    where.add_argument("--replay", type=Path, metavar="FILE", help="the failure that was saved in FILE, once more")
    what = made.add_argument_group("what")
    what.add_argument("-n", "--matches", type=at_least_one, metavar="N", help="how many matches (20)")
    what.add_argument("--game", help="the id of the game (the bot's own, or neues-land)")
    what.add_argument("--options", type=game_options, default={}, help="of the game: round_limit=10,… or JSON")
    what.add_argument("--seats", type=at_least_one, metavar="N", help="players; opponents repeat to fill them")
    what.add_argument("--against", default="random", metavar="NAME[,NAME…]", help=_AGAINST)
    what.add_argument("--seed", help="makes a run repeatable; drawn and printed by default")
    how = made.add_argument_group("how")
    how.add_argument("--jobs", type=at_least_one, default=1, metavar="K", help="processes, without a server (1)")
    how.add_argument("--timeout", type=float, default=DECISION_S, metavar="S", help="a program's time to decide (60)")
    how.add_argument("--crash-dir", type=Path, default=Path(), metavar="DIR", help="where failures are saved (here)")
    how.add_argument("--json", action="store_true", help="print the statistics as JSON")
    how.add_argument("--quiet", action="store_true", help="show no progress")
    on = made.add_argument_group("on a service")
    on.add_argument("--key", help="API key; SPIELTISCH_KEY keeps it out of the list of processes")
    on.add_argument("--key-file", type=Path, metavar="FILE", help="keeps the key (one for each bot and service)")
    on.add_argument("--name", help="what a new account is called (the bot's name)")
    on.add_argument("--concurrency", type=at_least_one, default=4, metavar="K", help="matches at a time (4)")
    on.add_argument("--play", metavar="N|waiting", help="N new matches; or whatever waits for the bot, until Ctrl-C")
    on.add_argument("--join", action="store_true", help="with `--play waiting`: take open seats, too")
    on.add_argument("--on-stop", choices=["resign", "keep"], help=_ON_STOP)
    on.add_argument("--allow-insecure", action="store_true", help="plain http to another machine")
    return made


_AGAINST = "house bots, Python files with a bot, programs, or self (random)"
_ON_STOP = "what Ctrl-C does to matches under way; keep is the default for `--play waiting` only"


def at_least_one(text: str) -> int:
    """A whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def game_options(text: str) -> dict[str, Any]:
    """`name=value,…`, each value as JSON or else as text; or a JSON object."""
    try:
        read = json.loads(text)
        if isinstance(read, dict):
            return read
    except ValueError:
        pass
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise argparse.ArgumentTypeError(f"{part!r} is not name=value")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value
    return found


def names(text: str) -> Sequence[str]:
    """The names of a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]
