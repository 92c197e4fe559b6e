"""Ending from one thread what another one waits for: an answer, the next bytes of a stream, a pause between attempts.

A waiting thread carries the interrupts that concern it in its context, so that nothing in between has to hand them on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from socket import SHUT_RDWR, socket
from threading import Event, Lock
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool


class Interrupted(Exception):
    """What was waited for is not wanted any more; nobody sees this but who interrupted."""


class Interrupt:
    """Set once, by any thread; whatever waits under it then ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._numbers = count()
        self._wakers: dict[int, Callable[[], None]] = {}
        self.is_set = False

    def set(self) -> None:
        """End what waits now and whatever would wait later."""
        with self._lock:
            self.is_set = True
            wakers = list(self._wakers.values())
        for wake in wakers:
            wake()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Within, this thread waits under this interrupt too."""
        token = _heard.set((*_heard.get(), self))
        try:
            yield
        finally:
            _heard.reset(token)

    def add(self, wake: Callable[[], None]) -> int:
        """Call `wake` when set, at once if it is; the number is for `discard`."""
        with self._lock:
            number = next(self._numbers)
            self._wakers[number] = wake
            late = self.is_set
        if late:
            wake()
        return number

    def discard(self, number: int) -> None:
        """Forget a waker."""
        with self._lock:
            self._wakers.pop(number, None)


_heard: ContextVar[tuple[Interrupt, ...]] = ContextVar("spieltisch_interrupts", default=())


def check() -> None:
    """Raises Interrupted where this thread is to end what it does."""
    if any(interrupt.is_set for interrupt in _heard.get()):
        raise Interrupted


@contextmanager
def waking(wake: Callable[[], None]) -> Iterator[None]:
    """Within, `wake` is called (by another thread) when an interrupt of this one is set."""
    added = [(interrupt, interrupt.add(wake)) for interrupt in _heard.get()]
    try:
        yield
    finally:
        for interrupt, number in added:
            interrupt.discard(number)


def pause(seconds: float) -> None:
    """Wait. Raises Interrupted."""
    if not _heard.get():
        time.sleep(seconds)
        return
    woken = Event()
    with waking(woken.set):
        woken.wait(seconds)
    check()


class Flight:
    """One exchange on its connection, so that it can be cut off."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._socket: socket | None = None
        self._is_cut = False

    def waits_on(self, open_socket: socket | None) -> None:
        """The exchange waits for this socket now. Raises ConnectionError where it was cut off before."""
        with self._lock:
            self._socket = open_socket
            if self._is_cut:
                raise ConnectionAbortedError("interrupted")

    def cut(self) -> None:
        """End it: whoever reads from the connection finds its end."""
        with self._lock:
            self._is_cut = True
            if self._socket is not None:
                try:
                    # Closing alone would not wake a thread that reads.
                    self._socket.shutdown(SHUT_RDWR)
                except OSError:
                    return


_flight: ContextVar[Flight | None] = ContextVar("spieltisch_flight", default=None)


@contextmanager
def sending(flight: Flight) -> Iterator[None]:
    """Within, this thread sends a request and waits for its answer; an interrupt cuts it off."""
    token = _flight.set(flight)
    try:
        with waking(flight.cut):
            yield
    finally:
        _flight.reset(token)


def _waits_on(connection: Any) -> None:
    now = _flight.get()
    if now is not None:
        now.waits_on(connection.sock)


class _Connection(HTTPConnection):
    def getresponse(self, *arguments: Any, **options: Any) -> Any:
        _waits_on(self)
        return super().getresponse(*arguments, **options)


class _SecureConnection(HTTPSConnection):
    def getresponse(self, *arguments: Any, **options: Any) -> Any:
        _waits_on(self)
        return super().getresponse(*arguments, **options)


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class Adapter(HTTPAdapter):
    """Sends requests over connections that can be cut off."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """As the base does, with our connections."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def proxy_manager_for(self, *arguments: Any, **options: Any) -> Any:
        """As the base does, with our connections."""
        manager = super().proxy_manager_for(*arguments, **options)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
        return manager
