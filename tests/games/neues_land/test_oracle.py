"""Random games, compared with the second reading of the rules after every action.

SPIELTISCH_ORACLE_GAMES sets how many games (default 15).
"""

from __future__ import annotations

import hashlib
import os
import random
from typing import Any

import pytest

from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import NeuesLandOptions
from tests.games.neues_land.oracle import FOLLOWER_KIND, NEXT_TO, Referee

GAMES = int(os.environ.get("SPIELTISCH_ORACLE_GAMES", "15"))


def random_deal(number: int, chance: random.Random) -> tuple[NeuesLandOptions, int, Any]:
    """Every third deal is short: first the tiles that can close plain and water all round, then others."""
    players = 2 + number % 4
    options = NeuesLandOptions(expert=number // 4 % 2 == 1, equal_turns=number % 5 == 0)
    deal = NEUES_LAND.deal(options, players, hashlib.sha256(b"oracle %d" % number).digest())
    if smothered(number):
        others = [tile for tile in deal.deck if "m" not in tile or tile.startswith(("17m", "8m", "1115mmms-"))]
        first, *rest = chance.sample(others, chance.randrange(3, 15))
        # In the expert variant the first two players hold one of the closing tiles each.
        deck = ["1115mmmg", first, "1115mmms", *rest] if options.expert else ["1115mmmg", "1115mmms", first, *rest]
        deal = NEUES_LAND.parse_deal({"deck": list(deck)}, options, players)
    return options, players, deal


def smothered(number: int) -> bool:
    return number % 3 == 2


def open_edges(referee: Referee, action: dict[str, Any]) -> int:
    """How many edges of plain and water the placement would open, less those that it would close."""
    count = 0
    sides = referee.tiles.sides[action["tile"], action["rotation"]]
    for edge, (dx, dy) in NEXT_TO.items():
        if referee.tiles.terrain(action["tile"], sides[edge]) != "mountain":
            count += -1 if (action["x"] + dx, action["y"] + dy) in referee.table.at else 1
    return count


def choose(referee: Referee, wire: list[dict[str, Any]], number: int, chance: random.Random) -> int:
    """Any action; or the tile that smothers; or, every other time, one near the middle, for areas to close."""
    if wire[0]["type"] == "place_tile":
        if smothered(number):
            return min(range(len(wire)), key=lambda index: open_edges(referee, wire[index]))
        if chance.random() < 0.5:
            return min(range(len(wire)), key=lambda index: abs(wire[index]["x"]) + abs(wire[index]["y"]))
    return chance.randrange(len(wire))


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
        choice = choose(referee, wire, number, chance)
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


@pytest.mark.skipif(GAMES < 15, reason="too few games were asked for")
def test_smothered_games_have_tiles_that_fit_nowhere() -> None:
    """Else the random games would not try N21 and N52."""
    left: dict[bool, int] = {False: 0, True: 0}
    for number in range(2, GAMES, 3):
        chance = random.Random(number)
        options, players, deal = random_deal(number, chance)
        referee = Referee(NEUES_LAND.material(), players, options.expert, list(deal.deck))
        while referee.seat is not None:
            wire = referee.legal()
            referee.act(wire[choose(referee, wire, number, chance)])
        left[options.expert] += len(referee.discarded)
    assert left[False] > 0
    assert left[True] > 0
