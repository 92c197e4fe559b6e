"""What a tournament can be, as it is written down and read back."""

from typing import Any

import pytest

from spieltisch_service.domain.clock import Clock
from spieltisch_service.domain.errors import InvalidSetup
from spieltisch_service.domain.tournament.lots import commitment, deal_seed, drawn, lot
from spieltisch_service.domain.tournament.setup import TournamentSetup
from tests.domain.tournament.cups import setup


def test_it_is_read_back_from_its_json() -> None:
    for one in (
        setup(),
        setup("round_robin", seats=4, game="wunderland", rounds=5, deals=3, duplicate=True, options={"pace": "short"}),
        setup("arena", clock=Clock("fischer", 60_000, 2_000), forbidden=(("a", "b"),), invited=("a",), name="Cup"),
    ):
        assert TournamentSetup.from_wire(one.to_wire()) == one
    short = TournamentSetup.from_wire({"game": "neues-land", "format": "swiss", "seed": "cup"})
    assert short == setup()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"game": "chess"}, "game"),
        ({"format": "league"}, "format"),
        ({"seats": 1}, "seats"),
        ({"seats": 6}, "seats"),
        ({"game": "wunderland", "seats": 5}, "seats"),
        ({"seats": True}, "seats"),
        ({"deals": 0}, "deals"),
        ({"rounds": 0}, "rounds"),
        ({"seed": ""}, "seed"),
        ({"entrants_max": 1}, "entrants_max"),
        ({"no_show_limit": 0}, "no_show_limit"),
        ({"format": "double_elimination", "seats": 3}, "seats"),
        ({"format": "single_elimination", "rounds": 3}, "rounds"),
        ({"format": "arena", "own_pairings": True, "rounds": 3}, "own_pairings"),
        ({"own_pairings": True}, "rounds"),
        ({"champion": "a"}, "champion"),
        ({"forbidden": [["a", "a"]]}, "forbidden"),
        ({"forbidden": [["a", "b", "c"]]}, "forbidden"),
        ({"forbidden": [["a", "no id"]]}, "forbidden"),
        ({"format": "gauntlet", "forbidden": [["a", "b"]]}, "forbidden"),
        ({"format": "round_robin", "seats": 3, "forbidden": [["a", "b"]]}, "forbidden"),
        ({"invited": [1]}, "invited"),
        ({"clock": {"kind": "sundial"}}, "clock"),
        ({"prize": 1}, "prize"),
        ({"entrants_allowed": "friends"}, "entrants_allowed"),
    ],
)
def test_what_cannot_be_played_is_refused_and_says_why(said: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSetup) as refused:
        TournamentSetup.from_wire({"game": "neues-land", "format": "swiss", "seed": "cup", **said})
    assert refused.value.field == field


def test_lots_and_deals_are_keyed_hashes() -> None:
    # By the formulas of the docstring, with hmac and hashlib by hand.
    assert lot("cup", "round", 3) == 0x98A441D30A66021B
    assert deal_seed("cup", "to.1.2", 3).hex() == "acaad585a5200fc22060065365692a2ce6142b8e29b9f06a3686cfe56b9292fb"
    assert commitment("cup", "to") == "b28274fde7859681c0ea59d434f9a8623936d93b33cd55d03fd34370e96f6b9f"
    assert sorted(drawn("cup", "order", "abcdef")) == list("abcdef")
    assert drawn("cup", "order", "abcdef") == drawn("cup", "order", "fedcba") != drawn("cap", "order", "abcdef")
