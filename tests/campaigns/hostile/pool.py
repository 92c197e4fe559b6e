"""What hostile requests can be about: accounts, matches in every status, and what the service has told so far."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spieltisch_service.app.service import Service
from spieltisch_service.games.catalogue import GAMES
from tests.campaigns.harness.asking import Asking, Reply
from tests.campaigns.harness.canary import Canary, issued

_ID = re.compile(rb'"([a-z]{2,8}_[0-9a-f]{32})"')
_MOST_IDS = 60


@dataclass
class Pool:
    """Everything that has a name. `legal`: by match, the version and the actions that were legal then."""

    keys: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    matches: list[str] = field(default_factory=list)
    ids: dict[str, list[str]] = field(default_factory=dict)
    cursors: list[str] = field(default_factory=list)
    etags: list[str] = field(default_factory=list)
    legal: dict[str, tuple[int, list[Any]]] = field(default_factory=dict)

    def learn(self, reply: Reply) -> None:
        """Keep what an answer tells, for later requests."""
        if (etag := reply.header("etag")) is not None:
            self.etags = [*self.etags[-9:], etag]
        if reply.media_type != "application/json" or not 0 < len(reply.body) < 200_000:
            return
        for found in _ID.findall(reply.body[:20_000]):
            self._know(found.decode())
        value = reply.json
        if not isinstance(value, Mapping):
            return
        self.tokens = [*self.tokens[-40:], *issued(value)]
        for name in ("next_cursor", "cursor"):
            if isinstance(value.get(name), str):
                self.cursors = [*self.cursors[-9:], value[name]]
        view = value.get("view", value)
        if isinstance(view, Mapping) and view.get("legal_actions") and "match" in view:
            self.legal[view["match"]] = view["version"], view["legal_actions"][:40]

    def _know(self, found: str) -> None:
        kind = found.partition("_")[0]
        known = self.ids.setdefault(kind, [])
        if found not in known:
            known.append(found)
            del known[:-_MOST_IDS]
        if kind == "mt" and found not in self.matches:
            self.matches.append(found)
            if len(self.matches) > _MOST_IDS:
                del self.matches[20]


def filled(asking: Asking, service: Service, canary: Canary, rng: random.Random) -> Pool:
    """People and matches of both games in every status, with everything hidden of them told to the canary."""
    pool = Pool()
    for number in range(3):
        made = _posted(asking, pool, "/v1/accounts", None, {"name": f"P{number}"})
        pool.keys.append(made["key"])
        canary.hide("a key", made["key"])
    for game in GAMES:
        for wanted in _WANTED:
            key = rng.choice(pool.keys)
            made = _posted(asking, pool, "/v1/matches", key, {"game": game, **wanted})
            canary.hide("a token", *issued(made))
            _hide_match(service, canary, made["id"])
            if wanted.get("start") == "manual":
                _joined(asking, pool, service, canary, made["id"], rng)
    for match_id in pool.matches[1:2]:
        for seat in (0, 1):
            asking.ask("POST", f"/v1/matches/{match_id}/resignation", pool.keys[0], {"seat": seat})
    return pool


_WANTED: tuple[Mapping[str, Any], ...] = (
    {"seats": ["me", "me"]},
    {"seats": ["me", "me"], "visibility": "private"},
    {"seats": ["me", "me", "me"], "visibility": "unlisted"},
    {"seats": ["me", "open", "invite"]},
    {"seats": ["me", "open"], "start": "manual", "metadata": {"a": "b"}},
)


def _joined(asking: Asking, pool: Pool, service: Service, canary: Canary, match_id: str, rng: random.Random) -> None:
    nonce = f"nonce-{rng.getrandbits(64):016x}"
    canary.hide_phrase("a nonce", nonce, shown=lambda: service.live.fresh(match_id).match.started_at_ms is not None)
    for key in pool.keys:
        joined = asking.ask("POST", f"/v1/matches/{match_id}/seats", key, {"nonce": nonce})
        if joined.status == 201:
            canary.hide("a token", *issued(joined.json))
            return


def _posted(asking: Asking, pool: Pool, target: str, token: str | None, body: Any) -> Any:
    reply = asking.ask("POST", target, token, body)
    assert reply.status == 201, reply.body
    pool.learn(reply)
    return reply.json


def _hide_match(service: Service, canary: Canary, match_id: str) -> None:
    def ended() -> bool:
        return service.live.fresh(match_id).match.ended

    live = service.live.fresh(match_id)
    if live.secret.seed is not None:
        canary.hide_seed(live.secret.seed, shown=ended)
    if live.secret.deal is not None:
        canary.hide_order(live.secret.deal["deck"][8:], shown=ended)
