"""What is hidden from a seat changes nothing in what its agent is told."""

from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="the extra rl is not installed: pip install 'spieltisch-service[rl]'")

from spieltisch_service.rl.env import TableEnv, raw_env
from tests.rl.tables import TABLES, played


def told(table: TableEnv, state: Any, seat: int) -> tuple[bytes, bytes, list[str]]:
    """Everything that a table in `state` tells the agent of `seat`."""
    twin = raw_env(table.game.id, len(table.possible_agents))
    twin.options, twin.encoding = table.options, table.encoding
    twin.reset(seed=0)
    twin._playout = table.game.playout(state)
    twin._moved()
    observation = twin.observe(f"seat_{seat}")
    infos = [str(twin.infos[agent]) for agent in twin.agents]
    return observation["observation"].tobytes(), observation["action_mask"].tobytes(), infos


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_no_observation_tells_what_a_seat_may_not_know(game: str, players: int, options: dict[str, Any]) -> None:
    other_worlds = noticed = 0
    for step, (table, state) in enumerate(played(game, players, options, 23)):
        if step % 15 or table.game.to_act(state) is None:
            continue
        seat = (step // 15) % players
        imagined = table.game.imagine(table.view(f"seat_{seat}"), table.options)
        truth = told(table, state, seat)
        for number in range(4):
            world = imagined.world(bytes([number]) * 32)
            other_worlds += table.game.encode(world) != table.game.encode(state)
            assert told(table, world, seat) == truth
            noticed += any(told(table, world, other) != told(table, state, other) for other in range(players))
    assert other_worlds > 20
    # Others' hands are hidden in Wunderland, and their owners see the difference; in Neues Land all see the same.
    assert (noticed > 20) == (game == "wunderland")
