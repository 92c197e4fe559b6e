"""T9: how often an accepted action goes to the store, as the store itself tells (`MONITOR`)."""

from __future__ import annotations

import http.client
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from benchmarks.measure import Row, Target, median
from benchmarks.prepared import Prepared, prepared
from benchmarks.site import Account, Site, ask

WARM = Target("store round trips of an accepted action, its worker had the match before", 2, 1, at_most=True)
COLD = Target("the same, its worker never saw the match", 2, 1, at_most=True)
BEHIND = Target("the same, another worker was there in between", 2, 1, at_most=True)
UNVERSIONED = Target("the same, and the request names no version", 2, 1, at_most=True)
STRANGER = Target("the same, its worker saw neither match nor key", 2, 1, at_most=True)

_CONNECTIONS = 12
#: Commands that follow each other faster came in one packet: a Python client needs longer to read an answer and ask on.
_TOGETHER_S = 50e-6


class _Counter:
    """Counts the trips of clients that have to do with a match or an account."""

    def __init__(self, site: Site, account: Account) -> None:
        self._site = site
        self._account = account

    def of(self, match: Prepared, step: Callable[[], Any]) -> int:
        """How many trips named the match or the account while `step` ran; what runs inside a script is none."""
        marker = f"end of {match.id}"
        names = (match.id.removeprefix("mt_"), self._account.id.removeprefix("ac_"))
        count, before_s = 0, 0.0
        store: Any = self._site.store
        with store.monitor() as monitor:
            step()
            store.echo(marker)
            for seen in monitor.listen():
                if marker in seen["command"]:
                    return count
                if seen["client_type"] != "lua" and any(name in seen["command"] for name in names):
                    count += seen["time"] - before_s > _TOGETHER_S
                    before_s = seen["time"]
        return count


def _acting(match: Prepared, *, versioned: bool = True) -> Iterator[dict[str, Any]]:
    for number, action in enumerate(match.script):
        body: dict[str, Any] = {"actions": [action.to_wire()]}
        yield body | {"version": match.version + number} if versioned else body


@contextmanager
def _connections(site: Site) -> Iterator[list[http.client.HTTPConnection]]:
    with ExitStack() as stack:
        connections = [http.client.HTTPConnection("127.0.0.1", site.port, timeout=10) for _ in range(_CONNECTIONS)]
        for connection in connections:
            stack.callback(connection.close)
        yield connections


def measured(site: Site, rounds: int) -> list[Row]:
    """T9: over one kept connection the worker stays the same; over many in turn it changes."""
    account = site.account("Counted")
    targets = {"warm": WARM, "cold": COLD, "behind": BEHIND, "unversioned": UNVERSIONED, "stranger": STRANGER}
    counts: dict[str, list[float]] = {name: [] for name in targets}
    for _ in range(rounds):
        for name, count in _round(site, account).items():
            counts[name] += count
    return [
        Row("T9", target, f"{len(counts[name])} actions", median(counts[name]), (min(counts[name]), max(counts[name])))
        for name, target in targets.items()
    ]


def _round(site: Site, account: Account) -> dict[str, list[float]]:
    counter = _Counter(site, account)
    known, other, *walked = prepared(site.live, account, 4)

    def act(connection: http.client.HTTPConnection, match: Prepared, body: dict[str, Any]) -> int:
        path = f"/v1/matches/{match.id}/actions"
        return counter.of(match, lambda: ask(connection, "POST", path, body, key=account.key))

    counts: dict[str, list[float]] = {}
    with _connections(site) as connections:
        # Every worker gets to know the key.
        for connection in connections:
            ask(connection, "GET", f"/v1/matches/{known.id}/view?seat=0", None, key=account.key)
        first = connections[0]
        actions = _acting(other)
        counts["cold"] = [act(first, other, next(actions))]
        counts["warm"] = [act(first, other, body) for body in actions]
        warm = min(counts["warm"])
        for name, match in zip(("behind", "unversioned"), walked, strict=True):
            bodies = _acting(match, versioned=name == "behind")
            trips = [act(connection, match, body) for connection, body in zip(itertools.cycle(connections), bodies)]
            # Which worker has a connection cannot be seen from here: what costs more than a warm action was behind.
            counts[name] = [trip for trip in trips[_CONNECTIONS:] if trip > warm] or [warm]
    stranger = site.account("Stranger")
    (unknown,) = prepared(site.live, stranger, 1)
    path = f"/v1/matches/{unknown.id}/actions"
    body = next(_acting(unknown))
    counter = _Counter(site, stranger)
    counts["stranger"] = [counter.of(unknown, lambda: site.ask("POST", path, body, key=stranger.key))]
    return counts
