"""What is refused, under which rule, with which sentence and suggestions. `Match.refusal` checks that all are legal."""

from __future__ import annotations

import pytest

from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.games.neues_land.game import NEUES_LAND
from tests.games.neues_land.positions import Match, action, deal, play
from tests.games.neues_land.test_rules import FOUR_FOLLOWERS, hand_that_fits_nowhere


def first_tile() -> Match:
    return deal(["17mg", "8m"])


def after_first_tile() -> Match:
    return play("44mg (0,1) 90")


def third_turn() -> Match:
    return play("44mg (0,1) 90", "follower 1", "17mg (-1,1) 0")


REFUSALS = [
    (first_tile, "8m (1,0) 0", "N20", "8m is not the drawn tile, which is 17mg."),
    (first_tile, "17mg (0,0) 0", "N22", "A tile lies at (0, 0) already."),
    (first_tile, "17mg (5,5) 0", "N22", "A tile at (5, 5) would share no edge with a placed tile."),
    (first_tile, "17mg (1,1) 0", "N22", "A tile at (1, 1) would share no edge with a placed tile."),
    (first_tile, "17mg (0,84) 0", "N22", "A tile at (0, 84) would share no edge with a placed tile."),
    (first_tile, "17mg (0,-169) 0", "N22", "A tile at (0, -169) would share no edge with a placed tile."),
    (first_tile, "17mg (1,0) 45", "N10", "A tile is turned by 0, 90, 180 or 270 degrees, not by 45."),
    (
        first_tile,
        "17mg (1,0) 90",
        "N22",
        "17mg does not fit at (1, 0) turned by 90: its west edge would show plain beside mountain.",
    ),
    (first_tile, "pass", "N23", "A tile must be laid first; a follower or a pass comes after it."),
    (first_tile, "follower 0", "N23", "A tile must be laid first; a follower or a pass comes after it."),
    (after_first_tile, "8m (1,0) 0", "N23", "The tile is laid; now place a follower, recall one, or pass."),
    (after_first_tile, "follower 2", "N24", "The tile just laid, 44mg, has regions 0 to 1 only."),
    (after_first_tile, "recall (0,1)", "N25", "No follower stands at (0, 1)."),
    (third_turn, "follower 1", "N24", "A follower stands in the plain area of region 1 already."),
    (third_turn, "recall (0,1)", "N25", "The follower at (0, 1) belongs to seat 0."),
    (
        lambda: play(*FOUR_FOLLOWERS),
        "follower 0",
        "N24",
        "There is no follower in the supply; all four are on the board.",
    ),
    (
        lambda: deal(["8m", "8s"], expert=True),
        "17mg (-1,0) 90",
        "N51",
        "17mg is not in the hand, which holds 8m and 8s.",
    ),
    (
        hand_that_fits_nowhere,
        "8s (1,0) 0",
        "N51",
        "8s fits nowhere now and stays in the hand; lay the other tile.",
    ),
]


@pytest.mark.parametrize(("position", "line", "rule", "detail"), REFUSALS)
def test_refusals_name_the_rule(position, line: str, rule: str, detail: str) -> None:  # type: ignore[no-untyped-def]
    refusal = position().refusal(line)
    assert (refusal.rule, refusal.detail) == (rule, detail)


def test_n22_every_clashing_edge_is_named() -> None:
    match = play("44mg (0,1) 90", "pass", "17mg (-1,0) 90", "pass", rest=["8m"])
    assert match.refusal("8m (-1,1) 0").detail == (
        "8m does not fit at (-1, 1) turned by 0: its north edge would show mountain beside plain, "
        "its east edge would show mountain beside plain."
    )


def test_the_nearest_placements_are_suggested_first() -> None:
    lines = [NEUES_LAND.notation(each) for each in first_tile().refusal("17mg (1,0) 90").suggestions]
    assert lines == ["17mg (1,0) 270", "17mg (-1,0) 90", "17mg (0,1) 90"]


def test_the_nearest_followers_are_suggested_first() -> None:
    assert third_turn().refusal("follower 1").suggestions == (action("follower 0"), action("pass"))
    refusal = play(*FOUR_FOLLOWERS).refusal("recall (1,0)")
    assert [NEUES_LAND.notation(each) for each in refusal.suggestions] == [
        *("recall (2,0)", "recall (0,-1)", "recall (0,1)"),
    ]


def test_n40_nothing_is_legal_after_the_end() -> None:
    match = play("8m (1,0) 0", "pass", rest=[])
    with pytest.raises(IllegalAction) as caught:
        NEUES_LAND.apply(match.state, action("pass"))
    assert caught.value.rule == "N40"
    assert caught.value.suggestions == ()
