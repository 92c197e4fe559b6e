"""The web over a real store, and a client that holds every answer against the API description."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from spieltisch_service.app.service import Service
from spieltisch_service.store.connection import connect
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app
from tests.web.checked import Checked, Description, Person

SECRET = b"a secret of the tests, thirty-two bytes or more"


@pytest.fixture
def service(clean_valkey: str) -> Iterator[Service]:
    """The use cases, with `bot:random`; room for two streams."""
    hub = Hub(clean_valkey)
    yield Service(connect(clean_valkey), hub, SECRET, bots=("random",), stream_cap=2)
    hub.close()


@pytest.fixture
def app(service: Service) -> Flask:
    return create_app(service)


@pytest.fixture(scope="session")
def description() -> Description:
    """The API description, ready to validate answers against."""
    return Description(create_app(None).extensions["openapi"])


@pytest.fixture
def client(app: Flask, description: Description) -> Checked:
    """Sends requests; fails for every answer that is not described."""
    return Checked(app, description)


@pytest.fixture
def register(client: Checked) -> Callable[[str], Person]:
    """A new account."""
    return client.register


@pytest.fixture
def ada(client: Checked) -> Person:
    return client.register("Ada")


@pytest.fixture
def bob(client: Checked) -> Person:
    return client.register("Bob")


@pytest.fixture
def lost_store(tmp_path: object, description: Description) -> Iterator[Checked]:
    """The same web over a store that is not there."""
    url = f"unix://{tmp_path}/nobody.sock"
    hub = Hub(url)
    yield Checked(create_app(Service(connect(url), hub, SECRET)), description)
    hub.close()
