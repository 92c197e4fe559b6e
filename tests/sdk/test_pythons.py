"""The SDK runs on every Python that it declares, as far as one is at hand."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SDK = Path(__file__).parents[2] / "sdk"
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
# requests and what it needs; all of these run on any Python.
LIBRARIES = ("requests", "urllib3", "idna", "certifi", "charset_normalizer")

SCRIPT = """
import asyncio, contextlib, io, pkgutil, sys, tempfile, threading
import spieltisch, spieltisch.errors
from importlib import import_module

assert sys.version_info[:2] == tuple(map(int, sys.argv[2].split("."))), sys.version
for module in pkgutil.walk_packages(spieltisch.__path__, "spieltisch."):
    import_module(module.name)
me = spieltisch.Client(sys.argv[1]).register("Ada")
match = me.matches.create("wunderland", ["me", "invite", "bot:random"], options={"round_limit": 2})
guest = spieltisch.Client(sys.argv[1]).join_with_invitation(match.id, match.invitations[0].token, "Bob")
def play(mine):
    for turn in mine.turns():
        turn.act(turn.legal_actions[-1])
other = threading.Thread(target=play, args=(guest,))
other.start()
play(match)
other.join()
events = list(match.events())
assert [event.seq for event in events] == list(range(1, match.version + 1))
assert events[0].at <= match.info.ended_at
try:
    match.resign()
except spieltisch.errors.MatchNotRunning as error:
    assert error.status == 409
from spieltisch.aio import AsyncClient
async def read():
    async with AsyncClient(sys.argv[1]) as service:
        return [event.seq async for event in (await service.matches.get(match.id)).events()]
assert asyncio.run(read()) == [event.seq for event in events]
from spieltisch.cli.main import main
file = str(match.export(tempfile.mkdtemp() + "/record.json"))
with contextlib.redirect_stdout(io.StringIO()) as shown:
    # Without the service's package, not everything can be checked.
    assert main(["verify", file]) == 3
    assert main(["watch", match.id, "--url", sys.argv[1]]) == 0
assert "the match is over" in shown.getvalue()
print("played", len(match.result.scores))
"""


def interpreter(version: str) -> str | None:
    """A Python of that version: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [shutil.which(f"python{version}"), *map(str, pyenv.glob(f"versions/{version}.*/bin/python"))]
    for each in filter(None, found):
        asked = subprocess.run([each, "-c", "import ssl, sys; print(sys.version)"], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout.startswith(f"{version}."):
            return each
    return None


def test_these_are_the_declared_versions() -> None:
    declared = re.search(r'requires-python = ">=(.*)"', (SDK / "pyproject.toml").read_text())
    assert declared is not None
    assert declared[1] == VERSIONS[0]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_match_is_played_on(version: str, live_server: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    for name in LIBRARIES:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        (tmp_path / name).symlink_to(Path(spec.origin).parent)
    (tmp_path / "spieltisch").symlink_to(SDK / "spieltisch")
    script = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]\n{SCRIPT}"
    done = subprocess.run(
        [python, "-I", "-B", "-W", "error", "-c", script, live_server, version],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == ("played 3\n", "")
