"""What is installed: exact pins with hashes and without addresses, covering everything that the projects declare."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.architecture.places import ROOT

LOCKS = ["requirements.lock", "requirements-test.lock", "requirements-bench.lock"]


def pins(lock: str) -> dict[str, Version]:
    """The pinned packages: name → version."""
    found = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", (ROOT / lock).read_text(), re.MULTILINE)
    assert len(found) > 20
    return {canonicalize_name(name): Version(version) for name, version in found}


def declared() -> list[Requirement]:
    """What both projects declare: `dependencies`, and what builds them."""
    found = []
    for project in ("pyproject.toml", "sdk/pyproject.toml"):
        told = tomllib.loads((ROOT / project).read_text())
        found += [*told["project"]["dependencies"], *told["build-system"]["requires"]]
    return [Requirement(line) for line in found]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_every_dependency_within_its_bounds(lock: str) -> None:
    pinned = pins(lock)
    wrong = [
        str(need)
        for need in declared()
        if canonicalize_name(need.name) not in pinned or pinned[canonicalize_name(need.name)] not in need.specifier
    ]
    assert wrong == []


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_tests_and_benchmarks_run_on_the_versions_that_are_served(lock: str) -> None:
    runtime = pins(LOCKS[0])
    assert {name: version for name, version in pins(lock).items() if name in runtime} == runtime


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_its_hash(lock: str) -> None:
    text = (ROOT / lock).read_text()
    entries = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_place_to_download_from(lock: str) -> None:
    places = re.compile(r"https?://|--(?:index-url|extra-index-url|find-links|trusted-host)")
    assert places.findall((ROOT / lock).read_text()) == []
