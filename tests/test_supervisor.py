"""The process behind `serve`, as far as tests/end_to_end does not run it as a whole."""

from pathlib import Path
from typing import Any, cast

import pytest

from spieltisch_service import supervisor
from tests.serving import LINUX, is_running, until

pytestmark = pytest.mark.skipif(not LINUX, reason="looks for processes in /proc")

#: Ends by no request, and has started another one.
STUBBORN = """
import signal, subprocess, sys, time
from pathlib import Path
signal.signal(signal.SIGTERM, signal.SIG_IGN)
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
Path(sys.argv[1]).write_text(f"{other.pid}\\n")
time.sleep(600)
"""


def test_what_does_not_end_when_it_is_asked_ends_with_all_that_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_PATIENCE_S", 0.1)
    one = supervisor._Supervisor(cast(Any, None))
    told = tmp_path / "pid"
    process = one._server = one._spawn("-c", STUBBORN, str(told))
    until(lambda: told.exists() and told.read_text().endswith("\n"), "the process")
    other = int(told.read_text())
    assert is_running(other)
    one.stop()
    assert process.returncode == -9
    until(lambda: not is_running(other), "the end of what it has started")
