"""What every answer must be, whatever was asked."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from flask import Flask
from werkzeug.datastructures import Headers

from tests.campaigns.harness.asking import Reply
from tests.campaigns.harness.campaign import Finding
from tests.campaigns.harness.canary import Canary, issued
from tests.campaigns.hostile.requests import Sent
from tests.web.checked import Description

_LONGEST_REFUSAL = 30_000
#: What comes before anybody looks at the match, in the order of the API.
_REFUSED_UNREAD = (400, 401, 403, 404, 405, 413, 415, 429)


class Judge:
    """Holds answers against the API description, the promises about bad requests, and a canary."""

    def __init__(self, app: Flask, description: Description, canary: Canary) -> None:
        self._app = app
        self._description = description
        self._canary = canary

    def judge(self, sent: Sent, reply: Reply) -> None:
        """Raises Finding for an answer that must not be."""
        try:
            self._judge(sent, reply)
        except (AssertionError, jsonschema_rs.ValidationError, ValueError) as error:
            told = f"{type(error).__name__}: {str(error)[:600]}"
            raise Finding(f"{sent} was answered {reply.status} {reply.body[:400]!r}: {told}") from error

    def _judge(self, sent: Sent, reply: Reply) -> None:
        assert reply.status < 500, "a fault of the service"
        headers = Headers(list(reply.headers))
        self._description.check(self._app, sent.method, _path(sent.target), reply.status, headers, reply.body)
        assert "Set-Cookie" not in headers
        assert len(headers.getlist("Content-Type")) <= 1
        if reply.status in (204, 304) or sent.method == "HEAD":
            assert reply.body == b""
        if reply.status >= 400 and reply.status != 412:
            assert len(reply.body) < _LONGEST_REFUSAL, "a refusal as long as this repeats what came in"
        read = sent.method == "POST" and all(name != "Content-Length" for name, _ in sent.headers)
        assert not (sent.wrong and read) or reply.status in _REFUSED_UNREAD, f"not refused, although {sent.wrong}"
        if reply.status == 200 and sent.method != "OPTIONS" and _path(sent.target).startswith("/v1/matches"):
            assert headers.get("Cache-Control") == "private, no-store"
        self._no_secrets(sent, reply)

    def _no_secrets(self, sent: Sent, reply: Reply) -> None:
        given: list[str] = []
        if reply.status == 201 and sent.method == "POST":
            value: Any = reply.json
            given = issued(value)
        where = f"the answer to {sent.method} {sent.target[:200]}"
        self._canary.look(where, reply.body, allowed=given)
        self._canary.look_at_headers(where, reply.headers)
        self._canary.hide("a token", *given)


def _path(target: str) -> str:
    """The path as the application sees it."""
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(target.partition("?")[0]).decode("utf-8", "replace")
