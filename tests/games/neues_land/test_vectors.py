"""Whole games of `tests/vectors`, played through both faces of the engine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from spieltisch_service.games.contract import Action
from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import NeuesLandOptions

VECTORS = sorted((Path(__file__).parents[2] / "vectors").glob("neues-land-*.json"))


def digest(legal: Sequence[Action]) -> dict[str, Any]:
    texts = sorted(json.dumps(action.to_wire(), sort_keys=True, separators=(",", ":")) for action in legal)
    return {"count": len(texts), "sha256": hashlib.sha256("\n".join(texts).encode()).hexdigest()}


def load(path: Path) -> dict[str, Any]:
    vector: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return vector


def tiles(raw: object) -> list[object]:
    assert isinstance(raw, list)
    return list(raw)


def test_all_vectors_are_here() -> None:
    assert len(VECTORS) == 26


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_apply_plays_the_vector(path: Path) -> None:
    vector = load(path)
    options = NeuesLandOptions(**vector["options"])
    deal = NEUES_LAND.parse_deal(vector["deal"], options, vector["players"])
    state, data = NEUES_LAND.start(options, deal, vector["players"])
    discarded = tiles(data["discarded"])
    before = (0,) * vector["players"]
    for ply in vector["plies"]:
        assert NEUES_LAND.to_act(state) == ply["seat"]
        legal = NEUES_LAND.legal(state)
        assert digest(legal) == ply["legal"]
        if "legal_actions" in ply:
            assert [action.to_wire() for action in legal] == ply["legal_actions"]
        state, data = NEUES_LAND.apply(state, NEUES_LAND.action_from_wire(ply["action"]))
        assert NEUES_LAND.scores(state) == tuple(ply["scores"])
        discarded += tiles(data["discarded"])
        if NEUES_LAND.to_act(state) is not None:
            gained = [now - then for now, then in zip(ply["scores"], before, strict=True)]
            assert data["points"] == gained[ply["seat"]] == sum(gained)
        before = tuple(ply["scores"])
    assert discarded == vector["discarded"] == NEUES_LAND.view(state, None)["discarded"]
    if vector["result"] is None:
        assert NEUES_LAND.to_act(state) is not None
    else:
        assert NEUES_LAND.to_act(state) is None
        assert NEUES_LAND.phase(state) == "over"
        assert NEUES_LAND.legal(state) == ()
        outcome = NEUES_LAND.outcome(state)
        assert {"scores": list(outcome.scores), "ranks": list(outcome.ranks)} == vector["result"]


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_playout_plays_the_vector(path: Path) -> None:
    vector = load(path)
    options = NeuesLandOptions(**vector["options"])
    deal = NEUES_LAND.parse_deal(vector["deal"], options, vector["players"])
    playout = NEUES_LAND.playout(NEUES_LAND.start(options, deal, vector["players"])[0])
    for ply in vector["plies"]:
        assert playout.to_act() == ply["seat"]
        assert digest(playout.legal()) == ply["legal"]
        playout.push(NEUES_LAND.action_from_wire(ply["action"]))
        assert list(playout.scores()) == ply["scores"]
    assert (playout.to_act() is None) == (vector["result"] is not None)
    assert NEUES_LAND.view(playout.snapshot(), None)["discarded"] == vector["discarded"]
