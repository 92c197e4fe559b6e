"""What is seen: the view, the text, the notation, the material and the rules."""

from __future__ import annotations

import json
import random
import re
from dataclasses import fields
from typing import Any

import pytest

from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import NeuesLandOptions
from tests.games.neues_land.positions import action, deal, play

BOARD = """\
plain .   mountain ^   water ~   follower: seat and e(xplorer) r(obber) s(ailor)

      0    1
     ~~~
  0 ^   ^
     ...
     ... '^^^'
  1 .0e ^^ * ^
     ^^^ '^^^'

last tile: 8m at (1, 1) turned by 0: 0 mountain NESW
seat 0: tiles -; followers 3 in supply, explorer at (0, 1) region 1
seat 1: tiles -; followers 4 in supply
tiles in the deck: 1
"""


def test_the_view_has_exactly_these_parts() -> None:
    match = play("44mg (0,1) 90", "follower 1", "8m (1,1) 0", rest=["8s"])
    assert match.view == {
        "tiles": [
            {"x": 0, "y": 0, "tile": "161smg-01", "rotation": 0, "seat": None},
            {"x": 0, "y": 1, "tile": "44mg", "rotation": 90, "seat": 0},
            {"x": 1, "y": 1, "tile": "8m", "rotation": 0, "seat": 1},
        ],
        "followers": [{"seat": 0, "x": 0, "y": 1, "region": 1, "kind": "explorer"}],
        "supply": [3, 4],
        "hands": [[], []],
        "last": {"x": 1, "y": 1},
        "deck_count": 1,
        "set_aside_count": 0,
        "discarded": [],
    }


def test_the_order_of_the_deck_and_the_set_aside_tiles_show_nowhere() -> None:
    options = NeuesLandOptions()
    views, texts = [], []
    for rest, aside in ((["8s", "8g", "17mg"], ["44mg"]), (["17mg", "44gs", "8g"], ["8s"])):
        parsed = NEUES_LAND.parse_deal({"deck": ["8m", *rest], "set_aside": aside}, options, 2)
        state, data = NEUES_LAND.start(options, parsed, 2)
        state, more = NEUES_LAND.apply(state, action("8m (1,0) 0"))
        views.append([NEUES_LAND.view(state, seat) for seat in (None, 0, 1)])
        texts.append((data, more))
    assert views[0] == views[1]
    assert texts[0] == texts[1]
    assert views[0][0] == views[0][1] == views[0][2]


def test_a_view_is_not_changed_by_later_play() -> None:
    match = deal(["8m", "17mg"])
    before = match.view
    kept = json.dumps(before)
    match.do("8m (1,0) 0")
    assert len(match.view["tiles"]) == 2
    assert json.dumps(before) == kept


def test_the_board_as_text() -> None:
    match = play("44mg (0,1) 90", "follower 1", "8m (1,1) 0", rest=["8s"])
    assert NEUES_LAND.describe(match.view) == BOARD


def test_the_text_tells_what_fitted_nowhere_and_what_is_set_aside() -> None:
    options = NeuesLandOptions()
    parsed = NEUES_LAND.parse_deal({"deck": ["1115mmmg", "8g", "44ms"], "set_aside": ["8s"]}, options, 2)
    state, _ = NEUES_LAND.start(options, parsed, 2)
    for line in ("1115mmmg (0,1) 90", "pass"):
        state, _ = NEUES_LAND.apply(state, action(line))
    text = NEUES_LAND.describe(NEUES_LAND.view(state, None))
    assert text.endswith("tiles in the deck: 0, 1 set aside\nfitted nowhere: 8g\n")
    assert "seat 1: tiles 44ms; followers 4 in supply\n" in text


def test_the_board_of_a_whole_game_fits_a_terminal() -> None:
    chance = random.Random(3)
    options = NeuesLandOptions()
    playout = NEUES_LAND.playout(NEUES_LAND.start(options, NEUES_LAND.deal(options, 2, bytes(32)), 2)[0])
    while playout.to_act() is not None:
        playout.push(chance.choice(playout.legal()))
    text = NEUES_LAND.describe(NEUES_LAND.view(playout.snapshot(), None))
    assert max(map(len, text.splitlines())) <= 100


def test_a_row_of_twenty_tiles_is_drawn_narrow() -> None:
    tiles: list[dict[str, Any]] = [{"x": x, "y": 0, "tile": "8m", "rotation": 0, "seat": x % 2} for x in range(-1, 31)]
    view = {**deal(["8m"]).view, "tiles": tiles, "last": {"x": 30, "y": 0}}
    board = NEUES_LAND.describe(view).split("\n\n")[1].splitlines()
    assert board[2] == "  0 " + "^ ^" * 31 + "^*^"
    assert max(map(len, board)) == 100


@pytest.mark.parametrize("line", ["44mg (0,-1) 90", "follower 4", "recall (-3,12)", "pass"])
def test_notation(line: str) -> None:
    assert NEUES_LAND.notation(action(line)) == line


@pytest.mark.parametrize("line", ["44mg (0,-1) 90", "follower 4", "recall (-3,12)", "pass"])
def test_the_wire_form_has_exactly_the_fields(line: str) -> None:
    wire = action(line).to_wire()
    assert list(wire) == [field.name for field in fields(action(line))]
    assert NEUES_LAND.action_from_wire(wire) == action(line)


def test_listed_actions_equal_freshly_made_ones() -> None:
    legal = NEUES_LAND.legal(deal(["17mg"]).state)
    made = [
        action("17mg (-1,0) 90"),
        *(action(f"17mg (0,1) {turn}") for turn in (90, 180, 270)),
        action("17mg (1,0) 270"),
    ]
    assert list(legal) == made
    assert legal == made
    assert legal[1] == made[1]
    assert legal[1:3] == made[1:3]
    assert hash(legal[0]) == hash(made[0])
    assert repr(legal[0]) == repr(made[0])
    assert made[4] in legal
    assert legal != made[:4]


def test_the_material_lists_84_tiles_of_70_kinds() -> None:
    material: dict[str, Any] = NEUES_LAND.material()
    assert len(material["kinds"]) == 70
    assert sum(kind["count"] for kind in material["kinds"]) == 84
    assert (material["start_tile"], material["followers_per_player"]) == ("161smg-01", 4)


@pytest.mark.parametrize("language", sorted(NEUES_LAND.name))
def test_the_rules_have_all_numbers_in_both_languages(language: str) -> None:
    expected = [1, 2, 3, 4, 5, 10, 11, 12, *range(20, 28), *range(30, 37), 40, 41, 42, 50, 51, 52, 53]
    text = NEUES_LAND.rules(language)
    assert [int(number) for number in re.findall(r"^- \*\*N(\d+)\*\*", text, re.M)] == expected
    assert text.count("**(D)**") == NEUES_LAND.rules("en").count("**(D)**")
