"""Clocks: how much time each seat has, as a pure fold of the log and the times of its events.

The clock of the seat that must act runs; a decision begins with the event that made it that seat's. What a seat has is
told as of the beginning of the running decision, so that the same log always gives the same numbers, and
`deadline_ms` is the instant at which that is used up. A lapse is an event at that very instant, however late somebody
notices: `late_ms` in its actions says by how much, and the next decision begins that much later. While the service
was down no clock ran: `clock_extended` lets the running decision begin later by as much.

All instants are milliseconds since 1970 UTC by the store's clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

SECOND_MS = 1_000
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS

#: For each kind of clock its times, with the least and the most that each may be.
KINDS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "per_decision": {"per_decision_ms": (100, DAY_MS)},
    "fischer": {"initial_ms": (SECOND_MS, 7 * DAY_MS), "increment_ms": (0, HOUR_MS)},
    "correspondence": {"per_decision_ms": (HOUR_MS, 28 * DAY_MS)},
}
ON_TIMEOUT = ("forfeit", "autoplay")

#: A move that was received in time may still be on its way to the store when the time is over; nothing is settled
#: before it has had this long.
GRACE_MS = 1_500

#: Events by which a decision ends and the next one begins.
_BEGINS = ("match_started", "action")


@dataclass(frozen=True, slots=True)
class Clock:
    """How a match is timed. `kind` is one of `KINDS`, `on_timeout` one of `ON_TIMEOUT`.

    per_decision, correspondence: `time_ms` for each decision, as if nothing had been used before. fischer: `time_ms`
    for all of a seat's decisions, and `increment_ms` more after each of them. Raises ValueError for any other.
    """

    kind: str
    time_ms: int
    increment_ms: int = 0
    on_timeout: str = "forfeit"

    def __post_init__(self) -> None:
        bounds = list(KINDS.get(self.kind, {}).values())
        for value, (least, most) in zip((self.time_ms, self.increment_ms), bounds, strict=False):
            if type(value) is not int or not least <= value <= most:
                msg = f"a {self.kind} clock has no time of {value} ms"
                raise ValueError(msg)
        if not bounds or self.on_timeout not in ON_TIMEOUT or (len(bounds) == 1 and self.increment_ms != 0):
            msg = f"there is no such clock: {self}"
            raise ValueError(msg)

    @property
    def is_fischer(self) -> bool:
        """Whether what a decision has used is missing later."""
        return self.kind == "fischer"

    def to_wire(self) -> dict[str, Any]:
        """The clock as API clients and the log have it."""
        times = dict(zip(KINDS[self.kind], (self.time_ms, self.increment_ms), strict=False))
        return {"kind": self.kind, **times, "on_timeout": self.on_timeout}

    @classmethod
    def from_wire(cls, raw: Mapping[str, Any]) -> Self:
        """What `to_wire` gave. Raises ValueError, KeyError or TypeError for anything else."""
        times = [raw[name] for name in KINDS[raw["kind"]]]
        if len(raw) != len(times) + 2:
            msg = "a clock has other fields"
            raise ValueError(msg)
        return cls(raw["kind"], times[0], times[1] if len(times) > 1 else 0, raw["on_timeout"])


@dataclass(frozen=True, slots=True)
class Times:
    """What the clocks show after an event.

    `remaining_ms` by seat, as of `since_ms`, when the running decision began; `seat` must act (None: nobody any more).
    Downtime is made good as far as `credited_ms`.
    """

    remaining_ms: tuple[int, ...]
    seat: int | None
    since_ms: int
    credited_ms: int

    @property
    def deadline_ms(self) -> int | None:
        """When the time of the seat that must act is used up; None when no clock runs."""
        return None if self.seat is None else self.since_ms + self.remaining_ms[self.seat]

    @property
    def due_ms(self) -> int | None:
        """From when on a lapse may be settled."""
        return None if self.seat is None else self.since_ms + self.remaining_ms[self.seat] + self._grace_ms

    @property
    def _grace_ms(self) -> int:
        # Nothing can have been received in time where there was no time.
        return GRACE_MS if self.seat is not None and self.remaining_ms[self.seat] else 0

    def charge(self, clock: Clock, seat: int | None, cause: str) -> tuple[int, int] | None:
        """What an action costs the seat that did it: (spare time, gained time), or None where it costs nothing.

        It costs what went by since the decision began, but no more than the spare time.
        """
        if not clock.is_fischer or seat is None or seat != self.seat or cause == "resigned":
            return None
        # Of a seat that was forfeited nothing is asked any more; one that stays has at least its increment.
        gains = cause == "player" or clock.on_timeout == "autoplay"
        return self.remaining_ms[seat], clock.increment_ms if gains else 0

    def after(self, clock: Clock, event_type: str, seat: int | None, data: Mapping[str, Any], at_ms: int) -> Times:
        """What they show after one more event."""
        match event_type:
            case "action":
                remaining = self.remaining_ms
                charge = self.charge(clock, seat, data["cause"])
                if charge is not None:
                    spare_ms, gained_ms = charge
                    left_ms = spare_ms - _spent(spare_ms, self.since_ms, at_ms) + gained_ms
                    remaining = tuple(left_ms if i == seat else old for i, old in enumerate(remaining))
                since_ms = at_ms + data.get("late_ms", 0)
                return Times(remaining, data["to_act"], since_ms, since_ms)
            case "clock_extended":
                return replace(self, since_ms=self.since_ms + data["ms"], credited_ms=at_ms)
            case "match_finished" | "match_aborted":
                return replace(self, seat=None)
        return self


def started(clock: Clock, players: int, to_act: int | None, at_ms: int) -> Times:
    """What the clocks show when a match starts."""
    return Times((clock.time_ms,) * players, to_act, at_ms, at_ms)


def after(
    clock: Clock,
    times: Times | None,
    players: int,
    event_type: str,
    seat: int | None,
    data: Mapping[str, Any],
    at_ms: int,
) -> Times | None:
    """What the clocks show after one more event; None before the start."""
    if event_type == "match_started":
        return started(clock, players, data["to_act"], at_ms)
    return None if times is None else times.after(clock, event_type, seat, data, at_ms)


def _spent(spare_ms: int, since_ms: int, at_ms: int) -> int:
    return min(spare_ms, max(0, at_ms - since_ms))


# --- before the store has told the time -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Due:
    """When a timer runs out, for a store that alone knows when (`at`) a commit happens.

    That is `after_ms` + at (`from_commit`), or `after_ms` itself; less what was spent, the smaller of `spare_ms` and
    the time from `since_ms` to at.
    """

    from_commit: bool
    after_ms: int
    since_ms: int = 0
    spare_ms: int = 0

    def at(self, at_ms: int) -> int:
        """The instant, for a commit at `at_ms`."""
        base_ms = at_ms if self.from_commit else 0
        return base_ms + self.after_ms - _spent(self.spare_ms, self.since_ms, at_ms)


@dataclass(frozen=True, slots=True)
class Row:
    """`Times` after some events of one commit, as far as they are known without the time (`at`) of the commit.

    `began`: the running decision began with them, `since_ms` after `at`; else at `since_ms`. `credited`: downtime is
    made good as far as `at`. `charged` is (seat, since, spare time): of what that seat has here, what it spent from
    `since` to `at` must be taken.
    """

    remaining_ms: tuple[int, ...]
    seat: int | None
    since_ms: int
    began: bool
    credited: bool
    credited_ms: int
    charged: tuple[int, int, int] | None = None

    def times(self, at_ms: int) -> Times:
        """What the clocks show, for a commit at `at_ms`."""
        remaining = self.remaining_ms
        if self.charged is not None:
            charged, since_ms, spare_ms = self.charged
            spent_ms = _spent(spare_ms, since_ms, at_ms)
            remaining = tuple(old - spent_ms if i == charged else old for i, old in enumerate(remaining))
        since_ms = self.since_ms + at_ms if self.began else self.since_ms
        credited_ms = since_ms if self.began else at_ms if self.credited else self.credited_ms
        return Times(remaining, self.seat, since_ms, credited_ms)

    @property
    def due(self) -> Due | None:
        """When the lapse of the running decision may be settled; None when no clock runs."""
        if self.seat is None:
            return None
        left_ms = self.remaining_ms[self.seat]
        after_ms = self.since_ms + left_ms + (GRACE_MS if left_ms else 0)
        if self.charged is not None and self.charged[0] == self.seat:
            return Due(self.began, after_ms, *self.charged[1:])
        return Due(self.began, after_ms)

    def to_json(self) -> str:
        """For the store."""
        kept = [1, self.remaining_ms, self.seat, self.since_ms, self.began, self.credited, self.credited_ms]
        return json.dumps([*kept, self.charged], separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """What `to_json` wrote. Raises ValueError for an unknown schema number."""
        schema, remaining, seat, since_ms, began, credited, credited_ms, charged = json.loads(text)
        if schema != 1:
            msg = "a clock of an unknown schema"
            raise ValueError(msg)
        charged = None if charged is None else tuple(charged)
        return cls(tuple(remaining), seat, since_ms, began, credited, credited_ms, charged)


def row_of(times: Times) -> Row:
    """The row of times that are all known."""
    return Row(
        times.remaining_ms, times.seat, times.since_ms, began=False, credited=False, credited_ms=times.credited_ms
    )


def pending(
    clock: Clock, before: Times | None, players: int, events: Iterable[tuple[str, int | None, Mapping[str, Any]]]
) -> Row | None:
    """The row after the events (type, seat, data) of one commit behind `before`; None before the start.

    `pending(…).times(at)` is what folding the events gives when all of them happen at `at`.
    """
    times, began, credited = before, False, False
    charged: tuple[int, int, int] | None = None
    for event_type, seat, data in events:
        # The very beginning of the decision, so that nothing is spent yet; behind an event that ends it, instants are
        # told from `at` on.
        now_ms = 0 if began or times is None else times.since_ms
        if times is not None and event_type == "action" and not began:
            charge = times.charge(clock, seat, data["cause"])
            if charge is not None and seat is not None:
                charged = (seat, now_ms, charge[0])
        times = after(clock, times, players, event_type, seat, data, now_ms)
        if event_type in _BEGINS and not began and times is not None:
            times = replace(times, since_ms=times.since_ms - now_ms)
            began = True
        credited = credited or event_type == "clock_extended"
    if times is None:
        return None
    return Row(times.remaining_ms, times.seat, times.since_ms, began, credited, times.credited_ms, charged)


# --- settling -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What is to be settled: `extend_ms` of downtime to make good (0: none), and the lapse that is due all the same.

    That happened at `lapsed_ms` (None: there is none) and is noticed `late_ms` after it.
    """

    extend_ms: int = 0
    lapsed_ms: int | None = None
    late_ms: int = 0

    def __bool__(self) -> bool:
        return bool(self.extend_ms) or self.lapsed_ms is not None


NOTHING_DUE = Reckoning()


def downtime(times: Times, outages: Sequence[tuple[int, int]]) -> int:
    """How much of the running decision the service was down, as far as that is not made good yet, in ms.

    `outages` are (from, to), which do not overlap, in order. One that began after the time was used up does not count.
    """
    deadline_ms = times.deadline_ms
    total_ms = 0
    if deadline_ms is not None:
        for began_ms, ended_ms in outages:
            began_ms = max(began_ms, times.credited_ms)
            if began_ms >= deadline_ms + total_ms:
                break
            total_ms += max(0, ended_ms - began_ms)
    return total_ms


def reckoned(times: Times, outages: Sequence[tuple[int, int]], now_ms: int) -> Reckoning:
    """What is to be settled at `now_ms`."""
    if times.deadline_ms is None or times.due_ms is None:
        return NOTHING_DUE
    extend_ms = downtime(times, outages)
    if now_ms < times.due_ms + extend_ms:
        return Reckoning(extend_ms)
    lapsed_ms = times.deadline_ms + extend_ms
    return Reckoning(extend_ms, lapsed_ms, now_ms - lapsed_ms)
