"""The rules W1 to W42 by hand: each expected value is read off the rules and the map."""

from __future__ import annotations

import copy
import json
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from spieltisch_service.games.contract import Action
from spieltisch_service.games.wunderland import tables
from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import State
from tests.games.wunderland.positions import (
    END,
    STAY,
    along,
    collect,
    new_match,
    play,
    position,
    redeem,
    travel,
)

MATERIAL: dict[str, Any] = WUNDERLAND.material()
SECTIONS = ["skandinavien", "usa", "oesterreich", "schweiz", "flughafen", "harz", "hamburg"]


def legal(state: State, kind: str) -> list[Action]:
    return [action for action in WUNDERLAND.legal(state) if action.type == kind]


def kinds(state: State) -> set[str]:
    return {action.type for action in WUNDERLAND.legal(state)}


def seen(state: State, seat: int | None = None) -> dict[str, Any]:
    return WUNDERLAND.view(state, seat)


# --- material and set-up --------------------------------------------------------------------------------------


def test_w1_the_map_has_eight_sections_with_five_sights_and_a_postcard_place() -> None:
    kinds = Counter((place["section"], place["kind"]) for place in MATERIAL["places"])
    assert kinds.pop(("knuffingen", "start")) == 1
    assert kinds == {(section, kind): n for section in SECTIONS for kind, n in (("sight", 5), ("postcard", 1))}
    assert (len(MATERIAL["places"]), len(MATERIAL["tracks"])) == (43, 62)
    assert seen(new_match())["postcards_left"] == dict.fromkeys(SECTIONS, 16)


def test_w1_tracks_run_both_ways() -> None:
    for a, b in combinations(tables.BOARD.places, 2):
        assert tables.BOARD.distance[a][b] == tables.BOARD.distance[b][a]
        assert (b in tables.BOARD.near[a]) == (a in tables.BOARD.near[b])
    # Michel, Landungsbrücken, Hauptbahnhof, Knuffingen, Gotthard, Lugano, Matterhorn.
    assert tables.BOARD.distance["hamburg-post"]["matterhorn"] == 7


def test_w2_a_card_names_two_to_four_sights_for_its_points() -> None:
    sights = {place["id"] for place in MATERIAL["places"] if place["kind"] == "sight"}
    assert len(MATERIAL["cards"]) == 48
    for card in MATERIAL["cards"]:
        assert len(set(card["places"])) == len(card["places"])
        assert set(card["places"]) <= sights
        assert card["points"] == {2: 15, 3: 20, 4: 25}[len(card["places"])]


def _edit(raw: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(raw)
    target: Any = changed
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "wunderland-board/2"),
        (("tokens_per_player",), 7),
        (("steps_per_journey",), 3),
        (("places", 1, "kind"), "postcard"),
        (("places", 1, "id"), "oslo"),
        (("places", 1, "section"), "usa"),
        (("tracks", 0), ["area-51", "area-51"]),
        (("tracks", 0), ["area-51", "atlantis"]),
        (("tracks", 0), ["miami", "area-51"]),
        (("cards", 0, "points"), 20),
        (("cards", 0, "places"), ["brocken", "brocken"]),
        (("cards", 0, "places"), ["brocken", "harz-post"]),
        (("cards", 0, "id"), "c02"),
    ],
)
def test_w1_w2_w3_a_board_that_breaks_the_rules_is_not_loaded(path: tuple[str | int, ...], value: Any) -> None:
    raw = json.loads(tables.read_data("board.json"))
    assert tables.parse_board(raw) == tables.BOARD
    with pytest.raises(ValueError, match=r"board\.json"):
        tables.parse_board(_edit(raw, path, value))


def test_w1_a_map_in_two_parts_is_not_loaded() -> None:
    raw = json.loads(tables.read_data("board.json"))
    tracks = [track for track in raw["tracks"] if "kiruna" not in track]
    with pytest.raises(ValueError, match="62 tracks"):
        tables.parse_board({**raw, "tracks": tracks})
    tracks += [["oslo", "stockholm"], ["oslo", "speicherstadt"]]
    with pytest.raises(ValueError, match="not joined"):
        tables.parse_board({**raw, "tracks": tracks})


def test_w3_w10_everybody_begins_with_eight_travellers_at_knuffingen_and_no_points() -> None:
    view = seen(new_match(players=3))
    assert view["travellers"] == [{"knuffingen": 8}] * 3
    assert view["redeemed"] == [[], [], []]
    assert view["postcards"] == [dict.fromkeys(SECTIONS, 0)] * 3
    assert WUNDERLAND.scores(new_match(players=3)) == (0, 0, 0)


def test_w10_each_seat_gets_two_cards_from_the_front_of_the_deck() -> None:
    state = new_match(players=3, deck=["c07", "c01", "c03", "c02", "c48", "c05", "c09"])
    assert [seen(state, seat)["hand"] for seat in range(3)] == [["c07", "c01"], ["c03", "c02"], ["c48", "c05"]]
    assert seen(state)["deck_count"] == 1


def test_w11_seat_0_begins_and_play_goes_round() -> None:
    state = position({"oslo": 8}, {"miami": 8}, {"lugano": 8})
    order = []
    for origin, destination in [("oslo", "kiruna"), ("miami", "area-51"), ("lugano", "gotthard"), ("kiruna", "oslo")]:
        order.append(WUNDERLAND.to_act(state))
        state = play(state, travel(origin, destination, 1), END)
    assert order == [0, 1, 2, 0]
    assert WUNDERLAND.turn(state) == 4
    assert seen(state)["round"] == 2


# --- a turn ---------------------------------------------------------------------------------------------------


def test_w20_a_turn_begins_with_a_main_action_and_cannot_be_passed() -> None:
    state = position({"oslo": 8}, {"miami": 8})
    assert kinds(state) == {"travel"}
    after = play(state, travel("oslo", "kiruna", 8))
    assert kinds(after) == {"end_turn"}
    assert WUNDERLAND.phase(after) == "after"


def test_w21_a_journey_goes_one_or_two_tracks_any_way() -> None:
    state = position({"oslo": 2, "harz-post": 6}, {})
    destinations = {(a.origin, a.destination) for a in legal(state, "travel")}  # type: ignore[attr-defined]
    # One track from Oslo: Kiruna, Geirangerfjord, the bridge, the post office; two: Stockholm by Kiruna,
    # Speicherstadt by the post office, Knuffingen by the bridge.
    oslo = {"kiruna", "geirangerfjord", "oeresund", "skandinavien-post", "stockholm", "speicherstadt", "knuffingen"}
    harz = {"brocken", "ruebeland", "goslar", "quedlinburg"}
    assert destinations == {("oslo", place) for place in oslo} | {("harz-post", place) for place in harz}


def test_w21_any_number_of_the_travellers_there_go() -> None:
    state = position({"oslo": 3, "miami": 5}, {})
    numbers = [a.travellers for a in legal(state, "travel") if (a.origin, a.destination) == ("oslo", "kiruna")]  # type: ignore[attr-defined]
    assert numbers == [1, 2, 3]
    assert seen(play(state, travel("oslo", "kiruna", 2)))["travellers"][0] == {"kiruna": 2, "miami": 5, "oslo": 1}


def test_w22_companions_are_asked_in_turn_order_after_the_traveller_and_know_the_earlier_answers() -> None:
    state = position({"oslo": 1}, {"oslo": 2}, {"oslo": 1}, {"oslo": 3})
    state = play(state, travel("knuffingen", "salzburg", 1))
    assert WUNDERLAND.phase(state) == "companions"
    assert seen(state)["seats_to_ask"] == [1, 2, 3]
    assert seen(state)["journey"] == {"origin": "knuffingen", "destination": "salzburg"}
    assert seen(state)["active_seat"] == 0
    assert WUNDERLAND.legal(state) == (*(along(n) for n in range(1, 7)), STAY)
    state = play(state, along(6))
    assert seen(state)["travellers"][1] == {"oslo": 2, "salzburg": 6}
    assert WUNDERLAND.to_act(state) == 2
    state = play(state, STAY)
    assert seen(state)["travellers"][2] == {"knuffingen": 7, "oslo": 1}
    assert WUNDERLAND.legal(state) == (*(along(n) for n in range(1, 6)), STAY)
    state = play(state, along(1))
    assert seen(state)["travellers"][3] == {"knuffingen": 4, "oslo": 3, "salzburg": 1}
    assert (WUNDERLAND.phase(state), WUNDERLAND.to_act(state)) == ("after", 0)
    assert seen(state)["journey"] is None
    assert seen(state)["seats_to_ask"] == []


def test_w22_the_order_goes_on_past_the_last_seat() -> None:
    state = play(position({"oslo": 8}, {}, {}), travel("oslo", "kiruna", 1), END)
    assert seen(play(state, travel("knuffingen", "terminal", 1)))["seats_to_ask"] == [2]
    state = play(state, travel("knuffingen", "terminal", 8), STAY, END)
    state.travellers[0] = {"knuffingen": 8}
    state.travellers[1] = {"knuffingen": 1, "terminal": 7}
    assert seen(play(state, travel("knuffingen", "gotthard", 1)))["seats_to_ask"] == [0, 1]


def test_w23_who_has_no_traveller_at_the_departure_is_not_asked() -> None:
    state = position({"oslo": 1}, {"miami": 8}, {"oslo": 1})
    assert seen(play(state, travel("oslo", "kiruna", 1)))["seats_to_ask"] == [2]
    # A traveller at the destination counts for nothing.
    state = position({"oslo": 1}, {"kiruna": 8}, {"miami": 8})
    state = play(state, travel("oslo", "kiruna", 1))
    assert (WUNDERLAND.phase(state), WUNDERLAND.to_act(state)) == ("after", 0)


def test_w24_travelling_along_changes_nothing_in_the_companions_turn() -> None:
    state = position({}, {})
    stayed = play(state, travel("knuffingen", "oslo", 1), STAY, END)
    went = play(state, travel("knuffingen", "oslo", 1), along(8), END)
    assert kinds(stayed) == kinds(went) == {"travel"}
    assert legal(went, "travel")[0].origin == "oslo"  # type: ignore[attr-defined]


# --- postcards ------------------------------------------------------------------------------------------------


def test_w30_as_many_postcards_as_travellers_used_who_go_home() -> None:
    state = position({"hamburg-post": 3, "usa-post": 1, "oslo": 4}, {})
    assert legal(state, "collect") == [
        collect("hamburg-post", 1),
        collect("hamburg-post", 2),
        collect("hamburg-post", 3),
        collect("usa-post", 1),
    ]
    state = play(state, collect("hamburg-post", 2))
    assert seen(state)["travellers"][0] == {"hamburg-post": 1, "knuffingen": 2, "oslo": 4, "usa-post": 1}
    assert seen(state)["postcards"][0] == {**dict.fromkeys(SECTIONS, 0), "hamburg": 2}
    assert seen(state)["postcards_left"] == {**dict.fromkeys(SECTIONS, 16), "hamburg": 14}
    # The main action is done: no journey, no second collecting.
    assert WUNDERLAND.phase(state) == "after"
    assert WUNDERLAND.legal(state) == [END]


def test_w30_no_more_postcards_than_the_stack_has() -> None:
    state = position({"harz-post": 5, "usa-post": 3}, {}, postcards={1: {"harz": 14, "usa": 16}})
    assert legal(state, "collect") == [collect("harz-post", 1), collect("harz-post", 2)]


def test_w31_postcards_come_in_the_turn_after_the_arrival() -> None:
    state = position({"brocken": 2, "oslo": 6}, {"brocken": 1, "miami": 7})
    state = play(state, travel("brocken", "harz-post", 2), along(1))
    assert WUNDERLAND.legal(state) == [END]
    state = play(state, END)
    assert legal(state, "collect") == [collect("harz-post", 1)]  # the companion, in their own turn
    state = play(state, collect("harz-post", 1), END)
    assert legal(state, "collect") == [collect("harz-post", 1), collect("harz-post", 2)]


def test_w32_with_travel_collecting_is_free_before_and_after_the_journey() -> None:
    here = {"harz-post": 2, "hamburg-post": 1, "miami": 5}
    state = position(here, {"miami": 8}, rule="with_travel")
    state = play(state, collect("harz-post", 1))
    assert WUNDERLAND.phase(state) == "turn"
    assert kinds(state) == {"collect", "travel"}  # collecting is not the turn's main action
    state = play(state, collect("hamburg-post", 1), travel("miami", "usa-post", 2))
    assert kinds(state) == {"travel_along", "stay"}  # not before the companions have answered
    state = play(state, STAY)
    assert legal(state, "collect") == [collect("harz-post", 1), collect("usa-post", 1), collect("usa-post", 2)]
    state = play(state, collect("usa-post", 2), collect("harz-post", 1))
    assert WUNDERLAND.legal(state) == [END]
    assert seen(state)["postcards"][0] == {**dict.fromkeys(SECTIONS, 0), "harz": 2, "hamburg": 1, "usa": 2}


# --- destination cards ----------------------------------------------------------------------------------------


def test_w40_a_fulfilled_card_is_redeemed_and_one_traveller_of_each_place_goes_home() -> None:
    # c17: Area 51, Semmering, Stockholm, 20 points.
    standing = {"area-51": 2, "semmering": 1, "stockholm": 1, "miami": 4}
    state = position(standing, {}, hands={0: ["c33", "c17"]}, deck=[])
    assert legal(state, "redeem") == [redeem("c17")]
    after, event = WUNDERLAND.apply(state, redeem("c17"))
    assert event == {"points": 20, "cards_drawn": 0}
    assert seen(after)["travellers"][0] == {"area-51": 1, "knuffingen": 3, "miami": 4}
    assert seen(after)["redeemed"] == [["c17"], []]
    assert WUNDERLAND.scores(after) == (20, 0)
    assert WUNDERLAND.scores(state) == (0, 0)  # the state before stays as it was
    assert WUNDERLAND.phase(after) == "turn"  # before the main action, which is still to come


def test_w40_every_place_needs_a_traveller() -> None:
    state = position({"area-51": 4, "semmering": 4}, {}, hands={0: ["c17"]})
    assert legal(state, "redeem") == []


def test_w40_cards_are_redeemed_on_the_own_turn_once_the_companions_have_answered() -> None:
    # c08: Hagenbeck and Oslo; seat 1 fulfils it by travelling along, and waits for its own turn.
    state = position({"kiruna": 1, "hagenbeck": 1}, {"kiruna": 1, "hagenbeck": 1}, hands={0: ["c16"], 1: ["c08"]})
    state = play(state, travel("kiruna", "oslo", 1))
    assert WUNDERLAND.legal(state) == (along(1), STAY)
    state = play(state, along(1))
    assert WUNDERLAND.legal(state) == [END]
    state = play(state, END)
    assert legal(state, "redeem") == [redeem("c08")]
    # The traveller itself redeems after the answers.
    state = position({"kiruna": 1, "hagenbeck": 1}, {"kiruna": 1}, hands={0: ["c08"]})
    state = play(state, travel("kiruna", "oslo", 1))
    assert kinds(state) == {"travel_along", "stay"}
    assert WUNDERLAND.legal(play(state, STAY)) == [redeem("c08"), END]


def test_w41_a_new_card_is_drawn_and_can_be_redeemed_on_the_same_turn() -> None:
    standing = {"brocken": 1, "salzburg": 2, "speicherstadt": 1}
    state = position(standing, {}, hands={0: ["c01", "c47"]}, deck=["c15", "c02"])
    state, event = WUNDERLAND.apply(state, redeem("c01"))
    assert event == {"points": 15, "cards_drawn": 1}
    assert seen(state, 0)["hand"] == ["c47", "c15"]
    assert seen(state)["deck_count"] == 1
    state, event = WUNDERLAND.apply(state, redeem("c15"))
    assert event == {"points": 15, "cards_drawn": 1}
    assert seen(state, 0)["hand"] == ["c47", "c02"]
    assert WUNDERLAND.scores(state) == (30, 0)


def test_w41_no_card_is_drawn_from_an_empty_deck() -> None:
    state = position({"brocken": 1, "salzburg": 1}, {}, hands={0: ["c01", "c47"]}, deck=[])
    state, event = WUNDERLAND.apply(state, redeem("c01"))
    assert event == {"points": 15, "cards_drawn": 0}
    assert seen(state, 0)["hand"] == ["c47"]


@pytest.mark.parametrize(("before", "drawn"), [(0, 1), (1, 1), (2, 1), (3, 0)])
def test_w41_no_card_is_drawn_once_four_are_redeemed(before: int, drawn: int) -> None:
    redeemed = ["c02", "c03", "c04"][:before]
    state = position({"brocken": 1, "salzburg": 1}, {}, hands={0: ["c01", "c47"]}, redeemed={0: redeemed})
    state, event = WUNDERLAND.apply(state, redeem("c01"))
    assert event == {"points": 15, "cards_drawn": drawn}
    assert seen(state)["hand_counts"][0] == 1 + drawn


def test_w42_a_turn_never_ends_by_itself() -> None:
    state = play(position({"oslo": 8}, {}), travel("oslo", "kiruna", 1))
    assert (WUNDERLAND.to_act(state), WUNDERLAND.turn(state)) == (0, 0)
    assert WUNDERLAND.legal(state) == [END]
    state = play(state, END)
    assert (WUNDERLAND.to_act(state), WUNDERLAND.turn(state)) == (1, 1)
