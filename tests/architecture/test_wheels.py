"""What is published: both wheels hold all their files, and the SDK needs nothing but `requests`."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.architecture.places import ROOT, SDK, SERVICE


def build(project: Path, kind: str, folder: Path) -> Path:
    """Build a distribution without a network and return its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    answer = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    (built,) = folder.iterdir()
    return built


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def files(package: Path) -> set[str]:
    """Everything that lies in a package, as a wheel names it."""
    found = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert found
    return found


@pytest.fixture(scope="module")
def sdk_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT / "sdk", "wheel", tmp_path_factory.mktemp("sdk"))


def test_the_service_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    wheel = build(ROOT, "wheel", tmp_path)
    assert names(wheel) == files(SERVICE)
    assert {Path(name).suffix for name in names(wheel)} >= {".py", ".lua", ".json", ".md"}
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.read("spieltisch_service/gunicorn.conf.py")
    assert packed == (ROOT / "deploy" / "gunicorn.conf.py").read_bytes()


def test_the_source_distribution_builds_the_same_wheel(tmp_path: Path) -> None:
    archive = build(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(archive) as source:
        # Not every 3.11 knows filters.
        source.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
        source.extractall(tmp_path / "source")
    (unpacked,) = (tmp_path / "source").iterdir()
    assert names(build(unpacked, "wheel", tmp_path / "wheel")) == files(SERVICE)


def test_the_sdk_wheel_holds_every_file_of_the_package(sdk_wheel: Path) -> None:
    assert names(sdk_wheel) == files(SDK)


def pythons() -> dict[str, str]:
    """Every interpreter at hand that the SDK is meant for, one of each version."""
    own = f"3.{sys.version_info.minor}"
    found = {own: sys.executable}
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in range(10, 20):
        name = f"python3.{minor}"
        for path in (shutil.which(name), *sorted(map(str, pyenv.glob(f"3.{minor}.*/bin/{name}")))):
            if path is None or f"3.{minor}" in found:
                continue
            if subprocess.run([path, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
                found[f"3.{minor}"] = path
    return found


PYTHONS = pythons()


def copy_requests(folder: Path) -> None:
    """Copy `requests` and what it needs, and nothing else of this environment."""
    for name in ("requests", "urllib3", "idna", "certifi", "charset_normalizer"):
        distribution = importlib.metadata.distribution(name)
        for file in distribution.files or ():
            if file.parts[0].split("-")[0] == name:
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(distribution.locate_file(file)), target)


@pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)
def test_the_sdk_installs_and_imports_alone(tmp_path: Path, sdk_wheel: Path, python: str) -> None:
    subprocess.run([python, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    inside = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(inside)]
    bare = {"PATH": os.defpath, "HOME": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "--quiet", str(sdk_wheel)], check=True, env=bare)
    copy_requests(tmp_path / "requests")
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([inside, "-c", asked], check=True, capture_output=True, text=True).stdout.strip())
    (packages / "requests.pth").write_text(f"{tmp_path / 'requests'}\n")
    script = """
import importlib, pkgutil, sys
import spieltisch
for module in pkgutil.walk_packages(spieltisch.__path__, "spieltisch."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
foreign = {name.partition(".")[0] for name in sys.modules} & {"flask", "redis", "marshmallow", "spieltisch_service"}
assert not foreign, foreign
print(spieltisch.__file__)
"""
    answer = subprocess.run([inside, "-I", "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip().startswith(str(packages))
