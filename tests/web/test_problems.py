"""Every failure is a problem document, on every path."""

from __future__ import annotations

import pytest

from spieltisch_service.web.problems import KINDS
from tests.web.checked import NO_MATCH, NOTHING, Checked, Description, Person


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/v1/",
        "/v1/games/",
        "/v1//games",
        "/v2",
        "/v1/matches/mt_1",
        "/v1/matches/mt_" + "g" * 32,
        "/v1/matches/..%2f..%2fetc",
        "/v1/matches/%00",
        "/v1/matches/" + "x" * 5000,
        f"/v1/matches/{NO_MATCH}/view/",
        f"/v1/matches/{NO_MATCH}/board.svg",
        "/docs/deeper/x",
        "/static/x",
        "/favicon.ico",
    ],
)
def test_what_does_not_exist_is_not_found(client: Checked, path: str) -> None:
    for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
        response = client.send(method, path)
        assert response.json is not None
        assert (response.status_code, response.json["code"]) == (404, "not_found")
        assert response.json["type"] == "/problems/not_found"


def test_other_methods_are_told_which_there_are(client: Checked, description: Description) -> None:
    for path, item in description.document["paths"].items():
        concrete = path.format(**NOTHING)
        allowed = {method.upper() for method in item if method in ("get", "post", "delete")}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - allowed:
            response = client.send(method, concrete)
            assert response.json is not None
            assert (response.status_code, response.json["code"]) == (405, "method_not_allowed"), (method, path)
            told = set(response.headers["Allow"].split(", "))
            assert told - {"HEAD", "OPTIONS"} == allowed


def test_path_and_method_come_before_the_token(client: Checked) -> None:
    nobody = Person(client, "nonsense")
    assert nobody.get("/nothing").status_code == 404
    assert nobody.delete("/v1/games").status_code == 405


def test_the_token_comes_before_the_body(client: Checked) -> None:
    nobody = Person(client, "nonsense")
    assert nobody.post("/v1/accounts", data=b"x" * 70_000, content_type="text/plain").status_code == 401
    assert client.post("/v1/matches", data=b"{", content_type="text/plain").status_code == 401


def test_the_type_comes_before_the_size_and_the_size_before_the_json(ada: Person) -> None:
    assert ada.post("/v1/matches", data=b"x" * 70_000, content_type="text/plain").status_code == 415
    assert ada.post("/v1/matches", data=b"x" * 70_000, content_type="application/json").status_code == 413
    assert ada.post(f"/v1/matches/{NO_MATCH}/actions", json={"actions": []}).status_code == 400
    assert ada.post(f"/v1/matches/{NO_MATCH}/actions", json={"actions": [{"type": "pass"}]}).status_code == 404


def test_every_code_has_a_page(client: Checked) -> None:
    for code, kind in KINDS.items():
        page = client.get(f"/problems/{code}")
        assert page.json is not None
        assert (page.json["type"], page.json["status"]) == (f"/problems/{code}", kind.status)
        readable = client.get(f"/problems/{code}", headers={"Accept": "text/html,*/*;q=0.8"})
        assert readable.mimetype == "text/html"
        assert code in readable.text
        assert readable.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_what_is_wrong_is_pointed_at(ada: Person) -> None:
    response = ada.post("/v1/matches", json={"game": "neues-land", "seats": ["me", 2], "colour": "red"})
    assert response.json is not None
    found = [(error["pointer"], error["code"]) for error in response.json["errors"]]
    assert sorted(found) == [("/colour", "unknown"), ("/seats/1", "wrong_type")]
    response = ada.get("/v1/matches?limit=0&colour=red&colour=blue")
    assert response.json is not None
    assert [(error["parameter"], error["code"]) for error in response.json["errors"]] == [("colour", "duplicate")]


def test_nothing_of_a_long_request_is_repeated(ada: Person) -> None:
    long = "y" * 5000
    for response in (
        ada.post("/v1/matches", json={"game": long, "seats": [long], long: long}),
        ada.post("/v1/matches", json={"game": "wunderland", "seats": [long, "me"], long: long}),
        ada.get(f"/v1/matches?{long}={long}"),
        ada.get(f"/v1/matches?cursor={long}"),
        ada.get(f"/v1/games/{long}"),
        ada.get("/v1/me", headers={"Accept": long}),
        ada.post("/v1/accounts", json={"name": "x"}, headers={"Idempotency-Key": long}),
    ):
        assert "y" * 65 not in response.text
