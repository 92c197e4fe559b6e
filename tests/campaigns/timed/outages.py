"""Downtime: the store stands still, or all workers are gone for a while, and nobody is charged for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.campaigns.harness.campaign import Finding
from tests.campaigns.harness.players import whole_logs
from tests.campaigns.harness.site import Served
from tests.campaigns.harness.skew import SkewedStore
from tests.campaigns.harness.wire import Wire, accepted
from tests.campaigns.timed.model import ms
from tests.campaigns.timed.races import StoreClock
from tests.serving import until


def waiting(seconds_ms: int) -> list[dict[str, Any]]:
    """The matches that wait for somebody when the service goes down: by every kind of clock, both games."""
    clocks: Sequence[Mapping[str, Any]] = (
        {"kind": "per_decision", "per_decision_ms": seconds_ms},
        {"kind": "fischer", "initial_ms": seconds_ms, "increment_ms": 500},
        {"kind": "correspondence", "per_decision_ms": 3_600_000},
    )
    return [
        {"game": game, "seats": ["me", "me"], "clock": {**clock, "on_timeout": on_timeout}}
        for game in ("neues-land", "wunderland")
        for clock in clocks
        for on_timeout in ("forfeit", "autoplay")
    ]


class Outage:
    """One outage of a service of several `serve`s over one store. `most_ms` is the most that was given beyond it."""

    def __init__(self, sites: Sequence[Served], store: SkewedStore, clock: StoreClock, token: str) -> None:
        self._sites, self._store, self._clock, self._token = sites, store, clock, token
        self.matches: list[str] = []
        self.views: list[Any] = []
        self.most_ms = 0
        self.extensions = 0

    def _wire(self, number: int) -> Wire:
        return Wire(self._sites[number % len(self._sites)].port, self._token)

    def _look(self, wire: Wire, match: str) -> Any:
        view = accepted(wire.settled("GET", f"/v1/matches/{match}/view"), 200)
        self.views.append(view)
        return view

    def happen(self, seconds: float, clock_ms: int, *, by: str) -> None:
        """Play a little, be down for that long (by `pause` or `kill`), and look what became of everybody's time."""
        before = [self._begun(number, wanted) for number, wanted in enumerate(waiting(clock_ms))]
        movers = [threading.Thread(target=self._insist, args=(number, view)) for number, view in enumerate(before)]
        if by == "pause":
            stopped_ms, down_ms = self._pause(seconds, movers[::2])
        else:
            stopped_ms, down_ms = self._kill(seconds)
        for number, view in enumerate(before):
            with self._wire(number) as wire:
                self._look(wire, view["match"])
        for mover in movers:
            if mover.ident is not None:
                mover.join()
        logs = whole_logs(self._sites[0].port, [view["match"] for view in before], self._token)
        for view in before:
            self._judge(view, logs[view["match"]], stopped_ms, down_ms)

    def _begun(self, number: int, wanted: Mapping[str, Any]) -> Any:
        with self._wire(number) as wire:
            match = accepted(wire.settled("POST", "/v1/matches", wanted), 201)["id"]
            self.matches.append(match)
            self._act(wire, self._look(wire, match))
            return self._look(wire, match)

    def _act(self, wire: Wire, view: Any) -> int:
        path = f"/v1/matches/{view['match']}"
        seat = accepted(wire.settled("GET", f"{path}/view"), 200)["to_act"]
        if seat is None:
            return 0
        legal = accepted(wire.settled("GET", f"{path}/legal-actions?seat={seat}"), 200)["legal_actions"]
        if not legal:
            return 0
        body = {"actions": legal[:1], "seat": seat}
        return wire.settled("POST", f"{path}/actions", body).status

    def _insist(self, number: int, view: Any) -> None:
        """Move while the service is away, until it is answered."""
        with self._wire(number + 1) as wire:
            self._act(wire, view)

    def _pause(self, seconds: float, movers: Sequence[threading.Thread]) -> tuple[float, float]:
        process = self._store.process
        assert process is not None
        stopped_ms = self._clock.now_ms()
        self._store.pause()
        stat = Path(f"/proc/{process.pid}/stat")
        until(lambda: stat.read_text().rsplit(")", 1)[1].split()[0] == "T", "the store to stand still")
        began_s = time.perf_counter()
        try:
            for mover in movers:
                mover.start()
            time.sleep(seconds)
            down_s = time.perf_counter() - began_s
        finally:
            self._store.go_on()
        return stopped_ms, down_s * 1000

    def _kill(self, seconds: float) -> tuple[float, float]:
        stopped_ms = self._clock.now_ms()
        for site in self._sites:
            site.kill()
        began_s = time.perf_counter()
        time.sleep(seconds)
        down_s = time.perf_counter() - began_s
        for site in self._sites:
            site.revive()
        return stopped_ms, down_s * 1000

    def _judge(self, view: Any, log: Sequence[Any], stopped_ms: float, down_ms: float) -> None:
        """Nothing may happen in a match before the time of the outage was made good, all of it."""
        if ms(view["deadline_at"]) <= stopped_ms:
            return
        rest = log[view["version"] :]
        if not rest or rest[0]["type"] != "clock_extended":
            what = rest[0]["type"] if rest else "nothing"
            raise Finding(f"{view['match']} by {log[0]['data']['clock']}: after {down_ms:.0f} ms of downtime: {what}")
        given_ms = rest[0]["data"]["ms"]
        # The store tells its time in whole ms.
        if given_ms < down_ms - 2:
            raise Finding(f"{view['match']}: {given_ms} ms are made good of {down_ms:.0f} ms")
        self.extensions += 1
        self.most_ms = max(self.most_ms, round(given_ms - down_ms))

    def end(self) -> None:
        """Play on in every match, and end it."""
        with self._wire(0) as wire:
            for match in self.matches:
                self._act(wire, self._look(wire, match))
                for seat in (0, 1):
                    with suppress(Finding):
                        accepted(wire.settled("POST", f"/v1/matches/{match}/resignation?seat={seat}", {}), 200)
                self._look(wire, match)
