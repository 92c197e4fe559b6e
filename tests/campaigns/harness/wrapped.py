"""Methods of the service, wrapped from outside."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock


def method(owner: type, name: str, wrapper: Callable[..., Any]) -> AbstractContextManager[Any]:
    """Replace a method by one that gets the original first."""
    original = getattr(owner, name)

    def replaced(self: Any, *arguments: Any, **named: Any) -> Any:
        return wrapper(original, self, *arguments, **named)

    return mock.patch.object(owner, name, replaced)
