"""Attempts: what is told of each one, and how long to wait between them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TypeAlias

_FIRST_DELAY_S = 0.1
_LONGEST_DELAY_S = 5.0


@dataclass(frozen=True)
class Attempt:
    """One request as it was sent once. It holds no key, no body and no query.

    status: of the answer, None where none came. error: the `code` of a refusal, or why no answer came; None where all
    went well. duration_ms: until the answer was there, of a stream until it began. request_id: the service's name for
    it. attempt: 1, or how often the same request has been sent by now. date: the service's clock, as its answer says.
    """

    method: str
    path: str
    status: int | None
    error: str | None
    duration_ms: float
    request_id: str | None
    attempt: int
    date: str | None = None

    @property
    def answered_at(self) -> datetime | None:
        """What the service's clock said, to the second; None where no answer says it."""
        return http_date(self.date)


#: Told of every attempt, on the thread that made it. What it raises is logged and goes no further.
OnRequest: TypeAlias = Callable[[Attempt], None]


class Backoff:
    """How long to wait before something is tried again, and when to give up, counted from the first failure.

    Each delay is twice as long as the one before at most, with jitter, so that many clients do not come back at once.
    """

    def __init__(self, give_up_after_s: float) -> None:
        self.give_up_after_s = give_up_after_s
        self.attempts = 0
        self._failed_s: float | None = None

    def delay_s(self, at_least_s: float | None = None) -> float | None:
        """The wait before the next attempt, as long as the service asked for or longer; None to give up."""
        self.attempts += 1
        longest_s = min(_LONGEST_DELAY_S, _FIRST_DELAY_S * 2 ** min(self.attempts, 10))
        delay_s = (at_least_s or 0.0) + longest_s * random.uniform(0.5, 1.0)  # noqa: S311  no secret
        now_s = time.monotonic()
        if self._failed_s is None:
            self._failed_s = now_s
        return None if now_s + delay_s > self._failed_s + self.give_up_after_s else delay_s


def retry_after_s(said: str | None) -> float | None:
    """The seconds of a `Retry-After`, which is a number or a date."""
    if said is None:
        return None
    if said.strip().isdigit():
        return float(said)
    at = http_date(said)
    return None if at is None else max(0.0, at.timestamp() - time.time())


def http_date(said: str | None) -> datetime | None:
    """The instant of an HTTP header; None where it says none."""
    if said is None:
        return None
    try:
        at = parsedate_to_datetime(said)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=timezone.utc)
