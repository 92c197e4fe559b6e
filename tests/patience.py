"""How long is waited for a store: as long as the product waits, or so long that a busy machine is no finding.

The product gives a call up after seconds, so that players hear of an outage. A test that is not about that must not
fail because the store's process, or the test's own, stood still for as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

import pytest

from spieltisch_service.store import connection, nodes

_OF_THE_PRODUCT = {name: getattr(nodes, name) for name in ("CALL_S", "POOL_WAIT_S", "CONNECT_S", "ANSWER_S")}
_PATIENT = {"CALL_S": 240.0, "POOL_WAIT_S": 60.0, "CONNECT_S": 60.0, "ANSWER_S": 60.0}


@contextmanager
def _waiting(bounds: Mapping[str, float]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, seconds in bounds.items():
            patch.setattr(nodes, name, seconds)
            # Those that a connection is opened with are known there by the same names.
            if hasattr(connection, name):
                patch.setattr(connection, name, seconds)
        yield


def patient() -> AbstractContextManager[None]:
    """Calls to a store wait for minutes as long as this lasts, over connections that are opened meanwhile."""
    return _waiting(_PATIENT)


def as_the_product() -> AbstractContextManager[None]:
    """Calls to a store wait as long as the product has them wait, over connections that are opened meanwhile."""
    return _waiting(_OF_THE_PRODUCT)
