"""JSON as it should not be: a text of a value, spoiled in a way that parsers are known to disagree about.

Each spoiler makes a body that must be refused, whatever the operation.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from spieltisch_service.web.decoder import MAX_BYTES, MAX_DEPTH


def spoiled(value: Any, rng: random.Random) -> tuple[str, bytes]:
    """The name of a spoiler and what it makes of the JSON text of `value` (an object)."""
    spoil = rng.choice(SPOILERS)
    return spoil.__name__, spoil(json.dumps(value), rng)


def a_key_twice(text: str, rng: random.Random) -> bytes:
    key = rng.choice(('"version"', '"type"', '""', '"actions"'))
    return _with_member(text, f"{key}: 1, {key}: 2")


def a_key_twice_by_escape(text: str, rng: random.Random) -> bytes:
    return _with_member(text, '"seat": 0, "se\\u0061t": 1')


def a_key_twice_deep_inside(text: str, rng: random.Random) -> bytes:
    return _with_member(text, '"actions": [[[{"a": {"b": 1, "b": 1}}]]]')


def too_deep(text: str, rng: random.Random) -> bytes:
    opening, closing, most = rng.choice((("[", "]", 30_000), ('{"a":', "}", 10_000)))
    depth = min(rng.choice((MAX_DEPTH + 1, 100, 1000, 30_000)), most)
    return (opening * depth + "1" + closing * depth).encode()


def deep_and_never_closed(text: str, rng: random.Random) -> bytes:
    return b"[" * rng.choice((MAX_DEPTH, 5_000, 60_000))


def with_a_mark(text: str, rng: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + text.encode()


def in_another_encoding(text: str, rng: random.Random) -> bytes:
    return text.encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")))


def no_number(text: str, rng: random.Random) -> bytes:
    wrong = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "01", "+1", ".5", "1.", "0x10", "1_000", "1e", "--1")
    return _with_member(text, f'"version": {rng.choice(wrong)}')


def an_endless_number(text: str, rng: random.Random) -> bytes:
    return _with_member(text, f'"version": {rng.choice(("", "-"))}{"9" * rng.choice((401, 4_400, 60_000))}')


def half_a_pair(text: str, rng: random.Random) -> bytes:
    half = rng.choice(("\\ud800", "\\udfff", "\\udc00\\ud800", "\\ud83d", "\\ud800x"))
    return _with_member(text, rng.choice((f'"name": "{half}"', f'"{half}": 1', f'"metadata": {{"a": ["{half}"]}}')))


def no_utf_8(text: str, rng: random.Random) -> bytes:
    wrong = rng.choice((b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"\xf0\x82\x82\xac"))
    return text.encode()[:-1] + b', "name": "' + wrong + b'"}'


def cut_off(text: str, rng: random.Random) -> bytes:
    return text.encode()[: rng.randint(1, len(text) - 1)]


def with_more_behind(text: str, rng: random.Random) -> bytes:
    return text.encode() + rng.choice((b"{}", b"]", b",", b"\x00", b"null", b"//", b"\xe2\x80\xa8", b" 1"))


def with_comments(text: str, rng: random.Random) -> bytes:
    return rng.choice(("/* */" + text, "// a\n" + text, "# a\n" + text, text[:-1] + "/**/}")).encode()


def in_other_quotes(text: str, rng: random.Random) -> bytes:
    return b"{'name': 'Ada', \"kind\": \"human\"}" if rng.random() < 0.5 else b"{name: 1}"


def with_a_comma_too_much(text: str, rng: random.Random) -> bytes:
    return (text[:-1] + ",}").encode() if rng.random() < 0.5 else _with_member(text, '"a": [1,]')


def a_raw_control_character(text: str, rng: random.Random) -> bytes:
    return _with_member(text, f'"name": "a{chr(rng.randrange(32))}b"')


def another_value(text: str, rng: random.Random) -> bytes:
    return rng.choice((b"null", b"true", b"1", b'"{}"', b"[]", b"[{}]", b"-0", b"1.0", b'""', b" \t\n[ ]"))


def blank(text: str, rng: random.Random) -> bytes:
    return rng.choice((b" ", b"\n", b"\x00", b"\xef\xbb\xbf", b"\xc2\xa0"))


def too_long(text: str, rng: random.Random) -> bytes:
    size = rng.choice((MAX_BYTES + 1, MAX_BYTES + 2, 2 * MAX_BYTES, 1_000_000))
    raw = text.encode()
    return raw + b" " * (size - len(raw))


def many_keys(text: str, rng: random.Random) -> bytes:
    return _with_member(text, ", ".join(f'"k{i}": {i}' for i in range(rng.choice((100, 4_000)))))


def an_inherited_key(text: str, rng: random.Random) -> bytes:
    key = rng.choice(("__proto__", "constructor", "__class__", "$where", "is_admin", "hash", "account", "clock_ms"))
    return _with_member(text, f'"{key}": {{"a": 1}}')


def _with_member(text: str, member: str) -> bytes:
    return f"{text[:-1]}{', ' if len(text) > 2 else ''}{member}}}".encode()


SPOILERS: tuple[Callable[[str, random.Random], bytes], ...] = (
    a_key_twice,
    a_key_twice_by_escape,
    a_key_twice_deep_inside,
    too_deep,
    deep_and_never_closed,
    with_a_mark,
    in_another_encoding,
    no_number,
    an_endless_number,
    half_a_pair,
    no_utf_8,
    cut_off,
    with_more_behind,
    with_comments,
    in_other_quotes,
    with_a_comma_too_much,
    a_raw_control_character,
    another_value,
    blank,
    too_long,
    many_keys,
    an_inherited_key,
)
