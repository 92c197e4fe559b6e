"""People who use the service."""

from collections.abc import Callable

import pytest

from spieltisch_service.app.callers import Caller, Once
from spieltisch_service.app.service import Service


@pytest.fixture
def register(service: Service) -> Callable[[str], Caller]:
    """A new account, as the caller that its key makes."""

    def made(name: str) -> Caller:
        return service.accounts.authenticate(service.accounts.create(name, "human", Caller(), None).body["key"])

    return made


@pytest.fixture
def ada(register: Callable[[str], Caller]) -> Caller:
    return register("Ada")


@pytest.fixture
def bob(register: Callable[[str], Caller]) -> Caller:
    return register("Bob")


def once(caller: Caller, key: str, path: str = "/", body: object = None) -> Once:
    """The intent of a request with an Idempotency-Key."""
    return Once.of(key, caller, "POST", path, (), body)
