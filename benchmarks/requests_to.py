"""T1 to T4: the service's requests against the anchors' at 32 connections."""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import Callable

from benchmarks.load import Result, request
from benchmarks.measure import Invalid, Row, Target, interleaved, median, ratio
from benchmarks.prepared import Prepared, prepared
from benchmarks.site import ANCHOR_MATCHES, Account, Site

T1 = Target("POST …/actions, Neues Land with 34 to 46 tiles, answers/s against move", 0.55, 0.80)
T2 = Target("its p99 against move's", 2.0, 1.5, at_most=True)
T3 = Target("GET …/view in its turn, 41 tiles, answers/s against get", 0.60, 0.80)
T3_SAME = Target("the same with a matching ETag (304)", 0.9, 1.0)
T4 = Target("matches created (open seat) and joined (it starts), matches/s against move", 0.5, 0.8)

#: More than connections by far, so that one slow answer cannot be overtaken by the next action of its match.
_MATCHES = 320
_VIEWED = 200
_MIDDLE = 80
_MOST_PER_S = 2500

Contender = Callable[[], Result]


class Loads:
    """One load for each contender, over a site; each call is one round of it."""

    def __init__(self, site: Site, seconds: int) -> None:
        self._site = site
        self._seconds = seconds
        self._account = site.account("Bench")
        self._viewed: list[Prepared] = []

    def _anchor(self, requests: list[bytes]) -> Result:
        return self._site.generator.run(self._site.anchor_port, requests, self._seconds, again=True)

    def hello(self) -> Result:
        """The floor of Flask and gunicorn."""
        return self._anchor([request("GET", "/hello")])

    def get(self) -> Result:
        """One `HGET` of 4 KB."""
        return self._anchor([request("GET", f"/get/{number}") for number in range(ANCHOR_MATCHES)])

    def move(self) -> Result:
        """The floor of a durable move."""
        body = json.dumps({"actions": [{"type": "pass"}], "version": 66}).encode()
        return self._anchor([request("POST", f"/move/{number}", body) for number in range(ANCHOR_MATCHES)])

    def act(self) -> Result:
        """One action a request; neighbours in time are of different matches, so any worker gets any of them.

        Half of a match's requests come to a worker whose memory of it is behind, as when its players have a
        connection each.
        """
        count = max(_MATCHES, round(self._seconds * _MOST_PER_S / 24))
        matches = prepared(self._site.live, self._account, count)
        scripts = [list(match.acts(self._account.key)) for match in matches]
        return self._service(list(itertools.chain.from_iterable(zip(*scripts, strict=True))))

    def _service(self, requests: list[bytes], *, again: bool = False, template: bytes | None = None) -> Result:
        return self._site.generator.run(self._site.port, requests, self._seconds, again=again, template=template)

    def _views(self, etag: bool) -> list[bytes]:
        if not self._viewed:
            self._viewed = prepared(self._site.live, self._account, _VIEWED, _MIDDLE)
        requests = []
        for match in self._viewed:
            path = f"/v1/matches/{match.id}/view?seat=0"
            known = {"If_None_Match": f'"{match.version}-0"'} if etag else {}
            requests.append(request("GET", path, None, Authorization=f"Bearer {self._account.key}", **known))
        return requests

    def view(self) -> Result:
        """Views of matches at 41 tiles by the seat to act, legal actions included."""
        result = self._service(self._views(etag=False), again=True)
        if result.bytes_each < 2000:
            raise Invalid(f"answers of {result.bytes_each:.0f} bytes are no views")
        return result

    def view_again(self) -> Result:
        """The same with the ETag that they have."""
        result = self._service(self._views(etag=True), again=True)
        if result.bytes_each > 1000:
            raise Invalid(f"answers of {result.bytes_each:.0f} bytes are no 304")
        return result

    def create_and_join(self) -> Result:
        """An account creates a match with an open seat, another one joins it as soon as it is there."""
        other = self._other()
        body = json.dumps({"game": "neues-land", "seats": ["me", "open"]}).encode()
        creates = [
            request(
                "POST",
                "/v1/matches",
                body,
                Authorization=f"Bearer {self._account.key}",
                Idempotency_Key=secrets.token_hex(16),
            )
            for _ in range(round(self._seconds * _MOST_PER_S))
        ]
        join = request(
            "POST",
            "/v1/matches/{match}/seats",
            b"{}",
            Authorization=f"Bearer {other.key}",
            Idempotency_Key="join-{match}",
        )
        return self._service(creates, template=join)

    def _other(self) -> Account:
        return self._site.account("Second")


def measured(site: Site, rounds: int, seconds: int, wanted: set[str]) -> list[Row]:
    """The rows that are wanted of T1 to T4."""
    loads = Loads(site, seconds)
    contenders: dict[str, Contender] = {}
    if wanted & {"T1", "T2", "T4"}:
        contenders["move"] = loads.move
    if wanted & {"T1", "T2"}:
        contenders["act"] = loads.act
    if "T4" in wanted:
        contenders["create"] = loads.create_and_join
    if "T3" in wanted:
        contenders |= {"get": loads.get, "view": loads.view, "same": loads.view_again}
    contenders["hello"] = loads.hello
    # A first round fills caches and is not counted.
    interleaved(contenders, 1)
    return _rows(interleaved(contenders, rounds), wanted)


def _rows(results: dict[str, list[Result]], wanted: set[str]) -> list[Row]:
    per_s = {name: [result.per_s for result in each] for name, each in results.items()}
    p99 = {name: [result.p99_ms for result in each] for name, each in results.items()}
    speed = {name: f"{median(each):,.0f}/s" for name, each in per_s.items()}
    rows = []
    if "T1" in wanted:
        size = median([result.bytes_each for result in results["act"]]) / 1000
        said = f"{speed['act']} of {size:.1f} kB, move {speed['move']} (hello {speed['hello']})"
        rows.append(Row("T1", T1, said, *ratio(per_s["act"], per_s["move"])))
    if "T2" in wanted:
        said = f"{median(p99['act']):.1f} ms, move {median(p99['move']):.1f} ms"
        rows.append(Row("T2", T2, said, *ratio(p99["act"], p99["move"])))
    if "T3" in wanted:
        size = median([result.bytes_each for result in results["view"]]) / 1000
        rows.append(
            Row("T3", T3, f"{speed['view']} of {size:.1f} kB, get {speed['get']}", *ratio(per_s["view"], per_s["get"]))
        )
        rows.append(Row("T3", T3_SAME, f"{speed['same']}, get {speed['get']}", *ratio(per_s["same"], per_s["get"])))
    if "T4" in wanted:
        joined = [result.joined_per_s for result in results["create"]]
        said = f"{median(joined):,.0f}/s, by two requests each ({speed['create']}); move {speed['move']}"
        rows.append(Row("T4", T4, said, *ratio(joined, per_s["move"])))
    return rows
