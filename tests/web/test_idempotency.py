"""The same request with the same key happens once."""

from __future__ import annotations

import pytest

from tests.web.checked import Checked, Person

KEY = {"Idempotency-Key": "a-key-that-is-long-enough-for-nobody"}


@pytest.mark.parametrize("key", ["", " ", "a b", "a\tb", "\u00e9", "x" * 256])
def test_a_key_has_1_to_255_visible_ascii_characters(ada: Person, key: str) -> None:
    response = ada.post("/v1/accounts", json={"name": "x"}, headers={"Idempotency-Key": key})
    assert response.json is not None
    assert (response.status_code, response.json["code"]) == (400, "invalid_parameter")
    assert [error["parameter"] for error in response.json["errors"]] == ["Idempotency-Key"]


@pytest.mark.parametrize("key", ["!", "~" * 255, "{}*:/\\"])
def test_any_such_key_will_do(ada: Person, key: str) -> None:
    first = ada.post("/v1/accounts", json={"name": "x"}, headers={"Idempotency-Key": key})
    again = ada.post("/v1/accounts", json={"name": "x"}, headers={"Idempotency-Key": key})
    assert first.json == again.json
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize(("length", "status"), [(31, 400), (32, 201)])
def test_without_a_token_a_key_has_32_characters(client: Checked, length: int, status: int) -> None:
    answer = client.post("/v1/accounts", json={"name": "x"}, headers={"Idempotency-Key": "k" * length})
    assert answer.status_code == status


def test_an_action_is_done_once_and_answered_alike(ada: Person) -> None:
    path = ada.creates(["me", "me"])
    body = {"actions": [ada.view(path, "?seat=0")["legal_actions"][0]], "version": 2}
    first = ada.post(f"{path}/actions", json=body, headers=KEY)
    ada.plays(path)
    again = ada.post(f"{path}/actions", json=body, headers=KEY)
    assert first.data == again.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert ada.view(path)["version"] == 4


def test_a_body_is_the_same_in_any_order_and_no_body_is_an_empty_one(ada: Person, bob: Person) -> None:
    wanted = {"game": "neues-land", "seats": ["me", "open"], "start": "auto"}
    first = ada.post("/v1/matches", json=wanted, headers=KEY)
    again = ada.post("/v1/matches", json=dict(reversed(wanted.items())), headers=KEY)
    assert first.json == again.json
    assert first.json is not None
    seats = f"/v1/matches/{first.json['id']}/seats"
    joined = bob.post(seats, headers=KEY)
    assert bob.post(seats, json={}, headers=KEY).json == joined.json


def test_a_refused_request_leaves_its_key_free(ada: Person, bob: Person) -> None:
    path = ada.creates(["me", "open"])
    assert ada.post(f"{path}/start", headers=KEY).status_code == 409
    assert bob.post(f"{path}/seats", json={"seat": 1}).status_code == 201
    path = ada.creates(["me", "me"], start="manual")
    assert ada.post(f"{path}/start", json={"nonces": {"0": "!"}}, headers=KEY).status_code == 400
    started = ada.post(f"{path}/start", json={"nonces": {"0": "ada"}}, headers=KEY)
    assert started.status_code == 200
    assert "Idempotency-Replayed" not in started.headers


def test_a_key_belongs_to_caller_method_and_path(ada: Person, bob: Person) -> None:
    wanted = {"game": "neues-land", "seats": ["me", "me"]}
    ids = {Checked.ok(somebody.post("/v1/matches", json=wanted, headers=KEY))["id"] for somebody in (ada, bob)}
    assert len(ids) == 2
    assert ada.post("/v1/accounts", json={"name": "x"}, headers=KEY).status_code == 201


@pytest.mark.parametrize("body", [b"", b"{}", b" {} "])
def test_a_post_without_fields_takes_no_body_or_an_empty_one(ada: Person, body: bytes) -> None:
    path = ada.creates(["me", "me"])
    assert ada.post(f"{path}/resignation", json={"seat": 1}).status_code == 200
    options = {"data": body, "content_type": "application/json"} if body else {}
    assert ada.post(f"{path}/rematch", **options).status_code == 201
    for wrong in (b"null", b"[]", b'{"x": 1}'):
        refused = ada.post(f"{path}/rematch", data=wrong, content_type="application/json")
        assert refused.json is not None
        assert (refused.status_code, refused.json["code"]) == (400, "invalid_body")
