"""Service and anchors side by side: one store, the same gunicorn settings, two workers each."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import redis

import spieltisch_service
from benchmarks import anchors
from benchmarks.cpu import spent_s
from benchmarks.load import Generator, Load, Result
from benchmarks.measure import Invalid
from spieltisch_service.app.clocks import Clocks
from spieltisch_service.app.limits import RATES
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.store.connection import connect
from spieltisch_service.store.embedded import EmbeddedStore

ANCHOR_MATCHES = 256
_CONFIG = Path(spieltisch_service.__file__).with_name("gunicorn.conf.py")
_START_S = 30.0


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the service with its key."""

    id: str
    name: str
    key: str


class Site:
    """A service and the anchors over one store in a folder of its own; a context manager that stops everything.

    `durability` is the store's: `fsync` or `fast`. `port` is the service's, `anchor_port` that of the anchors, which
    can be left out. `limits`: the service counts all requests against limits that nobody reaches.
    """

    def __init__(
        self,
        *,
        durability: str = "fsync",
        generator: str | None = None,
        with_anchors: bool = True,
        limits: bool = False,
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="spieltisch-bench-"))
        self._store = EmbeddedStore(self._folder / "store", "fast" if durability == "fast" else "fsync")
        self._processes: list[subprocess.Popen[bytes]] = []
        self._open = ExitStack()
        self._with_anchors = with_anchors
        self._limits = limits
        self.durability = durability
        self.generator = Generator(self._folder, name=generator)
        self.port = self.anchor_port = 0

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(30)
        self._open.close()
        self._store.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> None:
        self._store.start()
        self.store: redis.Redis = redis.Redis.from_url(self._store.url)
        matches = connect(self._store.url)
        self._open.callback(self.store.close)
        self._open.callback(matches.close)
        self.live = LiveMatches(matches, Clocks(matches, serves=False))
        environment = dict(os.environ)
        environment |= {
            "REDIS_URL": self._store.url,
            "SPIELTISCH_SECRET": secrets.token_hex(32),
            "SPIELTISCH_DURABILITY": self.durability,
            "SPIELTISCH_WORKERS": "2",
            "SPIELTISCH_SUPERVISOR_PID": str(os.getpid()),
        }
        if self._limits:
            rates = ",".join(f"{policy}=999999999/999999999" for policy in RATES)
            environment |= {
                "SPIELTISCH_LIMITS": "on",
                "SPIELTISCH_RATES": rates,
                "SPIELTISCH_LIVE_MATCHES": "999999999",
                "SPIELTISCH_STREAMS_PER_KEY": "2000",
            }
        self.port = self._serve(environment)
        if self._with_anchors:
            anchors.lay_out(self.store, ANCHOR_MATCHES)
            self.anchor_port = self._serve_anchors(environment)

    def _serve(self, environment: dict[str, str]) -> int:
        command = [sys.executable, "-m", "spieltisch_service.cli", "serve", "--port", "0"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        self._processes.append(process)
        assert process.stdout is not None
        self._open.callback(process.stdout.close)
        # Its first line says where it serves, once it does.
        found = re.search(rb"serves at http://[^ ]*:(\d+)", process.stdout.readline())
        if found is None:
            raise Invalid("the service did not start")
        return int(found[1])

    def _serve_anchors(self, environment: dict[str, str]) -> int:
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", 0))
            listener.listen(2048)
            port: int = listener.getsockname()[1]
            fd = listener.fileno()
            command = [sys.executable, "-m", "gunicorn", "--config", str(_CONFIG), "--bind", f"fd://{fd}"]
            command += ["benchmarks.anchors:application"]
            root = Path(__file__).parent.parent
            self._processes.append(subprocess.Popen(command, env=environment, pass_fds=(fd,), cwd=root))
        deadline = time.monotonic() + _START_S
        while True:
            try:
                self.ask("GET", "/hello", port=port)
            except OSError:
                if time.monotonic() > deadline:
                    raise Invalid("the anchors did not start") from None
                time.sleep(0.1)
            else:
                return port

    def load(self, load: Load, seconds: int, *, on_anchors: bool = False) -> Result:
        """Send a load to the service or to the anchors. Raises Invalid."""
        server = self._processes[1 if on_anchors else 0].pid
        store = self._store.pid
        assert store is not None
        before_s = spent_s([server, store])
        result = self.generator.run(self.anchor_port if on_anchors else self.port, load, seconds)
        after_s = spent_s([server, store])
        if before_s is None or after_s is None:
            return result
        return replace(result, cpu_ms=1000 * (after_s - before_s) / (result.per_s * seconds))

    def ask(self, method: str, path: str, body: Any = None, *, port: int | None = None, key: str | None = None) -> Any:
        """One request over a connection of its own; the JSON of its answer. Raises Invalid for a refusal."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=10)
        try:
            return ask(connection, method, path, body, key=key)
        finally:
            connection.close()

    def account(self, name: str) -> Account:
        """A new account."""
        made = self.ask("POST", "/v1/accounts", {"name": name})
        return Account(made["account"]["id"], name, made["key"])


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: Any, *, key: str | None) -> Any:
    """One request over `connection`; the JSON of its answer. Raises Invalid for a refusal."""
    headers = {"Idempotency-Key": secrets.token_hex(16)} if method == "POST" else {}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise Invalid(f"{method} {path}: {answer.status} {text.decode(errors='replace')}")
    return json.loads(text)
