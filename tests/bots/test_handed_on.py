"""What concerns a tournament is handed on: at once where it was done before, ever more seldom where nobody does it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.app.service import Service
from spieltisch_service.bots import house
from spieltisch_service.bots.house import Sweeper

CUP = "tn_" + "1" * 32


class Time:
    """A clock that is set by hand, and a store in which `due` has to be looked after."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        self.due = [CUP]
        monkeypatch.setattr(house, "time", SimpleNamespace(monotonic=lambda: self.now_s))

    def service(self, **more: Any) -> Service:
        """All of a service that a sweeper needs for tournaments."""
        return cast(Service, SimpleNamespace(store=SimpleNamespace(due=lambda _: list(self.due)), **more))

    def asked_in(self, sweeper: Sweeper, span_s: float, asked: list[str]) -> list[float]:
        """When within the next `span_s` seconds it is handed on (`asked` is the list), sweeping twice a second."""
        times, began_s = [], self.now_s
        while self.now_s < began_s + span_s:
            before = len(asked)
            sweeper.sweep()
            times += [self.now_s - began_s] * (len(asked) - before)
            self.now_s += 0.5
        return times


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def test_a_queue_that_is_slow_does_not_fill_up_with_the_same_job(clock: Time) -> None:
    asked: list[str] = []
    # After 2 s, then after 4, 8, 16, 32, and then once a minute.
    assert clock.asked_in(Sweeper(clock.service(), asked.append), 190, asked) == [0, 2, 6, 14, 30, 62, 122, 182]


def test_what_was_done_is_handed_on_again_at_once(clock: Time) -> None:
    asked: list[str] = []
    sweeper = Sweeper(clock.service(), asked.append)
    assert clock.asked_in(sweeper, 1, asked) == [0]
    sweeper.ended(CUP)
    assert clock.asked_in(sweeper, 2, asked) == [0]


def test_what_was_not_due_meanwhile_is_handed_on_at_once(clock: Time) -> None:
    asked: list[str] = []
    sweeper = Sweeper(clock.service(), asked.append)
    clock.asked_in(sweeper, 10, asked)
    clock.due = []
    clock.asked_in(sweeper, 1, asked)
    clock.due = [CUP]
    assert clock.asked_in(sweeper, 3, asked) == [0, 2]


def test_what_could_not_be_handed_on_is_tried_with_the_next_look(clock: Time) -> None:
    def lost(_: str) -> None:
        raise StoreUnavailable("away")

    sweeper = Sweeper(clock.service(), lost)
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            sweeper.sweep()


def test_by_itself_a_sweeper_looks_after_what_is_due_with_each_look(clock: Time) -> None:
    asked: list[str] = []
    sweeper = Sweeper(clock.service(director=SimpleNamespace(look_after=asked.append)))
    assert clock.asked_in(sweeper, 2, asked) == [0, 0.5, 1, 1.5]
