"""A client that validates every answer against the closed API description, and people who send requests with it."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
import orjson
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

NO_MATCH = "mt_" + "0" * 32
#: What stands in every path for what does not exist.
NOTHING = {
    "match_id": NO_MATCH,
    "seat": "0",
    "game": "neues-land",
    "code": "internal",
    "key_id": "ky_" + "0" * 32,
    "invitation_id": "iv_" + "0" * 32,
    "tournament_id": "tn_" + "0" * 32,
    "entrant": "bot:random",
}
#: Not on every answer of an operation that lists them.
_SOMETIMES = {"Idempotency-Replayed", "RateLimit", "RateLimit-Policy"}
STREAMS = ("text/event-stream", "application/x-ndjson")
DECK = ["8m", "44mg", "161mgm", "8s", "116mmg", "17mg"]


class Description:
    """The API description with every answer closed: what it does not name must not come."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        closed = copy.deepcopy(dict(document["components"]))
        for name, schema in closed["schemas"].items():
            # A problem is narrowed by `allOf`, which closes the two together.
            _close(schema, outermost=name != "Problem")
        for response in closed["responses"].values():
            _close_content(response)
        self._components = closed
        self._validators: dict[Any, jsonschema_rs.Draft202012Validator] = {}
        self._operations = self.operations()

    def operations(self) -> dict[str, tuple[str, str, Mapping[str, Any]]]:
        """(method, path, operation) by id."""
        return {
            operation["operationId"]: (method.upper(), path, operation)
            for path, item in self.document["paths"].items()
            for method, operation in item.items()
            if method in ("get", "post", "delete")
        }

    def answer(self, operation: Mapping[str, Any], status: int) -> Mapping[str, Any]:
        """The described answer of that status, refs followed. Fails if there is none."""
        responses = operation["responses"]
        assert str(status) in responses, f"{operation['operationId']} answered {status}, which is not described"
        found: Mapping[str, Any] = responses[str(status)]
        while "$ref" in found:
            found = self._components["responses"][found["$ref"].rpartition("/")[2]]
        return found

    def validate(self, operation: Mapping[str, Any], status: int, media_type: str, body: Any) -> None:
        """Fail unless the body is what is described, and no more."""
        answer = self.answer(operation, status)
        assert media_type in answer.get("content", {}), f"{operation['operationId']}: {media_type} is not described"
        schema = answer["content"][media_type]["schema"]
        if media_type.endswith("json") and media_type != "application/x-ndjson":
            self.validator(schema).validate(body)

    def check(
        self, app: Flask, method: str, path: str, status: int, headers: Headers, body: bytes | None
    ) -> Mapping[str, Any] | None:
        """Fail unless an answer of the application is described; the operation, if it is one. No body: a stream."""
        assert re.fullmatch("[0-9a-f]{32}", headers["X-Request-Id"])
        assert headers["X-Content-Type-Options"] == "nosniff"
        media_type = headers.get("Content-Type", "").partition(";")[0]
        if status >= 400 and method != "HEAD":
            assert media_type == "application/problem+json", media_type
            assert orjson.loads(body or b"")["request_id"] == headers["X-Request-Id"]
        try:
            rule, _ = app.url_map.bind("").match(path.partition("?")[0], method, return_rule=True)
        except HTTPException:
            return None
        described = self._operations.get(rule.endpoint.rpartition(".")[2])
        # `is_streamed` says nothing here: to the test client every answer is an iterator.
        if described is None or method in ("HEAD", "OPTIONS") or media_type in STREAMS:
            return None
        operation = described[2]
        answer = self.answer(operation, status)
        for name in answer.get("headers", {}):
            assert name in _SOMETIMES or name in headers, name
        if status != 304 and "gzip" not in headers.get("Content-Encoding", ""):
            value = orjson.loads(body or b"") if "json" in media_type and "ndjson" not in media_type else None
            self.validate(operation, status, media_type, value)
        return operation

    def validator(self, schema: Mapping[str, Any]) -> jsonschema_rs.Draft202012Validator:
        """A validator of a (closed) schema that refers to components."""
        key = str(schema)
        if key not in self._validators:
            own = copy.deepcopy(dict(schema))
            _close(own, outermost=True)
            self._validators[key] = jsonschema_rs.Draft202012Validator({**own, "components": self._components})
        return self._validators[key]


def _close_content(response: Mapping[str, Any]) -> None:
    for content in response.get("content", {}).values():
        _close(content["schema"], outermost=True)


def _close(schema: Any, *, outermost: bool) -> None:
    """Close every object schema, in place; not the parts of an `allOf`, but the whole."""
    if isinstance(schema, list):
        for inner in schema:
            _close(inner, outermost=True)
        return
    if not isinstance(schema, dict):
        return
    if "allOf" in schema:
        schema["unevaluatedProperties"] = False
        return
    for key, inner in schema.items():
        if key == "properties":
            for each in inner.values():
                _close(each, outermost=True)
        elif key in ("items", "anyOf", "oneOf", "additionalProperties"):
            _close(inner, outermost=True)
    if outermost and "properties" in schema:
        schema.setdefault("unevaluatedProperties", False)


class Checked:
    """A test client of the application."""

    def __init__(self, app: Flask, description: Description) -> None:
        self.app = app
        self.description = description
        self._client = app.test_client()

    def send(self, method: str, path: str, **options: Any) -> TestResponse:
        """Send a request and check its answer. `token=` goes into the Authorization header."""
        token = options.pop("token", None)
        headers = dict(options.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        response = self._client.open(path, method=method, headers=headers, **options)
        self.check(method, path, response)
        return response

    def check(self, method: str, path: str, response: TestResponse) -> None:
        """Fail unless the answer is described."""
        body = None if response.mimetype in STREAMS else response.get_data()
        self.description.check(self.app, method, path, response.status_code, response.headers, body)

    def get(self, path: str, **options: Any) -> TestResponse:
        """GET."""
        return self.send("GET", path, **options)

    def post(self, path: str, **options: Any) -> TestResponse:
        """POST; `json=` is the body."""
        return self.send("POST", path, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        """DELETE."""
        return self.send("DELETE", path, **options)

    def register(self, name: str) -> Person:
        """A new account."""
        answer = self.post("/v1/accounts", json={"name": name})
        assert answer.status_code == 201
        return Person(self, self.ok(answer)["key"])

    @staticmethod
    def ok(response: TestResponse) -> Any:
        """The body of a success."""
        assert response.status_code < 300, response.text
        return response.json


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a token."""

    client: Checked
    token: str

    def send(self, method: str, path: str, **options: Any) -> TestResponse:
        """Send a request with the token."""
        return self.client.send(method, path, token=self.token, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        """GET."""
        return self.send("GET", path, **options)

    def post(self, path: str, **options: Any) -> TestResponse:
        """POST."""
        return self.send("POST", path, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        """DELETE."""
        return self.send("DELETE", path, **options)

    def creates(self, seats: list[str], **options: Any) -> str:
        """A new match of Neues Land with a short known deal; its path."""
        wanted = {"game": "neues-land", "seats": seats, "deal": {"deck": DECK}, **options}
        created = self.post("/v1/matches", json=wanted)
        assert created.status_code == 201, created.text
        assert created.json is not None
        return f"/v1/matches/{created.json['id']}"

    def view(self, path: str, query: str = "") -> Any:
        """The view of a match."""
        return Checked.ok(self.get(f"{path}/view{query}"))

    def plays(self, path: str) -> Any:
        """Do the first legal action of whichever of the own seats must act; the body of the answer."""
        view = self.view(path)
        view = self.view(path, f"?seat={view['to_act']}")
        body = {"actions": [view["legal_actions"][0]], "version": view["version"]}
        return Checked.ok(self.post(f"{path}/actions", json=body))

    def plays_to_the_end(self, path: str) -> None:
        """Play a match of which all seats are the own."""
        while self.view(path)["status"] == "running":
            self.plays(path)
