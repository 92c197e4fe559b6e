"""One line a request, and what an unexpected failure leaves in the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.web.checked import NO_MATCH, Checked, Person


@pytest.fixture
def lines() -> Iterator[list[Any]]:
    with capture_logs() as told:
        yield told


@pytest.fixture
def everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "spieltisch_service.requests")


def test_by_default_there_are_no_lines(client: Checked, lines: list[Any]) -> None:
    client.get("/v1")
    assert lines == []


@pytest.mark.usefixtures("everything")
def test_a_line_says_what_was_asked_for_and_what_came_of_it(client: Checked, lines: list[Any]) -> None:
    answer = client.get("/v1/games?secret=1")
    (line,) = lines
    assert line.pop("duration_ms") > 0
    assert line == {
        "event": "request",
        "log_level": "info",
        "request_id": answer.headers["X-Request-Id"],
        "method": "GET",
        "path": "/v1/games",
        "operation": "listGames",
        "status": 400,
    }


@pytest.mark.usefixtures("everything")
def test_a_line_names_the_account_or_the_seat_by_its_id(client: Checked, ada: Person, lines: list[Any]) -> None:
    created = Checked.ok(ada.post("/v1/matches", json={"game": "wunderland", "seats": ["me", "me"]}))
    Person(client, created["grants"][1]["token"]).get(f"/v1/matches/{created['id']}/view")
    client.get("/v1")
    account = Checked.ok(ada.get("/v1/me"))["account"]["id"]
    who = [{key: line[key] for key in ("account", "seat") if key in line} for line in lines]
    assert who == [{"account": account}, {"seat": f"{created['id']}/1"}, {}, {"account": account}]


@pytest.mark.usefixtures("everything")
def test_a_long_path_or_method_is_cut(client: Checked, lines: list[Any]) -> None:
    client.send("X" * 5000, "/" + "y" * 5000)
    (line,) = lines
    assert (line["method"], line["path"]) == ("X" * 16, "/" + "y" * 199)
    assert (line["operation"], line["status"]) == ("none", 404)


@pytest.mark.usefixtures("everything")
def test_a_fault_is_found_by_the_id_that_its_answer_carries(
    ada: Person, lines: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise ZeroDivisionError("nobody expected this")

    monkeypatch.setattr("spieltisch_service.app.accounts.Accounts.me", fails)
    answer = ada.get("/v1/me")
    assert answer.json is not None
    assert (answer.status_code, answer.json["code"]) == (500, "internal")
    assert "expected" not in answer.text
    fault, request = lines
    assert fault["log_level"] == "error"
    assert "ZeroDivisionError: nobody expected this" in fault["trace"]
    assert "in fails" in fault["trace"]
    assert fault["request_id"] == request["request_id"] == answer.json["request_id"]
    assert request["status"] == 500


@pytest.mark.usefixtures("everything")
def test_no_line_says_what_was_sent(client: Checked, ada: Person, lines: list[Any]) -> None:
    canary = "Kanarienvogel"
    path = ada.creates(["me", "open"], start="manual")
    client.register(canary).post(f"{path}/seats", json={"nonce": canary})
    client.post("/v1/accounts", json={"name": canary * 9})
    client.post("/v1/accounts", data=f'{{"name": "{canary}'.encode(), content_type="application/json")
    client.get(f"/v1?access_token={canary}")
    client.get("/v1/me", token=canary)
    ada.post(f"{path}/start", json={"nonces": {"0": canary}}, headers={"Idempotency-Key": canary})
    ada.post(f"{path}/actions", json={"actions": [{"type": canary}]})
    client.get(f"/v1/matches/{NO_MATCH}", headers={"X-Request-Id": canary, "User-Agent": canary})
    assert len(lines) == 10
    assert canary not in str(lines)
    assert ada.token not in str(lines)
