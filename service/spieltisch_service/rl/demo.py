"""Plays games through an environment, and says how the policies did.

    python -m spieltisch_service.rl.demo --game wunderland --policy greedy --against random --games 10

`seat_0` plays by one policy, all others by the other. Both see what an agent sees, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

try:
    import numpy as np

    from spieltisch_service.games.wunderland.tables import BOARD
    from spieltisch_service.rl.encoding import Observation
    from spieltisch_service.rl.env import ENCODINGS, TableEnv, env
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed; the extra rl brings it: pip install 'spieltisch-service[rl]'")

#: From the table, for its view of the agent; the agent's observation; and chance: a legal action.
Policy: TypeAlias = Callable[[TableEnv, Observation, np.random.Generator], int]

#: What a card of three places four tracks away brings for each.
_POINTS_A_TRACK = 2

#: Random travellers take thousands of rounds to end the game, where no limit is given.
_DEFAULT_OPTIONS: Mapping[str, Mapping[str, Any]] = {"wunderland": {"round_limit": 30}}


def random_policy(table: TableEnv, observation: Observation, rng: np.random.Generator) -> int:  # noqa: ARG001
    """Any legal action."""
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def greedy_policy(table: TableEnv, observation: Observation, rng: np.random.Generator) -> int:  # noqa: ARG001
    """The action after which the lead, if the game ended then, is greatest; one of them by chance.

    What is hidden is imagined from the view, so nothing is known that the seat could not know. In Wunderland, tracks
    that travellers must still go for the cards in hand are counted off.
    """
    view = table.view(table.agent_selection)
    world = table.game.imagine(view, table.options).world(rng.bytes(32))
    best, found = -sys.maxsize, [0]
    for number, action in table.choices().items():
        playout = table.game.playout(world)
        playout.push(action)
        after = playout.snapshot()
        scores = list(table.game.outcome(after).scores)
        lead = scores.pop(view["seat"]) - max(scores)
        if table.game.id == "wunderland":
            lead -= _POINTS_A_TRACK * _tracks(view["state"]["hand"], table.game.view(after, view["seat"]), view["seat"])
        if lead > best:
            best, found = lead, []
        if lead == best:
            found.append(number)
    return int(rng.choice(found))


def _tracks(cards: Sequence[str], state: Mapping[str, Any], seat: int) -> int:
    """How many tracks lie between the places of those of `cards` that are not redeemed and the nearest travellers."""
    own = state["travellers"][seat]
    wanted = [place for card in cards if card not in state["redeemed"][seat] for place in BOARD.cards[card].places]
    return sum(min(BOARD.distance[place][here] for here in own) for place in wanted)


POLICIES: Mapping[str, Policy] = {"random": random_policy, "greedy": greedy_policy}


def play(game: str, players: int, options: Mapping[str, Any], policies: Sequence[Policy], seed: int) -> TableEnv:
    """Play one game, `policies` by seat; the table at its end, where `infos` has score and rank of each agent."""
    table = env(game, players, options)
    raw = cast(TableEnv, table.unwrapped)
    rng = np.random.default_rng(seed)
    table.reset(seed=seed)
    for agent in table.agent_iter():
        observation, _, termination, truncation, _ = table.last()
        if termination or truncation:
            break
        policy = policies[raw.possible_agents.index(agent)]
        table.step(policy(raw, cast(Observation, observation), rng))
    return raw


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the games that are asked for, and print a line for each seat."""
    parser = argparse.ArgumentParser(prog="python -m spieltisch_service.rl.demo", description=__doc__.split("\n")[0])
    parser.add_argument("--game", choices=list(ENCODINGS), default="neues-land")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--options", type=json.loads, help="of the game, as JSON")
    parser.add_argument("--policy", choices=list(POLICIES), default="greedy", help="of seat_0")
    parser.add_argument("--against", choices=list(POLICIES), default="random", help="of the others")
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the first game; each further one has the next")
    given = parser.parse_args(arguments)
    options = _DEFAULT_OPTIONS.get(given.game, {}) if given.options is None else given.options
    names = [given.policy] + [given.against] * (given.players - 1)
    try:
        tables = [
            play(given.game, given.players, options, [POLICIES[name] for name in names], given.seed + number)
            for number in range(given.games)
        ]
    except ValueError as wrong:
        parser.error(str(wrong))
    print(f"{given.game}, {given.games} games, options {json.dumps(dict(options))}")
    print("agent    policy     points   first   reward")
    for seat, name in enumerate(names):
        agent = f"seat_{seat}"
        points = np.mean([table.infos[agent]["score"] for table in tables])
        first = sum(table.infos[agent]["rank"] == 1 for table in tables)
        reward = np.mean([table.rewards[agent] for table in tables])
        print(f"{agent:8} {name:8} {points:8.1f} {first:7d} {reward:+8.2f}")


if __name__ == "__main__":
    main()
