"""What plays: a bot made of one function, and the decision that it is asked for."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, overload

from spieltisch.models import Action, Actions, Result, View

Decide = Callable[["BotTurn"], Action]
T = TypeVar("T", bound=Decide)


class BotTurn:
    """One decision of one seat. A bot may look at it, and answers one of `legal_actions`.

    game, options: of the match. match: its id. seat: the seat that must act. version: the number of the last event.
    rng: chance for the bot, the same for the same `--seed`, match, seat and version: also after a restart.
    """

    def __init__(
        self,
        game: str,
        options: Mapping[str, Any],
        match: str,
        seat: int,
        version: int,
        *,
        seed: str,
        look: Callable[[], Mapping[str, Any]],
        view: View | None = None,
        list_actions: Callable[[], Sequence[dict[str, Any]]] | None = None,
        deadline_s: float | None = None,
    ) -> None:
        self.game = game
        self.options = options
        self.match = match
        self.seat = seat
        self.version = version
        self._seed = seed
        self._look = look
        self._view = view
        self._list_actions = list_actions
        self._deadline_s = deadline_s

    def __repr__(self) -> str:
        return f"<BotTurn of seat {self.seat} in {self.match} at version {self.version}>"

    @cached_property
    def raw_view(self) -> Mapping[str, Any]:
        """The view as JSON, just as `GET …/view` answers it."""
        return self._look()

    @cached_property
    def view(self) -> View:
        """What the seat sees."""
        return View.from_wire(self.raw_view) if self._view is None else self._view

    @cached_property
    def legal_actions(self) -> Actions:
        """All that the seat may do."""
        if self._list_actions is not None:
            return Actions(self._list_actions())
        return Actions(self.view.legal_actions or ())

    @cached_property
    def rng(self) -> random.Random:
        """The bot's chance at this turn."""
        return random.Random(f"{self.seed}/{self.version}")  # noqa: S311  no secret

    @property
    def seed(self) -> str:
        """What `rng` comes from, with the version: the same for all turns of the seat in this match."""
        return f"{self._seed}/{self.seat}"

    @property
    def remaining_ms(self) -> int | None:
        """How long the decision may still take; None where there is no clock."""
        return None if self._deadline_s is None else max(0, int((self._deadline_s - time.monotonic()) * 1000))


class Player:
    """Whatever decides for a seat. `name` is what reports call it."""

    name: str

    def decide(self, turn: BotTurn) -> Action:
        """One of the legal actions."""
        raise NotImplementedError

    def ended(self, match: str, seat: int, result: Result | None) -> None:
        """A match has ended; None: without a result."""

    def close(self) -> None:
        """No more will be asked."""


class Bot(Player):
    """A bot: a function with a name. Made by `@bot`; calling it calls the function.

    games: the ids of the games that it plays, None for all. version: the bot's own, for reports and hosts.
    """

    def __init__(
        self, function: Decide, *, name: str | None = None, game: str | Sequence[str] | None = None, version: str = "1"
    ) -> None:
        self.function = function
        self.name = name or _name_of(function)
        self.games = None if game is None else (game,) if isinstance(game, str) else tuple(game)
        self.version = version
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    def __repr__(self) -> str:
        return f"<Bot {self.name!r}>"

    def __call__(self, turn: BotTurn) -> Action:
        """What the function decides."""
        return self.function(turn)

    def decide(self, turn: BotTurn) -> Action:
        """What the function decides."""
        return self.function(turn)

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Play as the command line says (by default `sys.argv`), and end the program. `--help` lists what it can."""
        from spieltisch.bot.commands import run

        program = sys.argv[0] or "bot"
        given = sys.argv[1:] if arguments is None else list(arguments)
        sys.exit(run(lambda: self, given, shown_as=f"python {program}", games=self.games, name=self.name))


@overload
def bot(function: Decide, /) -> Bot: ...
@overload
def bot(
    *, name: str | None = None, game: str | Sequence[str] | None = None, version: str = "1"
) -> Callable[[Decide], Bot]: ...
def bot(function: Decide | None = None, /, **about: Any) -> Bot | Callable[[Decide], Bot]:
    """Make a bot of a function that takes a turn and answers one of its legal actions.

    As `@bot`, or `@bot(game="wunderland", name="nearest", version="1.2")`: `game` is the id of the game that it
    plays, or several; by default it plays all.
    """
    if function is not None:
        return Bot(function)
    return lambda decide: Bot(decide, **about)


def _name_of(function: Decide) -> str:
    """The name of the file that the function is written in, or its own."""
    module = sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None)
    if function.__name__ in ("decide", "<lambda>") and file:
        return Path(file).stem
    return function.__name__
