"""Races at deadlines: moves that come in just before or after, reads that may settle, and the sweeper, all at once."""

from __future__ import annotations

import itertools
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import redis

from tests.campaigns.harness.campaign import Finding
from tests.campaigns.harness.players import all_done
from tests.campaigns.harness.wire import PATIENCE_S, Wire, accepted
from tests.campaigns.stream import Reader
from tests.campaigns.timed.inside import HOLD
from tests.campaigns.timed.model import GRACE_MS, ms

#: The tables at which it is raced: both games, and more than two seats, where a forfeit does not end the match.
TABLES: Sequence[Mapping[str, Any]] = (
    {"game": "neues-land", "seats": ["me", "me"]},
    {"game": "wunderland", "seats": ["me", "me"], "options": {"round_limit": 4}},
    {"game": "neues-land", "seats": ["me", "me", "me"], "options": {"expert": True}},
    {"game": "wunderland", "seats": ["me", "me", "me"]},
)
QUICK_MS = 400
QUICK_CLOCKS: Sequence[Mapping[str, Any]] = tuple(
    {**times, "on_timeout": on_timeout}
    for on_timeout in ("autoplay", "forfeit")
    for times in (
        {"kind": "per_decision", "per_decision_ms": QUICK_MS},
        {"kind": "fischer", "initial_ms": 1_000, "increment_ms": QUICK_MS},
    )
)
SLOW_CLOCKS: Sequence[Mapping[str, Any]] = tuple(
    {"kind": "correspondence", "per_decision_ms": 3_600_000, "on_timeout": on_timeout}
    for on_timeout in ("autoplay", "forfeit")
)
#: How far from the deadline a move is sent, and a read from when the lapse may be settled, at the most.
_SPREAD_MS = 4.0
#: A forfeit ends most matches at once; so that there are many, no match lasts much longer.
_RACES_A_MATCH = 12


class StoreClock:
    """The store's time as a client of this machine can tell it."""

    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(url)
        self._ahead_ms = 0.0
        self.ask()

    def close(self) -> None:
        """Ask no more."""
        self._client.close()

    def ask(self) -> float:
        """Set it by the store, and tell the time."""
        found = []
        for _ in range(3):
            before_s = time.perf_counter()
            seconds, micros = self._client.time()
            after_s = time.perf_counter()
            found.append((after_s - before_s, seconds * 1000 + micros / 1000 - (before_s + after_s) * 500))
        self._ahead_ms = min(found)[1]
        return self.now_ms()

    def now_ms(self) -> float:
        """The time."""
        return time.perf_counter() * 1000 + self._ahead_ms

    def wait_until(self, at_ms: float) -> None:
        """Return at that time."""
        time.sleep(max(0.0, at_ms - self.now_ms()) / 1000)


@dataclass(slots=True)
class Race:
    """A decision, and the move that was sent for it (`key` is that of the request; None: nobody moved)."""

    match: str
    version: int
    seat: int
    deadline_ms: int
    how: str
    key: str | None = None
    named: bool = False
    status: int = 0
    code: str = ""
    hashes: tuple[str, ...] = ()


@dataclass
class Field:
    """What the racers of one service share, and what they have seen."""

    port: int
    token: str
    clock: StoreClock
    clocks: Sequence[Mapping[str, Any]]
    left: int
    #: Waited at before each race, where a race has to be made by moving the store's clock.
    together: threading.Barrier | None = None
    races: list[Race] = field(default_factory=list)
    views: list[Mapping[str, Any]] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    matches: list[str] = field(default_factory=list)
    deadlines: dict[int, int] = field(default_factory=dict)
    failed: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> bool:
        """Whether there is another race to be run."""
        with self._lock:
            self.left -= 1
            return self.left >= 0 and not self.failed.is_set()


class Racer(threading.Thread):
    """Runs race after race in matches of its own, until there are enough. What goes wrong is in `error`."""

    def __init__(self, where: Field, number: int, seed: int) -> None:
        super().__init__(name=f"racer {number}", daemon=True)
        self.error: BaseException | None = None
        self._field, self._number, self._rng = where, number, random.Random(seed)
        self._wire, self._other = Wire(where.port, where.token), Wire(where.port, where.token)
        self._numbers = itertools.count()
        self._view: Any = None
        self._raced = 0
        self._lead_ms = 7.0
        self._reads: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        self._read = threading.Semaphore(0)

    def run(self) -> None:
        """Race."""
        reading = threading.Thread(target=self._do_reads, name=f"reader of {self.name}", daemon=True)
        reading.start()
        try:
            while self._field.take():
                if self._raced >= _RACES_A_MATCH:
                    self._end()
                while self._view is None or self._view["status"] != "running":
                    self._begin()
                self._race()
                self._raced += 1
            self._end()
        except threading.BrokenBarrierError as error:
            if not self._field.failed.is_set():
                self._failed(error)
        except BaseException as error:
            self._failed(error)
        finally:
            self._reads.put(None)
            reading.join(PATIENCE_S)
            self._wire.close()

    def _failed(self, error: BaseException) -> None:
        self.error = error
        self._field.failed.set()
        if self._field.together is not None:
            self._field.together.abort()

    # --- matches --------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        number = self._number + next(self._numbers)
        clock = self._field.clocks[number % len(self._field.clocks)]
        table = TABLES[number // len(self._field.clocks) % len(TABLES)]
        made = self._post("/v1/matches", {**table, "clock": clock}, self._key(), 201)
        match = made["id"]
        self._field.matches.append(match)
        if len(self._field.matches) % 4 == 0:
            kind = self._rng.choice(("sse", "ndjson"))
            url = f"http://127.0.0.1:{self._field.port}"
            reader = Reader(url, match, kind, self._rng.getrandbits(32), fails=self._field.failed.is_set)
            self._field.readers.append(reader)
            reader.start()
        self._path, self._raced = f"/v1/matches/{match}", 0
        self._look()

    def _end(self) -> None:
        """Give up, seat by seat, so that the match is over."""
        while self._view is not None and self._view["status"] == "running":
            answer = self._wire.settled("POST", f"{self._path}/resignation?seat={self._view['to_act']}", {})
            if answer.status not in (200, 409):
                raise Finding(f"a resignation is answered {answer}")
            self._look()

    def _key(self) -> str:
        return f"{self._rng.getrandbits(128):032x}"

    def _post(self, path: str, body: Any, key: str, *expected: int) -> Any:
        return accepted(self._wire.settled("POST", path, body, key=key), *expected)

    def _look(self, query: str = "") -> None:
        """Take the view of whoever must act."""
        view = accepted(self._wire.settled("GET", f"{self._path}/view{query}"), 200)
        self._field.views.append(view)
        if view["to_act"] is not None and view["seat"] != view["to_act"]:
            self._look(f"?seat={view['to_act']}")
        else:
            self._view = view

    # --- one race -------------------------------------------------------------------------------------------

    def _race(self) -> None:
        view, chance = self._view, self._rng.randrange(20)
        how = "early" if chance < 1 else "absent" if chance < 3 else "held" if chance < 7 else "edge"
        race = Race(view["match"], view["version"], view["seat"], ms(view["deadline_at"]), how)
        self._field.races.append(race)
        if self._field.together is not None:
            self._field.deadlines[self._number] = race.deadline_ms
            self._field.together.wait(PATIENCE_S)
        else:
            self._field.clock.ask()
        due_ms = race.deadline_ms + GRACE_MS
        reads = [race.deadline_ms + self._near(), due_ms + self._near(), due_ms + self._near()]
        for at_ms in reads:
            self._reads.put(at_ms)
        if how == "absent":
            self._sit_out(race, due_ms)
        else:
            self._move(race)
        if self._field.together is not None:
            for _ in reads:
                self._read.acquire(timeout=PATIENCE_S)

    def _near(self) -> float:
        return self._rng.uniform(-_SPREAD_MS, _SPREAD_MS)

    def _sit_out(self, race: Race, due_ms: float) -> None:
        """Let the time go by: wait for what comes of it, or have a look once it is due."""
        if self._rng.randrange(2):
            self._field.clock.wait_until(due_ms + self._near())
        while self._view["version"] == race.version:
            self._look(f"?after={race.version}&wait=5")

    def _move(self, race: Race) -> None:
        view, rng = self._view, self._rng
        race.key, race.named = self._key(), rng.randrange(3) > 0
        body = {"actions": [rng.choice(view["legal_actions"])], "seat": race.seat}
        if race.named:
            body["version"] = race.version
        headers = {}
        if race.how == "edge":
            self._field.clock.wait_until(race.deadline_ms - self._lead_ms + self._near())
        elif race.how == "held":
            self._field.clock.wait_until(race.deadline_ms - rng.uniform(30, 80))
            headers[HOLD] = str(rng.randint(-int(_SPREAD_MS), int(_SPREAD_MS)))
        answer = self._wire.settled("POST", f"{self._path}/actions", body, key=race.key, headers=headers)
        race.status, told = answer.status, answer.json()
        if answer.status == 200:
            race.hashes = tuple(event["hash"] for event in told["events"])
            self._view = told["view"]
            self._field.views.append(told["view"])
        else:
            race.code = told["code"]
            if "view" in told:
                self._field.views.append(told["view"])
        if race.how == "edge":
            # So that about as many win as lose.
            self._lead_ms = min(250.0, max(-5.0, self._lead_ms + (-0.4 if answer.status == 200 else 0.4)))
        if self._view["legal_actions"] is None or answer.status != 200:
            self._look()

    def _do_reads(self) -> None:
        """Read as others do, whenever it is asked for."""
        kinds: Sequence[Callable[[], str]] = (lambda: "/view", lambda: "/view?seat=0", lambda: "/view?seat=1")
        try:
            while (at_ms := self._reads.get()) is not None:
                self._field.clock.wait_until(at_ms)
                path = self._path + self._rng.choice(kinds)()
                self._field.views.append(accepted(self._other.settled("GET", path), 200))
                self._read.release()
        except BaseException as error:
            self._failed(error)
        finally:
            self._other.close()


def run_races(where: Field, racers: int, rng: random.Random) -> None:
    """Run the races of a field, and raise the first thing that went wrong."""
    threads = [Racer(where, number, rng.getrandbits(64)) for number in range(racers)]
    all_done(threads, 60 * PATIENCE_S)
    for reader in where.readers:
        reader.join(2 * PATIENCE_S)
        if reader.error is not None:
            raise reader.error
