"""Strict marshmallow fields whose errors carry one of the API's codes, and how those become `FieldError`s.

Marshmallow is lenient by default (`"1"` and `1.0` are integers to it, `"yes"` is true); these fields are not.
A message is a `Said`: a text that knows its code. Nothing that the caller sent is repeated in a text, and pointers
are cut, so an answer stays small whatever comes in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, validate

from spieltisch_service.app.errors import FieldError
from spieltisch_service.domain.events import instant_ms

MOST_ERRORS = 20
_LONGEST_STEP = 64

#: Integers that every JSON library keeps exact.
WHOLE_MIN, WHOLE_MAX = -(2**53) + 1, 2**53 - 1


class Said(str):
    """An error message with its code."""

    code: str

    @classmethod
    def of(cls, code: str, text: str) -> Said:
        """The message `text` of kind `code`."""
        said = cls(text)
        said.code = code
        return said


MISSING = Said.of("missing", "This field is required.")
UNKNOWN = Said.of("unknown", "There is no such field.")
NULL = Said.of("wrong_type", "This must not be null.")
NO_OBJECT = Said.of("wrong_type", "This must be an object.")
NO_LIST = Said.of("wrong_type", "This must be an array.")
NO_STRING = Said.of("wrong_type", "This must be a string.")
NO_INTEGER = Said.of("wrong_type", "This must be an integer, written without point or exponent.")
NO_BOOLEAN = Said.of("wrong_type", "This must be true or false.")


def out_of_range(minimum: int | None, maximum: int | None, what: str = "This") -> Said:
    """The message for a number outside of its bounds."""
    low = WHOLE_MIN if minimum is None else minimum
    high = WHOLE_MAX if maximum is None else maximum
    return Said.of("out_of_range", f"{what} must be from {low} to {high}.")


def wrong_length(minimum: int | None, maximum: int | None, what: str) -> Said:
    """The message for too few or too many of something."""
    if maximum is None:
        return Said.of("out_of_range", f"This must have at least {minimum} {what}.")
    many = f"{minimum or 0} to {maximum}" if minimum != maximum else str(maximum)
    return Said.of("out_of_range", f"This must have {many} {what}.")


def not_one_of(choices: tuple[Any, ...]) -> Said:
    """The message for a value that is none of `choices`; lists them while they are few."""
    if len(choices) > 12:
        return Said.of("not_one_of", "This is none of the allowed values; the API description lists them.")
    return Said.of("not_one_of", f"This must be one of: {', '.join(map(str, choices))}.")


class Range(validate.Range):
    """Both bounds are inclusive."""

    def __call__(self, value: Any) -> Any:
        """Raise unless the value lies within."""
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            raise ValidationError([out_of_range(self.min, self.max)])
        return value


class Length(validate.Length):
    """How many characters or items."""

    def __call__(self, value: Any) -> Any:
        """Raise unless there are that many."""
        if not (self.min or 0) <= len(value) <= (len(value) if self.max is None else self.max):
            what = "characters" if isinstance(value, str) else "items"
            raise ValidationError([wrong_length(self.min, self.max, what)])
        return value


class OneOf(validate.OneOf):
    """One of a closed list."""

    def __call__(self, value: Any) -> Any:
        """Raise unless it is one of them."""
        if value not in self.choices:
            raise ValidationError([not_one_of(tuple(self.choices))])
        return value


class Pattern(validate.Regexp):
    """A form; `text` tells it to people."""

    def __init__(self, regex: str, text: str) -> None:
        super().__init__(regex)
        self.text = text

    def __call__(self, value: Any) -> Any:
        """Raise unless the whole value has the form."""
        if self.regex.fullmatch(value) is None:
            raise ValidationError([Said.of("bad_format", self.text)])
        return value


class Strict(fields.Field[Any]):
    """Mixin: the messages of marshmallow's own checks, with their codes."""

    said: ClassVar[Mapping[str, Said]] = {"required": MISSING, "null": NULL}

    def make_error(self, key: str, **_: Any) -> ValidationError:
        """See marshmallow."""
        return ValidationError([self.said.get(key) or Strict.said.get(key) or NULL])


class Text(Strict, fields.String):
    """A string; bounds and form come from validators."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if type(value) is not str:
            raise ValidationError([NO_STRING])
        return value


class Whole(Strict, fields.Integer):
    """An integer; neither `true` nor `1.0` is one."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if type(value) is not int:
            raise ValidationError([NO_INTEGER])
        return value


class Instant(Text):
    """An instant in UTC, with milliseconds or without; loads as milliseconds since 1970."""

    _form = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z", re.ASCII)
    _wrong = Said.of("bad_format", "This must be an instant: YYYY-MM-DDTHH:MM:SS.mmmZ.")

    def __init__(self, *, metadata: Mapping[str, Any], **rest: Any) -> None:
        form = {"format": "date-time", "pattern": f"^{self._form.pattern}$"}
        super().__init__(metadata={**form, **metadata}, **rest)

    def _deserialize(self, value: Any, *rest: Any, **options: Any) -> Any:
        text = super()._deserialize(value, *rest, **options)
        try:
            if self._form.fullmatch(text) is not None:
                return instant_ms(text if "." in text else f"{text[:-1]}.000Z")
        except ValueError:
            pass
        raise ValidationError([self._wrong])


class Flag(Strict, fields.Boolean):
    """`true` or `false`, nothing else."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if type(value) is not bool:
            raise ValidationError([NO_BOOLEAN])
        return value


class QueryWhole(Whole):
    """An integer in a query: digits, with a minus sign before them if it is negative."""

    #: More digits than any bound has, and few enough to be counted quickly.
    _digits = re.compile(r"-?[0-9]{1,100}", re.ASCII)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if self._digits.fullmatch(value) is None:
            raise ValidationError([Said.of("wrong_type", "This must be an integer, written in digits.")])
        return int(value)


class QueryFlag(Flag):
    """`true` or `false` in a query."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if value not in ("true", "false"):
            raise ValidationError([NO_BOOLEAN])
        return bool(value == "true")


class Several(Strict, fields.List[Any]):
    """An array."""

    said: ClassVar[Mapping[str, Said]] = {"invalid": NO_LIST}


class Inner(Strict, fields.Nested):
    """An object within."""

    said: ClassVar[Mapping[str, Said]] = {"type": NO_OBJECT}


class Documented(Strict, fields.Raw):
    """A value whose JSON Schema is given: `document`, or any of the schemas `any_of`."""

    def __init__(self, document: Mapping[str, Any] | None = None, *, any_of: tuple[Any, ...] = (), **rest: Any) -> None:
        super().__init__(**rest)
        self.document = dict(document or {})
        self.any_of = any_of


class TextMap(Documented):
    """An object whose keys and values are strings of given forms, at most `most` of them."""

    def __init__(self, key: str, value: Mapping[str, Any], most: int, **rest: Any) -> None:
        document = {
            "type": "object",
            "propertyNames": {"pattern": key},
            "additionalProperties": {"type": "string", **value},
            "maxProperties": most,
        }
        super().__init__(document, **rest)
        self._key, self._value, self._most = re.compile(key), value, most
        self._form = re.compile(value.get("pattern", r"[\s\S]*"))

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, str]:
        if type(value) is not dict:
            raise ValidationError([NO_OBJECT])
        if len(value) > self._most:
            raise ValidationError([wrong_length(0, self._most, "entries")])
        wrong: dict[str, Any] = {}
        for key, text in value.items():
            if self._key.fullmatch(key) is None:
                wrong[key] = [Said.of("unknown", "This key is not of the form that keys have here.")]
            elif type(text) is not str:
                wrong[key] = [NO_STRING]
            elif not self._value.get("minLength", 0) <= len(text) <= self._value["maxLength"]:
                wrong[key] = [wrong_length(self._value.get("minLength", 0), self._value["maxLength"], "characters")]
            elif self._form.fullmatch(text) is None:
                wrong[key] = [Said.of("bad_format", "This is not of the form that values have here.")]
        if wrong:
            raise ValidationError(wrong)
        return value


class RequestShape(Schema):
    """Base of what comes in: unknown fields are errors."""

    error_messages = {"unknown": UNKNOWN, "type": NO_OBJECT}  # noqa: RUF012 (as marshmallow has it)


class AnswerShape(Schema):
    """Base of what documents an answer: open, so that clients of today read the answers of tomorrow."""

    class Meta:
        """See marshmallow."""

        unknown = "exclude"


def body_errors(messages: Any) -> list[FieldError]:
    """Marshmallow's messages of a body as errors with JSON pointers (RFC 6901), at most `MOST_ERRORS`."""
    return [
        FieldError(code, text, pointer=path)
        for (path, code, text), _ in zip(_flat(messages, ""), range(MOST_ERRORS), strict=False)
    ]


def query_errors(messages: Mapping[str, Any]) -> list[FieldError]:
    """Marshmallow's messages of a query as errors with parameter names, at most `MOST_ERRORS`."""
    found = ((name, said) for name, texts in messages.items() for said in texts)
    return [
        FieldError(getattr(said, "code", "bad_format"), str(said), parameter=name[:_LONGEST_STEP])
        for (name, said), _ in zip(found, range(MOST_ERRORS), strict=False)
    ]


def step(key: object) -> str:
    """One step of a JSON pointer."""
    return "/" + str(key)[:_LONGEST_STEP].replace("~", "~0").replace("/", "~1")


def _flat(messages: Any, path: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from _flat(inner, path if key == "_schema" else path + step(key))
    else:
        for said in messages if isinstance(messages, list) else [messages]:
            yield path, getattr(said, "code", "bad_format"), str(said)
