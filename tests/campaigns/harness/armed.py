"""Fault points at every call to the store, and how a process gets them and its planted bug.

A point is `commit:before` or `commit:after`, and so for each method of the store. It is armed by a file of that name in
a folder; the first call that comes by takes the file away, leaves one among the hits, and its worker dies. Production
code knows nothing of this: the store's methods are wrapped from here.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

from spieltisch_service.app.ports import Store
from spieltisch_service.store.redis_store import RedisStore
from tests.campaigns.harness.plants import planted
from tests.campaigns.timed.inside import NOTES, noted_moves

#: In the environment of a served process: the folder of its fault points, and the name of its planted bug.
FAULTS, PLANT = "SPIELTISCH_CAMPAIGN_FAULTS", "SPIELTISCH_CAMPAIGN_PLANT"

#: Every method of the store.
CALLS = tuple(sorted(name for name in vars(Store) if not name.startswith("_")))
POINTS = tuple(f"{call}:{when}" for call in CALLS for when in ("before", "after"))


class Killed(BaseException):
    """A worker that is a thread of this process dies here."""


class Faults:
    """The fault points of one service."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._armed, self._hits = folder / "armed", folder / "hits"
        for each in (self._armed, self._hits):
            each.mkdir(parents=True, exist_ok=True)

    def arm(self, point: str) -> None:
        """Let the next call that passes `point` be the death of its worker."""
        (self._hits / point).unlink(missing_ok=True)
        (self._armed / point).touch()

    def disarm(self, point: str) -> bool:
        """Take it back; whether nobody had passed."""
        try:
            (self._armed / point).unlink()
        except FileNotFoundError:
            return False
        return True

    def hit(self, point: str) -> bool:
        """Whether a worker has died at `point` since it was armed."""
        return (self._hits / point).exists()

    def pass_by(self, point: str, die: Callable[[], NoReturn]) -> None:
        """A call is at `point`."""
        try:
            os.unlink(self._armed / point)  # noqa: PTH108  it is done at every call
        except FileNotFoundError:
            return
        (self._hits / point).touch()
        die()


@contextmanager
def fault_points(faults: Faults, die: Callable[[], NoReturn]) -> Iterator[None]:
    """Wrap every method of the store; `die` ends the worker."""
    with ExitStack() as stack:
        for call in CALLS:
            stack.enter_context(mock.patch.object(RedisStore, call, _watched(call, faults, die)))
        yield


def _watched(call: str, faults: Faults, die: Callable[[], NoReturn]) -> Callable[..., Any]:
    original = getattr(RedisStore, call)
    before, after = f"{call}:before", f"{call}:after"

    @wraps(original)
    def watched(*arguments: Any, **named: Any) -> Any:
        faults.pass_by(before, die)
        answer = original(*arguments, **named)
        faults.pass_by(after, die)
        return answer

    return watched


#: Never left: what is entered here stays as long as the process.
_FOR_GOOD = ExitStack()


def _killed() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody outlives that")


def arm_this_process() -> None:
    """Give a served process, for good, what its environment says."""
    plant = os.environ.get(PLANT)
    if plant:
        _FOR_GOOD.enter_context(planted(plant))
    folder = os.environ.get(FAULTS)
    if folder:
        _FOR_GOOD.enter_context(fault_points(Faults(Path(folder)), _killed))
    notes = os.environ.get(NOTES)
    if notes:
        _FOR_GOOD.enter_context(noted_moves(Path(notes)))
