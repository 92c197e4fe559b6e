"""The README's pages do what they say, against a service that was started as they say."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spieltisch_service.domain.verify import verify
from tests.serving import Serving

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
ADDRESS = "http://127.0.0.1:8000"
GAME_LINE = re.compile(r"^GAME=.*$", re.MULTILINE)
#: Short ones, so that the shell page takes seconds; the SDK page plays full games.
SHORT_GAMES = {
    "neues-land": """GAME='"game": "neues-land", "deal": {"deck": ["17mg", "44mg", "17gs", "161gmg", "8m", "17ms"]}'""",
    "wunderland": """GAME='"game": "wunderland", "options": {"round_limit": 3}'""",
}


def page(language: str, heading: str) -> str:
    """The first block of that language below a heading."""
    below = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = re.search(rf"```{language}\n(.*?)```", below, re.DOTALL)
    assert found, heading
    return found[1]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    serving = Serving(tmp_path_factory.mktemp("readme") / "data", "--port", "0").ready()
    yield serving.url
    serving.process.terminate()
    assert serving.ended() == 0


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_the_curl_page_plays_a_whole_match(url: str, tmp_path: Path, game: str) -> None:
    script = page("bash", "A match by curl")
    assert len(script.splitlines()) < 40
    script = GAME_LINE.sub(lambda _: SHORT_GAMES[game], script).replace(ADDRESS, url)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "record.json").read_text())
    verify(record)
    assert record["game"] == game
    assert json.loads(done.stdout.splitlines()[-1]) == record["result"]


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_the_sdk_page_plays_a_whole_match(url: str, tmp_path: Path, game: str) -> None:
    script = page("python", "A match with the SDK")
    assert len(script.splitlines()) <= 10
    options = ', options={"round_limit": 8}' if game == "wunderland" else ""
    script = script.replace(ADDRESS, url).replace('"neues-land"', f'"{game}"').replace('"])', f'"]{options})', 1)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"[\[(]\d+, \d+[\])]", done.stdout.splitlines()[-1])


def test_every_house_decision_is_in_the_table() -> None:
    """The rules that the games mark with (D) are the rows of the README's tables."""
    for room, letter in (("neues_land", "N"), ("wunderland", "W")):
        text = (ROOT / "service/spieltisch_service/games" / room / "data/rules.en.md").read_text()
        bullets = re.split(r"\n- ", text)
        decided = {bullet.split("**")[1] for bullet in bullets if "**(D)**" in bullet and bullet.startswith("**")}
        rows = set(re.findall(rf"^\| ({letter}\d+) \|", README, re.MULTILINE))
        assert decided == rows
