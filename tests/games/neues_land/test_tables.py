"""The tile file is the one of these rules, and a changed one is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from spieltisch_service.games.neues_land.tables import KIND_IDS, LEAST_QUARTER, data_text, parse_tiles

#: Kinds that look the same after a half turn (middle strip, equal ends and towns), and those of one terrain.
HALF_TURN = {"161gmg", "161gsg-01-12", "161mgm", "161msm", "161sgs", "161sms"}
ALL_TURNS = {"8g", "8m", "8s"}


def test_n22_which_rotations_show_the_same_tile() -> None:
    found = {kind: least for kind, least in zip(KIND_IDS, LEAST_QUARTER, strict=True) if least != (0, 1, 2, 3)}
    assert found == {
        **dict.fromkeys(HALF_TURN, (0, 1, 0, 1)),
        **dict.fromkeys(ALL_TURNS, (0, 0, 0, 0)),
    }


def changed(change: Callable[[Any], object]) -> str:
    raw = json.loads(data_text("tiles.json"))
    change(raw["kinds"])
    return json.dumps(raw)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda kinds: kinds.pop(), "not the tiles of these rules"),
        (lambda kinds: kinds[0].update(count=2), "not the tiles of these rules"),
        (lambda kinds: kinds[3]["regions"][0]["edges"].pop(), "each edge once"),
        (lambda kinds: kinds[3]["borders"].clear() or kinds[4]["borders"].clear(), "towns on borders"),
        (lambda kinds: kinds[3]["towns"].append([0, 1]), "towns between land and water"),
        (lambda kinds: kinds[3]["borders"].append([1, 2]), "pairs of two regions"),
        (lambda kinds: kinds[0].update(count=0), "at least one tile"),
    ],
)
def test_n1_n2_a_changed_tile_file_is_refused(change: Callable[[Any], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_tiles(changed(change))


def test_the_tile_file_is_accepted() -> None:
    assert len(parse_tiles(changed(lambda _: None))) == 70
