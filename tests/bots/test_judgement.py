"""What `greedy` and `planner` must see in positions where the best action is known by hand."""

import random
from typing import Any

import pytest

from spieltisch_service.bots.house import BOTS
from spieltisch_service.bots.position import Position
from spieltisch_service.bots.wunderland.ways import FAR, HOPS, card_plan
from spieltisch_service.games.wunderland.tables import BOARD
from spieltisch_service.local.table import Table

THINKING = [name for name in BOTS if name != "random"]


def decide(bot: str, table: Table) -> Any:
    assert table.to_act is not None
    return BOTS[bot](Position(table.game.id, table.options, table.view(table.to_act), random.Random(1)))


def wunderland(first: list[str], options: dict[str, Any] | None = None) -> Table:
    rest = [card for card in BOARD.cards if card not in first]
    return Table("wunderland", 2, options, deal={"deck": first + rest})


def journey(origin: str, destination: str, travellers: int = 1) -> dict[str, Any]:
    return {"type": "travel", "origin": origin, "destination": destination, "travellers": travellers}


@pytest.mark.parametrize("bot", THINKING)
def test_w40_a_card_whose_places_are_reached_is_redeemed(bot: str) -> None:
    # c13 names Quedlinburg (2 tracks from Knuffingen) and the terminal (1).
    table = wunderland(["c13", "c07"])
    for action in (journey("knuffingen", "quedlinburg"), {"type": "stay"}, {"type": "end_turn"}):
        table.act(action)
    for action in (journey("knuffingen", "oeresund"), {"type": "stay"}, {"type": "end_turn"}):
        table.act(action)
    table.act(decide(bot, table))
    table.act({"type": "stay"})
    assert decide(bot, table) == {"type": "redeem", "card": "c13"}


@pytest.mark.parametrize("bot", THINKING)
def test_w22_a_free_journey_to_a_place_of_the_own_card_is_taken(bot: str) -> None:
    # Seat 1 holds c24 (Grand Canyon, Oslo, Quedlinburg) and is offered the way to Oslo.
    table = wunderland(["c01", "c03", "c24", "c13"])
    table.act(journey("knuffingen", "oslo"))
    assert table.to_act == 1
    assert decide(bot, table)["type"] == "travel_along"


@pytest.mark.parametrize("bot", THINKING)
def test_w52_the_last_round_is_not_for_plans(bot: str) -> None:
    # In the final phase postcards count at once, and nothing else can be done.
    table = wunderland(["c01", "c03", "c24", "c13"], {"round_limit": 3})
    ways = (("knuffingen", "oslo", 4), ("oslo", "skandinavien-post", 4), ("knuffingen", "terminal", 1))
    for way in ways:
        for own in (journey(*way), journey("knuffingen", "terminal")):
            table.act(own)
            if table.view(0)["phase"] == "companions":
                table.act({"type": "stay"})
            table.act({"type": "end_turn"})
    assert table.view(0)["phase"] == "final"
    assert decide(bot, table) == {"type": "collect", "place": "skandinavien-post", "postcards": 4}


@pytest.mark.parametrize("bot", THINKING)
def test_n30_the_last_follower_stands_where_it_scores_most(bot: str) -> None:
    # The deck's only tile joins the start tile: a follower on it scores under N41, and passing brings nothing.
    table = Table("neues-land", 2, deal={"deck": ["8g"]})
    table.act(decide(bot, table))
    assert decide(bot, table)["type"] == "place_follower"
    table.act(decide(bot, table))
    assert table.result["scores"][0] > 0


def test_ways_are_as_short_as_the_map_allows() -> None:
    # c23: Gotthard, Mount Rushmore and Salzburg each lie one track from Knuffingen, in three directions.
    assert card_plan({"knuffingen": 8}, "c23") == (3, (("knuffingen", 3),))
    assert card_plan({"knuffingen": 7, "gotthard": 1}, "c23") == (2, (("gotthard", 1), ("knuffingen", 2)))
    assert card_plan({"gotthard": 1, "mount-rushmore": 1, "salzburg": 6}, "c23")[0] == 0
    # c08: Oslo is one journey away and Hagenbeck two; on the way there, over Speicherstadt, nothing is shared.
    assert HOPS["knuffingen"]["oslo"] == 1
    assert HOPS["knuffingen"]["hagenbeck"] == 2
    assert card_plan({"knuffingen": 8}, "c08")[0] == 3
    # c11: Matterhorn and Rübeland lie three tracks away in opposite directions: two journeys each.
    assert card_plan({"knuffingen": 8}, "c11")[0] == 4
    # c47: Kiruna, Miami, Quedlinburg and St. Moritz take four travellers.
    assert card_plan({"knuffingen": 3}, "c47") == (FAR, ())


def test_travellers_go_together_as_long_as_that_saves_journeys() -> None:
    # c28: Hangar, Lugano, Michel. From the terminal, Hangar is 2 tracks away; alone from Knuffingen it is 3.
    alone = sum(HOPS["knuffingen"][place] for place in BOARD.cards["c28"].places)
    assert alone == 5
    assert card_plan({"knuffingen": 8}, "c28")[0] == 5
    # c36: Arlberg, Geirangerfjord, Lugano, Startbahn: 2 + 2 + 1 + 2 by themselves.
    assert card_plan({"knuffingen": 8}, "c36")[0] == 7
    # c18: from Oslo, Kiruna is one track and Geirangerfjord (c20) one: one journey brings two travellers near.
    together = card_plan({"knuffingen": 8}, "c20")[0]
    assert together == 5
