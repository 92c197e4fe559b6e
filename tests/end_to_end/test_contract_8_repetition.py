"""Section 8 of the contract: what an Idempotency-Key is, its scope, and that a refused request leaves nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.contract import LAND, Asker, faults, refused

KEY = "k" * 32


@pytest.mark.parametrize("key", ["!", "~" * 255, '"quoted"', "a,b;c=d", "0" * 32])
def test_keys(ada: Asker, key: str) -> None:
    first = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "open"]}, Idempotency_Key=key)
    again = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "open"]}, Idempotency_Key=key)
    assert (first.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers


@pytest.mark.parametrize("key", ["", " ", "a b", "\u00e4", "x" * 256, "tab\there"])
@pytest.mark.parametrize("part", ["", "/seats", "/start", "/actions", "/resignation", "/rematch"])
def test_what_is_no_key(ada: Asker, key: str, part: str) -> None:
    path = ada.creates(LAND, ["me", "open"]) + part if part else "/v1/matches"
    body = {"": {"game": LAND, "seats": ["me", "me"]}, "/actions": {"actions": [{"type": "pass"}]}}.get(part)
    answer = ada.post(path, body, Idempotency_Key=key)
    refused(answer, 400, "invalid_parameter")
    assert {where for where, _ in faults(answer)} == {"Idempotency-Key"}


def test_no_other_method_looks_at_the_key(ada: Asker) -> None:
    path = ada.creates(LAND, ["me", "open"])
    assert ada.get(path, Idempotency_Key="").status_code == 200
    assert ada.delete(path, Idempotency_Key="").status_code == 200


@pytest.mark.parametrize(("length", "status"), [(31, 400), (32, 201)])
def test_an_account_without_a_caller_needs_a_long_key(nobody: Asker, ada: Asker, length: int, status: int) -> None:
    assert nobody.post("/v1/accounts", {"name": "x"}, Idempotency_Key="k" * length).status_code == status
    assert ada.post("/v1/accounts", {"name": "x"}, Idempotency_Key="k" * length).status_code == 201
    assert nobody.post("/v1/accounts", {"name": "x"}).status_code == 201


def test_an_account_is_made_once(nobody: Asker, ada: Asker) -> None:
    first = nobody.post("/v1/accounts", {"name": "x"}, Idempotency_Key=KEY)
    same = nobody.post("/v1/accounts", b'{ "name" : "\\u0078" }', Idempotency_Key=KEY)
    assert (same.status_code, same.data) == (201, first.data)
    for other in ({"name": "y"}, {"name": "x", "kind": "bot"}, {"name": "x", "kind": "human"}):
        refused(nobody.post("/v1/accounts", other, Idempotency_Key=KEY), 422, "idempotency_key_reused")
    assert ada.post("/v1/accounts", {"name": "y"}, Idempotency_Key=KEY).json["account"] != first.json["account"]


def test_the_scope_is_caller_method_and_path(ada: Asker, bob: Asker, nobody: Asker) -> None:
    wanted = {"game": LAND, "seats": ["me", "open", "open", "open"]}
    made = [asker.post("/v1/matches", wanted, Idempotency_Key=KEY).json for asker in (ada, bob)]
    assert made[0]["id"] != made[1]["id"]
    seats = [ada.post(f"/v1/matches/{match['id']}/seats", Idempotency_Key=KEY) for match in made]
    assert [answer.json["grants"][0]["seat"] for answer in seats] == [1, 1]
    token = nobody.by(seats[0].json["grants"][0]["token"])
    # Another path of the same match and the same key is another request; so is another token of the same person.
    for asker in (ada, token):
        asker.post(f"/v1/matches/{made[0]['id']}/resignation", {"seat": 1}, Idempotency_Key=KEY)
    assert bob.post(f"/v1/matches/{made[0]['id']}/seats", Idempotency_Key=KEY).json["grants"][0]["seat"] == 2


def test_another_body_or_query_is_another_request(ada: Asker) -> None:
    path = ada.creates(LAND, ["me", "me", "me"])
    first = ada.post(f"{path}/resignation?seat=1", Idempotency_Key=KEY)
    assert first.status_code == 200
    again = ada.post(f"{path}/resignation?seat=1", {}, Idempotency_Key=KEY)
    assert (again.data, again.headers["Idempotency-Replayed"]) == (first.data, "true")
    for query, body in (("", {"seat": 1}), ("?seat=1", {"seat": 1}), ("?seat=1", {"seat": None}), ("?seat=2", None)):
        answer = ada.post(f"{path}/resignation{query}", body, Idempotency_Key=KEY)
        refused(answer, 422, "idempotency_key_reused")
    legal = ada.get(f"{path}/legal-actions?seat=0").json["legal_actions"]
    done = ada.post(f"{path}/actions", {"actions": legal[:1]}, Idempotency_Key=KEY)
    turned = {"actions": [dict(reversed(legal[0].items()))]}
    assert ada.post(f"{path}/actions", turned, Idempotency_Key=KEY).data == done.data
    for other in ({"actions": legal[:1] * 2}, {"actions": legal[:1], "version": 2}, {"actions": legal[:1], "seat": 0}):
        refused(ada.post(f"{path}/actions", other, Idempotency_Key=KEY), 422, "idempotency_key_reused")


def refusals(ada: Asker, bob: Asker) -> dict[str, tuple[Asker, str, Any, Any]]:
    """Who asks where; a body that is refused; the good one, which comes with the same key afterwards."""
    opened, manual = ada.creates(LAND, ["me", "open"]), ada.creates(LAND, ["me", "open"], start="manual")
    own, other = ada.creates(LAND, ["me", "me"]), ada.creates(LAND, ["me", "me", "me"])
    bob.post(f"{manual}/seats")
    legal = ada.get(f"{own}/legal-actions?seat=0").json["legal_actions"]
    return {
        "match": (ada, "/v1/matches", {"game": LAND, "seats": ["me"]}, {"game": LAND, "seats": ["me", "me"]}),
        "bot": (ada, "/v1/matches", {"game": LAND, "seats": ["me", "bot:x"]}, {"game": LAND, "seats": ["me", "me"]}),
        "seat": (bob, f"{opened}/seats", {"seat": 0}, {"seat": 1}),
        "start": (ada, f"{manual}/start", {"nonces": {"1": "x"}}, {"nonces": {"0": "x"}}),
        "version": (ada, f"{own}/actions", {"actions": legal[:1], "version": 1}, {"actions": legal[:1], "version": 2}),
        "turn": (ada, f"{own}/actions", {"actions": legal[:1], "seat": 1}, {"actions": legal[:1], "seat": 0}),
        "rules": (ada, f"{own}/actions", {"actions": [{"type": "pass"}]}, {"actions": legal[:1]}),
        "resign": (ada, f"{other}/resignation", None, {"seat": 2}),
    }


@pytest.mark.parametrize("what", ["match", "bot", "seat", "start", "version", "turn", "rules", "resign"])
def test_a_refused_request_leaves_its_key_free(ada: Asker, bob: Asker, what: str) -> None:
    asker, path, wrong, good = refusals(ada, bob)[what]
    for _ in range(2):
        assert asker.post(path, wrong, Idempotency_Key=KEY).status_code >= 400
    first = asker.post(path, good, Idempotency_Key=KEY)
    assert first.status_code in (200, 201), first.data
    refused_now = asker.post(path, wrong, Idempotency_Key=KEY)
    assert refused_now.status_code in (400, 403, 422)
    assert asker.post(path, good, Idempotency_Key=KEY).data == first.data


def test_a_replay_of_an_action_long_after_has_its_view(ada: Asker) -> None:
    path = ada.creates("wunderland", ["me", "me"], options={"round_limit": 2})
    legal = ada.get(f"{path}/legal-actions?seat=0").json["legal_actions"]
    first = ada.post(f"{path}/actions", {"actions": legal[:1], "version": 2}, Idempotency_Key=KEY)
    ada.plays(path, iter(range(1000)))
    assert ada.get(path).json["status"] == "finished"
    again = ada.post(f"{path}/actions", {"actions": legal[:1], "version": 2}, Idempotency_Key=KEY)
    assert (again.status_code, again.data) == (200, first.data)
    assert first.json["view"] == ada.get(f"{path}/view?seat=0&at={first.json['version']}").json
    assert first.json["events"] == ada.events(path)[2 : first.json["version"]]
