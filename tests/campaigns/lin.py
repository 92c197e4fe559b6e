"""LIN: many clients contend for few matches, with stale, doubled and late requests, and what they saw is judged."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from spieltisch_service.domain.events import canonical
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.history import Act, History, Read, problems
from tests.campaigns.harness.players import SHORT_MATCHES, account, alive, note, settle, whole_logs
from tests.campaigns.harness.site import opened, prove
from tests.campaigns.harness.wire import PATIENCE_S, Answer, Wire, accepted

_REFUSALS = ("stale_version", "not_your_turn", "illegal_action", "match_not_running")


class Tables:
    """The hot matches. One that has ended is replaced by a new one."""

    def __init__(self, port: int, token: str, count: int) -> None:
        self._wire, self._token, self._lock = Wire(port), token, threading.Lock()
        self.all: list[str] = []
        self._hot = [self._new() for _ in range(count)]

    def _new(self) -> str:
        wanted = SHORT_MATCHES[len(self.all) % len(SHORT_MATCHES)]
        made = accepted(
            self._wire.settled("POST", "/v1/matches", wanted, token=self._token, key=f"hot-{len(self.all)}")
        )
        self.all.append(made["id"])
        return self.all[-1]

    def one(self, rng: random.Random) -> str:
        """Any of them."""
        return rng.choice(self._hot)

    def ended(self, match: str) -> None:
        """Put a new one in its place, if nobody has."""
        with self._lock:
            if match in self._hot:
                self._hot[self._hot.index(match)] = self._new()

    def close(self) -> None:
        """Hang up."""
        self._wire.close()


class Contender(threading.Thread):
    """Looks at a match and acts in it, mostly too late: others do the same. What goes wrong is in `error`."""

    def __init__(self, port: int, token: str, client: int, seed: int, tables: Tables, history: History) -> None:
        super().__init__(name=f"contender {client}", daemon=True)
        self.client, self.tables, self.history = client, tables, history
        self.rng = random.Random(seed)
        self.enough = threading.Event()
        self.error: BaseException | None = None
        self.requests = self.refused = 0
        self._wire, self._second = Wire(port, token), Wire(port, token)
        self._stale: dict[str, tuple[Any, Any]] = {}

    def run(self) -> None:
        """Contend."""
        try:
            while not self.enough.is_set():
                self._turn(self.tables.one(self.rng))
        except BaseException as error:
            self.error = error
        finally:
            self._wire.close()
            self._second.close()

    def _turn(self, match: str) -> None:
        view = self._look(match, self.rng.randrange(2))
        if view["status"] != "running":
            self.tables.ended(match)
            return
        if view["legal_actions"] is None:
            view = self._look(match, view["to_act"])
        if not view["legal_actions"]:
            return
        action, version = self.rng.choice(view["legal_actions"]), view["version"]
        old = self._stale.get(match)
        self._stale[match] = (view["to_act"], action), version
        if old is not None and self.rng.randrange(6) == 0:
            (view["to_act"], action), version = old
        self._act(match, view["to_act"], action, version if self.rng.randrange(4) else None)

    def _look(self, match: str, seat: int) -> Any:
        invoked = time.monotonic()
        answer = self._wire.settled("GET", f"/v1/matches/{match}/view?seat={seat}")
        self.requests += 1
        view = accepted(answer, 200)
        if view["match"] != match:
            raise Finding(f"asked for {match}, answered {view['match']}")
        note(self.history, self.client, seat, invoked, answer, view)
        return view

    def _act(self, match: str, seat: int, action: Any, version: int | None) -> None:
        path, key = f"/v1/matches/{match}/actions", f"{self.rng.getrandbits(128):032x}"
        body = {"actions": [action], "seat": seat} | ({} if version is None else {"version": version})
        act = Act(match, self.client, seat, (canonical(action),), time.monotonic())
        self.history.acts.append(act)
        doubled = threading.Thread(target=self._second.settled, args=("POST", path, body), kwargs={"key": key})
        copies = self.rng.randrange(8)
        if copies == 0:
            doubled.start()
        answer = self._wire.settled("POST", path, body, key=key)
        self.requests += 1
        if answer.status == 200:
            settle(act, answer.json()["events"])
            if copies == 1:
                self._again(path, body, key, answer)
        else:
            self._refused(act, answer, version)
        if copies == 0:
            doubled.join(PATIENCE_S)
            self.requests += 1
            if act.outcome == "refused":
                # The other copy may have been the one that was accepted, after this one was refused.
                self._settle_late(act, path, body, key)

    def _again(self, path: str, body: Any, key: str, first: Answer) -> None:
        again = self._wire.settled("POST", path, body, key=key)
        self.requests += 1
        if again.body != first.body:
            raise Finding(f"{path}: a late copy is answered {again}, the first one {first}")

    def _refused(self, act: Act, answer: Answer, version: int | None) -> None:
        problem = answer.json()
        if problem["code"] not in _REFUSALS:
            raise Finding(f"{act.match}: {answer}")
        act.outcome = "refused"
        self.refused += 1
        if problem["code"] == "stale_version":
            if problem["version"] == version:
                raise Finding(f"{act.match}: version {version} is stale, and is the current one")
            told = Read(act.match, self.client, -1, act.invoked, time.monotonic(), problem["version"])
            self.history.reads.append(told)

    def _settle_late(self, act: Act, path: str, body: Any, key: str) -> None:
        answer = self._wire.settled("POST", path, body, key=key)
        if answer.status == 200:
            settle(act, answer.json()["events"])


def run(run: Run) -> Figures:
    """Contend, and check."""
    history = History()
    with opened(run) as site, ExitStack() as stack:
        token = account(site.port)
        tables = Tables(site.port, token, run["matches"])
        stack.callback(tables.close)
        contenders = [
            Contender(site.port, token, n, run.rng.getrandbits(64), tables, history) for n in range(run["clients"])
        ]
        for each in contenders:
            each.start()
        try:
            _until_done(run, contenders)
        finally:
            for each in contenders:
                each.enough.set()
        for each in contenders:
            each.join(2 * PATIENCE_S)
        alive(contenders)
        found = problems(history, whole_logs(site.port, tables.all))
        if found:
            raise Finding(f"{len(found)} contradictions, the first: {found[0]}")
        proved = prove(site.store_url)
    return {
        "operations": sum(each.requests for each in contenders),
        "acknowledged": sum(act.outcome == "acknowledged" for act in history.acts),
        "refused": sum(each.refused for each in contenders),
        "views checked": len(history.reads),
        "matches proved": proved,
        "contradictions": 0,
    }


def _until_done(run: Run, contenders: Sequence[Contender]) -> None:
    last, since, told = 0, time.monotonic(), 0
    while (now := sum(each.requests for each in contenders)) < run["requests"]:
        alive(contenders)
        if now != last:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > PATIENCE_S:
            raise Finding(f"nothing is answered any more after {now} requests")
        if now - told >= 5000:
            told = now
            run.say(f"{now:,} requests")
        time.sleep(0.02)


CAMPAIGN = Campaign(
    name="LIN",
    promise="what any number of clients see of a match can have happened in one order, that of its log",
    run=run,
    short={"processes": 0, "clients": 16, "matches": 2, "requests": 1200},
    long={"processes": 1, "clients": 64, "matches": 8, "requests": 40_000},
    teeth=("no-version-compare", "stale-reads", "wrong-reply", "resent-write"),
)
