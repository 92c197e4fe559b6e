"""The catalogue of games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spieltisch._transport import segment
from spieltisch.models import Catalogue, Game
from spieltisch.resources.reading import read

if TYPE_CHECKING:
    from spieltisch.client import Client


class Games:
    """The games that a service knows."""

    def __init__(self, client: Client) -> None:
        self._transport = client.transport

    def list(self) -> tuple[Game, ...]:
        """All games."""
        return read(Catalogue, self._transport.get("/v1/games")).games

    def get(self, game: str) -> Game:
        """One game: players, options as JSON Schema, material, action schemas, phases."""
        return read(Game, self._transport.get(f"/v1/games/{segment(game)}"))

    def rules(self, game: str, *, lang: str | None = None) -> str:
        """The rules as Markdown; `lang` is `de` or `en`."""
        return self._transport.text(f"/v1/games/{segment(game)}/rules", {"lang": lang})
