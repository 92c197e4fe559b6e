"""What if: worlds that a view could be of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spieltisch.models import Imagined, View, Worlds
from spieltisch.resources.reading import read

if TYPE_CHECKING:
    from spieltisch._transport import Transport

#: What the service reads of a view.
_READ = ("game", "seat", "to_act", "phase", "scores", "state")


def imagine(
    transport: Transport,
    view: View | Imagined | Mapping[str, Any],
    options: Mapping[str, Any] | None,
    worlds: int | None,
    seed: str | None,
    branches: Sequence[Sequence[Mapping[str, Any]]] | None,
) -> Worlds:
    """Ask `POST /v1/sandbox`; None stands for the default."""
    seen = view if isinstance(view, Mapping) else {name: getattr(view, name) for name in _READ}
    body = {
        "game": seen["game"],
        "options": options,
        "view": seen,
        "worlds": worlds,
        "seed": seed,
        "branches": None if branches is None else [list(map(dict, branch)) for branch in branches],
    }
    return read(Worlds, transport.post("/v1/sandbox", body))
