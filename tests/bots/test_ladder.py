"""The ladder: what is played against what, what is counted, and that the better bots are better."""

import pytest
from click.testing import CliRunner

from spieltisch_service.ladder import (
    Meeting,
    Played,
    deal_seed,
    main,
    meetings,
    play,
    summed,
    table_of,
)


def test_two_seats_play_each_deal_twice_with_seats_exchanged() -> None:
    found = list(meetings("neues-land", 2, 4, ["random", "greedy"]))
    assert found == [
        Meeting("neues-land", ("greedy", "random"), 0, 0),
        Meeting("neues-land", ("random", "greedy"), 1, 0),
        Meeting("neues-land", ("greedy", "random"), 0, 1),
        Meeting("neues-land", ("random", "greedy"), 1, 1),
    ]


def test_more_seats_play_one_against_a_field_from_every_seat() -> None:
    found = list(meetings("wunderland", 3, 3, ["random", "greedy"]))
    one_greedy = [("greedy", "random", "random"), ("random", "greedy", "random"), ("random", "random", "greedy")]
    one_random = [("random", "greedy", "greedy"), ("greedy", "random", "greedy"), ("greedy", "greedy", "random")]
    assert [meeting.bots for meeting in found] == one_greedy + one_random
    assert [meeting.seat for meeting in found] == [0, 1, 2, 0, 1, 2]
    assert {meeting.deal for meeting in found} == {0}


def test_unfinished_rotations_are_finished() -> None:
    assert len(list(meetings("wunderland", 4, 5, ["random", "greedy"]))) == 2 * 8


def test_a_shared_win_is_a_part_of_one() -> None:
    here = Meeting("neues-land", ("greedy", "random", "random"), 0, 0)
    played = [
        Played(here, 0.5, (40, 40, 10), 9),
        Played(here, 1.0, (50, 20, 20), 9),
        Played(here, 0.0, (10, 50, 20), 9),
    ]
    (line,) = summed(played)
    assert (line.seats, line.bot, line.field, line.games) == (3, "greedy", "random", 3)
    assert line.rate == pytest.approx(0.5)
    assert line.own_score == pytest.approx(100 / 3)
    assert line.field_score == pytest.approx(160 / 6)
    assert "| 0.500 |" in table_of([line])
    assert "| 0.333 |" in table_of([line])


def test_both_seatings_of_a_deal_have_the_same_deal_and_a_match_is_repeatable() -> None:
    one, other = list(meetings("neues-land", 2, 2, ["random", "greedy"]))
    assert deal_seed(one, 7) == deal_seed(other, 7) != deal_seed(one, 8)
    assert play(one, 7) == play(one, 7)
    assert play(one, 7) != play(one, 8)


@pytest.mark.parametrize("game", ["neues-land", "wunderland"])
def test_greedy_beats_random(game: str) -> None:
    (line,) = summed([play(meeting, 1) for meeting in meetings(game, 2, 20, ["random", "greedy"])])
    assert line.games == 20
    assert line.rate > 0.9
    assert line.own_score > 2 * line.field_score


def test_any_number_of_processes_prints_the_same_table() -> None:
    asked = [
        "--game",
        "neues-land",
        "--games",
        "2",
        "--seats",
        "2,3",
        "--seed",
        "3",
        "--bot",
        "random",
        "--bot",
        "greedy",
    ]
    alone = CliRunner().invoke(main, [*asked, "--jobs", "1"])
    shared = CliRunner().invoke(main, [*asked, "--jobs", "2"])
    assert alone.exit_code == shared.exit_code == 0, alone.output + shared.output
    assert alone.stdout == shared.stdout
    assert "neues-land: expert False, equal_turns False; seed 3" in alone.stdout
    assert "| neues-land | 2 | greedy | random | 2 |" in alone.stdout
    assert "8 of 8 matches" in alone.stderr


@pytest.mark.parametrize("asked", [["--bot", "greedy"], ["--seats", "9"], ["--seats", "two"], ["--games", "0"]])
def test_what_cannot_be_played_is_refused(asked: list[str]) -> None:
    assert CliRunner().invoke(main, asked).exit_code == 2
