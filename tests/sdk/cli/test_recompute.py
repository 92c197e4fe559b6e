"""The results of an exported tournament on the command line."""

import subprocess
from pathlib import Path

import pytest

from spieltisch_service.domain.tournament.export import exported, recompute
from tests.domain.tournament import cups
from tests.sdk.cli.conftest import COMMAND, alone


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A file with a small tournament."""
    path = tmp_path / "export.ndjson"
    path.write_text("".join(exported(cups.whole_log())), encoding="utf-8")
    return path


def run(*arguments: str, folder: Path, typed: bytes = b"") -> tuple[int, bytes, str]:
    done = subprocess.run([*COMMAND, "recompute", *arguments], cwd=folder, input=typed, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def test_the_bytes_are_those_of_the_log(export: Path) -> None:
    expected = recompute(export.read_bytes().splitlines())
    assert run(export.name, folder=export.parent) == (0, expected, "")
    assert run("-", folder=export.parent, typed=export.read_bytes()) == (0, expected, "")


def test_a_damaged_export_is_one_line(export: Path) -> None:
    lines = export.read_text().splitlines(keepends=True)
    export.write_text("".join([*lines[:3], lines[3].replace("Cyd", "Sid"), *lines[4:]]))
    code, out, err = run(export.name, folder=export.parent)
    assert (code, out) == (1, b"")
    assert err.startswith("spieltisch: export.ndjson: line 4: ")
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    code, out, err = run("none.ndjson", folder=tmp_path)
    assert (code, out) == (1, b"")
    assert err.startswith("spieltisch: none.ndjson: ")
    assert err.count("\n") == 1


def test_without_the_rules_it_says_what_is_missing(export: Path) -> None:
    done = alone("recompute", export.name, folder=export.parent)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install spieltisch-service" in done.stderr
