"""What a report says: the results of the log, and beside them times, faults and where it comes from."""

from __future__ import annotations

import hashlib
import json

from spieltisch_service.domain.tournament.export import results
from spieltisch_service.reports.content import report
from tests.reports.reported import ADA, content, duel


def test_it_holds_the_results_of_the_log() -> None:
    state, ended = duel()
    found = report(state, ended)
    expected = results(state, ended)
    assert {name: found[name] for name in expected if name != "format"} == {
        name: value for name, value in expected.items() if name != "format"
    }
    assert found["format"] == "spieltisch-tournament-report/1"
    assert json.loads(json.dumps(found)) == found


def test_each_entrant_has_all_that_is_known_of_it() -> None:
    # Ada sits first in the first match and second in the other, and wins both.
    ada, bob = content()["entrants"]
    assert (ada["rank"], ada["entrant"], ada["name"], ada["points"], ada["wins"]) == (1, "ada", ADA, 1.0, 2)
    assert (ada["faults"], bob["faults"]) == ({}, {"resigned": 1})
    # Three decisions in 6 ms, two in 4 ms: what stands beside the log is more exact than what is in it.
    assert ada["time"] == {"decisions": 3, "mean_ms": 2.0, "longest_ms": 3.0}
    assert bob["time"] == {"decisions": 2, "mean_ms": 2.0, "longest_ms": 2.5}
    assert ada["statistics"]["score"]["mean"] == 1.0
    assert ada["rating"]["rating"] > 1500 > bob["rating"]["rating"]


def test_without_details_the_log_tells_the_time() -> None:
    ada, bob = report(*duel())["entrants"]
    assert ada["time"] == {"decisions": 3, "mean_ms": 10.0, "longest_ms": None}
    assert bob["time"] == {"decisions": 2, "mean_ms": 5.0, "longest_ms": None}


def test_what_went_wrong_is_told_once() -> None:
    (note,) = content()["notes"]
    assert (note["entrant"], note["match"], note["version"], note["times"]) == ("bob", "to.1.1.1", 7, 2)


def test_the_seed_stays_secret_until_the_end() -> None:
    running = content(ranks=((1, 2), (2, 1), (1, 2)), finished=False)
    assert "seed" not in running["setup"]
    assert "secret seed" not in json.dumps(running)
    assert running["matches"] == {"played": 3, "decided": 0, "voided": 0, "left": 1}
    ended = content()
    assert ended["setup"]["seed"] == "secret seed"
    committed = hashlib.sha256(b"spieltisch-tournament/1\nto\nsecret seed").hexdigest()
    assert running["commitment"] == ended["commitment"] == committed
