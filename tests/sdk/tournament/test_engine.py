"""Where a cup is played: what cannot be had is said, and nobody is left behind."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import joblib
import pytest

from spieltisch.errors import SpieltischError
from spieltisch.tournament.cup import read_cup
from spieltisch.tournament.engine import Engine, Processes, engine_for
from spieltisch.tournament.seats import let_all_go, players_of
from tests.sdk.tournament.cups import ENTERS_FINE, PATIENT, QUICK, entrants, played, write_bot, write_cup


def test_an_engine_for_every_name(tmp_path: Path) -> None:
    cup = read_cup(write_cup(tmp_path))
    assert type(engine_for(cup, None, 1)) is Engine
    assert type(engine_for(cup, "local", 3)) is Processes
    for name in ("spark://x", "dask://", "dask"):
        with pytest.raises(ValueError, match="there are local and dask://HOST:PORT"):
            engine_for(cup, name, None)


def test_without_dask_it_is_said_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SpieltischError, match=r"pip install 'spieltisch\[dask\]'"):
        engine_for(read_cup(write_cup(tmp_path)), "dask://127.0.0.1:1", None)


def test_a_process_that_dies_is_said_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(calls: Iterator[Any]) -> Iterator[Any]:
        next(calls)
        raise BrokenProcessPool
        yield

    monkeypatch.setattr(joblib, "Parallel", lambda **_: dying)
    with pytest.raises(SpieltischError, match=r"a process of the run died: .* the same command goes on"):
        played(write_cup(tmp_path), tmp_path / "out", jobs=2)
    monkeypatch.undo()
    _, ran = played(write_cup(tmp_path), tmp_path / "out")
    assert ran.state.status == "finished"


def test_the_players_of_all_threads_are_let_go(tmp_path: Path) -> None:
    write_bot(tmp_path, "fine")
    cup = read_cup(write_cup(tmp_path, QUICK, PATIENT + entrants(["random"]) + ENTERS_FINE))
    processes = []

    def play() -> None:
        player = players_of(cup, None).of("fine")
        assert player is not None
        player.prepare()
        processes.append(player._process)

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert processes[0] is not None
    assert processes[0].poll() is None
    let_all_go()
    assert processes[0].returncode is not None
