"""Whole stories over HTTP, every answer held against the description."""

from __future__ import annotations

import pytest

from spieltisch_service.domain.verify import verify
from tests.web.checked import Checked, Person


@pytest.mark.parametrize("game", ["neues-land", "wunderland"])
def test_two_people_play_and_the_record_proves_it(client: Checked, ada: Person, bob: Person, game: str) -> None:
    options = {"round_limit": 2} if game == "wunderland" else {"equal_turns": True}
    wanted = {"game": game, "seats": ["me", "open"], "options": options, "start": "manual"}
    created = Checked.ok(ada.post("/v1/matches", json=wanted))
    path = f"/v1/matches/{created['id']}"
    assert bob.post(f"{path}/seats", json={"nonce": "bob"}).status_code == 201
    assert ada.post(f"{path}/start", json={"nonces": {"0": "ada"}}).status_code == 200
    people = (ada, bob)
    plies = 0
    while (view := ada.view(path))["status"] == "running" and plies < 30:
        actor = people[view["to_act"]]
        legal = Checked.ok(actor.get(f"{path}/legal-actions"))
        assert legal["legal_actions"] == actor.view(path)["legal_actions"]
        other = people[1 - view["to_act"]]
        assert Checked.ok(other.get(f"{path}/legal-actions"))["legal_actions"] is None
        action = legal["legal_actions"][plies * 7 % len(legal["legal_actions"])]
        done = Checked.ok(actor.post(f"{path}/actions", json={"actions": [action], "version": legal["version"]}))
        assert done["view"] == actor.view(path)
        assert done["events"][0]["data"]["action"] == action
        plies += 1
    assert bob.post(f"{path}/resignation").status_code in (200, 409)
    record = Checked.ok(client.get(f"{path}/record"))
    assert record["status"] == "finished"
    verify(record)
    assert client.get(f"{path}/board.txt").mimetype == "text/plain"
    assert Checked.ok(client.get(path))["result"] == record["result"]


def test_a_guest_plays_by_invitation(client: Checked, ada: Person) -> None:
    created = Checked.ok(ada.post("/v1/matches", json={"game": "wunderland", "seats": ["me", "invite"]}))
    path = f"/v1/matches/{created['id']}"
    body = {"invitation": created["invitations"][0]["token"], "name": "Carla"}
    joined = Checked.ok(client.post(f"{path}/seats", json=body))
    assert joined["seats"][1] | {"seat": 1} == {
        "seat": 1, "kind": "guest", "taken": True, "account": None, "name": "Carla", "status": "active",
    }  # fmt: skip
    carla = Person(client, joined["grants"][0]["token"])
    ada.plays(path)
    assert carla.view(path)["seat"] == 1
    assert Checked.ok(client.get(f"{path}/view"))["seat"] is None


def test_a_key_with_several_seats_reads_as_a_spectator_unless_it_names_one(ada: Person) -> None:
    path = ada.creates(["me", "me"])
    assert ada.view(path)["seat"] is None
    assert ada.view(path, "?seat=1")["seat"] == 1
    for part in ("", "/events", "/record", "/board.txt", "/legal-actions"):
        assert ada.get(f"{path}{part}?seat=1").status_code == 200
        assert ada.get(f"{path}{part}?seat=2").status_code == 403


def test_a_list_of_actions_is_all_or_nothing(ada: Person, bob: Person) -> None:
    path = ada.creates(["me", "open"])
    assert bob.post(f"{path}/seats").status_code == 201
    lay = ada.view(path)["legal_actions"][0]
    refused = ada.post(f"{path}/actions", json={"actions": [lay, {"type": "pass"}, {"type": "pass"}]})
    assert refused.json is not None
    assert (refused.status_code, refused.json["code"]) == (409, "not_your_turn")
    assert refused.json["errors"][0]["pointer"] == "/actions/2"
    assert ada.view(path)["version"] == 3
    done = Checked.ok(ada.post(f"{path}/actions", json={"actions": [lay, {"type": "pass"}]}))
    assert [event["type"] for event in done["events"]] == ["action", "action"]


def test_an_action_of_another_game_is_a_400(ada: Person) -> None:
    path = ada.creates(["me", "me"])
    refused = ada.post(f"{path}/actions", json={"actions": [{"type": "stay"}]})
    assert refused.json is not None
    assert (refused.status_code, refused.json["code"]) == (400, "invalid_body")
    assert [(e["pointer"], e["code"]) for e in refused.json["errors"]] == [("/actions/0/type", "not_one_of")]


def test_lists_go_on_from_page_to_page(client: Checked, ada: Person) -> None:
    made = [ada.creates(["me", "open"]).rpartition("/")[2] for _ in range(5)]
    ada.creates(["me", "open"], visibility="unlisted")
    found: list[str] = []
    query = "?limit=2"
    while True:
        page = Checked.ok(client.get(f"/v1/matches{query}"))
        found += [match["id"] for match in page["matches"]]
        if page["next_cursor"] is None:
            break
        query = f"?limit=2&cursor={page['next_cursor']}"
    assert sorted(found) == sorted(made)
    assert len(Checked.ok(ada.get("/v1/matches?mine=true"))["matches"]) == 6
    assert client.get("/v1/matches?cursor=nonsense").status_code == 400


def test_decisions_tell_what_waits(ada: Person, bob: Person) -> None:
    path = ada.creates(["me", "open"])
    assert Checked.ok(ada.get("/v1/me/decisions"))["decisions"] == []
    assert bob.post(f"{path}/seats").status_code == 201
    found = Checked.ok(ada.get("/v1/me/decisions"))
    assert [(each["match"], each["seat"]) for each in found["decisions"]] == [(path.rpartition("/")[2], 0)]
    assert ada.get(f"/v1/me/decisions?cursor={found['cursor']}").json == found
    assert ada.get("/v1/me/decisions?cursor=x").status_code == 400


def test_a_seat_that_a_match_has_not_is_no_path(ada: Person) -> None:
    path = ada.creates(["me", "open"])
    assert ada.delete(f"{path}/seats/4").status_code == 404
    assert ada.delete(f"{path}/seats/x").status_code == 404
    assert ada.delete(f"{path}/seats/0").status_code == 200
