"""Intervals over deals: by hand, and that they hold what they should 95 times of 100."""

import random
from collections.abc import Callable
from itertools import permutations

import pytest

from spieltisch_service.domain.tournament.intervals import (
    Estimate,
    difference,
    interval,
    mean,
    narrowing,
    share,
    student,
    unbounded,
    variance,
    wilson,
)


def test_the_interval_is_wilsons() -> None:
    # By hand: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), z = 1.96.
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)


def test_matches_of_one_deal_tell_more_where_luck_changes_sides() -> None:
    # By hand: 100 deals, 40 of mean 1 and 60 of mean 1/2, p = 0.7: the variance of the mean is 0.06 / 99, and t = 1.984
    # makes 0.21 · 99 / 0.06 · (1.96 / 1.984)² = 338.1 matches of 200.
    luck = [[1.0, 1.0]] * 40 + [[1.0, 0.0]] * 60
    assert interval(luck) == pytest.approx(wilson(0.7 * 338.1, 338.1), abs=1e-4)
    # Who wins one seating wins the other: 0.21 · 99 / 0.21 · (1.96 / 1.984)² = 96.6.
    strength = [[1.0, 1.0]] * 70 + [[0.0, 0.0]] * 30
    assert interval(strength) == pytest.approx(wilson(0.7 * 96.6, 96.6), abs=1e-4)


def test_an_interval_never_claims_what_so_few_deals_cannot_tell() -> None:
    assert interval([[1.0, 0.0]] * 100) == pytest.approx(wilson(100, 200))
    assert interval([[1.0, 1.0]] * 100) == pytest.approx(wilson(200, 200))
    assert interval([[1.0, 1.0, 0.5]]) == pytest.approx(wilson(5 / 6, 1))
    # At most twice the matches played; of 100 deals 5 times, of 400 deals 10 times.
    for deals, times in ((9, 2), (100, 5), (400, 10)):
        nearly = [[1.0, 0.0]] * (deals - 1) + [[1.0, 1.0]]
        matches = 2 * deals
        assert interval(nearly) == pytest.approx(wilson((deals + 1) / matches * times * matches, times * matches))


def test_students_quantile_is_that_of_the_tables() -> None:
    table = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 5: 2.57058, 9: 2.26216, 30: 2.04227, 120: 1.97993}
    for freedom, quantile in table.items():
        assert student(freedom) == pytest.approx(quantile, rel=1.3e-3 if freedom == 3 else 4e-4)
        assert freedom < 9 or student(freedom) == pytest.approx(quantile, rel=1e-5)
    assert student(10**9) == pytest.approx(1.959964)


def test_a_mean_without_bounds_by_hand() -> None:
    # Means of the deals 10, 20, 30: variance 100, of their mean 100 / 3; Student's t of 2 is 4.30265.
    deals = [[5.0, 15.0], [20.0, 20.0], [40.0, 20.0]]
    assert mean(deals) == pytest.approx(20)
    assert variance(deals) == pytest.approx(100 / 3)
    found = unbounded(deals)
    assert (found.low, found.high) == pytest.approx((20 - 24.8414, 20 + 24.8414), abs=1e-4)
    assert unbounded([[5.0, 15.0]]) == Estimate(10.0, None, None)


def test_deals_of_unequal_size_count_by_their_matches() -> None:
    # Mean 4 / 6; the sums are 2 of 2, 2 of 4: off by 2 - 4/3 = 2/3 and 2 - 8/3 = -2/3; 2 · (8 / 9) / 36.
    deals = [[1.0, 1.0], [1.0, 0.0, 1.0, 0.0]]
    assert mean(deals) == pytest.approx(2 / 3)
    assert variance(deals) == pytest.approx(2 * 8 / 9 / 36)


def test_a_difference_is_an_interval_around_nothing() -> None:
    even = difference([[1.0, -1.0]] * 50 + [[1.0, 1.0], [-1.0, -1.0]] * 25)
    assert even.mean == pytest.approx(0)
    assert even.low is not None
    assert even.high is not None
    assert even.low == pytest.approx(-even.high)
    assert 0.05 < even.high < 0.2
    assert difference([[1.0, 1.0]] * 10).high == pytest.approx(1)


def test_the_narrowing_by_hand() -> None:
    # Four deals of two matches, deal means 1, 1/2, 1/2, 0: variance of the mean (1/4 + 1/4) / 3 / 4 = 1/24; as eight
    # matches 8 · 1/4 / 7 / 8 = 1/28. Student's t: 3.18245 of 3, 2.36462 of 7.
    deals = [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    by_hand = 3.18245 / 2.36462 * (28 / 24) ** 0.5
    assert narrowing([deals]) == pytest.approx(by_hand, rel=2e-3)
    assert narrowing([deals, deals, [[1.0, 0.0]]]) == pytest.approx(by_hand, rel=2e-3)
    assert narrowing([[[1.0, 0.0]] * 9]) == 0
    assert narrowing([[[1.0, 1.0]] * 9]) is None
    assert narrowing([]) is None


def test_estimates_are_told_to_six_decimals() -> None:
    assert Estimate(2 / 3, None, -1e-9).to_wire() == {"mean": 0.666667, "low": None, "high": 0.0}
    assert str(Estimate(0.5, 0.0, -1e-9).to_wire()["high"]) == "0.0"


# --- 95 of 100 ----------------------------------------------------------------------------------------------


def _independent(rng: random.Random) -> list[float]:
    """A deal that is played once, of an entrant that wins 7 of 10."""
    return [float(rng.random() < 0.7)]


def _luck(rng: random.Random) -> list[float]:
    """A deal in both seatings: 4 of 10 deals decide who wins, by the seat; in the others 2 of 3 are won."""
    if rng.random() < 0.4:
        return [1.0, 0.0]
    return [float(rng.random() < 2 / 3) for _ in range(2)]


def _strength(rng: random.Random) -> list[float]:
    """A deal in both seatings that suits one of the two: then it wins both."""
    return [float(rng.random() < 0.6)] * 2 if rng.random() < 0.5 else [float(rng.random() < 0.6) for _ in range(2)]


def _three(rng: random.Random) -> list[float]:
    """A deal of three in all six orders: half of the deals rank the seats, in the others play does (3 : 2 : 1)."""
    if rng.random() < 0.5:
        return [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    scores = []
    for _ in permutations(range(3)):
        own, *others = (rng.expovariate(weight) for weight in (3, 2, 1))
        scores.append(sum(own < other for other in others) / 2)
    return scores


def _holds(found: Estimate, truth: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= truth <= found.high


# The one of weight 3 is ahead of weight 2 with 3/5 and of weight 1 with 3/4.
CASES = [
    (_independent, 0.7),
    (_luck, 0.4 / 2 + 0.6 * 2 / 3),
    (_strength, 0.6),
    (_three, 0.5 * 0.5 + 0.5 * (3 / 5 + 3 / 4) / 2),
]


@pytest.mark.parametrize(("deal", "truth"), CASES, ids=lambda each: getattr(each, "__name__", ""))
@pytest.mark.parametrize("deals", [30, 100])
def test_intervals_hold_the_true_mean_95_times_of_100(
    deal: Callable[[random.Random], list[float]], truth: float, deals: int
) -> None:
    rng = random.Random(11)
    times = 1200
    shares = bare = 0
    for _ in range(times):
        played = [deal(rng) for _ in range(deals)]
        shares += _holds(share(played), truth)
        bare += _holds(unbounded(played), truth)
    assert 0.93 <= shares / times <= 0.97
    assert 0.93 <= bare / times <= 0.97
