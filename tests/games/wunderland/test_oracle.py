"""The engine against the oracle, action by action, over random games.

`SPIELTISCH_ORACLE_GAMES=100000 pytest tests/games/wunderland/test_oracle.py` plays more of the short ones.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from spieltisch_service.games.wunderland.game import WUNDERLAND, Wunderland
from spieltisch_service.games.wunderland.model import WunderlandOptions
from tests.games.wunderland.oracle import REACH, SIGHTS, Oracle
from tests.games.wunderland.positions import action_of

SHORT_GAMES = int(os.environ.get("SPIELTISCH_ORACLE_GAMES", "60"))
GAME: Wunderland = WUNDERLAND


def as_set(actions: list[dict[str, Any]]) -> set[frozenset[tuple[str, Any]]]:
    return {frozenset(action.items()) for action in actions}


def any_action(oracle: Oracle, legal: list[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    return chance.choice(legal)


def collector(oracle: Oracle, legal: list[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    """Takes every postcard and every card that it can: ends by the seventh section (W50)."""
    eager = [action for action in legal if action["type"] in ("collect", "redeem")]
    return chance.choice(eager or legal)


def pilgrim(oracle: Oracle, legal: list[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    """Goes where the cards in hand want it, and takes no postcards but at the end: ends by the fifth card (W50)."""
    seat = oracle.decider
    assert seat is not None
    wanted = {sight for card in oracle.hands[seat] for sight in SIGHTS[card]}
    open_sights = wanted - set(oracle.pawns[seat])
    redeem = [action for action in legal if action["type"] == "redeem"]
    if redeem:
        return chance.choice(redeem)
    single = [a for a in legal if a["type"] == "travel" and a["travellers"] == 1 and a["origin"] not in wanted]
    arriving = [a for a in single if a["destination"] in open_sights]
    nearing = [a for a in single if any(REACH[a["destination"], sight] for sight in open_sights)]
    rest = [a for a in legal if a["type"] != "collect" or oracle.stage == "final"]
    return chance.choice(arriving or nearing or single or rest)


def play_both(seed: int, policy: Any, round_limit: int | None, postcards: str) -> Oracle:
    """One game on both sides; every ply compares who acts, the legal actions, the event, scores and all views."""
    chance = random.Random(seed)
    players = chance.choice((2, 3, 4))
    options = WunderlandOptions(postcards=postcards, round_limit=round_limit)  # type: ignore[arg-type]
    deck = chance.sample(sorted(SIGHTS), chance.choice((2 * players, 2 * players + 3, 48)))
    state, _ = GAME.start(options, GAME.parse_deal({"deck": deck}, options, players), players)
    oracle = Oracle(list(deck), players, postcards, round_limit)
    playout = GAME.playout(state)
    plies = 0
    while True:
        where = f"seed {seed}, ply {plies}"
        assert GAME.to_act(state) == oracle.decider, where
        assert (GAME.phase(state), GAME.turn(state)) == (oracle.stage, oracle.turns_over), where
        listed = GAME.legal(state)
        expected = oracle.legal()
        assert len(listed) == len(expected), where
        assert as_set([action.to_wire() for action in listed]) == as_set(expected), where
        assert list(playout.legal()) == list(listed), where
        for seat in (None, *range(players)):
            assert GAME.view(state, seat) == oracle.view(seat), where
        assert list(GAME.scores(state)) == list(playout.scores()) == oracle.scores(), where
        outcome = GAME.outcome(state)
        assert [list(outcome.scores), list(outcome.ranks)] == [oracle.final_scores(), oracle.final_ranks()], where
        if not expected:
            return oracle
        chosen = policy(oracle, expected, chance)
        state, event = GAME.apply(state, action_of(chosen))
        playout.push(action_of(chosen))
        assert event == oracle.do(chosen), where
        plies += 1


@pytest.mark.parametrize("part", range(6))
def test_short_games(part: int) -> None:
    policy = (any_action, collector, pilgrim)[part % 3]
    for game in range(part, SHORT_GAMES, 6):
        limit = 1 + game % 14
        postcards = ("own_turn", "with_travel")[game // 6 % 2]
        oracle = play_both(game, policy, limit, postcards)
        assert oracle.stage == "over"


@pytest.mark.parametrize("postcards", ["own_turn", "with_travel"])
def test_games_to_the_seventh_section(postcards: str) -> None:
    oracle = play_both(7, collector, None, postcards)
    assert any(len(set(taken)) == 7 for taken in oracle.taken) or any(len(shown) == 5 for shown in oracle.shown)


@pytest.mark.parametrize("seed", [1, 3])
def test_games_to_the_fifth_card(seed: int) -> None:
    oracle = play_both(seed, pilgrim, 100, "own_turn")
    assert max(len(shown) for shown in oracle.shown) == 5
    assert oracle.rounds_over < 100
