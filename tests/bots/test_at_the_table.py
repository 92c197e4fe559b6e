"""A house bot that acts at a table decides just what it decides from its view."""

import random

import pytest

from spieltisch_service.local.table import Table, house_decision

GAMES = [("neues-land", 2, {}), ("neues-land", 4, {}), ("wunderland", 3, {"round_limit": 6})]


@pytest.mark.parametrize(("game", "players", "options"), GAMES)
def test_the_same_actions_as_from_the_view(game: str, players: int, options: dict[str, int]) -> None:
    names = ("greedy", "random", "greedy", "random")
    quick = Table(game, players, options, seed=bytes(32))
    slow = Table(game, players, options, seed=bytes(32))
    while (seat := quick.to_act) is not None:
        name, chance = names[seat], f"{seat}/{quick.version}"
        quick.act_as_house(name, lambda chance=chance: random.Random(chance))  # type: ignore[misc]
        slow.act(house_decision(name, game, slow.options, slow.view(seat), random.Random(chance)))
        assert quick.actions[-1] == slow.actions[-1]
    assert quick.result == slow.result


def test_a_planner_thinks_from_its_view() -> None:
    quick = Table("wunderland", 2, {"round_limit": 2}, seed=bytes(32))
    slow = Table("wunderland", 2, {"round_limit": 2}, seed=bytes(32))
    quick.act_as_house("planner", lambda: random.Random("x"))
    slow.act(house_decision("planner", "wunderland", slow.options, slow.view(0), random.Random("x")))
    assert quick.actions == slow.actions


def test_the_default_action_is_the_games_own_and_legal() -> None:
    table = Table("neues-land", 2, {}, seed=bytes(32))
    while table.to_act is not None:
        legal = table.legal_actions()
        table.act_by_default()
        assert table.actions[-1].to_wire() in legal
    assert table.standing()["scores"] == table.result["scores"]
