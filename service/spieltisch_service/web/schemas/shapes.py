"""Short names for the fields of answers: each is required, and says what it is."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema

from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.schemas.fields import Documented, Flag, Inner, OneOf, Pattern, Several, Text, Whole
from spieltisch_service.web.schemas.wire import answer_schema_of


def number(description: str, **options: Any) -> Whole:
    """An integer of an answer."""
    return Whole(required=True, metadata={"description": description}, **options)


def text(description: str, **options: Any) -> Text:
    """A string of an answer."""
    return Text(required=True, metadata={"description": description}, **options)


def listed(inner: Any, description: str, **options: Any) -> Several:
    """An array of an answer."""
    return Several(inner, required=True, metadata={"description": description}, **options)


def counts(description: str) -> Documented:
    """An object of numbers by name."""
    document = {"type": "object", "additionalProperties": {"type": "integer"}}
    return Documented(document, required=True, metadata={"description": description})


def identity(prefix: str, description: str, **options: Any) -> Text:
    """An opaque id with its prefix."""
    return text(description, validate=Pattern(f"^{prefix}_[A-Za-z0-9_-]+$", ""), **options)


def instant(description: str, **options: Any) -> Text:
    """An instant, in milliseconds and UTC."""
    form = Pattern(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", "")
    return Text(required=True, validate=form, metadata={"description": description, "format": "date-time"}, **options)


def choice(description: str, choices: tuple[str, ...], **options: Any) -> Text:
    """One of a closed list."""
    return text(description, validate=OneOf(choices), **options)


def flag(description: str) -> Flag:
    """True or false."""
    return Flag(required=True, metadata={"description": description})


def digest(description: str, **options: Any) -> Text:
    """64 hex digits."""
    return text(description, validate=Pattern("^[0-9a-f]{64}$", ""), **options)


def inner(schema: Schema, description: str, **options: Any) -> Inner:
    """An object within."""
    return Inner(schema, required=True, metadata={"description": description}, **options)


def anything(description: str, **options: Any) -> Documented:
    """An object of any form."""
    return Documented(
        {"type": "object", "additionalProperties": True},
        required=True,
        metadata={"description": description},
        **options,
    )


def any_of(schemas: Any, description: str, **options: Any) -> Documented:
    """Any of several forms."""
    return Documented(any_of=tuple(schemas), required=True, metadata={"description": description}, **options)


OPTIONS = tuple(
    answer_schema_of(game.options_type, "".join(part.capitalize() for part in game.id.split("-")) + "Options")
    for game in GAMES.values()
)
