"""A list of actions is judged by what the seat knew when it sent it: refused, it tells nothing that was hidden."""

from dataclasses import replace
from typing import Any

import pytest

from spieltisch_service.domain import play
from spieltisch_service.domain.errors import ActionIllegal, OutOfTurn
from spieltisch_service.domain.match import Match
from spieltisch_service.games.contract import Game
from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.wunderland.game import WUNDERLAND
from spieltisch_service.games.wunderland.model import State
from tests.games.played import new_match
from tests.games.wunderland.positions import DECK, position, redeem, travel

MATERIAL = WUNDERLAND.material()
PLACES: dict[str, list[str]] = {card["id"]: card["places"] for card in MATERIAL["cards"]}  # type: ignore[index,union-attr,call-overload]
CARDS = sorted(PLACES)
#: Two cards without a place in common that eight travellers can fulfil together.
HELD, OTHER = next(
    (a, b) for a in CARDS for b in CARDS if a < b and not set(PLACES[a]) & set(PLACES[b]) and {a, b}.isdisjoint(DECK)
)


def running(game: Game[Any]) -> Match:
    match = new_match(game, 2, {}, bytes(32), "mt_" + "0" * 32)
    return replace(match, status="running", seats=match.first_seats)


MATCH = running(WUNDERLAND)


def with_next_card(card: str) -> State:
    """Seat 0 has travellers for both cards and holds one of them; `card` lies on top of the deck."""
    travellers = dict.fromkeys([*PLACES[HELD], *PLACES[OTHER]], 1)
    return position(travellers, {}, hands={0: [HELD, DECK[1]]}, deck=[card, *DECK[2:]])


def refused(state: State, *actions: object) -> tuple[object, ...]:
    with pytest.raises(ActionIllegal) as caught:
        play.acted(WUNDERLAND, MATCH, state, 0, actions)  # type: ignore[arg-type]
    return caught.value.index, caught.value.refusal.rule, str(caught.value), caught.value.refusal.suggestions


@pytest.mark.parametrize("guess", [OTHER, DECK[0], "c48"])
def test_w70_a_refused_list_does_not_tell_the_card_that_it_would_have_drawn(guess: str) -> None:
    told = {refused(with_next_card(card), redeem(HELD), redeem(guess)) for card in (OTHER, DECK[0], DECK[9])}
    assert len(told) == 1
    ((index, rule, _, _),) = told
    assert (index, rule) == (1, "W40")


def test_w70_what_could_be_redeemed_now_is_not_suggested_either() -> None:
    """A journey after the main action is refused whatever was drawn, and so are the suggestions the same."""
    end = [redeem(HELD), travel("knuffingen", "knuffingen", 1)]
    assert refused(with_next_card(OTHER), *end) == refused(with_next_card(DECK[0]), *end)


def test_w41_a_card_that_was_drawn_can_be_redeemed_by_the_next_request() -> None:
    _, state = play.acted(WUNDERLAND, MATCH, with_next_card(OTHER), 0, [redeem(HELD)])
    drafts, state = play.acted(WUNDERLAND, MATCH, state, 0, [redeem(OTHER)])
    assert [draft[2]["action"]["card"] for draft in drafts] == [OTHER]


def test_w41_what_was_held_before_can_be_redeemed_and_played_on_in_one_list() -> None:
    state = with_next_card(DECK[0])
    state.hands[0] = [HELD, OTHER]
    actions = [redeem(HELD), redeem(OTHER), travel("knuffingen", "oslo", 1)]
    drafts, _ = play.acted(WUNDERLAND, MATCH, state, 0, actions)
    assert [draft[2]["cards_drawn"] for draft in drafts] == [1, 1, 0]


def test_n20_who_must_act_beyond_the_end_of_a_turn_is_not_told() -> None:
    """Whether anybody must can hang on whether a tile fits that nobody has seen (N21, N40)."""
    told = set()
    for deck in (["8m"], ["8m", "8s"]):
        deal = NEUES_LAND.parse_deal({"deck": deck}, NEUES_LAND.options_type(), 2)
        state, _ = NEUES_LAND.start(NEUES_LAND.options_type(), deal, 2)
        place = NEUES_LAND.legal(state)[0]
        state, _ = NEUES_LAND.apply(state, place)
        skip = NEUES_LAND.action_from_wire({"type": "pass"})
        with pytest.raises(OutOfTurn) as caught:
            play.acted(NEUES_LAND, running(NEUES_LAND), state, 0, [skip, skip])
        told.add(str(caught.value))
    assert told == {"action 1 lies beyond the end of the turn of seat 0"}
