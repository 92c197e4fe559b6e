"""`serve` as real processes: started, looked at, stopped, and cleared away whatever happened."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

ROOT = Path(__file__).resolve().parents[1]
LINUX = Path("/proc/self/stat").exists()

# Generous, because it only bounds how long a failure takes.
PATIENCE_S = 180.0


def until(true: Callable[[], Any], what: str) -> Any:
    """Return the first true answer of `true`."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = true()
        if answer:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"waited in vain for {what}")


def answered(method: str, url: str, *, session: requests.Session | None = None, **options: Any) -> requests.Response:
    """The answer to a request that may be sent twice.

    As every client has to, it asks again where the store was too slow for the service, which on a machine that is
    busy elsewhere is no finding.
    """

    def ask() -> list[requests.Response]:
        answer = (session or requests).request(method, url, timeout=PATIENCE_S, **options)
        return [] if answer.status_code == 503 else [answer]

    (found,) = until(ask, f"an answer to {method} {url}")
    assert isinstance(found, requests.Response)
    return found


def _stat(pid: int) -> list[str]:
    """The state of a process, the process that started it, and more; nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []


def is_running(pid: int) -> bool:
    return _stat(pid)[:1] not in ([], ["Z"], ["X"])


class Serving:
    """One `serve` on the data folder `folder`, and everything that it starts."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.folder = folder
        self.errors = folder.parent / "stderr.txt"
        self._environment = environment
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "spieltisch_service.cli", "serve", "--data", str(folder), *options],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env={**os.environ, **environment},
            )
        self.url = ""

    def ready(self) -> Serving:
        """Wait for the line that says where it serves."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"Spieltisch serves at (http://\S+) \(documentation: \1/docs\)\n", line)
        assert found, (line, self.complaints())
        self.url = found[1]
        return self

    @property
    def port(self) -> str:
        return self.url.rsplit(":", 1)[1]

    def ended(self) -> int:
        """Wait for the end and return the exit code; nothing but the one line may stand on the output."""
        code = self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        with self.process.stdout as rest:
            assert rest.read() == "" or not self.url
        return code

    def complaints(self) -> str:
        return self.errors.read_text()

    def store(self) -> int:
        return int(json.loads((self.folder / "lock").read_text())["pid"])

    def others(self) -> dict[int, str]:
        """The processes that belong to this service without being its first: process id → command line."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                belongs = f"SPIELTISCH_DATA_DIR={self.folder}".encode() in (folder / "environ").read_bytes()
            except OSError:
                continue
            pid = int(folder.name)
            if (belongs or str(self.folder) in command) and pid != self.process.pid and is_running(pid):
                found[pid] = command
        return found

    def part(self, name: str) -> int:
        """The process id of the part whose command line holds `name`; of those that started each other, the first."""

        def first() -> int:
            found = {pid for pid, command in self.others().items() if name in command}
            return next((pid for pid in found if int((_stat(pid) or ["", "0"])[1]) not in found), 0)

        return int(until(first, name))

    def clear(self) -> None:
        """Leave nothing behind, whatever a test did."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE_S)
        if self.process.stdout is not None:
            self.process.stdout.close()
        for pid in self.others():
            os.kill(pid, signal.SIGKILL)
        until(lambda: not self.others(), "the end of all processes")
