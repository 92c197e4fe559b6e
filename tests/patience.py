"""How long is waited for a store: as long as the product waits, or so long that a busy machine is no finding.

The product gives a call up after seconds, so that players hear of an outage, and calls it downtime when it has said
nothing itself for seconds. A test that is not about that must not fail because the store's process, or the test's own,
stood still for as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

import pytest

from spieltisch_service.store import connection, nodes, redis_store

_LONG: Mapping[str, float] = {"CALL_S": 240.0, "POOL_WAIT_S": 60.0, "CONNECT_S": 60.0, "ANSWER_S": 60.0}
_PATIENT: Mapping[str, float] = {**_LONG, "_OUTAGE_MS": 600_000}
#: Some are known to several modules by the same name.
_KNOWN_TO = (nodes, connection, redis_store)
_OF_THE_PRODUCT = {name: next(getattr(each, name) for each in _KNOWN_TO if hasattr(each, name)) for name in _PATIENT}


@contextmanager
def _waiting(bounds: Mapping[str, float]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, bound in bounds.items():
            for each in _KNOWN_TO:
                if hasattr(each, name):
                    patch.setattr(each, name, bound)
        yield


def long_calls() -> AbstractContextManager[None]:
    """Calls to a store wait for minutes as long as this lasts, over connections that are opened meanwhile."""
    return _waiting(_LONG)


def patient() -> AbstractContextManager[None]:
    """As `long_calls`, and the service counts as down after ten minutes without a sign of life."""
    return _waiting(_PATIENT)


def as_the_product() -> AbstractContextManager[None]:
    """Calls to a store wait as long as the product has them wait, over connections that are opened meanwhile."""
    return _waiting(_OF_THE_PRODUCT)
