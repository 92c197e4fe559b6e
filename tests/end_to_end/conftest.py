"""Who asks in the tests of the contract."""

import pytest
from flask.testing import FlaskClient

from tests.end_to_end.contract import Asker


@pytest.fixture
def ada(client: FlaskClient) -> Asker:
    return Asker.named(client, "Ada")


@pytest.fixture
def bob(client: FlaskClient) -> Asker:
    return Asker.named(client, "Bob")


@pytest.fixture
def nobody(client: FlaskClient) -> Asker:
    return Asker(client)
