"""The strict decoder, by itself."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spieltisch_service.app.errors import Refusal
from spieltisch_service.web.decoder import MAX_BYTES, body_of, decode
from spieltisch_service.web.refusals import BodyTooLarge, MalformedJson, UnsupportedMediaType


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"{}x",
        b"{} {}",
        b"{'a': 1}",
        b'{"a": 1,}',
        b"[01]",
        b"[+1]",
        b"[.5]",
        b"[1.]",
        b"[0x10]",
        b"// comment\n{}",
        b'["a\tb"]',
        b'["\\x41"]',
        b"\xef\xbb\xbf{}",
        '{"a": 1}'.encode("utf-16"),
        '{"a": "é"}'.encode("latin-1"),
        b'["\xed\xa0\x80"]',
        b"NaN",
        b"[NaN]",
        b"[Infinity]",
        b"[-Infinity]",
        b"[1e999]",
        b"[-1e999]",
        b'{"a": 1, "a": 1}',
        b'{"a": {"b": 1, "c": 2, "b": 3}}',
        b'{"a": 1, "\\u0061": 2}',
        b'["\\ud800"]',
        b'["\\udc00\\ud800"]',
        b'{"\\udfff": 1}',
        b"[" * 33 + b"]" * 33,
        b'{"a":' * 33 + b"1" + b"}" * 33,
        b"[" * 100_000,
        b"[" + b"9" * 401 + b"]",
        b"[" + b"9" * 5000 + b"]",
    ],
)
def test_what_parsers_disagree_about_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedJson) as refusal:
        decode(raw)
    assert len(refusal.value.detail) < 200


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b" {} \r\n", {}),
        (b"null", None),
        (b'{"a": [true, 1, -0, "x"]}', {"a": [True, 1, 0, "x"]}),
        (b'["\\ud83d\\ude00", "\\u00e9"]', ["\U0001f600", "é"]),
        ('["\U0001f600"]'.encode(), ["\U0001f600"]),
        (b'["\\\\ud800"]', ["\\ud800"]),
        (b"[" * 32 + b"]" * 32, json.loads("[" * 32 + "]" * 32)),
        (b'["' + b"[" * 500 + b'", "\\"[{"]', ["[" * 500, '"[{']),
        (b"[9007199254740993]", [9007199254740993]),
    ],
)
def test_what_is_json_is_read(raw: bytes, value: Any) -> None:
    assert decode(raw) == value


def test_a_number_with_a_point_or_an_exponent_stays_no_integer() -> None:
    assert [type(number) for number in decode(b"[1, 1.0, 1e0, -0.0]")] == [int, float, float, float]


def test_a_repeated_key_is_named_and_cut() -> None:
    key = "k" * 1000
    with pytest.raises(MalformedJson) as refusal:
        decode(f'{{"{key}": 1, "{key}": 2}}'.encode())
    assert "k" * 64 in refusal.value.detail
    assert "k" * 65 not in refusal.value.detail


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=12,
)


@given(_VALUES, st.booleans())
def test_every_value_that_json_can_hold_comes_through(value: Any, ascii_only: bool) -> None:
    assert decode(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(st.binary(max_size=60))
def test_no_bytes_make_it_fail_otherwise(raw: bytes) -> None:
    with contextlib.suppress(MalformedJson):
        decode(raw)


def _environ(body: bytes, *, chunked: bool = False, media_type: str | None = "application/json", **more: str) -> Any:
    environ: dict[str, Any] = {"wsgi.input": io.BytesIO(body), **more}
    if chunked:
        environ["wsgi.input_terminated"] = True
    else:
        environ["CONTENT_LENGTH"] = str(len(body))
    if media_type is not None:
        environ["CONTENT_TYPE"] = media_type
    return environ


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_has_at_most_65536_bytes(chunked: bool) -> None:
    assert MAX_BYTES == 65_536
    full = b" " * MAX_BYTES
    assert body_of(_environ(full, chunked=chunked)) == full
    with pytest.raises(BodyTooLarge):
        body_of(_environ(full + b" ", chunked=chunked))


def test_an_endless_body_is_read_one_byte_over_the_limit() -> None:
    class Endless(io.RawIOBase):
        read_bytes = 0

        def read(self, size: int = -1) -> bytes:
            assert size > 0
            self.read_bytes += min(size, 1000)
            return b" " * min(size, 1000)

    stream = Endless()
    environ = {"wsgi.input": stream, "wsgi.input_terminated": True, "CONTENT_TYPE": "application/json"}
    with pytest.raises(BodyTooLarge):
        body_of(environ)
    assert stream.read_bytes == MAX_BYTES + 1


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    "media_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/problem+json",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        "application/json, application/json",
    ],
)
def test_a_body_of_another_type_is_refused_before_its_size(media_type: str | None, chunked: bool) -> None:
    for body in (b"{}", b" " * (MAX_BYTES + 1)):
        with pytest.raises(UnsupportedMediaType):
            body_of(_environ(body, chunked=chunked, media_type=media_type))


@pytest.mark.parametrize(
    "media_type",
    ["application/json", "Application/JSON", "application/json;charset=utf-8", 'application/json ; charset = "UTF-8"'],
)
def test_json_in_utf_8_is_the_type_of_bodies(media_type: str) -> None:
    assert body_of(_environ(b"{}", media_type=media_type)) == b"{}"


def test_a_compressed_body_is_refused_unread() -> None:
    environ = _environ(b"{}", HTTP_CONTENT_ENCODING="gzip")
    with pytest.raises(UnsupportedMediaType):
        body_of(environ)
    assert environ["wsgi.input"].tell() == 0


@pytest.mark.parametrize("media_type", [None, "text/plain", "application/json"])
def test_no_body_needs_no_type(media_type: str | None) -> None:
    assert body_of(_environ(b"", media_type=media_type)) is None
    assert body_of(_environ(b"", chunked=True, media_type=media_type)) is None
    assert body_of({"wsgi.input": io.BytesIO(b"never read")}) is None


@pytest.mark.parametrize("length", ["x", "-1", "+2", "², "])
def test_a_wrong_length_is_refused(length: str) -> None:
    environ = _environ(b"{}") | {"CONTENT_LENGTH": length}
    with pytest.raises(Refusal):
        body_of(environ)


def test_a_body_that_ends_early_is_refused() -> None:
    with pytest.raises(MalformedJson):
        body_of(_environ(b"{}") | {"CONTENT_LENGTH": "3"})


def test_a_length_of_many_digits_is_too_large() -> None:
    with pytest.raises(BodyTooLarge):
        body_of(_environ(b"{}") | {"CONTENT_LENGTH": "9" * 5000})
