"""CANARY: what must stay secret comes out nowhere: in no body, header or stream, not in log, metrics or the store.

Every operation of the API is done, matches of both games and a tournament are played to their ends, and all that can
be read of them is read after each step, by nobody and by everybody. A canary knows each key, token and seed and the
order of each deck, and looks at every byte that leaves the service, at its log, with a line for each request, and at
what the store holds, in which no token may stand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import redis

from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import HouseBots, Sweeper
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.app import create_app
from spieltisch_service.web.overrides import EXTENSION
from spieltisch_service.web.recording import Recorder, play_match, visit_operations
from tests.campaigns.harness.asking import Asking, Reply
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.canary import Canary, issued
from tests.campaigns.harness.logged import quiet_log
from tests.campaigns.harness.own_store import own_store
from tests.campaigns.secret.bugs import BUGS
from tests.web.tournament_refusals import NEW

_FOUND = re.compile(rb'"((?:mt|tn)_[0-9a-f]{32})"')
_LOOKS = 5


class Watched:
    """A service of which every answer is looked at; what is hidden in it is found out as it comes into being."""

    def __init__(self, app: Any, service: Service) -> None:
        self.service = service
        self.canary = Canary()
        self.answers = 0
        self.issued: set[str] = set()
        self._known: set[str] = set()
        self.asking = Asking(app.wsgi_app, watch=self._seen)

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """For a recorder."""
        token = headers.get("Authorization", "").removeprefix("Bearer ") or None
        rest = [(name, value) for name, value in headers.items() if name not in ("Authorization", "Content-Type")]
        reply = self.asking.ask(method, path, token, body, rest)
        return reply.status, {name.title(): value for name, value in reply.headers}, reply.body

    def done(self, method: str, path: str, token: str | None = None, body: Any = None) -> Any:
        """The JSON of an answer that must be good."""
        reply = self.asking.ask(method, path, token, body)
        assert reply.status in (200, 201), (method, path, reply)
        return reply.json

    def _seen(self, reply: Reply) -> None:
        self.answers += 1
        value = reply.json if reply.media_type == "application/json" and reply.body else None
        given = issued(value) if isinstance(value, Mapping) else []
        self.canary.look("an answer", reply.body, allowed=given)
        self.canary.look_at_headers("the headers of an answer", reply.headers)
        self.canary.hide("a token", *given)
        self.issued |= set(given)
        for found in {each.decode() for each in _FOUND.findall(reply.body[:50_000])} - self._known:
            self._known.add(found)
            self._hide(found)

    def _hide(self, id_: str) -> None:
        if self.service.store.version(id_) is None:
            # It was only tried.
            return
        if id_.startswith("tn_"):
            self.canary.hide_seed(self.service.book.fresh(id_).seed, shown=self._ended(id_))
            return
        live = self.service.live.fresh(id_)
        shown = self._shows_deal(id_)
        if live.secret.seed is not None:
            self.canary.hide_seed(live.secret.seed, shown=shown)
            if live.secret.deal is not None:
                self.canary.hide_order(live.secret.deal["deck"][8:], shown=shown)

    def _ended(self, id_: str) -> Callable[[], bool]:
        return lambda: self.service.book.fresh(id_).folded.ended

    def _shows_deal(self, id_: str) -> Callable[[], bool]:
        def shown() -> bool:
            match = self.service.live.fresh(id_).match
            if match.played_for is None:
                return match.ended
            # Its table plays one deal in two matches: the log tells when both are over.
            table = self.service.book.fresh(match.played_for.tournament).folded.table(match.played_for.table)
            return table is not None and table.complete

        return shown


def run(run: Run) -> Figures:
    """`rounds` times everything, each over an empty store."""
    app = create_app(None)
    lines: list[str] = []
    answers = seen = values = 0
    with own_store(run.folder) as (url, new_service), quiet_log(lines.append, 0), pytest.MonkeyPatch.context() as patch:
        if run.plant is not None:
            BUGS[run.plant](patch)
        for number in range(run["rounds"]):
            with redis.Redis.from_url(url) as client:
                client.flushall()
                service = app.extensions[EXTENSION] = new_service()
                watched = Watched(app, service)
                _play(watched, run.rng, run["matches"])
                watched.canary.look("the metrics", watched.asking.ask("GET", "/metrics").body)
                watched.canary.look("the log", "\n".join(lines).encode())
                values += _look_into_the_store(client, watched.issued)
            answers += watched.answers
            seen += watched.canary.bytes_seen
            lines.clear()
            run.say(f"round {number + 1}: {answers:,} answers, {seen >> 20} MiB")
    return {
        "operations": answers,
        "MiB looked at": seen >> 20,
        "values of the store looked at": values,
        "secrets": 0,
    }


def _play(watched: Watched, rng: random.Random, matches: int) -> None:
    visit_operations(Recorder(watched.send, "operations"))
    for game in GAMES:
        play_match(Recorder(watched.send, game), game)
        for _ in range(matches):
            _drawn_match(watched, rng, game)
    _tournament(watched, rng)


def _drawn_match(watched: Watched, rng: random.Random, game: str) -> None:
    """A match from a drawn deal, of which everything is read as it goes on."""
    key = watched.done("POST", "/v1/accounts", None, {"name": "Ada"})["key"]
    options = {"round_limit": 2} if game == "wunderland" else {"expert": True}
    path = f"/v1/matches/{_made(watched, key, game, options)}"
    ply = 0
    while (view := watched.done("GET", f"{path}/view?seat=0", key))["status"] == "running":
        seat = view["to_act"]
        legal = watched.done("GET", f"{path}/legal-actions?seat={seat}", key)["legal_actions"]
        watched.done("POST", f"{path}/actions", key, {"actions": [rng.choice(legal)], "seat": seat})
        ply += 1
        if ply % _LOOKS == 0:
            _read(watched, path, key)
    _read(watched, path, key)


def _made(watched: Watched, key: str, game: str, options: Mapping[str, Any]) -> str:
    made = watched.done("POST", "/v1/matches", key, {"game": game, "seats": ["me"] * 3, "options": options})
    return str(made["id"])


def _read(watched: Watched, path: str, key: str) -> None:
    """All that can be read of a match, by nobody and by a seat."""
    for what in ("", "/view", "/record", "/board.txt", "/events", "/legal-actions"):
        watched.asking.ask("GET", path + what)
        watched.asking.ask("GET", f"{path}{what}?seat=1", key)
    for media_type in ("text/event-stream", "application/x-ndjson"):
        watched.asking.ask("GET", f"{path}/events", headers=[("Accept", media_type)])
    watched.asking.ask("GET", "/v1/matches?limit=5")
    watched.asking.ask("POST", f"{path}/actions", key, {"actions": [{"type": "stay"}], "seat": 2, "version": 1})


def _tournament(watched: Watched, rng: random.Random) -> None:
    """A tournament with duplicate deals, of which everything is read as it goes on."""
    key = watched.done("POST", "/v1/accounts", None, {"name": "Bob"})["key"]
    wanted = {**NEW, "format": "round_robin", "duplicate": True, "options": {"round_limit": 1}}
    path = f"/v1/tournaments/{watched.done('POST', '/v1/tournaments', key, wanted)['id']}"
    watched.done("POST", f"{path}/entrants", key, {})
    watched.done("POST", f"{path}/entrants", key, {"bot": "random"})
    watched.done("POST", f"{path}/start", key, {})
    bots, sweeper = HouseBots(watched.service, seed=1), Sweeper(watched.service)
    while watched.done("GET", path)["status"] == "running":
        bots.play_waiting()
        sweeper.sweep()
        for waiting in watched.done("GET", "/v1/me/decisions", key)["decisions"]:
            match = f"/v1/matches/{waiting['match']}"
            legal = watched.done("GET", f"{match}/legal-actions", key)["legal_actions"]
            watched.done("POST", f"{match}/actions", key, {"actions": [rng.choice(legal)]})
            _read(watched, match, key)
        for what in ("rounds", "standings", "crosstable", "statistics", "events", "results", "export"):
            watched.asking.ask("GET", f"{path}/{what}")
    for each in watched.done("GET", f"{path}/rounds")["rounds"]:
        for result in (result for table in each["tables"] for result in table["results"]):
            _read(watched, f"/v1/matches/{result['match']}", key)
    watched.asking.ask("GET", f"{path}/export")


def _look_into_the_store(client: Any, tokens: set[str]) -> int:
    """No token that was given out stands in the store. How many values were looked at."""
    count = 0
    wanted = [token.encode() for token in tokens]
    for key in client.scan_iter(count=1000):
        dumped = client.dump(key) or b""
        count += 1
        for token in wanted:
            if token in dumped or token.rpartition(b"_")[2] in dumped:
                raise Finding(f"the store holds a token in clear, in {key!r}")
    return count


CAMPAIGN = Campaign(
    name="CANARY",
    promise="what must stay secret comes out nowhere: no body, header, stream, log, metric, and no token in the store",
    run=run,
    short={"rounds": 1, "matches": 1},
    long={"rounds": 20, "matches": 8},
    teeth=tuple(BUGS),
)
