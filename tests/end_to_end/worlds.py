"""Two worlds that one viewer must not be able to tell apart, and all that this viewer can fetch in each.

A world is a match in the store. The other one has another deal, seed and nonces, changed wherever the viewer must not
know them, over the same public log; the commitment, a public function of the secret, is held fixed.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from flask.testing import FlaskClient

from spieltisch_service.app.callers import Caller
from spieltisch_service.app.ports import Commit
from spieltisch_service.app.service import Service
from spieltisch_service.domain import play

#: What differs between any two requests, and tells nothing.
VOLATILE = ("X-Request-Id", "Date")


def other_world(service: Service, match_id: str, viewer: int | None, rng: random.Random) -> None:
    """Change in the store everything that `viewer` (a seat; None: a spectator) must not know."""
    live = service.live.fresh(match_id)
    secret = replace(live.secret, seed=rng.randbytes(32).hex())
    state = None
    if live.state is None:
        secret = replace(secret, nonces=tuple(nonce and "n" * rng.randint(1, 64) for nonce in secret.nonces))
    else:
        log = service.live.log(match_id, live.match.version)
        actions = [event.parsed() for event in log if event.parsed()["type"] == "action"]
        assert secret.deal is not None
        if live.match.game == "wunderland":
            deck = _wunderland_deck(secret.deal["deck"], live.match.players, actions, viewer, rng)
            secret = replace(secret, deal={"deck": deck})
        else:
            left = service.live.current(match_id).game.view(live.state, None)["deck_count"]
            secret = replace(secret, deal=_neues_land_deal(secret.deal, left, rng))
        _, state = play.replayed(live.game, live.match, secret, log)
        state = json.dumps(live.game.encode(state)).encode()
    commit = Commit(
        match_id, live.match.version, (), secret=secret.to_json().encode(), state=state, expires_after_ms=10**9
    )
    service.store.commit(commit)


def _wunderland_deck(
    deck: Sequence[str], players: int, actions: Sequence[dict[str, Any]], viewer: int | None, rng: random.Random
) -> list[str]:
    """A deck in which only those cards are elsewhere that the viewer has never seen."""
    drawn = [(i, seat) for seat in range(players) for i in (2 * seat, 2 * seat + 1)]
    place = 2 * players
    redeemed = set()
    for event in actions:
        if event["data"]["action"]["type"] == "redeem":
            redeemed.add(event["data"]["action"]["card"])
        for _ in range(event["data"]["cards_drawn"]):
            drawn.append((place, event["seat"]))
            place += 1
    known = {i for i, seat in drawn if seat == viewer or deck[i] in redeemed}
    unknown = [i for i in range(len(deck)) if i not in known]
    cards = [deck[i] for i in unknown]
    rng.shuffle(cards)
    other = list(deck)
    for i, card in zip(unknown, cards, strict=True):
        other[i] = card
    return other


def _neues_land_deal(deal: Any, left: int, rng: random.Random) -> dict[str, list[str]]:
    """The tiles that nobody has seen in another order: those of the deck, and those set aside."""
    deck, set_aside = list(deal["deck"]), list(deal["set_aside"])
    unseen = deck[len(deck) - left :] + set_aside
    rng.shuffle(unseen)
    return {"deck": deck[: len(deck) - left] + unseen[:left], "set_aside": unseen[left:]}


def answers(client: FlaskClient, match_id: str, caller: Caller, probes: Sequence[Any]) -> dict[str, Any]:
    """All that the caller can fetch, and what is answered to actions that are refused: status, headers, bytes."""
    headers = {"Authorization": f"Bearer {caller.token}"} if caller.token else {}
    found = {}
    for name, method, path, body in _requests(match_id, caller, probes):
        answer = client.open(path, method=method, json=body, headers=headers)
        told = answer.get_data()
        if answer.content_type == "application/problem+json":
            problem = json.loads(told)
            told = json.dumps({key: value for key, value in problem.items() if key != "request_id"}).encode()
        kept = sorted((key, value) for key, value in answer.headers.items() if key not in VOLATILE)
        found[name] = (answer.status_code, kept, told)
    return found


def _requests(match_id: str, caller: Caller, probes: Sequence[Any]) -> Iterator[tuple[str, str, str, Any]]:
    match = f"/v1/matches/{match_id}"
    paths = [
        match,
        f"{match}/view",
        f"{match}/legal-actions",
        f"{match}/events",
        f"{match}/events?after=2&limit=3",
        f"{match}/record",
        f"{match}/board.txt",
        "/v1/matches?limit=100",
        "/v1/matches?status=running",
        *(f"{match}/view?seat={seat}" for seat in range(4)),
        *(f"{match}/view?at={version}" for version in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)),
        *(f"{match}/board.txt?at={version}" for version in (2, 20)),
        f"{match}/view?after=100000",
    ]
    if caller.token:
        paths += ["/v1/me", "/v1/me/decisions", "/v1/matches?mine=true"]
    for path in paths:
        yield f"GET {path}", "GET", path, None
    for i, probe in enumerate(probes):
        yield f"POST {i} {probe}", "POST", f"{match}/actions", probe
    if caller.token:
        yield "POST rematch", "POST", f"{match}/rematch", {}
        yield "POST join", "POST", f"{match}/seats", {"seat": 0}


def probes(service: Service, match_id: str, viewer: int | None, rng: random.Random) -> list[Any]:
    """Requests that must be refused in both worlds: actions that are illegal by all that the viewer knows."""
    live = service.live.fresh(match_id)
    if live.state is None:
        return [{"actions": [{"type": "pass"}]}]
    legal = set(live.game.legal(live.state)) if viewer is not None and live.to_act() == viewer else set()
    if live.match.game == "wunderland":
        cards = [f"c{number:02d}" for number in range(1, 49)]
        actions = [{"type": "redeem", "card": card} for card in rng.sample(cards, 12)]
        actions += [{"type": "travel", "origin": "oslo", "destination": "miami", "travellers": 8}]
    else:
        actions = [
            {"type": "place_tile", "tile": tile, "x": 40, "y": 40, "rotation": 0}
            for tile in rng.sample([kind["id"] for kind in live.game.material()["kinds"]], 6)  # type: ignore[index,union-attr,call-overload]
        ]
    refused = [action for action in actions if live.game.action_from_wire(action) not in legal]
    stale = [{"actions": refused[:1], "version": 1}]
    return [{"actions": [action]} for action in refused] + stale
