"""Random games, compared with the second reading of the rules after every action.

SPIELTISCH_ORACLE_GAMES sets how many games (default 15).
"""

from __future__ import annotations

import hashlib
import os
import random
from typing import Any

import pytest
from tests.games.neues_land.oracle import FOLLOWER_KIND, Referee

from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import NeuesLandOptions, PlaceTile

GAMES = int(os.environ.get("SPIELTISCH_ORACLE_GAMES", "15"))


def random_deal(number: int, chance: random.Random) -> tuple[NeuesLandOptions, int, Any]:
    """Every third deal is short and picky: many full-terrain and single-edge tiles, so that tiles fit nowhere."""
    players = 2 + number % 4
    options = NeuesLandOptions(expert=number % 2 == 1, equal_turns=number % 5 == 0)
    deal = NEUES_LAND.deal(options, players, hashlib.sha256(b"oracle %d" % number).digest())
    if number % 3 == 2:
        first = [tile for tile in deal.deck if tile.startswith(("8", "17", "1115", "11114"))]
        deck = first[: chance.randrange(1, len(first))]
        deal = NEUES_LAND.parse_deal({"deck": list(deck)}, options, players)
    return options, players, deal


@pytest.mark.parametrize("number", range(GAMES))
def test_random_games_agree_with_the_second_reading(number: int) -> None:
    chance = random.Random(number)
    options, players, deal = random_deal(number, chance)
    state, data = NEUES_LAND.start(options, deal, players)
    referee = Referee(NEUES_LAND.material(), players, options.expert, list(deal.deck))
    assert data == {"drawn": referee.drawn, "discarded": referee.discarded}
    while True:
        compare(state, referee)
        if referee.seat is None:
            break
        legal = NEUES_LAND.legal(state)
        wire = referee.legal()
        assert [action.to_wire() for action in legal] == wire
        choice = chance.randrange(len(wire))
        # Full boards are where areas close: prefer cells in the middle every other time.
        if isinstance(legal[0], PlaceTile) and chance.random() < 0.5:
            choice = min(range(len(wire)), key=lambda index: abs(wire[index]["x"]) + abs(wire[index]["y"]))
        gone = len(referee.discarded)
        gained = referee.act(wire[choice])
        state, data = NEUES_LAND.apply(state, legal[choice])
        assert data == {"points": gained, "drawn": referee.drawn, "discarded": referee.discarded[gone:]}


def compare(state: Any, referee: Referee) -> None:
    assert NEUES_LAND.to_act(state) == referee.seat
    over = referee.seat is None
    assert NEUES_LAND.phase(state) == ("over" if over else "follower" if referee.laid else "place_tile")
    assert list(NEUES_LAND.scores(state)) == referee.scores(final=over)
    view: dict[str, Any] = NEUES_LAND.view(state, None)
    assert {(tile["x"], tile["y"]): (tile["tile"], tile["rotation"]) for tile in view["tiles"]} == referee.table.at
    assert view["hands"] == referee.hands
    assert view["deck_count"] == len(referee.deck)
    assert view["discarded"] == referee.discarded
    assert view["supply"] == [referee.supply(seat) for seat in range(referee.players)]
    assert view["followers"] == [
        {
            "seat": seat,
            "x": x,
            "y": y,
            "region": region,
            "kind": FOLLOWER_KIND[referee.tiles.terrain(referee.table.at[x, y][0], region)],
        }
        for (x, y), (seat, region) in referee.followers.items()
    ]
    if over or len(view["tiles"]) % 10 == 0:
        outcome = NEUES_LAND.outcome(state)
        assert outcome.data == {"final": referee.final()}
        assert list(outcome.scores) == referee.scores(final=True)
