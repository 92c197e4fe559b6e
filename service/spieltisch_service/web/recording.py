"""Records what the service answers: an example of every operation, and one whole match of each game.

A recording plays against a real service, over HTTP or in one process. What differs between two recordings (ids,
tokens, instants, request ids) is then replaced by fixed stand-ins, and the hash chain, which contains ids, is computed
anew. So a recording is a function of the code alone, and a test can compare it with what is committed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.recording_tournaments import visit_tournaments
from spieltisch_service.web.schemas.wire import slots_of

_ID = re.compile(r"\b(mt|ac|ky|iv|tn)_[0-9a-f]{32}\b")
_TOKEN = re.compile(r"\bspt_(key|seat|invite|invitation)_[A-Za-z0-9._-]+")
_INSTANT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_HEX = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b")
#: Headers that tell something to a client.
_HEADERS = ("Content-Type", "ETag", "Location", "Idempotency-Replayed", "Cache-Control")
_MARKS = {"commitment": "c0" * 32, "seed": "5e" * 32, "cursor": "c1" * 16, "next_cursor": "bmV4dA", "ends_with": "4Ab9"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as plain data."""

    operation: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    status: int
    answer_headers: Mapping[str, str]
    answer: Any

    def to_json(self) -> dict[str, Any]:
        """For the files of examples."""
        request: dict[str, Any] = {"method": self.method, "path": self.path, "headers": dict(self.headers)}
        if self.body is not None:
            request["body"] = self.body
        answer = {"status": self.status, "headers": dict(self.answer_headers), "body": self.answer}
        return {"operation": self.operation, "request": request, "answer": answer}


#: Sends (method, path, headers, body or None) and gives (status, headers, body) back.
Send = Callable[[str, str, Mapping[str, str], bytes | None], tuple[int, Mapping[str, str], bytes]]


@dataclass(slots=True)
class Recorder:
    """Sends requests as one caller after the other, and keeps all exchanges."""

    send: Send
    name: str
    kept: list[Exchange] = field(default_factory=list)
    _sent: int = 0

    def do(
        self,
        operation: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        accept: str | None = None,
        etag: str | None = None,
        expect: int = 200,
    ) -> Any:
        """Do one request; answers the body of its answer. Raises RuntimeError for another status than `expect`."""
        headers: dict[str, str] = {}
        if accept is not None:
            headers["Accept"] = accept
        if etag is not None:
            headers["If-None-Match"] = etag
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if method == "POST":
            self._sent += 1
            headers["Idempotency-Key"] = f"{self.name}-{self._sent:03d}-long-enough-for-nobody"
        raw = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            raw = json.dumps(body).encode()
        status, answered, content = self.send(method, path, headers, raw)
        if status != expect:
            msg = f"{method} {path} answered {status}, not {expect}: {content[:500]!r}"
            raise RuntimeError(msg)
        is_json = answered.get("Content-Type") in ("application/json", "application/problem+json")
        answer = json.loads(content) if is_json and content else content.decode()
        shown = {name: answered[name] for name in _HEADERS if name in answered}
        self.kept.append(Exchange(operation, method, path, headers, body, status, shown, answer))
        return answer


# --- what is played ---------------------------------------------------------------------------------------------

_STEP = 7
#: Matches are kept short, so that the files stay small: few tiles or cards, and a limit where a game has one.
_DECK = 12
_LIMITS = {"round_limit": 4}


def short_options(game: str) -> dict[str, Any]:
    """Options that make a short match."""
    names = {slot.name for slot in slots_of(GAMES[game].options_type)}
    return {name: value for name, value in _LIMITS.items() if name in names}


def short_deal(game: str, players: int = 2) -> dict[str, Any]:
    """The front of a deal that is always the same."""
    rules = GAMES[game]
    deal = rules.deal_to_wire(rules.deal(rules.options_type(**short_options(game)), players, bytes(32)))
    return {name: pile[:_DECK] if isinstance(pile, list) else pile for name, pile in deal.items()}


def play_match(recorder: Recorder, game: str) -> None:
    """One whole match of two accounts, every request of it."""
    ada = recorder.do("createAccount", "POST", "/v1/accounts", {"name": "Ada"}, expect=201)
    bob = recorder.do("createAccount", "POST", "/v1/accounts", {"name": "Bob", "kind": "bot"}, expect=201)
    wanted = {"game": game, "seats": ["me", "open"], "options": short_options(game), "deal": short_deal(game)}
    match = recorder.do("createMatch", "POST", "/v1/matches", wanted, token=ada["key"], expect=201)
    path = f"/v1/matches/{match['id']}"
    recorder.do("takeSeat", "POST", f"{path}/seats", {"nonce": "bob-adds-this"}, token=bob["key"], expect=201)
    tokens = (ada["key"], bob["key"])
    view: Any = recorder.do("getView", "GET", f"{path}/view", token=ada["key"])
    ply = 0
    while view["status"] == "running":
        seat = view["to_act"]
        if view["seat"] != seat:
            after = view["version"] - 1
            view = recorder.do("getView", "GET", f"{path}/view?after={after}&wait=25", token=tokens[seat])
        legal = view["legal_actions"]
        # Any rule would do that depends on the position alone; this one makes the match go many ways.
        action = legal[ply * _STEP % len(legal)]
        body = {"actions": [action], "version": view["version"]}
        view = recorder.do("act", "POST", f"{path}/actions", body, token=tokens[seat])["view"]
        ply += 1
    recorder.do("getEvents", "GET", f"{path}/events?after=0&limit=500")
    recorder.do("getRecord", "GET", f"{path}/record")
    recorder.do("getMatch", "GET", path)


def visit_operations(recorder: Recorder) -> None:
    """Every operation once, with a body that shows what it can take."""
    key = _visit_service(recorder)
    match = _visit_joining(recorder, key)
    _visit_play(recorder, key, match)
    visit_tournaments(recorder, key, short_options("wunderland"))
    _visit_ends(recorder, key)


def _visit_service(recorder: Recorder) -> str:
    recorder.do("getIndex", "GET", "/v1")
    recorder.do("getLive", "GET", "/livez")
    ready = recorder.do("getReady", "GET", "/readyz")
    # Which store and which level depends on the machine; the example shows the default.
    ready |= {"durability": "fsync", "store": "valkey 9.1.2"}
    counted = recorder.do("getMetrics", "GET", "/metrics")
    # There are many numbers, and they are those of the moment.
    shown = "".join(line for line in counted.splitlines(keepends=True) if "matches_created" in line)
    recorder.kept[-1] = replace(recorder.kept[-1], answer=re.sub(r" [0-9.]+\n", " 12.0\n", shown))
    recorder.do("getProblem", "GET", "/problems/stale_version", accept="application/json")
    recorder.do("getProblem", "GET", "/problems/stale_version", accept="text/html")
    recorder.do("listGames", "GET", "/v1/games")
    recorder.do("getGame", "GET", "/v1/games/wunderland")
    recorder.do("getRules", "GET", "/v1/games/neues-land/rules?lang=en")
    account = recorder.do("createAccount", "POST", "/v1/accounts", {"name": "Ada", "kind": "human"}, expect=201)
    recorder.do("getMe", "GET", "/v1/me", token=account["key"])
    key: str = account["key"]
    _visit_keys(recorder, key)
    return key


def _visit_keys(recorder: Recorder, key: str) -> None:
    wanted = {"name": "bot on the laptop", "expires_in_s": 7_776_000}
    recorder.do("createKey", "POST", "/v1/me/keys", wanted, token=key, expect=201)
    wanted = {"name": "portal", "scopes": ["play", "create"], "expires_at": "2030-01-01T00:00:00Z"}
    made = recorder.do("createKey", "POST", "/v1/me/keys", wanted, token=key, expect=201)
    path = f"/v1/me/keys/{made['id']}"
    recorder.do("rotateKey", "POST", f"{path}/rotation", {"overlap_s": 86_400}, token=key, expect=201)
    recorder.do("listKeys", "GET", "/v1/me/keys", token=key)
    recorder.do("getKey", "GET", path, token=key)
    recorder.do("revokeKey", "DELETE", path, token=key)


def _visit_joining(recorder: Recorder, key: str) -> str:
    wanted = {
        "game": "neues-land",
        "seats": ["me", "open", "invite"],
        "options": {"expert": False},
        "deal": short_deal("neues-land", 3),
        "start": "manual",
        "metadata": {"table": "7"},
    }
    match = recorder.do("createMatch", "POST", "/v1/matches", wanted, token=key, expect=201)
    path = f"/v1/matches/{match['id']}"
    other = recorder.do("createAccount", "POST", "/v1/accounts", {"name": "Bob"}, expect=201)
    recorder.do("takeSeat", "POST", f"{path}/seats", {"seat": 1}, token=other["key"], expect=201)
    recorder.do("leaveSeat", "DELETE", f"{path}/seats/1", token=other["key"])
    recorder.do("takeSeat", "POST", f"{path}/seats", {"nonce": "bob-adds-this"}, token=other["key"], expect=201)
    guest = {"invitation": match["invitations"][0]["token"], "name": "Carla"}
    recorder.do("takeSeat", "POST", f"{path}/seats", guest, expect=201)
    hand_on = {"seat": 2, "uses": 1, "expires_in_s": 86_400}
    recorder.do("createInvitation", "POST", f"{path}/invitations", hand_on, token=key, expect=201)
    listed = recorder.do("listInvitations", "GET", f"{path}/invitations", token=key)["invitations"]
    recorder.do("revokeInvitation", "DELETE", f"{path}/invitations/{listed[0]['id']}", token=key)
    recorder.do("replaceSeatToken", "POST", f"{path}/seats/2/token", {}, token=key)
    recorder.do("startMatch", "POST", f"{path}/start", {"nonces": {"0": "ada-adds-this"}}, token=key)
    recorder.do("listDecisions", "GET", "/v1/me/decisions", token=key)
    recorder.do("listMatches", "GET", "/v1/matches?mine=true&limit=1", token=key)
    identity: str = match["id"]
    return identity


def _visit_play(recorder: Recorder, key: str, match: str) -> None:
    path = f"/v1/matches/{match}"
    view = recorder.do("getView", "GET", f"{path}/view", token=key)
    read = ("game", "seat", "to_act", "phase", "scores", "state")
    branches = [[view["legal_actions"][0], {"type": "pass"}], [{"type": "pass"}]]
    asked = {"game": "neues-land", "view": {name: view[name] for name in read}, "worlds": 2, "branches": branches}
    recorder.do("imagine", "POST", "/v1/sandbox", asked, token=key)
    legal = recorder.do("getLegalActions", "GET", f"{path}/legal-actions", token=key)
    body = {"actions": [legal["legal_actions"][0], {"type": "pass"}], "version": legal["version"]}
    done = recorder.do("act", "POST", f"{path}/actions", body, token=key)
    recorder.do("getView", "GET", f"{path}/view", token=key, etag=f'"{done["version"]}-0"', expect=304)
    recorder.do("getBoardText", "GET", f"{path}/board.txt")
    recorder.do("getEvents", "GET", f"{path}/events?after=5&wait=25", accept="application/json")


def _visit_ends(recorder: Recorder, key: str) -> None:
    wanted = {"game": "wunderland", "seats": ["me", "me"], "deal": short_deal("wunderland")}
    other = recorder.do("createMatch", "POST", "/v1/matches", wanted, token=key, expect=201)
    path = f"/v1/matches/{other['id']}"
    recorder.do("resign", "POST", f"{path}/resignation", {"seat": 1}, token=key)
    recorder.do("getMatch", "GET", path)
    recorder.do("getRecord", "GET", f"{path}/record")
    recorder.do("exportMatches", "GET", "/v1/exports/matches?game=wunderland&limit=1")
    shown = re.sub(r'(?<="next_cursor":")[^"]+', _MARKS["next_cursor"], recorder.kept[-1].answer)
    recorder.kept[-1] = replace(recorder.kept[-1], answer=shown)
    for media_type in ("text/event-stream", "application/x-ndjson"):
        recorder.do("getEvents", "GET", f"{path}/events?after=2", accept=media_type)
    recorder.do("rematch", "POST", f"{path}/rematch", {}, token=key, expect=201)
    third = recorder.do("createMatch", "POST", "/v1/matches", wanted | {"seats": ["me", "open"]}, token=key, expect=201)
    recorder.do("abortMatch", "DELETE", f"/v1/matches/{third['id']}", token=key)
    recorder.do("eraseMe", "DELETE", "/v1/me", token=key)


# --- what is kept -----------------------------------------------------------------------------------------------


class _StandIns:
    """Replaces what differs between recordings, the same everywhere."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def text(self, text: str) -> str:
        """`text` with stand-ins for ids, tokens and instants."""
        text = _TOKEN.sub(lambda found: self._stand_in(found[0], f"spt_{found[1]}_"), text)
        text = _ID.sub(lambda found: self._stand_in(found[0], f"{found[1]}_"), text)
        return _INSTANT.sub("2026-01-02T15:04:05.678Z", text)

    def _stand_in(self, found: str, prefix: str) -> str:
        if found not in self._known:
            number = self._counts[prefix] = self._counts.get(prefix, 0) + 1
            digits = f"{number:032x}"
            self._known[found] = prefix + (digits if len(prefix) == 3 else f"example{number}")
        return self._known[found]


def settled(exchanges: list[Exchange]) -> list[dict[str, Any]]:
    """The exchanges with stand-ins, as plain data whose hash chains are right again."""
    text = _StandIns().text(json.dumps([exchange.to_json() for exchange in exchanges]))
    # First what is drawn: a commitment is part of what is chained.
    found: list[dict[str, Any]] = [_settled_marks(exchange) for exchange in json.loads(text)]
    fresh = _chains(found)
    return [_rehashed(exchange, fresh) for exchange in found]


def _settled_marks(value: Any) -> Any:
    """`value` with stand-ins for what is drawn or derived from what is drawn."""
    if isinstance(value, dict):
        value = _without_lots(value)
        return {
            key: _MARKS[key] if key in _MARKS and isinstance(inner, str) else _settled_marks(inner)
            for key, inner in value.items()
        }
    return [_settled_marks(inner) for inner in value] if isinstance(value, list) else value


def _without_lots(value: dict[str, Any]) -> dict[str, Any]:
    """Standings and a crosstable whose order was drawn by lot, in the order of the entrants."""
    if isinstance(value.get("standings"), list):
        lines = sorted(value["standings"], key=lambda line: str(line["entrant"]))
        for rank, line in enumerate(lines, 1):
            line["rank"] = line["criteria"]["lot"] = rank
        value = value | {"standings": lines}
    if "rows" in value:
        value = value | {"entrants": sorted(value["entrants"])}
    return value


def _events(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if value.keys() >= {"seq", "type", "seat", "data", "hash"}:
            yield value
        for inner in value.values():
            yield from _events(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _events(inner)
    elif isinstance(value, str) and value.startswith(("retry:", "{")):
        for line in value.splitlines():
            if line.removeprefix("data: ").startswith('{"data":'):
                yield json.loads(line.removeprefix("data: "))


def _chains(value: Any) -> dict[str, str]:
    """The new hash for every old one, by following each chain from its first event."""
    known: dict[str, dict[str, Any]] = {event["hash"]: event for event in _events(value)}
    fresh: dict[str, str] = {}
    by_match: dict[str, list[dict[str, Any]]] = {}
    for exchange in value:
        match = _ID.search(exchange["request"]["path"])
        for event in _events(exchange["answer"]):
            if match is not None:
                by_match.setdefault(match[0], []).append(known[event["hash"]])
    for events in by_match.values():
        previous = GENESIS_HASH
        for event in sorted({event["seq"]: event for event in events}.values(), key=lambda event: int(event["seq"])):
            body = canonical({key: event[key] for key in ("data", "seat", "seq", "type")})
            previous = fresh[event["hash"]] = chain_hash(previous, body)
    return fresh


def _rehashed(value: Any, fresh: Mapping[str, str]) -> Any:
    def renewed(found: re.Match[str]) -> str:
        return fresh.get(found[0], found[0])

    return json.loads(_HEX.sub(renewed, json.dumps(value)))


def examples_of(exchanges: list[Exchange]) -> dict[str, Any]:
    """Requests and answers by operation, for the API description."""
    found: dict[str, Any] = {}
    for exchange in settled(exchanges):
        kept = found.setdefault(exchange["operation"], {"requests": {}, "answers": {}})
        request, answer = exchange["request"], exchange["answer"]
        if "body" in request:
            name = f"example{len(kept['requests']) + 1}"
            if request["body"] not in kept["requests"].values():
                kept["requests"][name] = request["body"]
        media_type = answer["headers"].get("Content-Type", "").partition(";")[0]
        if answer["status"] != 304:
            kept["answers"].setdefault(str(answer["status"]), {}).setdefault(media_type, answer["body"])
    return {name: found[name] for name in sorted(found)}


def whole_match(exchanges: list[Exchange], game: str) -> dict[str, Any]:
    """The file of one whole match: what it is, and every request with its answer, in order."""
    about = f"A whole match of {game}: every request and its answer, in order. Ids, tokens and instants are stand-ins."
    return {"about": about, "game": game, "exchanges": settled(exchanges)}
