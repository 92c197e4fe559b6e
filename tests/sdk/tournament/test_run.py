"""Cups that are played here: the log tells all, and is the same whoever plays and wherever it was interrupted."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from spieltisch.cli.main import main
from spieltisch.tournament.book import Book, BookRefused
from spieltisch.tournament.cup import read_cup
from spieltisch.tournament.event import LogRefused
from spieltisch_service.domain.tournament.export import recompute
from spieltisch_service.domain.tournament.fold import fold
from spieltisch_service.domain.tournament.log import entry_from_wire
from spieltisch_service.domain.tournament.lots import deal_seed, lot
from spieltisch_service.domain.tournament.standings import standings
from spieltisch_service.local.table import Table, house_decision
from tests.sdk.tournament.cups import ENTERS_FINE, PATIENT, QUICK, entrants, played, write_bot, write_cup

EXAMPLE = Path(__file__).parents[3] / "sdk" / "examples" / "cup.toml"


def log_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.ndjson").read_text("utf-8").splitlines()]


def test_the_log_is_that_of_a_tournament_and_its_matches_are_those_of_the_deals(tmp_path: Path) -> None:
    _, ran = played(write_cup(tmp_path), tmp_path / "out")
    assert (ran.known, ran.played, ran.interrupted) == (0, 12, False)
    log = log_of(tmp_path / "out")
    state = fold(map(entry_from_wire, log))
    assert state.status == "finished"
    assert standings(state)[0].entrant == "greedy-1"
    export = (tmp_path / "out" / "export.ndjson").read_bytes()
    assert recompute(export.splitlines(True)) == (tmp_path / "out" / "results.json").read_bytes()
    # A match between random bots, played again with nothing but the tournament's seed.
    entry = next(each for each in log if set(each.get("seats", ())) == {"random-0", "random-2"})
    table = Table("wunderland", 2, {"round_limit": 2}, seed=deal_seed("quick", entry["table"], 1))
    chance = f"{lot('quick', 'bots', entry['table'], 1):016x}"
    while (seat := table.to_act) is not None:
        rng = random.Random(f"{chance}/{seat}/{table.version}")
        table.act(house_decision("random", "wunderland", table.options, table.view(seat), rng))
    assert (entry["number"], entry["scores"], entry["ranks"]) == (1, *map(table.result.get, ("scores", "ranks")))


@pytest.mark.parametrize(
    ("format_", "more", "names"),
    [
        ("swiss", "rounds = 3\nseats = 3\n", 7),
        ("single_elimination", "seats = 4\n", 6),
        ("double_elimination", "", 3),
        ("gauntlet", "", 4),
        ("arena", "rounds = 2\nseats = 3\n", 5),
    ],
)
def test_every_format_comes_to_its_end(format_: str, more: str, names: int, tmp_path: Path) -> None:
    head = more + QUICK.replace("round_robin", format_).replace("deals = 2\nduplicate = true\n", "")
    path = write_cup(tmp_path, head, entrants(["random"] * names))
    _, ran = played(path, tmp_path / "out")
    assert ran.state.status == "finished"
    assert ran.played > 0


# --- interrupted ----------------------------------------------------------------------------------------------


def test_wherever_it_was_cut_off_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    path = write_cup(tmp_path)
    played(path, tmp_path / "whole")
    names = ("log.ndjson", "cup.json", "export.ndjson", "results.json")
    whole = {name: (tmp_path / "whole" / name).read_bytes() for name in names}
    log, details = whole["log.ndjson"], (tmp_path / "whole" / "details.ndjson").read_bytes()
    lines = [at for at, byte in enumerate(log) if byte == 10]
    # Nothing, half of the first line, within the entries of the start, around ends of lines, all but the last byte.
    for number, length in enumerate(
        [0, 10, lines[2] + 30, lines[5] - 1, lines[9], lines[9] + 1, len(log) - 1, len(log)]
    ):
        folder = tmp_path / f"cut-{number}"
        folder.mkdir()
        (folder / "cup.json").write_bytes(whole["cup.json"])
        (folder / "log.ndjson").write_bytes(log[:length])
        (folder / "details.ndjson").write_bytes(details[: length * len(details) // len(log)])
        _, ran = played(path, folder, resume=True)
        assert {name: (folder / name).read_bytes() for name in names} == whole
        assert ran.known + ran.played == 12
        assert ran.known == sum(b"match_ended" in line for line in log[:length].splitlines(True) if line[-1:] == b"\n")


@pytest.mark.parametrize(("stop", "jobs"), [(signal.SIGINT, 2), (signal.SIGKILL, 1)])
def test_a_run_that_was_stopped_goes_on(stop: signal.Signals, jobs: int, tmp_path: Path) -> None:
    write_bot(tmp_path, "waits")
    head = "rounds = 3\n" + QUICK.replace("round_robin", "arena")
    tail = PATIENT + entrants(["random"] * 3) + '\n[[entrants]]\nfile = "waits.py"\n'
    path = write_cup(tmp_path, head, tail)
    command = [sys.executable, "-m", "spieltisch.cli", "tournament", "run", str(path), "--jobs", str(jobs), "--quiet"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    log = tmp_path / "cup" / "log.ndjson"
    deadline_s = time.monotonic() + 240
    # Two tables, and so two matches of each before the one that waits.
    while not log.exists() or log.read_bytes().count(b"match_ended") < 4:
        assert time.monotonic() < deadline_s
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    # As a terminal does it: to all processes of the run.
    os.killpg(process.pid, stop)
    said, complained = process.communicate(timeout=240)
    if stop == signal.SIGINT:
        assert (process.returncode, complained) == (130, "")
        assert "stopped; the same command goes on" in said
    (tmp_path / "go").touch()
    _, ran = played(path, tmp_path / "cup")
    # Four entrants with three tables each, of two deals in both seat orders.
    assert ran.known in (4, 5)
    assert ran.known + ran.played == 24
    played(path, tmp_path / "whole")
    assert log.read_bytes() == (tmp_path / "whole" / "log.ndjson").read_bytes()


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    path, out = write_cup(tmp_path), tmp_path / "out"
    with pytest.raises(BookRefused, match=r"no run in .* that could go on"):
        played(path, out, resume=True)
    played(path, out)
    before = (out / "log.ndjson").read_bytes()
    other = write_cup(tmp_path, QUICK.replace("quick", "other").replace("deals = 2", "deals = 1"))
    with pytest.raises(BookRefused, match="holds another cup, with other values of deals, seed: another output"):
        played(other, out)
    assert (out / "log.ndjson").read_bytes() == before
    _, ran = played(other, out, anew=True)
    assert (ran.known, ran.played) == (0, 6)
    # A log of another cup under this one's name.
    (out / "log.ndjson").write_bytes(before)
    with pytest.raises(LogRefused, match="entry 1 of the log is created, where created was expected"):
        played(other, out)
    (out / "log.ndjson").write_bytes(b"nonsense\n" + before)
    with pytest.raises(BookRefused, match=r"line 1 of .*log.ndjson is no JSON object"):
        played(other, out)


def test_a_bot_that_was_changed_meanwhile_is_noticed(tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "fine")
    path = write_cup(tmp_path, QUICK.replace("deals = 2", "deals = 1"), entrants(["random"]) + ENTERS_FINE)
    played(path, tmp_path / "out")
    bot.write_text(bot.read_text() + "# better\n")
    with pytest.raises(BookRefused, match="other values of entrant fine"):
        played(path, tmp_path / "out")


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    cup = read_cup(write_cup(tmp_path))
    book = Book(cup)
    with pytest.raises(BookRefused, match="another run writes to"):
        Book(cup)
    book.close()
    Book(cup).close()


# --- the command ----------------------------------------------------------------------------------------------


def test_the_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "run", str(EXAMPLE), "--output", str(tmp_path / "out"), "--dry-run"]) == 0
    assert "3 rounds, 3 tables (3 of 2), 2 deals a table, each in all seat orders" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()
    assert main(["tournament", "run", str(EXAMPLE), "--output", str(tmp_path / "out"), "--jobs", "1", "--quiet"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("12 matches of wunderland in ")
    assert said[2].startswith("1  greedy ")
    assert main(["tournament", "run", str(EXAMPLE), "--output", str(tmp_path / "out"), "--resume", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.startswith("0 matches of wunderland after 12 that were played before")


def test_a_cup_that_is_wrong_is_a_wrong_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_cup(tmp_path, QUICK.replace("wunderland", "chess"))
    assert main(["tournament", "run", str(path)]) == 2
    assert "cup.toml:1: game: game is one of" in capsys.readouterr().err
    assert main(["tournament", "run", str(write_cup(tmp_path)), "--engine", "spark://x"]) == 2
    assert main(["tournament", "run", str(tmp_path / "none.toml")]) == 1
