"""Positions for tests: played from a list of lines, so that each reads like a game's protocol.

A line is an action as on paper: `44mg (0,1) 90`, `follower 1`, `recall (0,1)`, `pass`. The deck is what the lines lay,
in their order, and then `rest`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from spieltisch_service.games.contract import Action
from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.neues_land.model import (
    NeuesLandOptions,
    Pass,
    PlaceFollower,
    PlaceTile,
    RecallFollower,
    State,
)

TILE = re.compile(r"(\S+) \((-?\d+),(-?\d+)\) (\d+)")
RECALL = re.compile(r"recall \((-?\d+),(-?\d+)\)")


def action(line: str) -> Action:
    if line == "pass":
        return Pass()
    if line.startswith("follower "):
        return PlaceFollower(region=int(line.removeprefix("follower ")))
    if found := RECALL.fullmatch(line):
        return RecallFollower(x=int(found[1]), y=int(found[2]))
    found = TILE.fullmatch(line)
    assert found is not None, line
    return PlaceTile(tile=found[1], x=int(found[2]), y=int(found[3]), rotation=int(found[4]))


@dataclass
class Match:
    """A match and the event data of its start and of each action."""

    state: State
    events: list[dict[str, Any]]

    def do(self, *lines: str) -> Match:
        for line in lines:
            self.state, data = NEUES_LAND.apply(self.state, action(line))
            self.events.append(data)
        return self

    @property
    def last(self) -> dict[str, Any]:
        return self.events[-1]

    @property
    def legal(self) -> list[str]:
        return [NEUES_LAND.notation(each) for each in NEUES_LAND.legal(self.state)]

    @property
    def scores(self) -> tuple[int, ...]:
        return NEUES_LAND.scores(self.state)

    @property
    def view(self) -> dict[str, Any]:
        return NEUES_LAND.view(self.state, None)

    @property
    def seat(self) -> int | None:
        return NEUES_LAND.to_act(self.state)

    def refusal(self, line: str) -> IllegalAction:
        """Why the action is refused; nothing changes, and what is suggested is legal."""
        before = NEUES_LAND.encode(self.state.copy())
        with pytest.raises(IllegalAction) as caught:
            NEUES_LAND.apply(self.state, action(line))
        assert NEUES_LAND.encode(self.state) == before
        legal = NEUES_LAND.legal(self.state)
        assert len(caught.value.suggestions) == min(3, len(legal))
        assert all(suggestion in list(legal) for suggestion in caught.value.suggestions)
        return caught.value


def deal(deck: Sequence[str], *, players: int = 2, expert: bool = False) -> Match:
    """A match that begins with this deck."""
    options = NeuesLandOptions(expert=expert)
    state, data = NEUES_LAND.start(options, NEUES_LAND.parse_deal({"deck": list(deck)}, options, players), players)
    return Match(state, [data])


def play(*lines: str, rest: Sequence[str] = ("8s",), players: int = 2) -> Match:
    """A match of the normal game after these lines, with `rest` in the deck."""
    laid = [found[1] for line in lines if (found := TILE.fullmatch(line))]
    return deal([*laid, *rest], players=players).do(*lines)
