"""`./run` installs what the locks pin, once, and again when something changed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.places import ROOT

# Stands for an interpreter: makes an environment with itself in it, and writes down what it is asked for.
INTERPRETER = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi
case "$*" in *"sys.version_info"*) exit "${TOO_OLD:-0}";; esac
echo "$*" >>calls
case "$*" in *"-r requirements"*) exit "${NO_NETWORK:-0}";; esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what `./run` looks at, on a machine with a shell and one interpreter."""
    (tmp_path / "sdk").mkdir()
    for name in ("run", "pyproject.toml", "sdk/pyproject.toml", "requirements.lock", "requirements-test.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3.11").write_text(INTERPRETER)
    (tmp_path / "bin" / "python3.11").chmod(0o755)
    return tmp_path


def run(project: Path, *arguments: str, **environment: str) -> list[str]:
    """The calls of the interpreter that `./run` made."""
    (project / "calls").unlink(missing_ok=True)
    given = {"PATH": f"{project / 'bin'}{os.pathsep}{os.defpath}", **environment}
    answer = subprocess.run(
        ["./run", *arguments], cwd=project, env=given, capture_output=True, text=True, check=False, timeout=60
    )
    calls = (project / "calls").read_text().splitlines() if (project / "calls").exists() else []
    return [*calls, f"exit {answer.returncode}"]


def shapes(calls: list[str]) -> list[str]:
    """The calls without their options."""
    return [line.split(" --")[0] for line in calls]


def test_it_installs_once_and_again_when_a_lock_or_a_project_changes(project: Path) -> None:
    first = run(project, "python", "a.py")
    assert shapes(first) == ["-m venv .venv", "-m pip install", "-m pip install", "a.py", "exit 0"]
    assert "--require-hashes -r requirements-test.lock" in first[1]
    assert run(project, "python", "b.py") == ["b.py", "exit 0"]
    for name in ("requirements-test.lock", "pyproject.toml", "sdk/pyproject.toml"):
        with (project / name).open("a") as file:
            file.write("# changed\n")
        again = run(project, "python", "c.py")
        assert shapes(again) == ["-m pip install", "-m pip install", "c.py", "exit 0"]
        assert run(project, "python", "d.py") == ["d.py", "exit 0"]


def test_a_failed_installation_is_tried_again(project: Path) -> None:
    assert shapes(run(project, "python", "a.py", NO_NETWORK="1")) == ["-m venv .venv", "-m pip install", "exit 1"]
    assert shapes(run(project, "python", "a.py")) == ["-m pip install", "-m pip install", "a.py", "exit 0"]
    assert run(project, "python", "b.py") == ["b.py", "exit 0"]


def test_an_old_interpreter_is_refused(project: Path) -> None:
    assert run(project, "python", "a.py", TOO_OLD="1") == ["-m venv .venv", "exit 1"]


def test_benchmarks_have_an_environment_of_their_own_and_do_without_it(project: Path) -> None:
    shutil.copy(ROOT / "requirements-bench.lock", project)
    assert shapes(run(project, "python", "a.py"))[-2:] == ["a.py", "exit 0"]
    own = run(project, "bench", "T5")
    assert shapes(own) == ["-m venv .venv-bench", "-m pip install", "-m pip install", "-m benchmarks T5", "exit 0"]
    assert "-r requirements-bench.lock" in own[1]
    (project / "requirements-bench.lock").write_text("# changed\n")
    assert shapes(run(project, "bench", NO_NETWORK="1")) == ["-m pip install", "-m pip install", "exit 1"]


def test_named_tests_are_run_as_they_are_named(project: Path) -> None:
    run(project, "python", "a.py")
    assert run(project, "test", "tests/x.py", "-q") == ["-m pytest tests/x.py -q", "exit 0"]
    (all_of_them, _) = run(project, "test")
    assert re.match(r"-m pytest -n \d*[2468] ", all_of_them)


def test_help_names_every_command_and_an_unknown_one_fails(project: Path) -> None:
    script = (project / "run").read_text()
    commands = re.findall(r"^([a-z]+)\)$", script, re.MULTILINE)
    assert commands == re.findall(r"^  ([a-z]+) {2,}", script, re.MULTILINE)
    assert run(project, "help") == run(project) == ["exit 0"]
    assert run(project, "nonsense") == ["exit 1"]
