"""Ratings: the scale, what counts, and that the same matches give the same digits."""

import random

import pytest

from spieltisch_service.domain.clock import Clock
from spieltisch_service.domain.tournament.ratings import (
    CLOCK_CLASSES,
    RatedMatch,
    Rating,
    clock_class,
    leaderboard,
    rated,
    ratings,
)


def test_everybody_begins_at_1500() -> None:
    # 400 / (√2 · ln 10) = 122.84 is the spread of one performance; twice that is where everybody begins.
    assert Rating() == Rating(1500.0, 245.67, 0)
    assert (Rating().low, Rating().high) == (1018.5, 1981.5)  # 1500 ± 1.959964 · 245.67
    told = {"rating": 1500.0, "deviation": 245.67, "low": 1018.5, "high": 1981.5, "matches": 0}
    assert Rating().to_wire() == told


def test_the_first_match_by_hand() -> None:
    # Weng and Lin, algorithm 4, for two: c² = 2 (σ² + β²), the winner gains σ²/c · 1/2, and σ² shrinks by the
    # factor 1 - (σ/c) · σ²/c² · 1/4; σ² has grown by (β/50)² before. β = 122.8418, σ = 245.67:
    # σ² = 60358.7 + 6.04 = 60364.7, c² = 150909.7, c = 388.47: gain 77.70; factor 1 - 0.63245 · 0.40 · 0.25 = 0.93675.
    after = rated({}, ["ada", "bob"], [1, 2])
    assert after["ada"].mean == pytest.approx(1577.70, abs=0.02)
    assert after["bob"].mean == pytest.approx(1422.30, abs=0.02)
    assert after["ada"].deviation == after["bob"].deviation == pytest.approx(237.80, abs=0.02)
    assert after["ada"].matches == 1


def test_a_tie_of_equals_moves_nobody_and_one_of_unequals_brings_them_together() -> None:
    assert {rating.mean for rating in rated({}, ["ada", "bob"], [1, 1]).values()} == {1500.0}
    known = {"ada": Rating(1700.0, 60.0, 50), "bob": Rating(1400.0, 60.0, 50)}
    tied = rated(known, ["ada", "bob"], [1, 1])
    assert tied["ada"].mean < 1700
    assert tied["bob"].mean > 1400
    assert tied["ada"].mean + tied["bob"].mean == pytest.approx(3100, abs=0.02)


def test_shared_ranks_of_more_seats() -> None:
    after = rated({}, ["ada", "bob", "cyd", "dan"], [2, 1, 2, 4])
    assert after["ada"] == after["cyd"]
    assert after["bob"].mean > after["ada"].mean > after["dan"].mean


def test_the_order_of_seats_does_not_matter() -> None:
    known = {"ada": Rating(1623.45, 91.2, 9), "bob": Rating(1411.11, 60.6, 30), "cyd": Rating()}
    one = rated(known, ["ada", "bob", "cyd"], [3, 1, 2])
    other = rated(known, ["cyd", "ada", "bob"], [2, 3, 1])
    assert one == other


def test_400_points_are_odds_of_ten_to_one() -> None:
    """Among entrants of which enough is known, the rating stays where the expected result comes out."""
    rng = random.Random(4)
    known = {"ada": Rating(1700.0, 60.0, 500), "bob": Rating(1300.0, 60.0, 500)}
    gaps = []
    for _ in range(6000):
        known.update(rated(known, ["ada", "bob"], [1, 2] if rng.random() < 10 / 11 else [2, 1]))
        gaps.append(known["ada"].mean - known["bob"].mean)
    # The deviation that stays, since strength may drift, widens the gap a little.
    assert sum(gaps[1000:]) / 5000 == pytest.approx(430, abs=35)
    assert known["ada"].deviation < 70


def test_numbers_are_rounded_after_every_match_and_matches_are_taken_in_their_order() -> None:
    rng = random.Random(7)
    names = ["ada", "bob", "cyd", "dan"]
    played = [
        RatedMatch("wunderland", "none", tuple(rng.sample(names, 3)), tuple(rng.sample([1, 2, 3], 3)))
        for _ in range(60)
    ]
    whole = ratings(played)
    assert ratings(played[30:], ratings(played[:30])) == whole
    assert ratings(reversed(played)) != whole
    for rating in whole["wunderland", "none"].values():
        assert (rating.mean, rating.deviation) == (round(rating.mean, 2), round(rating.deviation, 2))


def test_games_and_clock_classes_are_rated_apart() -> None:
    played = [
        RatedMatch("wunderland", "none", ("ada", "bob"), (1, 2)),
        RatedMatch("neues-land", "none", ("ada", "bob"), (2, 1)),
        RatedMatch("neues-land", "bullet", ("ada", "bob"), (1, 2)),
    ]
    found = ratings(played)
    assert list(found) == [("wunderland", "none"), ("neues-land", "none"), ("neues-land", "bullet")]
    assert found["wunderland", "none"]["ada"] == found["neues-land", "none"]["bob"]
    assert all(rating.matches == 1 for held in found.values() for rating in held.values())


@pytest.mark.parametrize(
    ("clock", "named"),
    [
        (None, "none"),
        (Clock("per_decision", 2_999), "bullet"),
        (Clock("per_decision", 3_000), "blitz"),
        (Clock("per_decision", 15_000), "rapid"),
        (Clock("per_decision", 3_600_000), "correspondence"),
        (Clock("correspondence", 24 * 3_600_000), "correspondence"),
        # 60 s for 40 decisions and 1 s each: 2.5 s; 300 s and 3 s: 10.5 s; 900 s and 10 s: 32.5 s.
        (Clock("fischer", 60_000, 1_000), "bullet"),
        (Clock("fischer", 300_000, 3_000), "blitz"),
        (Clock("fischer", 900_000, 10_000), "rapid"),
    ],
)
def test_clock_classes(clock: Clock | None, named: str) -> None:
    assert clock_class(clock) == named
    assert named in CLOCK_CLASSES


def test_a_leaderboard_is_in_the_order_of_what_is_sure() -> None:
    held = {
        "lucky": Rating(1650.0, 200.0, 2),
        "steady": Rating(1600.0, 50.0, 80),
        "equal": Rating(1600.0, 50.0, 90),
        "weak": Rating(1300.0, 40.0, 90),
    }
    # Lower bounds: 1600 - 98 = 1502 twice, 1650 - 392 = 1258, 1300 - 78 = 1222.
    assert [name for name, _ in leaderboard(held)] == ["equal", "steady", "lucky", "weak"]


@pytest.mark.parametrize(
    ("entrants", "ranks"), [(["ada"], [1]), (["ada", "bob"], [1]), (["ada", "ada"], [1, 2]), ([], [])]
)
def test_what_is_no_match_is_refused(entrants: list[str], ranks: list[int]) -> None:
    with pytest.raises(ValueError, match="a rated match has two entrants or more"):
        rated({}, entrants, ranks)
