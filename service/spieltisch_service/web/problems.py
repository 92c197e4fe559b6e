"""Problem documents (RFC 9457): the one table of codes, and how every failure becomes one of them."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson
import structlog
from flask import request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

from spieltisch_service.app.errors import NOTHING_THERE, FieldError, RateLimited, Refusal
from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.web.response import Response

MEDIA_TYPE = "application/problem+json"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Kind:
    """One code: its HTTP status, its title, and for `/problems/{code}` what it means and what to do about it.

    `retry_after_s` goes into `Retry-After`.
    """

    status: int
    title: str
    meaning: str
    retry_after_s: int | None = None


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "malformed_json": Kind(
            400,
            "The body is not well-formed JSON",
            "The body must be one JSON value in UTF-8 without a byte order mark, at most 32 levels deep, with every "
            "key once in its object, and without NaN, Infinity or lone surrogates.",
        ),
        "invalid_body": Kind(
            400,
            "The body is not what the operation takes",
            "`errors` tells with a JSON pointer each what is missing, unknown or wrong. Unknown fields are errors.",
        ),
        "invalid_parameter": Kind(
            400,
            "A parameter is not what the operation takes",
            "`errors` names the query parameter or header. Unknown query parameters are errors, and tokens are taken "
            "from the Authorization header only.",
        ),
        "seat_required": Kind(
            400, "Several seats are yours", "You hold more than one seat of this match: say which one with `seat`."
        ),
        "unauthenticated": Kind(
            401,
            "No valid token",
            "Send `Authorization: Bearer` with an API key (from `POST /v1/accounts`) or a seat token. A token that is "
            "not valid is refused even where none is needed.",
        ),
        "forbidden": Kind(403, "Not allowed", "Your token is valid, but it may not do this."),
        "not_your_seat": Kind(403, "Not your seat", "You do not hold the seat that you named, or none of this match."),
        "invitation_invalid": Kind(
            403,
            "The invitation does not open this seat",
            "The seat is for whoever has its invitation, and the one given is not it or was used.",
        ),
        "not_found": Kind(
            404, "Not found", "It does not exist, or you may not see it; nobody who may not is told which."
        ),
        "method_not_allowed": Kind(
            405, "The path does not have this method", "The `Allow` header lists the methods that it has."
        ),
        "not_acceptable": Kind(
            406, "None of the representations is accepted", "Change the `Accept` header, or leave it out."
        ),
        "not_your_turn": Kind(
            409, "Another seat must act", "Read the view: `to_act` is not your seat, or stops being it in your list."
        ),
        "match_not_open": Kind(409, "The match is not open", "It has started or ended: too late for this."),
        "match_not_running": Kind(409, "The match is not running", "It has not started yet, or it has ended."),
        "seat_taken": Kind(409, "The seat is taken", "Somebody was faster. Look for another open seat or match."),
        "seats_missing": Kind(409, "Seats are missing", "A match starts once every seat is taken."),
        "ahead_of_log": Kind(
            409, "That has not happened yet", "`after` or `at` lies beyond the match's version; read the match again."
        ),
        "tournament_refuses": Kind(
            409,
            "The tournament does not take this now",
            "`reason` is a word for programs, `detail` says it: it has not started, or has ended; it is full; a "
            "round is still played; two entrants must not meet.",
        ),
        "tournament_not_ended": Kind(
            409,
            "The tournament has not ended",
            "This is to be had once it has: until then its seed is secret. Its events are to be had at any time.",
        ),
        "limit_reached": Kind(
            409, "There are as many as there may be", "`detail` says of what; take one away before the next."
        ),
        "stale_version": Kind(
            412,
            "The match has moved on",
            "The `version` that you named is not the current one, or, without one, the time of the decision was over "
            "before your move came in. The problem has the current `version` and `view`.",
        ),
        "body_too_large": Kind(413, "The body is too large", "A body has at most 65,536 bytes."),
        "unsupported_media_type": Kind(
            415, "The body is not declared as JSON", "Send `Content-Type: application/json`, without compression."
        ),
        "illegal_action": Kind(
            422,
            "The rules forbid the action",
            "`rule` is the number of the rule in `/v1/games/{game}/rules`; `suggestions` are legal actions near yours.",
        ),
        "idempotency_key_reused": Kind(
            422,
            "The key belongs to another request",
            "This Idempotency-Key was used for another body or query. Make a new key for a new request.",
        ),
        "rate_limited": Kind(
            429,
            "Too many requests",
            "A limit of your key or of your address is used up: `detail` names it, and `GET /v1/me` lists all. Wait as "
            "long as `Retry-After` says. Actions are counted apart, and nothing else holds them up.",
            1,
        ),
        "internal": Kind(500, "The service failed", "A fault of the service. Tell its operator the `request_id`."),
        "store_unavailable": Kind(
            503,
            "The store does not answer",
            "Whether the request was carried out is not known: repeat it with the same Idempotency-Key.",
            1,
        ),
        "too_many_streams": Kind(
            503,
            "All streams are taken",
            "Come back after `Retry-After`, or read the events with `wait` instead of a stream.",
            5,
        ),
    }
)

_CODE_OF_STATUS = {
    400: "invalid_parameter",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
}


def new_request_id() -> str:
    """32 hex digits."""
    return os.urandom(16).hex()


def document(
    code: str, detail: str, request_id: str, errors: Sequence[FieldError] = (), extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The members of a problem document; `extra` comes last and cannot replace the others."""
    kind = KINDS[code]
    members: dict[str, Any] = {
        "type": f"/problems/{code}",
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "code": code,
        "request_id": request_id,
        "errors": [error.to_wire() for error in errors],
    }
    for key, value in (extra or {}).items():
        members.setdefault(key, value)
    return members


def answer(
    code: str,
    detail: str,
    *,
    errors: Sequence[FieldError] = (),
    extra: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The HTTP answer for a problem, with the headers that belong to its code."""
    kind = KINDS[code]
    body = orjson.dumps(document(code, detail, request.request_id, errors, extra))  # type: ignore[attr-defined]
    response = Response(body, kind.status, mimetype=MEDIA_TYPE)
    response.headers["Cache-Control"] = "no-store"
    if kind.retry_after_s is not None:
        response.headers["Retry-After"] = str(kind.retry_after_s)
    if code == "unauthenticated":
        sent = "HTTP_AUTHORIZATION" in request.environ
        response.headers["WWW-Authenticate"] = 'Bearer realm="spieltisch"' + (', error="invalid_token"' if sent else "")
    for name, value in (headers or {}).items():
        response.headers[name] = value
    return response


def of_refusal(refusal: Refusal) -> Response:
    """A use case, or the web before it, refused the request."""
    headers = {"Retry-After": str(refusal.retry_after_s)} if isinstance(refusal, RateLimited) else None
    return answer(refusal.code, refusal.detail, errors=refusal.errors, extra=refusal.extra, headers=headers)


def of_lost_store(error: StoreUnavailable) -> Response:
    """The store is away. The cause is for the log, not for the caller."""
    _log.warning("store unavailable", request_id=request.request_id, cause=repr(error))  # type: ignore[attr-defined]
    return answer("store_unavailable", "The store does not answer; whether the request was carried out is not known.")


def of_http(error: HTTPException) -> Response:
    """What routing and Werkzeug refuse: no such path, no such method, a bad Host."""
    if isinstance(error, RequestRedirect) or error.code is None:
        return error.get_response()  # type: ignore[return-value]
    code = _CODE_OF_STATUS.get(error.code)
    if code is None:
        return of_fault(error)
    details = {
        "not_found": NOTHING_THERE,
        "method_not_allowed": f"This path does not take {request.method[:16]}.",
    }
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return answer(code, details.get(code, KINDS[code].title + "."), headers=headers)


def of_fault(error: Exception) -> Response:
    """A fault of ours: everything into the log, nothing to the caller but the id to find it by."""
    request_id: str = request.request_id  # type: ignore[attr-defined]
    # As text: log renderers like to show local variables, and those can hold secrets of a match.
    trace = "".join(traceback.format_exception(error))
    _log.error("request failed", request_id=request_id, method=request.method, trace=trace)
    return answer("internal", "The service failed to answer; the request id finds the cause in its log.")
