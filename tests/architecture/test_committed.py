"""What is committed stands alone: no registry, no path of one machine, and the scripts can be run."""

import os
import re

from tests.architecture.places import ROOT, committed

# Written so that the patterns do not find themselves.
REGISTRIES = re.compile(r"p[y]pi\.org|pythonh[o]sted\.org|n[p]mjs\.|registry\.y[a]rnpkg|c[r]ates\.io|d[e]b\.debian\.")
MACHINES = re.compile(r"(?<![\w.])/(?:root|work|Users|home/\w+)/")


def test_no_registry_and_no_machine_is_named() -> None:
    found = []
    for path in committed():
        text = path.read_text(encoding="utf-8", errors="replace")
        for pattern in (REGISTRIES, MACHINES):
            found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in pattern.finditer(text)]
    assert found == []


def test_the_scripts_can_be_run() -> None:
    for script in ("run", ".ci/run"):
        assert os.access(ROOT / script, os.X_OK), script
