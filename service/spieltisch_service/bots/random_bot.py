"""`bot:random`: any legal action, each as likely as the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spieltisch_service.bots.position import Position


def decide(position: Position) -> Mapping[str, Any]:
    """One of the view's legal actions."""
    legal = position.view["legal_actions"]
    return legal[position.rng.randrange(len(legal))]  # type: ignore[no-any-return]
