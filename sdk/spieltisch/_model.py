"""What all models of answers share, and how their fields are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import Any, ClassVar, TypeVar

M = TypeVar("M", bound="Model")

_Reader = Callable[[Any], Any]


def instant(text: str) -> datetime:
    """An instant of the API (`2026-01-31T12:00:00.000Z`) as an aware datetime. Raises ValueError."""
    # Before Python 3.11 fromisoformat knows no Z.
    return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)


def by(read: _Reader) -> Mapping[str, _Reader]:
    """The metadata of a field whose value is read by `read`; null stays None."""
    return {"read": read}


INSTANT = by(instant)
TUPLE = by(tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What all models share: `extra` holds the fields of the answer that this package does not know."""

    _shapes: ClassVar[dict[type, dict[str, tuple[_Reader | None, Any]]]] = {}

    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_wire(cls: type[M], data: Mapping[str, Any]) -> M:
        """The model of a JSON object of an answer.

        Raises:
            KeyError, TypeError, ValueError: the object lacks a field, or is none.
        """
        shape = Model._shapes.get(cls)
        if shape is None:
            shape = Model._shapes[cls] = {
                f.name: (f.metadata.get("read"), f.default) for f in fields(cls) if f.name != "extra"
            }
        values: dict[str, Any] = {}
        for name, (read, default) in shape.items():
            value = data[name] if default is MISSING else data.get(name, default)
            values[name] = value if read is None or value is None else read(value)
        if len(data) > len(shape) or any(name not in shape for name in data):
            values["extra"] = {name: value for name, value in data.items() if name not in shape}
        return cls(**values)


def many(model: type[Model]) -> Mapping[str, _Reader]:
    """The metadata of a field that is a list of such models."""
    return by(lambda values: tuple(model.from_wire(value) for value in values))
