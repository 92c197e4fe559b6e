"""Tokens: from one header, in one form, and never from the URL."""

from __future__ import annotations

import pytest

from tests.web.checked import Checked, Person


@pytest.mark.parametrize(
    "header",
    ["", " ", "Bearer", "Bearer ", "Basic YTpi", "bearer  ", "Token x", "Bearer a b", "Bearer a,b", "Bearer \u00e9",
     "Bearer null", "Bearer spt_key_", "Bearer spt_seat_x", "Bearer " + "x" * 5000],
)  # fmt: skip
@pytest.mark.parametrize(
    "path", ["/", "/v1", "/docs", "/openapi.json", "/readyz", "/v1/games", "/v1/matches", "/problems/internal"]
)
def test_a_bad_token_is_refused_even_where_none_is_needed(client: Checked, header: str, path: str) -> None:
    response = client.get(path, headers={"Authorization": header})
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="spieltisch", error="invalid_token"'


def test_no_token_is_refused_where_one_is_needed(client: Checked) -> None:
    response = client.get("/v1/me")
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="spieltisch"'


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_written_as_one_likes(client: Checked, ada: Person, scheme: str) -> None:
    assert client.get("/v1/me", headers={"Authorization": f"{scheme} {ada.token}"}).status_code == 200


@pytest.mark.parametrize("name", ["token", "access_token", "api_key", "key", "Authorization"])
@pytest.mark.parametrize("path", ["/v1/me", "/v1/games", "/v1/matches"])
def test_a_token_in_the_url_is_refused_and_not_repeated(client: Checked, ada: Person, name: str, path: str) -> None:
    for response in (client.get(f"{path}?{name}={ada.token}"), ada.get(f"{path}?{name}={ada.token}")):
        assert response.status_code == 400
        assert response.json is not None
        assert [error["parameter"] for error in response.json["errors"]] == [name]
        assert ada.token not in response.text


def test_liveness_asks_nobody_about_tokens(lost_store: Checked) -> None:
    assert lost_store.get("/livez", headers={"Authorization": "Bearer nonsense"}).status_code == 200


def test_a_key_ends_with_its_account(client: Checked, ada: Person) -> None:
    erased = Checked.ok(ada.delete("/v1/me"))
    assert erased["account"]["name"] is None
    assert ada.get("/v1/me").status_code == 401


def test_a_seat_token_is_its_seat(client: Checked, ada: Person) -> None:
    wanted = {"game": "neues-land", "seats": ["me", "me"]}
    created = Checked.ok(ada.post("/v1/matches", json=wanted))
    assert [grant["seat"] for grant in created["grants"]] == [0, 1]
    for grant in created["grants"]:
        holder = Person(client, grant["token"])
        me = Checked.ok(holder.get("/v1/me"))
        assert (me["account"], me["seat"]) == (None, {"match": created["id"], "seat": grant["seat"]})
        assert holder.view(f"/v1/matches/{created['id']}")["seat"] == grant["seat"]
