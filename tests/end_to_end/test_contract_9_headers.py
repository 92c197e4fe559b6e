"""Section 9 of the contract: caching, ETags, other sites, methods that come for free, and compression."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.end_to_end.contract import LAND, WONDER, Asker, refused
from tests.serving import Serving

READS = ("", "/view", "/legal-actions", "/events", "/record", "/board.txt")
SSE = "text/event-stream"


def test_nobody_keeps_what_depends_on_the_caller(ada: Asker, nobody: Asker) -> None:
    path = ada.creates(LAND, ["me", "me"])
    for part in READS:
        for asker in (ada, nobody):
            headers = asker.get(path + part).headers
            assert headers["Cache-Control"] == "private, no-store"
            assert "Authorization" in [each.strip() for each in headers["Vary"].split(",")]
            assert headers["X-Content-Type-Options"] == "nosniff"
    ada.post(f"{path}/resignation", {"seat": 1})
    assert ada.get(f"{path}/events", Accept=SSE).headers["Cache-Control"] == "private, no-store"


def test_etags_of_every_viewer(ada: Asker, nobody: Asker) -> None:
    path = ada.creates(WONDER, ["me", "me"])
    ada.acts(path)
    reads = [(nobody, "", "s"), (ada, "", "s"), (ada, "seat=0", "0"), (ada, "seat=1", "1")]
    for asker, query, viewer in reads:
        for at, version in (("", 3), ("&at=2", 2), ("&at=3", 3), ("&after=2", 3)):
            url, tag = f"{path}/view?{query}{at}".replace("?&", "?"), f'"{version}-{viewer}"'
            fresh = asker.get(url)
            assert (fresh.status_code, fresh.headers["ETag"]) == (200, tag)
            for known in (tag, f"W/{tag}", "*", f'"1-0" , {tag}', f'"9-9",W/{tag}'):
                answer = asker.get(url, If_None_Match=known)
                assert (answer.status_code, answer.data, answer.headers["ETag"]) == (304, b"", tag)
                assert answer.headers["Cache-Control"] == "private, no-store"
                assert "Authorization" in answer.headers["Vary"]
                assert "Content-Type" not in answer.headers
            for other in (f'"{version}-9"', f'"{version + 1}-{viewer}"', '""', ""):
                assert asker.get(url, If_None_Match=other).status_code == 200, other
    refused(ada.get(f"{path}/view?at=4", If_None_Match="*"), 409, "ahead_of_log")


def test_other_sites_read_what_is_public_without_credentials(ada: Asker, nobody: Asker) -> None:
    path = ada.creates(LAND, ["me", "open"])
    for each in ("/v1/games", "/v1/matches", *(path + part for part in READS), "/v1/nothing"):
        headers = nobody.get(each, Origin="https://elsewhere.example").headers
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in headers
        asked = nobody.send(
            "OPTIONS", each, Origin="https://elsewhere.example", Access_Control_Request_Method="POST"
        ).headers
        assert "POST" not in asked["Access-Control-Allow-Methods"]
        assert "Access-Control-Allow-Credentials" not in asked
        assert "Access-Control-Allow-Origin" not in ada.get(each, Origin="https://elsewhere.example").headers


@pytest.mark.parametrize("part", READS)
def test_head_is_get_without_its_body(ada: Asker, part: str) -> None:
    path = ada.creates(LAND, ["me", "me"]) + part
    got, head = ada.get(path), ada.send("HEAD", path)
    assert (head.status_code, head.data) == (200, b"")
    for name in ("Content-Type", "Content-Length", "Cache-Control", "Vary", "ETag"):
        assert head.headers.get(name) == got.headers.get(name), name
    assert ada.send("HEAD", f"{path}?x=1").status_code == 400
    assert ada.send("OPTIONS", path).headers["Allow"]


# --- a real server ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    serving = Serving(tmp_path_factory.mktemp("headers") / "data", "--port", "0", "--workers", "1").ready()
    yield serving
    serving.process.terminate()
    assert serving.ended() == 0


def raw(serving: Serving, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """The answer as its bytes came."""
    connection = http.client.HTTPConnection(urlsplit(serving.url).netloc, timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data


JSON = {"Content_Type": "application/json"}


@pytest.fixture(scope="module")
def key(serving: Serving) -> dict[str, str]:
    _, data = raw(serving, "POST", "/v1/accounts", b'{"name": "Ada"}', **JSON)
    return {"Authorization": f"Bearer {json.loads(data)['key']}"}


@pytest.fixture(scope="module")
def path(serving: Serving, key: dict[str, str]) -> str:
    made, _ = raw(serving, "POST", "/v1/matches", b'{"game": "wunderland", "seats": ["me", "me"]}', **JSON, **key)
    return str(made.headers["Location"])


@pytest.mark.parametrize("accepted", ["gzip", "br;q=1, gzip;q=0.5", "gzip, deflate, br, zstd"])
def test_long_answers_are_compressed(serving: Serving, key: dict[str, str], path: str, accepted: str) -> None:
    url = f"{path}/view?seat=0"
    plain, data = raw(serving, "GET", url, **key)
    packed, small = raw(serving, "GET", url, **key, Accept_Encoding=accepted)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert (gzip.decompress(small), packed.headers["ETag"]) == (data, plain.headers["ETag"])
    assert len(small) < len(data)
    assert {"Authorization", "Accept-Encoding"} <= {each.strip() for each in packed.headers["Vary"].split(",")}


@pytest.mark.parametrize("refusal", ["identity", "gzip;q=0", "br"])
def test_nobody_gets_what_they_do_not_accept(serving: Serving, key: dict[str, str], path: str, refusal: str) -> None:
    answer, data = raw(serving, "GET", f"{path}/view?seat=0", **key, Accept_Encoding=refusal)
    assert "Content-Encoding" not in answer.headers
    json.loads(data)


@pytest.mark.parametrize(("size", "status"), [(65_536, 201), (65_537, 413), (400_000, 413)])
def test_chunks_over_the_limit(serving: Serving, size: int, status: int) -> None:
    body = b'{"name": "x"' + b" " * (size - 13) + b"}"
    parts = iter([body[i : i + 10_000] for i in range(0, size, 10_000)])
    answer, data = raw(serving, "POST", "/v1/accounts", parts, **JSON)
    assert answer.status == status, data
    if status == 413:
        assert json.loads(data)["code"] == "body_too_large"


def test_an_empty_chunked_body_is_none(serving: Serving, key: dict[str, str]) -> None:
    made, _ = raw(serving, "POST", "/v1/matches", b'{"game": "neues-land", "seats": ["me", "open"]}', **JSON, **key)
    answer, data = raw(serving, "POST", f"{made.headers['Location']}/seats", iter([]), **key)
    assert answer.status == 201, data


def test_problems_of_a_real_server(serving: Serving) -> None:
    for method, url in (
        ("GET", "/nothing"),
        ("PROPFIND", "/v1"),
        ("GET", "/v1/matches/%00"),
        ("GET", "/v1/me?%ff=%ff"),
    ):
        answer, data = raw(serving, method, url)
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert json.loads(data)["request_id"] == answer.headers["X-Request-Id"]


def test_a_stream_of_a_real_server(serving: Serving, key: dict[str, str], path: str) -> None:
    raw(serving, "POST", f"{path}/resignation", b'{"seat": 1}', **JSON, **key)
    answer, data = raw(serving, "GET", f"{path}/events", Accept=SSE, Accept_Encoding="gzip")
    assert (answer.status, answer.headers["Content-Type"].partition(";")[0]) == (200, SSE)
    assert "Content-Encoding" not in answer.headers
    assert data.startswith(b"retry: 1000\n\nid: 1\ndata: {")
    assert data.endswith(b'event: end\ndata: {"reason":"ended"}\n\n')


HEAD = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
POSTED = b"POST /v1/accounts" + HEAD + b"Content-Type: application/json\r\n"
UNREADABLE = {
    "a wrong size of a chunk": (POSTED + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n", "malformed_json"),
    "a chunk that ends early": (POSTED + b"Transfer-Encoding: chunked\r\n\r\n9\r\n{}\r\n0\r\n\r\n", "malformed_json"),
    "two lengths": (POSTED + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "invalid_parameter"),
    "a negative length": (POSTED + b"Content-Length: -2\r\n\r\n{}", "invalid_parameter"),
    "a long path": (b"GET /v1/" + b"x" * 9000 + HEAD + b"\r\n", "invalid_parameter"),
    "a long header": (b"GET /v1" + HEAD + b"X: " + b"x" * 9000 + b"\r\n\r\n", "invalid_parameter"),
    "a path that is not ASCII": (b"GET /v1/\xc3\xa4" + HEAD + b"\r\n", "invalid_parameter"),
    "no request line": (b"hello\r\n\r\n", "invalid_parameter"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_is_no_http_is_a_problem_too(serving: Serving, what: str) -> None:
    sent, code = UNREADABLE[what]
    address = urlsplit(serving.url)
    with socket.create_connection((str(address.hostname), address.port or 0), timeout=30) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        problem = json.loads(answer.read())
    assert (answer.status, problem["code"]) == (400, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["X-Request-Id"] == problem["request_id"]
