"""What is asked for in bulk."""

from __future__ import annotations

from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.schemas.fields import OneOf, QueryWhole, Range, RequestShape, Text
from spieltisch_service.web.schemas.requests import paging_cursor


class MatchExportQuery(RequestShape):
    """`GET /v1/exports/matches`."""

    game = Text(validate=OneOf(tuple(GAMES)), metadata={"description": "Matches of this game only."})
    cursor = paging_cursor()
    limit = QueryWhole(
        validate=Range(1, 200), load_default=100, metadata={"description": "Records a page, at most.", "default": 100}
    )
