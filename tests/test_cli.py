"""The command line without `serve`, which tests/end_to_end runs as real processes."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from spieltisch_service.cli import main
from spieltisch_service.games.catalogue import GAMES
from tests.games.played import played
from tests.games.tampering import a_point_more_on_the_way


@pytest.fixture
def record() -> dict[str, object]:
    return played(GAMES["wunderland"], seed=1, players=2, options={"round_limit": 1, "postcards": "own_turn"}).record()


def test_a_valid_record_is_called_valid(tmp_path: Path, record: dict[str, object]) -> None:
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    answer = CliRunner().invoke(main, ["verify", str(file)])
    assert answer.exit_code == 0
    assert answer.output == f"{file}: valid (wunderland, match {record['match']}, version {record['version']})\n"


def test_a_record_may_come_from_the_standard_input(record: dict[str, object]) -> None:
    answer = CliRunner().invoke(main, ["verify", "-"], input=json.dumps(record))
    assert answer.exit_code == 0
    assert answer.output.startswith("-: valid")


def test_a_record_that_was_tampered_with_is_refused_with_its_problems(
    tmp_path: Path, record: dict[str, object]
) -> None:
    file = tmp_path / "record.json"
    file.write_text(json.dumps(a_point_more_on_the_way(record)))
    answer = CliRunner().invoke(main, ["verify", str(file)])
    assert answer.exit_code == 1
    assert answer.stdout == ""
    first, *problems = answer.stderr.splitlines()
    assert first == f"{file}: INVALID"
    assert problems
    assert all(re.fullmatch(r"  \S.*", line) for line in problems)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', "[" * 100_000, "\x80"])
def test_what_is_no_record_is_refused_without_a_traceback(tmp_path: Path, text: str) -> None:
    file = tmp_path / "record.json"
    file.write_text(text, encoding="latin-1")
    answer = CliRunner().invoke(main, ["verify", str(file)])
    assert answer.exit_code == 1
    assert isinstance(answer.exception, SystemExit)
    assert answer.stderr.startswith(f"{file}: ")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_record_is_json(record: dict[str, object], number: str) -> None:
    text = json.dumps(record).replace('"seat": null', f'"seat": {number}', 1)
    answer = CliRunner().invoke(main, ["verify", "-"], input=text)
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert answer.stderr == f"-: cannot be read as JSON: {number} is no number of JSON\n"


def test_a_missing_file_is_a_wrong_call() -> None:
    answer = CliRunner().invoke(main, ["verify", "no-such-file.json"])
    assert answer.exit_code == 2
    assert "does not exist" in answer.stderr


def test_help_names_what_serve_can_be_told() -> None:
    told = CliRunner().invoke(main, ["serve", "--help"]).output
    for option in ("--host", "--port", "--data", "--workers", "--durability", "--allow-unsafe-store"):
        assert option in told
