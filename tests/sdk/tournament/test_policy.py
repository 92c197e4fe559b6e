"""Bots that crash, stall and cheat: the stated policy says what becomes of it, and the event goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from spieltisch.bot.programs import Program
from tests.sdk.tournament.cups import PATIENT, QUICK, entrants, played, write_bot, write_cup

SHORT = QUICK.replace("deals = 2", "deals = 1")


def bots(folder: Path, *failures: str, always: bool = True) -> str:
    return "".join(f'\n[[entrants]]\nfile = "{write_bot(folder, each, always=always).name}"\n' for each in failures)


def results_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "log.ndjson").read_text("utf-8").splitlines()
    return [each for each in map(json.loads, lines) if each["type"] == "match_ended"]


def notes_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "details.ndjson").read_text("utf-8").splitlines()
    return [note for line in lines for note in json.loads(line).get("notes", ())]


def test_who_fails_forfeits_the_match_and_the_event_goes_on(tmp_path: Path) -> None:
    failing = {"raises": "crash", "dies": "crash", "cheats": "illegal", "babbles": "illegal"}
    head = SHORT.replace("round_robin", "gauntlet").replace("true", "false")
    _, ran = played(
        write_cup(tmp_path, head, PATIENT + entrants(["random"]) + bots(tmp_path, *failing)), tmp_path / "o"
    )
    assert (ran.state.status, ran.played, ran.faults) == ("finished", 4, 4)
    found = {}
    for entry in results_of(tmp_path / "o"):
        seat = 1 - entry["seats"].index("random-0")
        found[entry["seats"][seat]] = entry["faults"][seat]
        assert (entry["ranks"][seat], entry["ranks"][1 - seat], entry["end_reason"]) == (2, 1, "last_seat")
        assert entry["faults"][1 - seat] is None
    assert found == failing
    said = " ".join(each["said"] for each in notes_of(tmp_path / "o"))
    for part in ("ValueError: oh", "dies ended with exit code 7", "{'type': 'end_turn', 'points': 100} is refused"):
        assert part in said
    # What it saw is kept, to be asked of it again.
    assert [each.parent.name for each in (tmp_path / "o" / "crashes").glob("raises/crash-*.json")] == ["raises"]


def test_why_a_bot_does_not_start_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "typo.py").write_text("def decide(:\n")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "poor.sh").write_text("echo first >&2; echo no licence found >&2; exit 3\n")
    tail = "".join(f"\n[[entrants]]\n{what}\n" for what in ('file = "typo.py"', 'file = "empty.py"'))
    tail += '\n[[entrants]]\nname = "Poor one"\ncommand = "sh poor.sh"\n'
    head = SHORT.replace("round_robin", "gauntlet").replace("true", "false")
    played(write_cup(tmp_path, head, PATIENT + entrants(["random"]) + tail), tmp_path / "o")
    assert sorted(note["said"] for note in notes_of(tmp_path / "o")) == [
        "Poor-one ended with exit code 3: no licence found",
        "empty ended with exit code 2: python -m spieltisch.bot: empty.py has 0 bots; "
        "a function `decide` with @bot was expected",
        f"typo ended with exit code 2: python -m spieltisch.bot: {tmp_path / 'typo.py'}:1: invalid syntax",
    ]


def test_who_stalls_is_stopped(tmp_path: Path) -> None:
    policy = PATIENT.replace("decision_ms = 600_000", "decision_ms = 400")
    path = write_cup(tmp_path, SHORT.replace("true", "false"), policy + entrants(["random"]) + bots(tmp_path, "sleeps"))
    _, ran = played(path, tmp_path / "o")
    (entry,) = results_of(tmp_path / "o")
    seat = entry["seats"].index("sleeps")
    assert (ran.state.status, entry["faults"][seat], entry["ranks"][seat]) == ("finished", "timeout", 2)
    assert notes_of(tmp_path / "o")[0]["said"].startswith("sleeps did not answer within 0.")


def test_with_three_seats_the_others_play_on(tmp_path: Path) -> None:
    head = "seats = 3\n" + SHORT.replace("true", "false")
    played(write_cup(tmp_path, head, PATIENT + entrants(["random"] * 2) + bots(tmp_path, "raises")), tmp_path / "o")
    (entry,) = results_of(tmp_path / "o")
    seat = entry["seats"].index("raises")
    assert (entry["end_reason"], entry["decisions"][seat], entry["faults"][seat]) == ("completed", 1, "crash")
    # Two rounds, as the options have it, so everybody else has decided more than once.
    assert all(number > 1 for at, number in enumerate(entry["decisions"]) if at != seat)


def test_by_default_it_is_played_for_until_it_has_failed_too_often(tmp_path: Path) -> None:
    policy = PATIENT + 'on_fault = "default"\nfaults_per_match = 2\n'
    path = write_cup(tmp_path, SHORT.replace("true", "false"), policy + entrants(["random"]) + bots(tmp_path, "cheats"))
    played(path, tmp_path / "o")
    (entry,) = results_of(tmp_path / "o")
    seat = entry["seats"].index("cheats")
    assert (entry["decisions"][seat], entry["end_reason"]) == (2, "last_seat")
    notes = notes_of(tmp_path / "o")
    assert [(each["seat"], each["fault"]) for each in notes] == [(seat, "illegal")] * 2
    assert notes[0]["version"] < notes[1]["version"]


def test_who_fails_too_often_is_removed_and_what_is_left_is_decided(tmp_path: Path) -> None:
    policy = PATIENT + "remove_after = 2\n"
    head = QUICK.replace("deals = 2", "deals = 3")
    path = write_cup(tmp_path, head, policy + entrants(["random"] * 2) + bots(tmp_path, "raises"))
    cup, ran = played(path, tmp_path / "o")
    results = results_of(tmp_path / "o")
    assert sum("crash" in entry["faults"] for entry in results) == 2
    assert ran.state.entrants["raises"].status == "withdrawn"
    # Six matches between the others; two that it failed in; of the rest of that table nothing is played any more.
    assert ran.played == 8
    walkovers = [entry for entry in results if entry["end_reason"] == "walkover"]
    assert len(walkovers) == 4
    for entry in walkovers:
        assert entry["match"] is None
        assert entry["ranks"][entry["seats"].index("raises")] == 2
    # Also when it was stopped just before.
    log = (tmp_path / "o" / "log.ndjson").read_bytes()
    cut = log.index(b'{"type":"withdrawn"')
    for length in (cut, cut - 1, cut + 5):
        (tmp_path / "o" / "log.ndjson").write_bytes(log[:length])
        played(path, tmp_path / "o")
        assert (tmp_path / "o" / "log.ndjson").read_bytes() == log
    assert cup.policy.remove_after == 2


def test_a_program_that_never_listens_ends_with_its_host(tmp_path: Path) -> None:
    # It says hello, then takes no notice of its input's end.
    (tmp_path / "deaf.py").write_text(
        "import json, os, pathlib, sys, time\n"
        "sys.stdin.readline()\n"
        "print(json.dumps({'type': 'hello', 'protocol': 1, 'name': 'deaf'}), flush=True)\n"
        "pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "time.sleep(1000)\n"
    )
    host = (
        "import sys, time\nfrom pathlib import Path\nfrom spieltisch.bot.programs import Program\n"
        "program = Program([sys.executable, 'deaf.py'], folder=Path(sys.argv[1]))\n"
        "program.prepare()\nprint('ready', flush=True)\ntime.sleep(1000)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", host, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    deadline_s = time.monotonic() + 120
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)
    pid = int((tmp_path / "pid").read_text())
    process.kill()
    process.communicate()
    while _lives(pid):
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    """Whether the process is there, and not only waiting to be forgotten."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_program_that_is_closed_leaves_nobody_behind(tmp_path: Path) -> None:
    write_bot(tmp_path, "fine")
    arguments = [sys.executable, "-m", "spieltisch.bot", "run", "fine.py", "--stdio"]
    program = Program(arguments, folder=tmp_path, complaints=tmp_path / "stderr.txt")
    program.prepare()
    guard = program._guard
    assert guard is not None
    assert guard.poll() is None
    program.close()
    assert guard.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(guard.pid, 0)
