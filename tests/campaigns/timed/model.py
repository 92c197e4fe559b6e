"""What the clocks must show, worked out by hand from the contract and the instants in a log; and what a log must hold.

Nothing of the service takes part in it. All instants are ms since 1970 by the store's clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.campaigns.harness.campaign import Finding

#: Nothing is settled before a move that came in time has had this long to be written.
GRACE_MS = 1_500


def ms(at: str) -> int:
    """An instant of the API."""
    return round(datetime.fromisoformat(at).timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class Shown:
    """The clocks after an event: what each seat has left, who must decide, and since when."""

    left_ms: tuple[int, ...]
    seat: int | None
    since_ms: int

    @property
    def deadline_ms(self) -> int | None:
        """When that is used up."""
        return None if self.seat is None else self.since_ms + self.left_ms[self.seat]


def shown(log: Sequence[Mapping[str, Any]]) -> list[Shown | None]:
    """What the clocks show at each version: the first is before any event, and None is before the start."""
    rules = log[0]["data"]["clock"]
    increment_ms, plays_on = rules.get("increment_ms", 0), rules["on_timeout"] == "autoplay"
    runs_down = rules["kind"] == "fischer"
    now: Shown | None = None
    found: list[Shown | None] = [None]
    for event in log:
        kind, data, at_ms = event["type"], event["data"], ms(event["at"])
        if kind == "match_started":
            first = rules["initial_ms"] if runs_down else rules["per_decision_ms"]
            now = Shown((first,) * len(log[0]["data"]["seats"]), data["to_act"], at_ms)
        elif now is not None and kind == "action":
            left = list(now.left_ms)
            if runs_down and event["seat"] == now.seat and data["cause"] != "resigned":
                left[now.seat] -= max(0, min(left[now.seat], at_ms - now.since_ms))
                if data["cause"] == "player" or plays_on:
                    left[now.seat] += increment_ms
            now = Shown(tuple(left), data["to_act"], at_ms + data.get("late_ms", 0))
        elif now is not None and kind == "clock_extended":
            now = Shown(now.left_ms, now.seat, now.since_ms + data["ms"])
        elif now is not None and kind in ("match_finished", "match_aborted"):
            now = Shown(now.left_ms, None, now.since_ms)
        found.append(now)
    return found


def is_lapse(log: Sequence[Mapping[str, Any]], event: Mapping[str, Any]) -> bool:
    """Whether somebody's time was over with this event."""
    if log[0]["data"]["clock"]["on_timeout"] == "forfeit":
        return bool(event["type"] == "seat_forfeited")
    return bool(event["type"] == "action" and event["data"]["cause"] == "timeout")


def hold(log: Sequence[Mapping[str, Any]], clocks: Sequence[Shown | None], outages: Sequence[tuple[int, int]]) -> None:
    """Check the instants of a log: lapses lie at the deadlines, to the ms, and downtime is made good, no more.

    `outages` are those that the store has noted. Raises Finding.
    """
    last_ms = credited_ms = 0
    for event, before in zip(log, clocks, strict=False):
        at_ms, what = ms(event["at"]), f"{log[0]['data']['match']}, event {event['seq']}"
        if at_ms < last_ms:
            raise Finding(f"{what} lies {last_ms - at_ms} ms before the one before it")
        last_ms = at_ms
        if before is None or before.seat is None:
            continue
        deadline_ms = before.since_ms + before.left_ms[before.seat]
        if is_lapse(log, event):
            if event["seat"] != before.seat or at_ms != deadline_ms:
                raise Finding(f"{what}: a lapse of seat {event['seat']}, {at_ms - deadline_ms} ms from the deadline")
            late_ms = event["data"].get("late_ms", GRACE_MS)
            if before.left_ms[before.seat] and late_ms < GRACE_MS:
                raise Finding(f"{what}: settled {late_ms} ms after the deadline, when moves may be on their way")
        elif event["type"] == "clock_extended":
            _downtime(what, event, max(credited_ms, before.since_ms), deadline_ms, outages)
            credited_ms = at_ms


def _downtime(
    what: str, event: Mapping[str, Any], since_ms: int, deadline_ms: int, outages: Sequence[tuple[int, int]]
) -> None:
    """Whether an extension is what the service was away in this decision, as far as it is not made good yet."""
    sums, total_ms = {0}, 0
    for began_ms, ended_ms in outages:
        began_ms = max(began_ms, since_ms)
        if began_ms < deadline_ms + total_ms:
            total_ms += max(0, ended_ms - began_ms)
            # An outage that ended later was not known yet.
            sums.add(total_ms)
    told_ms = event["data"]["ms"]
    if told_ms <= 0 or told_ms not in sums or event["data"]["reason"] != "downtime":
        raise Finding(f"{what}: {told_ms} ms made good, and the service was away for {sorted(sums)} ms")


def compare(log: Sequence[Mapping[str, Any]], clocks: Sequence[Shown | None], view: Mapping[str, Any]) -> None:
    """A view must show what the clocks show at its version, to the ms. Raises Finding."""
    now = clocks[view["version"]]
    told = view["deadline_at"] and ms(view["deadline_at"]), view["remaining_ms"]
    expected = (None, None) if now is None else (now.deadline_ms, list(now.left_ms))
    if told != expected:
        raise Finding(f"{log[0]['data']['match']} at {view['version']}: {told} is shown, and it is {expected}")
