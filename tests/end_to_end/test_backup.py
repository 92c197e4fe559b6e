"""The runbook's backup and restore with real processes: a folder is lost, and players go on with the same keys."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests

from tests import serving
from tests.serving import LINUX, Serving

pytestmark = pytest.mark.skipif(not LINUX, reason="looks for processes in /proc")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    named = {"REDIS_URL", "SPIELTISCH_SECRET", "SPIELTISCH_DATA_DIR"}
    return subprocess.run(
        [sys.executable, "-m", "spieltisch_service.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name not in named},
    )


def answered(method: str, url: str, token: str | None, body: Any = None, key: str = "x" * 40) -> requests.Response:
    headers = {"Idempotency-Key": key} if method == "POST" else {}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    answer = serving.answered(method, url, json=body, headers=headers)
    assert answer.status_code in (200, 201), answer.text
    return answer


def test_players_go_on_after_the_folder_was_lost(tmp_path: Path) -> None:
    folder, saved, secret = tmp_path / "data", tmp_path / "saved", tmp_path / "secret"
    first = Serving(folder, "--port", "0", "--workers", "1").ready()
    try:
        key = answered("POST", f"{first.url}/v1/accounts", None, {"name": "Ada"}).json()["key"]
        wanted = {"game": "neues-land", "seats": ["me", "me"]}
        path = answered("POST", f"{first.url}/v1/matches", key, wanted).headers["Location"]
        legal = answered("GET", f"{first.url}{path}/legal-actions?seat=0", key).json()["legal_actions"]
        act = {"actions": legal[:1], "seat": 0}
        acted = answered("POST", f"{first.url}{path}/actions", key, act)
        record = answered("GET", f"{first.url}{path}/record", key).content
        # While it serves.
        done = command("backup", str(saved), "--data", str(folder))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"{saved}: 1 matches with 3 events, 1 accounts\n"
        shutil.copy(folder / "secret", secret)
        first.process.terminate()
        assert first.ended() == 0
    finally:
        first.clear()
    shutil.rmtree(folder)

    # Without the secret nothing is lost, but no key is good.
    other = command("restore", str(saved), "--data", str(tmp_path / "elsewhere"))
    assert other.returncode == 0
    assert "1 of 1 accounts have keys that were made under another server secret" in other.stderr
    # As the runbook has it: the secret first.
    folder.mkdir()
    shutil.copy(secret, folder / "secret")
    done = command("restore", str(saved), "--data", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert folder.stat().st_mode & 0o777 == 0o700
    second = Serving(folder, "--port", "0", "--workers", "1").ready()
    try:
        assert answered("GET", f"{second.url}{path}/record", key).content == record
        again = answered("POST", f"{second.url}{path}/actions", key, act)
        assert again.content == acted.content
        assert again.headers["Idempotency-Replayed"] == "true"
        seat = again.json()["view"]["to_act"]
        legal = answered("GET", f"{second.url}{path}/legal-actions?seat={seat}", key).json()["legal_actions"]
        on = answered("POST", f"{second.url}{path}/actions", key, {"actions": legal[:1], "seat": seat}, "y" * 40)
        assert on.json()["version"] == 4
        second.process.terminate()
        assert second.ended() == 0
    finally:
        second.clear()
