"""A service of its own to record from, and the files that are recorded."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.recording import Recorder, Send, examples_of, play_match, visit_operations, whole_match

START_S = 60.0


@contextmanager
def running_service() -> Iterator[Send]:
    """A service of its own with an empty store, stopped afterwards."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = [sys.executable, "-m", "spieltisch_service.cli", "serve", "--port", str(port), "--workers", "1"]
        process = subprocess.Popen([*command, "--data", str(Path(folder) / "data")])  # noqa: S603 (our own command)
        try:
            yield _over_http(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait(timeout=60)


def _over_http(base: str) -> Send:
    session = requests.Session()
    session.trust_env = False
    give_up_s = time.monotonic() + START_S
    while True:
        try:
            if session.get(f"{base}/readyz", timeout=5).status_code == 200:
                break
        except (requests.ConnectionError, requests.Timeout):
            if time.monotonic() > give_up_s:
                raise
        time.sleep(0.1)

    def send(
        method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        answer = session.request(method, base + path, headers={"Accept": "*/*", **headers}, data=body, timeout=60)
        return answer.status_code, answer.headers, answer.content

    return send


def record_examples(folder: Path, examples: Path) -> None:
    """Play against a service of our own, and write `examples` and one file a game into `folder`."""
    with running_service() as send:
        recorder = Recorder(send, "operations")
        visit_operations(recorder)
        _write(examples, examples_of(recorder.kept))
        for game in GAMES:
            recorder = Recorder(send, game)
            play_match(recorder, game)
            _write(folder / f"{game}.json", whole_match(recorder.kept, game))


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
