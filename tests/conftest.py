"""What every room's tests may use: a real store of their own, started by the test session itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import structlog
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, settings

from spieltisch_service.app.service import Service
from spieltisch_service.store.connection import connect
from spieltisch_service.store.embedded import EmbeddedStore
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app
from tests.patience import patient

# How long an example takes says nothing where others run beside it; and what a commit passes, it passes every time.
settings.register_profile("spieltisch", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("spieltisch")

SECRET = b"a secret of the tests, thirty-two bytes or more"


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much the suites do that can do more: see the help of each."""
    parser.addoption("--games", type=int, default=200, help="random matches of each game in the contract suite")


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """Whoever starts a service within the process also sets up logging; the next test begins without."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session", autouse=True)
def _patience() -> Iterator[None]:
    """A store that is slow is no finding: see `tests.patience`."""
    with patient():
        yield


@pytest.fixture(scope="session")
def games_per_game(request: pytest.FixtureRequest) -> int:
    """How many random matches of each game are to be played."""
    count: int = request.config.getoption("--games")
    return count


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL (`unix:///…`) of a store that this test process alone uses."""
    store = EmbeddedStore(Path(tmp_path_factory.mktemp("store")) / "data", "fast")
    store.start()
    yield store.url
    store.stop()


@pytest.fixture
def clean_valkey(valkey_url: str) -> str:
    """The same URL, with nothing in the store."""
    with redis.Redis.from_url(valkey_url) as client:
        client.flushall()
    return valkey_url


@pytest.fixture
def new_service(clean_valkey: str) -> Iterator[Callable[..., Service]]:
    """Makes services over one empty store: each is like another worker process, with nothing in memory."""
    hubs: list[Hub] = []

    def made(**options: Any) -> Service:
        hubs.append(Hub(clean_valkey))
        return Service(connect(clean_valkey), hubs[-1], SECRET, **({"bots": ("random",)} | options))

    yield made
    for hub in hubs:
        hub.close()


@pytest.fixture
def service(new_service: Callable[..., Service]) -> Service:
    """The use cases over an empty store, with `bot:random`."""
    return new_service()


@pytest.fixture
def other_worker(service: Service, new_service: Callable[..., Service]) -> Service:
    """A second process over the same store, as far as that can be without one."""
    del service
    return new_service()


@pytest.fixture
def app(service: Service) -> Flask:
    """The WSGI application around `service`."""
    return create_app(service)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Requests without a socket."""
    return app.test_client()
