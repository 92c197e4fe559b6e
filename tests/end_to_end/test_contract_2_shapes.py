"""Sections 1 and 2 of the contract: paths, shapes, seats, lists, decisions, rematches, resigning and expiry."""

from __future__ import annotations

import itertools
import json
import random
import re
import threading
import time
import unicodedata
from typing import Any

import pytest

from tests.end_to_end.contract import LAND, WONDER, Asker, refused
from tests.end_to_end.test_contract_4_events import DAY_MS, grow_old

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
MATCH = {
    *("id", "game", "rules_version", "options", "status", "version", "seats", "start", "visibility", "commitment"),
    *("deal_source", "clock", "rated", "metadata", "created_at", "started_at", "ended_at", "expires_at", "result"),
    "rematch",
}
SEAT = {"seat", "kind", "taken", "account", "name", "status"}
VIEW = {
    *("match", "game", "version", "status", "seat", "to_act", "phase", "scores", "state", "legal_actions", "result"),
    *("deadline_at", "remaining_ms"),
}
STATE = {
    LAND: {"tiles", "followers", "supply", "hands", "last", "deck_count", "set_aside_count", "discarded"},
    WONDER: {
        *("round", "active_seat", "journey", "seats_to_ask", "travellers", "postcards_left", "postcards"),
        *("redeemed", "hand", "hand_counts", "deck_count"),
    },
}


def instants(value: Any, name: str = "") -> list[str]:
    """Everything that is named like an instant."""
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in instants(inner, key)]
    if isinstance(value, list):
        return [text for inner in value for text in instants(inner, name)]
    return [value] if value is not None and (name.endswith("_at") or name == "at") else []


# --- section 1 ----------------------------------------------------------------------------------------------------


def test_the_roots_link_to_documentation(nobody: Asker) -> None:
    for path in ("/", "/v1"):
        links = nobody.get(path).json
        for link in (links["docs"], links["openapi"], links["games"]):
            assert nobody.get(link).status_code == 200


def test_the_catalogue(nobody: Asker) -> None:
    games = {game["id"]: game for game in nobody.get("/v1/games").json["games"]}
    assert {id_: (game["players"]["min"], game["players"]["max"]) for id_, game in games.items()} == {
        LAND: (2, 5),
        WONDER: (2, 4),
    }
    for id_, game in games.items():
        full = nobody.get(f"/v1/games/{id_}").json
        assert full.items() >= game.items()
        assert game["rules_version"] == "1"
        assert game["options"]["type"] == "object"
        assert (
            set(game["phases"])
            == {
                LAND: {"place_tile", "follower", "over"},
                WONDER: {"turn", "companions", "after", "final", "over"},
            }[id_]
        )
        for lang in ("de", "en"):
            rules = nobody.get(f"/v1/games/{id_}/rules?lang={lang}")
            assert rules.headers["Content-Type"].partition(";")[0] == "text/markdown"
            assert len(rules.data) > 2000
    assert set(games[LAND]["options"]["properties"]) == {"expert", "equal_turns"}
    assert set(games[WONDER]["options"]["properties"]) == {"postcards", "round_limit"}


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/openapi.json", "/docs", "/problems/not_found"])
def test_operations_and_documentation(nobody: Asker, path: str) -> None:
    assert nobody.get(path).status_code == 200


# --- accounts -----------------------------------------------------------------------------------------------------


def test_an_account(nobody: Asker) -> None:
    answer = nobody.post("/v1/accounts", {"name": "Ada", "kind": "bot"})
    assert answer.status_code == 201
    account, key = answer.json["account"], answer.json["key"]
    assert set(account) == {"id", "name", "kind", "created_at"}
    assert re.fullmatch("ac_[0-9a-f]{32,}", account["id"])
    assert key.startswith("spt_key_")
    assert "recovered" in json.dumps({k: v for k, v in answer.json.items() if k not in ("account", "key")})
    assert nobody.by(key).get(answer.headers["Location"]).json["account"] == account
    assert nobody.post("/v1/accounts", {"name": "Ada"}).json["account"]["kind"] == "human"
    assert nobody.post("/v1/accounts", {"name": "Ada"}).json["account"]["id"] != account["id"]


@pytest.mark.parametrize(
    "name",
    ["a", " ", "x" * 64, "\U0001f600" * 64, "a\u2028b", "\u202eabc", "e\u0301", "\u1112\u1161\u11ab" * 21, "\ufdfa"],
)
def test_names_are_kept_in_nfc(nobody: Asker, name: str) -> None:
    made = nobody.post("/v1/accounts", {"name": name})
    assert (made.status_code, made.json["account"]["name"]) == (201, unicodedata.normalize("NFC", name))


def test_erasing_a_name(ada: Asker, bob: Asker) -> None:
    path = ada.creates(LAND, ["me", "open"])
    bob.post(f"{path}/seats")
    erased = bob.delete("/v1/me")
    assert (erased.status_code, erased.json["account"]["name"]) == (200, None)
    refused(bob.delete("/v1/me"), 401, "unauthenticated")
    refused(bob.get("/v1/me"), 401, "unauthenticated")
    seat = ada.get(path).json["seats"][1]
    assert (seat["kind"], seat["account"], seat["name"]) == ("account", bob.account, None)
    assert "Bob" not in ada.get(path).text + ada.get(f"{path}/record").text + ada.get("/v1/matches").text


# --- matches ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "given", "shown"),
    [
        (LAND, {}, {"expert": False, "equal_turns": False}),
        (LAND, {"options": None}, {"expert": False, "equal_turns": False}),
        (LAND, {"options": {"expert": None, "equal_turns": True}}, {"expert": False, "equal_turns": True}),
        (WONDER, {}, {"postcards": "own_turn", "round_limit": None}),
        (WONDER, {"options": {"postcards": None, "round_limit": 3}}, {"postcards": "own_turn", "round_limit": 3}),
    ],
)
def test_a_match_shows_all_options(ada: Asker, game: str, given: dict[str, Any], shown: dict[str, Any]) -> None:
    path = ada.creates(game, ["me", "open"], **given)
    assert ada.get(path).json["options"] == shown


def test_a_new_match(ada: Asker) -> None:
    wanted = {"game": LAND, "seats": ["me", "open", "invite", "bot:random"], "metadata": {"table": "7"}}
    answer = ada.post("/v1/matches", wanted)
    match = answer.json
    assert answer.status_code == 201
    assert set(match) == MATCH | {"grants", "invitations"}
    assert re.fullmatch("mt_[0-9a-f]{32,}", match["id"])
    assert answer.headers["Location"] == f"/v1/matches/{match['id']}"
    assert [(grant["seat"], grant["token"][:9]) for grant in match["grants"]] == [(0, "spt_seat_")]
    assert [set(invitation) for invitation in match["invitations"]] == [{"seat", "token"}]
    assert match["invitations"][0]["seat"] == 2
    told = {"status": "open", "start": "auto", "visibility": "public", "deal_source": "drawn", "version": 1}
    assert {key: match[key] for key in told} == told
    assert (match["metadata"], match["rated"], match["rules_version"]) == ({"table": "7"}, True, "1")
    assert [match[key] for key in ("started_at", "ended_at", "result", "rematch")] == [None] * 4
    seats = match["seats"]
    assert all(set(seat) == SEAT for seat in seats)
    assert [(seat["seat"], seat["kind"], seat["taken"], seat["status"]) for seat in seats] == [
        (0, "account", True, "active"),
        (1, "open", False, "active"),
        (2, "invite", False, "active"),
        (3, "bot", True, "active"),
    ]
    assert (seats[0]["account"], seats[0]["name"], seats[1]["account"], seats[1]["name"]) == (
        *(ada.account, "Ada"),
        *(None, None),
    )
    assert set(ada.get(f"/v1/matches/{match['id']}").json) == MATCH


def test_instants_and_ids(ada: Asker, bob: Asker) -> None:
    path = ada.creates(WONDER, ["me", "open"])
    bob.post(f"{path}/seats")
    bob.post(f"{path}/resignation")
    told = [ada.get(each).json for each in (path, f"{path}/events", f"{path}/record", "/v1/me", "/v1/matches")]
    found = instants(told)
    assert len(found) > 10
    assert all(INSTANT.fullmatch(each) for each in found)
    match = told[0]
    assert match["created_at"] <= match["started_at"] <= match["ended_at"]


def test_joining(ada: Asker, bob: Asker, nobody: Asker) -> None:
    made = ada.post("/v1/matches", {"game": LAND, "seats": ["open", "invite", "open", "me", "open"]}).json
    path = f"/v1/matches/{made['id']}"
    invitation = made["invitations"][0]["token"]
    lowest = bob.post(f"{path}/seats")
    assert (lowest.status_code, lowest.headers["Location"]) == (201, path)
    assert set(lowest.json) == MATCH | {"grants"}
    assert [grant["seat"] for grant in lowest.json["grants"]] == [0]
    assert ada.get(path).json["rated"] is True
    named = bob.post(f"{path}/seats", {"seat": 4})
    assert [grant["seat"] for grant in named.json["grants"]] == [4]
    assert named.json["rated"] is False
    refused(bob.post(f"{path}/seats", {"seat": 4}), 409, "seat_taken")
    refused(bob.post(f"{path}/seats", {"seat": 1}), 403, "invitation_invalid")
    refused(nobody.post(f"{path}/seats"), 401, "unauthenticated")
    guest = nobody.post(f"{path}/seats", {"invitation": invitation, "name": "Grace"})
    seat = guest.json["seats"][1]
    assert (guest.status_code, seat["kind"], seat["name"], seat["account"]) == (201, "guest", "Grace", None)
    refused(bob.post(f"{path}/seats", {"invitation": invitation}), 409, "seat_taken")
    started = bob.post(f"{path}/seats", {"seat": 2}).json
    assert (started["status"], started["version"]) == ("running", 6)
    as_guest = nobody.by(guest.json["grants"][0]["token"])
    assert as_guest.get(f"{path}/view").json["seat"] == 1
    assert as_guest.get("/v1/me").json["account"] is None


def test_leaving(ada: Asker, bob: Asker) -> None:
    made = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "open", "invite", "bot:random"]}).json
    path = f"/v1/matches/{made['id']}"
    token = bob.post(f"{path}/seats").json["grants"][0]["token"]
    refused(bob.delete(f"{path}/seats/3"), 403, "not_your_seat")
    left = bob.delete(f"{path}/seats/1")
    assert (left.status_code, left.json["version"], left.json["seats"][1]["kind"]) == (200, 3, "open")
    refused(bob.by(token).get(path), 401, "unauthenticated")
    # Again: nothing happens, and the answer is the match as it is.
    assert bob.delete(f"{path}/seats/1").json == left.json
    bob.post(f"{path}/seats")
    for seat, kind in ((1, "open"), (3, "open"), (0, "open")):
        assert ada.delete(f"{path}/seats/{seat}").json["seats"][seat]["kind"] == kind
    bob.post(f"{path}/seats", {"invitation": made["invitations"][0]["token"]})
    assert bob.delete(f"{path}/seats/2").json["seats"][2]["kind"] == "invite"
    # The creator needs no seat.
    assert ada.delete(path).json["status"] == "aborted"
    assert ada.delete(path).json["status"] == "aborted"
    refused(ada.delete(f"{path}/seats/1"), 409, "match_not_open")


def test_starting_by_hand(ada: Asker, bob: Asker) -> None:
    path = ada.creates(LAND, ["me", "open"], start="manual")
    refused(ada.post(f"{path}/start"), 409, "seats_missing")
    assert bob.post(f"{path}/seats").json["status"] == "open"
    refused(bob.post(f"{path}/start"), 403, "forbidden")
    started = ada.post(f"{path}/start", {})
    assert (started.status_code, started.json["status"], set(started.json)) == (200, "running", MATCH)
    refused(ada.post(f"{path}/start"), 409, "match_not_open")


# --- views --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options"),
    [(LAND, {}), (LAND, {"expert": True}), (WONDER, {"round_limit": 8, "postcards": "with_travel"})],
)
def test_views_of_every_phase(ada: Asker, nobody: Asker, game: str, options: dict[str, Any]) -> None:
    path = ada.creates(game, ["me", "me", "me"], options=options)
    chance = random.Random(game)
    phases = set()
    seen: dict[tuple[int, str], bytes] = {}
    running = True
    while running:
        views = {seat: ada.get(f"{path}/view?seat={seat}") for seat in range(3)} | {None: nobody.get(f"{path}/view")}
        to_act = views[None].json["to_act"]
        for seat, answer in views.items():
            view = answer.json
            assert set(view) == VIEW
            assert set(view["state"]) == STATE[game]
            assert view["seat"] == seat
            assert (view["legal_actions"] is not None) == (seat is not None and seat == to_act)
            legal = (nobody if seat is None else ada).get(
                f"{path}/legal-actions" + ("" if seat is None else f"?seat={seat}")
            )
            assert legal.json == {"version": view["version"], "legal_actions": view["legal_actions"]}
            check_state(game, view["state"], seat, 3)
            seen[view["version"], str(seat)] = answer.data
        phases.add(views[None].json["phase"])
        running = views[None].json["status"] == "running"
        if running:
            acted = ada.acts(path, chance.randrange(1000))
            assert set(acted) == {"version", "events", "view"}
            assert acted["version"] == acted["view"]["version"] == acted["events"][-1]["seq"]
            assert acted["view"]["seat"] == to_act
    assert phases == set(nobody.get(f"/v1/games/{game}").json["phases"])
    for (version, was), body in random.Random(1).sample(sorted(seen.items()), 24):
        query = f"?at={version}" + ("" if was == "None" else f"&seat={was}")
        assert (nobody if was == "None" else ada).get(f"{path}/view{query}").data == body


def check_state(game: str, state: dict[str, Any], seat: int | None, players: int) -> None:
    if game == LAND:
        assert state["tiles"][0] == {"x": 0, "y": 0, "tile": "161smg-01", "rotation": 0, "seat": None}
        assert all(set(tile) == {"x", "y", "tile", "rotation", "seat"} for tile in state["tiles"])
        assert all(set(follower) == {"seat", "x", "y", "region", "kind"} for follower in state["followers"])
        assert all(follower["kind"] in ("explorer", "robber", "sailor") for follower in state["followers"])
        for i in range(players):
            assert state["supply"][i] + sum(follower["seat"] == i for follower in state["followers"]) == 4
        last = state["tiles"][-1]
        assert state["last"] == (None if len(state["tiles"]) == 1 else {"x": last["x"], "y": last["y"]})
        assert [len(state["supply"]), len(state["hands"])] == [players, players]
        return
    assert all(sum(where.values()) == 8 and all(n > 0 for n in where.values()) for where in state["travellers"])
    assert len(state["postcards_left"]) == 7
    for section, left in state["postcards_left"].items():
        assert left + sum(each[section] for each in state["postcards"]) == 16
    if seat is None:
        assert state["hand"] is None
    else:
        assert len(state["hand"]) == state["hand_counts"][seat]
    assert state["deck_count"] + sum(state["hand_counts"]) + sum(map(len, state["redeemed"])) == 48
    assert state["journey"] is None or set(state["journey"]) == {"origin", "destination"}
    assert all(i in range(players) for i in state["seats_to_ask"])


def test_a_view_before_the_start_has_all_its_keys(ada: Asker) -> None:
    view = ada.get(f"{ada.creates(WONDER, ['me', 'open'])}/view").json
    assert set(view) == VIEW
    assert (view["status"], view["seat"], view["to_act"], view["legal_actions"]) == ("open", 0, None, None)


# --- resigning ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [LAND, WONDER])
def test_the_last_active_seat_is_first_and_the_others_follow_from_last_to_first_out(ada: Asker, game: str) -> None:
    path = ada.creates(game, ["me"] * 4)
    ada.plays(path, itertools.count(1), 3)
    for seat, status in ((2, "running"), (0, "running"), (3, "finished")):
        answer = ada.post(f"{path}/resignation", {"seat": seat})
        assert (answer.status_code, answer.json["status"], set(answer.json)) == (200, status, MATCH)
        assert answer.json["seats"][seat]["status"] == "resigned"
        to_act = ada.get(f"{path}/view").json["to_act"]
        assert to_act not in (2, seat)
    result = answer.json["result"]
    assert (result["ranks"], result["end_reason"]) == ([3, 1, 4, 2], "last_seat")
    assert len(result["scores"]) == 4
    refused(ada.post(f"{path}/resignation", {"seat": 1}), 409, "match_not_running")
    last = ada.events(path)[-2:]
    assert [event["type"] for event in last] == ["seat_resigned", "match_finished"]
    assert ("final" in last[1]["data"]) == (game == LAND)


def test_a_seat_that_resigned_is_played_for_and_scored_as_any(ada: Asker, bob: Asker) -> None:
    path = ada.creates(WONDER, ["me", "open", "me"], options={"round_limit": 2})
    bob.post(f"{path}/seats")
    once = bob.post(f"{path}/resignation").json
    assert bob.post(f"{path}/resignation").json == once
    view = ada.plays(path, itertools.count())
    assert view["result"]["end_reason"] == "completed"
    scores = view["result"]["scores"]
    assert view["result"]["ranks"] == [1 + sum(other > own for other in scores) for own in scores]
    played = [event for event in ada.events(path) if event["type"] == "action" and event["seat"] == 1]
    assert {event["data"]["cause"] for event in played} == {"resigned"}
    refused(bob.post(f"{path}/actions", {"actions": [{"type": "stay"}]}), 409, "match_not_running")


def test_resigning_while_asked_along_and_in_the_final_phase(ada: Asker) -> None:
    """W22, W51: whoever must act is played for in the same commit, in every phase."""
    for phase in ("companions", "after", "final"):
        path = ada.creates(WONDER, ["me"] * 3, options={"round_limit": 1})
        for choice in itertools.count(5):
            view = ada.get(f"{path}/view").json
            if view["phase"] == phase:
                break
            ada.acts(path, choice)
        told = ada.post(f"{path}/resignation", {"seat": view["to_act"]}).json
        events = ada.events(path)[view["version"] :]
        assert [event["type"] for event in events[:2]] == ["seat_resigned", "action"]
        assert events[1]["data"]["cause"] == "resigned"
        assert told["version"] == view["version"] + len(events)
        assert ada.get(f"{path}/view").json["to_act"] != view["to_act"]


def test_house_bots_play_on(ada: Asker) -> None:
    path = ada.creates(LAND, ["me", "bot:random", "bot:random"])
    answer = ada.post(f"{path}/resignation").json
    assert (answer["status"], answer["result"]) == ("running", None)
    alone = ada.creates(LAND, ["me", "bot:random"])
    assert ada.post(f"{alone}/resignation").json["result"]["ranks"] == [2, 1]


# --- rematches, expiry --------------------------------------------------------------------------------------------


def test_a_rematch_rotates_the_seats(ada: Asker, bob: Asker, nobody: Asker) -> None:
    made = ada.post("/v1/matches", {"game": WONDER, "seats": ["me", "open", "invite", "bot:random"]}).json
    path = f"/v1/matches/{made['id']}"
    bob.post(f"{path}/seats")
    invitation = made["invitations"][0]["token"]
    token = nobody.post(f"{path}/seats", {"invitation": invitation, "name": "Grace"}).json["grants"][0]["token"]
    guest = nobody.by(token)
    for asker in (ada, bob):
        assert asker.post(f"{path}/rematch").status_code == 409
        asker.post(f"{path}/resignation")
    guest.post(f"{path}/resignation")
    first = bob.post(f"{path}/rematch")
    assert (first.status_code, set(first.json)) == (201, MATCH | {"grants"})
    assert first.headers["Location"] == f"/v1/matches/{first.json['id']}"
    assert (first.json["status"], first.json["game"], first.json["options"]) == ("running", WONDER, made["options"])
    assert [seat["name"] for seat in first.json["seats"]] == ["random", "Ada", "Bob", "Grace"]
    assert [seat["kind"] for seat in first.json["seats"]] == ["bot", "account", "account", "guest"]
    assert [grant["seat"] for grant in first.json["grants"]] == [2]
    again = guest.post(f"{path}/rematch", {})
    assert (again.status_code, again.json["id"]) == (201, first.json["id"])
    (grant,) = again.json["grants"]
    assert grant["seat"] == 3
    assert nobody.by(grant["token"]).get(f"/v1/matches/{first.json['id']}/view").json["seat"] == 3
    assert [ada.get(path).json["rematch"], first.json["rematch"]] == [first.json["id"], None]
    refused(Asker.named(ada.client, "Eve").post(f"{path}/rematch"), 403, "forbidden")


def test_a_match_is_aborted_by_a_seat_after_seven_days(ada: Asker, bob: Asker, clean_valkey: str) -> None:
    path = ada.creates(LAND, ["me", "open"])
    bob.post(f"{path}/seats")
    grow_old(clean_valkey, path, 7 * DAY_MS - 60_000)
    refused(bob.delete(path), 409, "match_not_open")
    grow_old(clean_valkey, path, 60_000)
    refused(Asker.named(ada.client, "Eve").delete(path), 403, "forbidden")
    assert bob.delete(path).json["status"] == "aborted"
    assert bob.delete(path).json["status"] == "aborted"


# --- lists and decisions ------------------------------------------------------------------------------------------


def test_lists(ada: Asker, bob: Asker, nobody: Asker) -> None:
    paths = [
        ada.creates(LAND, ["me", "open"]),
        ada.creates(WONDER, ["me", "me"]),
        bob.creates(LAND, ["me", "invite"]),
        bob.creates(WONDER, ["me", "open"], visibility="unlisted"),
        ada.creates(WONDER, ["me", "invite"], visibility="private"),
        ada.creates(LAND, ["open", "open"], start="manual"),
    ]
    ada.post(f"{paths[1]}/resignation", {"seat": 0})

    def listed(asker: Asker, query: str) -> list[int]:
        answer = asker.get(f"/v1/matches?{query}").json
        assert set(answer) == {"matches", "next_cursor"}
        assert all(set(match) == MATCH for match in answer["matches"])
        return [paths.index(f"/v1/matches/{match['id']}") for match in answer["matches"]]

    assert listed(nobody, "") == [5, 2, 1, 0]
    assert listed(ada, "") == [5, 2, 1, 0]
    assert listed(ada, "mine=true") == [5, 4, 1, 0]
    assert listed(bob, "mine=true") == [3, 2]
    assert listed(nobody, f"game={LAND}") == [5, 2, 0]
    assert listed(nobody, "status=finished") == [1]
    assert listed(nobody, "status=open&open_seats=true") == [5, 0]
    assert listed(nobody, "status=open&open_seats=false") == [2]
    assert listed(ada, f"mine=true&game={WONDER}&status=open") == [4]
    found, cursor = [], ""
    while cursor is not None:
        page = nobody.get(f"/v1/matches?limit=1{cursor and f'&cursor={cursor}'}").json
        assert len(page["matches"]) <= 1
        found += [match["id"] for match in page["matches"]]
        cursor = page["next_cursor"]
    assert found == [paths[i].rpartition("/")[2] for i in (5, 2, 1, 0)]


def test_decisions(ada: Asker, bob: Asker) -> None:
    assert ada.get("/v1/me/decisions?wait=25").json["decisions"] == []
    path = ada.creates(LAND, ["me", "open"])
    empty = ada.get("/v1/me/decisions").json
    assert set(empty) == {"decisions", "cursor"}
    assert ada.get(f"/v1/me/decisions?wait=1&cursor={empty['cursor']}").json == empty
    answers: list[Any] = []
    waiting = Asker(ada.client.application.test_client(), ada.token)
    thread = threading.Thread(
        target=lambda: answers.append(waiting.get(f"/v1/me/decisions?wait=25&cursor={empty['cursor']}").json)
    )
    thread.start()
    time.sleep(0.2)
    bob.post(f"{path}/seats")
    thread.join(60)
    (decision,) = answers[0]["decisions"]
    match = ada.get(path).json
    assert decision == {
        **{"match": match["id"], "game": LAND, "seat": 0, "version": 3},
        **{"since_at": match["started_at"], "deadline_at": None},
    }
    assert answers[0]["cursor"] != empty["cursor"]
    assert bob.get("/v1/me/decisions").json["decisions"] == []
    for _ in range(2):
        ada.acts(path)
    assert ada.get(f"/v1/me/decisions?wait=25&cursor={answers[0]['cursor']}").json == empty
    assert [each["seat"] for each in bob.get("/v1/me/decisions").json["decisions"]] == [1]
