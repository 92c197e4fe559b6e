"""Whole games played by a slow, independent reading of the rules, through both faces of the engine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spieltisch_service.games.wunderland.game import WUNDERLAND
from tests.games.wunderland.positions import action_of

VECTORS = sorted((Path(__file__).parents[2] / "vectors").glob("wunderland-*.json"))


def canonical(raw: Mapping[str, Any]) -> str:
    return json.dumps(raw, sort_keys=True, separators=(",", ":"))


def digest(actions: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(actions)).encode()).hexdigest()


def test_all_vectors_are_here() -> None:
    assert len(VECTORS) == 18


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vector(path: Path) -> None:
    vector = json.loads(path.read_text(encoding="utf-8"))
    players = vector["players"]
    options = WUNDERLAND.options_type(**vector["options"])
    deal = WUNDERLAND.parse_deal(vector["deal"], options, players)
    state, data = WUNDERLAND.start(options, deal, players)
    playout = WUNDERLAND.playout(state)
    assert data == {}
    for ply, expected in enumerate(vector["plies"]):
        where = f"{path.stem}, ply {ply}"
        legal = WUNDERLAND.legal(state)
        texts = [canonical(action.to_wire()) for action in legal]
        assert WUNDERLAND.to_act(state) == playout.to_act() == expected["seat"], where
        assert list(playout.legal()) == list(legal), where
        assert (len(texts), digest(texts)) == (expected["legal"]["count"], expected["legal"]["sha256"]), where
        if "legal_actions" in expected:
            assert sorted(texts) == sorted(map(canonical, expected["legal_actions"])), where
        action = action_of(expected["action"])
        before = WUNDERLAND.scores(state)
        state, data = WUNDERLAND.apply(state, action)
        playout.push(action)
        assert list(WUNDERLAND.scores(state)) == expected["scores"], where
        assert list(playout.scores()) == expected["scores"], where
        assert data["points"] == sum(expected["scores"]) - sum(before), where
        assert playout.snapshot() == state, where
    if vector["result"] is not None:
        assert WUNDERLAND.phase(state) == "over"
        assert WUNDERLAND.to_act(state) is playout.to_act() is None
        assert list(WUNDERLAND.legal(state)) == list(playout.legal()) == []
        outcome = WUNDERLAND.outcome(state)
        assert {"scores": list(outcome.scores), "ranks": list(outcome.ranks)} == vector["result"]
        assert outcome.data == {}
