"""The demo plays, and without the extra it says what is missing."""

import subprocess
import sys
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement

pytest.importorskip("pettingzoo", reason="the extra rl is not installed: pip install 'spieltisch-service[rl]'")

from spieltisch_service.rl import demo
from tests.architecture.places import ROOT
from tests.rl.tables import SHORT


@pytest.mark.parametrize(("game", "players"), [("neues-land", 3), ("wunderland", 2)])
def test_greedy_wins_against_chance(game: str, players: int) -> None:
    policies = [demo.greedy_policy] + [demo.random_policy] * (players - 1)
    tables = [demo.play(game, players, SHORT[game], policies, seed) for seed in range(3)]
    assert sum(table.rewards["seat_0"] for table in tables) > 1.5


def test_the_same_seed_plays_the_same_game() -> None:
    def infos() -> object:
        return demo.play("wunderland", 2, {"round_limit": 4}, [demo.greedy_policy, demo.random_policy], 5).infos

    assert infos() == infos()


def test_it_prints_a_line_for_each_seat(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--game", "wunderland", "--players", "4", "--policy", "random", "--games", "2"]
    demo.main([*arguments, "--options", '{"round_limit": 3}'])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == 'wunderland, 2 games, options {"round_limit": 3}'
    assert [line.split()[:2] for line in lines[2:]] == [[f"seat_{seat}", "random"] for seat in range(4)]
    assert sum(float(line.split()[-1]) for line in lines[2:]) == pytest.approx(0, abs=0.03)


def test_what_cannot_be_played_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        demo.main(["--players", "9"])
    assert "2 to 5 players, not 9" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install() -> None:
    script = "import sys; sys.modules['pettingzoo'] = None; import spieltisch_service.rl.demo"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "spieltisch-service[rl]" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_the_readme_plays_a_game_to_its_end() -> None:
    """The page's example, and what it says about a server."""
    page = (ROOT / "README.md").read_text().split("\n## Train an agent\n", 1)[1].split("\n## ", 1)[0]
    names: dict[str, Any] = {}
    exec(page.split("```python\n", 1)[1].split("```", 1)[0], names)
    assert names["table"].agents == []
    view = names["table"].unwrapped.view("seat_1") | {"legal_actions": None}
    observation, choices = names["table"].unwrapped.encoding.read(view)
    assert choices == {}
    assert names["table"].observation_space("seat_1").contains(observation)


def test_the_tests_pin_what_the_extra_declares() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    lock = (ROOT / "requirements-test.lock").read_text()
    names = {Requirement(line).name for line in extras["rl"]}
    assert names == {"pettingzoo", "gymnasium", "numpy"}
    assert all(f"\n{name}==" in lock for name in names)
