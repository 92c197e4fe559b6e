"""One line of the log a request, for an operator who wants it (`SPIELTISCH_LOG=info`).

A line says what was asked for and what came of it, never with what: no query, no header, no body. A stream has its line
when it begins.
"""

from __future__ import annotations

import logging
from typing import Any

import structlog

_NAME = "spieltisch_service.requests"
_LOG = structlog.get_logger(_NAME)
_LEVEL_OF = logging.getLogger(_NAME)
_LONGEST_PATH = 200


def wanted() -> bool:
    """Whether anybody reads the lines."""
    return _LEVEL_OF.isEnabledFor(logging.INFO)


def write(request: Any, operation: str, status: int, seconds: float) -> None:
    """Write the line of an answered `operation.Request`."""
    caller = request.caller
    who: dict[str, Any] = {}
    if caller.account is not None:
        who["account"] = caller.account.id
    elif caller.seat is not None:
        who["seat"] = f"{caller.seat.match}/{caller.seat.seat}"
    _LOG.info(
        "request",
        request_id=request.request_id,
        method=request.method[:16],
        path=request.path[:_LONGEST_PATH],
        operation=operation,
        status=status,
        duration_ms=round(seconds * 1000, 3),
        **who,
    )
