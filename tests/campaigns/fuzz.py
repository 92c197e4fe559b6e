"""FUZZ: no request, however odd, meets a fault, an answer that is not described, or a secret.

In rounds of requests over fresh matches of both games in every status: good requests of every operation of the API
description, most of them with something wrong in text, value, type, header, query, path, method or token, in sequences
that also play the matches on. Each answer is held against the closed API description, and what had to be refused must
have been; a canary looks at bodies, headers, log and metrics, and the store's keys at the end of each round must be of
the known forms. Then raw sockets against a served one: what is no HTTP, half a request, bad chunks, pipelines.
"""

from __future__ import annotations

import gc
import random
import re
import resource
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask

from spieltisch_service.app.service import Service
from spieltisch_service.web.app import create_app
from spieltisch_service.web.overrides import EXTENSION
from tests.campaigns.harness.asking import Asking
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.canary import Canary
from tests.campaigns.harness.logged import quiet_log
from tests.campaigns.harness.own_store import own_store
from tests.campaigns.hostile.bugs import BUGS
from tests.campaigns.hostile.judging import Judge
from tests.campaigns.hostile.pool import filled
from tests.campaigns.hostile.requests import Maker
from tests.campaigns.hostile.sockets import knock
from tests.web.checked import Description

_A_ROUND = 2_000
_KEY_OF_THE_STORE = re.compile(rb"[A-Za-z0-9{}:_.-]{1,200}")
#: After so much of the run, caches are as full as they get.
_WARM = 0.2
_MOST_GROWTH_MIB = 50.0


def run(run: Run) -> Figures:
    """`requests` within the process, from round `first` on, and `sockets` to a served one."""
    counted: Counter[str] = Counter()
    lines: list[str] = []
    seen = 0
    with own_store(run.folder) as (url, new_service), quiet_log(lines.append), pytest.MonkeyPatch.context() as patch:
        app = create_app(None)
        description = Description(app.extensions["openapi"])
        if run.plant is not None:
            BUGS[run.plant](patch)
        memory = Memory(run["requests"])
        for number in range(run["first"], run["first"] + -(-run["requests"] // _A_ROUND)):
            with redis.Redis.from_url(url) as client:
                client.flushall()
                canary = Canary()
                one = Round(f"{run.seed} {number}", app, description, new_service(), canary)
                one.run(min(_A_ROUND, run["requests"] - counted["requests"]), counted)
                _look_at_store(client, number)
            canary.look("the log", "\n".join(lines).encode())
            lines.clear()
            seen += canary.bytes_seen
            memory.look(counted["requests"])
            if number % 20 == 0:
                run.say(f"round {number}: {counted['requests']:,} requests, {memory}")
    knocked = knock(run) if run["sockets"] else {}
    if run["requests"] >= 100_000 and memory.growth_mib > _MOST_GROWTH_MIB:
        raise Finding(f"memory grew by {memory}")
    return {
        "operations": counted["requests"] + sum(knocked.values()),
        "requests": counted["requests"],
        **{f"answered {status}": count for status, count in sorted(counted.items()) if status != "requests"},
        "sockets": sum(knocked.values()),
        "faults": 0,
        "undocumented answers": 0,
        "secrets": 0,
        "MiB looked at": seen >> 20,
        "memory growth": str(memory),
    }


class Round:
    """Requests over one set of people and matches; all chance comes from `seed`."""

    def __init__(self, seed: str, app: Flask, description: Description, service: Service, canary: Canary) -> None:
        self._seed = seed
        app.extensions[EXTENSION] = service
        self._asking = Asking(app.wsgi_app)
        self._canary = canary
        self._judge = Judge(app, description, canary)
        rng = random.Random(seed)
        pool = filled(self._asking, service, canary, rng)
        self._maker = Maker(description.document, pool, rng)

    def run(self, requests: int, counted: Counter[str]) -> None:
        """Send so many requests. Raises Finding."""
        for number in range(requests):
            sent = self._maker.request()
            try:
                reply = self._asking.ask(
                    sent.method, sent.target, sent.token, sent.body, sent.headers, sent.content_type
                )
                self._judge.judge(sent, reply)
            except Finding as finding:
                raise Finding(f"round {self._seed!r}, request {number}: {finding}") from finding
            except Exception as error:
                raise Finding(f"round {self._seed!r}, request {number}: {sent} raised {error!r}") from error
            self._maker.pool.learn(reply)
            counted["requests"] += 1
            counted[f"{reply.status // 100}xx"] += 1
        self._canary.look("the metrics", self._asking.ask("GET", "/metrics").body)


class Memory:
    """How much the process has grown since its caches were warm."""

    def __init__(self, requests: int) -> None:
        self._warm_after = requests * _WARM
        self._warm_mib: float | None = None
        self.growth_mib = 0.0

    def look(self, requests: int) -> None:
        """Measure, after so many requests."""
        gc.collect()
        now_mib = _resident_mib()
        if self._warm_mib is None and requests >= self._warm_after:
            self._warm_mib = now_mib
        if self._warm_mib is not None:
            self.growth_mib = now_mib - self._warm_mib

    def __str__(self) -> str:
        return f"{self.growth_mib:+.1f} MiB"


def _resident_mib() -> float:
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def _look_at_store(client: Any, number: int) -> None:
    odd = [key for key in client.scan_iter(count=1000) if _KEY_OF_THE_STORE.fullmatch(key) is None]
    if odd:
        raise Finding(f"round {number} left keys of another form in the store: {odd[:5]}")


CAMPAIGN = Campaign(
    name="FUZZ",
    promise="no request meets a fault, an answer that is not described, or a secret; memory stays flat",
    run=run,
    short={"requests": 4_000, "first": 0, "sockets": 100},
    long={"requests": 200_000, "first": 0, "sockets": 5_000},
    teeth=tuple(BUGS),
    bite={"sockets": 0, "requests": 20_000},
)
