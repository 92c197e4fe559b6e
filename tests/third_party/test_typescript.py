"""A client that is made from the API description alone, by tools that are not ours, plays whole matches."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from spieltisch_service.domain.verify import verify
from tests.serving import Serving

ROOT = Path(__file__).parents[2]
CLIENT = Path(__file__).with_name("typescript")
OLDEST_NODE = 20
# Generous, because it only bounds how long a failure takes.
PATIENCE_S = 300
#: What npm says when there is no way to a registry; a registry that answers wrongly is a failure.
UNREACHED = re.compile(r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|E?TIMEDOUT)\b")
#: The rule against what the bot tries once: a tile upon another one, a journey of no track.
FORBIDDEN_BY = {"neues-land": "N22", "wunderland": "W21"}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def succeeds(folder: Path, *command: str) -> str:
    done = run(folder, *command)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The client, with types generated from the committed description, compiled; skips where that cannot be done."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("node and npm are not at hand: no TypeScript client was made")
    version = run(tmp_path, node, "--version").stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"node is {version}, older than {OLDEST_NODE}: no TypeScript client was made")
    folder = tmp_path / "client"
    shutil.copytree(CLIENT, folder, ignore=shutil.ignore_patterns("node_modules", "built", "spieltisch.*"))
    installed = run(folder, npm, "ci", "--prefer-offline", "--fetch-retries=1")
    unreached = UNREACHED.search(installed.stderr)
    if installed.returncode != 0 and unreached:
        pytest.skip(f"npm reaches no registry ({unreached[1]}): no TypeScript client was made")
    assert installed.returncode == 0, installed.stderr
    shutil.copy(ROOT / "openapi" / "openapi.json", folder / "spieltisch.json")
    succeeds(folder, npm, "run", "--silent", "generate")
    succeeds(folder, npm, "run", "--silent", "compile")
    return folder


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    serving = Serving(tmp_path / "data", "--port", "0", "--workers", "1")
    try:
        yield serving.ready().url
    finally:
        serving.clear()


def record(url: str, match: str) -> Any:
    answer = requests.get(f"{url}/v1/matches/{match}/record", timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_generated_client_plays_a_whole_match_of_each_game(built: Path, url: str) -> None:
    for game, rule in FORBIDDEN_BY.items():
        told = json.loads(succeeds(built, "node", "built/play.js", url, game))
        proof = record(url, told["match"])
        verify(proof)
        assert (proof["game"], proof["status"]) == (game, "finished")
        assert told["result"] == proof["result"]
        assert told["result"]["end_reason"] == "completed"
        # It was refused twice, as it asked for, and got on by what the two problems offered.
        assert [stale["now"] - stale["sent"] for stale in told["stale"]] == [1]
        assert [refusal["rule"] for refusal in told["refusals"]] == [rule]
        assert 1 <= told["refusals"][0]["suggestions"] <= 3
        assert told["played"] == [done["action"] for done in proof["actions"] if done["seat"] == 0]
        if game == "neues-land":  # Wunderland's postcards are counted at the end, by no event of their own (W61).
            assert told["points"] == told["result"]["scores"]


def test_the_client_leaves_every_type_to_the_description() -> None:
    """What compiles because the types were overruled shows nothing."""
    for path in sorted(CLIENT.glob("*.ts")):
        code = re.sub(r"/\*.*?\*/|//[^\n]*|`(?:[^`\\]|\\.)*`|\"[^\"\n]*\"", "", path.read_text(), flags=re.DOTALL)
        assert re.findall(r"\bany\b|\bas\b|\w!(?!=)|@ts-ignore|@ts-nocheck", code) == [], path.name


def test_the_lock_has_hashes_and_names_no_registry() -> None:
    locked = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    named = json.loads((CLIENT / "package.json").read_text())
    for name, package in locked.items():
        assert "resolved" not in package, name
        assert not name or package["integrity"].startswith("sha512-"), name
    for name, version in {**named["dependencies"], **named["devDependencies"]}.items():
        assert locked[f"node_modules/{name}"]["version"] == version, name
