"""Section 4 of the contract: what is in the log of whole matches, how it is chained, and every way to read it."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from spieltisch_service.app import streams
from tests.end_to_end.contract import LAND, WONDER, Asker, faults, refused
from tests.end_to_end.test_vectors import VECTORS

DAY_MS = 24 * 3600 * 1000
SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
STANDING = {"scores", "to_act", "phase"}
PHASES = {
    LAND: {"place_tile", "follower", "over"},
    WONDER: {"turn", "companions", "after", "final", "over"},
}
OF_GAME = {LAND: {"drawn", "discarded"}, WONDER: {"cards_drawn"}}
MATCHES = [
    (LAND, 2, {}),
    (LAND, 5, {"equal_turns": True}),
    (LAND, 3, {"expert": True}),
    (WONDER, 2, {"round_limit": 6}),
    (WONDER, 4, {"round_limit": 4, "postcards": "with_travel"}),
]


def recomputed(events: list[dict[str, Any]]) -> list[str]:
    """The hashes as the contract tells to compute them: integers and ASCII need nothing more of RFC 8785."""
    hashes = ["0" * 64]
    for event in events:
        kept = {key: event[key] for key in ("data", "seat", "seq", "type")}
        body = json.dumps(kept, sort_keys=True, separators=(",", ":"))
        assert body.isascii()
        hashes.append(hashlib.sha256(f"{hashes[-1]}\n{body}".encode()).hexdigest())
    return hashes[1:]


def test_the_chain_of_the_contract() -> None:
    first = {"data": {"match": "mt_example"}, "seat": None, "seq": 1, "type": "match_created"}
    assert recomputed([first]) == ["391aa2d50c491d3ec6e032daa80d87c16c12e8309eb6957227d13dd1dad2be07"]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


@pytest.mark.parametrize(("game", "players", "options"), MATCHES)
def test_the_log_of_a_whole_match(ada: Asker, nobody: Asker, game: str, players: int, options: dict[str, Any]) -> None:
    path = ada.creates(game, ["me"] * players, options=options)
    chance = random.Random(f"{game}{players}")
    final_view = ada.plays(path, iter(lambda: chance.randrange(1000), None))
    events = nobody.events(path)
    assert [event["seq"] for event in events] == list(range(1, final_view["version"] + 1))
    assert all(set(event) == {"seq", "type", "at", "seat", "data", "hash"} for event in events)
    assert [event["hash"] for event in events] == recomputed(events)
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    assert not any(isinstance(leaf, float) for leaf in leaves(events))
    created, started, *actions, finished = events
    assert [event["type"] for event in events] == [
        "match_created",
        "match_started",
        *["action"] * len(actions),
        "match_finished",
    ]
    match = ada.get(path).json
    assert created["seat"] is None
    assert created["data"] == {
        **{key: match[key] for key in ("game", "options", "rules_version", "commitment", "deal_source")},
        "match": match["id"],
        "seats": ["account"] * players,
    }
    land = OF_GAME[LAND] if game == LAND else set()
    assert (started["seat"], set(started["data"])) == (None, {"nonces"} | STANDING | land)
    assert started["data"]["nonces"] == [None] * players
    to_act = started["data"]["to_act"]
    for event in actions:
        data = event["data"]
        assert set(data) == {"action", "cause", "points"} | STANDING | OF_GAME[game]
        assert event["seat"] == to_act
        to_act = data["to_act"]
        assert (data["cause"], len(data["scores"])) == ("player", players)
        assert data["phase"] in PHASES[game]
        if game == WONDER:
            assert data["cards_drawn"] in (0, 1)
            assert not data["cards_drawn"] or data["action"]["type"] == "redeem"
    assert (to_act, actions[-1]["data"]["phase"]) == (None, "over")
    assert actions[-1]["at"] == finished["at"]
    assert set(finished["data"]) == {"result"} | ({"final"} if game == LAND else set())
    result = finished["data"]["result"]
    assert (finished["seat"], set(result)) == (None, {"scores", "ranks", "end_reason"})
    assert result["end_reason"] == "completed"
    assert result["ranks"] == [1 + sum(other > own for other in result["scores"]) for own in result["scores"]]
    assert result == final_view["result"] == match["result"]
    assert final_view["scores"] == result["scores"]
    if game == LAND:
        gained = [sum(event["data"]["points"] for event in actions if event["seat"] == s) for s in range(players)]
        for scored in finished["data"]["final"]:
            assert set(scored) == {"seat", "x", "y", "points"}
            gained[scored["seat"]] += scored["points"]
        assert gained == result["scores"]
        check_draws(ada.get(f"{path}/record").json["deal"], [started, *actions])


def check_draws(deal: dict[str, Any], events: list[dict[str, Any]]) -> None:
    """Every tile of the deck was drawn by somebody or left, in the deck's order (N20, N21, N50, N52, N53)."""
    drawn = [tile["tile"] for event in events for tile in event["data"]["drawn"]]
    gone = [tile for event in events for tile in event["data"]["discarded"]]
    laid = [e["data"]["action"]["tile"] for e in events if e["data"].get("action", {}).get("type") == "place_tile"]
    assert drawn == deal["deck"]
    assert sorted(laid + gone) == sorted(deal["deck"])


def test_points_of_wunderland_are_those_of_redeemed_cards(ada: Asker) -> None:
    path = ada.creates(WONDER, ["me", "me"], options={"round_limit": 25})
    chance = random.Random(4)
    ada.plays(path, iter(lambda: chance.randrange(1000), None))
    worth = {card["id"]: card["points"] for card in ada.get(f"/v1/games/{WONDER}").json["material"]["cards"]}
    scores = [0, 0]
    for event in ada.events(path)[2:-1]:
        action = event["data"]["action"]
        gained = worth[action["card"]] if action["type"] == "redeem" else 0
        scores[event["seat"]] += gained
        assert (event["data"]["points"], event["data"]["scores"]) == (gained, scores)


LEAVING = [path for path in VECTORS if json.loads(path.read_text()).get("discarded")]


@pytest.mark.parametrize("path", LEAVING, ids=lambda path: path.stem)
def test_tiles_that_leave_and_hands_are_told_by_the_log_alone(ada: Asker, path: Path) -> None:
    """N21, N52: every view's hands, deck and discarded tiles follow from the deck's length and the events so far."""
    vector = json.loads(path.read_text())
    deck = vector["deal"]["deck"]
    wanted = {key: vector[key] for key in ("options", "deal")}
    where = ada.creates(LAND, ["me"] * vector["players"], **wanted)
    for ply in vector["plies"]:
        ada.post(f"{where}/actions", {"actions": [ply["action"]]})
    hands: list[list[str]] = [[] for _ in range(vector["players"])]
    gone: list[str] = []
    drawn = 0
    for event in (event for event in ada.events(where) if "drawn" in event["data"]):
        data = event["data"]
        if data.get("action", {}).get("type") == "place_tile":
            hands[event["seat"]].remove(data["action"]["tile"])
        drawn += len(data["drawn"])
        for tile in data["drawn"]:
            hands[tile["seat"]].append(tile["tile"])
        gone += data["discarded"]
        # They leave the hand of whoever's turn begins: the next seat, or one after it that has tiles.
        turn = -1 if event["seat"] is None else event["seat"]
        for tile in data["discarded"]:
            for seat in range(turn + 1, turn + 1 + len(hands)):
                if tile in hands[seat % len(hands)]:
                    hands[seat % len(hands)].remove(tile)
                    break
        state = ada.get(f"{where}/view?at={event['seq']}").json["state"]
        assert (state["hands"], state["discarded"], state["deck_count"]) == (hands, gone, len(deck) - drawn)
    assert gone == vector["discarded"]


# --- other events -------------------------------------------------------------------------------------------------


def test_events_of_the_seats(ada: Asker, bob: Asker) -> None:
    path = ada.creates(LAND, ["me", "open", "bot:random"], start="manual")
    bob.post(f"{path}/seats", {"nonce": "n-1"})
    bob.delete(f"{path}/seats/1")
    bob.post(f"{path}/seats", {"nonce": "n_2"})
    ada.post(f"{path}/start", {"nonces": {"0": "mine"}})
    ada.post(f"{path}/resignation")
    events = ada.events(path)
    assert events[0]["data"]["seats"] == ["account", "open", "bot"]
    told = [(event["type"], event["seat"]) for event in events[:6]]
    assert told == [
        ("match_created", None),
        ("seat_taken", 1),
        ("seat_left", 1),
        ("seat_taken", 1),
        ("match_started", None),
        ("seat_resigned", 0),
    ]
    assert [event["data"] for event in (*events[1:4], events[5])] == [{}] * 4
    assert events[4]["data"]["nonces"] == ["mine", "n_2", None]
    assert events[6]["data"]["cause"] == "resigned"
    for name in ("Ada", "Bob", ada.account, bob.account):
        assert str(name) not in json.dumps(events)


def test_reasons_of_an_abort(ada: Asker, bob: Asker, service: Any, clean_valkey: str) -> None:
    opened = ada.creates(LAND, ["me", "open"])
    assert ada.delete(opened).json["status"] == "aborted"
    assert ada.events(opened)[-1]["data"] == {"reason": "creator"}
    for reason in ("seat", "expired"):
        path = ada.creates(WONDER, ["me", "open"])
        bob.post(f"{path}/seats")
        refused(bob.delete(path), 409, "match_not_open")
        grow_old(clean_valkey, path, (7 if reason == "seat" else 30) * DAY_MS)
        if reason == "seat":
            assert bob.delete(path).json["status"] == "aborted"
        else:
            service.live.memory.clear()
            assert service.expiry.expire(path.rpartition("/")[2])
        last = ada.events(path)[-1]
        assert (last["type"], last["seat"], last["data"]) == ("match_aborted", None, {"reason": reason})
        match, view, record = (ada.get(path + part).json for part in ("", "/view", "/record"))
        assert {match["status"], view["status"], record["status"]} == {"aborted"}
        assert [each["result"] for each in (match, view, record)] == [None] * 3
        assert (view["to_act"], view["legal_actions"]) == (None, None)
        assert len(record["deal"]["deck"]) == 48


def grow_old(url: str, path: str, ms: int) -> None:
    """Let the last event of a match be `ms` older, in the store itself."""
    with redis.Redis.from_url(url) as store:
        (log,) = (key for key in store.keys(f"*{path.rpartition('/')[2]}*") if store.type(key) == b"list")
        last = store.lindex(log, -1)
        assert last is not None
        at_ms = int.from_bytes(last[:6], "big") - ms
        store.lset(log, -1, at_ms.to_bytes(6, "big") + last[6:])


# --- reading ------------------------------------------------------------------------------------------------------


@pytest.fixture
def ended(ada: Asker) -> str:
    """A match of a few events that has ended."""
    path = ada.creates(LAND, ["me", "me"])
    ada.plays(path, itertools.count(), 4)
    ada.post(f"{path}/resignation", {"seat": 0})
    return path


def test_pages(ada: Asker, ended: str) -> None:
    everything = ada.get(f"{ended}/events").json
    assert set(everything) == {"version", "events"}
    assert everything["version"] == len(everything["events"]) == 8
    assert ada.get(f"{ended}/events?after=2&limit=3").json == {"version": 8, "events": everything["events"][2:5]}
    # At the end of an ended match nothing is waited for.
    assert ada.get(f"{ended}/events?after=8&wait=25").json == {"version": 8, "events": []}
    assert ada.get(f"{ended}/view?after=8&wait=25").json["status"] == "finished"
    for wrong in (f"{ended}/events?after=9", f"{ended}/view?after=9", f"{ended}/view?at=9", f"{ended}/board.txt?at=9"):
        refused(ada.get(wrong), 409, "ahead_of_log")
    for asked in (SSE, NDJSON):
        refused(ada.get(f"{ended}/events?after=9", Accept=asked), 409, "ahead_of_log")


def test_a_wait_ends_with_an_event_or_its_time(ada: Asker) -> None:
    path = ada.creates(LAND, ["me", "me"])
    assert ada.get(f"{path}/events?after=2&wait=1").json == {"version": 2, "events": []}
    assert ada.get(f"{path}/view?after=2&wait=1").json["version"] == 2
    answers: dict[str, Any] = {}

    def waits(part: str) -> None:
        answers[part] = Asker(ada.client.application.test_client(), ada.token).get(f"{path}{part}after=2&wait=25").json

    waiting = [threading.Thread(target=waits, args=(part,)) for part in ("/events?", "/view?", "/view?seat=1&")]
    for thread in waiting:
        thread.start()
    time.sleep(0.3)
    ada.acts(path)
    for thread in waiting:
        thread.join(60)
    assert [event["seq"] for event in answers["/events?"]["events"]] == [3]
    assert [answers[part]["version"] for part in ("/view?", "/view?seat=1&")] == [3, 3]


def test_frames_of_sse(ada: Asker, ended: str) -> None:
    events = ada.events(ended)
    answer = ada.get(f"{ended}/events?after=6", Accept=SSE)
    assert answer.headers["Content-Type"].partition(";")[0] == SSE
    head, *frames, end, nothing = answer.data.decode().split("\n\n")
    assert (head, nothing) == ("retry: 1000", "")
    assert end.splitlines()[0] == "event: end"
    assert json.loads(end.splitlines()[1].removeprefix("data: ")) == {"reason": "ended"}
    assert len(end.splitlines()) == 2
    for frame, event in zip(frames, events[6:], strict=True):
        id_, data = frame.split("\n")
        assert id_ == f"id: {event['seq']}"
        assert json.loads(data.removeprefix("data: ")) == event


def test_last_event_id_beats_after(ada: Asker, ended: str) -> None:
    for after in ("2", "8", "9"):
        text = ada.get(f"{ended}/events?after={after}", Accept=SSE, Last_Event_ID="6").data.decode()
        assert [line for line in text.splitlines() if line.startswith("id:")] == ["id: 7", "id: 8"]
    assert ada.get(f"{ended}/events", Accept=SSE, Last_Event_ID="8").data.count(b"\n\n") == 2
    ahead = ada.get(f"{ended}/events", Accept=SSE, Last_Event_ID="9")
    refused(ahead, 409, "ahead_of_log")
    assert faults(ahead) == {("Last-Event-ID", "out_of_range")}


def test_lines_of_ndjson(ada: Asker, ended: str) -> None:
    lines = ada.get(f"{ended}/events?after=6", Accept=NDJSON).data.decode().split("\n")
    assert lines.pop() == ""
    assert json.loads(lines.pop()) == {"type": "end", "reason": "ended"}
    assert [json.loads(line) for line in lines] == ada.events(ended)[6:]


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "application/json"),
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        ("application/json;q=0.5, text/event-stream", SSE),
        ("text/event-stream;q=0.1, application/json;q=0.2", "application/json"),
        ("text/*", SSE),
        ("text/event-stream", SSE),
        ("Text/Event-Stream", SSE),
        ("text/html, application/x-ndjson;q=0.3", NDJSON),
        ("application/json;q=0, text/event-stream", SSE),
        ("text/html, */*;q=0.1", "application/json"),
        ("text/html", None),
        ("application/xml, image/*", None),
        ("application/json;q=0", None),
    ],
)
def test_accept(ada: Asker, ended: str, accept: str | None, media_type: str | None) -> None:
    answer = ada.get(f"{ended}/events", **({} if accept is None else {"Accept": accept}))
    if media_type is None:
        refused(answer, 406, "not_acceptable")
    else:
        assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, media_type)


@pytest.mark.parametrize("part", ["", "/view", "/legal-actions", "/record", "/board.txt"])
def test_one_representation_ignores_accept(ada: Asker, ended: str, part: str) -> None:
    for accept in ("image/png", "text/event-stream", "application/json;q=0", "nonsense"):
        assert ada.get(ended + part, Accept=accept).status_code == 200


def test_a_quiet_stream_beats_and_its_ends_have_reasons(ada: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ada.creates(LAND, ["me", "me"])
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.1)
    monkeypatch.setattr(streams, "ROTATE_S", 0.35)
    text = ada.get(f"{path}/events?after=2", Accept=SSE).data.decode()
    assert text.startswith("retry: 1000\n\n: hb\n\n")
    assert text.endswith('event: end\ndata: {"reason":"rotate"}\n\n')
    lines = ada.get(f"{path}/events?after=2", Accept=NDJSON).data.decode().split("\n")
    assert lines[0] == ""
    assert json.loads(lines[-2]) == {"type": "end", "reason": "rotate"}


def test_a_stream_over_the_cap(ada: Asker, ended: str, service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.streams, "_cap", 0)
    answer = ada.get(f"{ended}/events", Accept=SSE)
    refused(answer, 503, "too_many_streams")
    assert int(answer.headers["Retry-After"]) > 0
    assert ada.get(f"{ended}/events").status_code == 200
