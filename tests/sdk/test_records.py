"""Records as files, and what they prove without the rules."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spieltisch import Client, records

# --- the contract's own examples ----------------------------------------------------------------------------


def test_the_chain_begins_as_the_contract_says() -> None:
    event = {
        "seq": 1,
        "type": "match_created",
        "at": "2026-01-31T12:00:00.000Z",
        "seat": None,
        "data": {"match": "mt_example"},
        "hash": "391aa2d50c491d3ec6e032daa80d87c16c12e8309eb6957227d13dd1dad2be07",
    }
    record = {"events": [event], "version": 1, "hash": event["hash"]}
    assert records._chain(record) == []
    assert records._chain({**record, "events": [{**event, "seat": 0}]}) == ["the chain breaks at event 1"]


def test_nonces_make_the_deal_seed() -> None:
    seed = bytes(range(32))
    made = records.deal_seed(seed, ["ada", None])
    assert made.hex() == "aa25a70e9b3e8794a024b93afef6ae590ba3993d3115a64fe6a8765d68776d93"
    cards = records.shuffled(sorted(f"c{number:02}" for number in range(1, 49)), made)
    assert cards[:4] == ["c30", "c13", "c25", "c46"]
    assert cards[-1] == "c14"


def test_json_is_written_as_rfc_8785_has_it() -> None:
    # Names in the order of their UTF-16 code units: a pair of surrogates comes before U+FB33.
    value = {"\ufb33": 1, "\U0001f600": [True, None, -7], "a": 'ö"\n\x0f/', "\r": {}}
    assert records.canonical(value) == '{"\\r":{},"a":"ö\\"\\n\\u000f/","\U0001f600":[true,null,-7],"\ufb33":1}'
    with pytest.raises(ValueError, match="integers"):
        records.canonical([0.5])


# --- records of a service -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(live_server: str) -> dict[str, Any]:
    """A match with a nonce, played to its end."""
    me = Client(live_server).register("Ada")
    match = me.matches.create(
        "wunderland", seats=["me", "me"], options={"round_limit": 2}, start="manual", visibility="unlisted"
    )
    match.start(nonces={1: "of-ada"})
    for turn in match.turns():
        turn.act(turn.legal_actions[0])
    return match.record()


def test_a_record_proves_itself(played: dict[str, Any]) -> None:
    assert played["proof"]["nonces"] == [None, "of-ada"]
    assert records.check(played) == []


def action(record: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(event for event in record["events"] if event["type"] == "action")
    return found


Change = Callable[[dict[str, Any]], Any]
FORGERIES: dict[str, tuple[Change, str]] = {
    "an event changed": (lambda r: action(r)["data"].update(points=99), "the chain breaks"),
    "an event left out": (lambda r: r["events"].pop(3), "is missing"),
    "the last event left out": (lambda r: r["events"].pop(), "version and hash"),
    "another hash": (lambda r: r.update(hash="0" * 64), "version and hash"),
    "another seed": (lambda r: r["proof"].update(seed="00" * 32), "committed to"),
    "another match": (lambda r: r.update(match="mt_other"), "not those of the log"),
    "another nonce": (lambda r: r["proof"].update(nonces=[None, None]), "nonces"),
    "two cards changed places": (
        lambda r: r["deal"].update(deck=[*r["deal"]["deck"][1::-1], *r["deal"]["deck"][2:]]),
        "not the one that seed and nonces give",
    ),
    "no proof": (lambda r: r.update(proof=None), "proof is missing"),
    "no deal": (lambda r: r.update(deal=None), "deal is missing"),
    "an action left out": (lambda r: r["actions"].pop(), "extract"),
    "another winner": (lambda r: r["result"].update(ranks=[2, 1]), "the result"),
    "still running": (lambda r: r.update(status="running"), "the status"),
    "another form": (lambda r: r.pop("events"), "form of spieltisch-record/1"),
    "nothing in it": (lambda r: r.update(events=[]), "form of spieltisch-record/1"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_found(played: dict[str, Any], name: str) -> None:
    forged = copy.deepcopy(played)
    if name == "another winner" and forged["result"]["ranks"] == [2, 1]:
        forged["result"]["ranks"] = [1, 2]
    change, problem = FORGERIES[name]
    change(forged)
    assert any(problem in found for found in records.check(forged)), records.check(forged)


def test_a_running_match_proves_nothing_yet(live_server: str) -> None:
    match = Client(live_server).register("Ada").matches.create("wunderland", ["me", "me"])
    assert any("not shown yet" in problem for problem in records.check(match.record()))


# --- files --------------------------------------------------------------------------------------------------


def test_a_match_is_exported(ada: Client, tmp_path: Path) -> None:
    match = ada.matches.create("wunderland", ["me", "me"])
    match.resign(seat=0)
    file = match.export(tmp_path / "record.json")
    assert file == tmp_path / "record.json"
    assert json.loads(file.read_text("utf-8")) == match.record() == records.read(file)
    assert records.check(records.read(file)) == []


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    file = records.write({"format": records.FORMAT, "a": 1}, tmp_path / "record.json")
    with pytest.raises(TypeError):
        records.write({"format": records.FORMAT, "a": object()}, file)
    (file.parent / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        records.write({"format": records.FORMAT}, file.parent / "taken")
    assert records.read(file) == {"format": records.FORMAT, "a": 1}
    assert {path.name for path in tmp_path.iterdir()} == {"record.json", "taken"}


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"format": "other/1"}', "[" * 100_000])
def test_a_file_without_a_record_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "record.json"
    file.write_text(text)
    with pytest.raises(ValueError):  # noqa: PT011  json says it in its own words
        records.read(file)
