"""Plays many matches: one after the other, in several processes, or on a Dask cluster. Results come in the order asked.

The matches are taken from their iterator as there is room for them, so that it may stop at any time.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from spieltisch.errors import SpieltischError
from spieltisch.tournament.cup import Cup
from spieltisch.tournament.playing import Assignment, Outcome, play
from spieltisch.tournament.seats import let_all_go, let_go

Results = Iterator[tuple[Assignment, Outcome]]


class Engine:
    """Plays here, one match after the other."""

    def __init__(self, cup: Cup, folder: Path | None) -> None:
        self._cup = cup
        self._folder = folder

    def play(self, assignments: Iterator[Assignment]) -> Results:
        """Each with what came of it, in their order."""
        for each in assignments:
            yield each, play(self._cup, each, self._folder, False)

    def close(self) -> None:
        """End what plays, and what was started for it."""
        let_go()


class Processes(Engine):
    """Plays in `jobs` processes."""

    def __init__(self, cup: Cup, folder: Path | None, jobs: int) -> None:
        super().__init__(cup, folder)
        self._jobs = jobs
        self._apart = True
        self._used = False

    def play(self, assignments: Iterator[Assignment]) -> Results:
        """Each with what came of it, in their order, while others are played already."""
        joblib = _joblib()
        self._used = True
        asked: list[Assignment] = []

        def calls() -> Iterator[Any]:
            for each in assignments:
                asked.append(each)
                yield joblib.delayed(play)(self._cup, each, self._folder, self._apart)

        parallel = joblib.Parallel(n_jobs=self._jobs, return_as="generator", pre_dispatch="3*n_jobs")
        outcomes = parallel(calls())
        try:
            for number, outcome in enumerate(outcomes):
                yield asked[number], outcome
        except BrokenProcessPool:
            raise SpieltischError(
                "a process of the run died: killed, or out of memory; the same command goes on with what was left"
            ) from None
        finally:
            with contextlib.suppress(Exception):
                outcomes.close()

    def close(self) -> None:
        """End the processes, and with them the programs that they have started."""
        if self._used:
            from joblib.externals import loky

            loky.get_reusable_executor().shutdown(wait=True, kill_workers=True)


class Cluster(Processes):
    """Plays on the workers of a Dask scheduler, which have the same files at the same places."""

    def __init__(self, cup: Cup, address: str) -> None:
        super().__init__(cup, None, -1)
        self._apart = False
        self._client = _dask_client(address)

    def play(self, assignments: Iterator[Assignment]) -> Results:
        """Each with what came of it, in their order."""
        with _joblib().parallel_config(backend="dask", wait_for_workers_timeout=60):
            yield from super().play(assignments)

    def close(self) -> None:
        """Let go of the cluster, and let it let go of the players."""
        with contextlib.suppress(Exception):
            self._client.run(let_all_go)
        self._client.close()


def engine_for(cup: Cup, name: str | None, jobs: int | None) -> Engine:
    """The engine of that name: None or `local`, or `dask://HOST:PORT`. `jobs` None: as many as there are cores.

    Raises SpieltischError where it cannot be had, ValueError for a name that is none.
    """
    if name not in (None, "local"):
        assert name is not None
        if not name.startswith("dask://") or len(name) == len("dask://"):
            raise ValueError(f"there is no engine {name!r}; there are local and dask://HOST:PORT")
        return Cluster(cup, f"tcp://{name.removeprefix('dask://')}")
    number = jobs or _cores()
    return Engine(cup, cup.output) if number == 1 else Processes(cup, cup.output, number)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _joblib() -> Any:
    try:
        import joblib
    except ImportError:
        raise SpieltischError("more than one job needs joblib, which comes with spieltisch-service") from None
    return joblib


def _dask_client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise SpieltischError("this engine needs Dask: pip install 'spieltisch[dask]'") from None
    try:
        return Client(address, timeout="20s", set_as_default=True)
    except OSError as error:
        raise SpieltischError(f"no Dask scheduler answers at {address}: {error}") from None
