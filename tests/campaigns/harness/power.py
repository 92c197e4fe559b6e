"""A store whose power can be cut: what it had not synced is gone from its files when it comes back."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import redis

from tests.campaigns.harness.campaign import Skipped
from tests.serving import LINUX
from tests.store.servers import UnixServer

_SOURCE = Path(__file__).with_name("powercut.c")


def compiled(folder: Path, source: Path = _SOURCE) -> Path:
    """The library of `source`, by default what notes what was synced. Raises Skipped where it cannot be made."""
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if compiler is None or not LINUX:
        raise Skipped("needs Linux and a C compiler (cc, gcc or clang)")
    library = folder / f"{source.stem}.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(source), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skipped(f"the C compiler fails: {done.stderr[:300]}")
    return library


class PoweredStore:
    """`site.StoreProcess` on a machine of its own, so to say. `dropped` counts the bytes that were lost at cuts."""

    def __init__(self, folder: Path, library: Path, rng: random.Random) -> None:
        folder.mkdir()
        self._note, self._files, self._rng = folder / "synced", folder / "appendonlydir", rng
        environment = {**os.environ, "LD_PRELOAD": str(library), "POWERCUT_NOTE": str(self._note)}
        self._server = UnixServer(folder, "--appendfsync", "always", environment=environment)
        self.url = self._server.url
        self.dropped = 0

    def start(self) -> None:
        """See `site.StoreProcess`."""
        self._server.start()

    def stop(self) -> None:
        """See `site.StoreProcess`."""
        self._server.kill()

    def sync(self, appendfsync: str) -> None:
        """Let it sync otherwise than the service was told, until it starts again."""
        with redis.Redis.from_url(self.url) as client:
            client.config_set("appendfsync", appendfsync)

    def rewrite(self) -> None:
        """Let it begin to write its file anew."""
        with redis.Redis.from_url(self.url) as client:
            client.bgrewriteaof()

    def kill(self) -> None:
        """Cut the power: of what was not synced, a part that nobody can foresee is lost, mostly all of it."""
        self._server.kill()
        synced: dict[int, int] = {}
        for line in self._note.read_text().splitlines():
            inode, length = map(int, line.split())
            synced[inode] = length
        for file in self._files.iterdir():
            found = file.stat()
            kept = min(synced.get(found.st_ino, 0), found.st_size)
            if self._rng.randrange(3) == 0:
                kept = self._rng.randint(kept, found.st_size)
            self.dropped += found.st_size - kept
            os.truncate(file, kept)
