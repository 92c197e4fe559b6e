"""All that somebody can ask about a match: every read, and actions of every kind that may be refused."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spieltisch_service.app.live_match import LiveMatch
from tests.campaigns.harness.asking import Asking, Headers

#: What differs between any two requests, and tells nothing.
VOLATILE = ("x-request-id", "date")
#: How the asker is known: not at all, by an account's key, or by a seat's token.
Known = Literal["not", "key", "seat"]


@dataclass(frozen=True, slots=True)
class Question:
    """One request, without who asks."""

    method: str
    target: str
    body: Any = None
    headers: Headers = ()


def answers(asking: Asking, token: str | None, asked: Sequence[Question]) -> list[Any]:
    """What is answered to each question: status, headers and bytes, without what differs between any two requests."""
    found = []
    for question in asked:
        reply = asking.ask(question.method, question.target, token, question.body, question.headers)
        body = reply.body
        request_id = reply.header("x-request-id")
        if reply.status >= 400 and request_id:
            body = body.replace(request_id.encode(), b"")
        kept = tuple((name, value) for name, value in reply.headers if name.lower() not in VOLATILE)
        found.append((reply.status, kept, body))
    return found


def questions(live: LiveMatch, viewer: int | None, known: Known, rng: random.Random) -> list[Question]:
    """Everything, asked by somebody of whom `viewer` (None: a spectator) says what may be seen."""
    return [*reads(live, viewer, known, rng), *_lists(known), *_changes(live, viewer, known, rng)]


def reads(live: LiveMatch, viewer: int | None, known: Known, rng: random.Random) -> Iterator[Question]:
    """All representations of the match, now and as it was."""
    match, version = f"/v1/matches/{live.match.id}", live.match.version
    past = sorted({rng.randint(1, version) for _ in range(3)})
    etag = f'"{version}-{"s" if viewer is None else viewer}"'
    targets = [
        match,
        f"{match}/view",
        f"{match}/legal-actions",
        f"{match}/record",
        f"{match}/board.txt",
        f"{match}/board.svg",
        f"{match}/events",
        f"{match}/events?after={rng.randint(0, version)}&limit={rng.randint(1, 5)}",
        f"{match}/events?after={version + 1}",
        f"{match}/view?after={version - 1}&wait=1",
        f"{match}/view?after={version + 1}",
        *(f"{match}/view?seat={seat}" for seat in range(live.match.players)),
        *(f"{match}/{path}?seat={rng.randint(0, 9)}" for path in ("legal-actions", "board.txt", "record", "events")),
        *(f"{match}/view?at={earlier}" for earlier in past),
        f"{match}/board.txt?at={past[0]}",
        f"{match}/view?at={version + 1}",
    ]
    yield from (Question("GET", target) for target in targets)
    yield Question("GET", f"{match}/view", headers=[("If-None-Match", etag)])
    yield Question("GET", f"{match}/view", headers=[("Accept-Encoding", "gzip")])
    yield Question("HEAD", f"{match}/view")
    after = rng.randint(0, version)
    for media_type in ("text/event-stream", "application/x-ndjson"):
        yield Question("GET", f"{match}/events", headers=[("Accept", media_type), ("Last-Event-ID", str(after))])


def _lists(known: Known) -> Iterator[Question]:
    yield Question("GET", "/v1/matches?limit=100")
    yield Question("GET", "/v1/matches?status=running")
    yield Question("GET", "/v1/matches?open_seats=false&limit=1")
    if known != "not":
        yield Question("GET", "/v1/me")
        yield Question("GET", "/v1/me/decisions")
        yield Question("GET", "/v1/me/decisions?cursor=" + "0" * 32)
    if known == "key":
        yield Question("GET", "/v1/matches?mine=true")


def _changes(live: LiveMatch, viewer: int | None, known: Known, rng: random.Random) -> Iterator[Question]:
    match = f"/v1/matches/{live.match.id}"
    for body in probes(live, viewer, rng):
        yield Question("POST", f"{match}/actions", body)
    yield Question("POST", f"{match}/actions", {"actions": [{"type": "pass"}], "version": 1})
    if known != "not":
        yield Question("POST", f"{match}/rematch", {})
        yield Question("POST", f"{match}/seats", {"seat": 0})
        yield Question("POST", f"{match}/start", {})
        yield Question("DELETE", f"{match}/seats/0")
        yield Question("DELETE", match)
        yield Question("POST", f"{match}/resignation", {"seat": (0 if viewer is None else viewer + 1) % 3})


def probes(live: LiveMatch, viewer: int | None, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Actions to try: more of them, and lists of them, by the seat to act, whom the rules answer."""
    if live.state is None:
        yield {"actions": [{"type": "pass"}]}
        return
    wunderland = live.match.game == "wunderland"
    guess = _wunderland_guess if wunderland else _neues_land_guess
    if viewer is None or viewer != live.to_act():
        yield {"actions": [guess(live, rng)]}
        return
    legal = [action.to_wire() for action in live.game.legal(live.state)]
    for _ in range(6):
        yield {"actions": [guess(live, rng)]}
    # What is refused behind a legal action must not tell what that one would have brought to light.
    drawing = [action for action in legal if action["type"] in ("redeem", "pass")]
    for first in [*drawing[:2], *rng.sample(legal, min(2, len(legal)))]:
        for _ in range(3 if drawing else 1):
            yield {"actions": [first, guess(live, rng)]}
            yield {"actions": [first, guess(live, rng), guess(live, rng)]}


def _wunderland_guess(live: LiveMatch, rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.7:
        return {"type": "redeem", "card": f"c{rng.randint(1, 48):02d}"}
    if rng.random() < 0.3:
        return {"type": rng.choice(("end_turn", "stay"))}
    origin, destination = rng.choice(_PLACES), rng.choice(_PLACES)
    return {"type": "travel", "origin": origin, "destination": destination, "travellers": rng.randint(1, 8)}


def _neues_land_guess(live: LiveMatch, rng: random.Random) -> dict[str, Any]:
    kind = rng.choice(("place_tile", "place_tile", "place_follower", "recall_follower", "pass"))
    if kind == "pass":
        return {"type": kind}
    if kind == "place_follower":
        return {"type": kind, "region": rng.randint(0, 4)}
    x, y = rng.randint(-3, 3), rng.randint(-3, 3)
    if kind == "recall_follower":
        return {"type": kind, "x": x, "y": y}
    return {"type": kind, "tile": rng.choice(_TILES), "x": x, "y": y, "rotation": rng.choice((0, 90, 180, 270))}


def _material() -> tuple[list[str], list[str]]:
    from spieltisch_service.games.catalogue import GAMES

    tiles: Any = GAMES["neues-land"].material()
    places: Any = GAMES["wunderland"].material()
    return [kind["id"] for kind in tiles["kinds"]], [place["id"] for place in places["places"]]


_TILES, _PLACES = _material()
