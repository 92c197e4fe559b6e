"""Standings, crosstable and leaderboard over HTTP: JSON unless CSV or Markdown is asked for."""

from __future__ import annotations

import csv
import io

import pytest

from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import HouseBots, Sweeper
from tests.web.checked import Checked, Person
from tests.web.tournament_refusals import NEW


@pytest.fixture
def paths(client: Checked, service: Service, ada: Person, bob: Person) -> dict[str, str]:
    """Where the tables are of a tournament that the random bot has won against Bob, who resigned."""
    cup = Checked.ok(ada.post("/v1/tournaments", json={**NEW, "format": "round_robin"}))["id"]
    Checked.ok(ada.post(f"/v1/tournaments/{cup}/entrants", json={"bot": "random"}))
    Checked.ok(bob.post(f"/v1/tournaments/{cup}/entrants", json={}))
    Checked.ok(ada.post(f"/v1/tournaments/{cup}/start", json={}))
    bots, sweeper = HouseBots(service, seed=1), Sweeper(service)
    resigned = False
    while bots.play_waiting() + sweeper.sweep():
        for waiting in Checked.ok(bob.get("/v1/me/decisions"))["decisions"]:
            assert not resigned
            Checked.ok(bob.post(f"/v1/matches/{waiting['match']}/resignation", json={}))
            resigned = True
    assert resigned
    return {name: f"/v1/tournaments/{cup}/{name}" for name in ("standings", "crosstable")} | {
        "ratings": "/v1/ratings/wunderland?clock_class=rapid"
    }


@pytest.mark.parametrize("name", ["standings", "crosstable", "ratings"])
@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "text/html, */*;q=0.1", "image/png"])
def test_it_is_json_unless_something_else_is_asked_for(
    client: Checked, paths: dict[str, str], name: str, accept: str | None
) -> None:
    answer = client.get(paths[name], headers={} if accept is None else {"Accept": accept})
    assert answer.mimetype == "application/json"
    assert name in (answer.json or {}) or name == "crosstable"
    assert "Accept" in answer.headers["Vary"]


def test_each_is_to_be_had_as_csv(client: Checked, paths: dict[str, str]) -> None:
    found = {name: client.get(path, headers={"Accept": "text/csv"}) for name, path in paths.items()}
    assert {answer.headers["Content-Type"] for answer in found.values()} == {"text/csv; charset=utf-8"}
    rows = {name: list(csv.DictReader(io.StringIO(answer.text))) for name, answer in found.items()}
    assert [(row["rank"], row["name"], row["points"]) for row in rows["standings"]] == [
        ("1", "random", "1.0"),
        ("2", "Bob", "0.0"),
    ]
    assert [(row["matches"], row["won"], row["lost"]) for row in rows["crosstable"]] == [
        ("1", "1", "0"),
        ("1", "0", "1"),
    ]
    assert [(row["rank"], row["name"]) for row in rows["ratings"]] == [("1", "random"), ("2", "Bob")]


def test_each_is_to_be_had_as_a_table_in_markdown(client: Checked, paths: dict[str, str]) -> None:
    for name, path in paths.items():
        answer = client.get(path, headers={"Accept": "text/markdown"})
        assert answer.mimetype == "text/markdown"
        heads, rule, first, second = answer.text.splitlines()
        assert set(rule) == set("| -"), name
        assert ("random" in first, "Bob" in second) == (True, True)
        assert heads.count("|") == first.count("|")
