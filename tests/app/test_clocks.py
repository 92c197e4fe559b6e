"""Clocks over a real store: who loses on time, when, and what of it everybody sees. Nobody's wall clock takes part."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest

from spieltisch_service.app import clocks as app_clocks
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.errors import MatchNotRunning, NotYourTurn, StaleVersion
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import Sweeper
from spieltisch_service.domain import clock as clocks
from spieltisch_service.domain.clock import GRACE_MS, Clock
from spieltisch_service.domain.events import instant_ms
from spieltisch_service.domain.verify import verify
from spieltisch_service.store import redis_store

from .conftest import once

QUICK = Clock("per_decision", 300)
#: For what must not be settled yet, however slow this machine is.
LONG_GRACE_MS = 1_000_000_000


@pytest.fixture(autouse=True)
def _heart(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that serves beats; the tests' service is one, which a busy machine may hold up for long."""
    monkeypatch.setattr(redis_store, "_OUTAGE_MS", 1_000_000_000)
    service.clocks.listen()
    service.heart.start()
    yield
    service.heart.stop()


class Table:
    """One match of accounts in seats of their own, with what the tests ask of it."""

    def __init__(self, service: Service, players: list[Caller], clock: Clock | None, game: str = "neues-land") -> None:
        self.service = service
        self.players = players
        self.clock = clock
        seats = ["me", *["open"] * (len(players) - 1)]
        made = service.matches.create(players[0], NewMatch(game, seats, clock=clock), None)
        self.id: str = made.body["id"]
        for player in players[1:]:
            service.seats.join(player, self.id, seat=None, nonce=None, invitation=None, name=None, once=None)

    def view(self, seat: int = 0, at: int | None = None) -> Any:
        body = self.service.play.view(
            self.players[seat], self.id, seat=None, at=at, after=None, wait_s=0, known_etag=None
        ).body
        assert body is not None
        return orjson.loads(body)

    def act(self, **options: Any) -> Any:
        """The first legal action of whoever must act."""
        view = self.view()
        seat = view["to_act"]
        live = self.service.live.current(self.id)
        action = next(iter(live.game.legal(live.state)))
        return self.service.play.act(self.players[seat], self.id, [action], view["version"], None, None, **options)

    def log(self) -> list[Any]:
        return [orjson.loads(event.to_json()) for event in self.service.store.events(self.id, 0, 1000)]

    def started(self) -> Any:
        """The match as it was when it started, even if by now the first of its players is late."""
        live = self.service.live.fresh(self.id)
        return self.service.live.past(live, self._start["seq"])

    @property
    def _start(self) -> Any:
        return next(event for event in self.log() if event["type"] == "match_started")

    @property
    def deadline_ms(self) -> int:
        """When the time for the first decision is over."""
        assert self.clock is not None
        return instant_ms(self._start["at"]) + self.clock.time_ms

    def wait_until_late(self) -> None:
        """Let the time for the first decision run out."""
        deadline_ms = self.deadline_ms
        self.wait_for(lambda: self.service.clocks.listen().now_ms > deadline_ms)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline_s
            time.sleep(0.02)

    def sit_out(self) -> None:
        """Let the time for the first decision run out, and what is still on its way arrive."""
        due_ms = self.deadline_ms + GRACE_MS
        self.wait_for(lambda: self.service.clocks.listen().now_ms >= due_ms)


def test_a_match_shows_its_clock_and_a_view_what_is_left(service: Service, ada: Caller, bob: Caller) -> None:
    clock = Clock("fischer", 60_000, 2_000)
    table = Table(service, [ada, bob], clock)
    wire = {"kind": "fischer", "initial_ms": 60_000, "increment_ms": 2_000, "on_timeout": "forfeit"}
    assert service.matches.get(ada, table.id)["clock"] == wire
    log = table.log()
    assert log[0]["data"]["clock"] == wire
    began_ms = instant_ms(log[-1]["at"])
    view = table.view()
    assert view["remaining_ms"] == [60_000, 60_000]
    assert instant_ms(view["deadline_at"]) == began_ms + 60_000
    table.act()
    spent_ms = instant_ms(table.log()[-1]["at"]) - began_ms
    after = table.view()
    assert after["remaining_ms"] == [60_000 - spent_ms + 2_000, 60_000]
    assert table.view(at=view["version"]) == view
    assert [waits["deadline_at"] for waits in service.decisions.waiting(ada, 0, None)["decisions"]] == [
        after["deadline_at"]
    ]


def test_without_a_clock_nothing_of_it_is_said(service: Service, ada: Caller, bob: Caller) -> None:
    table = Table(service, [ada, bob], None)
    assert service.matches.get(ada, table.id)["clock"] is None
    assert "clock" not in table.log()[0]["data"]
    view = table.view()
    assert (view["deadline_at"], view["remaining_ms"]) == (None, None)


def test_a_lapse_is_settled_when_anybody_looks_and_happened_at_the_deadline(
    service: Service, ada: Caller, bob: Caller
) -> None:
    table = Table(service, [ada, bob], QUICK)
    table.sit_out()
    view = table.view(1)
    assert (view["status"], view["result"]["end_reason"], view["result"]["ranks"]) == ("finished", "last_seat", [2, 1])
    *_, forfeited, finished = table.log()
    assert (forfeited["type"], forfeited["seat"], forfeited["data"]) == ("seat_forfeited", 0, {})
    assert instant_ms(forfeited["at"]) == instant_ms(finished["at"]) == table.deadline_ms
    assert service.matches.get(bob, table.id)["seats"][0]["status"] == "forfeited"
    assert (view["deadline_at"], view["remaining_ms"]) == (None, [300, 300])
    verify(orjson.loads(orjson.dumps(service.play.record(ada, table.id))))


def test_what_a_list_shows_has_been_settled(service: Service, ada: Caller, bob: Caller) -> None:
    table = Table(service, [ada, bob], QUICK)
    table.sit_out()
    assert service.decisions.waiting(ada, 0, None)["decisions"] == []
    assert table.log()[-1]["type"] == "match_finished"


def test_with_three_seats_the_others_play_on_and_are_not_charged_for_what_came_late(
    service: Service, register: Callable[[str], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [register(name) for name in ("Ada", "Bob", "Cleo")]
    table = Table(service, players, Clock("fischer", 1_000, 100), "neues-land")
    deadline_ms = table.deadline_ms
    table.sit_out()
    time.sleep(0.7)
    assert service.live.settle(table.id)
    # The time of seat 1 may be over as well before anybody looks.
    monkeypatch.setattr(clocks, "GRACE_MS", LONG_GRACE_MS)
    view = table.view(1)
    assert (view["status"], view["to_act"]) == ("running", 1)
    log = table.log()
    forfeited = next(i for i, event in enumerate(log) if event["type"] == "seat_forfeited")
    played = log[forfeited + 1 :]
    assert [event["data"]["cause"] for event in played] == ["timeout"] * len(played)
    assert {event["seat"] for event in played} == {0}
    assert {instant_ms(event["at"]) for event in log[forfeited:]} == {deadline_ms}
    (late_ms,) = {event["data"]["late_ms"] for event in played}
    assert late_ms >= GRACE_MS + 700
    # Seat 1 begins when it was noticed, with all that it had.
    assert view["remaining_ms"] == [0, 1_000, 1_000]
    assert instant_ms(view["deadline_at"]) == deadline_ms + late_ms + 1_000


def test_autoplay_plays_the_default_action_and_the_seat_stays(service: Service, ada: Caller, bob: Caller) -> None:
    table = Table(service, [ada, bob], Clock("per_decision", 300, on_timeout="autoplay"))
    live = table.started()
    default = live.game.default_action(live.state).to_wire()
    table.sit_out()
    table.view()
    last = next(event for event in table.log() if event["type"] == "action")
    assert (last["type"], last["seat"], last["data"]["cause"]) == ("action", 0, "timeout")
    assert last["data"]["action"] == default
    assert instant_ms(last["at"]) == table.deadline_ms
    assert service.matches.get(ada, table.id)["seats"][0]["status"] == "active"


def test_a_move_that_came_in_time_counts_although_it_is_written_later(
    service: Service, ada: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "GRACE_MS", LONG_GRACE_MS)
    monkeypatch.setattr(app_clocks, "LONGEST_AGO_MS", LONG_GRACE_MS)
    # In time for certain: when the match begins it is there.
    began_s = time.perf_counter()
    table = Table(service, [ada, bob], QUICK)
    deadline_ms = table.deadline_ms
    table.wait_until_late()
    acted = table.act(began_s=began_s)
    assert acted.body["version"] == 4
    event = table.log()[-1]
    assert event["data"]["cause"] == "player"
    assert instant_ms(event["at"]) > deadline_ms


def test_a_move_that_came_too_late_does_not_even_while_nothing_is_settled(
    service: Service, ada: Caller, bob: Caller
) -> None:
    table = Table(service, [ada, bob], QUICK)
    live = table.started()
    version, action = live.match.version, next(iter(live.game.legal(live.state)))
    table.wait_until_late()
    with pytest.raises(StaleVersion):
        service.play.act(ada, table.id, [action], version, None, once(ada, "late"))
    with pytest.raises(MatchNotRunning):
        service.play.act(ada, table.id, [action], None, None, once(ada, "late"))
    assert [event["type"] for event in table.log()[-2:]] == ["seat_forfeited", "match_finished"]


def test_who_comes_too_late_is_told_that_it_is_not_his_turn_any_more(
    service: Service, register: Callable[[str], Caller]
) -> None:
    players = [register(name) for name in ("Ada", "Bob", "Cleo")]
    table = Table(service, players, QUICK)
    live = table.started()
    action = next(iter(live.game.legal(live.state)))
    table.sit_out()
    with pytest.raises(NotYourTurn):
        service.play.act(players[0], table.id, [action], None, None, None)


def test_whoever_resigns_after_the_time_of_another_is_over_resigns_after_that(
    service: Service, register: Callable[[str], Caller]
) -> None:
    players = [register(name) for name in ("Ada", "Bob", "Cleo")]
    table = Table(service, players, QUICK)
    table.wait_until_late()
    service.seats.resign(players[2], table.id, None, None)
    log = table.log()
    told = [(event["type"], event["seat"]) for event in log if event["type"].startswith("seat_f")]
    assert told == [("seat_forfeited", 0)]
    assert next(event for event in log if event["type"] == "seat_forfeited")["at"] < log[-1]["at"]
    assert log[-2]["type"] == "seat_resigned"
    assert log[-1]["type"] == "match_finished"


def test_whoever_resigned_in_time_did_so_before_the_time_of_another_was_over(
    service: Service, register: Callable[[str], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [register(name) for name in ("Ada", "Bob", "Cleo")]
    began_s = time.perf_counter()
    with monkeypatch.context() as patch:
        patch.setattr(clocks, "GRACE_MS", LONG_GRACE_MS)
        patch.setattr(app_clocks, "LONGEST_AGO_MS", LONG_GRACE_MS)
        table = Table(service, players, QUICK)
        table.wait_until_late()
        service.seats.resign(players[2], table.id, None, None, began_s)
    table.sit_out()
    table.view(1)
    log = table.log()
    left = [
        (event["type"], event["seat"], instant_ms(event["at"])) for event in log if event["type"].startswith("seat_")
    ]
    assert left[2:] == [("seat_resigned", 2, table.deadline_ms), ("seat_forfeited", 0, table.deadline_ms)]


def test_downtime_that_is_noticed_after_the_deadline_lets_the_lapse_where_it_is(
    service: Service, ada: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(service, [ada, bob], QUICK)
    deadline_ms = table.deadline_ms
    pulse = service.store.pulse
    outage = (deadline_ms - 250, deadline_ms - 150)
    table.wait_for(lambda: pulse(beat=True).now_ms > deadline_ms + 200)
    monkeypatch.setattr(service.store, "pulse", lambda *, beat: replace(pulse(beat=beat), outages=(outage,)))
    service.clocks.listen()
    assert service.live.settle(table.id)
    table.wait_for(lambda: pulse(beat=True).now_ms > deadline_ms + 100 + GRACE_MS)
    table.view()
    log = table.log()
    extended = next(event for event in log if event["type"] == "clock_extended")
    assert extended["data"] == {"ms": 100, "reason": "downtime"}
    assert [instant_ms(event["at"]) for event in log if event["type"] == "seat_forfeited"] == [deadline_ms + 100]


def test_a_move_that_came_too_late_is_not_for_the_decision_that_follows(
    service: Service, ada: Caller, bob: Caller
) -> None:
    table = Table(service, [ada, bob], Clock("per_decision", 300, on_timeout="autoplay"))
    live = table.started()
    version, skip = live.match.version, live.game.action_from_wire({"type": "pass"})
    table.sit_out()
    # The default action is a tile, and whether a follower goes there is seat 0's decision again.
    with pytest.raises(StaleVersion) as refused:
        service.play.act(ada, table.id, [skip], None, None, once(ada, "late"))
    assert refused.value.extra["version"] > version
    played = [event for event in table.log() if event["type"] == "action"]
    assert {event["data"]["cause"] for event in played} == {"timeout"}
    assert instant_ms(played[0]["at"]) == table.deadline_ms


@pytest.mark.parametrize("remembered", [False, True])
def test_nor_when_somebody_else_has_noticed_the_lapse_meanwhile(
    service: Service, other_worker: Service, ada: Caller, bob: Caller, remembered: bool
) -> None:
    table = Table(service, [ada, bob], Clock("fischer", 1_000, 600_000, "autoplay"))
    began_s = time.perf_counter()
    table.sit_out()
    assert other_worker.live.settle(table.id)
    live = service.live.fresh(table.id)
    action = next(iter(live.game.legal(live.state)))
    if not remembered:
        service.live.memory.forget(table.id)
    with pytest.raises(StaleVersion):
        service.play.act(ada, table.id, [action], None, None, None, None, began_s)
    assert "player" not in {event["data"].get("cause") for event in table.log()}


def test_the_sweeper_settles_what_nobody_asks_for(service: Service, ada: Caller, bob: Caller) -> None:
    table, other = Table(service, [ada, bob], QUICK), Table(service, [ada, bob], Clock("fischer", 3_600_000))
    sweeper = Sweeper(service)
    table.wait_for(lambda: bool(sweeper.sweep()))
    *_, forfeited, finished = table.log()
    assert (forfeited["type"], finished["type"]) == ("seat_forfeited", "match_finished")
    assert instant_ms(forfeited["at"]) == table.deadline_ms
    assert service.store.due(10) == []
    # What is not due is left alone.
    assert other.log()[-1]["type"] == "match_started"


def test_a_repeated_request_is_answered_by_the_same_bytes_with_its_clock(
    service: Service, other_worker: Service, ada: Caller, bob: Caller
) -> None:
    table = Table(service, [ada, bob], Clock("fischer", 60_000, 1_000))
    live = service.live.current(table.id)
    actions = [next(iter(live.game.legal(live.state)))]
    first = service.play.act(ada, table.id, actions, None, None, once(ada, "again"))
    table.act()
    again = other_worker.play.act(ada, table.id, actions, None, None, once(ada, "again"))
    assert again.replayed
    assert orjson.dumps(again.body, default=list) == orjson.dumps(first.body, default=list)


def test_another_worker_reads_the_same_times(service: Service, other_worker: Service, ada: Caller, bob: Caller) -> None:
    table = Table(service, [ada, bob], Clock("fischer", 60_000, 1_000))
    for _ in range(6):
        table.act()
        kept, read = service.live.current(table.id).match.times, other_worker.live.fresh(table.id).match.times
        assert kept == read


def test_erasing_a_name_leaves_the_time_as_it_is(service: Service, ada: Caller, bob: Caller) -> None:
    table, other = Table(service, [ada, bob], QUICK), Table(service, [ada, bob], Clock("fischer", 3_600_000))
    times = service.live.current(other.id).match.times
    service.accounts.erase(bob)
    assert service.live.fresh(other.id).match.times == times
    table.wait_for(lambda: bool(Sweeper(service).sweep()))
    assert table.log()[-1]["type"] == "match_finished"


def test_a_rematch_has_the_same_clock_wound_up_again(service: Service, ada: Caller, bob: Caller) -> None:
    clock = Clock("fischer", 60_000, 1_000)
    table = Table(service, [ada, bob], clock)
    service.seats.resign(ada, table.id, None, None)
    again = service.matches.rematch(bob, table.id, None).body
    assert again["clock"] == clock.to_wire()
    assert service.live.fresh(again["id"]).match.times.remaining_ms == (60_000, 60_000)


def test_only_one_of_many_settles(service: Service, new_service: Any, ada: Caller, bob: Caller) -> None:
    table = Table(service, [ada, bob], QUICK)
    workers = [new_service() for _ in range(6)]
    table.sit_out()
    settled: list[bool] = []
    threads = [threading.Thread(target=lambda w=worker: settled.append(w.live.settle(table.id))) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settled.count(True) == 1
    assert [event["type"] for event in table.log()].count("seat_forfeited") == 1
