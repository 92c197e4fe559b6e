"""What an agent sees of Wunderland, and the numbers of its actions, as `rl/wunderland.py` promises them."""

from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="the extra rl is not installed: pip install 'spieltisch-service[rl]'")

import numpy as np

from spieltisch_service.games.wunderland.model import (
    Collect,
    EndTurn,
    Redeem,
    Stay,
    Travel,
    TravelAlong,
    WunderlandOptions,
)
from spieltisch_service.games.wunderland.tables import BOARD
from spieltisch_service.rl import wunderland
from spieltisch_service.rl.env import raw_env
from spieltisch_service.rl.wunderland import CARDS, JOURNEYS, PLACES, POSTS, SECTIONS, WunderlandEncoding
from tests.rl.tables import pick, played


def test_every_action_that_can_ever_be_legal_has_a_number_and_every_number_an_action() -> None:
    actions = [
        *(Travel(origin=a, destination=b, travellers=n) for a, b in JOURNEYS for n in range(1, 9)),
        *(TravelAlong(travellers=n) for n in range(1, 9)),
        Stay(),
        *(Collect(place=place, postcards=n) for place in POSTS for n in range(1, 9)),
        *(Redeem(card=card) for card in CARDS),
        EndTurn(),
    ]
    assert [wunderland.index(action) for action in actions] == list(range(2866))
    assert raw_env("wunderland").encoding.action_count == 2866


def test_the_journeys_are_those_over_one_or_two_tracks() -> None:
    """W21."""
    printed: Any = raw_env("wunderland").game.material()["tracks"]
    tracks = {frozenset(track) for track in printed}
    near = {place: {next(iter(track - {place})) for track in tracks if place in track} for place in PLACES}
    reached = {(place, far) for place in PLACES for mid in near[place] for far in near[mid] | {mid} if far != place}
    assert set(JOURNEYS) == reached
    assert list(JOURNEYS) == sorted(JOURNEYS)


@pytest.mark.parametrize("postcards", ["own_turn", "with_travel"])
def test_the_parts_say_what_the_view_says(postcards: str) -> None:
    players = 3
    for step, (table, state) in enumerate(
        played("wunderland", players, {"round_limit": 15, "postcards": postcards}, 4)
    ):
        if step % 9 and table.game.to_act(state) is not None:
            continue
        outcome = table.game.outcome(state)
        for seat in range(players):
            view = table.view(f"seat_{seat}")
            told = view["state"]
            parts = table.parts(table.observe(f"seat_{seat}")["observation"])
            chairs = [(seat + row) % players for row in range(players)]
            assert parts["phase"].tolist() == [
                int(view["phase"] == p) for p in ("turn", "companions", "after", "final", "over")
            ]
            assert parts["to_act"].tolist() == [int(view["to_act"] == who) for who in chairs]
            assert parts["active"].tolist() == [int(told["active_seat"] == who) for who in chairs]
            assert parts["asked"].tolist() == [int(who in told["seats_to_ask"]) for who in chairs]
            assert (parts["round"][0], parts["round_limit"][0]) == (told["round"], 15)
            assert parts["scores"].tolist() == [view["scores"][who] for who in chairs]
            assert parts["standing"].tolist() == [outcome.scores[who] for who in chairs]
            journey = told["journey"] or {"origin": None, "destination": None}
            for end in ("origin", "destination"):
                assert parts[end].tolist() == [int(place == journey[end]) for place in PLACES]
            assert parts["postcards_left"].tolist() == [told["postcards_left"][section] for section in SECTIONS]
            for row, who in enumerate(chairs):
                assert parts["travellers"][row].tolist() == [told["travellers"][who].get(place, 0) for place in PLACES]
                assert parts["postcards"][row].tolist() == [told["postcards"][who][section] for section in SECTIONS]
                assert parts["redeemed"][row].tolist() == [int(card in told["redeemed"][who]) for card in CARDS]
            assert parts["hand"].tolist() == [int(card in told["hand"]) for card in CARDS]
            named = [place for card in told["hand"] for place in BOARD.cards[card].places]
            assert parts["wanted"].tolist() == [named.count(place) for place in PLACES]
            assert parts["hand_counts"].tolist() == [told["hand_counts"][who] for who in chairs]
            assert parts["deck_count"][0] == told["deck_count"]


def test_rounds_beyond_a_thousand_count_as_the_thousandth() -> None:
    table = raw_env("wunderland", 2)
    table.reset(seed=1)
    view = table.view("seat_0")
    view["state"]["round"] = 2000
    observation, _ = table.encoding.observe(view, ())
    assert table.observation_space("seat_0").contains(observation)
    assert table.parts(observation["observation"])["round"].tolist() == [1000]


def test_a_view_of_the_api_is_read_as_the_table_is_seen() -> None:
    rng = np.random.default_rng(2)
    reader = WunderlandEncoding(2, WunderlandOptions())
    table = raw_env("wunderland", 2)
    table.reset(seed=2)
    for step in range(80):
        legal = [dict(action.to_wire()) for action in table.choices().values()]
        view = {"match": "mt_x", "version": step, "legal_actions": legal} | table.view(table.agent_selection)
        read, choices = reader.read(view)
        seen = table.observe(table.agent_selection)
        assert np.array_equal(read["observation"], seen["observation"])
        assert np.array_equal(read["action_mask"], seen["action_mask"])
        assert [dict(action.to_wire()) for action in choices.values()] == legal
        table.step(pick(table, rng)[0])
