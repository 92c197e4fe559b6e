"""Tables to test with: both games, all numbers of players, and options that change what may be done."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from spieltisch_service.games.contract import Action
from spieltisch_service.rl.env import TableEnv, deal_seed, raw_env

COUNTS = [("neues-land", players) for players in (2, 3, 4, 5)] + [("wunderland", players) for players in (2, 3, 4)]

#: Ends soon, so that a whole game is quickly played.
SHORT: dict[str, dict[str, Any]] = {"neues-land": {}, "wunderland": {"round_limit": 12}}

#: (game, players, options)
TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("neues-land", 2, {}),
    ("neues-land", 3, {"expert": True}),
    ("neues-land", 5, {"equal_turns": True}),
    ("wunderland", 2, {"round_limit": 25}),
    ("wunderland", 3, {"round_limit": 12, "postcards": "with_travel"}),
    ("wunderland", 4, {"round_limit": 10}),
]


def first_state(table: TableEnv, seed: int) -> Any:
    """The state that a table begins with after `reset(seed)`, from the rules alone."""
    deal = table.game.deal(table.options, len(table.possible_agents), deal_seed(seed, 0))
    return table.game.start(table.options, deal, len(table.possible_agents))[0]


def played(game: str, players: int, options: dict[str, Any], seed: int) -> Iterator[tuple[TableEnv, Any]]:
    """A random game: the table, and the state that the pure rules are in, before each action and at the end."""
    table = raw_env(game, players, options)
    table.reset(seed=seed)
    state = first_state(table, seed)
    rng = np.random.default_rng(seed)
    yield table, state
    while table.game.to_act(state) is not None:
        number, action = pick(table, rng)
        table.step(number)
        state, _ = table.game.apply(state, action)
        yield table, state


def pick(table: TableEnv, rng: np.random.Generator) -> tuple[int, Action]:
    """Any legal action, and its number."""
    choices = list(table.choices().items())
    return choices[rng.integers(len(choices))]
