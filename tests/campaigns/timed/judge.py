"""What must be true of races once they are over: one winner each, and everybody was told the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from spieltisch_service.domain.verify import verify
from tests.campaigns.harness.campaign import Finding
from tests.campaigns.harness.players import whole_logs
from tests.campaigns.harness.wire import Wire, accepted
from tests.campaigns.timed.inside import Came
from tests.campaigns.timed.model import GRACE_MS, Shown, compare, hold, is_lapse, shown
from tests.campaigns.timed.races import Field, Race

#: How a move that came too late is refused, with and without a version. Where its match is over, it is over.
_NAMED = {(412, "stale_version")}
_UNNAMED = {(412, "stale_version"), (409, "not_your_turn"), (409, "match_not_running")}
#: What is told of instants is cut to whole ms, here and there.
_CUT_MS = 1.0


class Judge:
    """Looks at what a field of racers did. `counts` is what it has seen."""

    def __init__(
        self, where: Field, outages: Sequence[tuple[int, int]], notes: Mapping[str, Sequence[Came]] | None
    ) -> None:
        self._field, self._outages, self._notes = where, outages, notes
        self.counts: Counter[str] = Counter()
        self.near_ms: list[float] = []

    def judge(self) -> None:
        """Raises Finding."""
        field = self._field
        logs = whole_logs(field.port, field.matches, field.token)
        clocks = {match: shown(log) for match, log in logs.items()}
        for match, log in logs.items():
            hold(log, clocks[match], self._outages)
        for race in field.races:
            self._race(race, logs[race.match])
        for view in field.views:
            compare(logs[view["match"]], clocks[view["match"]], view)
        self.counts["views"] += len(field.views)
        self._authors(logs)
        with Wire(field.port, field.token) as wire:
            for match, log in logs.items():
                self._everywhere(wire, match, log, clocks[match])
        for reader in field.readers:
            self.counts["streams"] += 1
            if [json.loads(line) for line in reader.lines] != logs[reader.match]:
                raise Finding(f"{reader.name}: the transcript is not the log")

    def _race(self, race: Race, log: Sequence[Any]) -> None:
        what = f"{race.match} at {race.version} ({race.how}, {race.status} {race.code})"
        if race.version >= len(log):
            raise Finding(f"{what}: nothing came of it")
        event = log[race.version]
        came = self._came(race)
        if came is not None:
            what += f", came at {came.latest_ms - race.deadline_ms:.1f} ms"
        # Who names no version, and comes when a lapse may have been settled long ago, moves in the decision after it.
        later = came is not None and not race.named and came.latest_ms >= race.deadline_ms + GRACE_MS
        if later or event["type"] in ("clock_extended", "seat_resigned"):
            self.counts["no races"] += 1
            return
        moved = event["type"] == "action" and event["data"]["cause"] == "player"
        if not moved and not is_lapse(log, event):
            raise Finding(f"{what}: neither a move nor a lapse, but {event}")
        if event["seat"] != race.seat or moved != (race.status == 200):
            raise Finding(f"{what}: the log has {event}")
        if race.key is not None:
            self._told(what, race, log, moved=moved)
            self._in_time(what, race, came, moved=moved)
        self.counts[race.how] += 1
        self.counts[f"{race.how}, {'moved' if moved else 'lapsed'}"] += 1

    @staticmethod
    def _told(what: str, race: Race, log: Sequence[Any], *, moved: bool) -> None:
        if moved:
            written = tuple(event["hash"] for event in log[race.version : race.version + len(race.hashes)])
            if written != race.hashes:
                raise Finding(f"{what}: the answer's events are not those of the log")
        elif (race.status, race.code) not in (_NAMED if race.named else _UNNAMED):
            raise Finding(f"{what}: that is not how a late move is refused")

    def _came(self, race: Race) -> Came | None:
        """When its move came in; None where there was none, it was sent again, or nobody knows."""
        found = (self._notes or {}).get(race.key or "", ())
        return found[0] if len(found) == 1 else None

    def _in_time(self, what: str, race: Race, came: Came | None, *, moved: bool) -> None:
        """Whether the one that won had to, by when the move came in."""
        if came is None:
            return
        if race.how == "edge":
            self.near_ms.append((came.earliest_ms + came.latest_ms) / 2 - race.deadline_ms)
        if moved:
            if came.earliest_ms >= race.deadline_ms + _CUT_MS:
                raise Finding(f"{what}: came {came.earliest_ms - race.deadline_ms:.1f} ms too late, and counts")
            return
        if came.answered_ms < race.deadline_ms + GRACE_MS - _CUT_MS:
            raise Finding(f"{what}: settled {race.deadline_ms + GRACE_MS - came.answered_ms:.1f} ms too soon")
        # Between worker and store nobody can tell how long it took each way.
        on_its_way_ms = max((took_ms for took_ms, outcome in came.tries if outcome == "Lapsed"), default=None)
        if on_its_way_ms is not None and came.latest_ms + on_its_way_ms + _CUT_MS < race.deadline_ms:
            raise Finding(f"{what}: came {race.deadline_ms - came.latest_ms:.1f} ms before the deadline, in vain")

    def _authors(self, logs: Mapping[str, Sequence[Any]]) -> None:
        """Every move in a log was acknowledged to whom it is from, and the other way round."""
        told = {digest for race in self._field.races for digest in race.hashes}
        for match, log in logs.items():
            for event in log:
                if event["type"] == "action" and event["data"]["cause"] == "player":
                    self.counts["moves"] += 1
                    if event["hash"] not in told:
                        raise Finding(f"{match}: nobody was told of the move {event['seq']}")
                self.counts["forfeits"] += event["type"] == "seat_forfeited"
                self.counts["lapses"] += is_lapse(log, event)
                self.counts["extensions"] += event["type"] == "clock_extended"

    def _everywhere(self, wire: Wire, match: str, log: Sequence[Any], clocks: Sequence[Shown | None]) -> None:
        """Record, stream and views tell what the log tells."""
        record = accepted(wire.settled("GET", f"/v1/matches/{match}/record"), 200)
        if record["events"] != log:
            raise Finding(f"{match}: record and log differ")
        verify(record)
        answer = wire.settled("GET", f"/v1/matches/{match}/events", headers={"Accept": "application/x-ndjson"})
        *lines, _ = [json.loads(line) for line in answer.body.splitlines() if line]
        if lines != log:
            raise Finding(f"{match}: stream and log differ")
        for version in {len(log), len(log) // 2 + 1, max(1, len(log) - 2)}:
            compare(log, clocks, accepted(wire.settled("GET", f"/v1/matches/{match}/view?at={version}"), 200))
            self.counts["views"] += 1
        self.counts["matches"] += 1
