"""Runs the command line as a process, as a person or a script does."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from spieltisch import Client, Match

COMMAND = [sys.executable, "-W", "error", "-m", "spieltisch.cli"]
ALONE = "import sys; sys.modules['spieltisch_service'] = None; from spieltisch.cli.main import main; sys.exit(main())"


def alone(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As where nothing but the SDK is installed."""
    command = [sys.executable, "-W", "error", "-c", ALONE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=240, input="")


@dataclass
class Done:
    """What a process said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def key(self) -> str:
        """The key that was shown."""
        found = re.search(r"SPIELTISCH_KEY=(spt_key_\S+)", self.err)
        assert found is not None, self
        return found[1]

    @property
    def match(self) -> str:
        """The id of the match that was shown."""
        found = re.search(r"mt_[0-9a-f]{32}", self.out)
        assert found is not None, self
        return found[0]


Run = Callable[..., Done]


@pytest.fixture
def environment(live_server: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a shell in which the service is named and no key is."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("SPIELTISCH_")}
    return known | {"SPIELTISCH_URL": live_server, "HOME": str(tmp_path), "COLUMNS": "100"}


@pytest.fixture
def cli(environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs one command to its end."""

    def run(*arguments: str, typed: str = "", key: str | None = None, **more: str) -> Done:
        variables = environment | ({} if key is None else {"SPIELTISCH_KEY": key}) | more
        done = subprocess.run(
            [*COMMAND, *arguments],
            input=typed,
            capture_output=True,
            text=True,
            env=variables,
            cwd=tmp_path,
            timeout=240,
            encoding="utf-8",
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="module")
def finished(live_server: str) -> Match:
    """A short match of Wunderland, played to its end by one client."""
    me = Client(live_server).register("Ada")
    match = me.matches.create("wunderland", ["me", "me"], options={"round_limit": 2})
    for turn in match.turns():
        turn.act(turn.legal_actions[0])
    return match


@pytest.fixture(scope="module")
def record(finished: Match) -> dict[str, Any]:
    """Its record."""
    return finished.record()
