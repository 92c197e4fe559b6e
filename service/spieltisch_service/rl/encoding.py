"""What the encodings of both games have in common: from a view to an observation, from an action to a number.

An encoding reads a *view* as the API has it and nothing else, so an observation cannot hold what its seat may not know,
and an agent that learned here can play on a server: `read` takes what `GET …/view` answers.

Everything by seat is told from the observer's chair: row k belongs to seat (own seat + k) mod players, row 0 is the
observer. What was learned in one seat holds in every other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypedDict

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from spieltisch_service.games.contract import Action, Game
from spieltisch_service.rl.layout import Layout, Numbers


class Observation(TypedDict):
    """What an agent gets. `action_mask[i]` is 1 where action i is legal for it now; all 0 when it is not to act."""

    observation: Numbers
    action_mask: NDArray[np.int8]


class Encoding(ABC):
    """One game for a fixed number of players and fixed options.

    What it answers follows from the arguments alone. Not shared between threads: it may keep what it worked out last.
    """

    #: Changes whenever the same view could give another observation, or the same action another number.
    version: ClassVar[int]

    game: Game[Any]
    layout: Layout
    #: Actions are 0 … action_count - 1.
    action_count: int

    @abstractmethod
    def describe(self, view: Mapping[str, Any], legal: Sequence[Action], parts: Mapping[str, Numbers]) -> None:
        """Write what `view` shows into the parts of an observation, which are all zeros; `legal` as in `observe`."""

    @abstractmethod
    def indices(self, view: Mapping[str, Any], legal: Sequence[Action]) -> list[int]:
        """The numbers of `legal`, all legal actions in the order of `Game.legal`; no two are the same."""

    def observe(self, view: Mapping[str, Any], legal: Sequence[Action]) -> tuple[Observation, dict[int, Action]]:
        """The observation of the seat of `view`, which may do `legal` (nothing, unless it is to act), and what the
        numbers that its mask allows stand for.
        """
        legal = list(legal)  # Some games make an action when it is looked at; here all are, more than once.
        vector = self.layout.empty()
        self.describe(view, legal, self.layout.split(vector))
        choices = dict(zip(self.indices(view, legal), legal, strict=True))
        mask = np.zeros(self.action_count, dtype=np.int8)
        mask[list(choices)] = 1
        return {"observation": vector, "action_mask": mask}, choices

    def read(self, view: Mapping[str, Any]) -> tuple[Observation, dict[int, Action]]:
        """As `observe`, of a seat's view as the API answers it. `to_wire()` of a choice is what to post."""
        return self.observe(view, [self.game.action_from_wire(raw) for raw in view["legal_actions"] or ()])

    def observation_space(self) -> spaces.Dict:
        """A new space of all observations."""
        mask = spaces.Box(0, 1, (self.action_count,), dtype=np.int8)
        return spaces.Dict({"observation": self.layout.box(), "action_mask": mask})

    def action_space(self) -> spaces.Discrete:
        """A new space of all actions."""
        return spaces.Discrete(self.action_count)


def from_chair(seat: int, by_seat: Sequence[Any]) -> list[Any]:
    """The entries of `by_seat`, those of `seat` first."""
    return [*by_seat[seat:], *by_seat[:seat]]
