"""How an `Operation` reads in the API description (OpenAPI 3.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from apispec import APISpec
from marshmallow import Schema

from spieltisch_service.app.callers import SCOPES
from spieltisch_service.app.errors import FieldError
from spieltisch_service.app.limits import Limits, Policy, Rate
from spieltisch_service.web import problems
from spieltisch_service.web.operation import Operation, Success
from spieltisch_service.web.problems import KINDS
from spieltisch_service.web.schemas.fields import Documented
from spieltisch_service.web.schemas.problem import COMES_WITH, ProblemShape

#: The extension of an operation that has the numbers of its limits.
_RATE_LIMIT = "x-rate-limit"
REQUEST_ID = "5b0c7a1e9d3f4682a7c1e05f9b8d2463"

HEADERS: Mapping[str, Mapping[str, Any]] = {
    "X-Request-Id": {
        "description": "Finds the request in the service's log; 32 hex digits. On every answer.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    },
    "ETag": {
        "description": "The view's version and viewer, `{version}-{seat or s}` in quotation marks.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[0-9]+-([0-9]+|s)"$'},
    },
    "Location": {
        "description": "The path of what was created.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Idempotency-Replayed": {
        "description": "`true` on an answer that repeats an earlier one to the same Idempotency-Key.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Retry-After": {
        "description": "Seconds to wait before the request is worth repeating.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
    "RateLimit": {
        "description": "Where limits are in force: what is left of the policy that will be used up first (`r`), and "
        "for how many seconds more (`t`), as in the IETF draft of RateLimit header fields.",
        "schema": {"type": "string"},
        "example": '"reads";r=2987;t=41',
    },
    "RateLimit-Policy": {
        "description": "Where limits are in force: the policies that the request counted for, of the key and of the "
        "address (`…-address`), with their quota (`q`) and window in seconds (`w`).",
        "schema": {"type": "string"},
        "example": '"reads";q=3000;w=60, "reads-address";q=12000;w=60',
    },
    "WWW-Authenticate": {"description": "`Bearer`.", "required": True, "schema": {"type": "string"}},
}

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "Idempotency-Key": {
        "description": "1 to 255 visible ASCII characters that name this intent. The same request with the same key is "
        "carried out once and answered alike; without a token, a new account needs at least 32 characters.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]{1,255}$"},
        "example": "b1946ac9-2a6e-4f6b-8d53-1f0e6c7d9a42",
    },
    "If-None-Match": {
        "description": "ETags that the caller has; a match answers 304 without a body.",
        "schema": {"type": "string"},
        "example": '"12-0"',
    },
    "Last-Event-ID": {
        "description": "For streams: the last event received; beats `after`.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
        "example": "12",
    },
}

_PATH: Mapping[str, str] = {
    "match_id": "The match.",
    "seat": "The number of the seat.",
    "game": "The game's id, as the catalogue lists it.",
    "code": "A problem's code.",
    "key_id": "The key.",
    "invitation_id": "The invitation.",
    "tournament_id": "The tournament.",
    "entrant": "Who takes part: the id of an account, or `bot:NAME`.",
}

#: What a problem of each code may say: detail, errors, further members.
_SAYS: Mapping[str, tuple[str, tuple[FieldError, ...], Mapping[str, Any]]] = {
    "malformed_json": ("The body is not JSON: Expecting value at line 1, column 13.", (), {}),
    "invalid_body": (
        "/seats: This field is required.",
        (FieldError("missing", "This field is required.", pointer="/seats"),),
        {},
    ),
    "invalid_parameter": (
        "foo: There is no such field.",
        (FieldError("unknown", "There is no such field.", parameter="foo"),),
        {},
    ),
    "seat_required": ("you hold the seats 0, 1: say with `seat` which one this is for", (), {}),
    "unauthenticated": ("this token is not valid (any more)", (), {}),
    "forbidden": ("this needs the scope create; your key has play", (), {}),
    "not_your_seat": ("you do not hold seat 1", (), {}),
    "invitation_invalid": ("the invitation is not for a seat of this match, or not for this seat", (), {}),
    "not_found": ("there is no such match, or you may not see it", (), {}),
    "not_acceptable": (
        "The events are sent as application/json, text/event-stream, application/x-ndjson.",
        (),
        {},
    ),
    "not_your_turn": (
        "seat 1 must act, not seat 0",
        (FieldError("out_of_range", "seat 1 must act, not seat 0", pointer="/actions/2"),),
        {},
    ),
    "match_not_open": ("the match is running; seats can only change while it is open", (), {}),
    "match_not_running": ("the match is finished", (), {}),
    "seat_taken": ("seat 1 is taken", (), {}),
    "seats_missing": ("the seats 1, 2 are still free", (), {}),
    "ahead_of_log": (
        "the match is at version 12; event 13 has not happened yet",
        (FieldError("out_of_range", "the match is at version 12; event 13 has not happened yet", parameter="after"),),
        {"version": 12},
    ),
    "tournament_refuses": ("the tournament is finished, not open", (), {"reason": "wrong_status"}),
    "tournament_not_ended": ("the tournament is running; its seed is secret until it has ended", (), {}),
    "limit_reached": ("an account has at most 20 keys; revoke one of them first", (), {}),
    "body_too_large": ("A body has at most 65536 bytes.", (), {}),
    "unsupported_media_type": ("A body is sent as Content-Type: application/json.", (), {}),
    "stale_version": ("the match is at version 14, not 12", (), {}),
    "illegal_action": (
        "the tile does not fit there",
        (FieldError("not_one_of", "the tile does not fit there", pointer="/actions/0"),),
        {
            "rule": "N22",
            "version": 12,
            "suggestions": [{"type": "place_tile", "tile": "44gs-01", "x": 1, "y": 0, "rotation": 90}],
        },
    ),
    "rate_limited": ("reads: 3000 in 60 s are used up; come back in 41 s", (), {}),
    "idempotency_key_reused": ("this Idempotency-Key was used before with another body", (), {}),
    "internal": ("The service failed to answer; the request id finds the cause in its log.", (), {}),
    "store_unavailable": ("The store does not answer; whether the request was carried out is not known.", (), {}),
    "too_many_streams": ("this process holds 2000 streams already; try again soon, or poll", (), {}),
}

SECURITY_SCHEMES: Mapping[str, Mapping[str, Any]] = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (`spt_key_…`) from `POST /v1/accounts`, or a seat token (`spt_seat_…`), which acts "
        "for its seat alone. An operation names the scope that a token needs, if any: "
        + "; ".join(f"`{scope}`: {what}" for scope, what in SCOPES.items())
        + ". A seat token has `play`.",
    }
}


def _security(declared: Operation) -> list[dict[str, list[str]]]:
    """Which tokens an operation takes; the list behind `key` has the scope that a token needs."""
    token = {"key": [] if declared.scope is None else [str(declared.scope)]}
    return {"none": [], "ignored": [], "optional": [{}, token], "required": [token]}[declared.auth]


@cache
def recorded() -> Mapping[str, Any]:
    """Requests and answers of every operation, by its id, as `./run spec --examples` recorded them."""
    file = resources.files("spieltisch_service.web").joinpath("examples.json")
    found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def problem_example(code: str) -> dict[str, Any]:
    """A problem document of that code."""
    detail, errors, extra = _SAYS[code]
    if code == "stale_version" and "getView" in recorded():
        view = recorded()["getView"]["answers"]["200"]["application/json"]
        detail = f"the match is at version {view['version']}, not {view['version'] - 2}"
        extra = {"version": view["version"], "view": view}
    return problems.document(code, detail, REQUEST_ID, errors, extra)


def component_name(schema: Any) -> str:
    """The name of a schema among the components."""
    kind = schema if isinstance(schema, type) else type(schema)
    return str(kind.__name__).removesuffix("Shape").removesuffix("Schema")


def documented_field(self: Any, field: Any, **_: Any) -> dict[str, Any]:
    """An apispec attribute function: the JSON Schema that a `Documented` field brings along."""
    if not isinstance(field, Documented):
        return {}
    document = dict(field.document)
    choices = [self.resolve_nested_schema(schema) for schema in field.any_of]
    if choices:
        choices += [{"type": "null"}] if field.allow_none else []
        return {"anyOf": choices} if len(choices) > 1 else choices[0]
    if field.allow_none:
        document["type"] = [document["type"], "null"]
    return document


def operation(doc: Any, doc_info: Mapping[str, Any], *, spec: APISpec, **_: Any) -> dict[str, Any]:
    """A callback of flask-smorest: everything that the description says about an operation."""
    del doc
    declared: Operation = doc_info["operation"]
    examples = recorded().get(declared.id, {})
    parameters: list[Any] = [{"in": "query", "schema": declared.query}] if declared.query.fields else []
    parameters += declared.takes
    written: dict[str, Any] = {
        "operationId": declared.id,
        "parameters": parameters,
        "responses": {str(success.status): _success(declared, success, examples) for success in declared.success},
        "security": _security(declared),
    }
    for status in sorted({KINDS[code].status for code in declared.codes}):
        codes = [code for code in declared.codes if KINDS[code].status == status]
        # Operations that can refuse alike share one component, named for the codes.
        name = ".".join(codes)
        if name not in spec.components.responses:
            spec.components.response(name, _problem(codes, status, spec))
        written["responses"][str(status)] = name
    if declared.body is not None:
        content: dict[str, Any] = {"schema": declared.body}
        if examples.get("requests"):
            content["examples"] = {name: {"value": value} for name, value in examples["requests"].items()}
        written["requestBody"] = {"required": declared.body_required, "content": {"application/json": content}}
    # flask-smorest lets a docstring win; the views have one for their readers, the operation one for its callers.
    said = declared.description
    if declared.scope is not None:
        written["x-scope"] = declared.scope
        said += f" A token needs the scope `{declared.scope}`."
    if declared.bucket is not None:
        written[_RATE_LIMIT] = [declared.bucket, *declared.counts_in]
    doc_info["docstring"].update({"summary": declared.summary, "description": said})
    return written


def with_limits(written: Mapping[str, Any], limits: Limits) -> None:
    """Put the numbers of its buckets into each operation of the description."""
    for item in written["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and _RATE_LIMIT in operation:
                operation[_RATE_LIMIT] = [_numbers(policy, limits.rates[policy]) for policy in operation[_RATE_LIMIT]]


def _numbers(policy: Policy, rate: Rate) -> dict[str, Any]:
    return {
        "policy": policy,
        "what": rate.what,
        "per_key": rate.per_key,
        "per_address": rate.per_address,
        "window_s": rate.window_s,
        "counted_by": rate.counting,
    }


def _success(declared: Operation, success: Success, examples: Mapping[str, Any]) -> dict[str, Any]:
    answers = examples.get("answers", {}).get(str(success.status), {})
    content: dict[str, Any] = {}
    for media_type, schema in success.content.items():
        content[media_type] = {"schema": schema if isinstance(schema, Schema) else {"type": "string"}}
        if media_type in answers:
            content[media_type]["examples"] = {"recorded": {"value": answers[media_type]}}
    limited = () if declared.bucket is None else ("RateLimit", "RateLimit-Policy")
    written: dict[str, Any] = {
        "description": success.description,
        "headers": {name: _header(name) for name in ("X-Request-Id", *success.headers, *limited)},
    }
    if content:
        written["content"] = content
    if declared.links and success.status < 300:
        written["links"] = {
            name: {"operationId": link.operation, "parameters": dict(link.parameters)}
            for name, link in declared.links.items()
        }
    return written


def _problem(codes: list[str], status: int, spec: APISpec) -> dict[str, Any]:
    headers = ["X-Request-Id"]
    if status in (429, 503):
        headers.append("Retry-After")
    if status == 429:
        headers += ["RateLimit", "RateLimit-Policy"]
    if status == 401:
        headers.append("WWW-Authenticate")
    kinds = {code: {"$ref": f"#/components/schemas/{_problem_component(code, spec)}"} for code in codes}
    mapping = {code: kind["$ref"] for code, kind in kinds.items()}
    one_of = {
        # Generators name a class for it.
        "title": "Or".join(map(_pascal, codes)) + "Problem",
        "oneOf": list(kinds.values()),
        "discriminator": {"propertyName": "code", "mapping": mapping},
    }
    return {
        "description": " ".join(f"`{code}`: {KINDS[code].title}." for code in codes),
        "headers": {name: _header(name) for name in headers},
        "content": {
            problems.MEDIA_TYPE: {
                "schema": one_of if len(codes) > 1 else kinds[codes[0]],
                "examples": {code: {"value": problem_example(code)} for code in codes},
            }
        },
    }


def _problem_component(code: str, spec: APISpec) -> str:
    """The name of a problem's component: what every problem has, narrowed to what comes with this code."""
    if "Problem" not in spec.components.schemas:
        spec.components.schema("Problem", schema=ProblemShape())
    name = _pascal(code) + "Problem"
    if name not in spec.components.schemas:
        properties: dict[str, Any] = {
            "code": {"type": "string", "enum": [code], "description": KINDS[code].title + "."},
            "status": {"type": "integer", "enum": [KINDS[code].status], "description": "The HTTP status."},
            **COMES_WITH.get(code, {}),
        }
        narrowed = {"type": "object", "properties": properties, "required": list(properties)}
        spec.components.schema(name, {"allOf": [{"$ref": "#/components/schemas/Problem"}, narrowed]})
    return name


def _pascal(code: str) -> str:
    return "".join(part.capitalize() for part in code.split("_"))


def _header(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/headers/{name}"}


def path_parameters(rule: str) -> list[dict[str, Any]]:
    """Descriptions of a rule's parameters; their schemas come from the converters."""
    return [
        {"in": "path", "name": name, "required": True, "description": text}
        for name, text in _PATH.items()
        if f":{name}>" in rule or f"<{name}>" in rule
    ]
