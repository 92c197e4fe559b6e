"""What every released version has stored is read, shown and played on by this one: see `make` for how it came about."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from spieltisch_service.app.backup import check, restore
from spieltisch_service.app.service import Service
from spieltisch_service.domain.verify import verify
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.store.connection import connect, open_vault
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app

HERE = Path(__file__).parent
VERSIONS = sorted(path.name for path in HERE.iterdir() if re.fullmatch(r"[0-9.]+", path.name))


class Golden:
    """A store as a version left it behind, served by this version."""

    def __init__(self, folder: Path, source: str, url: str) -> None:
        self.expected: dict[str, Any] = json.loads((folder / "expected.json").read_text())
        self.ada, self.bob = self.expected["keys"]
        self.reserved = source == "store"
        secret = self.expected["secret"].encode()
        if source == "store":
            _load(url, json.loads((folder / "store.json").read_text()))
        else:
            with (folder / "backup.gz").open("rb") as file:
                vault = open_vault(url)
                done = restore(file, check(file), vault, secret)
                vault.close()
            assert done.foreign_keys == 0
        self.hub = Hub(url)
        self.store = connect(url)
        self._client: FlaskClient = create_app(Service(self.store, self.hub, secret, bots=("random",))).test_client()

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self._client.open(path, method=method, json=body, headers=named)
        assert answer.status_code in (200, 201), (path, answer.get_data())
        return answer

    def get(self, path: str, token: str | None) -> Any:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self.send("GET", path, **headers).get_json()


def _load(url: str, content: Mapping[str, Any]) -> None:
    """Write every key, byte for byte."""
    with redis.Redis.from_url(url) as client:
        for key, value in content.items():
            ((kind, kept),) = value.items()
            if kind == "hash":
                pairs = [b64decode(word) for pair in kept.items() for word in pair]
                client.execute_command("HSET", key, *pairs)
            elif kind == "list":
                client.execute_command("RPUSH", key, *map(b64decode, kept))
            elif kind == "zset":
                pairs = [word for member, score in kept for word in (score, b64decode(member))]
                client.execute_command("ZADD", key, *pairs)
            else:
                client.set(key, b64decode(kept))


@pytest.fixture(params=[(name, source) for name in VERSIONS for source in ("store", "backup")], ids="-".join)
def golden(request: pytest.FixtureRequest, clean_valkey: str) -> Iterator[Golden]:
    name, source = request.param
    found = Golden(HERE / name, source, clean_valkey)
    yield found
    found.hub.close()
    found.store.close()


def contains(found: Any, expected: Any, where: str = "") -> None:
    """What was shown is shown still; a later version may show more fields, and nothing else may differ."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        for key, value in expected.items():
            assert key in found, f"{where}/{key} is missing"
            contains(found[key], value, f"{where}/{key}")
    elif isinstance(expected, list):
        assert isinstance(found, list), where
        assert len(found) == len(expected), where
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            contains(one, other, f"{where}/{i}")
    else:
        assert found == expected, where


def test_what_was_seen_is_seen_still(golden: Golden) -> None:
    for one in golden.expected["matches"]:
        path = one["path"]
        contains(golden.get(path, golden.ada), one["match"], path)
        assert golden.get(f"{path}/record", golden.ada)["hash"] == one["hash"]
        for view, answers in one["views"].items():
            for token, expected in zip((golden.ada, golden.bob, None), answers, strict=False):
                contains(golden.get(f"{path}{view}", token), expected, f"{path}{view}")


def test_what_was_answered_is_answered_still(golden: Golden) -> None:
    repeated = [
        # These keys are kept for a day only, and a backup keeps that day.
        one
        for one in golden.expected["repeated"]
        if golden.reserved or one["path"] not in ("/v1/accounts", "/v1/matches")
    ]
    assert len(repeated) > 20
    for one in repeated:
        answer = golden.send("POST", one["path"], one["body"], **one["headers"])
        assert answer.status_code == one["status"]
        assert answer.headers["Idempotency-Replayed"] == "true"
        contains(answer.get_json(), one["answer"], one["path"])


def test_every_match_goes_on_as_it_did(golden: Golden) -> None:
    for one in golden.expected["matches"]:
        path = one["path"]
        for seat, action in one["went_on"]:
            token = (golden.ada, golden.bob)[seat]
            view = golden.get(f"{path}/view", token)
            assert action in view["legal_actions"], (path, view["version"])
            golden.send("POST", f"{path}/actions", {"actions": [action]}, Authorization=f"Bearer {token}")
        record = golden.get(f"{path}/record", golden.ada)
        assert {key: record[key] for key in one["end"]} == one["end"], path
        if record["status"] in ("finished", "aborted"):
            verify(record)


def test_the_lists_are_there(golden: Golden) -> None:
    matches = golden.expected["matches"]
    ids = {one["match"]["id"] for one in matches}
    bots = {one["match"]["id"] for one in matches if one["match"]["seats"][0]["kind"] == "bot"}
    assert set(golden.store.waiting_for_bots(100)) == bots
    rematches = {one["match"]["rematch"] for one in matches} - {None}
    public = {one["match"]["id"] for one in matches if one["match"]["visibility"] == "public"} | rematches
    assert {match["id"] for match in golden.get("/v1/matches", None)["matches"]} == public
    assert {match["id"] for match in golden.get("/v1/matches?mine=true", golden.ada)["matches"]} == ids | rematches
    deciding = {
        one["match"]["id"]
        for one in matches
        if one["match"]["status"] == "running"
        and one["views"]["/view"][0]["to_act"] == one["views"]["/view"][0]["seat"]
    }
    found = {one["match"] for one in golden.get("/v1/me/decisions", golden.ada)["decisions"]}
    assert found - rematches == deciding


def test_this_version_has_left_its_own_behind() -> None:
    assert version("spieltisch-service") in VERSIONS, "run python -m tests.golden.make and commit what it writes"


@pytest.mark.parametrize("name", VERSIONS)
def test_every_kind_of_match_is_among_them(name: str) -> None:
    matches = json.loads((HERE / name / "expected.json").read_text())["matches"]
    seen = {(one["match"]["game"], one["match"]["status"]) for one in matches}
    games = {one["match"]["game"] for one in matches}
    assert games <= set(GAMES)
    assert len(games) >= 2
    assert seen == {(game, status) for game in games for status in ("open", "running", "finished", "aborted")}
    for game in games:
        phases = {view["phase"] for one in matches if one["match"]["game"] == game for view in one["views"]["/view"]}
        # Phases that a later version adds are no matter of an earlier one's matches.
        assert phases - {None} <= set(GAMES[game].phases)
        assert len(phases - {None, "over"}) >= 2
        ends = {
            one["match"]["result"]["end_reason"]
            for one in matches
            if one["match"]["game"] == game and one["match"]["status"] == "finished"
        }
        assert ends == {"completed", "last_seat"}
