"""What answers carry beside their body."""

from __future__ import annotations

import gzip
import re

import pytest
from flask import Flask

from spieltisch_service.web.compression import Compressed
from tests.web.checked import Checked, Person


def test_every_answer_has_its_own_request_id(client: Checked) -> None:
    ids = {client.get(path).headers["X-Request-Id"] for path in ("/v1", "/livez", "/nothing", "/docs", "/v1/me")}
    assert len(ids) == 5
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in ids)


def test_what_depends_on_the_caller_is_kept_by_nobody(ada: Person) -> None:
    path = ada.creates(["me", "me"])
    for part in ("", "/view", "/events", "/record", "/legal-actions", "/board.txt"):
        headers = ada.get(path + part).headers
        assert headers["Cache-Control"] == "private, no-store", part
        assert "Authorization" in headers["Vary"], part


def test_a_view_has_an_etag_and_is_sent_once(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "open"])
    assert ada.get(f"{path}/view").headers["ETag"] == '"1-0"'
    assert client.get(f"{path}/view").headers["ETag"] == '"1-s"'
    for condition in ('"1-0"', 'W/"1-0"', '"7-1", "1-0"', "*"):
        answer = ada.get(f"{path}/view", headers={"If-None-Match": condition})
        assert (answer.status_code, answer.data) == (304, b""), condition
        assert answer.headers["ETag"] == '"1-0"'
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert "Authorization" in answer.headers["Vary"]
    for condition in ('"1-s"', '"2-0"', ""):
        assert ada.get(f"{path}/view", headers={"If-None-Match": condition}).status_code == 200, condition


def test_an_earlier_view_has_the_etag_of_its_version(ada: Person) -> None:
    path = ada.creates(["me", "me"])
    ada.plays(path)
    assert ada.get(f"{path}/view?at=2&seat=1").headers["ETag"] == '"2-1"'
    assert ada.get(f"{path}/view?at=2&seat=1", headers={"If-None-Match": '"2-1"'}).status_code == 304


def test_what_is_created_has_a_place(ada: Person, bob: Person) -> None:
    created = ada.post("/v1/matches", json={"game": "wunderland", "seats": ["me", "open"]})
    assert created.json is not None
    path = f"/v1/matches/{created.json['id']}"
    assert created.headers["Location"] == path
    assert bob.post(f"{path}/seats").headers["Location"] == path
    assert ada.post("/v1/accounts", json={"name": "x"}).headers["Location"] == "/v1/me"
    assert bob.post(f"{path}/resignation").status_code == 200
    rematch = bob.post(f"{path}/rematch")
    assert rematch.json is not None
    assert rematch.headers["Location"] == f"/v1/matches/{rematch.json['id']}"


def test_pages_of_other_sites_may_read_what_is_public(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "open"])
    for public in ("/v1/games", f"{path}/view", "/nothing"):
        headers = client.get(public, headers={"Origin": "https://elsewhere.example"}).headers
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in headers
    assert "Access-Control-Allow-Origin" not in ada.get(f"{path}/view").headers
    assert "Access-Control-Allow-Origin" not in client.post("/v1/accounts", json={"name": "x"}).headers


def test_pages_of_other_sites_may_not_send_tokens(client: Checked) -> None:
    asked = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "GET"}
    headers = client.send("OPTIONS", "/v1/games", headers=asked).headers
    assert headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "authorization" not in headers["Access-Control-Allow-Headers"].lower()


@pytest.fixture
def served(app: Flask, client: Checked) -> Checked:
    """The client of an application as it is served."""
    app.wsgi_app = Compressed(app.wsgi_app)  # type: ignore[method-assign]
    return client


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "deflate, gzip", "*"])
def test_long_bodies_are_compressed_for_whoever_likes_it(served: Checked, accepted: str) -> None:
    client = served
    plain = client.get("/v1/games/neues-land")
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]
    packed = client.get("/v1/games/neues-land", headers={"Accept-Encoding": accepted})
    if accepted == "*":
        # "Any" includes "none", which costs nobody anything.
        assert packed.data == plain.data
        return
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    assert packed.data == client.get("/v1/games/neues-land", headers={"Accept-Encoding": accepted}).data


@pytest.mark.parametrize("accepted", ["identity", "gzip;q=0", "br"])
def test_nobody_gets_what_they_cannot_read(served: Checked, accepted: str) -> None:
    answer = served.get("/v1/games/neues-land", headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in answer.headers


def test_compression_leaves_the_etag_alone(served: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me"], game="wunderland", deal=None)
    packed = ada.get(f"{path}/view?seat=0", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["ETag"] == ada.get(f"{path}/view?seat=0").headers["ETag"]
    assert {"Authorization", "Accept-Encoding"} <= set(packed.headers["Vary"].split(", "))


def test_short_bodies_and_streams_stay_as_they_are(served: Checked, ada: Person) -> None:
    assert "Content-Encoding" not in served.get("/v1", headers={"Accept-Encoding": "gzip"}).headers
    path = ada.creates(["me", "me"])
    ada.plays_to_the_end(path)
    stream = served.get(f"{path}/events", headers={"Accept": "text/event-stream", "Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in stream.headers
    assert stream.text.startswith("retry: 1000")


def test_problems_are_compressed_too_and_heads_are_told_of_it(served: Checked) -> None:
    packed = {"Accept-Encoding": "gzip"}
    names = "&".join(f"x{i}=1" for i in range(50))
    refused = served.app.test_client().get(f"/v1?{names}", headers=packed)
    assert (refused.status_code, refused.headers["Content-Encoding"]) == (400, "gzip")
    head = served.send("HEAD", "/v1/games/neues-land", headers=packed)
    assert (head.data, head.headers["Vary"]) == (b"", "Accept-Encoding")


def test_no_cookies(ada: Person) -> None:
    for answer in (ada.get("/v1/me"), ada.get("/docs"), ada.post("/v1/accounts", json={"name": "x"})):
        assert "Set-Cookie" not in answer.headers


def test_head_is_get_without_a_body(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me"])
    for part in ("/view", "/events", "/record"):
        head, get = client.send("HEAD", path + part), client.get(path + part)
        assert (head.status_code, head.data) == (200, b"")
        assert head.headers["Content-Length"] == get.headers["Content-Length"]


def test_the_report_of_a_tournament_may_load_and_run_nothing(client: Checked, ada: Person) -> None:
    clock = {"kind": "per_decision", "per_decision_ms": 60_000}
    wanted = {"game": "wunderland", "name": "<script>", "format": "swiss", "clock": clock}
    cup = Checked.ok(ada.post("/v1/tournaments", json=wanted))["id"]
    answer = client.get(f"/v1/tournaments/{cup}/report.html")
    assert answer.content_type == "text/html; charset=utf-8"
    assert answer.headers["Content-Security-Policy"].split("; ") == [
        *("default-src 'none'", "style-src 'unsafe-inline'"),
        *("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    ]
    assert "<script" not in answer.text
    assert "&lt;script&gt;" in answer.text
