"""The course of the game by hand, rule by rule: turns, placements, followers, the end, the expert variant."""

from __future__ import annotations

import pytest

from spieltisch_service.games.neues_land.game import NEUES_LAND
from tests.games.neues_land.positions import Match, action, deal, play

FOUR_FOLLOWERS = (
    *("17ms-01 (0,-1) 0", "follower 1", "8m (1,0) 0", "pass", "44mg (0,1) 90", "follower 1"),
    *("17mg (-1,0) 90", "pass", "17mg (2,0) 270", "follower 1", "17mg (-2,0) 180", "pass"),
    *("44mg (0,2) 0", "follower 1", "44mg (0,3) 90", "pass", "1115mmmg (1,1) 180"),
)


def test_n10_the_start_tile_lies_at_the_origin() -> None:
    match = deal(["8m"])
    assert match.view["tiles"] == [{"x": 0, "y": 0, "tile": "161smg-01", "rotation": 0, "seat": None}]
    assert match.view["last"] is None
    assert match.scores == (0, 0)


def test_n04_everybody_has_four_followers() -> None:
    assert deal(["8m"], players=3).view["supply"] == [4, 4, 4]


def test_n11_seats_take_turns_in_order() -> None:
    match = play(players=3, rest=["17mg", "8m", "44mg", "44mg"])
    seats = []
    for line in ("17mg (-1,0) 90", "pass", "8m (1,0) 0", "pass", "44mg (0,1) 90", "pass", "44mg (2,0) 180"):
        seats.append(match.seat)
        match.do(line)
    assert seats == [0, 0, 1, 1, 2, 2, 0]
    assert NEUES_LAND.turn(match.state) == 3


def test_n20_the_tile_is_drawn_for_all_to_see_when_the_turn_begins() -> None:
    match = deal(["8m", "8s"])
    assert match.last == {"drawn": [{"seat": 0, "tile": "8m"}], "discarded": []}
    assert match.view["hands"] == [["8m"], []]
    match.do("8m (1,0) 0")
    assert match.last == {"points": 0, "drawn": [], "discarded": []}
    assert match.view["hands"] == [[], []]
    match.do("pass")
    assert match.last == {"points": 0, "drawn": [{"seat": 1, "tile": "8s"}], "discarded": []}
    assert match.view["hands"] == [[], ["8s"]]


def test_n21_a_tile_that_fits_nowhere_leaves_and_the_same_player_draws() -> None:
    # The only plain is closed after the first tile.
    match = play("1115mmmg (0,1) 90", rest=["8g", "44ms"])
    match.do("pass")
    assert match.last["drawn"] == [{"seat": 1, "tile": "8g"}, {"seat": 1, "tile": "44ms"}]
    assert match.last["discarded"] == ["8g"]
    assert match.view["discarded"] == ["8g"]
    assert match.view["hands"] == [[], ["44ms"]]
    assert match.seat == 1


def test_n22_legal_placements_in_order_by_tile_and_cell() -> None:
    # Mountain N, plain E, S, W: beside a mountain of the start tile, or under its plain.
    assert deal(["17mg"]).legal == [
        *("17mg (-1,0) 90", "17mg (0,1) 90", "17mg (0,1) 180", "17mg (0,1) 270", "17mg (1,0) 270"),
    ]


def test_n22_the_same_picture_is_listed_once_and_recorded_in_its_smallest_rotation() -> None:
    match = deal(["161mgm", "8m"])
    assert [line for line in match.legal if "(0,1)" in line] == ["161mgm (0,1) 90"]
    match.do("161mgm (0,1) 270")
    assert match.last["action"] == {"type": "place_tile", "tile": "161mgm", "x": 0, "y": 1, "rotation": 90}
    assert match.view["tiles"][-1] == {"x": 0, "y": 1, "tile": "161mgm", "rotation": 90, "seat": 0}
    # Turned by 90, region 0 is the mountain in the east: (1,1) with a mountain in the west joins it.
    match.do("follower 0", "8m (1,1) 0")
    assert match.legal == ["pass"]


def test_n22_a_town_makes_the_half_turn_another_picture() -> None:
    assert [line for line in deal(["161gsg-01"]).legal if "(0,1)" in line] == [
        "161gsg-01 (0,1) 0",
        "161gsg-01 (0,1) 180",
    ]
    assert [line for line in deal(["161gsg-01-12"]).legal if "(0,1)" in line] == ["161gsg-01-12 (0,1) 0"]


def test_n22_a_listed_rotation_is_recorded_as_it_is() -> None:
    assert "action" not in play("161mgm (0,1) 90").last


def test_n24_a_region_in_an_occupied_area_is_closed_to_all() -> None:
    match = play("44mg (0,1) 90", "follower 1", "17mg (-1,1) 0")
    assert match.legal == ["follower 0", "pass"]


def test_n24_two_regions_in_one_free_area_are_both_legal() -> None:
    # The tile closes a ring of plain: its west and its east lie in the same area.
    match = play(
        *("8g (0,1) 0", "pass", "44mg (0,2) 180", "pass", "17mg (1,2) 0", "pass", "44mg (2,2) 90", "pass"),
        *("44mg (2,1) 0", "pass", "161gmg (1,1) 90"),
    )
    assert match.legal == ["follower 0", "follower 1", "follower 2", "pass"]


def test_n25_only_own_followers_are_recalled_and_come_back_to_the_supply() -> None:
    match = play("44mg (0,1) 90", "follower 1", "8m (1,0) 0", "follower 0", "17mg (-1,0) 90")
    assert match.view["supply"] == [3, 3]
    assert match.legal == ["follower 1", "recall (0,1)", "pass"]
    match.do("recall (0,1)")
    assert match.last["points"] == 2
    assert match.view["supply"] == [4, 3]
    assert [man["seat"] for man in match.view["followers"]] == [1]


def test_n04_n24_without_supply_nothing_is_placed() -> None:
    match = play(*FOUR_FOLLOWERS)
    assert match.view["supply"] == [0, 4]
    assert match.legal == ["recall (0,-1)", "recall (0,1)", "recall (0,2)", "recall (2,0)", "pass"]


def test_n05_followers_are_named_by_terrain() -> None:
    match = play("17ms-01 (0,-1) 0", "follower 1", "8m (1,0) 0", "follower 0", "44mg (0,1) 90", "follower 1")
    assert [man["kind"] for man in match.view["followers"]] == ["sailor", "robber", "explorer"]


def test_n40_the_game_ends_after_the_last_turn_not_after_the_last_tile() -> None:
    match = play("8m (1,0) 0", rest=[])
    assert NEUES_LAND.phase(match.state) == "follower"
    match.do("pass")
    assert NEUES_LAND.phase(match.state) == "over"
    assert match.seat is None
    assert match.legal == []


def test_n40_n21_the_game_ends_when_the_last_tiles_fit_nowhere() -> None:
    match = play("1115mmmg (0,1) 90", rest=["8g"]).do("pass")
    assert match.last == {"points": 0, "drawn": [{"seat": 1, "tile": "8g"}], "discarded": ["8g"]}
    assert match.seat is None
    assert NEUES_LAND.turn(match.state) == 1


def test_n41_a_closed_area_scores_as_open_at_the_end() -> None:
    match = play("44mg (0,1) 90", "follower 1", "1115mmmg (-1,1) 180", rest=[])
    assert match.scores == (0, 0)
    match.do("pass")
    assert match.scores == (3, 0)
    assert match.last["points"] == 0
    assert NEUES_LAND.outcome(match.state).data == {"final": [{"seat": 0, "x": 0, "y": 1, "points": 3}]}
    assert match.view["followers"] != []


def test_n41_the_lake_of_one_tile_gives_nothing_at_the_end() -> None:
    assert play("11114ggmms (0,1) 0", "follower 4", rest=[]).scores == (0, 0)


def test_n42_tied_players_share_the_rank() -> None:
    match = play("44mg (0,1) 90", "follower 1", "17ms-01 (0,-1) 0", "follower 1", players=3)
    outcome = NEUES_LAND.outcome(match.state)
    assert outcome.scores == (2, 2, 0)
    assert outcome.ranks == (1, 1, 3)
    assert match.scores == (0, 0, 0)


# --- the expert variant -------------------------------------------------------------------------------------


def test_n50_hands_of_two_come_from_the_front_of_the_deck() -> None:
    match = deal(["8m", "8s", "17mg", "44mg", "8g"], expert=True)
    assert match.view["hands"] == [["8m", "8s"], ["17mg", "44mg"]]
    assert [draw["seat"] for draw in match.last["drawn"]] == [0, 0, 1, 1]
    assert [draw["tile"] for draw in match.last["drawn"]] == ["8m", "8s", "17mg", "44mg"]
    assert match.view["deck_count"] == 1


def test_n51_both_tiles_of_the_hand_can_be_laid() -> None:
    assert deal(["8s", "8m"], expert=True).legal == ["8m (-1,0) 0", "8m (1,0) 0", "8s (0,-1) 0"]


def test_n51_two_equal_tiles_give_each_placement_once() -> None:
    match = deal(["44mg", "44mg", "8m"], expert=True)
    assert len(match.legal) == len(set(match.legal)) == 6


def hand_that_fits_nowhere() -> Match:
    """After these turns every open edge is mountain; seat 0 held 44gs and 8g and drew two anew."""
    match = deal(["1115mmmg", "44gs", "1115mmms", "8m", "8g", "17gs", "17mg", "8s"], expert=True)
    return match.do("1115mmmg (0,1) 90", "pass", "1115mmms (0,-1) 270", "pass")


def test_n52_a_hand_that_fits_nowhere_leaves_longest_held_first() -> None:
    match = hand_that_fits_nowhere()
    assert match.last["discarded"] == ["44gs", "8g"]
    assert match.last["drawn"] == [{"seat": 0, "tile": "17mg"}, {"seat": 0, "tile": "8s"}]
    assert match.view["hands"] == [["17mg", "8s"], ["8m", "17gs"]]
    assert match.seat == 0


def test_n51_a_tile_that_does_not_fit_stays_while_the_other_fits() -> None:
    match = hand_that_fits_nowhere()
    assert all(line.startswith("17mg ") for line in match.legal)
    match.do("17mg (1,0) 270")
    assert match.view["hands"][0] == ["8s"]


def test_n52_with_an_empty_deck_the_hand_leaves_and_the_player_is_passed_over() -> None:
    match = deal(["1115mmmg", "44gs", "1115mmms", "8m", "8g"], expert=True)
    match.do("1115mmmg (0,1) 90", "pass", "1115mmms (0,-1) 270", "pass")
    assert match.last == {"points": 0, "drawn": [], "discarded": ["44gs", "8g"]}
    assert match.seat == 1
    match.do("8m (1,0) 0", "pass")
    assert match.seat is None
    assert NEUES_LAND.turn(match.state) == 3


def test_n53_the_hand_is_filled_right_after_laying() -> None:
    match = deal(["8m", "8s", "17mg", "44mg", "8g"], expert=True).do("8m (1,0) 0")
    assert match.last == {"points": 0, "drawn": [{"seat": 0, "tile": "8g"}], "discarded": []}
    assert match.view["hands"][0] == ["8s", "8g"]
    match.do("pass")
    assert match.last["drawn"] == []


def test_n53_whoever_has_no_tile_is_passed_over() -> None:
    match = deal(["8m", "44mg", "17mg"], players=3, expert=True)
    assert match.view["hands"] == [["8m", "44mg"], ["17mg"], []]
    seats = []
    for line in ("8m (1,0) 0", "pass", "17mg (-1,0) 90", "pass", "44mg (0,1) 90", "pass"):
        seats.append(match.seat)
        match.do(line)
    assert seats == [0, 0, 1, 1, 0, 0]
    assert match.seat is None
    assert NEUES_LAND.turn(match.state) == 3


# --- for a seat that left -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [(), ("17mg (-1,0) 90",)])
def test_the_default_action_is_the_first_placement_or_pass(lines: tuple[str, ...]) -> None:
    match = play(*lines, rest=["17mg"])
    expected = "pass" if lines else "17mg (-1,0) 90"
    assert NEUES_LAND.default_action(match.state) == action(expected)
