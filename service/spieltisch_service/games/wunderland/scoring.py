"""What the cards and postcards count (W60 to W62)."""

from __future__ import annotations

from collections.abc import Iterable

from spieltisch_service.games.contract import Outcome, ranks
from spieltisch_service.games.wunderland.model import State
from spieltisch_service.games.wunderland.tables import BOARD


def postcard_points(piles: Iterable[int]) -> int:
    """Points of one player's postcards, given how many they have of each section (W61)."""
    counted = sorted((min(pile, BOARD.scored_per_section) for pile in piles), reverse=True)
    return sum(factor * pile for factor, pile in enumerate(counted, start=1))


def outcome(state: State) -> Outcome:
    """Redeemed cards and postcards of every seat, as if the game ended now."""
    scores = tuple(
        points + postcard_points(own.values()) for points, own in zip(state.points, state.postcards, strict=True)
    )
    return Outcome(scores, ranks(scores), {})
