"""A state that was stored and read plays on as if nothing had happened."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from spieltisch_service.games.errors import UnknownFormat
from spieltisch_service.games.wunderland.game import WUNDERLAND
from tests.games.wunderland.positions import new_match


def integers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from integers(item)
    elif isinstance(value, int):
        yield value


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("postcards", ["own_turn", "with_travel"])
def test_a_decoded_state_plays_on_identically(players: int, postcards: str) -> None:
    """Two games side by side, of which one is stored and read again before every ply."""
    chance = random.Random(players)
    options = WUNDERLAND.options_type(postcards=postcards, round_limit=30)  # type: ignore[arg-type]
    deal = WUNDERLAND.deal(options, players, bytes([players]) * 32)
    kept, _ = WUNDERLAND.start(options, deal, players)
    stored, _ = WUNDERLAND.start(options, deal, players)
    while True:
        text = json.dumps(WUNDERLAND.encode(stored))
        stored = WUNDERLAND.decode(json.loads(text))
        assert stored == kept
        assert json.dumps(WUNDERLAND.encode(stored)) == text
        legal = list(WUNDERLAND.legal(kept))
        assert list(WUNDERLAND.legal(stored)) == legal
        for seat in (None, *range(players)):
            assert json.dumps(WUNDERLAND.view(stored, seat)) == json.dumps(WUNDERLAND.view(kept, seat))
        assert WUNDERLAND.outcome(stored) == WUNDERLAND.outcome(kept)
        assert all(abs(number) < 2**63 for number in integers(json.loads(text)))
        if not legal:
            break
        eager = [action for action in legal if action.type in ("redeem", "collect")]
        action = chance.choice(eager or legal)
        kept, event = WUNDERLAND.apply(kept, action)
        stored, event_too = WUNDERLAND.apply(stored, action)
        assert event == event_too


def test_what_was_encoded_shares_nothing_with_the_state() -> None:
    state = new_match(players=3)
    before = json.dumps(WUNDERLAND.encode(state))
    playout = WUNDERLAND.playout(WUNDERLAND.decode(WUNDERLAND.encode(state)))
    while legal := playout.legal():
        playout.push(legal[0])
        if WUNDERLAND.turn(playout.snapshot()) > 20:
            break
    assert json.dumps(WUNDERLAND.encode(state)) == before


@pytest.mark.parametrize("number", [0, 2, "1", None])
def test_an_unknown_format_is_refused(number: Any) -> None:
    encoded = WUNDERLAND.encode(new_match())
    with pytest.raises(UnknownFormat):
        WUNDERLAND.decode({**encoded, "format": number})
    del encoded["format"]
    with pytest.raises(UnknownFormat):
        WUNDERLAND.decode(encoded)


def test_apply_changes_nothing_and_a_snapshot_stays() -> None:
    state = new_match(players=2)
    frozen = json.dumps(WUNDERLAND.encode(state))
    playout = WUNDERLAND.playout(state)
    chance = random.Random(8)
    for _ in range(200):
        shot = playout.snapshot()
        text = json.dumps(WUNDERLAND.encode(shot))
        action = chance.choice(playout.legal())
        after, _ = WUNDERLAND.apply(shot, action)
        playout.push(action)
        assert json.dumps(WUNDERLAND.encode(shot)) == text
        assert playout.snapshot() == after != shot
    assert json.dumps(WUNDERLAND.encode(state)) == frozen
