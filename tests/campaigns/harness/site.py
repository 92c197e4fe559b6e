"""A service to attack: real processes as `serve` starts them, or the same applications in threads of this process.

The second kind starts at once and takes planted bugs as they are; it is what the short forms use where they can. Both
listen on a port, have workers that share nothing but the store, and a real store on the disk.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import socket
import threading
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Protocol, Self

from werkzeug.serving import WSGIRequestHandler, make_server

from spieltisch_service import bootstrap
from spieltisch_service.app.archive import BadArchive
from spieltisch_service.app.limits import RATES
from spieltisch_service.app.proving import prove as prove_whole
from spieltisch_service.settings import Durability, Settings
from spieltisch_service.store.connection import open_vault
from spieltisch_service.store.embedded import EmbeddedStore
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app
from tests.campaigns.harness.armed import FAULTS, PLANT, Faults, Killed, fault_points
from tests.campaigns.harness.campaign import Finding, Run, Skipped
from tests.campaigns.harness.plants import planted
from tests.patience import long_calls
from tests.serving import LINUX, ROOT, Serving, is_running, until

SECRET = "a secret of the campaigns, thirty-two bytes or more"
#: So many requests that none is one too many.
_OUT_OF_REACH = 999_999_999
_RATES = {
    policy: replace(rate, per_key=rate.per_key and _OUT_OF_REACH, per_address=_OUT_OF_REACH)
    for policy, rate in RATES.items()
}


class StoreProcess(Protocol):
    """The process of a store that can be killed and comes back with what is on the disk."""

    url: str

    def kill(self) -> None:
        """As `kill -9` does."""

    def start(self) -> None:
        """Start it (again) and wait until it answers."""

    def stop(self) -> None:
        """End it for good."""


class OwnStore:
    """The service's own store, started from here."""

    def __init__(self, folder: Path, durability: Durability = "fsync") -> None:
        self._store = EmbeddedStore(folder, durability)
        self._started = False
        self.url = ""

    def start(self) -> None:
        """See `StoreProcess`."""
        if self._started:
            until(self._store.revive, "the end of the store's process")
        else:
            self._store.start()
            self.url, self._started = self._store.url, True

    def kill(self) -> None:
        """See `StoreProcess`. It is over when this returns: what it was writing is written."""
        pid = self._store.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        until(lambda: not is_running(pid), "the end of the store's process")

    def stop(self) -> None:
        """See `StoreProcess`."""
        self._store.stop()


class Site(Protocol):
    """What both kinds have: a port, the store's URL, fault points, and workers that can be killed."""

    port: int
    faults: Faults

    @property
    def store_url(self) -> str:
        """Where the store listens."""

    def kill_worker(self, rng: random.Random) -> bool:
        """End one worker as `kill -9` does; False where there is none to be ended just now."""

    def kill_store(self) -> None:
        """End the store as `kill -9` does."""

    def await_store(self) -> None:
        """Wait until the store is back."""


class Within:
    """The service in threads of this process: `workers` applications over one store, asked in turn."""

    def __init__(self, run: Run, *, workers: int = 2, store: StoreProcess | None = None, limits: bool = False) -> None:
        self.faults = Faults(run.folder / "faults")
        self.store = store or OwnStore(run.folder / "data")
        self._run, self._count, self._limits = run, workers, limits
        self._open = ExitStack()
        self._turn = itertools.count()
        self._services: list[Any] = []
        self._apps: list[Any] = []
        self._at = threading.local()

    def __enter__(self) -> Self:
        try:
            self.store.start()
            self._open.callback(self.store.stop)
            self._open.enter_context(planted(self._run.plant))
            self._open.enter_context(fault_points(self.faults, _die))
            settings = Settings(redis_url=self.store_url, secret=SECRET, data_dir=self._run.folder / "data")
            if self._limits:
                settings = replace(settings, limits="on", rates=_RATES)
            for _ in range(self._count):
                service = bootstrap.build_service(settings)
                assert isinstance(service.bell, Hub)
                self._open.callback(service.bell.close)
                self._open.callback(service.heart.stop)
                self._services.append(service)
                self._apps.append(create_app(service, settings))
            self._serve()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def store_url(self) -> str:
        """See `Site`."""
        return self.store.url

    @property
    def services(self) -> Sequence[Any]:
        """What the workers have, each its own."""
        return self._services

    def _serve(self) -> None:
        site = self

        class Handler(WSGIRequestHandler):
            protocol_version = "HTTP/1.1"

            def run_wsgi(self) -> None:
                try:
                    super().run_wsgi()
                except Killed:
                    site._died()
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)

            def log(self, *_: Any, **__: Any) -> None:
                return

        server = make_server("127.0.0.1", 0, self._take_turns, threaded=True, request_handler=Handler)
        server.daemon_threads = True
        server.block_on_close = False
        # A client that has gone, or a connection that was cut, is no news here.
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.port: int = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self._open.callback(thread.join)
        self._open.callback(server.server_close)
        self._open.callback(server.shutdown)

    def _take_turns(self, environ: Any, start_response: Any) -> Any:
        self._at.worker = next(self._turn) % self._count
        return self._apps[self._at.worker](environ, start_response)

    def _died(self) -> None:
        """What a worker had in memory is gone with it."""
        self._services[self._at.worker].live.memory.clear()

    def kill_worker(self, _: random.Random) -> bool:
        """See `Site`. Threads die at fault points only."""
        return False

    def kill_store(self) -> None:
        """See `Site`."""
        self.store.kill()

    def await_store(self) -> None:
        """See `Site`."""
        self.store.start()


def _die() -> NoReturn:
    raise Killed


class Served:
    """The service as `serve` starts it, with its supervisor, server, workers, house bots and store."""

    def __init__(self, run: Run, *, workers: int = 2, **environment: str) -> None:
        if not LINUX:
            raise Skipped("looks for processes in /proc")
        self.faults = Faults(run.folder / "faults")
        inside = Path(__file__).with_name("inside")
        self._environment = {
            "PYTHONPATH": os.pathsep.join(filter(None, (str(inside), str(ROOT), os.environ.get("PYTHONPATH")))),
            FAULTS: str(self.faults.folder),
            PLANT: run.plant or "",
            "REDIS_URL": "",
            "SPIELTISCH_SECRET": SECRET,
            **environment,
        }
        self._folder = run.folder / "data"
        self._options = ("--port", "0", "--workers", str(workers))
        self._killed_store = 0

    def __enter__(self) -> Self:
        self.serving = Serving(self._folder, *self._options, **self._environment)
        try:
            self.port = int(self.serving.ready().port)
        except BaseException:
            self.serving.clear()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.serving.process.terminate()
            code = self.serving.ended()
            if kind is None and (code or "Traceback" in self.serving.complaints()):
                raise Finding(f"the service ended with {code}: {self.serving.complaints()[-2000:]}")
        finally:
            self.serving.clear()

    @property
    def store_url(self) -> str:
        """See `Site`."""
        return f"unix://{json.loads((self._folder / 'lock').read_text())['socket']}"

    def workers(self) -> list[int]:
        """The process ids of the server's workers."""
        server = self.serving.part("gunicorn")
        return [pid for pid in self.serving.others() if _parent(pid) == server]

    def kill_worker(self, rng: random.Random) -> bool:
        """See `Site`."""
        workers = self.workers()
        if not workers:
            return False
        try:
            os.kill(rng.choice(workers), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def kill(self) -> None:
        """End everything that was started, as `kill -9` does; what it left behind is found by `revive`."""
        for pid in (self.serving.process.pid, *self.serving.others()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.serving.process.wait()
        self.serving.clear()

    def revive(self) -> None:
        """Start it again."""
        self.__enter__()

    def kill_store(self) -> None:
        """See `Site`."""
        self._killed_store = self.serving.store()
        os.kill(self._killed_store, signal.SIGKILL)

    def await_store(self) -> None:
        """See `Site`."""
        until(lambda: not is_running(self._killed_store), "the end of the store")
        until(lambda: self.serving.store() != self._killed_store, "another store")


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def opened(run: Run, *, workers: int = 2, limits: bool = False) -> Within | Served:
    """The kind that the scale asks for by its `processes`: 0 for threads, else real processes.

    With `limits`, requests are counted against rates that nobody reaches.
    """
    if run["processes"]:
        rates = ",".join(f"{policy}={_OUT_OF_REACH}/{_OUT_OF_REACH}" for policy in _RATES)
        switches = {"SPIELTISCH_LIMITS": "on", "SPIELTISCH_RATES": rates} if limits else {}
        return Served(run, workers=workers, **switches)
    return Within(run, workers=workers, limits=limits)


def prove(store_url: str) -> int:
    """Prove every match in the store: log, chain, deal, document and state tell the same. How many there are.

    Raises Finding.
    """
    count = 0
    with long_calls(), closing(open_vault(store_url)) as vault:
        for whole in vault.matches():
            try:
                prove_whole(whole)
            except BadArchive as error:
                raise Finding(f"R7 {error}") from None
            count += 1
    return count
