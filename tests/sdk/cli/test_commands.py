"""What the other commands show, and how they end."""

import copy
import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from spieltisch import Client, Match
from tests.sdk.cli.conftest import COMMAND, Run, alone
from tests.sdk.faults import Answer, StandIn

# --- games --------------------------------------------------------------------------------------------------


def test_games_are_listed_shown_and_read(cli: Run) -> None:
    listed = cli("games")
    assert listed.code == 0
    assert "neues-land  Neues Land  2 to 5" in listed.out
    shown = cli("games", "show", "wunderland", "--lang", "de")
    assert "round_limit" in shown.out
    assert "own_turn, with_travel" in shown.out
    assert "travel_along" in shown.out
    assert cli("games", "rules", "wunderland", "--lang", "de").out.startswith("# Wunderland")


def test_what_is_not_there_is_one_line(cli: Run) -> None:
    done = cli("games", "show", "chess")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("spieltisch: not_found: ")
    assert cli("games", "show").code == 2


# --- watch --------------------------------------------------------------------------------------------------


def test_a_finished_match_is_told(cli: Run, finished: Match, record: dict[str, Any]) -> None:
    done = cli("watch", finished.id)
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) == 1 + finished.version
    assert lines[1].endswith(f"wunderland {finished.id}: account, account")
    assert "the match is over (completed)" in lines[-1]
    told = cli("watch", finished.id, "--json", "--after", "5")
    assert [json.loads(line) for line in told.out.splitlines()] == record["events"][5:]
    assert finished.board_text().rstrip("\n") in cli("watch", finished.id, "--board", "--after", "5").out


def test_a_match_is_watched_as_it_is_played(ada: Client, environment: dict[str, str]) -> None:
    match = ada.matches.create("neues-land", ["me", "me"])
    with subprocess.Popen([*COMMAND, "watch", match.id], env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        head = [process.stdout.readline() for _ in range(3)]
        assert "the match starts" in head[2]
        turn = next(match.turns())
        turn.act(turn.legal_actions[0])
        assert "seat 0 (Ada): place tile" in process.stdout.readline()
        match.resign(seat=0)
        rest = process.stdout.read()
        assert process.wait(120) == 0
    assert "seat 0 (Ada) resigned" in rest
    assert rest.rstrip("\n").endswith("won by seat 1 (Ada)")


def test_ctrl_c_is_quiet(ada: Client, environment: dict[str, str]) -> None:
    match = ada.matches.create("neues-land", ["me", "me"])
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*COMMAND, "watch", match.id], env=environment, **pipes) as process:
        assert process.stdout is not None
        while "the match starts" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "")


def test_a_reader_that_goes_away_is_no_failure(environment: dict[str, str]) -> None:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*COMMAND, "games", "rules", "wunderland"], env=environment, **pipes) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (141, "")


# --- replay -------------------------------------------------------------------------------------------------


def test_a_match_of_the_service_is_stepped_through(cli: Run, finished: Match) -> None:
    done = cli("replay", finished.id, typed="\nb\ne\n\ns\n7\nnonsense\nq\n")
    assert done.code == 0
    last = finished.version
    seen = [line.split(" of ")[0] for line in done.out.splitlines() if line.endswith(f" of {last}")]
    # The start is event 2; "on" at the end and nonsense show nothing.
    assert seen == ["2", "3", "2", str(last), "2", "7"]
    for version in (2, 7, last):
        assert finished.board_text(at=version).rstrip("\n") in done.out


def test_a_record_is_stepped_through_without_a_service(
    cli: Run, finished: Match, record: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "r.json").write_text(json.dumps(record))
    done = cli("replay", "r.json", typed="8\ne\nb\n", SPIELTISCH_URL="http://127.0.0.1:1")
    assert done.code == 0, done.err
    for version in (2, 8, finished.version, finished.version - 1):
        # A spectator's board, without the lines that the service puts above it.
        board = Client(finished.client.url).matches.get(finished.id).board_text(at=version)
        assert board.split("\n\n", 1)[1].rstrip("\n") in done.out
    begun = cli("replay", "r.json", "--at", "1", typed="q\n")
    assert "1 of " in begun.out


def test_without_the_rules_a_record_is_told_without_boards(cli: Run, record: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(record))
    done = alone("replay", "r.json", folder=tmp_path)
    assert done.returncode == 0
    assert "no boards: pip install spieltisch-service" in done.stderr
    assert "the match starts" in done.stdout


def test_a_file_without_a_record_is_not_replayed(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("{}")
    done = cli("replay", "r.json")
    assert (done.code, done.out, done.err) == (2, "", "spieltisch: it holds no spieltisch-record/1\n")
    assert cli("replay", "none.json").code == 1


# --- verify -------------------------------------------------------------------------------------------------


def forged(record: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(record)
    made["result"]["scores"][0] += 1
    return made


def test_a_record_is_verified(cli: Run, record: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(record))
    done = cli("verify", "r.json", SPIELTISCH_URL="http://127.0.0.1:1")
    told = f"wunderland, match {record['match']}, version {record['version']}"
    assert (done.code, done.out, done.err) == (0, f"r.json: valid ({told})\n", "")
    assert cli("verify", "-", typed=json.dumps(record)).code == 0
    refused = cli("verify", "-", typed=json.dumps(forged(record)))
    assert refused.code == 1
    assert refused.out.startswith(f"-: NOT VALID ({told})\n  ")


def test_without_the_rules_it_says_what_was_not_checked(record: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(record))
    (tmp_path / "f.json").write_text(json.dumps(forged(record)))
    done = alone("verify", "r.json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (3, "")
    assert "valid as far as was checked" in done.stdout
    assert "NOT checked: that the actions are legal" in done.stdout
    assert alone("verify", "f.json", folder=tmp_path).returncode == 1


@pytest.mark.parametrize("text", ["", "[]", "nonsense", "[" * 100_000])
def test_what_is_no_record_is_said_in_one_line(cli: Run, text: str) -> None:
    done = cli("verify", "-", typed=text)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("spieltisch: - holds no record: ")
    assert done.err.count("\n") == 1


def test_a_file_that_is_not_there_is_said_in_one_line(cli: Run) -> None:
    done = cli("verify", "none.json")
    assert done.code == 1
    assert "none.json" in done.err
    assert done.err.count("\n") == 1


# --- doctor -------------------------------------------------------------------------------------------------


def findings(out: str) -> dict[str, str]:
    return {line.split()[1]: line.split()[0] for line in out.splitlines()}


def test_a_service_in_good_health(cli: Run) -> None:
    done = cli("doctor", "--register", "Doc")
    assert done.code == 0, done.out
    found = findings(done.out)
    assert set(found) == {"package", "service", "versions", "games", "store", "key", "clock", "latency"}
    # The tests' own store is a fast one.
    assert {what for what, how in found.items() if how != "ok"} == {"store"}
    assert "Doc (human, ac_" in done.out
    assert done.key not in done.out


def test_a_key_that_is_not_valid_is_found(cli: Run) -> None:
    key = "spt_key_" + "0" * 32 + "_" + "a" * 43
    done = cli("doctor", key=key)
    assert done.code == 1
    assert findings(done.out)["key"] == "BAD"
    assert key not in done.out + done.err


def test_a_clock_that_differs_is_found(cli: Run, stand_in: StandIn) -> None:
    body = {"version": "1", "info": {"version": "9.9"}, "games": [], "store": "s", "durability": "fsync"}
    stand_in.answers = [Answer(200, body)]
    told = cli("doctor", "--url", stand_in.url).out
    assert "API 9.9; this package knows" in told
    assert findings(told)["clock"] == "ok"
    stand_in.date = "Sat, 31 Jan 2026 12:00:00 GMT"
    told = cli("doctor", "--url", stand_in.url).out
    assert findings(told)["clock"] == "note"
    assert re.search(r"this machine's is \d+ s ahead of the service's", told)


def test_where_nothing_answers(cli: Run, stand_in: StandIn) -> None:
    done = cli("doctor", "--url", "http://127.0.0.1:1")
    assert done.code == 4
    assert "no connection to the service" in done.out
    stand_in.answers = [Answer(200, b"<html>", {"Content-Type": "text/html"})]
    assert cli("doctor", "--url", stand_in.url).code == 4


# --- all of them --------------------------------------------------------------------------------------------


def test_a_service_that_is_not_there_is_said_in_one_line(cli: Run) -> None:
    done = cli("games", "--url", "http://127.0.0.1:1")
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith("spieltisch: GET http://127.0.0.1:1/v1/games: no connection")
    assert done.err.count("\n") == 1


def test_a_key_travels_to_no_other_machine_in_the_clear(cli: Run) -> None:
    done = cli("games", "--url", "http://games.example")
    assert done.code == 2
    assert "use https" in done.err


def test_a_wrong_command_line_is_2(cli: Run) -> None:
    assert [cli(*each).code for each in ([], ["dance"], ["watch"], ["play", "--seat", "x"])] == [2] * 4
    assert cli("--version").code == 0


BOT = """
from spieltisch.bot import bot

@bot
def decide(turn):
    return turn.legal_actions[0]
"""


def test_a_bot_is_run(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(BOT)
    done = cli("bot", "run", "first.py", "-n", "2", "--against", "random", "--game", "wunderland")
    assert done.code == 0, done.err
    assert "first" in done.out
    assert cli("bot", "run", "first.py", "--help").code == 0
    assert cli("bot", "run", "other.py").code == 2


def test_a_terminal_gets_colours_and_a_pipe_none(environment: dict[str, str]) -> None:
    pytest.importorskip("rich")

    def shown(*arguments: str) -> str:
        ours, theirs = pty.openpty()
        variables = environment | {"TERM": "xterm-256color"}
        command = [*COMMAND, "play", "neues-land", *arguments]
        with subprocess.Popen(command, env=variables, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            process.communicate(b"0\nquit\n", timeout=60)
            text = b""
            try:
                while piece := os.read(ours, 65536):
                    text += piece
            except OSError:
                pass
            os.close(ours)
        assert process.returncode == 0, text
        return text.decode()

    assert "\x1b[" in shown()
    assert "Your turn, seat 0 (Guest): place tile" in shown()
    assert "\x1b[" not in shown("--plain")
