"""The process behind `serve`: starts the store, the server and the worker, watches them, and stops them in order."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import click

from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.settings import BadSettings, Settings
from spieltisch_service.store.connection import connect
from spieltisch_service.store.embedded import EmbeddedStore, StoreNotStarted
from spieltisch_service.store.health import UnsuitableStore

_POLL_S = 0.1
_BACKLOG = 2048
_UNREAD_MS = 60_000
# A server whose supervisor was killed needs this long to notice and to give the port free.
_ORPHAN_S = 15.0
# Longer than the server's graceful_timeout and the worker's patience.
_PATIENCE_S = 12.0
_LONGEST_BACKOFF_S = 30.0
_STEADY_S = 60.0
# A store that is away is asked no more often, so that the log stays readable.
_ASK_AGAIN_S = 1.0
_COMPLAIN_AT = 3


class _CannotServe(Exception):
    """The service cannot start; the message is one line for the operator."""


def serve_until_stopped(settings: Settings) -> int:
    """Serve until TERM, INT or HUP; return the exit code: 0 when asked to stop, 1 when something failed."""
    supervisor = _Supervisor(settings)
    for wanted in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(wanted, supervisor.ask_to_stop)
    try:
        supervisor.start()
        return supervisor.watch()
    except (_CannotServe, StoreNotStarted, UnsuitableStore, BadSettings) as error:
        _complain(str(error))
        return 1
    finally:
        supervisor.stop()


class _Backoff:
    """How long to wait before something that died is started again: longer each time, until it ran for a while."""

    def __init__(self) -> None:
        self._wait_s = 0.5
        self._last = 0.0
        self.due = 0.0

    def died(self) -> None:
        """Count a death; `due` (monotonic seconds) is when to start again."""
        now = time.monotonic()
        self._wait_s = 0.5 if now - self._last > _STEADY_S else min(self._wait_s * 2, _LONGEST_BACKOFF_S)
        self._last = now
        self.due = now + self._wait_s


class _Supervisor:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._asked_to_stop = False
        self._store: EmbeddedStore | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None
        self._worker_backoff = _Backoff()
        self._store_backoff = _Backoff()
        self._environment = dict(os.environ)
        self._store_is_fit = False
        self._ask_again = 0.0
        self._unanswered = 0
        self._announced = False
        self._url = ""
        self._metrics: Path | None = None

    def ask_to_stop(self, _number: int, _frame: object) -> None:
        """Handle a signal: only remember it, so that it may come at any time and any number of times."""
        self._asked_to_stop = True

    def start(self) -> None:
        """Start everything.

        Raises:
            _CannotServe, StoreNotStarted, UnsuitableStore, BadSettings: something is in the way.
        """
        listener = self._listen()
        self._find_store()
        if listener is None and self._store is not None and self._store.adopted:
            # The server of a killed supervisor gives its port free within seconds.
            listener = self._listen(_ORPHAN_S)
        if self._asked_to_stop:
            return
        if listener is None:
            raise _CannotServe(f"port {self._settings.port} of {self._settings.host} is in use: choose another --port")
        self._environment["SPIELTISCH_SECRET"] = self._settings.secret
        self._environment["SPIELTISCH_SUPERVISOR_PID"] = str(os.getpid())
        self._environment["PROMETHEUS_MULTIPROC_DIR"] = str(self._open_metrics())
        with listener:
            host, port = listener.getsockname()[:2]
            self._url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
            self._start_server(listener.fileno())
        self._start_worker()

    def watch(self) -> int:
        """Restart what may be restarted, until told to stop or the server ends; return the exit code.

        Raises:
            UnsuitableStore: a store that was away at the start turns out to be one that loses matches.
        """
        while not self._asked_to_stop:
            assert self._server is not None
            if self._server.poll() is not None:
                _complain(f"the server ended with code {self._server.returncode}: stopping")
                return 1
            self._watch_store()
            self._watch_worker()
            if not self._announced and time.monotonic() >= self._ask_again:
                self._announce()
            time.sleep(_POLL_S)
        return 0

    def stop(self) -> None:
        """Stop everything that was started: worker, server, store."""
        for process in (self._worker, self._server):
            if process is None or process.poll() is not None:
                continue
            process.terminate()
            try:
                process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                # With all that it has started, which nobody else would end: it is a session of its own.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if self._store is not None:
            self._store.stop()
        if self._metrics is not None:
            shutil.rmtree(self._metrics, ignore_errors=True)

    def _listen(self, patience_s: float = 0.0) -> socket.socket | None:
        """Return a listening socket, or None if the port is in use until `patience_s` is over."""
        settings = self._settings
        deadline = time.monotonic() + patience_s
        try:
            found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            # A name with addresses of both kinds, like localhost, is mostly meant as 127.0.0.1.
            family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
        except OSError as error:
            raise _CannotServe(f"cannot listen on {settings.host}: {error.strerror}") from None
        while not self._asked_to_stop:
            listener = socket.socket(family, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                # For all its connections: whoever reads nothing of an answer for so long is hung up on.
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
            try:
                listener.bind(address)
                listener.listen(_BACKLOG)
            except OSError as error:
                listener.close()
                if error.errno != errno.EADDRINUSE:
                    raise _CannotServe(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}") from None
                if time.monotonic() >= deadline:
                    return None
                time.sleep(_POLL_S)
            else:
                return listener
        return None

    def _spawn(self, *arguments: str, fd: int | None = None) -> subprocess.Popen[bytes]:
        # Sessions of their own: a Ctrl-C in the terminal reaches this process alone, which stops them in order.
        return subprocess.Popen(  # noqa: S603
            [sys.executable, *arguments],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            pass_fds=() if fd is None else (fd,),
            start_new_session=True,
        )

    def _find_store(self) -> None:
        url = self._settings.redis_url
        if url is None:
            self._store = EmbeddedStore(self._settings.data_dir, self._settings.durability)
            self._store.start()
            url = self._store.url
        self._environment["REDIS_URL"] = url
        self._check_store()

    def _open_metrics(self) -> Path:
        """An empty folder that only this user can enter, in which all processes count: the numbers begin anew.

        In the data folder, where the last service may have left its own; where there is none, a temporary one.
        """
        try:
            if self._store is None:
                self._metrics = Path(tempfile.mkdtemp(prefix="spieltisch-metrics-"))
            else:
                folder = self._settings.data_dir / "metrics"
                if folder.exists():
                    shutil.rmtree(folder)
                folder.mkdir(mode=0o700)
                self._metrics = folder
        except OSError as error:
            raise _CannotServe(f"there is no folder for metrics: {error.strerror}: {error.filename}") from None
        return self._metrics

    def _start_server(self, fd: int) -> None:
        config = str(Path(__file__).with_name("gunicorn.conf.py"))
        self._server = self._spawn("-m", "gunicorn", "--config", config, "--bind", f"fd://{fd}", fd=fd)

    def _start_worker(self) -> None:
        self._worker = self._spawn("-m", "spieltisch_service.worker")

    def _watch_worker(self) -> None:
        if self._worker is not None:
            code = self._worker.poll()
            if code is None:
                return
            self._worker = None
            self._worker_backoff.died()
            _complain(f"the worker for house bots ended with code {code}: starting it again")
        elif time.monotonic() >= self._worker_backoff.due:
            self._start_worker()

    def _watch_store(self) -> None:
        if self._store is None or time.monotonic() < self._store_backoff.due:
            return
        try:
            if self._store.revive():
                _complain("the store had ended: it was started again")
        except (StoreNotStarted, BadSettings) as error:
            self._store_backoff.died()
            _complain(str(error))

    def _announce(self) -> None:
        """Say that the service is ready, once it is."""
        if not self._store_is_fit:
            self._check_store()
        elif self._is_ready():
            self._announced = True
            self._tell_limits()
            click.echo(f"Spieltisch serves at {self._url} (documentation: {self._url}/docs)")

    def _tell_limits(self) -> None:
        """Say what an operator may not expect of the limits."""
        settings = self._settings
        if settings.limits_in_force() is not None:
            _complain("limits are on: GET /v1/me and the API description have the numbers")
        elif not settings.only_from_here:
            _complain("limits are off, though other machines can reach the service")
        elif settings.trusted_proxies:
            _complain(
                "limits are off, for the service listens on loopback: --limits on holds those behind the proxy to them"
            )

    def _check_store(self) -> None:
        try:
            store = connect(self._environment["REDIS_URL"], durability=self._settings.durability)
            try:
                store.check(allow_volatile=self._settings.allow_unsafe_store)
            finally:
                store.close()
        except StoreUnavailable as error:
            self._unanswered += 1
            # Once, and not for one that is a little late.
            if self._unanswered == _COMPLAIN_AT:
                _complain(f"the store does not answer, waiting for it: {error}")
            self._ask_again = time.monotonic() + _ASK_AGAIN_S
        else:
            self._store_is_fit = True

    def _is_ready(self) -> bool:
        host, port = self._url.removeprefix("http://").rsplit(":", 1)
        reachable = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104
        # Proxies of the environment must not stand between the two.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://{reachable}:{port}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (OSError, ValueError):
            return False


def _complain(line: str) -> None:
    click.echo(f"spieltisch-service: {line}", err=True)
