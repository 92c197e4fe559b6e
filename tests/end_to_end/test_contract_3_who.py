"""Section 3 of the contract: tokens, who sees what by visibility, and which seat a request is for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.end_to_end.contract import LAND, WONDER, Asker, refused

READS = ("", "/view", "/legal-actions", "/events", "/record", "/board.txt")
SSE = "text/event-stream"
EVERYWHERE = ("/", "/v1", "/v1/games", "/v1/games/wunderland", "/v1/games/wunderland/rules", "/v1/matches", "/v1/me")


@pytest.mark.parametrize(
    "header",
    [
        *("", "Bearer", "Bearer ", "Bearer x", "Basic eDp5", "spt_key_x", "Bearer a b", "Token x"),
        *("Bearer spt_key_" + "0" * 32 + "_" + "A" * 43, "Bearer spt_seat_" + "0" * 32 + "_0_0_" + "A" * 43),
    ],
)
def test_a_bad_token_is_401_even_where_none_is_needed(ada: Asker, nobody: Asker, header: str) -> None:
    path = ada.creates(LAND, ["me", "open"])
    for each in (*EVERYWHERE, *(path + part for part in READS), "/openapi.json", "/docs", "/problems/internal"):
        answer = nobody.get(each, Authorization=header)
        refused(answer, 401, "unauthenticated")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    refused(nobody.post("/v1/accounts", {"name": "x"}, Authorization=header), 401, "unauthenticated")


def test_a_changed_token_is_bad(ada: Asker, nobody: Asker) -> None:
    made = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "open", "invite"]}).json
    for token in (ada.token, made["grants"][0]["token"]):
        assert token is not None
        assert nobody.by(token).get("/v1/me").status_code == 200
        for wrong in (token[:-1], token + "A", token[:-2] + ("AA" if token[-2:] != "AA" else "BB"), token.upper()):
            refused(nobody.by(wrong).get("/v1/me"), 401, "unauthenticated")
    refused(nobody.by(made["invitations"][0]["token"]).get("/v1/me"), 401, "unauthenticated")
    other_seat = made["grants"][0]["token"].replace("_0_0_", "_1_0_")
    refused(nobody.by(other_seat).get("/v1/me"), 401, "unauthenticated")


@pytest.mark.parametrize("name", ["token", "access_token", "key", "api_key", "authorization"])
def test_tokens_in_queries_are_refused(ada: Asker, nobody: Asker, name: str) -> None:
    path = ada.creates(LAND, ["me", "open"])
    for each in ("/v1/me", "/v1/matches", "/v1/games", *(path + part for part in READS)):
        for asker in (ada, nobody):
            answer = asker.get(f"{each}?{name}={ada.token}")
            refused(answer, 400, "invalid_parameter")
            assert str(ada.token) not in answer.text


# --- visibility ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("visibility", "readable", "listed"), [("public", True, True), ("unlisted", True, False), ("private", False, False)]
)
def test_visibility_on_every_path(
    ada: Asker, bob: Asker, nobody: Asker, visibility: str, readable: bool, listed: bool
) -> None:
    made = ada.post("/v1/matches", {"game": WONDER, "seats": ["open", "invite"], "visibility": visibility}).json
    path = f"/v1/matches/{made['id']}"
    eve = Asker.named(ada.client, "Eve")
    token = bob.post(f"{path}/seats", {"invitation": made["invitations"][0]["token"]}).json["grants"][0]["token"]
    for started in (False, True):
        for part in READS:
            for asker in (ada, bob, nobody.by(token)):
                assert asker.get(path + part).status_code == 200
            for stranger in (eve, nobody):
                assert stranger.get(path + part).status_code == (200 if readable else 404)
                assert stranger.send("HEAD", path + part).status_code == (200 if readable else 404)
        for accept in (SSE, "application/x-ndjson") if not readable else ():
            refused(eve.get(f"{path}/events", Accept=accept), 404, "not_found")
        ids = [match["id"] for match in nobody.get("/v1/matches").json["matches"]]
        assert (made["id"] in ids) is listed
        assert made["id"] in [match["id"] for match in bob.get("/v1/matches?mine=true").json["matches"]]
        if not started:
            joined = eve.post(f"{path}/seats")
            assert joined.status_code == (201 if readable else 404)
            if not readable:
                assert ada.post(f"{path}/seats").status_code == 201
            else:
                eve = Asker.named(ada.client, "Mallory")


def test_a_private_match_with_other_questions(ada: Asker, bob: Asker) -> None:
    path = ada.creates(LAND, ["me", "me"], visibility="private")
    for query in ("/view?at=99", "/view?after=99", "/view?seat=0", "/events?after=99", "/record?seat=0", "?seat=0"):
        refused(bob.get(path + query), 404, "not_found")
    refused(bob.get(f"{path}/view", If_None_Match="*"), 404, "not_found")
    act = {"actions": [{"type": "stay"}], "version": 99, "seat": 0}
    refused(bob.post(f"{path}/actions", act, Idempotency_Key="k"), 404, "not_found")


# --- which seat ---------------------------------------------------------------------------------------------------


def test_one_key_with_one_seat_is_that_seat(ada: Asker, bob: Asker) -> None:
    path = ada.creates(WONDER, ["me", "open"])
    bob.post(f"{path}/seats")
    assert [asker.get(f"{path}/view").json["seat"] for asker in (ada, bob)] == [0, 1]
    assert ada.get(f"{path}/view?seat=0").data == ada.get(f"{path}/view").data
    for part in READS:
        refused(ada.get(f"{path}{part}?seat=1"), 403, "not_your_seat")
        assert bob.get(f"{path}{part}?seat=1").status_code == 200


def test_a_key_with_several_seats(ada: Asker, bob: Asker) -> None:
    path = ada.creates(WONDER, ["me", "me", "open"])
    bob.post(f"{path}/seats")
    view = ada.get(f"{path}/view").json
    assert (view["seat"], view["state"]["hand"], view["legal_actions"]) == (None, None, None)
    for seat in (0, 1):
        assert len(ada.get(f"{path}/view?seat={seat}").json["state"]["hand"]) == 2
    assert ada.get(f"{path}/legal-actions").json["legal_actions"] is None
    legal = ada.get(f"{path}/legal-actions?seat=0").json["legal_actions"]
    assert ada.get(f"{path}/legal-actions?seat=1").json["legal_actions"] is None
    refused(ada.post(f"{path}/resignation"), 400, "seat_required")
    refused(ada.post(f"{path}/resignation", {"seat": 2}), 403, "not_your_seat")
    for part in READS:
        refused(ada.get(f"{path}{part}?seat=2"), 403, "not_your_seat")
    # Without a seat, it acts for whichever of its seats must act; where none must, that is what is wrong.
    together = next(action for action in legal if action["travellers"] == 8)
    acted = ada.post(f"{path}/actions", {"actions": [together]}).json
    assert (acted["events"][0]["seat"], acted["view"]["seat"], acted["view"]["to_act"]) == (0, 0, 1)
    assert ada.post(f"{path}/actions", {"actions": [{"type": "stay"}]}).json["events"][0]["seat"] == 1
    refused(ada.post(f"{path}/actions", {"actions": [{"type": "end_turn"}]}), 409, "not_your_turn")


def test_a_seat_token_acts_for_its_seat_alone(ada: Asker, nobody: Asker) -> None:
    made = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "me", "open"], "start": "manual"}).json
    path = f"/v1/matches/{made['id']}"
    first, second = (nobody.by(grant["token"]) for grant in made["grants"])
    assert [seat.get(f"{path}/view").json["seat"] for seat in (first, second)] == [0, 1]
    refused(first.get(f"{path}/view?seat=1"), 403, "not_your_seat")
    refused(first.post(f"{path}/start"), 403, "forbidden")
    refused(first.delete(path), 403, "forbidden")
    refused(first.delete(f"{path}/seats/1"), 403, "not_your_seat")
    refused(first.post(f"{path}/seats"), 403, "forbidden")
    refused(first.delete("/v1/me"), 403, "forbidden")
    refused(first.get("/v1/matches?mine=true"), 403, "forbidden")
    ada.post(f"{path}/seats")
    ada.post(f"{path}/start")
    legal = first.get(f"{path}/legal-actions").json["legal_actions"]
    refused(second.post(f"{path}/actions", {"actions": legal[:1]}), 409, "not_your_turn")
    refused(second.post(f"{path}/actions", {"actions": legal[:1], "seat": 0}), 403, "not_your_seat")
    assert first.post(f"{path}/actions", {"actions": legal[:1]}).json["view"]["seat"] == 0
    assert first.get("/v1/me/decisions").json["decisions"][0]["seat"] == 0
    assert second.get("/v1/me/decisions").json["decisions"] == []
    assert first.post(f"{path}/resignation").json["seats"][0]["status"] == "resigned"
    elsewhere = ada.creates(LAND, ["me", "open"])
    assert first.get(f"{elsewhere}/view").json["seat"] is None


def hidden(ada: Asker, path: str, seat: int) -> list[str]:
    hand: list[str] = ada.get(f"{path}/view?seat={seat}").json["state"]["hand"]
    return hand


def test_a_spectator_sees_no_hand_anywhere(ada: Asker, nobody: Asker) -> None:
    """W70, also after the end: the record alone shows the deal then."""
    path = ada.creates(WONDER, ["me", "me"], options={"round_limit": 1})

    def looks() -> Iterator[Any]:
        for part in READS[:-2]:
            yield nobody.get(path + part).text
        yield nobody.get(f"{path}/board.txt").text
        yield nobody.get(f"{path}/events", Accept="application/x-ndjson").text if ended else ""

    for ended in (False, True):
        hands = hidden(ada, path, 0) + hidden(ada, path, 1)
        for text in looks():
            assert not any(f'"{card}"' in text or f" {card} " in text for card in hands)
        view = nobody.get(f"{path}/view").json
        assert view["state"]["hand"] is None
        assert ada.get(f"{path}/view?seat=0").json["state"]["hand"] == hidden(ada, path, 0)
        if not ended:
            ada.plays(path, iter([2] * 100))
