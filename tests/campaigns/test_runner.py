"""The runner itself: what it says, and how it ends."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.campaigns import __main__ as command
from tests.campaigns.harness import runner
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run, Skipped, scale_of


def found(_: Run) -> Figures:
    raise Finding("an action is lost")


def asserted(_: Run) -> Figures:
    raise AssertionError("two and two")


def broken(_: Run) -> Figures:
    raise OSError("no space left")


def skipped(_: Run) -> Figures:
    raise Skipped("no compiler")


def counted(run: Run) -> Figures:
    assert run.folder.is_dir()
    return {"operations": run["actions"], "drawn": run.rng.randrange(1000), "share": "0.50"}


def campaign(run: object, short: int = 5) -> Campaign:
    return Campaign("EXAMPLE", "nothing is lost", run, {"actions": short}, {"actions": 5000})  # type: ignore[arg-type]


@pytest.fixture
def invoked(monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    return CliRunner()


@pytest.mark.parametrize(
    ("run", "code", "line"),
    [
        (counted, 0, "EXAMPLE: 5 operations, "),
        (found, 1, "EXAMPLE FOUND: an action is lost"),
        (asserted, 1, "EXAMPLE FOUND: two and two"),
        (broken, 1, "EXAMPLE BROKE"),
        (skipped, 3, "EXAMPLE SKIPPED: no compiler"),
    ],
)
def test_it_says_what_came_of_it_and_how_to_repeat_it(run: object, code: int, line: str) -> None:
    lines: list[str] = []
    assert runner.judged(campaign(run), {"actions": 5}, 7, "./run campaign EXAMPLE --seed 7", lines.append) == code
    assert any(one.startswith(line) for one in lines), lines
    assert ("again: ./run campaign EXAMPLE --seed 7" in lines) == (code != 3)


def test_a_run_that_did_nothing_is_a_finding() -> None:
    lines: list[str] = []
    assert runner.judged(campaign(counted), {"actions": 0}, 7, "again", lines.append) == 1
    assert any(line.startswith("EXAMPLE FOUND: EXAMPLE did nothing") for line in lines)


def test_the_same_seed_draws_the_same(tmp_path: Path) -> None:
    one, other, third = (counted(Run({"actions": 1}, seed, tmp_path))["drawn"] for seed in (3, 3, 4))
    assert one == other != third


def test_the_scale_can_be_changed_by_name() -> None:
    assert scale_of(campaign(counted), long=True) == {"actions": 5000}
    assert scale_of(campaign(counted), long=False, changes=["actions=9"]) == {"actions": 9}
    for change in ("others=1", "actions", "actions=many"):
        with pytest.raises(ValueError, match="it has actions"):
            scale_of(campaign(counted), long=False, changes=[change])


def test_both_scales_have_the_same_names() -> None:
    with pytest.raises(ValueError, match="other names"):
        Campaign("EXAMPLE", "nothing is lost", counted, {"actions": 1}, {"matches": 1})


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = CliRunner().invoke(command.main, [])
    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.output.splitlines()] == sorted(runner.CAMPAIGNS)
    assert CliRunner().invoke(command.main, ["NONSENSE"]).exit_code == 2
