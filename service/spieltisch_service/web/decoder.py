"""The one decoder of request bodies: JSON as RFC 8259 and I-JSON (RFC 7493) have it, and nothing else.

What parsers are known to disagree about is refused, not guessed at: another encoding than UTF-8, a byte order
mark, more than 32 levels, a key twice in one object, NaN and Infinity (also as `1e999`), lone surrogates.
An integer stays an `int` and a number with a point or an exponent a `float`, so that a schema can tell `1.0` from `1`.
"""

from __future__ import annotations

import json
import re
from typing import IO, Any, NoReturn

from spieltisch_service.web.refusals import BodyTooLarge, MalformedJson, UnsupportedMediaType

MAX_BYTES = 65_536
MAX_DEPTH = 32
#: No number of the API has more digits than an integer of 53 bits; far longer ones are refused before they cost time.
MAX_DIGITS = 400

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_JSON_TYPE = re.compile(r'application/json(?:\s*;\s*charset\s*=\s*(?:utf-8|"utf-8"))?\s*', re.IGNORECASE)


def decode(raw: bytes) -> Any:
    """The value of a JSON text. Raises `MalformedJson`."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedJson(f"The body is not UTF-8: byte {error.start} cannot be read.") from None
    if text.startswith("\ufeff"):
        raise MalformedJson("The body begins with a byte order mark; send it without.")
    # Counting is cheap, and few bodies have enough brackets to be looked at more closely.
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise MalformedJson(f"The body is not JSON: {error.msg} at {where}.") from None
    if "\\u" in text:
        _check_surrogates(value)
    return value


def body_of(environ: dict[str, Any]) -> bytes | None:
    """The bytes of a request's body, None if it has none.

    Checks the content type before the size (the order of the API). A chunked body is read no further than one byte
    over the limit. Raises `UnsupportedMediaType`, `BodyTooLarge`, and `MalformedJson` if the body ends too early.
    """
    declared = environ.get("CONTENT_LENGTH") or None
    if declared is None and not environ.get("wsgi.input_terminated"):
        return None
    if declared == "0":
        return None
    stream: IO[bytes] = environ["wsgi.input"]
    if declared is None:
        return _chunked_body(environ, stream)
    _check_type(environ)
    if not declared.isascii() or not declared.isdigit():
        raise MalformedJson("Content-Length is not a number.")
    length = int(declared) if len(declared) < 12 else MAX_BYTES + 1
    if length > MAX_BYTES:
        _refuse_size()
    raw = _read(stream, length)
    if len(raw) < length:
        raise MalformedJson("The body ended before the announced length.")
    return raw


def _chunked_body(environ: dict[str, Any], stream: IO[bytes]) -> bytes | None:
    first = _read(stream, 1)
    if not first:
        return None
    _check_type(environ)
    raw = first + _read(stream, MAX_BYTES)
    if len(raw) > MAX_BYTES:
        _refuse_size()
    return raw


def _read(stream: IO[bytes], length: int) -> bytes:
    """At most `length` bytes; one read can return fewer than there are. Raises `MalformedJson` for wrong chunks."""
    parts = []
    while length > 0:
        try:
            part = stream.read(length)
        except Exception:
            raise MalformedJson("The body could not be read: its chunks are not those of HTTP.") from None
        if not part:
            break
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _check_type(environ: dict[str, Any]) -> None:
    if environ.get("HTTP_CONTENT_ENCODING", "identity").lower() != "identity":
        raise UnsupportedMediaType("A request body is never compressed; send it without Content-Encoding.")
    if _JSON_TYPE.fullmatch(environ.get("CONTENT_TYPE") or "") is None:
        raise UnsupportedMediaType("A body is sent as Content-Type: application/json.")


def _refuse_size() -> NoReturn:
    raise BodyTooLarge(f"A body has at most {MAX_BYTES} bytes.")


def _check_depth(text: str) -> None:
    depth = 0
    for piece in _STRING_OR_BRACKET.findall(text):
        if piece in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise MalformedJson(f"The body is nested more than {MAX_DEPTH} levels deep.")
        elif piece in "]}":
            depth -= 1


def _check_surrogates(value: Any) -> None:
    # Only an escape can bring a lone surrogate, so bodies without escapes are never walked through.
    open_values = [value]
    while open_values:
        value = open_values.pop()
        if isinstance(value, str):
            if _SURROGATE.search(value):
                raise MalformedJson("A string has half of a surrogate pair.")
        elif isinstance(value, list):
            open_values.extend(value)
        elif isinstance(value, dict):
            open_values.extend(value)
            open_values.extend(value.values())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise MalformedJson(f"An object has the key {json.dumps(key[:64])} more than once.")
            seen.add(key)
    return value


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise MalformedJson(f"A number has more than {MAX_DIGITS} digits.")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise MalformedJson("A number is too large.")
    return value


def _constant(name: str) -> NoReturn:
    raise MalformedJson(f"{name} is not JSON.")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_real, parse_constant=_constant, strict=True
)
