"""Makes requests: good ones of every operation of the description, and those with something wrong in them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from spieltisch_service.web.problems import KINDS
from tests.campaigns.hostile.pool import Pool
from tests.campaigns.hostile.texts import spoiled
from tests.campaigns.hostile.values import ODD_TEXTS, changed, odd, wrong_type

_METHODS = ("PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "GET", "POST", "DELETE", "FOO", "get", "X" * 40)
_HEADERS: Mapping[str, tuple[str, ...]] = {
    "Accept": (
        "*/*",
        "application/json",
        "text/event-stream",
        "application/x-ndjson",
        "text/html",
        "image/png",
        "",
        ",,;q",
        "application/json;q=0",
        "text/*;q=0.1, */*;q=0",
        "text/event-stream;q=2",
        "a" * 5000,
        "*/*;q=\x80",
        "/",
    ),
    "If-None-Match": ("*", '"', 'W/"1-s"', '"1-s", "2-0"', "1-s", '"' + "x" * 4000, "\xff", '"2-0"', "W/", ",,,"),
    "Last-Event-ID": ("0", "1", "-1", "1.0", "99999999999999999999", "٣", "1\x00", "", " 1", "0x1", "999999999999999"),
    "Idempotency-Key": ("k", "k2", "a" * 32, "b" * 255, "c" * 256, "", " ", "é", "\x7f", "a b", "{b:07}:x", "*"),
    "Accept-Encoding": ("gzip", "br, gzip;q=0", "identity;q=0", "*", "gzip;q=\xff", "deflate"),
    "Range": ("bytes=0-1", "bytes=-1", "seq=1-"),
    "Expect": ("100-continue", "200-ok"),
    "Origin": ("https://evil.example", "null"),
    "Cookie": ("session=abc", "=;=;", "\xff"),
    "Host": ("evil.example", "", "[::1", "a" * 300, "127.0.0.1:99999", "é"),
    "X-Forwarded-For": ("10.0.0.1", "1.2.3.4, , x", "'"),
    "X-Forwarded-Proto": ("https", "javascript"),
    "X-HTTP-Method-Override": ("DELETE", "PATCH"),
    "X-Request-Id": ("0" * 32, "abc\x00", "a" * 5000),
    "X-Original-URL": ("/metrics", "/v1/me"),
    "Transfer-Encoding": ("chunked", "identity"),
    "Upgrade": ("websocket", "h2c"),
    "Content-Length": ("-1", "1", "abc", "99999999999999", "٣", "+5", "0x5", ""),
}
_AUTHORIZATIONS = (
    "", "Bearer", "Bearer ", "Bearer  ", "bearer null", "Basic YTpi", "Bearer null", "Bearer undefined", "Token x",
    "Bearer " + "a" * 257, "Bearer " + "a" * 8000, "Bearer \xff", "Bearer a b", "Digest username=x", "Bearer spt_key_",
    "Bearer spt_key_" + "0" * 32 + "_" + "A" * 43, "Bearer spt_seat_" + "0" * 32 + "_0_0_" + "A" * 43, "\x00",
)  # fmt: skip
_CONTENT_TYPES = (
    None, "", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "application/json; charset=utf-16", "application/json; charset=latin-1", "application/xml", "application/jsonp",
    "application/json, text/plain", "application/json;q=1", "application/problem+json", "application/json-patch+json",
    "image/png", "application/octet-stream", "application/msgpack", "application/json\x00", "*/*", "json", "\xff",
)  # fmt: skip
_GOOD_TYPES = (
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
)
_PATHS = (
    "/", "//", "/v1", "/v1/", "/v2/matches", "/v1/matches/", "/v1//matches", "/V1/matches", "/v1/matches%2f",
    "/docs/../../etc/passwd", "/docs/%2e%2e/%2e%2e/x", "/docs/index.css", "/docs", "/openapi.json", "/v1/me%00", "/%00",
    "/v1/me;a=b", "/v1/matches/{match_id}", "/v1/matches/*", "/v1/matches/mt_" + "g" * 32, "/problems/",
    "/problems/%0d%0aSet-Cookie:a", "/v1/games/%F0%9F%8E%B2", "/v1/games/%ff%fe", "/v1/" + "a" * 8000, "/metrics", "*",
    "http://evil.example/v1/me", "/v1/matches/MT_" + "0" * 32, "/v1/matches/mt_" + "0" * 31, "/.git/config", "/debug",
)  # fmt: skip
_TOKENS_IN_QUERIES = ("access_token", "api_key", "token", "key", "Authorization")
#: How often an operation is chosen, where not once.
_WEIGHTS = {"act": 8, "getView": 6, "getEvents": 3, "createMatch": 2, "eraseMe": 0.05, "imagine": 0.5, "resign": 0.3}


@dataclass(frozen=True, slots=True)
class Sent:
    """One request. `wrong` says why it must be refused, where that is sure; `operation` is the one it began as."""

    operation: str
    method: str
    target: str
    token: str | None = None
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str | None = "application/json"
    wrong: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.target[:300]!r} {dict(self.headers)} {self.content_type} {self.body!r:.600}"


class Maker:
    """Makes requests of an API description, about what is in a pool."""

    def __init__(self, document: Mapping[str, Any], pool: Pool, rng: random.Random) -> None:
        self._operations = [
            (method.upper(), path, operation)
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if method in ("get", "post", "put", "patch", "delete")
        ]
        self._weights = [_WEIGHTS.get(operation["operationId"], 1) for _, _, operation in self._operations]
        self._with_body = {each["operationId"] for _, _, each in self._operations if "requestBody" in each}
        self.pool = pool
        self._rng = rng

    def request(self) -> Sent:
        """A good request, most times with something wrong in it."""
        rng = self._rng
        sent = self._good()
        for _ in range(rng.choice((0, 0, 0, 1, 1, 1, 1, 2, 3))):
            sent = rng.choice(self._bad)(self, sent)
        return sent

    # --- good -----------------------------------------------------------------------------------------------

    def _good(self) -> Sent:
        rng = self._rng
        ((method, path, operation),) = rng.choices(self._operations, self._weights)
        match_id = rng.choice(self.pool.matches)
        query = "&".join(self._parameters(operation, match_id))
        target = self._path(path, match_id) + (f"?{query}" if query else "")
        body = self._body(operation, match_id)
        headers = []
        if method == "POST" and rng.random() < 0.3:
            headers.append(("Idempotency-Key", rng.choice(_HEADERS["Idempotency-Key"][:4]) + str(rng.randrange(9))))
        if operation["operationId"] == "getEvents" and rng.random() < 0.5:
            headers.append(("Accept", rng.choice(_HEADERS["Accept"][:4])))
            if rng.random() < 0.5:
                headers.append(("Last-Event-ID", rng.choice(_HEADERS["Last-Event-ID"]).encode().decode("latin-1")))
        if operation["operationId"] == "getView" and self.pool.etags and rng.random() < 0.3:
            headers.append(("If-None-Match", rng.choice(self.pool.etags)))
        return Sent(operation["operationId"], method, target, self._token(), body, tuple(headers))

    def _token(self) -> str | None:
        pool, chance = self.pool, self._rng.random()
        if chance < 0.1:
            return None
        return self._rng.choice(pool.tokens if pool.tokens and chance < 0.25 else pool.keys)

    def _path(self, path: str, match_id: str) -> str:
        rng, parts = self._rng, []
        for part in path.split("/"):
            if not part.startswith("{"):
                parts.append(part)
            elif part == "{match_id}":
                parts.append(match_id)
            elif part == "{seat}":
                parts.append(str(rng.randrange(4)))
            elif part == "{game}":
                parts.append(rng.choice(("neues-land", "wunderland")))
            elif part == "{code}":
                parts.append(rng.choice(tuple(KINDS)))
            else:
                parts.append(rng.choice([each for known in self.pool.ids.values() for each in known] or ["1"]))
        return "/".join(parts)

    def _parameters(self, operation: Mapping[str, Any], match_id: str) -> Iterator[str]:
        rng = self._rng
        for parameter in operation.get("parameters", ()):
            if parameter.get("in") != "query" or rng.random() < 0.6:
                continue
            schema = parameter["schema"]
            if "enum" in schema:
                value = str(rng.choice(schema["enum"]))
            elif schema["type"] == "integer":
                known = self.pool.legal.get(match_id, (2, []))[0]
                value = str(rng.choice((0, 1, 2, 3, known, known - 1)))
            elif schema["type"] == "boolean":
                value = rng.choice(("true", "false"))
            else:
                value = rng.choice(self.pool.cursors or ["x"])
            yield f"{parameter['name']}={quote(value)}"

    def _body(self, operation: Mapping[str, Any], match_id: str) -> Any:
        rng = self._rng
        if "requestBody" not in operation:
            return None
        if operation["operationId"] == "act" and match_id in self.pool.legal and rng.random() < 0.9:
            version, legal = self.pool.legal[match_id]
            actions = [rng.choice(legal) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
            return {"actions": actions} | ({"version": version} if rng.random() < 0.5 else {})
        if not operation["requestBody"].get("required") and rng.random() < 0.3:
            return None
        content = operation["requestBody"]["content"]["application/json"]
        examples = [example["value"] for example in content.get("examples", {}).values()]
        return rng.choice(examples or [content.get("example", {})])

    # --- bad ------------------------------------------------------------------------------------------------

    def _bad_text(self, sent: Sent) -> Sent:
        if not isinstance(sent.body, dict):
            return sent
        name, text = spoiled(sent.body, self._rng)
        return replace(sent, body=text, wrong=f"its body is {name}")

    def _bad_value(self, sent: Sent) -> Sent:
        if sent.body is None or isinstance(sent.body, bytes):
            return sent
        return replace(sent, body=_sendable(changed(sent.body, self._rng)), wrong="")

    def _bad_type(self, sent: Sent) -> Sent:
        if not isinstance(sent.body, dict):
            return sent
        body = wrong_type(sent.body, self._rng)
        if body is None:
            return sent
        # Of a view in the sandbox, not all is read.
        return replace(sent, body=body, wrong="" if sent.operation == "imagine" else "an integer is of another type")

    def _body_where_none_is(self, sent: Sent) -> Sent:
        return sent if sent.body is not None else replace(sent, body=_sendable(odd(self._rng)))

    def _bad_content_type(self, sent: Sent) -> Sent:
        if sent.body is None or sent.operation not in self._with_body:
            return sent
        if self._rng.random() < 0.2:
            return replace(sent, content_type=self._rng.choice(_GOOD_TYPES), wrong="")
        return replace(sent, content_type=self._rng.choice(_CONTENT_TYPES), wrong="its body is not declared as JSON")

    def _compressed(self, sent: Sent) -> Sent:
        if sent.body is None or sent.operation not in self._with_body:
            return sent
        coding = self._rng.choice(("gzip", "br", "deflate", "x-gzip", "gzip, gzip", "compress"))
        return replace(sent, headers=(*sent.headers, ("Content-Encoding", coding)), wrong="its body is encoded")

    def _odd_header(self, sent: Sent) -> Sent:
        name = self._rng.choice(tuple(_HEADERS))
        headers = tuple(pair for pair in sent.headers if pair[0] != name)
        # As the server hands it in: the bytes of UTF-8, each as one character.
        value = self._rng.choice(_HEADERS[name]).encode("utf-8").decode("latin-1")
        sent = replace(sent, headers=(*headers, (name, value)))
        # What a body is, is decided by its length: with another one it may be a good one, or none.
        return replace(sent, wrong="") if name == "Content-Length" else sent

    def _odd_token(self, sent: Sent) -> Sent:
        headers = (*sent.headers, ("Authorization", self._rng.choice(_AUTHORIZATIONS)))
        return replace(sent, token=None, headers=headers, wrong="")

    def _odd_query(self, sent: Sent) -> Sent:
        rng = self._rng
        path, _, query = sent.target.partition("?")
        names = [part.partition("=")[0] for part in query.split("&") if part] + ["seat", "at", "x", "", "wait"]
        value = rng.choice((*ODD_TEXTS, "1", "01", "1e3", "+1", "1.0", "TRUE", str(10**30), "9" * 400, "-0"))
        more = f"{quote(rng.choice(names))}={quote(value)}"
        if rng.random() < 0.15:
            more = rng.choice(("%", "%zz", "a=%ff%fe", "&&&", "=", "a=b=c", "?", "seat[]=1", "a;b", "%00=1", "\xe9=1"))
        if rng.random() < 0.1:
            more = f"{rng.choice(_TOKENS_IN_QUERIES)}={rng.choice(self.pool.keys)}"
        return replace(sent, target=f"{path}?{query}&{more}" if query else f"{path}?{more}")

    def _odd_path(self, sent: Sent) -> Sent:
        rng = self._rng
        parts = sent.target.split("/")
        if len(parts) == 1 or rng.random() < 0.3:
            return replace(sent, target=rng.choice(_PATHS), wrong="")
        at = rng.randrange(1, len(parts))
        text = quote(rng.choice(ODD_TEXTS), safe="")
        parts[at] = rng.choice((text, text, "", "..", parts[at].upper()))
        return replace(sent, target="/".join(parts), wrong="")

    def _odd_method(self, sent: Sent) -> Sent:
        return replace(sent, method=self._rng.choice(_METHODS), wrong="")

    _bad = (
        _bad_text, _bad_text, _bad_text, _bad_value, _bad_value, _bad_value, _bad_type, _body_where_none_is,
        _bad_content_type, _compressed, _odd_header, _odd_header, _odd_token, _odd_query, _odd_query, _odd_path,
        _odd_method,
    )  # fmt: skip


def _sendable(value: Any) -> Any:
    """As bytes, also of what a strict encoder would not write."""
    return json.dumps(value).encode()
