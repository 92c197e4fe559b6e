"""The ladder: what is played against what, what is counted, and that the better bots are better."""

from itertools import permutations

import pytest
from click.testing import CliRunner

from spieltisch_service.ladder import (
    Meeting,
    Played,
    deal_seed,
    gain_of,
    gain_table,
    main,
    meetings,
    paired,
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


# --- what duplicate deals are worth ---------------------------------------------------------------------------


def test_duplicate_deals_are_played_in_all_orders_and_independent_ones_take_turns() -> None:
    together = paired("neues-land", ["greedy", "random"], 3, duplicate=True)
    assert [(meeting.bots, meeting.seat, meeting.deal, apart) for meeting, apart in together] == [
        (("greedy", "random"), 0, 0, "/0"),
        (("random", "greedy"), 1, 0, "/1"),
        (("greedy", "random"), 0, 1, "/0"),
        (("random", "greedy"), 1, 1, "/1"),
    ]
    alone = paired("neues-land", ["greedy", "random"], 4, duplicate=False)
    assert [meeting.deal for meeting, _ in alone] == [0, 1, 2, 3]
    assert [meeting.bots for meeting, _ in alone] == [meeting.bots for meeting, _ in together]
    three = [meeting.bots for meeting, _ in paired("wunderland", ["a", "b", "c"], 1, duplicate=True)][:6]
    assert sorted(three) == sorted(permutations("abc"))


def test_the_gain_by_hand() -> None:
    def match(deal: int, seat: int, own: int, other: int) -> Played:
        scores = (own, other) if seat == 0 else (other, own)
        return Played(Meeting("neues-land", ("greedy",) * 2, seat, deal), float(own > other), scores, 9)

    # Leads of 10 and -8, of 6 and -4: deal means of 1, twice. Apart they are off by 9, -9, 5, -5: 212 / 3.
    together = [match(0, 0, 20, 10), match(0, 1, 10, 18), match(1, 0, 20, 14), match(1, 1, 10, 14)]
    alone = [match(deal, *one) for deal, one in enumerate([(0, 20, 10), (1, 10, 18), (0, 20, 14), (1, 10, 14)])]
    found = gain_of("neues-land", ("greedy", "greedy"), together, alone)
    assert found.matches == 4
    assert found.ahead == pytest.approx((0, 3.18245 * (212 / 3 / 4) ** 0.5), rel=2e-3)
    assert found.win_rate[0] <= found.win_rate[1]
    row = gain_table([found]).splitlines()[-1]
    assert row.startswith("| neues-land | greedy, greedy | 4 | ± ")
    assert row.endswith("| 0.00 |")


def test_the_bots_of_the_two_matches_of_a_deal_have_chances_of_their_own() -> None:
    (one, apart), (other, apart_other) = paired("neues-land", ["random", "random"], 2, duplicate=True)[:2]
    assert deal_seed(one, 7) == deal_seed(other, 7)
    assert play(one, 7, apart).scores != play(other, 7, apart_other).scores
    assert play(one, 7, apart) == play(one, 7, apart)


def test_the_gain_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spieltisch_service.ladder._MIXES", (("random",) * 3, ("random", "mixed")))
    asked = ["--duplicate-gain", "--game", "neues-land", "--games", "2", "--seed", "1"]
    found = CliRunner().invoke(main, asked)
    assert found.exit_code == 0, found.output
    # Two whole deals, of six orders of three and two of two: a single one has no interval.
    said = [row.split(" | ")[1:3] for row in found.stdout.splitlines()[2:]]
    assert said == [["random, random, random", "12"], ["random, mixed", "4"]]
    assert CliRunner().invoke(main, asked).stdout == found.stdout


@pytest.mark.parametrize("asked", [["--bot", "greedy"], ["--seats", "9"], ["--seats", "two"], ["--games", "0"]])
def test_what_cannot_be_played_is_refused(asked: list[str]) -> None:
    assert CliRunner().invoke(main, asked).exit_code == 2
