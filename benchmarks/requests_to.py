"""T1 to T4: the service's requests against the anchors' at 32 connections."""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import Callable, Sequence

from benchmarks.load import CONNECTIONS, Load, Result, request
from benchmarks.measure import Invalid, Row, Target, interleaved, median, ratio
from benchmarks.prepared import SCRIPT, Prepared, prepared
from benchmarks.site import ANCHOR_MATCHES, Site

T1 = Target("POST …/actions, Neues Land with 34 to 46 tiles, answers/s against move", 0.55, 0.80)
T1_APART = Target("the same, each connection in its own matches (its worker is up to date)", 0.55, 0.80)
T2 = Target("its p99 against move's", 2.0, 1.5, at_most=True)
T2_APART = Target("the same, each connection in its own matches", 2.0, 1.5, at_most=True)
T3 = Target("GET …/view in its turn, 41 tiles, answers/s against get", 0.60, 0.80)
T3_SAME = Target("the same with a matching ETag (304)", 0.9, 1.0)
T4 = Target("matches created (open seat) and joined (it starts), by two requests: matches/s against move", 0.5, 0.8)
T4_REQUESTS = Target("the same, its requests/s", 0.5, 0.8)
T4_AT_ONCE = Target("matches whose seats are both taken at creation (it starts): matches/s against move", 0.5, 0.8)

#: For each connection five, so that one slow answer is not overtaken by the next action of its match.
_MATCHES = 5 * CONNECTIONS
_VIEWED = 100
_MIDDLE = 80
#: More than can be.
_MOST_PER_S = 4000
_WARM_UP_S = 1

Contender = Callable[[], Result]


class Loads:
    """One load for each contender, over a site; each call is one round of it.

    Before actions and views are measured, one second of other reads shows every worker the matches, as they would
    know those that are being played. Without it a round would measure how fast matches are read for the first time.
    """

    def __init__(self, site: Site, seconds: int) -> None:
        self._site = site
        self._seconds = seconds
        self._account = site.account("Bench")
        self._second = site.account("Second")
        self._viewed: list[Prepared] = []

    def _anchor(self, *requests: bytes) -> Result:
        return self._site.load(Load(requests, again=True), self._seconds, on_anchors=True)

    def _service(self, load: Load) -> Result:
        return self._site.load(load, self._seconds)

    def _warm_up(self, matches: Sequence[Prepared]) -> None:
        self._site.load(Load(self._views(matches), again=True), _WARM_UP_S)

    def hello(self) -> Result:
        """The floor of Flask and gunicorn."""
        return self._anchor(request("GET", "/hello"))

    def get(self) -> Result:
        """One `HGET` of 4 KB."""
        return self._anchor(*(request("GET", f"/get/{number}") for number in range(ANCHOR_MATCHES)))

    def move(self) -> Result:
        """The floor of a durable move."""
        body = json.dumps({"actions": [{"type": "pass"}], "version": 66}).encode()
        return self._anchor(*(request("POST", f"/move/{number}", body) for number in range(ANCHOR_MATCHES)))

    def act(self, *, apart: bool = False) -> Result:
        """One action a request, each in another match than the one before: any worker gets any of them.

        So half of the actions come to a worker whose memory of the match is behind. With `apart` each connection plays
        its own matches, and none is.
        """
        requests: list[bytes] = []
        while len(requests) < self._seconds * _MOST_PER_S:
            matches = prepared(self._site.live, self._account, _MATCHES)
            scripts = [match.acts(self._account.key) for match in matches]
            requests += itertools.chain.from_iterable(zip(*scripts, strict=True))
            if len(requests) == _MATCHES * SCRIPT:
                first = matches
        self._warm_up(first)
        return self._service(Load(requests, apart=apart))

    def _views(self, matches: Sequence[Prepared], *, etag: bool = False) -> list[bytes]:
        requests = []
        for match in matches:
            known = {"If_None_Match": f'"{match.version}-0"'} if etag else {}
            path = f"/v1/matches/{match.id}/view?seat=0"
            requests.append(request("GET", path, None, Authorization=f"Bearer {self._account.key}", **known))
        return requests

    def _view(self, *, etag: bool) -> Result:
        if not self._viewed:
            self._viewed = prepared(self._site.live, self._account, _VIEWED, _MIDDLE)
        self._warm_up(self._viewed)
        return self._service(Load(self._views(self._viewed, etag=etag), again=True))

    def view(self) -> Result:
        """Views of matches at 41 tiles by the seat to act, legal actions included."""
        result = self._view(etag=False)
        if result.bytes_each < 2000:
            raise Invalid(f"answers of {result.bytes_each:.0f} bytes are no views")
        return result

    def view_again(self) -> Result:
        """The same with the ETag that they have."""
        result = self._view(etag=True)
        if result.bytes_each > 1000:
            raise Invalid(f"answers of {result.bytes_each:.0f} bytes are no 304")
        return result

    def _creates(self, *seats: str) -> list[bytes]:
        body = json.dumps({"game": "neues-land", "seats": seats}).encode()
        own = f"Bearer {self._account.key}"
        return [
            request("POST", "/v1/matches", body, Authorization=own, Idempotency_Key=secrets.token_hex(16))
            for _ in range(self._seconds * _MOST_PER_S)
        ]

    def create(self) -> Result:
        """An account creates matches with itself."""
        return self._service(Load(self._creates("me", "me")))

    def create_and_join(self) -> Result:
        """An account creates a match with an open seat, another one joins it as soon as it is there."""
        other = f"Bearer {self._second.key}"
        join = request("POST", "/v1/matches/{match}/seats", b"{}", Authorization=other, Idempotency_Key="join-{match}")
        return self._service(Load(self._creates("me", "open"), template=join))


def measured(site: Site, rounds: int, seconds: int, wanted: set[str]) -> list[Row]:
    """The rows that are wanted of T1 to T4."""
    loads = Loads(site, seconds)
    contenders: dict[str, Contender] = {}
    if wanted & {"T1", "T2", "T4"}:
        contenders |= {"hello": loads.hello, "move": loads.move}
    if wanted & {"T1", "T2"}:
        contenders |= {"act": loads.act, "apart": lambda: loads.act(apart=True)}
    if "T4" in wanted:
        contenders |= {"create": loads.create, "joined": loads.create_and_join}
    if "T3" in wanted:
        contenders |= {"get": loads.get, "view": loads.view, "same": loads.view_again}
    return _rows(interleaved(contenders, rounds), wanted)


def _rows(results: dict[str, list[Result]], wanted: set[str]) -> list[Row]:
    per_s = {name: [result.per_s for result in each] for name, each in results.items()}
    p99 = {name: [result.p99_ms for result in each] for name, each in results.items()}
    size = {name: median([result.bytes_each for result in each]) / 1000 for name, each in results.items()}
    said = {name: f"{median(each):,.0f}/s" for name, each in per_s.items()}
    late = {name: f"{median(each):.0f} ms" for name, each in p99.items()}

    def row(name: str, target: Target, own: str, anchor: str) -> Row:
        measured = f"{said[own]} of {size[own]:.1f} kB, {anchor} {said[anchor]}{_cpu(results[own], results[anchor])}"
        return Row(name, target, measured, *ratio(per_s[own], per_s[anchor]))

    def late_row(target: Target, own: str) -> Row:
        return Row("T2", target, f"{late[own]}, move {late['move']}", *ratio(p99[own], p99["move"]))

    rows = []
    if "T1" in wanted:
        rows += [row("T1", T1, "act", "move"), row("T1", T1_APART, "apart", "move")]
    if "T2" in wanted:
        rows += [late_row(T2, "act"), late_row(T2_APART, "apart")]
    if "T3" in wanted:
        rows += [row("T3", T3, "view", "get"), row("T3", T3_SAME, "same", "get")]
    if "T4" in wanted:
        joined = [result.joined_per_s for result in results["joined"]]
        measured = f"{median(joined):,.0f}/s, move {said['move']}"
        rows.append(Row("T4", T4, measured, *ratio(joined, per_s["move"])))
        rows += [row("T4", T4_REQUESTS, "joined", "move"), row("T4", T4_AT_ONCE, "create", "move")]
    return rows


def _cpu(own: Sequence[Result], anchor: Sequence[Result]) -> str:
    """CPU time of server and store for a request: what the ratio comes down to when nothing else runs here."""
    own_ms = [result.cpu_ms for result in own if result.cpu_ms is not None]
    anchor_ms = [result.cpu_ms for result in anchor if result.cpu_ms is not None]
    if len(own_ms) < len(own) or len(anchor_ms) < len(anchor):
        return ""
    share, _ = ratio(anchor_ms, own_ms)
    return f"; CPU {median(own_ms):.2f} to {median(anchor_ms):.2f} ms ({share:.2f})"
