"""States go into the store and come back: the same state, which plays on in the same way."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest

from spieltisch_service.games.errors import UnknownFormat
from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import NeuesLandOptions
from tests.games.neues_land.positions import play


def stored(state: Any) -> bytes:
    return orjson.dumps(NEUES_LAND.encode(state))


@pytest.mark.parametrize("number", range(4))
def test_a_stored_game_plays_on_as_the_live_one(number: int) -> None:
    chance = random.Random(number)
    players = 2 + number
    options = NeuesLandOptions(expert=number % 2 == 1, equal_turns=number > 1)
    state, _ = NEUES_LAND.start(options, NEUES_LAND.deal(options, players, bytes([number] * 32)), players)
    playout = NEUES_LAND.playout(state)
    while NEUES_LAND.to_act(state) is not None:
        text = stored(state)
        back = NEUES_LAND.decode(orjson.loads(text))
        assert stored(back) == text == stored(playout.snapshot())
        assert NEUES_LAND.view(back, None) == NEUES_LAND.view(state, None)
        assert NEUES_LAND.outcome(back) == NEUES_LAND.outcome(state)
        legal = NEUES_LAND.legal(state)
        assert list(NEUES_LAND.legal(back)) == list(legal) == list(playout.legal())
        action = chance.choice(legal)
        playout.push(action)
        after, data = NEUES_LAND.apply(state, action)
        assert stored(state) == text
        state, again = NEUES_LAND.apply(back, action)
        assert again == data
        assert stored(state) == stored(after)
    assert len(stored(state)) < 8192


def test_integers_fit_into_64_bits() -> None:
    state, _ = NEUES_LAND.start(NeuesLandOptions(), NEUES_LAND.deal(NeuesLandOptions(), 2, bytes(32)), 2)
    largest = 0

    def measure(value: Any) -> None:
        nonlocal largest
        if isinstance(value, int):
            largest = max(largest, abs(value))
        elif isinstance(value, list):
            for each in value:
                measure(each)

    while NEUES_LAND.to_act(state) is not None:
        for value in NEUES_LAND.encode(state).values():
            measure(value)
        state, _ = NEUES_LAND.apply(state, NEUES_LAND.default_action(state))
    assert largest < 2**63


@pytest.mark.parametrize("data", [{}, {"format": 0}, {"format": 2}, {"format": "1"}])
def test_another_format_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(UnknownFormat):
        NEUES_LAND.decode({**NEUES_LAND.encode(play("8m (1,0) 0").state), "format": None, **data})
