"""Refusals: the rule that forbids the action, and legal actions near to it."""

from __future__ import annotations

import random

import pytest

from spieltisch_service.games.contract import Action
from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import JOURNEYS, State
from tests.games.wunderland.positions import (
    END,
    STAY,
    along,
    collect,
    new_match,
    play,
    position,
    redeem,
    refused,
    travel,
)

AT_OSLO = position({"oslo": 3}, {"miami": 8}, hands={0: ["c01", "c02"]})
ASKED = play(new_match(), travel("knuffingen", "oslo", 2))
AFTER = play(AT_OSLO, travel("oslo", "kiruna", 1))
IN_FINAL = play(
    position({"miami": 8}, {"usa-post": 1}, round_limit=1),
    travel("miami", "area-51", 1),
    END,
    travel("knuffingen", "oslo", 1),
    END,
)


@pytest.mark.parametrize(
    ("state", "action", "rule", "nearest"),
    [
        # W21: too far (5 tracks; Knuffingen is nearest to Miami), to the same place, more than stand there,
        # from where none stands, none, from nowhere.
        (AT_OSLO, travel("oslo", "miami", 2), "W21", travel("oslo", "knuffingen", 2)),
        (AT_OSLO, travel("oslo", "oslo", 2), "W21", travel("oslo", "geirangerfjord", 2)),
        (AT_OSLO, travel("oslo", "kiruna", 4), "W21", travel("oslo", "kiruna", 3)),
        (AT_OSLO, travel("stockholm", "kiruna", 1), "W21", None),
        (AT_OSLO, travel("oslo", "kiruna", 0), "W21", travel("oslo", "kiruna", 1)),
        (AT_OSLO, travel("atlantis", "kiruna", 1), "W21", None),
        # W20: no passing, one main action.
        (AT_OSLO, END, "W20", None),
        (AFTER, travel("kiruna", "oslo", 1), "W20", END),
        (AFTER, collect("usa-post", 1), "W20", END),
        # W22: the answers, and nothing else, when asked; no answer when nobody asks.
        (ASKED, along(9), "W22", along(8)),
        (ASKED, along(0), "W22", along(1)),
        (ASKED, travel("knuffingen", "oslo", 1), "W22", STAY),
        (ASKED, collect("usa-post", 1), "W22", STAY),
        (ASKED, END, "W22", STAY),
        (AT_OSLO, STAY, "W22", None),
        (AT_OSLO, along(1), "W22", None),
        (AFTER, STAY, "W22", END),
        # W30: not a postcard place, nobody there, too many.
        (AT_OSLO, collect("oslo", 1), "W30", None),
        (AT_OSLO, collect("usa-post", 1), "W30", None),
        (position({"usa-post": 2}, {}), collect("usa-post", 3), "W30", collect("usa-post", 2)),
        (position({"usa-post": 2}, {}), collect("miami", 1), "W30", collect("usa-post", 1)),
        (
            position({"usa-post": 3}, {}, postcards={1: {"usa": 15}}),
            collect("usa-post", 2),
            "W30",
            collect("usa-post", 1),
        ),
        # W40: not held, not fulfilled, not on the own turn.
        (AT_OSLO, redeem("c47"), "W40", None),
        (AT_OSLO, redeem("c01"), "W40", None),
        (AFTER, redeem("c01"), "W40", END),
        (ASKED, redeem("c33"), "W40", STAY),
        (position({"oslo": 1, "hagenbeck": 1}, {}, hands={0: ["c08"]}), redeem("c01"), "W40", redeem("c08")),
        # W51: nobody travels in the final phase.
        (IN_FINAL, travel("area-51", "miami", 1), "W51", END),
        (IN_FINAL, along(1), "W51", END),
        (IN_FINAL, STAY, "W51", END),
        (IN_FINAL, collect("usa-post", 1), "W30", END),
        (IN_FINAL, redeem("c01"), "W40", END),
    ],
)
def test_a_refusal_names_the_rule(state: State, action: Action, rule: str, nearest: Action | None) -> None:
    refusal = refused(state, action)
    assert refusal.rule == rule
    if nearest is not None:
        assert refusal.suggestions[0] == nearest


def test_w51_nothing_can_be_done_when_the_game_is_over() -> None:
    over = play(IN_FINAL, END, END)
    with pytest.raises(IllegalAction) as caught:
        WUNDERLAND.apply(over, END)
    assert caught.value.rule == "W51"
    assert caught.value.suggestions == ()


def test_w32_collecting_after_the_journey_is_refused_only_by_own_turn() -> None:
    placed = {"usa-post": 1, "oslo": 7}
    own = play(position(placed, {"miami": 8}), travel("oslo", "kiruna", 1))
    assert refused(own, collect("usa-post", 1)).rule == "W20"
    free = play(position(placed, {"miami": 8}, rule="with_travel"), travel("oslo", "kiruna", 1))
    assert WUNDERLAND.phase(play(free, collect("usa-post", 1))) == "after"


def test_w40_the_sentence_names_the_places_without_a_traveller() -> None:
    state = position({"salzburg": 1}, {}, hands={0: ["c23"]})
    assert refused(state, redeem("c23")).detail == "None of your travellers stands at Gotthard and Mount Rushmore."


def test_w70_a_refusal_is_the_same_wherever_a_card_that_is_not_held_lies() -> None:
    """c47 in another hand, on top of the deck, at its bottom, or in no deal at all: not a byte differs."""
    answers = set()
    for hands, deck in [
        ({0: ["c01"], 1: ["c47"]}, ["c02", "c03"]),
        ({0: ["c01"], 1: ["c02"]}, ["c47", "c03"]),
        ({0: ["c01"], 1: ["c02"]}, ["c03", "c47"]),
        ({0: ["c01"], 1: ["c02"]}, ["c03", "c04"]),
    ]:
        refusal = refused(position({"oslo": 8}, {"miami": 8}, hands=hands, deck=deck), redeem("c47"))
        answers.add((refusal.rule, refusal.detail, refusal.suggestions))
    assert len(answers) == 1


def test_every_action_is_legal_or_refused_with_a_sound_suggestion() -> None:
    """Any action of the wire format, in positions of random games: listed or refused, never both or neither."""
    chance = random.Random(4)
    journeys = [action for blocks in JOURNEYS.values() for action in blocks[8]]
    others: list[Action] = [collect(place, n) for place in JOURNEYS for n in (1, 2, 8)]
    others += [redeem(card) for card in ("c01", "c08", "c17", "c33", "c40")]
    others += [STAY, END, *(along(n) for n in range(1, 9))]
    for players in (2, 3, 4):
        deal = WUNDERLAND.deal(WUNDERLAND.options_type(), players, bytes([players] * 32))
        state, _ = WUNDERLAND.start(WUNDERLAND.options_type(round_limit=12), deal, players)
        while legal := list(WUNDERLAND.legal(state)):
            for action in [*chance.sample(journeys, 8), *chance.sample(others, 12)]:
                if action in legal:
                    WUNDERLAND.apply(state, action)
                else:
                    refused(state, action)
            state, _ = WUNDERLAND.apply(state, chance.choice(legal))
