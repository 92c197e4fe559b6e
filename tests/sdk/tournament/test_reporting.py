"""Reports of what was played here, of logs that still grow, and of exports from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spieltisch.cli.main import main
from tests.sdk.tournament.cups import played, write_cup


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup that was played."""
    made = tmp_path_factory.mktemp("cup")
    played(write_cup(made), made / "out")
    return made / "out"


def report(capsys: pytest.CaptureFixture[str], path: Path, form: str) -> str:
    assert main(["tournament", "report", str(path), "--format", form]) == 0
    return capsys.readouterr().out


def test_a_run_leaves_every_form(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"json": "report.json", "csv": "standings.csv", "crosstable": "crosstable.csv", "markdown": "report.md"}
    for form, name in {**names, "html": "report.html"}.items():
        assert (folder / name).read_bytes().decode() == report(capsys, folder, form)
    (first, *_) = json.loads((folder / "report.json").read_text())["entrants"]
    assert (first["name"], first["kind"], first["matches"]) == ("greedy 1", "house", 8)
    assert first["time"]["decisions"] > 0


def test_an_export_and_a_log_that_grows_have_reports(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(report(capsys, folder / "export.ndjson", "json"))
    assert found["standings"] == json.loads((folder / "results.json").read_text())["standings"]
    log = (folder / "log.ndjson").read_bytes()
    growing = tmp_path / "log.ndjson"
    growing.write_bytes(log[: log.rindex(b'"match_ended"') + 20])
    found = json.loads(report(capsys, growing, "json"))
    assert (found["status"], found["matches"]) == ("running", {"played": 11, "decided": 0, "voided": 0, "left": 1})
    assert [each["time"] for each in found["entrants"]] == [None] * 3


def test_a_report_goes_to_a_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "report", str(folder), "--format", "html", "-o", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_bytes() == (folder / "report.html").read_bytes()
    assert "written to" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"nonsense\n", b'{"type":"started"}\n', b'{"format":"x"}\n'])
def test_what_is_no_tournament_is_refused(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "some.ndjson"
    path.write_bytes(content)
    assert main(["tournament", "report", str(path)]) == 1
    assert "some.ndjson holds no tournament: " in capsys.readouterr().err
