"""The process beside the server: house bots play, and matches whose time is over are swept up."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time

from spieltisch_service import bootstrap
from spieltisch_service.logs import log_to_stderr
from spieltisch_service.settings import BadSettings, Settings

_POLL_S = 0.2
_PATIENCE_S = 8.0

log = logging.getLogger("spieltisch.worker")


class _Job(threading.Thread):
    """Runs the work beside the main thread, which is left to signals, and keeps what it died of."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(name="house-bots", daemon=True)
        self._settings = settings
        self.stop = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Work until `stop` is set."""
        try:
            bootstrap.build_worker(self._settings).run_until(self.stop)
        except BaseException as error:  # whatever it is, the main thread must learn of it
            self.error = error


def main() -> int:
    """Work until TERM or INT, or until the process that started this one is gone; return the exit code."""
    parent = os.getppid()
    asked: list[int] = []
    for wanted in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(wanted, lambda number, _frame: asked.append(number))
    try:
        settings = Settings.from_environment()
    except BadSettings as error:
        print(f"spieltisch-service: {error}", file=sys.stderr, flush=True)
        return 2
    log_to_stderr(settings.log)
    job = _Job(settings)
    job.start()
    while job.is_alive() and not asked and os.getppid() == parent:
        time.sleep(_POLL_S)
    job.stop.set()
    job.join(_PATIENCE_S)
    if isinstance(job.error, BadSettings):
        print(f"spieltisch-service: {job.error}", file=sys.stderr, flush=True)
        return 2
    if job.error is not None:
        log.error("the worker failed", exc_info=job.error)
        return 1
    # A worker that ends of itself has not done what it is for.
    return 0 if asked or os.getppid() != parent else 1


if __name__ == "__main__":
    sys.exit(main())
