"""Actions on one short line: `422mgs-02 (1,0) 90`, `follower 0`, `recall (1,0)`, `pass`."""

from __future__ import annotations

from spieltisch_service.games.contract import Action
from spieltisch_service.games.neues_land.model import PlaceFollower, PlaceTile, RecallFollower


def notation(action: Action) -> str:
    """The action on one short line, the same for the same action."""
    if isinstance(action, PlaceTile):
        return f"{action.tile} ({action.x},{action.y}) {action.rotation}"
    if isinstance(action, PlaceFollower):
        return f"follower {action.region}"
    if isinstance(action, RecallFollower):
        return f"recall ({action.x},{action.y})"
    return action.type
