"""What is counted, for `/metrics`: one set of numbers a process, added up over all processes when it is read.

With PROMETHEUS_MULTIPROC_DIR set (`serve` sets it) each process keeps its numbers in files of that folder, and any of
them answers for all; without it a process answers for itself. No label holds an id, a name or a token: what a label
can say is known before anybody comes.
"""

from __future__ import annotations

import ipaddress
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
    values,
)

from spieltisch_service.app.ports import Observer
from spieltisch_service.domain.events import Event
from spieltisch_service.games.catalogue import GAMES

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"
#: Where an application keeps its `Metrics`.
EXTENSION = "spieltisch-metrics"
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
#: Seconds. The upper ones are for long polls, which wait up to 25 s.
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
#: The operation of a request whose path or method there is not.
NO_OPERATION = "none"

_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
#: What a process may have to say, several times over.
_ROOM_BYTES = 1 << 19
#: A request with one of these came through a proxy, or from the page of another site.
_SECOND_HAND = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_VIA", "HTTP_ORIGIN")

_LOG = logging.getLogger(__name__)

# When each number began is no news: they all begin with the service.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics(Observer):
    """The numbers of one process; where a folder is shared there may be only one of these a process."""

    def __init__(self) -> None:
        self._folder = os.environ.get(FOLDER)
        if self._folder is not None:
            _reserve(Path(self._folder))
        self._own = CollectorRegistry()
        own: dict[str, Any] = {"registry": self._own, "namespace": "spieltisch"}
        of_requests = ("operation", "method", "status")
        self._requests = Counter("requests", "Answered requests, by class of status.", of_requests, **own)
        self._seconds = Histogram(
            "request_seconds",
            "Seconds until an answer began, waiting included.",
            ("operation",),
            buckets=BUCKETS_S,
            **own,
        )
        self._replays = Counter("replays", "Answers given again to an Idempotency-Key.", ("operation",), **own)
        by_game = {
            "action": Counter("actions", "Accepted actions of players and house bots.", ("game",), **own),
            "match_created": Counter("matches_created", "Created matches.", ("game",), **own),
            "match_finished": Counter("matches_finished", "Matches played to their end.", ("game",), **own),
            "match_aborted": Counter("matches_aborted", "Matches that ended without a result.", ("game",), **own),
        }
        self._by_game = {(name, game): each.labels(game) for name, each in by_game.items() for game in GAMES}
        self._streams = Gauge("open_streams", "Open event streams.", multiprocess_mode="livesum", **own)
        self._refused = Counter("refused_streams", "Event streams for which there was no room.", **own)
        self._conflicts = Counter("commit_conflicts", "Commits that came second and were tried again.", **own)
        self._failures = Counter("store_failures", "Calls to the store that failed.", **own)
        self._bell = Counter("bell_losses", "Lost connections, and failed ones, of the bell's reader.", **own)
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    # --- the web ----------------------------------------------------------------------------------------------

    def answered(self, operation: str, method: str, status: int, seconds: float) -> None:
        """A request to an operation (of the API, or `NO_OPERATION`) was answered."""
        key = (operation, method, status)
        known = self._known.get(key)
        if known is None:
            asked = method if method in _METHODS else "other"
            each = self._requests.labels(operation, asked, f"{status // 100}xx")
            known = (each, self._seconds.labels(operation))
            # Anybody can invent methods.
            if asked == method:
                self._known[key] = known
        known[0].inc()
        known[1].observe(seconds)

    def replayed(self, operation: str) -> None:
        """An earlier answer was given again."""
        self._replays.labels(operation).inc()

    def text(self) -> bytes:
        """The numbers of all processes as Prometheus reads them."""
        if self._folder is None:
            return generate_latest(self._own)
        everyone = CollectorRegistry()
        multiprocess.MultiProcessCollector(everyone, self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)

    # --- what an observer hears: see `ports.Observer` ---------------------------------------------------------

    def committed(self, game: str, events: Sequence[Event]) -> None:
        """Count actions of players (not what is played for a seat that left), and matches."""
        for event in events:
            kind = event.type
            counter = self._by_game.get((kind, game))
            if counter is not None and (kind != "action" or event.data["cause"] == "player"):
                counter.inc()

    def conflicted(self) -> None:
        """Count it."""
        self._conflicts.inc()

    def store_failed(self) -> None:
        """Count it."""
        self._failures.inc()

    def bell_lost(self) -> None:
        """Count it."""
        self._bell.inc()

    def stream_opened(self) -> None:
        """Count it."""
        self._streams.inc()

    def stream_closed(self) -> None:
        """Count it."""
        self._streams.dec()

    def stream_refused(self) -> None:
        """Count it."""
        self._refused.inc()


def from_this_machine(environ: Mapping[str, Any]) -> bool:
    """Whether a request comes from a program on this machine, and from nobody behind it."""
    if any(name in environ for name in _SECOND_HAND):
        return False
    try:
        peer = ipaddress.ip_address(environ.get("REMOTE_ADDR") or "")
    except ValueError:
        return False
    # What listens on both kinds of addresses sees ::ffff:127.0.0.1.
    return (getattr(peer, "ipv4_mapped", None) or peer).is_loopback


def _reserve(folder: Path) -> None:
    """Take the room on the disk that this process may need, before prometheus_client maps its files into memory.

    Writing to a mapped file that finds the disk full would kill the process. Where there is no room, it counts for
    itself alone, and its numbers are missing in the sum.
    """
    files = [folder / f"{name}_{os.getpid()}.db" for name in ("counter", "histogram", "gauge_livesum")]
    try:
        for path in files:
            # Under another name at first, because whoever reads the folder cannot read an empty file.
            fresh = path.with_suffix(".new")
            file = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file, 0, _ROOM_BYTES)
                else:
                    os.ftruncate(file, _ROOM_BYTES)
            finally:
                os.close(file)
            fresh.rename(path)
    except OSError as error:
        _LOG.warning("this process is missing in /metrics: %s", error.strerror)
        values.ValueClass = values.MutexValue
        for path in files:
            path.unlink(missing_ok=True)
            path.with_suffix(".new").unlink(missing_ok=True)
