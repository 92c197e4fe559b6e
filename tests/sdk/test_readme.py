"""What the readmes and the examples say is run as it stands."""

import io
import re
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import spieltisch
from spieltisch import Client
from spieltisch.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
HEADING = "A match with the SDK"
README = ROOT / "sdk" / "README.md"


def example_of(readme: Path, heading: str = HEADING) -> str | None:
    """The Python block that follows the heading."""
    found = re.search(rf"^#+ {heading}\n.*?^```python\n(.*?)^```$", readme.read_text("utf-8"), re.M | re.S)
    return found[1] if found else None


READMES = [readme for readme in (ROOT / "README.md", README) if example_of(readme) is not None]


def test_the_readme_of_the_sdk_has_the_example() -> None:
    assert README in READMES


@pytest.mark.parametrize("readme", READMES, ids=lambda readme: readme.parent.name)
def test_the_ten_lines_play_a_match(readme: Path, live_server: str) -> None:
    text = example_of(readme)
    assert text is not None
    assert len(text.strip().splitlines()) <= 10
    text, urls = re.subn(r"http://(localhost|127\.0\.0\.1):8000", live_server, text)
    assert urls == 1
    names: dict[str, object] = {}
    with redirect_stdout(io.StringIO()) as printed:
        exec(text, names)
    match = names["match"]
    assert isinstance(match, spieltisch.Match)
    assert match.result is not None
    assert printed.getvalue().endswith(f"{match.result.scores}\n")
    assert printed.getvalue().count(match.id) > 10


def test_the_lines_with_asyncio_play_a_match(live_server: str) -> None:
    text = example_of(README, "With asyncio")
    assert text is not None
    with redirect_stdout(io.StringIO()) as printed:
        exec(text.replace("http://localhost:8000", live_server), {})
    assert re.fullmatch(r"\(\d+, \d+\)\n", printed.getvalue())


def test_the_readme_names_every_command() -> None:
    text = README.read_text("utf-8")
    commands = {module.__name__.rsplit(".", 1)[1].replace("bots", "bot") for module in COMMANDS}
    assert set(re.findall(r"^spieltisch (\w+)", text, re.M)) == commands


def run(example: str, *arguments: str, monkeypatch: pytest.MonkeyPatch, answers: str = "") -> str:
    path = str(ROOT / "sdk" / "examples" / f"{example}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    with redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(path, run_name="__main__")
    return printed.getvalue()


def test_the_examples_run(live_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = run("play_random", "neues-land", live_server, monkeypatch=monkeypatch)
    assert "Result(" in printed
    match = printed.split()[1]
    watched = run("watch", match, live_server, monkeypatch=monkeypatch)
    assert watched.count(" action seat ") == len(Client(live_server).matches.get(match).record()["actions"])
    answers = "nonsense\n0\nresign\n"
    played = run("hot_seat", "wunderland", "2", live_server, monkeypatch=monkeypatch, answers=answers)
    assert "a number from the list" in played
    assert "end_reason='last_seat'" in played
