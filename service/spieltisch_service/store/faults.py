"""Which of the store's errors mean that it is away, slow or refuses to write, and which are faults of ours."""

from __future__ import annotations

import re
from typing import NoReturn

from redis import exceptions

from spieltisch_service.app.ports import StoreUnavailable

#: Errors that say by their class that the store cannot serve now. A wrong password is a fault of the set-up and not
#: among them, although redis-py counts it as a lost connection.
_CLASSES: tuple[type[Exception], ...] = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    exceptions.ClusterError,
    exceptions.ClusterDownError,
    exceptions.MasterDownError,
    exceptions.TryAgainError,
    exceptions.AskError,
    exceptions.MovedError,
    exceptions.SlotNotCoveredError,
    exceptions.RedisClusterException,
)

_NEVER: tuple[type[Exception], ...] = (exceptions.AuthenticationError, exceptions.AuthorizationError)

#: Errors that redis-py leaves as plain `ResponseError`, by the code that the message starts with; within a script
#: older servers put words of their own before the code.
_CODES = re.compile(
    r"\b(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOREPLICAS|OOM|READONLY|TRYAGAIN|UNBLOCKED|MOVED|ASK)\b"
)


def means_unavailable(error: Exception) -> bool:
    """Whether `error` says that the store is away, slow, loading, read-only, full, or a cluster without the slot."""
    if isinstance(error, _NEVER):
        return False
    if isinstance(error, _CLASSES):
        return True
    return isinstance(error, exceptions.ResponseError) and _CODES.search(str(error)) is not None


def translate(error: Exception) -> NoReturn:
    """Raise `StoreUnavailable` if that is what `error` means, else `error` itself."""
    if means_unavailable(error):
        raise StoreUnavailable(f"{type(error).__name__}: {error}") from error
    raise error
