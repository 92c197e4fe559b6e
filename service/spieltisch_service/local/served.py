"""The real service within one process: its WSGI application, its house bots, and a store in a temporary folder."""

from __future__ import annotations

import logging
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import structlog
from flask import Flask

from spieltisch_service import bootstrap
from spieltisch_service.app.clocks import Heart
from spieltisch_service.settings import Settings
from spieltisch_service.store.embedded import EmbeddedStore
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app

_PATIENCE_S = 5.0
# Ends with whoever holds the other end of its input, however that ended, and then takes the store away with it.
_CLEANER = 'read -r _; kill "$1" 2>/dev/null; sleep 1; rm -rf "$2"'


class LocalService:
    """A service for this process alone. `app` takes requests, from any thread; `close` ends it all (`closed`).

    Its matches last as long as it does: the store lies in a temporary folder, which goes with it, even if the process
    is killed.
    """

    def __init__(self) -> None:
        _log_quietly()
        self._folder = Path(tempfile.mkdtemp(prefix="spieltisch-local-"))
        self._store = EmbeddedStore(self._folder / "data", "fast")
        self._stop = threading.Event()
        self._cleaner: subprocess.Popen[bytes] | None = None
        self._hub: Hub | None = None
        self._heart: Heart | None = None
        self._worker: threading.Thread | None = None
        self.closed = False
        try:
            self._store.start()
            self._cleaner = self._clean_up_after_us()
            self.app = self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> Flask:
        settings = Settings(
            redis_url=self._store.url,
            secret=secrets.token_hex(32),
            data_dir=self._folder / "data",
            durability="fast",
            allow_unsafe_store=True,
        )
        service = bootstrap.build_service(settings)
        assert isinstance(service.bell, Hub)
        self._hub = service.bell
        self._heart = service.heart
        worker = bootstrap.Worker(service, self._store.url)
        self._worker = threading.Thread(target=worker.run_until, args=(self._stop,), name="house-bots", daemon=True)
        self._worker.start()
        return create_app(service, settings)

    def _clean_up_after_us(self) -> subprocess.Popen[bytes]:
        arguments = ["/bin/sh", "-c", _CLEANER, "cleaner", str(self._store.pid), str(self._folder)]
        return subprocess.Popen(  # noqa: S603
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def close(self) -> None:
        """End the service, its bots and its store, and remove what it kept. Does nothing the second time."""
        if self.closed:
            return
        self.closed = True
        self._stop.set()
        if self._heart is not None:
            self._heart.stop()
        if self._hub is not None:
            self._hub.close()
        if self._worker is not None:
            self._worker.join(_PATIENCE_S)
        if self._cleaner is not None:
            self._cleaner.kill()
            self._cleaner.communicate()
        self._store.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def _log_quietly() -> None:
    """Warnings go to stderr, unless the program has its own idea of logging: stdout belongs to the program."""
    if not structlog.is_configured():
        structlog.configure(
            wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        )
