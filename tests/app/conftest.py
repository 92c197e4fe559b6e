"""A service over a real store, and people who use it."""

from collections.abc import Callable, Iterator

import pytest

from spieltisch_service.app.callers import Caller, Once
from spieltisch_service.app.service import Service
from spieltisch_service.store.connection import connect
from spieltisch_service.store.hub import Hub

SECRET = b"a secret of the tests, thirty-two bytes or more"


@pytest.fixture
def service(clean_valkey: str) -> Iterator[Service]:
    """The use cases, with `bot:random`."""
    hub = Hub(clean_valkey)
    yield Service(connect(clean_valkey), hub, SECRET, bots=("random",))
    hub.close()


@pytest.fixture
def other_worker(service: Service, clean_valkey: str) -> Iterator[Service]:
    """A second process over the same store, as far as that can be without one."""
    hub = Hub(clean_valkey)
    yield Service(connect(clean_valkey), hub, SECRET, bots=("random",))
    hub.close()


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
