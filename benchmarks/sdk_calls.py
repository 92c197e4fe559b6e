"""T10: a call of the SDK against a plain `requests.Session` on the same route, both down to the parsed answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import requests

from benchmarks.measure import Row, Target, interleaved, median, ratio
from benchmarks.site import Site
from spieltisch import Client

_CALLS = 200
_TARGET = Target("SDK: match.view() against requests.Session().get(…).json(), time a call", 1.10, 0.8, at_most=True)


def _seconds_a_call(call: Callable[[], Any]) -> float:
    began_s = time.perf_counter()
    for _ in range(_CALLS):
        call()
    return (time.perf_counter() - began_s) / _CALLS


def measured(site: Site, rounds: int) -> Sequence[Row]:
    """The row."""
    url = f"http://127.0.0.1:{site.port}"
    client = Client(url).register("Bench", kind="bot")
    match = client.matches.create("neues-land", ["me", "me"])
    where = f"{url}/v1/matches/{match.id}/view?seat=0"
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {client.key}"
        found = interleaved(
            {
                "sdk": lambda: _seconds_a_call(lambda: match.view(seat=0)),
                "plain": lambda: _seconds_a_call(lambda: session.get(where, timeout=30).json()),
            },
            rounds,
        )
    value, spread = ratio(found["sdk"], found["plain"])
    said = f"{median(found['sdk']) * 1000:.2f} ms, plain {median(found['plain']) * 1000:.2f} ms"
    return [Row("T10", _TARGET, said, value, spread)]
