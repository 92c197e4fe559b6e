"""Tournaments go on as every released version has stored them: see `tournaments` for how they came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spieltisch_service.app.service import Service
from spieltisch_service.domain.tournament.export import recompute
from tests.golden.make import Asker
from tests.golden.test_golden import HERE, Golden, contains
from tests.golden.tournaments import READ, are_complete, play, tables_of

VERSIONS = sorted(path.parent.name for path in HERE.glob("*/tournaments"))


class Cups(Golden):
    """Its tournaments, served with the house bot that plays in them."""

    def __init__(self, name: str, source: str, url: str) -> None:
        super().__init__(HERE / name / "tournaments", source, url)
        self.service = Service(self.store, self.hub, self.expected["secret"].encode(), bots=("random",))
        self.asker = Asker(self.service)


@pytest.fixture(params=[(name, source) for name in VERSIONS for source in ("store", "backup")], ids="-".join)
def cups(request: pytest.FixtureRequest, clean_valkey: str) -> Iterator[Cups]:
    found = Cups(*request.param, clean_valkey)
    yield found
    found.hub.close()
    found.store.close()


def test_every_version_is_there() -> None:
    assert VERSIONS


def test_it_reads_as_it_did(cups: Cups) -> None:
    for path, expected in cups.expected["read"].items():
        contains(cups.asker.get(path), expected, path)
    contains(cups.asker.get("/v1/ratings/wunderland?clock_class=correspondence"), cups.expected["ratings"])
    assert len(cups.expected["read"]) == 2 * len(READ)


def test_its_results_can_be_computed_again(cups: Cups) -> None:
    over = cups.expected["over"]
    contains(cups.asker.get(f"{over}/results"), cups.expected["results"])
    id_ = over.rpartition("/")[2]
    assert recompute(cups.service.tournaments.export(id_)) == cups.service.tournaments.results(id_)


def test_it_goes_on_to_its_end(cups: Cups) -> None:
    half = cups.expected["half"]
    hidden = [cups.asker.get(f"/v1/matches/{result['match']}/record")["deal"] for result in _last_table(cups, half)]
    assert hidden == [None]
    play(cups.asker, cups.service, cups.expected["keys"], half, are_complete)
    ended = cups.asker.get(half)
    while ended["status"] != "finished":
        cups.service.director.look_after(half.rpartition("/")[2])
        ended = cups.asker.get(half)
    assert ended["reason"] == "rounds"
    ratings = cups.asker.get("/v1/ratings/wunderland?clock_class=correspondence")
    assert ratings["version"] == 12


def _last_table(cups: Cups, path: str) -> list[Any]:
    """The results of the table that was being played."""
    tables = tables_of(cups.asker, path)
    results: list[Any] = next(table["results"] for table in tables if 0 < len(table["results"]) < table["matches"])
    return results
