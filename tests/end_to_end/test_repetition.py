"""Every POST with a key has one answer, byte for byte, also after the match went on and from another worker."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from spieltisch_service.app.service import Service
from spieltisch_service.web.app import create_app

Post = Callable[..., Any]


@pytest.fixture
def worker(other_worker: Service) -> FlaskClient:
    return create_app(other_worker).test_client()


def key_of(client: FlaskClient, name: str) -> dict[str, str]:
    key = client.post("/v1/accounts", json={"name": name}).get_json()["key"]
    return {"Authorization": f"Bearer {key}"}


def created(client: FlaskClient, headers: dict[str, str], **wanted: Any) -> str:
    body = {"game": "neues-land", "seats": ["me", "open"], **wanted}
    return str(client.post("/v1/matches", json=body, headers=headers).headers["Location"])


def play_to_the_end(client: FlaskClient, where: str, headers: dict[str, str]) -> None:
    client.post(f"{where}/resignation?seat=0", headers=headers)


def requests(client: FlaskClient) -> dict[str, tuple[str, Any, dict[str, str], Callable[[], Any]]]:
    """For each POST: path, body, headers, and what happens between the request and its repetition."""
    ada, bob = key_of(client, "Ada"), key_of(client, "Bob")
    manual = created(client, ada, start="manual")
    client.post(f"{manual}/seats", headers=bob)
    joined, own, left = created(client, ada), created(client, ada, seats=["me", "me"]), created(client, ada)
    client.post(f"{left}/seats", headers=bob)
    finished = created(client, ada)
    client.post(f"{finished}/seats", headers=bob)
    client.post(f"{finished}/resignation", headers=bob)
    legal = client.get(f"{own}/legal-actions?seat=0", headers=ada).get_json()["legal_actions"]

    def nothing() -> None:
        return None

    def resign(where: str, headers: dict[str, str]) -> Callable[[], Any]:
        return lambda: client.post(f"{where}/resignation", headers=headers)

    return {
        "account": ("/v1/accounts", {"name": "Eve"}, {}, nothing),
        "match": (
            "/v1/matches",
            {"game": "wunderland", "seats": ["me", "invite"], "metadata": {"z": "1", "a": "2"}},
            ada,
            nothing,
        ),
        "seat": (f"{joined}/seats", {"nonce": "n"}, bob, resign(joined, ada)),
        "start": (f"{manual}/start", {"nonces": {"0": "x"}}, ada, resign(manual, ada)),
        "act": (f"{own}/actions", {"actions": legal[:1]}, ada, lambda: play_to_the_end(client, own, ada)),
        "resign": (f"{left}/resignation", None, bob, lambda: client.post(f"{left}/rematch", headers=bob)),
        "rematch": (f"{finished}/rematch", {}, ada, nothing),
    }


@pytest.mark.parametrize("name", ["account", "match", "seat", "start", "act", "resign", "rematch"])
def test_a_repetition_has_the_same_bytes(client: FlaskClient, worker: FlaskClient, name: str) -> None:
    path, body, headers, meanwhile = requests(client)[name]
    headers = {**headers, "Idempotency-Key": "k" * 40}
    first = client.post(path, json=body, headers=headers)
    assert first.status_code in (200, 201), first.get_data()
    assert "Idempotency-Replayed" not in first.headers
    meanwhile()
    for asked in (worker, client):
        again = asked.post(path, json=body, headers=headers)
        assert (again.status_code, again.get_data()) == (first.status_code, first.get_data())
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.headers.get("Location") == first.headers.get("Location")


def test_a_seat_is_named_in_the_query_or_in_the_body(client: FlaskClient) -> None:
    ada = key_of(client, "Ada")
    where = created(client, ada, seats=["me", "me", "me"])
    assert client.post(f"{where}/resignation", headers=ada).get_json()["code"] == "seat_required"
    both = client.post(f"{where}/resignation?seat=1", json={"seat": 2}, headers=ada)
    assert both.get_json()["code"] == "invalid_parameter"
    client.post(f"{where}/resignation?seat=1", headers=ada)
    told = client.post(f"{where}/resignation", json={"seat": 2}, headers=ada).get_json()
    assert [seat["status"] for seat in told["seats"]] == ["active", "resigned", "resigned"]
    assert told["result"]["ranks"] == [1, 3, 2]
