"""Actions on one short line, as for a list of moves."""

from __future__ import annotations

from spieltisch_service.games.contract import Action
from spieltisch_service.games.wunderland.model import Collect, Redeem, Stay, Travel, TravelAlong


def notation(action: Action) -> str:
    """`knuffingen>oslo 3`, `+2`, `stay`, `hamburg-post 2`, `c17`, `end`."""
    match action:
        case Travel():
            return f"{action.origin}>{action.destination} {action.travellers}"
        case TravelAlong():
            return f"+{action.travellers}"
        case Stay():
            return "stay"
        case Collect():
            return f"{action.place} {action.postcards}"
        case Redeem():
            return action.card
        case _:
            return "end"
