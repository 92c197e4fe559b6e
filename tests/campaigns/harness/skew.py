"""Processes whose wall clock is wrong, and a store on such a machine."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

from tests.campaigns.harness.power import compiled
from tests.store.servers import UnixServer

_SOURCE = Path(__file__).with_name("skewed.c")


class Skew:
    """By how many ms a wall clock is wrong; it may be changed while processes run by it.

    Raises Skipped where there is no C compiler.
    """

    def __init__(self, folder: Path, wrong_ms: int = 0) -> None:
        folder.mkdir(exist_ok=True, parents=True)
        self._file = folder / "skewed_by"
        self._library = compiled(folder, _SOURCE)
        self.ms = 0
        self._file.write_bytes(struct.pack("q", 0))
        self.set(wrong_ms)

    def set(self, wrong_ms: int) -> None:
        """Let it be wrong by that much from now on."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("q", wrong_ms))
        self.ms = wrong_ms

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process needs to run by it."""
        return {"LD_PRELOAD": str(self._library), "SKEWED_BY": str(self._file)}


class SkewedStore(UnixServer):
    """`site.StoreProcess` on a machine whose clock is wrong."""

    def __init__(self, folder: Path, skew: Skew) -> None:
        folder.mkdir()
        environment = {**os.environ, **skew.environment}
        super().__init__(folder, "--appendfsync", "always", environment=environment)

    def stop(self) -> None:
        """See `site.StoreProcess`."""
        self.kill()
