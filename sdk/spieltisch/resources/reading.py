"""From the JSON of an answer to its model."""

from __future__ import annotations

from typing import Any, TypeVar

from spieltisch._model import Model
from spieltisch.errors import UnexpectedAnswer

M = TypeVar("M", bound=Model)


def read(model: type[M], data: Any) -> M:
    """The model of an answer. Raises UnexpectedAnswer where the answer has not its form."""
    try:
        return model.from_wire(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = type(error).__name__
    raise UnexpectedAnswer(f"the answer does not have the form of a {model.__name__} ({reason})")
