"""What is seen (W70), and how it reads as text."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import State
from tests.games.wunderland.positions import END, STAY, along, collect, new_match, position, redeem, travel

KEYS = [
    "round",
    "active_seat",
    "journey",
    "seats_to_ask",
    "travellers",
    "postcards_left",
    "postcards",
    "redeemed",
    "hand",
    "hand_counts",
    "deck_count",
]


def states(players: int, seed: int) -> list[State]:
    """Every position of an eager random game with a short round limit."""
    chance = random.Random(seed)
    options = WUNDERLAND.options_type(postcards="with_travel", round_limit=25)
    state, _ = WUNDERLAND.start(options, WUNDERLAND.deal(options, players, bytes([seed]) * 32), players)
    found = [state]
    while legal := WUNDERLAND.legal(state):
        eager = [action for action in legal if action.type in ("redeem", "collect")]
        state, _ = WUNDERLAND.apply(state, chance.choice(eager or legal))
        found.append(state)
    return found


def reshuffled(state: State, keep: int | None, chance: random.Random) -> State:
    """Another deal that `keep` (a seat; None: a spectator) cannot tell from this one: other hidden cards."""
    other = state.copy()
    hidden = list(state.deck)
    for seat, hand in enumerate(state.hands):
        if seat != keep:
            hidden += hand
    chance.shuffle(hidden)
    for seat, hand in enumerate(state.hands):
        if seat != keep:
            other.hands[seat] = [hidden.pop() for _ in hand]
    other.deck = tuple(hidden)
    return other


@pytest.mark.parametrize("players", [2, 3, 4])
def test_w70_hidden_cards_change_nothing_that_a_viewer_gets(players: int) -> None:
    chance = random.Random(players)
    changed = 0
    for state in states(players, seed=players):
        for seat in (None, *range(players)):
            other = reshuffled(state, seat, chance)
            changed += other != state
            assert json.dumps(WUNDERLAND.view(other, seat)) == json.dumps(WUNDERLAND.view(state, seat))
            assert WUNDERLAND.describe(WUNDERLAND.view(other, seat)) == WUNDERLAND.describe(
                WUNDERLAND.view(state, seat)
            )
            assert WUNDERLAND.to_act(other) == WUNDERLAND.to_act(state)
            assert WUNDERLAND.scores(other) == WUNDERLAND.scores(state)
            if seat is not None and seat == WUNDERLAND.to_act(state):
                assert list(WUNDERLAND.legal(other)) == list(WUNDERLAND.legal(state))
        if WUNDERLAND.to_act(state) is not None:
            # The default action comes from public knowledge only: no hand may change it.
            unseen = reshuffled(state, None, chance)
            assert WUNDERLAND.default_action(unseen) == WUNDERLAND.default_action(state)
    assert changed > 100


def test_the_order_of_legal_actions_does_not_tell_the_order_of_the_hand() -> None:
    placed = {"brocken": 1, "salzburg": 1, "speicherstadt": 1, "stockholm": 1}
    one = position(placed, {}, hands={0: ["c01", "c16"]})
    two = position(dict(reversed(placed.items())), {}, hands={0: ["c16", "c01"]})
    assert WUNDERLAND.legal(one) == WUNDERLAND.legal(two)
    assert WUNDERLAND.legal(one)[:2] == [redeem("c01"), redeem("c16")]


def test_a_view_has_every_key_for_every_viewer() -> None:
    for state in states(3, seed=9):
        for seat in (None, 0, 1, 2):
            view: dict[str, Any] = WUNDERLAND.view(state, seat)
            assert list(view) == KEYS
            assert (view["hand"] is None) == (seat is None)
            assert all(n > 0 for own in view["travellers"] for n in own.values())
            assert [sum(own.values()) for own in view["travellers"]] == [8, 8, 8]
            assert (view["journey"] is None) == (WUNDERLAND.phase(state) != "companions")
            for section, left in view["postcards_left"].items():
                assert left + sum(own[section] for own in view["postcards"]) == 16


def test_a_view_shares_nothing_with_the_state() -> None:
    state = new_match()
    before = json.dumps(WUNDERLAND.encode(state))
    view: dict[str, Any] = WUNDERLAND.view(state, 0)
    view["hand"].clear()
    view["travellers"][0].clear()
    view["postcards"][0].clear()
    view["postcards_left"].clear()
    view["redeemed"][0].append("c01")
    assert json.dumps(WUNDERLAND.encode(state)) == before


def test_the_default_action_is_legal_and_ends_every_turn() -> None:
    state = new_match(players=3, round_limit=4)
    turns = []
    while WUNDERLAND.to_act(state) is not None:
        action = WUNDERLAND.default_action(state)
        assert action in WUNDERLAND.legal(state)
        assert getattr(action, "travellers", 1) == 1
        turns.append(WUNDERLAND.turn(state))
        state, _ = WUNDERLAND.apply(state, action)
    assert sorted(set(turns)) == list(range(4 * 3 + 3))
    assert turns == sorted(turns)


def test_describe_shows_where_everybody_stands_and_the_own_hand() -> None:
    state = position(
        {"oslo": 3, "usa-post": 1},
        {"oslo": 2},
        hands={0: ["c08", "c17"], 1: ["c33"]},
        redeemed={1: ["c02"]},
        postcards={1: {"usa": 4}},
    )
    text = WUNDERLAND.describe(WUNDERLAND.view(state, 0))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "oslo 32" in " ".join(lines)
    assert "✉ usa-post 1·" in " ".join(lines)
    assert "USA (postcards left: 12)" in lines
    assert "Your card c08 (15 points): Hagenbeck Zoo, Oslo" in lines
    assert "Seat 1: 15 points · redeemed: c02 · in hand: 1 · postcards: usa 4" in lines
    assert "c33" not in text
    spectator = WUNDERLAND.describe(WUNDERLAND.view(state, None))
    assert not any(card in spectator for card in ("c08", "c17", "c33"))
    assert max(map(len, text.splitlines())) <= 100


def test_describe_is_never_wider_than_a_hundred_columns() -> None:
    for state in states(4, seed=3):
        for seat in (None, 0, 3):
            text = WUNDERLAND.describe(WUNDERLAND.view(state, seat))
            assert max(map(len, text.splitlines())) <= 100
            assert text.endswith("\n")


def test_describe_names_the_journey_and_the_end() -> None:
    state = new_match(players=3, round_limit=1)
    asked, _ = WUNDERLAND.apply(state, travel("knuffingen", "oslo", 1))
    lines = WUNDERLAND.describe(WUNDERLAND.view(asked, 1)).splitlines()
    assert "turn of seat 0" in lines[0]
    assert lines[1] == "Journey from Knuffingen to Oslo · still to answer: 1 2"
    while WUNDERLAND.to_act(state) is not None:
        state, _ = WUNDERLAND.apply(state, WUNDERLAND.default_action(state))
    assert "over" in WUNDERLAND.describe(WUNDERLAND.view(state, None)).splitlines()[0]


def test_notation_is_short_and_tells_actions_apart() -> None:
    lines = {
        travel("knuffingen", "oslo", 3): "knuffingen>oslo 3",
        along(2): "+2",
        STAY: "stay",
        collect("hamburg-post", 2): "hamburg-post 2",
        redeem("c17"): "c17",
        END: "end",
    }
    assert {action: WUNDERLAND.notation(action) for action in lines} == lines
    everything = {WUNDERLAND.notation(action) for action in WUNDERLAND.legal(new_match())}
    assert len(everything) == 21 * 8


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_rules_are_there_in_both_languages(language: str) -> None:
    text = WUNDERLAND.rules(language)
    numbers = [1, 2, 3, 10, 11, 20, 21, 22, 23, 24, 30, 31, 32, 40, 41, 42, 50, 51, 52, 60, 61, 62, 70]
    assert [int(line[5:].split("*")[0]) for line in text.splitlines() if line.startswith("- **W")] == numbers
    assert text.count("**(D)**") == WUNDERLAND.rules("en").count("**(D)**")


def test_rules_in_another_language_are_not_made_up() -> None:
    with pytest.raises(KeyError):
        WUNDERLAND.rules("../board")


def test_the_material_may_be_changed_by_whoever_asked() -> None:
    first: dict[str, Any] = WUNDERLAND.material()
    assert first["travellers_per_player"] == 8
    first["cards"].clear()
    assert len(WUNDERLAND.material()["cards"]) == 48  # type: ignore[arg-type]
