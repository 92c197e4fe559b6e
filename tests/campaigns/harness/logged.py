"""The service's log within this process: every line as it would be written, kept or thrown away."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from spieltisch_service.logs import without_tokens


class _Lines:
    """Takes a rendered line, as a structlog logger."""

    def __init__(self, take: Callable[[str], None]) -> None:
        self._take = take

    def msg(self, line: str) -> None:
        """One line."""
        self._take(line)

    debug = info = warning = error = critical = exception = log = msg


def _nothing(_: str) -> None:
    return


@contextmanager
def quiet_log(take: Callable[[str], None] = _nothing, level: int = logging.WARNING) -> Iterator[None]:
    """Give each line of the log to `take` instead of a terminal, made by the processors that the service has."""
    before = structlog.get_config()
    structlog.configure(
        processors=[
            structlog.stdlib.add_log_level,
            structlog.processors.format_exc_info,
            without_tokens,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: _Lines(take),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.configure(**before)
