"""flask-smorest as this API needs it: one blueprint class, one `Api` class.

It brings routing and the API description together; three things are done differently here. A request is checked in
the order of the API (token, content type, size, JSON, schema) with schema instances made once, all in one wrapper.
Failures are problem documents. What an operation says about itself comes from its `Operation` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias

import flask_smorest
from apispec_oneofschema import MarshmallowPlugin
from flask import Flask, current_app, request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from spieltisch_service.app.access import require_scope
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.errors import FieldError, InvalidBody, InvalidParameter, Refusal
from spieltisch_service.app.service import Service
from spieltisch_service.web import documented, problems
from spieltisch_service.web.auth import caller_of
from spieltisch_service.web.decoder import body_of, decode
from spieltisch_service.web.limits import EXTENSION as LIMITS
from spieltisch_service.web.limits import Limiter
from spieltisch_service.web.operation import Call, Operation
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas.fields import MOST_ERRORS, body_errors, query_errors

EXTENSION = "spieltisch"

View: TypeAlias = Callable[..., Response]


class MatchId(BaseConverter):
    """The id of a match; another form is no path of this API, which is said like that a match does not exist."""

    regex = "mt_[0-9a-f]{32}"


class KeyId(BaseConverter):
    """The id of an API key."""

    regex = "ky_[0-9a-f]{32}"


class InvitationId(BaseConverter):
    """The id of an invitation."""

    regex = "iv_[0-9a-f]{32}"


class TournamentId(BaseConverter):
    """The id of a tournament."""

    regex = "tn_[0-9a-f]{32}"


class EntrantId(BaseConverter):
    """Who takes part in a tournament: an account or a house bot."""

    regex = "(?:ac_[0-9a-f]{32}|bot:[a-z0-9-]{1,64})"


class SeatNumber(BaseConverter):
    """The number of a seat."""

    regex = "[0-9]"

    def to_python(self, value: str) -> int:
        """See Werkzeug."""
        return int(value)


CONVERTERS: Mapping[str, type[BaseConverter]] = {
    "match": MatchId,
    "seat": SeatNumber,
    "key": KeyId,
    "invitation": InvitationId,
    "tournament": TournamentId,
    "entrant": EntrantId,
}


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A blueprint whose views are operations."""

    def __init__(self, name: str, import_name: str, description: str) -> None:
        super().__init__(name, import_name, description=description)
        self._prepare_doc_cbks = [documented.operation]
        self.operations: list[Operation] = []

    def operation(self, operation: Operation) -> Callable[[Callable[..., Response]], View]:
        """Make a function (of a `Call` and the path's parameters) the view of an operation."""

        def decorate(view: Callable[..., Response]) -> View:
            @wraps(view)
            def run(**path: Any) -> Response:
                limiter: Limiter | None = current_app.extensions[LIMITS]
                try:
                    response = view(_checked(operation, limiter), **path)
                    if limiter is not None and operation.metered:
                        limiter.settle(request)
                except Refusal as refusal:
                    if limiter is not None:
                        limiter.refused(request, operation.bucket, refusal)
                    raise
                return response

            run._apidoc = {"operation": operation}  # type: ignore[attr-defined]
            run.operation = operation  # type: ignore[attr-defined]
            self.operations.append(operation)
            described = documented.path_parameters(operation.rule)
            self.route(operation.rule, methods=[operation.method], endpoint=operation.id, parameters=described)(run)
            return run

        return decorate


def _checked(operation: Operation, limiter: Limiter | None) -> Call:
    """The call behind the current request. Raises the refusals of the API, in its order."""
    service: Service = current_app.extensions[EXTENSION]
    asked: Any = request._get_current_object()  # type: ignore[attr-defined]
    caller: Caller = ANONYMOUS
    if operation.auth != "ignored":
        caller = asked.caller = caller_of(asked, service.accounts, required=operation.auth == "required")
    meter = None
    if limiter is not None and operation.bucket is not None:
        meter = limiter.admit(asked, caller, operation.bucket, metered=operation.metered)
    raw = body = None
    if operation.body is not None:
        sent = body_of(asked.environ)
        raw = {} if sent is None else decode(sent)
    query = checked_query(operation.query, asked)
    if operation.body is not None:
        body = _loaded(operation.body, raw)
    if operation.scope is not None and operation.scope not in caller.scopes:
        require_scope(caller, operation.scope)
    return Call(service, asked, caller, query, body, raw, meter)


def _loaded(schema: Schema, raw: Any) -> Any:
    try:
        return schema.load(raw)
    except ValidationError as error:
        errors = body_errors(error.messages)
        first = errors[0]
        detail = f"{first.pointer or 'The body'}: {first.detail}"
        raise InvalidBody(detail, errors=errors) from None


#: What good queries load as, by schema (they live as long as the process) and text: the same few come all the time.
_KNOWN_QUERIES: dict[tuple[int, str], Mapping[str, Any]] = {}
_MOST_KNOWN_QUERIES = 4096
_LONGEST_KNOWN_QUERY = 64


def checked_query(schema: Schema, asked: Any) -> Mapping[str, Any]:
    """The parameters of a request as the schema loads them. Raises InvalidParameter."""
    written = asked.environ.get("QUERY_STRING") or ""
    known = _KNOWN_QUERIES.get((id(schema), written))
    if known is not None:
        return known
    loaded = _loaded_query(schema, asked)
    if len(written) <= _LONGEST_KNOWN_QUERY:
        if len(_KNOWN_QUERIES) >= _MOST_KNOWN_QUERIES:
            _KNOWN_QUERIES.clear()
        _KNOWN_QUERIES[id(schema), written] = loaded
    return loaded


def _loaded_query(schema: Schema, asked: Any) -> Mapping[str, Any]:
    repeated = [name for name, values in asked.args.lists() if len(values) > 1]
    if repeated:
        detail = "A parameter is given once."
        errors = [FieldError("duplicate", detail, parameter=name[:64]) for name in repeated[:MOST_ERRORS]]
        raise InvalidParameter(detail, errors=errors)
    try:
        loaded: Mapping[str, Any] = schema.load(asked.args.to_dict())
    except ValidationError as error:
        errors = query_errors(error.messages_dict)
        raise InvalidParameter(f"{errors[0].parameter}: {errors[0].detail}", errors=errors) from None
    return loaded


class Api(flask_smorest.Api):  # type: ignore[misc]
    """The API: its description, and problem documents for what routing refuses."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, app: Flask, title: str, version: str, options: Mapping[str, Any]) -> None:
        plugin = MarshmallowPlugin(schema_name_resolver=documented.component_name)
        spec = {"title": title, "version": version, "openapi_version": "3.1.0", "marshmallow_plugin": plugin}
        super().__init__(app, spec_kwargs={**spec, **options})
        self.ma_plugin.converter.add_attribute_function(documented.documented_field)
        self.register_converter(MatchId, lambda _: {"type": "string", "pattern": f"^{MatchId.regex}$"})
        self.register_converter(KeyId, lambda _: {"type": "string", "pattern": f"^{KeyId.regex}$"})
        self.register_converter(InvitationId, lambda _: {"type": "string", "pattern": f"^{InvitationId.regex}$"})
        self.register_converter(SeatNumber, lambda _: {"type": "integer", "minimum": 0, "maximum": 9})

    def handle_http_exception(self, error: HTTPException) -> Response:
        """What Werkzeug refuses, as a problem document."""
        return problems.of_http(error)

    def _register_responses(self) -> None:
        """Nothing: each operation lists its own problems."""

    def _register_etag_headers(self) -> None:
        """Nothing: headers are components of our own."""

    def _register_pagination_header(self) -> None:
        """Nothing: pages are in the body."""
