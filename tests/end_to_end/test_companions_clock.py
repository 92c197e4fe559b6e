"""Wunderland by clocks: the clock of the seat that must decide runs, and that is also a companion's."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pytest
from flask.testing import FlaskClient

from spieltisch_service.app.service import Service
from spieltisch_service.domain.events import instant_ms
from spieltisch_service.store import redis_store

from .contract import WONDER, Asker

PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def _up(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow this machine is, the service was there all the time."""
    monkeypatch.setattr(redis_store, "_OUTAGE_MS", 1_000_000_000)
    service.clocks.listen()


class Table:
    """Three accounts at one match, each in a seat."""

    def __init__(self, client: FlaskClient, clock: Mapping[str, Any]) -> None:
        self.seats = [Asker.named(client, name) for name in ("Ada", "Bob", "Cleo")]
        self.path = self.seats[0].creates(WONDER, ["me", "open", "open"], clock=clock)
        for other in self.seats[1:]:
            assert other.post(f"{self.path}/seats").status_code == 201

    def view(self, seat: int = 0) -> Any:
        return self.seats[seat].get(f"{self.path}/view").json

    def log(self) -> list[dict[str, Any]]:
        return self.seats[0].events(self.path)

    def act(self, seat: int, kind: str) -> Any:
        """The first legal action of this kind; the answer."""
        legal = self.seats[seat].get(f"{self.path}/legal-actions").json["legal_actions"] or []
        wanted = [action for action in legal if action["type"] == kind]
        return self.seats[seat].post(f"{self.path}/actions", {"actions": wanted[:1] or [{"type": kind}]})

    def until(self, true: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """The log once something is true of it."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not true(log := self.log()):
            assert time.monotonic() < deadline_s, log
            self.view()
            time.sleep(0.05)
        return log


@pytest.fixture
def table(client: FlaskClient) -> Callable[[Mapping[str, Any]], Table]:
    return lambda clock: Table(client, clock)


def actions(log: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    """Who did what, and why."""
    return [
        (event["seat"], event["data"]["action"]["type"], event["data"]["cause"])
        for event in log
        if event["type"] == "action"
    ]


def test_w22_the_clock_of_a_companion_runs_while_it_is_asked(table: Callable[..., Table]) -> None:
    play = table({"kind": "per_decision", "per_decision_ms": 600_000})
    # All travellers stand at the same place, so that both others are asked, in turn order.
    for seat, kind, then in ((0, "travel", 1), (1, "stay", 2), (2, "stay", 0)):
        told = play.act(seat, kind).json
        assert told["view"]["to_act"] == then
        view = play.view(then)
        at_ms = instant_ms(told["events"][-1]["at"])
        assert instant_ms(view["deadline_at"]) == at_ms + 600_000
        assert view["remaining_ms"] == [600_000] * 3
        deciding = [seat.get("/v1/me/decisions").json["decisions"] for seat in play.seats]
        assert [len(decisions) for decisions in deciding] == [int(seat == then) for seat in range(3)]
        assert deciding[then][0]["deadline_at"] == view["deadline_at"]
    assert play.view()["phase"] == "after"


def test_w22_what_a_companion_takes_to_answer_is_its_own_time(table: Callable[..., Table]) -> None:
    play = table({"kind": "fischer", "initial_ms": 900_000, "increment_ms": 7_000})
    began_ms = instant_ms(play.log()[-1]["at"])
    left = [900_000] * 3
    for seat, kind in ((0, "travel"), (1, "stay"), (2, "travel_along"), (0, "end_turn"), (1, "travel")):
        told = play.act(seat, kind).json
        at_ms = instant_ms(told["events"][-1]["at"])
        left[seat] += 7_000 - (at_ms - began_ms)
        began_ms = at_ms
        assert told["view"]["remaining_ms"] == left


def test_w22_for_a_companion_that_does_not_answer_its_default_action_is_played(table: Callable[..., Table]) -> None:
    play = table({"kind": "per_decision", "per_decision_ms": 300, "on_timeout": "autoplay"})
    log = play.until(lambda log: len(actions(log)) >= 3)
    assert actions(log)[:3] == [(0, "travel", "timeout"), (1, "stay", "timeout"), (2, "stay", "timeout")]
    _, *played = [event for event in log if event["type"] in ("match_started", "action")]
    for before, event in pairwise(played[:3]):
        assert instant_ms(event["at"]) == instant_ms(before["at"]) + before["data"]["late_ms"] + 300


def test_w22_a_companion_whose_time_is_over_is_forfeited_and_the_others_play_on(table: Callable[..., Table]) -> None:
    clock = {"kind": "per_decision", "per_decision_ms": 2_000}
    play = table(clock)
    while (acted := play.act(0, "travel")).status_code != 200:
        # This machine was too slow for it, and seat 0 is gone.
        play = table(clock)
    travelled = acted.json["events"][-1]
    log = play.until(lambda log: any(event["type"] == "seat_forfeited" for event in log))
    first = next(event for event in log if event["type"] == "seat_forfeited")
    assert (first["seat"], instant_ms(first["at"])) == (1, instant_ms(travelled["at"]) + 2_000)
    answered = log[first["seq"]]
    assert (answered["seat"], answered["data"]["action"]) == (1, {"type": "stay"})
    assert (answered["data"]["cause"], answered["data"]["to_act"]) == ("timeout", 2)
    assert answered["at"] == first["at"]
