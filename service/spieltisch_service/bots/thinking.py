"""`bot:greedy` and `bot:planner`: what they have in common for all games, from a view to an action.

Both imagine whole states from the view (`Game.imagine`). `greedy` looks at one, and at nothing in it that the view
does not show; `planner` looks at many. What they think of a game is in the game's own room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spieltisch_service.bots.neues_land import greedy as neues_land_greedy
from spieltisch_service.bots.neues_land import planner as neues_land_planner
from spieltisch_service.bots.position import Position
from spieltisch_service.bots.wunderland import greedy as wunderland_greedy
from spieltisch_service.bots.wunderland import planner as wunderland_planner
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action, Imagination

_GREEDY: Mapping[str, Callable[[Any], Action]] = {
    "neues-land": neues_land_greedy.decide,
    "wunderland": wunderland_greedy.decide,
}
_PLANNER: Mapping[str, Callable[[Callable[[], Any]], Action]] = {
    "neues-land": neues_land_planner.decide,
    "wunderland": wunderland_planner.decide,
}


def greedy(position: Position) -> Mapping[str, Any]:
    """The action that leads to the best position at once. Needs no chance."""
    return _GREEDY[position.game](_imagined(position).world(b"")).to_wire()


def greedy_at(game: str, state: Any) -> Action | None:
    """What `greedy` does in `state`, of which it looks at nothing that the seat to act does not see.

    None where that could be another of several equal actions than from the view: an imagined state lists things in
    an order of its own, and in Wunderland the first one found is taken.
    """
    return _GREEDY[game](state) if game == "neues-land" else None


def planner(position: Position) -> Mapping[str, Any]:
    """The action that turns out best when the game is played on in imagined worlds, drawn by the position's rng."""
    imagined = _imagined(position)
    return _PLANNER[position.game](lambda: imagined.world(position.rng.randbytes(32))).to_wire()


def _imagined(position: Position) -> Imagination[Any]:
    game = GAMES[position.game]
    return game.imagine(dict(position.view), game.options_type(**position.options))
