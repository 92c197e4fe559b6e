"""The floors of the house: who may import whom, and what a room says about itself."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.places import ROOT, SDK, SERVICE, modules


def test_no_room_imports_from_a_floor_above_it() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    answer = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_every_room_has_its_floor() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (floors,) = (contract for contract in contracts if contract["type"] == "layers")
    assert floors["exhaustive"] is True
    named = {name.strip() for layer in floors["layers"] for name in layer.split("|")}
    rooms = {path.name for path in SERVICE.iterdir() if (path / "__init__.py").exists()}
    single = {path.stem for path in SERVICE.glob("*.py") if path.stem.isidentifier() and path.stem != "__init__"}
    assert named == rooms | single


ROOMS = sorted([*SERVICE.rglob("__init__.py"), *SDK.rglob("__init__.py")])


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.parent.name)
def test_a_room_says_what_lives_in_it(room: Path) -> None:
    said = ast.get_docstring(ast.parse(room.read_text()))
    assert said is not None
    assert len(said.split()) >= 4, said


def test_a_module_has_one_subject() -> None:
    long = {str(path.relative_to(ROOT)): n for path in modules() if (n := len(path.read_text().splitlines())) >= 400}
    assert long == {}


def test_a_function_has_one_subject() -> None:
    long = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                lines = node.end_lineno - node.lineno + 1
                if lines > 60:
                    long[f"{path.relative_to(ROOT)}:{node.name}"] = lines
    assert long == {}
