"""Where the service's processes write what an operator should know: one line each to stderr, never to stdout."""

from __future__ import annotations

import logging
import re
import sys
from typing import Literal

import structlog

#: `warning`: what went wrong; `info`: every request besides.
Level = Literal["warning", "info"]

#: Tokens get into a log by mistakes of a client: one in a path, or a line without a colon among the headers.
_TOKEN = re.compile(r"\bspt_(key|seat|invite)_[A-Za-z0-9._~+/=-]+")


def log_to_stderr(level: Level = "warning") -> None:
    """Write the log of this process, structlog's and the standard library's: JSON, or plain text on a terminal."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    # Tracebacks as plain text: renderers like to show local variables, and those can hold secrets of a match.
    renderer: structlog.types.Processor = (
        structlog.dev.ConsoleRenderer(timestamp_key="time", exception_formatter=structlog.dev.plain_traceback)
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                without_tokens,
                renderer,
            ],
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("spieltisch_service").setLevel(level.upper())
    # The server has a format of its own, and quotes requests that it cannot read.
    served = logging.getLogger("gunicorn.error")
    served.handlers.clear()
    served.propagate = True


def without_tokens(_logger: object, _method: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    """A structlog processor: tokens lose all but their kind."""
    for key, value in line.items():
        if isinstance(value, str) and "spt_" in value:
            line[key] = _TOKEN.sub(r"spt_\1_…", value)
    return line
