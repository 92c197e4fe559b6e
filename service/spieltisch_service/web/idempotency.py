"""The `Idempotency-Key` header: its form, and the `Once` that the use cases take."""

from __future__ import annotations

import re

from flask import Request

from spieltisch_service.app.callers import Caller, Once
from spieltisch_service.app.errors import FieldError, InvalidParameter

HEADER = "Idempotency-Key"

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def key_of(request: Request) -> str | None:
    """The key, if there is one. Raises `InvalidParameter` for a key of a wrong form."""
    key: str | None = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if _KEY.fullmatch(key) is None:
        detail = "An Idempotency-Key has 1 to 255 visible ASCII characters."
        raise InvalidParameter(detail, errors=[FieldError("bad_format", detail, parameter=HEADER)])
    return key


def once_of(request: Request, caller: Caller, body: object) -> Once | None:
    """What makes the request happen once: the key within caller, method and path, and the body to compare.

    `body` is the decoded body; no body is the same as `{}`.
    """
    key = key_of(request)
    if key is None:
        return None
    query = list(request.args.items(multi=True)) if request.environ.get("QUERY_STRING") else []
    return Once.of(key, caller, request.method, request.path, query, body)
