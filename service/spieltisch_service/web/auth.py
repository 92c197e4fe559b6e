"""Who is asking: the Bearer token of a request. Only the Authorization header is looked at."""

from __future__ import annotations

import re
from typing import Any, Protocol

from flask import Request

from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.errors import FieldError, InvalidParameter, Unauthenticated

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{1,256}")
#: Query parameters in which other services take tokens. A URL ends in logs and histories, so ours refuses them.
_TOKENS_IN_QUERIES = frozenset({"access_token", "api_key", "apikey", "authorization", "bearer", "key", "token"})


class Authenticates(Protocol):
    """The part of the accounts use case that this module needs."""

    def authenticate(self, token: str, match_id: str | None = None) -> Caller:
        """Whose token it is, who is about to change that match. Raises `Unauthenticated`."""


def caller_of(request: Request, accounts: Authenticates, *, required: bool) -> Caller:
    """The caller. Raises `Unauthenticated` for a bad token, and for none where one is required.

    A token in the query is an `InvalidParameter`, wherever no token is in the header.
    """
    environ: dict[str, Any] = request.environ
    header = environ.get("HTTP_AUTHORIZATION")
    if header is not None:
        changes = None if environ["REQUEST_METHOD"] in ("GET", "HEAD") else (request.view_args or {}).get("match_id")
        return accounts.authenticate(_bearer(header), changes)
    if environ.get("QUERY_STRING"):
        _refuse_tokens_in(request)
    if required:
        raise Unauthenticated("This needs an API key or a seat token: Authorization: Bearer …")
    return ANONYMOUS


def _bearer(header: str) -> str:
    scheme, _, token = header.partition(" ")
    token = token.strip(" ")
    if scheme.lower() != "bearer" or _TOKEN.fullmatch(token) is None:
        raise Unauthenticated("The Authorization header is not of the form: Bearer TOKEN")
    return token


def _refuse_tokens_in(request: Request) -> None:
    for name in request.args:
        if name.lower() in _TOKENS_IN_QUERIES:
            detail = "Tokens are taken from the Authorization header only, never from the URL."
            raise InvalidParameter(detail, errors=[FieldError("unknown", detail, parameter=name)])
