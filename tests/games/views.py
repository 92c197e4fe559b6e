"""Views as a client gets them, for positions of any game and without a match."""

import functools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from tests.games.played import OPTIONS, Played, played, settings

VECTORS = sorted((Path(__file__).parents[1] / "vectors").glob("*.json"))


def view_of(game: Game[Any], state: Any, seat: int | None) -> dict[str, Any]:
    """What API.md says that `seat` (None: a spectator) gets of a match of seats that all still play."""
    to_act = game.to_act(state)
    over = to_act is None
    outcome = game.outcome(state)
    legal = [action.to_wire() for action in game.legal(state)]
    result = {"scores": list(outcome.scores), "ranks": list(outcome.ranks), "end_reason": "completed"}
    view = {
        "match": "mt_" + "0" * 32,
        "game": game.id,
        "version": 7,
        "status": "finished" if over else "running",
        "seat": seat,
        "to_act": to_act,
        "phase": game.phase(state),
        "scores": list(outcome.scores if over else game.scores(state)),
        "state": game.view(state, seat),
        "legal_actions": legal if not over and seat == to_act else None,
        "result": result if over else None,
    }
    copied: dict[str, Any] = json.loads(json.dumps(view))
    return copied


def vector_positions(path: Path) -> Iterator[tuple[Game[Any], Any, Any]]:
    """Every position (game, options, state) of a vector, the first and the last too."""
    vector = json.loads(path.read_text(encoding="utf-8"))
    game = GAMES[vector["game"]]
    options = game.options_type(**vector["options"])
    deal = game.parse_deal(vector["deal"], options, vector["players"])
    state, _ = game.start(options, deal, vector["players"])
    yield game, options, state
    for ply in vector["plies"]:
        state, _ = game.apply(state, game.action_from_wire(ply["action"]))
        yield game, options, state


@functools.cache
def some(game: Game[Any]) -> list[Played]:
    """A match of every number of players with every combination of options."""
    count = len(OPTIONS[game.id]) * (1 + game.max_players - game.min_players)
    # Without a limit of rounds, chance plays for thousands of them; the vectors have such games.
    return [played(game, *each) for each in settings(game, count) if each[2].get("round_limit", 1) is not None]


def play_to_the_end(game: Game[Any], world: Any, rng: random.Random) -> None:
    """By chance; whatever is drawn must be there."""
    playout = game.playout(world)
    while playout.to_act() is not None:
        playout.push(rng.choice(playout.legal()))
    end = playout.snapshot()
    assert game.decode(json.loads(json.dumps(game.encode(end)))) is not None
    assert game.phase(end) == "over"
    assert len(game.outcome(end).ranks) >= game.min_players
