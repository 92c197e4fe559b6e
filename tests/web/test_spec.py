"""The API description: valid, committed, complete, and true in its examples."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from flask import Flask
from openapi_spec_validator import OpenAPIV31SpecValidator

from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web import documented, recording, spec
from spieltisch_service.web.app import create_app
from tests.web.checked import Checked, Description

ROOT = Path(__file__).parents[2]
#: For people and tools; `GET /` is the same as `GET /v1`.
UNDESCRIBED = {"/", "/docs", "/docs/start.js", "/docs/<name>", "/openapi.json"}


def test_it_is_openapi_3_1(description: Description) -> None:
    assert description.document["openapi"] == "3.1.0"
    OpenAPIV31SpecValidator(dict(description.document)).validate()


def test_the_committed_one_is_this_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert spec.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_an_old_one_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert spec.main(["--check"]) == 1
    assert spec.main([]) == 0
    assert spec.main(["--check"]) == 0
    Path("openapi/openapi.json").write_text("{}\n")
    assert spec.main(["--check"]) == 1
    assert spec.main(["--chek"]) == 2
    assert "./run spec" in capsys.readouterr().err


def test_every_path_is_described_and_every_described_path_is_there(description: Description) -> None:
    app = create_app(None)
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule not in UNDESCRIBED
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {(path, method) for method, path in ((m.lower(), p) for m, p, _ in description.operations().values())}
    assert served == described
    assert {rule.rule for rule in app.url_map.iter_rules()} >= UNDESCRIBED


def test_every_operation_says_what_it_is(description: Description) -> None:
    for name, (method, path, operation) in description.operations().items():
        assert re.fullmatch("[a-z][A-Za-z]+", name)
        assert operation["summary"]
        assert operation["description"]
        assert len(operation["tags"]) == 1
        assert "security" in operation
        named = {each.rpartition("/")[2] for each in (p.get("$ref", "") for p in operation["parameters"])}
        assert ("Idempotency-Key" in named) == (method == "POST"), path
        for parameter in operation["parameters"]:
            assert "$ref" in parameter or parameter["description"], (name, parameter)


def test_every_field_of_every_component_says_what_it_is(description: Description) -> None:
    for name, schema in description.document["components"]["schemas"].items():
        for field, inner in schema.get("properties", {}).items():
            assert inner.get("description"), f"{name}.{field}"


def test_requests_are_closed_and_answers_are_open(description: Description) -> None:
    """A client of today must be able to read the answers of tomorrow."""
    closed = {
        name
        for name, schema in description.document["components"]["schemas"].items()
        if schema.get("additionalProperties") is False
    }
    assert all(name.endswith(("Request", "Action")) for name in closed)
    assert {"AccountRequest", "ActionsRequest", "JoinRequest", "NeuesLandMatchRequest"} <= closed


def _bodies(operation: dict[str, Any]) -> list[tuple[str, Any]]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return []
    return [(name, example["value"]) for name, example in content["examples"].items()]


def test_every_body_has_examples_that_fit(description: Description) -> None:
    for name, (_, _, operation) in description.operations().items():
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            assert _bodies(operation), name
            for _, body in _bodies(operation):
                description.validator(schema).validate(body)
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                continue
            for media_type, content in answer.get("content", {}).items():
                assert content["examples"], (name, status, media_type)
                for example in content["examples"].values():
                    description.validate(operation, int(status), media_type, example["value"])


def test_every_problem_has_an_example_that_fits(description: Description) -> None:
    for _, _, operation in description.operations().values():
        for status, answer in operation["responses"].items():
            if int(status) < 400:
                continue
            found = description.document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
            content = found["content"]["application/problem+json"]
            kinds = content["schema"].get("oneOf", [content["schema"]])
            names = ["".join(map(str.capitalize, code.split("_"))) for code in content["examples"]]
            assert [kind["$ref"] for kind in kinds] == [f"#/components/schemas/{name}Problem" for name in names]
            for code, example in content["examples"].items():
                assert example["value"]["code"] == code
                assert example["value"]["status"] == int(status)
                description.validate(operation, int(status), "application/problem+json", example["value"])


def test_an_answer_that_is_not_described_is_noticed(app: Flask, description: Description) -> None:
    document = copy.deepcopy(dict(description.document))
    del document["components"]["schemas"]["Index"]["properties"]["name"]
    with pytest.raises(jsonschema_rs.ValidationError, match="name"):
        Checked(app, Description(document)).get("/v1")


def test_a_problem_that_lacks_what_its_code_promises_is_noticed(description: Description) -> None:
    validator = description.validator({"$ref": "#/components/schemas/IllegalActionProblem"})
    example = documented.problem_example("illegal_action")
    validator.validate(example)
    for name in ("rule", "suggestions", "version"):
        assert not validator.is_valid({key: value for key, value in example.items() if key != name})
    assert not validator.is_valid(example | {"code": "stale_version"})
    assert not validator.is_valid(example | {"undescribed": 1})


def test_headers_are_described(description: Description) -> None:
    operations = description.operations()

    def headers(name: str, status: str) -> set[str]:
        return set(operations[name][2]["responses"][status]["headers"])

    assert "ETag" in headers("getView", "200") & headers("getView", "304")
    for name in ("createAccount", "createMatch", "takeSeat", "rematch"):
        assert {"Location", "Idempotency-Replayed", "X-Request-Id"} <= headers(name, "201")
    responses = description.document["components"]["responses"]
    for name, response in responses.items():
        waits = name.startswith(("store_unavailable", "rate_limited"))
        assert ("Retry-After" in response["headers"]) == waits
    assert "WWW-Authenticate" in responses["unauthenticated"]["headers"]


def _sender(client: Checked) -> recording.Send:
    def send(method: str, path: str, headers: Any, body: bytes | None) -> tuple[int, Any, bytes]:
        response = client.send(method, path, headers=headers, data=body)
        return response.status_code, response.headers, response.data

    return send


def test_the_examples_are_what_the_service_answers(client: Checked) -> None:
    recorder = recording.Recorder(_sender(client), "operations")
    recording.visit_operations(recorder)
    assert recording.examples_of(recorder.kept) == documented.recorded()


@pytest.mark.parametrize("game", GAMES)
def test_the_whole_matches_are_what_the_service_answers(client: Checked, game: str) -> None:
    recorder = recording.Recorder(_sender(client), game)
    recording.play_match(recorder, game)
    committed = json.loads((ROOT / "openapi" / "examples" / f"{game}.json").read_text(encoding="utf-8"))
    assert recording.whole_match(recorder.kept, game) == committed


@pytest.mark.parametrize("game", GAMES)
def test_the_hash_chain_of_a_recorded_match_is_right(game: str) -> None:
    committed = json.loads((ROOT / "openapi" / "examples" / f"{game}.json").read_text(encoding="utf-8"))
    record = next(each for each in committed["exchanges"] if each["operation"] == "getRecord")["answer"]["body"]
    previous = GENESIS_HASH
    for event in record["events"]:
        previous = chain_hash(previous, canonical({key: event[key] for key in ("data", "seat", "seq", "type")}))
        assert event["hash"] == previous
    assert record["hash"] == previous
    assert record["status"] == "finished"


def test_the_checks_of_the_tests_notice_what_is_not_described(description: Description) -> None:
    """Of the tests themselves: a closed description refuses more, less and other than it says."""
    operation = description.operations()["getLive"][2]
    description.validate(operation, 200, "application/json", {"status": "alive"})
    for wrong in ({"status": "alive", "more": 1}, {}, {"status": "well"}):
        with pytest.raises(Exception, match=r"more|required|well"):
            description.validate(operation, 200, "application/json", wrong)
    with pytest.raises(AssertionError, match="not described"):
        description.validate(operation, 404, "application/problem+json", {})
