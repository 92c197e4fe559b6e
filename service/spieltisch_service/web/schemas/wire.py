"""From a dataclass to everything that HTTP needs of it: checks, a marshmallow schema, a JSON Schema.

A game defines its actions and options as dataclasses whose fields carry `Wire` metadata. `slots_of` reads that once;
the schema that documents (and goes into the API description) and the check that runs are both made from the slots.
The check is plain Python because it runs once per action: marshmallow takes ten times as long for the same answer.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from marshmallow import Schema

from spieltisch_service.games.contract import Action, Wire
from spieltisch_service.web.schemas import fields as strict
from spieltisch_service.web.schemas.fields import Said

_FIELDS: Mapping[type, type[Any]] = {int: strict.Whole, str: strict.Text, bool: strict.Flag}
_JSON_TYPES: Mapping[type, str] = {int: "integer", str: "string", bool: "boolean"}
_WRONG: Mapping[type, Said] = {int: strict.NO_INTEGER, str: strict.NO_STRING, bool: strict.NO_BOOLEAN}
#: No id or name in an action is longer.
LONGEST_TEXT = 64


@dataclass(frozen=True, slots=True)
class Slot:
    """One field as the wire has it. `default` is `...` for a field that must be there."""

    name: str
    type: type
    nullable: bool
    default: Any
    description: str
    minimum: int | None
    maximum: int | None
    one_of: tuple[Any, ...] | None
    allowed: frozenset[Any] | None

    def fault(self, value: Any) -> Said | None:
        """What is wrong with a value, if anything."""
        held: Any = value
        if value is None and self.nullable:
            return None
        if type(value) is not self.type:
            return _WRONG[self.type] if value is not None else strict.NULL
        if self.allowed is not None:
            return None if value in self.allowed else strict.not_one_of(self.one_of or ())
        if self.type is int:
            low = strict.WHOLE_MIN if self.minimum is None else self.minimum
            high = strict.WHOLE_MAX if self.maximum is None else self.maximum
            return None if low <= held <= high else strict.out_of_range(low, high)
        if self.type is str and not 1 <= len(held) <= LONGEST_TEXT:
            return strict.wrong_length(1, LONGEST_TEXT, "characters")
        return None

    def shown(self) -> Slot:
        """The slot as an answer has it: always there, and null only if that is what null stands for."""
        return replace(self, nullable=self.nullable and self.default in (..., None), default=...)

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        name = _JSON_TYPES[self.type]
        schema: dict[str, Any] = {"type": [name, "null"] if self.nullable else name, "description": self.description}
        if self.one_of is not None:
            schema["enum"] = [*self.one_of, None] if self.nullable else list(self.one_of)
        elif self.type is int:
            schema["minimum"] = strict.WHOLE_MIN if self.minimum is None else self.minimum
            schema["maximum"] = strict.WHOLE_MAX if self.maximum is None else self.maximum
        elif self.type is str:
            schema |= {"minLength": 1, "maxLength": LONGEST_TEXT}
        if self.default is not ...:
            schema["default"] = self.default
        return schema

    def marshmallow(self) -> Any:
        """The marshmallow field that accepts the same values."""
        validators: list[Any] = []
        if self.one_of is not None:
            validators.append(strict.OneOf(self.one_of))
        elif self.type is int:
            low = strict.WHOLE_MIN if self.minimum is None else self.minimum
            validators.append(strict.Range(low, strict.WHOLE_MAX if self.maximum is None else self.maximum))
        elif self.type is str:
            validators.append(strict.Length(1, LONGEST_TEXT))
        metadata: dict[str, Any] = {"description": self.description}
        if self.default is not ...:
            metadata["default"] = self.default
        return _FIELDS[self.type](
            required=self.default is ..., allow_none=self.nullable, validate=validators, metadata=metadata
        )


_SLOTS: dict[Any, tuple[Slot, ...]] = {}
_SCHEMAS: dict[Any, Schema] = {}


def slots_of(kind: type) -> tuple[Slot, ...]:
    """The slots of a dataclass, in its order; the fixed `type` of an action is one with a single value."""
    if kind not in _SLOTS:
        assert is_dataclass(kind)
        hints = get_type_hints(kind)
        _SLOTS[kind] = tuple(_slot(field, hints[field.name]) for field in fields(kind))
    return _SLOTS[kind]


def _slot(field: Any, hint: Any) -> Slot:
    plain, nullable, one_of = _plain(hint)
    if not field.init:
        return Slot(
            field.name, str, False, ..., "The kind of action.", None, None, (field.default,), frozenset([field.default])
        )
    meta: Wire = field.metadata["wire"]
    default = ... if field.default is NO_DEFAULT else field.default
    # The default of an option stands in for null, too.
    nullable = nullable or default is not ...
    one_of = meta.one_of or one_of
    allowed = None if one_of is None else frozenset(one_of)
    return Slot(field.name, plain, nullable, default, meta.description, meta.minimum, meta.maximum, one_of, allowed)


def _plain(hint: Any) -> tuple[type, bool, tuple[Any, ...] | None]:
    """The type behind an annotation, whether it may be None, and the values of a Literal."""
    if get_origin(hint) in (Union, types.UnionType):
        (inner,) = (arg for arg in get_args(hint) if arg is not type(None))
        plain, _, one_of = _plain(inner)
        return plain, True, one_of
    if get_origin(hint) is Literal:
        values = get_args(hint)
        return type(values[0]), False, values
    assert hint in _FIELDS, hint
    return hint, False, None


def check(raw: Any, slots: tuple[Slot, ...]) -> dict[str, Any]:
    """The messages for `raw`, by field; empty for an object that has just the slots and holds what they may."""
    wrong: dict[str, Any] = {}
    if type(raw) is not dict:
        return {"_schema": [strict.NO_OBJECT]}
    for slot in slots:
        if slot.name in raw:
            fault = slot.fault(raw[slot.name])
            if fault is not None:
                wrong[slot.name] = [fault]
        elif slot.default is ...:
            wrong[slot.name] = [strict.MISSING]
    names = {slot.name for slot in slots}
    for name in raw:
        if name not in names:
            wrong[name] = [strict.UNKNOWN]
    return wrong


def json_schema(kind: type) -> dict[str, Any]:
    """The JSON Schema of a dataclass, closed."""
    slots = slots_of(kind)
    return {
        "type": "object",
        "description": first_line(kind),
        "properties": {slot.name: slot.json_schema() for slot in slots},
        "required": [slot.name for slot in slots if slot.default is ...],
        "additionalProperties": False,
    }


def schema_of(kind: type, name: str) -> Schema:
    """The marshmallow schema of a dataclass, always the same one; `name` becomes that of its component."""
    if kind not in _SCHEMAS:
        shape = {slot.name: slot.marshmallow() for slot in slots_of(kind)}
        _SCHEMAS[kind] = strict.RequestShape.from_dict(shape, name=name)()
    return _SCHEMAS[kind]


def answer_schema_of(kind: type, name: str) -> Schema:
    """A marshmallow schema of a dataclass as answers show it: complete, so that its fields tell it from another."""
    shape = {slot.name: slot.shown().marshmallow() for slot in slots_of(kind)}
    return strict.AnswerShape.from_dict(shape, name=name)()


def first_line(kind: type) -> str:
    """The first line of the docstring."""
    return (kind.__doc__ or "").strip().partition("\n")[0]


class ActionReader:
    """Turns JSON into the actions of several games, told apart by `type`."""

    def __init__(self, kinds: tuple[type[Action], ...]) -> None:
        self._kinds: dict[str, tuple[type[Action], tuple[Slot, ...], frozenset[str]]] = {}
        for kind in kinds:
            slots = slots_of(kind)
            (name,) = slots[0].one_of or ()
            if name in self._kinds:
                msg = f"two games have an action {name!r}: a request could not tell them apart"
                raise ValueError(msg)
            self._kinds[name] = (kind, slots, frozenset(slot.name for slot in slots))
        self._no_such_type = strict.not_one_of(tuple(self._kinds))

    @property
    def kinds(self) -> Mapping[str, type[Action]]:
        """The dataclasses by their `type`."""
        return {name: kind for name, (kind, _, _) in self._kinds.items()}

    def read(self, raw: Any) -> tuple[Action | None, Mapping[str, Any]]:
        """The action, or None and the messages by field."""
        if type(raw) is not dict:
            return None, {"_schema": [strict.NO_OBJECT]}
        name = raw.get("type")
        if type(name) is not str:
            return None, {"type": [strict.NO_STRING if "type" in raw else strict.MISSING]}
        known = self._kinds.get(name)
        if known is None:
            return None, {"type": [self._no_such_type]}
        kind, slots, names = known
        if raw.keys() != names or any(slot.fault(raw[slot.name]) for slot in slots):
            wrong = check(raw, slots)
            if wrong:
                return None, wrong
        defaults = {slot.name for slot in slots if slot.default is not ...}
        given = {key: value for key, value in raw.items() if key != "type" and not (value is None and key in defaults)}
        return kind(**given), {}
