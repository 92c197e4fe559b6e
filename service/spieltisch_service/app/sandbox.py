"""What if? Worlds that a view could be of, and what becomes of them. No match is touched, nothing is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spieltisch_service.app.access import require_known
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.errors import FieldError, InvalidBody
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action, Game
from spieltisch_service.games.errors import IllegalAction, InvalidView

#: How many positions one request may come to: for each world and branch the one that it begins at, and one an action.
MOST_POSITIONS = 1024
_WORLD = "spieltisch-world/1"


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A checked question: in `worlds` worlds of `view`, drawn from `seed`, what comes of each of `branches`?

    `options` are those of the match, defaults left out or all of them (None); the actions of a branch are of the game.
    """

    game: str
    view: Any
    options: Mapping[str, Any] | None
    worlds: int
    seed: str
    branches: Sequence[Sequence[Action]]


def world_seed(seed: str, number: int) -> bytes:
    """The seed of world `number` (0 first): each has its own, and it does not matter how many are asked for."""
    return hashlib.sha256(f"{_WORLD}\n{number}\n{seed}".encode()).digest()


class Sandbox:
    """The use case of bots that think ahead."""

    def imagine(self, caller: Caller, asked: WhatIf) -> dict[str, Any]:
        """`{worlds: [{branches: [{view, error}]}]}`, a function of the question alone.

        Raises InvalidBody for a view that no position has, and for a question that comes to too many positions.
        """
        require_known(caller)
        positions = asked.worlds * sum(1 + len(actions) for actions in asked.branches)
        if positions > MOST_POSITIONS:
            detail = f"this comes to {positions} positions, worlds times (1 + actions) of all branches; at most "
            detail += str(MOST_POSITIONS)
            raise InvalidBody(detail, errors=[FieldError("out_of_range", detail, pointer="/branches")])
        game = GAMES[asked.game]
        try:
            imagination = game.imagine(asked.view, game.options_type(**(asked.options or {})))
        except InvalidView as error:
            pointer = f"/view{error.pointer}"
            detail = f"{pointer}: {error.detail}"
            raise InvalidBody(detail, errors=[FieldError(error.code, error.detail, pointer=pointer)]) from error
        worlds = []
        for number in range(asked.worlds):
            world = imagination.world(world_seed(asked.seed, number))
            branches = [_branch(game, world, asked.view["seat"], actions) for actions in asked.branches]
            worlds.append({"branches": branches})
        return {"worlds": worlds}


def _branch(game: Game[Any], state: Any, seat: int | None, actions: Sequence[Action]) -> dict[str, Any]:
    """What comes of the actions, each done by whoever must act; all of them, or an error."""
    for index, action in enumerate(actions):
        try:
            state, _ = game.apply(state, action)
        except IllegalAction as refusal:
            error = {
                "index": index,
                "rule": refusal.rule,
                "detail": refusal.detail,
                "suggestions": [suggestion.to_wire() for suggestion in refusal.suggestions],
            }
            return {"view": None, "error": error}
    return {"view": _imagined_view(game, state, seat), "error": None}


def _imagined_view(game: Game[Any], state: Any, seat: int | None) -> dict[str, Any]:
    """As the view of a match, but with the legal actions of whoever must act: nothing is to be kept from anybody."""
    to_act = game.to_act(state)
    view: dict[str, Any] = {
        "game": game.id,
        "seat": seat,
        "to_act": to_act,
        "phase": game.phase(state),
        "scores": game.scores(state),
        "state": game.view(state, seat),
        "legal_actions": list(game.legal(state)),
        "result": None,
    }
    if to_act is None:
        outcome = game.outcome(state)
        view["scores"], view["legal_actions"] = outcome.scores, None
        view["result"] = {"scores": outcome.scores, "ranks": outcome.ranks, "end_reason": "completed"}
    return view
