"""What a bot is given: a position as any client of the API sees it, and an rng; and what a bot is."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Position:
    """A match at the moment when a seat must act.

    `game` and `options` are those of the match, `view` is the seat's own, as `GET …/view` answers it. `rng` is the
    bot's only source of chance: the same position with an rng of the same state has the same decision.
    """

    game: str
    options: Mapping[str, Any]
    view: Mapping[str, Any]
    rng: random.Random


#: A bot: one of the view's legal actions, as JSON.
Decide: TypeAlias = Callable[[Position], Mapping[str, Any]]
