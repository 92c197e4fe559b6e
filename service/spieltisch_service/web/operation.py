"""What an operation is, and the call that a view gets: the shape behind every path of the API.

Each blueprint declares its operations as `Operation`s. The declaration is the one place that says what an operation
takes and answers: the checks of a request, the API description and the tests are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

import orjson
from flask import Request as FlaskRequest
from flask import request
from marshmallow import Schema
from werkzeug.datastructures import MultiDict
from werkzeug.utils import cached_property

from spieltisch_service.app.callers import ANONYMOUS, SCOPES, Answer, Caller, Once, Scope
from spieltisch_service.app.errors import InvalidParameter
from spieltisch_service.app.limits import RATES, Bucket, Meter, Policy
from spieltisch_service.app.service import Service
from spieltisch_service.web.idempotency import once_of
from spieltisch_service.web.limits import Tally
from spieltisch_service.web.problems import new_request_id
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas.requests import NoQuery

JSON = "application/json"
NO_QUERY = NoQuery()

Auth = Literal["none", "optional", "required", "ignored"]

#: What every operation that looks at tokens can refuse or suffer.
ALWAYS = ("invalid_parameter", "unauthenticated", "internal", "store_unavailable")
#: What every operation with a body can refuse.
WITH_BODY = ("malformed_json", "invalid_body", "body_too_large", "unsupported_media_type")


class Request(FlaskRequest):
    """A request with the id that finds it in the log, and what else is kept of it.

    That is when it came (`perf_counter`), who sent it, whether an earlier answer was given again, and what it counted
    for in the limits.
    """

    caller: Caller = ANONYMOUS
    tally: Tally | None = None
    replayed = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.began_s = perf_counter()
        super().__init__(*arguments, **options)

    @cached_property
    def request_id(self) -> str:
        """32 hex digits."""
        return new_request_id()

    @cached_property
    def args(self) -> MultiDict[str, str]:
        """The query's parameters. Raises InvalidParameter for bytes that are not UTF-8, where Werkzeug would fail."""
        try:
            parsed: MultiDict[str, str] = super().args
        except UnicodeDecodeError:
            raise InvalidParameter("The query has bytes that are not UTF-8; send them percent-encoded.") from None
        return parsed


@dataclass(frozen=True, slots=True)
class Success:
    """One way to succeed: `content` is a schema (or None for text) by media type; `headers` are names."""

    status: int
    description: str
    content: Mapping[str, Schema | None]
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """How another operation can follow: `parameters` are runtime expressions on this one's answer."""

    operation: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    `scope`: what a token must be allowed to do, whether it is needed or not; None: any good token will do. It has no
    default, so that nothing is open by omission.
    `bucket`: which of the limits its requests count in; None: it is not limited. `metered`: they are counted together
    with what they do (`Call.meter`), and those that do nothing afterwards. `counts_in`: further ones, in which it
    counts by itself (`limits.charge`).
    `auth`: `none` and `optional` take no token or a good one, `required` needs one, `ignored` does not look.
    `refusals`: the codes beside `ALWAYS` and, with a body, `WITH_BODY`. `takes`: header parameters by name.
    """

    id: str
    method: str
    rule: str
    scope: Scope | None
    bucket: Bucket | None
    summary: str
    description: str
    success: tuple[Success, ...]
    auth: Auth = "optional"
    query: Schema = NO_QUERY
    body: Schema | None = None
    body_required: bool = True
    refusals: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    counts_in: tuple[Policy, ...] = ()
    metered: bool = False
    links: Mapping[str, Link] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError for a scope that does not exist, or that nobody would look at."""
        if self.scope is not None and (self.scope not in SCOPES or self.auth == "ignored"):
            msg = f"{self.id}: scope {self.scope!r} with tokens {self.auth}; the scopes are {', '.join(SCOPES)}"
            raise ValueError(msg)
        if self.bucket is not None and self.bucket not in RATES:
            msg = f"{self.id}: bucket {self.bucket!r}; the buckets are {', '.join(RATES)}"
            raise ValueError(msg)

    def __deepcopy__(self, _: Any) -> Operation:
        """Itself: flask-smorest copies what it documents, and this never changes."""
        return self

    @property
    def codes(self) -> tuple[str, ...]:
        """Every code that the operation can answer with, without repetition."""
        always = ALWAYS if self.auth != "ignored" else ("invalid_parameter", "internal")
        scoped = () if self.scope is None else ("forbidden",)
        limited = () if self.bucket is None else ("rate_limited",)
        bodily = WITH_BODY if self.body is not None else ()
        return tuple(dict.fromkeys((*always, *scoped, *limited, *bodily, *self.refusals)))


@dataclass(frozen=True, slots=True)
class Call:
    """A checked request: who asks, the parameters, the body as its schema loads it, and as it came (`raw`).

    `meter` counts what it does, where that is limited.
    """

    service: Service
    request: Request
    caller: Caller
    query: Mapping[str, Any]
    body: Any
    raw: Any
    meter: Meter | None = None

    def once(self) -> Once | None:
        """The intent behind the request, where it has an Idempotency-Key."""
        return once_of(self.request, self.caller, self.raw)


def as_json(value: Any) -> bytes:
    """The bytes of an answer: the same for the same value, whether it was just made or is built again."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS)


def _plain(value: Any) -> Any:
    # Games may list legal actions in sequences of their own.
    return list(value)


def answered(value: Any, status: int = 200) -> Response:
    """An answer of JSON."""
    return Response(as_json(value), status, mimetype=JSON)


def carried_out(answer: Answer) -> Response:
    """The answer of a use case that changes something."""
    response = Response(as_json(answer.body), answer.status, mimetype=JSON)
    response.headers.add("Cache-Control", "private, no-store")
    if answer.location is not None:
        response.headers["Location"] = answer.location
    if answer.replayed:
        request.replayed = True  # type: ignore[attr-defined]
        response.headers["Idempotency-Replayed"] = "true"
    return response


def kept_private(response: Response) -> Response:
    """Mark what depends on the caller, so that nobody between keeps it."""
    response.headers.add("Cache-Control", "private, no-store")
    response.headers.add("Vary", "Authorization")
    return response
