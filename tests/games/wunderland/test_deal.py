"""Deals: the shuffle that everybody can compute again, and explicit ones."""

from __future__ import annotations

from typing import Any

import pytest

from spieltisch_service.games.errors import InvalidDeal
from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import WunderlandOptions

OPTIONS = WunderlandOptions()
CARDS = [f"c{n:02}" for n in range(1, 49)]


def test_the_deal_of_the_published_test_value() -> None:
    seed = bytes.fromhex("aa25a70e9b3e8794a024b93afef6ae590ba3993d3115a64fe6a8765d68776d93")
    wire = WUNDERLAND.deal_to_wire(WUNDERLAND.deal(OPTIONS, 2, seed))
    deck = wire["deck"]
    assert isinstance(deck, list)
    assert deck[:4] == ["c30", "c13", "c25", "c46"]
    assert deck[-1] == "c14"
    assert sorted(deck) == CARDS


def test_a_deal_reads_back_as_an_equal_one() -> None:
    deal = WUNDERLAND.deal(OPTIONS, 4, bytes(32))
    assert WUNDERLAND.parse_deal(WUNDERLAND.deal_to_wire(deal), OPTIONS, 4) == deal


@pytest.mark.parametrize("players", [2, 3, 4])
def test_w10_a_deal_may_be_as_short_as_two_cards_a_player(players: int) -> None:
    deck = CARDS[: 2 * players]
    deal = WUNDERLAND.parse_deal({"deck": deck}, OPTIONS, players)
    assert WUNDERLAND.deal_to_wire(deal) == {"deck": deck}
    with pytest.raises(InvalidDeal) as caught:
        WUNDERLAND.parse_deal({"deck": deck[1:]}, OPTIONS, players)
    assert (caught.value.pointer, caught.value.code) == ("/deck", "out_of_range")


@pytest.mark.parametrize(
    ("raw", "pointer", "code"),
    [
        ({}, "/deck", "missing"),
        ({"deck": CARDS, "set_aside": []}, "/set_aside", "unknown"),
        ({"deck": CARDS, "a/b~c": 1}, "/a~1b~0c", "unknown"),
        ({"deck": None}, "/deck", "wrong_type"),
        ({"deck": "c01"}, "/deck", "wrong_type"),
        ({"deck": {"c01": 1}}, "/deck", "wrong_type"),
        ({"deck": ["c01", "c02", 3, "c04"]}, "/deck/2", "wrong_type"),
        ({"deck": ["c01", "c02", ["c03"], "c04"]}, "/deck/2", "wrong_type"),
        ({"deck": ["c01", "c49", "c03", "c04"]}, "/deck/1", "not_one_of"),
        ({"deck": ["c01", "C02", "c03", "c04"]}, "/deck/1", "not_one_of"),
        ({"deck": ["c01", "c02", "c03", "c01"]}, "/deck/3", "duplicate"),
        ({"deck": []}, "/deck", "out_of_range"),
    ],
)
def test_a_deal_that_cannot_be_played_says_where_and_why(raw: dict[str, Any], pointer: str, code: str) -> None:
    with pytest.raises(InvalidDeal) as caught:
        WUNDERLAND.parse_deal(raw, OPTIONS, 2)
    assert (caught.value.pointer, caught.value.code) == (pointer, code)
    assert caught.value.detail.endswith(".")
