"""A program that holds sockets of three kinds open: nothing sent, a head that never ends, and a body that never ends.

`python -m tests.campaigns.harness.slow_sockets PORT COUNT` says `opened`, then `cut` with the first that the service
cuts, and goes on until its input ends; then `ended` and how many were cut. What must not be, it says behind `found`.
"""

from __future__ import annotations

import selectors
import socket
import sys
import time
from contextlib import suppress

from tests.campaigns.harness.wire import PATIENCE_S

_HALF_A_POST = (
    b"POST /v1/accounts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n{"
)
_HALF_A_HEAD = b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX-Slow: "
#: Each socket sends another byte once in this time, not all of them at the same instant.
_DRIP_S, _PARTS = 1.0, 50


class Sockets:
    """All of them."""

    def __init__(self, port: int, count: int) -> None:
        self._port = port
        self._held = selectors.DefaultSelector()
        self._part = 0
        self.cut = 0
        for number in range(count):
            self._open(number)

    def turn(self) -> None:
        """Feed a part of them, and open another one for each that the service has cut."""
        until_s = time.monotonic() + _DRIP_S / _PARTS
        self._part = (self._part + 1) % _PARTS
        for key in list(self._held.get_map().values()):
            if key.data % 3 and key.data % _PARTS == self._part:
                with suppress(OSError):
                    key.fileobj.send(b" ")  # type: ignore[union-attr]
        while (left_s := until_s - time.monotonic()) > 0:
            for key, _ in self._held.select(timeout=left_s):
                self._ended(key)

    def close(self) -> None:
        """Close all."""
        for key in list(self._held.get_map().values()):
            self._close(key)
        self._held.close()

    def _open(self, number: int) -> None:
        one = socket.create_connection(("127.0.0.1", self._port), PATIENCE_S)
        one.sendall((b"", _HALF_A_HEAD, _HALF_A_POST)[number % 3])
        one.setblocking(False)
        self._held.register(one, selectors.EVENT_READ, number)

    def _ended(self, key: selectors.SelectorKey) -> None:
        """The service said something, or hung up."""
        with suppress(OSError):
            said = key.fileobj.recv(65536)  # type: ignore[union-attr]
            if said:
                if said.startswith((b"HTTP/1.1 2", b"HTTP/1.1 5")):
                    raise AssertionError(f"half a request was answered {said[:200]!r}")
                return
        self.cut += 1
        self._close(key)
        self._open(key.data)

    def _close(self, key: selectors.SelectorKey) -> None:
        self._held.unregister(key.fileobj)
        key.fileobj.close()  # type: ignore[union-attr]


def main(port: int, count: int) -> None:
    """Hold them until the input ends."""
    said = {"opened"}
    try:
        sockets = Sockets(port, count)
        print("opened", flush=True)
        with selectors.DefaultSelector() as told:
            told.register(sys.stdin, selectors.EVENT_READ)
            while not told.select(timeout=0):
                sockets.turn()
                if sockets.cut and "cut" not in said:
                    said.add("cut")
                    print("cut", flush=True)
        sockets.close()
        print("ended", sockets.cut, flush=True)
    except (OSError, AssertionError) as error:
        print("found", error, flush=True)
        raise SystemExit(1) from error


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
