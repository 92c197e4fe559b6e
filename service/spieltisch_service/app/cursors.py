"""Cursors of lists: a page ends at a time and an id, and the next one goes on behind them."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

import orjson

from spieltisch_service.app.errors import FieldError, InvalidParameter


def cursor_of(position: tuple[int, str]) -> str:
    """The cursor for what follows (time in ms, id)."""
    return urlsafe_b64encode(orjson.dumps(position)).decode().rstrip("=")


def position_of(cursor: str) -> tuple[int, str]:
    """The (time in ms, id) behind which a page begins. Raises InvalidParameter."""
    try:
        at_ms, id_ = orjson.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError):
        at_ms = id_ = None
    if isinstance(at_ms, int) and 0 <= at_ms < 1 << 53 and isinstance(id_, str) and len(id_) < 100:
        return at_ms, id_
    detail = "a cursor is the next_cursor of the page before"
    raise InvalidParameter(detail, errors=[FieldError("bad_format", detail, parameter="cursor")])
