"""Where things lie in the repository, and which of them are committed."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "service" / "spieltisch_service"
SDK = ROOT / "sdk" / "spieltisch"


def modules() -> list[Path]:
    """Every module of both distributions."""
    found = sorted([*SERVICE.rglob("*.py"), *SDK.rglob("*.py")])
    assert len(found) > 20
    return found


def committed() -> list[Path]:
    """Every file under version control; skips the test where there is none."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout of git")
    answer = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [ROOT / name for name in answer.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
