"""Section 7 of the contract: problem documents, their order, and what `errors` says about each kind of wrong field."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.end_to_end.contract import LAND, NOBODY, WONDER, Asker, faults, refused

JSON = "application/json"
PROBLEM = "application/problem+json"
MATCH_PATHS = {
    "GET": ("", "/view", "/legal-actions", "/events", "/record", "/board.txt"),
    "POST": ("/seats", "/start", "/actions", "/resignation", "/rematch"),
    "DELETE": ("", "/seats/0"),
}
EVERY_PATH = [(method, part) for method, parts in MATCH_PATHS.items() for part in parts]
GOOD_BODY = {"/actions": {"actions": [{"type": "pass"}]}}
BEYOND_53_BITS = 2**53


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/nothing", "/v1/nothing", "/v1/matches/", "//v1/games", "/v1/me/nothing"])
def test_a_problem_has_its_members_on_every_path(nobody: Asker, method: str, path: str) -> None:
    answer = nobody.send(method, path)
    problem = refused(answer, 404, "not_found")
    assert answer.headers["Content-Type"] == PROBLEM
    assert set(problem) == {"type", "title", "status", "detail", "code", "request_id", "errors"}
    assert (problem["type"], problem["status"]) == ("/problems/not_found", 404)
    assert re.fullmatch("[0-9a-f]{32}", problem["request_id"])
    assert answer.headers["X-Request-Id"] == problem["request_id"]


# --- one body for what is not there and for what may not be seen --------------------------------------------------


def without_id(answer: Any) -> bytes:
    assert answer.json is not None, answer.data
    stripped: bytes = answer.data.replace(answer.json["request_id"].encode(), b"")
    return stripped


@pytest.mark.parametrize(("method", "part"), EVERY_PATH)
def test_private_missing_and_malformed_ids_have_one_404(ada: Asker, bob: Asker, method: str, part: str) -> None:
    private = ada.creates(WONDER, ["me", "invite"], visibility="private")
    strangers = [bob, bob.by(token_of_another_match(bob))]
    bodies = set()
    for stranger in strangers:
        for where in (
            private,
            f"/v1/matches/{NOBODY}",
            "/v1/matches/mt_xyz",
            "/v1/matches/7",
            f"/v1/matches/{NOBODY.upper()}",
            f"/v1/matches/{NOBODY}%0A",
            "/v1/matches/mt_" + "0" * 3000,
        ):
            answer = stranger.send(method, where + part, GOOD_BODY.get(part))
            refused(answer, 404, "not_found")
            bodies.add(without_id(answer))
    assert len(bodies) == 1


def token_of_another_match(asker: Asker) -> str:
    made = asker.post("/v1/matches", {"game": LAND, "seats": ["me", "open"]}).json
    return str(made["grants"][0]["token"])


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("part", sorted({part for _, part in EVERY_PATH}))
def test_ids_of_a_wrong_form_are_404_for_everybody(nobody: Asker, method: str, part: str) -> None:
    for asker in (nobody, nobody.by("nonsense")):
        assert asker.send(method, f"/v1/matches/mt_1{part}", b"{").status_code == 404


@pytest.mark.parametrize("invitation", ["nonsense", "another seat's"])
def test_a_wrong_invitation_does_not_tell_of_a_private_match(ada: Asker, nobody: Asker, invitation: str) -> None:
    made = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "invite"], "visibility": "private"}).json
    if invitation != "nonsense":
        other = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "invite"]}).json
        invitation = other["invitations"][0]["token"]
    answers = [
        nobody.post(f"/v1/matches/{id_}/seats", {"invitation": invitation}) for id_ in (made["id"], NOBODY, "mt_1")
    ]
    assert len({without_id(answer) for answer in answers}) == 1
    refused(answers[0], 404, "not_found")
    good = {"invitation": made["invitations"][0]["token"]}
    # Whoever has the invitation may know of the match, so what is wrong with the request can be told.
    refused(nobody.post(f"/v1/matches/{made['id']}/seats", {**good, "seat": 0}), 403, "invitation_invalid")
    assert nobody.post(f"/v1/matches/{made['id']}/seats", good).status_code == 201


# --- the order of the checks --------------------------------------------------------------------------------------

BAD_TOKEN = {"Authorization": "Bearer nonsense"}
NOT_JSON = {"Content-Type": "text/plain"}
HUGE = b'"' + b"x" * 65_535 + b'"'


@pytest.mark.parametrize(
    ("method", "part", "body", "headers", "status", "code"),
    [
        ("PUT", "/actions", HUGE, BAD_TOKEN | NOT_JSON, 405, "method_not_allowed"),
        ("POST", "/actions/x", HUGE, BAD_TOKEN | NOT_JSON, 404, "not_found"),
        ("POST", "/actions", HUGE, BAD_TOKEN | NOT_JSON, 401, "unauthenticated"),
        ("POST", "/actions", HUGE, NOT_JSON, 415, "unsupported_media_type"),
        ("POST", "/actions", HUGE, {}, 413, "body_too_large"),
        ("POST", "/actions", b"{", {}, 400, "malformed_json"),
        ("POST", "/actions", {"actions": [], "version": -1}, {}, 400, "invalid_body"),
        ("POST", "/actions", {"actions": [{"type": "no_such_kind"}]}, {}, 400, "invalid_body"),
        ("POST", "/actions", {"actions": [{"type": "stay"}]}, {}, 404, "not_found"),
        ("POST", "/seats", {"seat": 9}, {}, 400, "invalid_body"),
        ("POST", "/start", {"nonces": {"0": ""}}, {}, 400, "invalid_body"),
        ("POST", "/rematch", {"seat": 0}, {}, 400, "invalid_body"),
        ("GET", "/view?at=-1", None, {}, 400, "invalid_parameter"),
    ],
)
def test_an_unknown_match_is_found_out_after_the_body(
    ada: Asker, method: str, part: str, body: Any, headers: dict[str, str], status: int, code: str
) -> None:
    named = {name.replace("-", "_"): value for name, value in headers.items()}
    refused(ada.send(method, f"/v1/matches/{NOBODY}{part}", body, **named), status, code)


def test_the_kind_comes_after_the_match_and_before_the_rights(ada: Asker, bob: Asker) -> None:
    path = ada.creates(LAND, ["me", "me"])
    stay = {"actions": [{"type": "pass"}, {"type": "stay"}], "version": 1, "seat": 1}
    for asker in (ada, bob):
        answer = asker.post(f"{path}/actions", stay, Idempotency_Key="k")
        refused(answer, 400, "invalid_body")
        assert faults(answer) == {("/actions/1/type", "not_one_of")}


def test_rights_come_before_the_key_and_the_key_before_version_turn_and_rules(ada: Asker, bob: Asker) -> None:
    path = ada.creates(LAND, ["me", "open"])
    bob.post(f"{path}/seats")
    legal = ada.get(f"{path}/legal-actions").json["legal_actions"]
    assert ada.post(f"{path}/actions", {"actions": legal[:1]}, Idempotency_Key="used").status_code == 200
    version = ada.get(f"{path}/view").json["version"]
    for wrong in (
        {"actions": [{"type": "pass"}], "version": version + 1},
        {"actions": legal[:1], "version": version},
        {"actions": [{"type": "recall_follower", "x": 80, "y": 0}]},
    ):
        refused(ada.post(f"{path}/actions", wrong, Idempotency_Key="used"), 422, "idempotency_key_reused")
        refused(ada.post(f"{path}/actions", wrong | {"seat": 1}, Idempotency_Key="used"), 403, "not_your_seat")
    refused(ada.post(f"{path}/actions", {"actions": legal[:1], "version": 1}), 412, "stale_version")
    # Version before turn, turn before rules.
    refused(bob.post(f"{path}/actions", {"actions": [{"type": "pass"}], "version": 1}), 412, "stale_version")
    refused(
        bob.post(f"{path}/actions", {"actions": [{"type": "recall_follower", "x": 9, "y": 9}]}), 409, "not_your_turn"
    )


def test_a_seat_token_of_elsewhere_may_not_join_what_it_can_see(ada: Asker, bob: Asker) -> None:
    stranger = bob.by(token_of_another_match(bob))
    refused(stranger.post(f"{ada.creates(LAND, ['me', 'open'])}/seats"), 403, "forbidden")
    refused(stranger.post("/v1/matches", {"game": LAND, "seats": ["me", "bot/nobody"]}), 400, "invalid_body")
    refused(stranger.post("/v1/matches", {"game": LAND, "seats": ["me", "bot:nobody"]}), 403, "forbidden")
    refused(stranger.post("/v1/matches", {"game": LAND, "seats": ["me", "me"]}), 403, "forbidden")


def test_a_seat_that_the_match_has_not_is_told_before_its_status(ada: Asker, bob: Asker) -> None:
    for path in (ada.creates(LAND, ["me", "open"]), ada.creates(LAND, ["me", "me"])):
        for asker in (ada, bob):
            answer = asker.post(f"{path}/seats", {"seat": 4})
            refused(answer, 400, "invalid_body")
            assert faults(answer) == {("/seat", "out_of_range")}
            refused(asker.delete(f"{path}/seats/4"), 404, "not_found")


# --- bodies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "missing"),
        (b"{}", "missing"),
        (b"[]", "wrong_type"),
        (b"null", "wrong_type"),
        (b'""', "wrong_type"),
        (b"7", "wrong_type"),
        (b"true", "wrong_type"),
    ],
)
@pytest.mark.parametrize(
    ("path", "field"),
    [("/v1/accounts", "/name"), ("/v1/matches", "/game"), (f"/v1/matches/{NOBODY}/actions", "/actions")],
)
def test_bodies_that_are_no_such_object(ada: Asker, path: str, field: str, raw: bytes, code: str) -> None:
    answer = ada.post(path, raw)
    refused(answer, 400, "invalid_body")
    assert (field if code == "missing" else "", code) in faults(answer)


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b" ",
        b"{'name': 'x'}",
        b'{"name": "x",}',
        b'{"name": "x"} {}',
        b'{"name": "x", "name": "x"}',
        b'{"name": NaN}',
        b'{"name": -Infinity}',
        b'{"name": 1e999}',
        b'{"name": "\\ud800"}',
        b'{"\\udc00": "x"}',
        b'{"name": "\xed\xa0\x80"}',
        b'{"name": "\xff"}',
        b'{"name": "a\nb"}',
        b'\xef\xbb\xbf{"name": "x"}',
        '{"name": "x"}'.encode("utf-16"),
        '{"name": "x"}'.encode("utf-16-le"),
        b"[" * 33 + b"]" * 33,
        b'{"name": ' + b"1" * 5000 + b"}",
    ],
)
def test_what_is_not_strict_json(nobody: Asker, raw: bytes) -> None:
    refused(nobody.post("/v1/accounts", raw), 400, "malformed_json")


def test_32_levels_are_json(nobody: Asker) -> None:
    refused(nobody.post("/v1/accounts", b'{"name": ' + b"[" * 31 + b"]" * 31 + b"}"), 400, "invalid_body")
    refused(nobody.post("/v1/accounts", b'{"name": ' + b"[" * 32 + b"]" * 32 + b"}"), 400, "malformed_json")


@pytest.mark.parametrize(
    ("media_type", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8", 201),
        ('Application/JSON;charset="UTF-8"', 201),
        ("application/json; charset=iso-8859-1", 415),
        ("application/json; charset=utf-16", 415),
        ("text/json", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/jsonx", 415),
        ("", 415),
    ],
)
def test_media_types(nobody: Asker, media_type: str, status: int) -> None:
    assert nobody.post("/v1/accounts", b'{"name": "x"}', Content_Type=media_type).status_code == status


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("size", "status"), [(65_536, 201), (65_537, 413)])
def test_a_body_has_at_most_65536_bytes(nobody: Asker, chunked: bool, size: int, status: int) -> None:
    raw = b'{"name": "x"' + b" " * (size - 13) + b"}"
    assert len(raw) == size
    if chunked:
        # As gunicorn passes on what comes in chunks: without a length, until it ends.
        sent: dict[str, Any] = {"input_stream": io.BytesIO(raw), "environ_overrides": {"wsgi.input_terminated": True}}
        answer = nobody.client.post("/v1/accounts", headers={"Content-Type": JSON}, **sent)
    else:
        answer = nobody.post("/v1/accounts", raw)
    assert answer.status_code == status, answer.data


# --- every kind of wrong field ------------------------------------------------------------------------------------

MATCH = {"game": LAND, "seats": ["me", "me"]}
PLACE = {"type": "place_tile", "tile": "422mgs-02", "x": 1, "y": 0, "rotation": 90}
NO_INTEGERS: tuple[Any, ...] = (True, False, 1.0, 1e0, "1", [1], {})


def acting(**change: Any) -> dict[str, Any]:
    return {"actions": [PLACE]} | change


def placing(**change: Any) -> dict[str, Any]:
    return {"actions": [PLACE | change]}


WRONG: list[tuple[str, Any, set[tuple[str, str]]]] = [
    ("/v1/accounts", {"name": None}, {("/name", "wrong_type")}),
    ("/v1/accounts", {"name": 7}, {("/name", "wrong_type")}),
    ("/v1/accounts", {"name": ""}, {("/name", "out_of_range")}),
    ("/v1/accounts", {"name": "x" * 65}, {("/name", "out_of_range")}),
    ("/v1/accounts", {"name": "\U0001f600" * 65}, {("/name", "out_of_range")}),
    ("/v1/accounts", {"name": "a\u0000"}, {("/name", "bad_format")}),
    ("/v1/accounts", {"name": "a\u001f"}, {("/name", "bad_format")}),
    ("/v1/accounts", {"name": "a\u007f"}, {("/name", "bad_format")}),
    ("/v1/accounts", {"name": "a\u0085"}, {("/name", "bad_format")}),
    ("/v1/accounts", {"name": "x", "kind": "robot"}, {("/kind", "not_one_of")}),
    ("/v1/accounts", {"name": "x", "kind": 1}, {("/kind", "wrong_type")}),
    ("/v1/accounts", {"kind": "robot", "age": 1}, {("/name", "missing"), ("/kind", "not_one_of"), ("/age", "unknown")}),
    ("/v1/accounts", {"name": "x", "a/b~c": 1}, {("/a~1b~0c", "unknown")}),
    ("/v1/matches", {"seats": ["me", "me"]}, {("/game", "missing")}),
    ("/v1/matches", MATCH | {"game": 7}, {("/game", "wrong_type")}),
    ("/v1/matches", MATCH | {"game": "chess"}, {("/game", "not_one_of")}),
    ("/v1/matches", {"game": LAND}, {("/seats", "missing")}),
    ("/v1/matches", MATCH | {"seats": "me"}, {("/seats", "wrong_type")}),
    ("/v1/matches", MATCH | {"seats": []}, {("/seats", "out_of_range")}),
    ("/v1/matches", MATCH | {"seats": ["me"]}, {("/seats", "out_of_range")}),
    ("/v1/matches", MATCH | {"seats": ["me"] * 6}, {("/seats", "out_of_range")}),
    ("/v1/matches", {"game": WONDER, "seats": ["me"] * 5}, {("/seats", "out_of_range")}),
    ("/v1/matches", MATCH | {"seats": ["me", 7]}, {("/seats/1", "wrong_type")}),
    ("/v1/matches", MATCH | {"seats": ["me", "bot:nobody"]}, {("/seats/1", "not_one_of")}),
    ("/v1/matches", MATCH | {"options": []}, {("/options", "wrong_type")}),
    ("/v1/matches", MATCH | {"options": {"expert": 1}}, {("/options/expert", "wrong_type")}),
    ("/v1/matches", MATCH | {"options": {"postcards": "own_turn"}}, {("/options/postcards", "unknown")}),
    (
        "/v1/matches",
        {"game": WONDER, "seats": ["me", "me"], "options": {"postcards": "x", "round_limit": 0}},
        {("/options/postcards", "not_one_of"), ("/options/round_limit", "out_of_range")},
    ),
    *(
        ("/v1/matches", {"game": WONDER, "seats": ["me", "me"], "options": {"round_limit": wrong}}, {where})
        for wrong in NO_INTEGERS
        for where in [("/options/round_limit", "wrong_type")]
    ),
    ("/v1/matches", MATCH | {"deal": []}, {("/deal", "wrong_type")}),
    ("/v1/matches", MATCH | {"deal": {}}, {("/deal/deck", "missing")}),
    ("/v1/matches", MATCH | {"deal": {"deck": "x"}}, {("/deal/deck", "wrong_type")}),
    ("/v1/matches", MATCH | {"deal": {"deck": []}}, {("/deal/deck", "out_of_range")}),
    ("/v1/matches", MATCH | {"deal": {"deck": ["44mg"], "pile": []}}, {("/deal/pile", "unknown")}),
    ("/v1/matches", MATCH | {"deal": {"deck": ["44mg", 7]}}, {("/deal/deck/1", "wrong_type")}),
    ("/v1/matches", MATCH | {"deal": {"deck": ["44mg", "no"]}}, {("/deal/deck/1", "not_one_of")}),
    (
        "/v1/matches",
        {"game": WONDER, "seats": ["me", "me"], "deal": {"deck": ["c01", "c02", "c03", "c02"]}},
        {("/deal/deck/3", "duplicate")},
    ),
    (
        "/v1/matches",
        {"game": WONDER, "seats": ["me", "me"], "deal": {"deck": ["c01", "c02", "c03"]}},
        {("/deal/deck", "out_of_range")},
    ),
    (
        "/v1/matches",
        {"game": WONDER, "seats": ["me", "me"], "deal": {"deck": ["c01", "c02", "c03", "c04"], "set_aside": []}},
        {("/deal/set_aside", "unknown")},
    ),
    ("/v1/matches", MATCH | {"start": "later"}, {("/start", "not_one_of")}),
    ("/v1/matches", MATCH | {"visibility": "secret"}, {("/visibility", "not_one_of")}),
    ("/v1/matches", MATCH | {"nonce": "x"}, {("/nonce", "unknown")}),
    ("/v1/matches", MATCH | {"nonces": {"0": "x"}}, {("/nonces", "unknown")}),
    ("/v1/matches", MATCH | {"clock": {}}, {("/clock/kind", "missing")}),
    ("/v1/matches", MATCH | {"metadata": "x"}, {("/metadata", "wrong_type")}),
    ("/v1/matches", MATCH | {"metadata": {"a": 1}}, {("/metadata/a", "wrong_type")}),
    ("M/seats", {"seat": True}, {("/seat", "wrong_type")}),
    ("M/seats", {"seat": -1}, {("/seat", "out_of_range")}),
    ("M/seats", {"seat": BEYOND_53_BITS**20}, {("/seat", "out_of_range")}),
    ("M/seats", {"nonce": ""}, {("/nonce", "bad_format")}),
    ("M/seats", {"nonce": "x" * 65}, {("/nonce", "bad_format")}),
    ("M/seats", {"nonce": "a b"}, {("/nonce", "bad_format")}),
    ("M/seats", {"nonce": "ä"}, {("/nonce", "bad_format")}),
    ("M/seats", {"nonce": "a\n"}, {("/nonce", "bad_format")}),
    ("M/seats", {"nonce": 7}, {("/nonce", "wrong_type")}),
    ("M/seats", {"invitation": 7}, {("/invitation", "wrong_type")}),
    ("M/seats", {"name": "\n"}, {("/name", "bad_format")}),
    ("M/seats", {"token": "x"}, {("/token", "unknown")}),
    ("M/start", {"nonces": []}, {("/nonces", "wrong_type")}),
    ("M/start", {"nonces": {"0": 7, "x": "y"}}, {("/nonces/0", "wrong_type"), ("/nonces/x", "unknown")}),
    ("M/start", {"nonces": {"0": "a b"}}, {("/nonces/0", "bad_format")}),
    ("M/start", {"version": 1}, {("/version", "unknown")}),
    ("M/resignation", {"seat": "0"}, {("/seat", "wrong_type")}),
    ("M/resignation", {"version": 1}, {("/version", "unknown")}),
    ("M/rematch", {"x": 1}, {("/x", "unknown")}),
    ("M/actions", {"actions": None}, {("/actions", "wrong_type")}),
    ("M/actions", {"actions": {}}, {("/actions", "wrong_type")}),
    ("M/actions", {"actions": []}, {("/actions", "out_of_range")}),
    ("M/actions", {"actions": [None]}, {("/actions/0", "wrong_type")}),
    ("M/actions", {"actions": [{}]}, {("/actions/0/type", "missing")}),
    ("M/actions", {"actions": [{"type": 7}]}, {("/actions/0/type", "wrong_type")}),
    ("M/actions", {"actions": [{"type": "fly"}]}, {("/actions/0/type", "not_one_of")}),
    ("M/actions", {"actions": [{"type": "pass", "x": 1}]}, {("/actions/0/x", "unknown")}),
    ("M/actions", acting(move=1), {("/move", "unknown")}),
    ("M/actions", acting(version=-1), {("/version", "out_of_range")}),
    ("M/actions", acting(version=BEYOND_53_BITS), {("/version", "out_of_range")}),
    *(("M/actions", acting(version=wrong), {("/version", "wrong_type")}) for wrong in NO_INTEGERS),
    *(("M/actions", acting(seat=wrong), {("/seat", "wrong_type")}) for wrong in NO_INTEGERS),
    *(("M/actions", placing(x=wrong), {("/actions/0/x", "wrong_type")}) for wrong in (*NO_INTEGERS, None)),
    ("M/actions", placing(x=10**300), {("/actions/0/x", "out_of_range")}),
    ("M/actions", placing(rotation=45), {("/actions/0/rotation", "not_one_of")}),
    ("M/actions", placing(tile=7), {("/actions/0/tile", "wrong_type")}),
    ("M/actions", {"actions": [PLACE, {"type": "place_follower"}]}, {("/actions/1/region", "missing")}),
]


@pytest.fixture
def open_match(ada: Asker) -> str:
    return ada.creates(LAND, ["me", "open"])


@pytest.mark.parametrize(("path", "body", "expected"), WRONG)
def test_wrong_fields_are_pointed_at(
    ada: Asker, open_match: str, path: str, body: Any, expected: set[tuple[str, str]]
) -> None:
    answer = ada.post(path.replace("M", open_match) if path[0] == "M" else path, body)
    refused(answer, 400, "invalid_body")
    assert faults(answer) == expected


@pytest.mark.parametrize("token", ["1.0", "1e0", "1E0", "10e-1", "1.0e0", "true"])
def test_what_is_no_integer_however_it_is_written(ada: Asker, open_match: str, token: str) -> None:
    raw = b'{"actions": [{"type": "pass"}], "version": %s}' % token.encode()
    answer = ada.post(f"{open_match}/actions", raw)
    refused(answer, 400, "invalid_body")
    assert faults(answer) == {("/version", "wrong_type")}


QUERIES: list[tuple[str, str, str]] = [
    ("M?x=1", "x", "unknown"),
    ("M/view?at=1&at=1", "at", "duplicate"),
    ("M/view?at=-1", "at", "out_of_range"),
    ("M/view?at=x", "at", "wrong_type"),
    ("M/view?at=1.0", "at", "wrong_type"),
    ("M/view?at=1e0", "at", "wrong_type"),
    ("M/view?at=true", "at", "wrong_type"),
    ("M/view?at=", "at", "wrong_type"),
    ("M/view?at=%2B1", "at", "wrong_type"),
    ("M/view?at=%D9%A1", "at", "wrong_type"),
    (f"M/view?at={BEYOND_53_BITS}", "at", "out_of_range"),
    (f"M/events?after={10**30}", "after", "out_of_range"),
    ("M/view?wait=26", "wait", "out_of_range"),
    ("M/view?wait=-1", "wait", "out_of_range"),
    ("M/view?seat=x", "seat", "wrong_type"),
    ("M/events?limit=0", "limit", "out_of_range"),
    ("M/events?limit=501", "limit", "out_of_range"),
    ("M/events?wait=26", "wait", "out_of_range"),
    ("M/events?at=1", "at", "unknown"),
    ("M/record?at=1", "at", "unknown"),
    ("M/board.txt?after=1", "after", "unknown"),
    ("M/legal-actions?at=1", "at", "unknown"),
    ("/v1/matches?limit=0", "limit", "out_of_range"),
    ("/v1/matches?limit=101", "limit", "out_of_range"),
    ("/v1/matches?game=chess", "game", "not_one_of"),
    ("/v1/matches?status=over", "status", "not_one_of"),
    ("/v1/matches?mine=1", "mine", "wrong_type"),
    ("/v1/matches?open_seats=yes", "open_seats", "wrong_type"),
    ("/v1/matches?cursor=nonsense", "cursor", "bad_format"),
    ("/v1/me/decisions?cursor=nonsense", "cursor", "bad_format"),
    ("/v1/me/decisions?wait=26", "wait", "out_of_range"),
    ("/v1/games/neues-land/rules?lang=fr", "lang", "not_one_of"),
    *((f"{path}?x=1", "x", "unknown") for path in ("/", "/v1", "/v1/games", "/v1/games/wunderland", "/v1/me")),
    *(
        (f"{path}?x=1", "x", "unknown")
        for path in ("/livez", "/readyz", "/problems/internal", "/openapi.json", "/docs")
    ),
]


@pytest.mark.parametrize(("path", "parameter", "code"), QUERIES)
def test_wrong_queries_are_named(ada: Asker, open_match: str, path: str, parameter: str, code: str) -> None:
    answer = ada.get(path.replace("M", open_match) if path[0] == "M" else path)
    refused(answer, 400, "invalid_parameter")
    assert faults(answer) == {(parameter, code)}


@pytest.mark.parametrize(("method", "part"), [(m, p) for m, p in EVERY_PATH if m != "GET"])
def test_queries_of_other_methods_are_checked_too(ada: Asker, open_match: str, method: str, part: str) -> None:
    answer = ada.send(method, f"{open_match}{part}?x=1", GOOD_BODY.get(part))
    refused(answer, 400, "invalid_parameter")
    assert faults(answer) == {("x", "unknown")}


def test_the_largest_integer_is_only_ahead_of_the_log(ada: Asker, open_match: str) -> None:
    largest = BEYOND_53_BITS - 1
    refused(ada.get(f"{open_match}/view?at={largest}"), 409, "ahead_of_log")
    refused(ada.get(f"{open_match}/events?after={largest}"), 409, "ahead_of_log")
    refused(ada.post(f"{open_match}/actions", {"actions": [PLACE], "version": largest}), 412, "stale_version")


# --- what comes with a code ---------------------------------------------------------------------------------------


def test_an_illegal_action_comes_with_its_rule_and_suggestions(ada: Asker) -> None:
    path = ada.creates(LAND, ["me", "me"])
    legal = ada.get(f"{path}/legal-actions?seat=0").json["legal_actions"]
    wrong: dict[str, Callable[[dict[str, Any]], Any]] = {
        "N22": lambda place: place | {"x": 40},
        "N20": lambda place: place | {"tile": "44mg" if place["tile"] != "44mg" else "422mgs-02"},
        "N23": lambda _: {"type": "pass"},
    }
    for rule, change in wrong.items():
        answer = ada.post(f"{path}/actions", {"actions": [change(legal[0])]})
        problem = refused(answer, 422, "illegal_action")
        assert (problem["rule"], problem["version"]) == (rule, 2)
        assert 1 <= len(problem["suggestions"]) <= 3
        assert all(suggestion in legal for suggestion in problem["suggestions"])
        assert {where for where, _ in faults(answer)} == {"/actions/0"}


def test_a_stale_version_comes_with_version_and_view(ada: Asker) -> None:
    path = ada.creates(WONDER, ["me", "open"])
    problem = refused(
        ada.post(f"{path}/actions", {"actions": [{"type": "end_turn"}], "version": 0}), 412, "stale_version"
    )
    assert problem["version"] == 1
    assert problem["view"] == ada.get(f"{path}/view").json


def test_codes_of_the_match(ada: Asker, bob: Asker, nobody: Asker) -> None:
    opened = ada.creates(LAND, ["me", "open"])
    running = ada.creates(LAND, ["me", "me"])
    legal = ada.get(f"{running}/legal-actions?seat=0").json["legal_actions"]
    for answer, status, code in (
        (ada.post(f"{opened}/actions", {"actions": legal[:1]}), 409, "match_not_running"),
        (ada.post(f"{opened}/resignation"), 409, "match_not_running"),
        (ada.post(f"{opened}/start"), 409, "seats_missing"),
        (bob.post(f"{opened}/start"), 403, "forbidden"),
        (ada.post(f"{running}/start"), 409, "match_not_open"),
        (bob.post(f"{running}/seats"), 409, "match_not_open"),
        (bob.post(f"{opened}/seats", {"seat": 0}), 409, "seat_taken"),
        (bob.delete(f"{opened}/seats/0"), 403, "not_your_seat"),
        (ada.delete(f"{running}/seats/0"), 409, "match_not_open"),
        (bob.delete(opened), 403, "forbidden"),
        (bob.post(f"{running}/actions", {"actions": legal[:1]}), 403, "not_your_seat"),
        (ada.post(f"{running}/actions", {"actions": legal[:1], "seat": 1}), 409, "not_your_turn"),
        (ada.post(f"{running}/actions", {"actions": legal[:1], "seat": 4}), 403, "not_your_seat"),
        (ada.post(f"{running}/resignation"), 400, "seat_required"),
        (bob.post(f"{running}/resignation"), 403, "not_your_seat"),
        (ada.get(f"{running}/view?at=3"), 409, "ahead_of_log"),
        (ada.get(f"{running}/view?after=3"), 409, "ahead_of_log"),
        (ada.get(f"{running}/events?after=3"), 409, "ahead_of_log"),
        (nobody.get("/v1/me"), 401, "unauthenticated"),
        (nobody.get("/v1/matches?mine=true"), 401, "unauthenticated"),
        (nobody.get("/v1/games/chess"), 404, "not_found"),
        (nobody.get("/problems/chess"), 404, "not_found"),
    ):
        refused(answer, status, code)


def test_an_action_beyond_the_turn_refuses_the_whole_list(ada: Asker) -> None:
    path = ada.creates(LAND, ["me", "me"])
    legal = ada.get(f"{path}/legal-actions?seat=0").json["legal_actions"]
    answer = ada.post(f"{path}/actions", {"actions": [legal[0], {"type": "pass"}, {"type": "pass"}]})
    refused(answer, 409, "not_your_turn")
    assert {where for where, _ in faults(answer)} == {"/actions/2"}
    assert ada.get(f"{path}/view").json["version"] == 2
