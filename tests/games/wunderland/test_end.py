"""The end and the points, W50 to W62, by hand: each expected value is read off the rules."""

from __future__ import annotations

from typing import Any

import pytest

from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import State
from spieltisch_service.games.wunderland.scoring import postcard_points
from tests.games.wunderland.positions import END, collect, play, position, redeem, travel

SECTIONS = ["skandinavien", "usa", "oesterreich", "schweiz", "flughafen", "harz", "hamburg"]
FOUR = ["c02", "c03", "c04", "c05"]
SIX = dict.fromkeys(SECTIONS[:6], 1)  # all but Hamburg


def seen(state: State, seat: int | None = None) -> dict[str, Any]:
    return WUNDERLAND.view(state, seat)


# --- the end --------------------------------------------------------------------------------------------------


def test_w50_the_fifth_card_ends_the_game_at_once_without_a_draw() -> None:
    state = position({"brocken": 1, "salzburg": 1}, {}, {}, hands={0: ["c01"]}, redeemed={0: FOUR})
    state, event = WUNDERLAND.apply(state, redeem("c01"))
    assert event == {"points": 15, "cards_drawn": 0}
    assert (WUNDERLAND.phase(state), WUNDERLAND.to_act(state), WUNDERLAND.turn(state)) == ("final", 1, 1)
    assert seen(state)["active_seat"] == 1
    assert seen(state)["seats_to_ask"] == [1, 2]
    assert WUNDERLAND.scores(state) == (75, 0, 0)


@pytest.mark.parametrize("rule", ["own_turn", "with_travel"])
def test_w50_a_postcard_from_the_seventh_section_ends_the_game_at_once(rule: str) -> None:
    state = position({"hamburg-post": 2}, {"hamburg-post": 1}, postcards={0: SIX}, rule=rule)
    state = play(state, collect("hamburg-post", 1))
    assert (WUNDERLAND.phase(state), WUNDERLAND.to_act(state)) == ("final", 1)
    # The one who ended it does nothing more: one traveller is left at the post office for ever.
    state = play(state, END)
    assert (WUNDERLAND.phase(state), WUNDERLAND.to_act(state)) == ("over", None)
    assert WUNDERLAND.legal(state) == ()
    assert seen(state)["active_seat"] is None
    assert seen(state)["travellers"][0] == {"hamburg-post": 1, "knuffingen": 7}


def test_w50_six_sections_do_not_end_the_game() -> None:
    state = position({"harz-post": 1}, {}, postcards={0: dict.fromkeys(SECTIONS[:5], 2)})
    assert WUNDERLAND.phase(play(state, collect("harz-post", 1))) == "after"


def test_w51_the_others_collect_and_redeem_where_they_stand_in_turn_order_after_the_ender() -> None:
    waiting = {"harz-post": 2, "usa-post": 1, "hagenbeck": 1, "oslo": 1, "kiruna": 3}
    state = position({"miami": 8}, {"hamburg-post": 1}, waiting, hands={2: ["c08", "c16"]}, postcards={1: SIX})
    state = play(state, travel("miami", "area-51", 1), END, collect("hamburg-post", 1))
    assert seen(state)["seats_to_ask"] == [2, 0]
    assert WUNDERLAND.legal(state) == [
        redeem("c08"),
        collect("harz-post", 1),
        collect("harz-post", 2),
        collect("usa-post", 1),
        END,
    ]
    # Any number, also twice at one place; no card is drawn.
    state = play(state, collect("harz-post", 1), collect("usa-post", 1), collect("harz-post", 1))
    state, event = WUNDERLAND.apply(state, redeem("c08"))
    assert event == {"points": 15, "cards_drawn": 0}
    assert seen(state, 2)["hand"] == ["c16"]
    # Each traveller once: they are at Knuffingen now, but for the three at Kiruna.
    assert seen(state)["travellers"][2] == {"kiruna": 3, "knuffingen": 5}
    assert WUNDERLAND.legal(state) == [END]
    turn = WUNDERLAND.turn(state)
    state = play(state, END)
    assert (WUNDERLAND.to_act(state), WUNDERLAND.turn(state)) == (0, turn + 1)
    assert WUNDERLAND.legal(state) == [END]  # is asked although there is nothing to do (W42)
    assert WUNDERLAND.phase(play(state, END)) == "over"


def test_w51_nothing_triggers_the_end_again() -> None:
    state = position(
        {"hamburg-post": 1},
        {"hamburg-post": 2, "brocken": 1, "salzburg": 1},
        {},
        hands={1: ["c01"]},
        redeemed={1: FOUR},
        postcards={0: SIX, 1: SIX},
    )
    state = play(state, collect("hamburg-post", 1), collect("hamburg-post", 1), redeem("c01"))
    assert (WUNDERLAND.phase(state), WUNDERLAND.to_act(state)) == ("final", 1)
    assert WUNDERLAND.legal(state) == [collect("hamburg-post", 1), END]
    state = play(state, END)
    assert seen(state)["seats_to_ask"] == [2]


def test_w52_after_the_last_round_the_final_phase_begins_for_all() -> None:
    state = position({"oslo": 7, "usa-post": 1}, {"miami": 8}, round_limit=2)
    one = [travel("oslo", "kiruna", 1), END, travel("miami", "area-51", 1), END]
    state = play(state, *one)
    assert (WUNDERLAND.phase(state), seen(state)["round"]) == ("turn", 2)
    state = play(state, *one)
    assert (WUNDERLAND.phase(state), seen(state)["round"], WUNDERLAND.turn(state)) == ("final", 2, 4)
    assert seen(state)["seats_to_ask"] == [0, 1]
    assert WUNDERLAND.legal(state) == [collect("usa-post", 1), END]
    state = play(state, collect("usa-post", 1), END)
    assert WUNDERLAND.to_act(state) == 1
    state = play(state, END)
    assert (WUNDERLAND.phase(state), WUNDERLAND.turn(state)) == ("over", 6)


def test_w52_without_a_limit_rounds_go_on() -> None:
    state = position({"oslo": 8}, {"miami": 8})
    for _ in range(20):
        state = play(state, travel("oslo", "kiruna", 1), END, travel("miami", "area-51", 1), END)
        state = play(state, travel("kiruna", "oslo", 1), END, travel("area-51", "miami", 1), END)
    assert (WUNDERLAND.phase(state), seen(state)["round"]) == ("turn", 41)


# --- points ---------------------------------------------------------------------------------------------------


def test_w60_cards_in_hand_count_nothing() -> None:
    state = position({}, {}, hands={0: ["c33", "c34"]}, redeemed={0: ["c01", "c17", "c35"]})
    assert WUNDERLAND.scores(state) == (60, 0)
    assert WUNDERLAND.outcome(state).scores == (60, 0)


@pytest.mark.parametrize(
    ("piles", "points"),
    [
        ([], 0),
        ([1], 1),
        ([3, 1], 3 + 2),
        ([1, 3], 3 + 2),
        ([2, 2, 2], 2 + 4 + 6),
        ([9], 4),
        ([7, 5, 1], 4 + 8 + 3),
        ([4, 4, 3, 2, 1, 1, 1], 4 + 8 + 9 + 8 + 5 + 6 + 7),
        ([4] * 7, 4 * 28),
    ],
)
def test_w61_the_largest_pile_counts_least_a_card(piles: list[int], points: int) -> None:
    assert postcard_points([*piles, *[0] * (7 - len(piles))]) == points
    state = position({}, {}, postcards={1: dict(zip(SECTIONS, piles, strict=False))})
    assert WUNDERLAND.outcome(state).scores == (0, points)
    assert WUNDERLAND.scores(state) == (0, 0)


def test_w62_tied_players_share_a_rank() -> None:
    state = position({}, {}, {}, {}, redeemed={0: ["c01"], 1: ["c33"], 2: ["c34"]}, postcards={0: {"usa": 1}})
    outcome = WUNDERLAND.outcome(state)
    assert outcome.scores == (16, 25, 25, 0)
    assert outcome.ranks == (3, 1, 1, 4)
    assert outcome.data == {}
