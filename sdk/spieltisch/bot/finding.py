"""From what a command line names to a player: a house bot, a Python file with a bot, a program."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

from spieltisch.bot.bulk import House
from spieltisch.bot.player import Bot, Player
from spieltisch.bot.programs import DECISION_S, Program, as_arguments

#: Plays against itself.
SELF = "self"


def house_name(name: str) -> str:
    """The name of a house bot without `bot:`."""
    return name.removeprefix("bot:")


def player_of(name: str, decision_s: float = DECISION_S) -> Callable[[], Player]:
    """What makes the player of that name.

    `greedy` and `bot:greedy` are house bots; a file that ends with `.py` is looked through for a bot; everything else
    with a dot, a slash or a space in it is a program. Raises ValueError where there is none.
    """
    words = name.split()
    if len(words) == 1 and name.endswith(".py"):
        found = bot_in(Path(name))
        return lambda: found
    if len(words) > 1 or "/" in name or "." in name:
        as_arguments(name)
        return lambda: Program(name, decision_s=decision_s)
    return lambda: House(house_name(name))


def bot_in(path: Path) -> Bot:
    """The bot of a Python file: its only one, or the one called `decide`. Raises ValueError where there is none."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    # Under a name of its own, so that what it starts when it is the main program does not start.
    name = f"spieltisch_bot_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise ValueError(f"{error.filename}:{error.lineno}: {error.msg}") from None
    found = {key: value for key, value in vars(module).items() if isinstance(value, Bot)}
    if "decide" in found:
        return found["decide"]
    if len({id(each) for each in found.values()}) != 1:
        raise ValueError(f"{path} has {len(found)} bots; a function `decide` with @bot was expected")
    return next(iter(found.values()))
