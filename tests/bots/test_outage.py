"""A store that is away is told to the log once, and so is its return."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.bots.house import HouseBots, Sweeper


class Impatient(threading.Event):
    """An event for which nobody waits long."""

    def wait(self, timeout: float | None = None) -> bool:
        return self.is_set()


class Script:
    """A service whose store answers (True) or is away (False), in that order; then it is time to stop."""

    def __init__(self, *answers: bool) -> None:
        self.stop = Impatient()
        self._answers = list(answers)
        self.store = self.bell = self

    def _asked(self, _limit: int) -> list[str]:
        answer = self._answers.pop(0)
        if not self._answers:
            self.stop.set()
        if answer:
            return []
        raise StoreUnavailable("nobody there")

    waiting_for_bots = due = _asked

    @contextmanager
    def listen(self, _topic: str) -> Iterator[Any]:
        yield SimpleNamespace(closing=False, wait=lambda _: False)


@pytest.mark.parametrize(("kind", "who"), [(HouseBots, "house bots"), (Sweeper, "sweeper")])
def test_each_outage_is_told_twice(kind: type[HouseBots] | type[Sweeper], who: str) -> None:
    service = Script(True, False, False, False, True, True, False, False, True)
    with capture_logs() as lines:
        kind(cast(Any, service)).run_until(service.stop)
    assert [line["event"] for line in lines] == ["store_lost", "store_back"] * 2
    assert {line["who"] for line in lines} == {who}
    assert {line["log_level"] for line in lines} == {"warning"}
    assert lines[0]["detail"] == "nobody there"
