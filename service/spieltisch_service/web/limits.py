"""Counts requests against the limits, and tells in header fields how much is left.

Reading is counted by each process for itself, for that takes no time; an action counts in its own commit; what comes
seldom and costs much counts in the store, over all processes, in one trip for key and address. The fields are those of
the IETF draft "RateLimit header fields for HTTP" (structured fields): `RateLimit-Policy` lists the policies that a
request counts for, `RateLimit` what is left of the one that will be used up first.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple

from flask import current_app
from werkzeug.datastructures import Headers

from spieltisch_service.app.callers import Caller
from spieltisch_service.app.errors import RateLimited, Refusal, Unauthenticated
from spieltisch_service.app.limits import Bucket, Limits, Meter, Policy, over
from spieltisch_service.app.ports import Count, Store

#: Where an application keeps its `Limiter`, or None where limits are off.
EXTENSION = "spieltisch-limits"

_MOST_COUNTERS = 100_000


class Counters:
    """What one process counts for itself, in windows of time that the first one begins."""

    def __init__(self) -> None:
        self._windows: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def add(self, *windows: tuple[str, float]) -> tuple[Count, ...]:
        """Count one more in each window: its name, and how many seconds a new one lasts."""
        counts = []
        now_s = time.monotonic()
        with self._lock:
            for name, window_s in windows:
                count, ends_s = self._windows.get(name, (0, 0.0))
                if ends_s <= now_s:
                    self._make_room(now_s)
                    count, ends_s = 0, now_s + window_s
                self._windows[name] = (count + 1, ends_s)
                counts.append(Count(count + 1, int((ends_s - now_s) * 1000)))
        return tuple(counts)

    def put(self, name: str, count: int, left_s: float) -> None:
        """Have `count` of them for as long as the window, as somebody else knows it, lasts."""
        now_s = time.monotonic()
        with self._lock:
            self._make_room(now_s)
            self._windows[name] = (count, now_s + left_s)

    def peek(self, name: str) -> Count:
        """How many there are, without one more."""
        now_s = time.monotonic()
        count, ends_s = self._windows.get(name, (0, 0.0))
        return Count(count, int((ends_s - now_s) * 1000)) if ends_s > now_s else Count(0, 0)

    def _make_room(self, now_s: float) -> None:
        """Where there are many, what is over goes; where that is not enough, everything, rather than all the memory."""
        if len(self._windows) < _MOST_COUNTERS:
            return
        self._windows = {name: each for name, each in self._windows.items() if each[1] > now_s}
        if len(self._windows) >= _MOST_COUNTERS:
            self._windows.clear()


class Seen(NamedTuple):
    """How a request stands with one policy, of a key or of an address."""

    name: str
    most: int
    window_s: int
    used: int
    left_ms: int

    def check(self) -> None:
        """Raises RateLimited for a request beyond it."""
        if self.used > self.most:
            raise over(self.name, self.most, self.window_s, self.left_ms / 1000)


@dataclass(slots=True)
class Tally:
    """What one request counted for: `who` is the key (None without one), `address` where it comes from.

    `meter` counts what the request does where that is done; `seen` was counted already.
    """

    who: str | None
    address: str
    meter: Meter | None = None
    seen: list[Seen] = field(default_factory=list)

    def all_seen(self) -> list[Seen]:
        """How the request stands with all that it counted for."""
        return self.seen if self.meter is None else self.seen + _seen(self.meter)


def _seen(meter: Meter) -> list[Seen]:
    """How a request stands with what its meter counted."""
    counted = zip(meter.names, meter.rows, meter.counts, strict=False)
    return [Seen(name, row.most, row.window_ms // 1000, *count) for name, row, count in counted]


class Limiter:
    """Holds requests to the `limits`. Each method raises RateLimited for a request beyond one."""

    def __init__(self, limits: Limits, store: Store) -> None:
        self.limits = limits
        self._store = store
        self._counters = Counters()

    def admit(self, asked: Any, caller: Caller, bucket: Bucket, *, metered: bool = False) -> Meter | None:
        """Count a request in the bucket of its operation; with a meter, it is counted where it is carried out."""
        address = f"address:{network(asked.environ.get('REMOTE_ADDR') or '')}"
        tally = asked.tally = Tally(caller.scope if caller.known else None, address)
        if bucket == "actions":
            rate = self.limits.rates["refused"]
            name, who, most = self._refused_by(tally)
            self._require_left(tally, Seen(name, most, rate.window_s, *self._counters.peek(f"refused:{who}")))
            if tally.who is not None:
                tally.meter = self.limits.meter(bucket, tally.who, address)
        elif metered:
            meter = self.limits.meter(bucket, tally.who, address)
            for name, row in zip(meter.names, meter.rows, strict=True):
                # What the store said is used up stays so until the window ends: it need not be asked again.
                self._require_left(tally, Seen(name, row.most, row.window_ms // 1000, *self._counters.peek(row.name)))
            tally.meter = meter
        else:
            self._count(tally, bucket)
        return tally.meter

    @staticmethod
    def _require_left(tally: Tally, seen: Seen) -> None:
        if seen.used >= seen.most:
            tally.seen.append(seen)
            raise over(seen.name, seen.most, seen.window_s, seen.left_ms / 1000)

    def charge(self, asked: Any, policy: Policy) -> None:
        """Count a request for one policy more, beside the bucket of its operation."""
        self._count(asked.tally, policy)

    def settle(self, asked: Any) -> None:
        """Count a metered request that did nothing: it was refused, or answered as before."""
        meter = None if asked.tally is None else asked.tally.meter
        rows = () if meter is None else meter.due("store")
        if meter is not None and rows:
            meter.counts = tuple(self._store.count(rows))
            self._remember(asked.tally)
            for each in _seen(meter):
                each.check()

    def refused(self, asked: Any, bucket: Bucket | None, refusal: Refusal) -> None:
        """Count a request that was refused: to act, or with a bad token. Accepted ones are not held up by others."""
        if isinstance(refusal, RateLimited):
            self._remember(asked.tally)
            return
        self.settle(asked)
        if not isinstance(refusal, Unauthenticated) and bucket != "actions":
            return
        tally = asked.tally
        if tally is None:
            address = f"address:{network(asked.environ.get('REMOTE_ADDR') or '')}"
            tally = asked.tally = Tally(None, address)
        name, who, most = self._refused_by(tally)
        window_s = self.limits.rates["refused"].window_s
        tally.seen.append(Seen(name, most, window_s, *self._counters.add((f"refused:{who}", window_s))[0]))
        tally.seen[-1].check()

    def _remember(self, tally: Tally) -> None:
        """Keep in mind what the store said is used up."""
        if tally.meter is not None and tally.meter.counting == "store":
            for row, count in zip(tally.meter.rows, tally.meter.counts, strict=False):
                if count.used > row.most:
                    self._counters.put(row.name, row.most, count.left_ms / 1000)

    def _refused_by(self, tally: Tally) -> tuple[str, str, int]:
        """The name of the policy, and for whom refusals are counted: a key, or all of an address without one."""
        rate = self.limits.rates["refused"]
        if tally.who is None or rate.per_key is None:
            return "refused-address", tally.address, rate.per_address
        return "refused", tally.who, rate.per_key

    def _count(self, tally: Tally, policy: Policy) -> None:
        meter = self.limits.meter(policy, tally.who, tally.address)
        if meter.counting == "store":
            meter.counts = tuple(self._store.count(meter.rows))
        else:
            meter.counts = self._counters.add(*[(row.name, row.window_ms / 1000) for row in meter.rows])
        seen = _seen(meter)
        tally.seen += seen
        for each in seen:
            each.check()


def charge(asked: Any, policy: Policy) -> None:
    """Count the current request for one policy more, where limits are in force."""
    limiter: Limiter | None = current_app.extensions[EXTENSION]
    if limiter is not None:
        limiter.charge(asked, policy)


def stream_holder(asked: Any) -> tuple[str, int] | None:
    """Who holds the stream that the current request opens, and how many they may; None where that is not limited."""
    limiter: Limiter | None = current_app.extensions[EXTENSION]
    if limiter is None:
        return None
    tally: Tally = asked.tally
    if tally.who is None:
        return tally.address, limiter.limits.streams_per_address
    return tally.who, limiter.limits.streams_per_key


def write_fields(headers: Headers, tally: Tally) -> None:
    """Tell the caller which policies the request counted for, and what is left of the one that ends first."""
    seen = tally.all_seen()
    if not seen:
        return
    headers.add("RateLimit-Policy", _policies(tuple([(each.name, each.most, each.window_s) for each in seen])))
    first = min(seen, key=lambda each: each.most - each.used)
    left = max(0, first.most - first.used)
    headers.add("RateLimit", f'"{first.name}";r={left};t={-(-first.left_ms // 1000)}')


@lru_cache(maxsize=256)
def _policies(seen: tuple[tuple[str, int, int], ...]) -> str:
    return ", ".join(dict.fromkeys(f'"{name}";q={most};w={window_s}' for name, most, window_s in seen))


@lru_cache(maxsize=8192)
def network(address: str) -> str:
    """Whose address it is: an IPv4 address, or the first 64 bits of one of IPv6, within which one user has them all."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return _without_port(address)
    mapped = getattr(found, "ipv4_mapped", None)
    if found.version == 4 or mapped is not None:
        return str(mapped or found)
    return str(ip_network((int(found), 64), strict=False))


def _without_port(address: str) -> str:
    """Some proxies add the port."""
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if colon and port.isdigit() and host.count(":") != 1:
        try:
            ip_address(host)
        except ValueError:
            return "unknown"
        return network(host)
    return "unknown"
