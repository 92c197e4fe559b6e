"""Running matches with clocks go on as every released version has stored them: see `timed` for how they came about."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest

from spieltisch_service.domain import clock
from spieltisch_service.domain.events import instant_ms
from tests.golden.test_golden import HERE, Golden, contains
from tests.golden.timed import LAPSED, MATCHES, standing

VERSIONS = sorted(path.parent.name for path in HERE.glob("*/timed"))


class Timed(Golden):
    """Its matches by name, and what is asked of them as Ada."""

    def __init__(self, name: str, source: str, url: str) -> None:
        super().__init__(HERE / name / "timed", source, url)
        self.source = source
        self.matches: dict[str, Any] = {one["name"]: one for one in self.expected["matches"]}

    def ask(self, path: str) -> Any:
        return self.get(path, self.ada)

    def log(self, one: Any) -> list[Any]:
        events: list[Any] = self.ask(f"{one['path']}/events")["events"]
        return events


@pytest.fixture(params=[(name, source) for name in VERSIONS for source in ("store", "backup")], ids="-".join)
def timed(request: pytest.FixtureRequest, clean_valkey: str) -> Iterator[Timed]:
    found = Timed(*request.param, clean_valkey)
    yield found
    found.hub.close()
    found.store.close()


def test_what_the_clocks_showed_they_show_still(timed: Timed) -> None:
    for one in timed.matches.values():
        path = one["path"]
        assert timed.ask(path)["clock"] == one["clock"]
        assert timed.log(one)[one["version"] - 1]["hash"] == one["hash"]
        for seat, expected in enumerate(one["views"], -1):
            assert len(expected["remaining_ms"]) == len(expected["scores"])
            assert expected["deadline_at"] is not None
            whose = "" if seat < 0 else f"&seat={seat}"
            contains(timed.ask(f"{path}/view?at={one['version']}{whose}"), expected, f"{path} {whose}")


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's time is over meanwhile, however slow this machine is."""
    monkeypatch.setattr(clock, "GRACE_MS", 1_000_000_000)


@pytest.mark.usefixtures("unhurried")
def test_nobody_has_lost_time_since_then(timed: Timed) -> None:
    for name, one in timed.matches.items():
        if name == "overdue" and timed.source == "store":
            continue
        before, now = one["views"][0], timed.ask(f"{one['path']}/view")
        (extended,) = timed.log(one)[one["version"] :]
        assert (extended["type"], extended["seat"]) == ("clock_extended", before["to_act"]), name
        given_ms = extended["data"]["ms"]
        assert given_ms > 0
        assert now["remaining_ms"] == before["remaining_ms"]
        assert instant_ms(now["deadline_at"]) == instant_ms(before["deadline_at"]) + given_ms
        assert standing(now) == standing(before)


def test_what_nobody_had_noticed_has_happened_at_the_deadline(timed: Timed) -> None:
    """A backup does not tell until when the service was up; a store does, and then the time was over."""
    if timed.source == "backup":
        return
    one = timed.matches["overdue"]
    timed.ask(f"{one['path']}/view")
    lapsed = timed.log(one)[one["version"]]
    assert (lapsed["type"], lapsed["seat"], lapsed["data"]["cause"]) == ("action", 0, "timeout")
    assert lapsed["at"] == one["views"][0]["deadline_at"]


@pytest.mark.usefixtures("unhurried")
def test_every_match_goes_on_as_it_did(timed: Timed) -> None:
    for name, one in timed.matches.items():
        for seat, action in one["went_on"]:
            path = one["path"]
            assert action in timed.ask(f"{path}/view?seat={seat}")["legal_actions"], name
            body = {"actions": [action], "seat": seat}
            timed.send("POST", f"{path}/actions", body, Authorization=f"Bearer {timed.ada}")
        if one["went_on"]:
            contains(standing(timed.ask(f"{one['path']}/view")), one["end"], name)


def test_this_version_has_left_its_own_behind() -> None:
    assert version("spieltisch-service") in VERSIONS, "run python -m tests.golden.timed and commit what it writes"


@pytest.mark.parametrize("name", VERSIONS)
def test_every_kind_of_clock_is_among_them(name: str) -> None:
    matches = {one["name"]: one for one in json.loads((HERE / name / "timed" / "expected.json").read_text())["matches"]}
    assert set(matches) >= {*MATCHES, "overdue"}
    assert {one["clock"]["kind"] for one in matches.values()} == {"per_decision", "fischer", "correspondence"}
    fischer = matches["fischer"]
    assert fischer["views"][0]["remaining_ms"] != [fischer["clock"]["initial_ms"]] * 2
    for lapsed in LAPSED:
        assert len(matches[lapsed]["went_on"]) > 0
