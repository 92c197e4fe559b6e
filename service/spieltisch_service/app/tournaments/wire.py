"""Tournaments as API clients see them; the same for every reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spieltisch_service.app.tournaments.held import Held, Sheet
from spieltisch_service.domain.events import instant
from spieltisch_service.domain.tournament import lots
from spieltisch_service.domain.tournament.state import Round, Table

#: What a house bot's id as an entrant begins with.
HOUSE = "bot:"


def to_wire(held: Held) -> dict[str, Any]:
    """The tournament: how it is set up and how it stands, with everybody who entered."""
    state = held.folded
    setup = state.setup.to_wire()
    seed = setup.pop("seed")
    return {
        "id": held.id,
        "status": state.status,
        "version": held.version,
        "organizer": held.sheet.organizer,
        **setup,
        "commitment": lots.commitment(seed, held.id),
        "seed": seed if state.ended else None,
        "round": len(state.rounds),
        "entrants": [
            {
                "entrant": entrant.id,
                "name": name_of(held.sheet, entrant.id),
                "kind": entrant.kind,
                "status": entrant.status,
            }
            for entrant in state.entrants.values()
        ],
        "reason": state.reason,
        "created_at": None if not held.created_at_ms else instant(held.created_at_ms),
        "ended_at": None if held.ended_at_ms is None else instant(held.ended_at_ms),
    }


def name_of(sheet: Sheet, entrant: str) -> str | None:
    """How an entrant is called: a house bot by its name; null for an account whose name was erased."""
    return entrant.removeprefix(HOUSE) if entrant.startswith(HOUSE) else sheet.names.get(entrant)


def round_to_wire(paired: Round) -> dict[str, Any]:
    """One round as it was paired, with what its tables came to so far."""
    return {
        "round": paired.number,
        "by": paired.by,
        "complete": paired.complete,
        "tables": [_table_to_wire(table) for table in paired.tables],
        "sitting_out": list(paired.sitting_out),
        "unopposed": list(paired.unopposed),
    }


def _table_to_wire(table: Table) -> dict[str, Any]:
    return {
        "table": table.id,
        "board": table.board,
        "entrants": list(table.entrants),
        "deals": table.deals,
        "matches": table.matches,
        "scores": {entrant: shown(score) for entrant, score in table.scores.items()},
        "results": [{"number": number, **_plain(result.to_wire())} for number, result in sorted(table.results.items())],
    }


def _plain(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in ("table", "number")}


def shown(score: Any) -> float:
    """An exact score as a decimal, to six digits."""
    return round(float(score), 6)
