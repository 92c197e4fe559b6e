"""Only the store's clock decides: where anything is decided no worker reads its own, and elsewhere for a reason.

What only runs evenly (`time.monotonic`, `time.perf_counter`) measures how long something took, and may.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.places import SERVICE

ROOMS = ("games", "domain", "app", "store", "web")
#: What tells the time of day where nothing is given to it, by the module or class that it belongs to.
TELLS = {
    "time": {
        "time",
        "time_ns",
        "localtime",
        "gmtime",
        "ctime",
        "asctime",
        "strftime",
        "clock_gettime",
        "clock_gettime_ns",
    },
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
}
#: Outside the rooms, who reads it all the same, and why.
MAY = {
    "cli.py": "a backup says when it was made",
    "local/table.py": "a table without a service has no store that could tell",
}


def _read(source: str) -> Iterator[str]:
    """Every reading of a wall clock, under whatever name it was imported."""
    known: dict[str, str] = {}
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known |= {each.asname or each.name: each.name for each in node.names if each.name in TELLS}
        elif isinstance(node, ast.ImportFrom) and node.module in ("time", "datetime"):
            for each in node.names:
                if node.module == "time" and each.name in TELLS["time"]:
                    yield f"time.{each.name}"
                elif node.module == "datetime" and each.name in TELLS:
                    known[each.asname or each.name] = each.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
            kind = known.get(name, name if isinstance(owner, ast.Attribute) else "")
            if node.attr in TELLS.get(kind, ()):
                yield f"{kind}.{node.attr}"


@pytest.mark.parametrize("room", ROOMS)
def test_where_anything_is_decided_no_clock_of_a_worker_is_read(room: str) -> None:
    modules = sorted((SERVICE / room).rglob("*.py"))
    assert modules
    assert {str(path): read for path in modules if (read := sorted(_read(path.read_text())))} == {}


def test_elsewhere_it_is_read_for_a_reason() -> None:
    read = {str(path.relative_to(SERVICE)) for path in SERVICE.rglob("*.py") if set(_read(path.read_text()))}
    assert read == set(MAY)


def test_scripts_ask_the_store() -> None:
    scripts = sorted((SERVICE / "store" / "lua").glob("*.lua"))
    assert scripts
    for script in scripts:
        assert "os." not in script.read_text(), script


@pytest.mark.parametrize(
    "careless",
    [
        "import time\nat = time.time()",
        "import time as t\nat = t.time_ns()",
        "from time import time\nat = time()",
        "import datetime\nat = datetime.datetime.now()",
        "import datetime as dt\nat = dt.date.today()",
        "from datetime import datetime\nat = datetime.utcnow()",
        "from datetime import datetime as d\nat = d.now(None)",
        "from datetime import date\nat = date.today()",
        "import time\nclock = time.time",
    ],
)
def test_the_search_sees_what_it_looks_for(careless: str) -> None:
    assert len(set(_read(careless))) == 1


@pytest.mark.parametrize(
    "careful",
    [
        "import time\nwaited = time.monotonic()",
        "from time import perf_counter\nwaited = perf_counter()",
        "from datetime import UTC, datetime\nat = datetime.fromtimestamp(5, UTC)",
        "now = plan.time\ntoday = calendar.today",
    ],
)
def test_the_search_passes_over_the_rest(careful: str) -> None:
    assert not set(_read(careful))
