"""The deal: N11, N12, the API's test value, and explicit deals with everything that is wrong about them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from spieltisch_service.games.errors import InvalidDeal
from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import NeuesLandOptions

#: The API's example: seed 00 01 … 1f, nonces `ada` and none.
DEAL_SEED = bytes.fromhex("aa25a70e9b3e8794a024b93afef6ae590ba3993d3115a64fe6a8765d68776d93")
NORMAL = NeuesLandOptions()
EQUAL = NeuesLandOptions(equal_turns=True)


def test_the_deal_of_the_api() -> None:
    deck = NEUES_LAND.deal(NORMAL, 2, DEAL_SEED).deck
    assert deck[:4] == ("44gs-01", "1115mmms", "44mg", "1115mmmg")
    assert deck[-1] == "17ms-01"


def test_n11_the_deck_is_all_tiles_but_the_start_tile() -> None:
    material: dict[str, Any] = NEUES_LAND.material()
    expected = Counter({kind["id"]: kind["count"] for kind in material["kinds"]})
    expected[material["start_tile"]] -= 1
    deal = NEUES_LAND.deal(NORMAL, 4, DEAL_SEED)
    assert Counter(deal.deck) == +expected
    assert len(deal.deck) == 83
    assert deal.set_aside == ()


@pytest.mark.parametrize(("players", "leave"), [(2, 1), (3, 2), (4, 3), (5, 3)])
@pytest.mark.parametrize("expert", [False, True])
def test_n12_tiles_leave_from_the_end_until_turns_are_equal(players: int, leave: int, expert: bool) -> None:
    full = NEUES_LAND.deal(NORMAL, players, DEAL_SEED).deck
    deal = NEUES_LAND.deal(NeuesLandOptions(expert=expert, equal_turns=True), players, DEAL_SEED)
    assert len(deal.set_aside) == leave
    assert deal.deck + deal.set_aside == full
    assert len(deal.deck) % players == 0
    state, _ = NEUES_LAND.start(EQUAL, deal, players)
    assert NEUES_LAND.view(state, None)["set_aside_count"] == leave


def test_n12_takes_nothing_from_an_explicit_deal() -> None:
    deal = NEUES_LAND.parse_deal({"deck": ["8m", "8s", "8g"]}, EQUAL, 2)
    state, _ = NEUES_LAND.start(EQUAL, deal, 2)
    view = NEUES_LAND.view(state, None)
    assert (view["deck_count"], view["set_aside_count"]) == (2, 0)


def test_a_deal_is_read_back_as_it_was_written() -> None:
    deal = NEUES_LAND.deal(EQUAL, 3, DEAL_SEED)
    raw = NEUES_LAND.deal_to_wire(deal)
    assert list(raw) == ["deck", "set_aside"]
    assert NEUES_LAND.parse_deal(raw, EQUAL, 3) == deal
    assert NEUES_LAND.deal_to_wire(NEUES_LAND.parse_deal({"deck": ["8m"]}, NORMAL, 2)) == {
        "deck": ["8m"],
        "set_aside": [],
    }


@pytest.mark.parametrize(
    ("raw", "pointer", "code"),
    [
        ({}, "/deck", "missing"),
        ({"set_aside": ["8m"]}, "/deck", "missing"),
        ({"deck": ["8m"], "hands": []}, "/hands", "unknown"),
        ({"deck": ["8m"], "a/b~c": []}, "/a~1b~0c", "unknown"),
        ({"deck": "8m"}, "/deck", "wrong_type"),
        ({"deck": None}, "/deck", "wrong_type"),
        ({"deck": ["8m"], "set_aside": {}}, "/set_aside", "wrong_type"),
        ({"deck": []}, "/deck", "out_of_range"),
        ({"deck": ["8m"] * 84}, "/deck", "out_of_range"),
        ({"deck": ["8m", 8]}, "/deck/1", "wrong_type"),
        ({"deck": ["8m", ["8s"]]}, "/deck/1", "wrong_type"),
        ({"deck": ["8m", "9m"]}, "/deck/1", "not_one_of"),
        ({"deck": ["161smg-01"]}, "/deck/0", "not_one_of"),
        ({"deck": ["8m", "8s", "8m"]}, "/deck/2", "duplicate"),
        ({"deck": ["44mg"] * 4}, "/deck/3", "duplicate"),
        ({"deck": ["8m"], "set_aside": ["8s", "8m"]}, "/set_aside/1", "duplicate"),
    ],
)
def test_an_explicit_deal_that_cannot_be(raw: dict[str, Any], pointer: str, code: str) -> None:
    with pytest.raises(InvalidDeal) as caught:
        NEUES_LAND.parse_deal(raw, NORMAL, 2)
    assert (caught.value.pointer, caught.value.code) == (pointer, code)
    assert caught.value.detail.endswith(".")
