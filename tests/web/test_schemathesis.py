"""The description against the service, by machine: every check of schemathesis, over every operation.

Statuses that depend on what a generator cannot know are answers to good data, too: 412 (another version), 422 (the
rules forbid it) and 400 (a seat or a deal that does not fit the match). Bad data may meet a 412 or 413 first.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.config._checks import (
    NEGATIVE_DATA_REJECTION_EXPECTED_STATUSES,
    POSITIVE_DATA_ACCEPTANCE_EXPECTED_STATUSES,
)

from spieltisch_service.app.service import Service
from spieltisch_service.store.connection import connect
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app
from tests.web.checked import Checked, Description, Person

_CHECKS = {
    "positive_data_acceptance": {
        "expected-statuses": [*POSITIVE_DATA_ACCEPTANCE_EXPECTED_STATUSES, "400", "412", "422"]
    },
    "negative_data_rejection": {"expected-statuses": [*NEGATIVE_DATA_REJECTION_EXPECTED_STATUSES, "412", "413"]},
}
_QUIET = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "database": None,
    "derandomize": True,
}


class Switched:
    """A WSGI application that is there when the tests are collected, and gets its store when they run."""

    def __init__(self) -> None:
        self.behind = create_app(cast(Any, SimpleNamespace(accounts=None, limits=None)))

    def __call__(self, environ: Any, start_response: Any) -> Any:
        return self.behind(environ, start_response)


APPLICATION = Switched()
SCHEMA = schemathesis.openapi.from_wsgi(
    "/openapi.json", APPLICATION, config=SchemathesisConfig.from_dict({"checks": _CHECKS})
)


@SCHEMA.auth(refresh_interval=None)
class Key:
    """The API key of whoever the test registered."""

    current = ""

    def get(self, case: Any, context: Any) -> str:
        return Key.current

    def set(self, case: Any, data: str, context: Any) -> None:
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


@pytest.fixture(scope="module")
def web(valkey_url: str) -> Iterator[Flask]:
    """One application for all of this."""
    hub = Hub(valkey_url)
    service = Service(connect(valkey_url), hub, b"of the fuzzed service, thirty-two bytes", bots=("random",))
    APPLICATION.behind = create_app(service)
    yield APPLICATION.behind
    hub.close()


@pytest.fixture
def ada(web: Flask, description: Description) -> Person:
    """A fresh key for each operation: one of them ends it."""
    ada = Checked(web, description).register("Ada")
    Key.current = ada.token
    return ada


@pytest.fixture
def matches(ada: Person) -> list[str]:
    """Ids of a running, an open and a finished match of hers."""
    running = ada.creates(["me", "me"])
    waiting = ada.creates(["me", "open", "invite"], start="manual")
    finished = ada.creates(["me", "me"])
    ada.plays_to_the_end(finished)
    return [path.rpartition("/")[2] for path in (running, waiting, finished)]


@SCHEMA.parametrize()
@settings(max_examples=40, **_QUIET)
def test_every_operation_by_itself(case: Any, ada: Person, matches: list[str]) -> None:
    """Half of the cases meet a match that is there."""
    parameters = case.path_parameters or {}
    if isinstance(parameters.get("match_id"), str) and case.meta.generation.mode.is_positive:
        chosen = sum(parameters["match_id"].encode()) % 4
        if chosen < 3:
            parameters["match_id"] = matches[chosen]
    case.call_and_validate()


def test_operations_one_after_the_other(ada: Person) -> None:
    """What one creates, the next uses. No match is deleted: an aborted one stays readable, as it is meant to."""
    machine = SCHEMA.exclude(operation_id="abortMatch").as_state_machine()
    machine.run(settings=settings(max_examples=30, stateful_step_count=8, phases=[Phase.generate], **_QUIET))
