"""How much a caller may ask for: buckets of requests with their rates, and quotas of what may be there at a time.

One table has all numbers: the API description, `GET /v1/me`, the header fields and the checks are made from it. Each
bucket is counted on its own, for a key (all keys of an account are one; a seat token is another) and for the address
that requests come from; a bucket that is used up holds up nothing of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from spieltisch_service.app.errors import RateLimited
from spieltisch_service.app.ports import Count, Counted, Limited, Quota

Bucket = Literal["actions", "reads", "creates", "streams", "sandbox"]
#: Beside the buckets of operations: requests that were refused, and new accounts.
Policy = Literal["actions", "reads", "creates", "streams", "sandbox", "refused", "accounts"]
Counting = Literal["commit", "store", "process"]

_MINUTE_S, _HOUR_S = 60, 3600
#: When it is worth asking again whether a match has ended.
_ASK_AGAIN_S = 60


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests in each `window_s`, which begins with the first one, of a key and of an address.

    `counting`: in the `commit` itself, for each of the 64 groups of matches; in the `store`, over all processes; or by
    each `process` for itself, which costs nothing. `per_key` is None where a key makes no difference.
    """

    per_key: int | None
    per_address: int
    window_s: int
    counting: Counting
    what: str

    def to_wire(self, policy: str) -> list[dict[str, Any]]:
        """The limits that it comes to, as `GET /v1/me` lists them."""
        both = {"key": self.per_key, "address": self.per_address}
        return [
            {"name": policy, "per": per, "limit": most, "window_s": self.window_s}
            for per, most in both.items()
            if most is not None
        ]


RATES: Mapping[Policy, Rate] = MappingProxyType(
    {
        "actions": Rate(6_000, 30_000, _MINUTE_S, "commit", "accepted requests to act, for each 64th of the matches"),
        "refused": Rate(1_200, 6_000, _MINUTE_S, "process", "requests to act that were refused, and bad tokens"),
        "reads": Rate(3_000, 12_000, _MINUTE_S, "process", "reading, long polls too"),
        "creates": Rate(300, 900, _MINUTE_S, "store", "new matches, seats, rematches, accounts and keys"),
        "accounts": Rate(None, 100, _HOUR_S, "store", "new accounts"),
        "streams": Rate(120, 600, _MINUTE_S, "store", "opening event streams"),
        "sandbox": Rate(120, 480, _MINUTE_S, "store", "asking what if"),
    }
)


#: The quotas, unless an operator says otherwise.
LIVE_MATCHES, LIVE_TOURNAMENTS, STREAMS_PER_KEY = 100, 5, 8


@dataclass(frozen=True, slots=True)
class Limits:
    """The rates and quotas in force.

    `live_matches`: how many matches of an account may be open or running; `live_tournaments`: how many of those that it
    organizes may not have ended; `streams_per_key`, `streams_per_address`: how
    many event streams a key, or an address without one, may hold open in one process.
    """

    rates: Mapping[Policy, Rate] = field(default_factory=lambda: RATES)
    live_matches: int = LIVE_MATCHES
    streams_per_key: int = STREAMS_PER_KEY
    streams_per_address: int = 64
    live_tournaments: int = LIVE_TOURNAMENTS

    def to_wire(self) -> list[dict[str, Any]]:
        """All of it, as `GET /v1/me` lists it."""
        quotas = [
            {"name": "live_matches", "per": "account", "limit": self.live_matches, "window_s": None},
            {"name": "live_tournaments", "per": "account", "limit": self.live_tournaments, "window_s": None},
            {"name": "open_streams", "per": "key", "limit": self.streams_per_key, "window_s": None},
            {"name": "open_streams", "per": "address", "limit": self.streams_per_address, "window_s": None},
        ]
        return [limit for policy, rate in self.rates.items() for limit in rate.to_wire(policy)] + quotas

    def meter(self, policy: Policy, who: str | None, address: str) -> Meter:
        """What counts a request of a key (None without one) from an address."""
        rate = self.rates[policy]
        window_ms = rate.window_s * 1000
        by_address = Counted(f"{policy}:{address}", rate.per_address, window_ms)
        if who is None or rate.per_key is None:
            return Meter((f"{policy}-address",), (by_address,), rate.counting)
        rows = Counted(f"{policy}:{who}", rate.per_key, window_ms), by_address
        return Meter((policy, f"{policy}-address"), rows, rate.counting)


@dataclass(slots=True)
class Meter:
    """Counts one request: where that is done, it goes there with `rows` to count, and comes back with their `counts`.

    `names` are those of the rows' limits. `counting` is as in `Rate`; what is counted in the `store` is counted once,
    however often it is tried.
    """

    names: tuple[str, ...]
    rows: tuple[Counted, ...]
    counting: Counting
    counts: tuple[Count, ...] = ()

    def due(self, counting: Counting) -> tuple[Counted, ...]:
        """The rows that are still to be counted in such a way."""
        return () if counting != self.counting or (counting == "store" and self.counts) else self.rows

    def exceeded(self, limited: Limited) -> RateLimited:
        """The refusal for a row that is used up."""
        row = self.rows[limited.row]
        return over(self.names[limited.row], row.most, row.window_ms // 1000, limited.left_ms / 1000)


class TooMany(RateLimited):
    """An account has as many as the quota allows, and may not have more."""

    def __init__(self, quota: Quota) -> None:
        name = f"live_{quota.of}"
        msg = f"{name}: the account has {quota.most} {quota.of} that have not ended, which is all that it may have"
        super().__init__(msg, _ASK_AGAIN_S, name)


def over(policy: str, most: int, window_s: int, left_s: float) -> RateLimited:
    """The refusal of a request beyond `most`, for as long as the window lasts."""
    # Rounded up: whoever comes back a moment too early is refused again.
    wait_s = max(1, -int(-left_s // 1))
    return RateLimited(f"{policy}: {most} in {window_s} s are used up; come back in {wait_s} s", wait_s, policy)
