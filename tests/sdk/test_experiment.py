"""Experiments: is one bot better than another, played out here."""

import json
from pathlib import Path
from typing import Any

import pytest

from spieltisch.bot.bulk import Bulk, House, Setup
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.experiment import Experiment, Outcome, counted
from spieltisch.bot.player import Bot, Player
from spieltisch.bot.tally import Played
from spieltisch.cli.main import main

FIRST_LEGAL = Path(__file__).parents[2] / "sdk" / "examples" / "first_legal.py"
SHORT: dict[str, Any] = {"round_limit": 2}


def bulk_of(own: Player, other: Player, seed: str = "s", folder: Path = Path()) -> Bulk:
    return Bulk(Setup("wunderland", 2, SHORT, seed, folder), own, [other])


def test_who_wins_every_deal_is_better_and_the_other_way_round() -> None:
    found, interrupted = Experiment(bulk_of(House("greedy"), House("random")), alpha=0.1, cap=60).run(1)
    assert (found.verdict, interrupted) == ("better", False)
    assert found.mean is not None
    assert found.low > 0.5
    assert found.low < found.mean <= found.high
    # 2 / 0.1 = 20 by doubling needs 5.
    assert 5 <= found.deals < 60
    turned, _ = Experiment(bulk_of(House("random"), House("greedy")), alpha=0.1, cap=60).run(1)
    assert turned.verdict == "worse"
    assert turned.high < 0.5


def test_any_number_of_processes_has_the_same_outcome() -> None:
    experiment = Experiment(bulk_of(House("random"), House("random")), alpha=0.3, cap=24)
    alone = [experiment.run(1, number=number)[0] for number in range(3)]
    assert [experiment.run(2, number=number)[0] for number in range(3)] == alone
    # Each has deals of its own, and bots of chance do not play the two seatings of a deal alike.
    assert len({outcome.mean for outcome in alone}) > 1
    assert any(outcome.mean != 0.5 for outcome in alone)


def test_a_bot_without_chance_is_as_good_as_itself() -> None:
    """Both seatings of a deal are then the same match, so that every deal is even."""
    same = Bot(lambda turn: turn.legal_actions[0], name="first")
    found, _ = Experiment(bulk_of(same, same), alpha=0.05, cap=200, difference=0.2).run(1)
    assert (found.verdict, found.mean) == ("no_difference", 0.5)
    assert 0.3 <= found.low < 0.5 < found.high <= 0.7
    assert found.deals < 60


class Scripted(Bulk):
    """Matches that end as it is written, in an order that does not matter."""

    def __init__(self, shares: dict[int, float]) -> None:
        super().__init__(Setup("wunderland", 2, SHORT, "s"), House("random"), [House("random")])
        self.shares = shares
        self.asked: list[int] = []

    def play(self, number: int, stopped: Any = None) -> Played | None:
        self.asked.append(number)
        played = Played(number, self.setup.deal_number(number), self.setup.seat_of(number))
        share = self.shares.get(number, 0.5)
        own, other = {1.0: (1, 2), 0.5: (1, 1), 0.0: (2, 1)}[share]
        played.ranks = [own, other] if played.seat == 0 else [other, own]
        played.scores = [0, 0]
        return played


def test_a_deal_scores_the_mean_of_both_seatings_and_no_match_is_played_after_the_end() -> None:
    scripted = Scripted({0: 1.0, 1: 0.0, 2: 1.0, 3: 1.0, 4: 0.0})
    found, _ = Experiment(scripted, alpha=0.05, cap=3).run(1)
    assert scripted.asked == [0, 1, 2, 3, 4, 5]
    # The first deal is split, the second one won, of the third one the one match is lost and the other one tied.
    assert found.mean == pytest.approx((0.5 + 1 + 0.25) / 3)
    assert (found.verdict, found.deals) == ("undecided", 3)
    winner = Scripted(dict.fromkeys(range(200), 1.0))
    sure, _ = Experiment(winner, alpha=0.05, cap=100).run(1)
    assert len(winner.asked) == 2 * sure.deals < 40


def test_a_bot_that_fails_ends_it(tmp_path: Path) -> None:
    def broken(turn: Any) -> Any:
        return {"type": "nonsense"}

    experiment = Experiment(bulk_of(Bot(broken), House("random"), folder=tmp_path), alpha=0.05, cap=10)
    with pytest.raises(BotFailed, match="broken at version 2 of match 0"):
        experiment.run(1)


def test_many_are_counted() -> None:
    outcomes = [Outcome("better", 8, 1.0, 0.6, 1.0), Outcome("undecided", 20, 0.5, 0.3, 0.7)]
    assert counted([*outcomes, outcomes[0]]) == {
        "experiments": 3,
        "verdicts": {"better": 2, "undecided": 1},
        "matches": 72,
        "median_deals": 8,
        "mean_deals": 12.0,
    }
    assert counted([])["median_deals"] is None


# --- the command line ---------------------------------------------------------------------------------------

ASKED = ["experiment", "--game", "wunderland", "--options", "round_limit=2", "--seed", "7", "--quiet"]


def test_it_says_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, "--bot", "greedy", "--bot", "random", "--cap", "60", "--alpha", "0.2"]) == 0
    asked, said = capsys.readouterr().out.splitlines()
    assert asked == ("wunderland, 60 deals in both seatings at the most, alpha 0.2: is greedy better than random?")
    assert said.startswith("better: greedy beats random; score ")
    assert main([*ASKED, "--bot", "greedy", "--bot", "random", "--cap", "60", "--alpha", "0.2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "better"
    assert told["matches"] == 2 * told["deals"]
    assert f"after {told['deals']} deals, {told['matches']} matches" in said
    assert 0.5 < told["low"] < told["score"] <= told["high"] <= 1


def test_it_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*ASKED, "--bot", "bot:random", "--bot", str(FIRST_LEGAL), "--cap", "2", "--repeat", "3"]
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["experiments"], told["verdicts"], told["matches"]) == (3, {"undecided": 3}, 12)
    assert main(asked) == 0
    assert "undecided          3 of 3  (1.000)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--bot", "random"], "two bots are needed"),
        (["--bot", "random", "--bot", "nobody"], "there is no house bot 'nobody'"),
        (["--bot", "random", "--bot", "none.py"], "there is no file none.py"),
        (["--bot", "random", "--bot", "random", "--alpha", "1"], "alpha lies between"),
        (["--bot", "random", "--bot", "random", "--difference", "0.5"], "the difference from 1/2"),
        (["--bot", "random", "--bot", "random", "--game", "chess"], "there is no game 'chess'"),
    ],
)
def test_what_cannot_be_asked_is_one_line(asked: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", *asked]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_failure_is_said_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.py"
    path.write_text("from spieltisch.bot import bot\n\n@bot\ndef decide(turn):\n    return {}\n")
    asked = [*ASKED, "--bot", str(path), "--bot", "random", "--crash-dir", str(tmp_path)]
    assert main(asked) == 1
    assert "spieltisch: bad at version 2 of match 0" in capsys.readouterr().err
    assert list(tmp_path.glob("*.json"))
