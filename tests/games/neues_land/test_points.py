"""N3 and N26 to N36 by hand. The start tile at (0,0): water N, mountain E and W, plain S, a town on the shore N."""

from __future__ import annotations

import pytest

from tests.games.neues_land.positions import play

POINTS = {
    # Plain of the start tile, (0,1) and (-1,1), open to the west.
    "n30_open_plain": (
        3,
        ["44mg (0,1) 90", "follower 1", "17mg (-1,1) 0", "pass", "8m (1,0) 0", "recall (0,1)"],
    ),
    # The same, closed by the single plain edge of (-1,1).
    "n30_closed_plain": (
        6,
        ["44mg (0,1) 90", "follower 1", "1115mmmg (-1,1) 180", "pass", "8m (1,0) 0", "recall (0,1)"],
    ),
    # A ring of four tiles under the start tile: its last edge joins the plain with itself.
    "n03_n30_closed_ring": (
        10,
        [
            *("17mg (0,1) 270", "follower 1", "44mg (1,1) 0", "pass", "44mg (1,2) 90", "pass"),
            *("44mg (0,2) 180", "pass", "8m (1,0) 0", "recall (0,1)"),
        ],
    ),
    "n31_closed_plain_of_two_tiles": (
        2,
        ["1115mmmg (0,1) 90", "follower 3", "8m (1,0) 0", "pass", "17mg (-1,0) 90", "recall (0,1)"],
    ),
    # The start tile's town, and one on the plain that touches the mountain there.
    "n32_open_mountain": (
        2,
        [
            *("44gs-01 (0,1) 0", "pass", "8m (1,0) 0", "follower 0", "44mg (-1,0) 0", "pass", "17mg (2,0) 270"),
            "recall (1,0)",
        ],
    ),
    # One plain touches the mountain on the start tile and on (1,0): its two towns count once each.
    "n32_plain_that_touches_twice": (
        3,
        [
            *("44gs-01 (0,1) 0", "pass", "17mg (1,0) 270", "follower 0", "44gs-01 (1,1) 270", "pass", "8s (0,2) 0"),
            "recall (1,0)",
        ],
    ),
    # The same mountain, closed in the west: 2 for each of the three towns.
    "n32_closed_mountain": (
        6,
        [
            *("44gs-01 (0,1) 0", "pass", "17mg (1,0) 270", "follower 0", "44gs-01 (1,1) 270", "pass", "17mg (-1,0) 90"),
            "recall (1,0)",
        ],
    ),
    "n33_closed_mountain_of_two_tiles": (
        1,
        ["17ms-01 (0,-1) 0", "follower 0", "17mg (0,-2) 180", "pass", "8m (1,0) 0", "recall (0,-1)"],
    ),
    "n34_open_water": (
        2,
        ["17ms-01 (0,-1) 0", "follower 1", "8m (1,0) 0", "pass", "17mg (-1,0) 90", "recall (0,-1)"],
    ),
    # Two towns, three tiles.
    "n34_closed_water": (
        5,
        ["44ms-01 (0,-1) 0", "follower 1", "1115mmms (-1,-1) 180", "pass", "8m (1,0) 0", "recall (0,-1)"],
    ),
    "n35_closed_water_of_two_tiles": (
        1,
        ["1115mmms (0,-1) 270", "follower 3", "8m (1,0) 0", "pass", "17mg (-1,0) 90", "recall (0,-1)"],
    ),
    "n36_water_within_one_tile": (
        1,
        ["11114ggmms (0,1) 0", "follower 4", "8m (1,0) 0", "pass", "17mg (-1,0) 90", "recall (0,1)"],
    ),
    # A ring of plain: (1,1) gives its east and its west to the same area, and counts once among seven tiles.
    "n03_tile_with_two_regions_in_the_area": (
        7,
        [
            *("8g (0,1) 0", "follower 0", "161gmg (1,1) 90", "pass", "44mg (2,1) 0", "pass", "44mg (2,2) 90", "pass"),
            *("44mg (0,2) 180", "pass", "17mg (1,2) 0", "pass", "8m (1,0) 0", "recall (0,1)"),
        ],
    ),
}


@pytest.mark.parametrize(("points", "lines"), POINTS.values(), ids=POINTS)
def test_points_of_a_recalled_follower(points: int, lines: list[str]) -> None:
    match = play(*lines, rest=["44ms"])
    assert match.last["points"] == points
    seat = (len(lines) // 2 - 1) % 2
    assert match.scores[seat] == points
    assert match.scores[1 - seat] == 0


def test_n26_two_followers_in_one_area_score_as_if_alone() -> None:
    match = play(
        *("44mg (0,1) 90", "follower 1", "17mg (-1,0) 90", "follower 1", "8m (1,0) 0", "pass"),
        *("17mg (-1,1) 180", "pass", "17mg (2,0) 270", "recall (0,1)", "8s (0,-1) 0", "recall (-1,0)"),
        rest=["44ms"],
    )
    assert match.scores == (4, 4)


def test_n26_n24_nobody_enters_the_joined_area() -> None:
    match = play(
        *("44mg (0,1) 90", "follower 1", "17mg (-1,0) 90", "follower 1", "8m (1,0) 0", "pass", "17mg (-1,1) 180"),
    )
    assert match.legal == ["follower 0", "recall (-1,0)", "pass"]


def test_n27_a_recalled_area_is_free_for_anybody() -> None:
    match = play(
        *("44mg (0,1) 90", "follower 1", "8m (1,0) 0", "pass", "17mg (-1,0) 90", "recall (0,1)", "17mg (-1,1) 180"),
    )
    assert match.legal == ["follower 0", "follower 1", "pass"]
