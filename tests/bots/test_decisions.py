"""What every house bot must do in every position: decide legally, alike for a seed, and by what it sees alone."""

import json
import random
from typing import Any

import pytest

from spieltisch_service.bots.house import BOTS
from spieltisch_service.bots.position import Position
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.neues_land.tables import AVAILABLE
from spieltisch_service.local.table import Table
from tests.games.played import OPTIONS

SETTINGS = [
    (game_id, players, options)
    for game_id, game in GAMES.items()
    for players in (game.min_players, game.max_players)
    for options in OPTIONS[game_id][:4]
]


def position(table: Table, chance: str) -> Position:
    """What a client of the API would hand to a bot: JSON, and nothing that could be changed behind its back."""
    assert table.to_act is not None
    view = json.loads(json.dumps(table.view(table.to_act)))
    return Position(table.game.id, json.loads(json.dumps(table.options)), view, random.Random(chance))


def decided_in(game_id: str, players: int, options: dict[str, Any], bot: str, every: int) -> int:
    """Positions of a match that is played by chance but for every `every`th action; how many there were."""
    rng = random.Random(f"{game_id}/{players}/{options}")
    table = Table(game_id, players, options, seed=rng.randbytes(32))
    found = 0
    for number in range(400):
        if table.to_act is None:
            break
        legal = table.legal_actions()
        if number % every == 0 and len(legal) > 1:
            found += 1
            action = BOTS[bot](position(table, str(number)))
            assert action in legal, (table.view(table.to_act), action)
            assert BOTS[bot](position(table, str(number))) == action
        else:
            action = rng.choice(legal)
        table.act(action)
    return found


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize(("game_id", "players", "options"), SETTINGS)
def test_decisions_are_legal_and_the_same_for_the_same_chance(
    bot: str, game_id: str, players: int, options: dict[str, Any]
) -> None:
    assert decided_in(game_id, players, options, bot, 41 if bot == "planner" else 7) >= 1


def test_every_phase_is_decided_in() -> None:
    met: dict[str, set[str]] = {game_id: set() for game_id in GAMES}
    for game_id, options in (("neues-land", {}), ("wunderland", {"round_limit": 6})):
        table = Table(game_id, 2, options, seed=bytes(32))
        while table.to_act is not None:
            at = position(table, str(table.version))
            met[game_id].add(at.view["phase"])
            table.act(BOTS["greedy"](at))
        assert met[game_id] == set(GAMES[game_id].phases) - {"over"}


@pytest.mark.parametrize("bot", BOTS)
def test_a_decision_follows_from_the_view_and_not_from_what_is_hidden(bot: str) -> None:
    """Two tables look alike to the seat to act, and differ in everything that it may not know."""
    cards = [f"c{number:02}" for number in range(1, 49)]
    worlds = [
        Table("wunderland", 2, deal={"deck": ["c23", "c13", *hidden]}).view(0)
        for hidden in (cards[:12] + cards[13:22] + cards[23:], (cards[:12] + cards[13:22] + cards[23:])[::-1])
    ]
    assert worlds[0].pop("match") != worlds[1].pop("match")
    assert worlds[0] == worlds[1]
    decisions = [BOTS[bot](Position("wunderland", {}, view, random.Random(5))) for view in worlds]
    assert decisions[0] == decisions[1]
    assert decisions[0] in worlds[0]["legal_actions"]


@pytest.mark.parametrize("bot", BOTS)
def test_a_decision_follows_from_the_view_and_not_from_the_deck(bot: str) -> None:
    # Every kind once: a deck may be short.
    deck = sorted(AVAILABLE)
    worlds = [Table("neues-land", 2, deal={"deck": [deck[0], *rest]}).view(0) for rest in (deck[1:], deck[:0:-1])]
    assert worlds[0].pop("match") != worlds[1].pop("match")
    assert worlds[0] == worlds[1]
    decisions = [BOTS[bot](Position("neues-land", {}, view, random.Random(5))) for view in worlds]
    assert decisions[0] == decisions[1]
    assert decisions[0] in worlds[0]["legal_actions"]
