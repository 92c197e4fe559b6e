"""Is it better? Verdicts by hand, and how often they are wrong."""

import math
import random
from collections import Counter
from collections.abc import Callable

import pytest

from spieltisch_service.domain.tournament.sequential import VERDICTS, Question, Trial


def trial(question: Question, *scores: float) -> Trial:
    found = Trial(question)
    for score in scores:
        found = found.after(score)
    return found


def test_who_wins_every_deal_is_better_as_soon_as_chance_is_that_unlikely() -> None:
    """Bettors on fair coins can at most double their wealth with a deal: 2 / 0.05 = 40 needs 6 of them."""
    question = Question(alpha=0.05, cap=100)
    found = Trial(question)
    while not found.over:
        found = found.after(1.0)
    assert found.verdict == "better"
    assert 6 <= found.deals <= 10
    assert found.mean == 1
    lost = trial(question, *[0.0] * found.deals)
    assert lost.verdict == "worse"
    assert trial(question, *[1.0] * (found.deals - 1)).verdict == "undecided"


def test_wealth_by_hand() -> None:
    """With a cap of one deal there is but one stake, 0.95, so wealth is a product: 1.95 for each won deal."""
    question = Question(alpha=2 / 1.95**3 + 1e-9, cap=1)
    assert question.stakes == (0.95,) * 16
    # 1.95³ = 7.41 is just enough, and a lost one takes it to 0.05 of that.
    assert Trial(question, Counter({1.0: 3})).verdict == "better"
    assert Trial(question, Counter({1.0: 2})).verdict == "undecided"
    assert Trial(question, Counter({1.0: 3, 0.0: 1})).verdict == "undecided"
    # The bound m is where (1 + 0.95 (1 / m - 1))³ = 2 / alpha = 1.95³: m = 1/2.
    assert Trial(question, Counter({1.0: 3})).interval[0] == pytest.approx(0.5, abs=1e-5)


def test_even_deals_end_as_no_difference_where_one_is_asked_for() -> None:
    asked = Question(cap=2000, difference=0.05)
    found = Trial(asked)
    while not found.over:
        found = found.after(0.5)
    assert found.verdict == "no_difference"
    low, high = found.interval
    assert 0.45 <= low < 0.5 < high <= 0.55
    assert low == pytest.approx(1 - high, abs=1e-5)
    assert trial(Question(cap=300), *[0.5] * 300).verdict == "undecided"


def test_it_ends_at_the_cap_undecided() -> None:
    found = trial(Question(cap=4), 1.0, 0.0, 0.5, 0.75)
    assert found.over
    assert found.verdict == "undecided"
    assert found.mean == pytest.approx(2.25 / 4)
    with pytest.raises(ValueError, match="the trial is over"):
        found.after(0.5)


def test_the_order_of_deals_does_not_matter_and_the_other_bot_has_it_the_other_way() -> None:
    scores = [1.0, 0.5, 0.75, 0.25, 1.0, 1.0, 0.5, 0.0]
    question = Question(cap=50)
    one = trial(question, *scores)
    assert trial(question, *reversed(scores)).interval == one.interval
    other = trial(question, *[1 - score for score in scores])
    assert other.interval == pytest.approx((1 - one.interval[1], 1 - one.interval[0]), abs=1e-5)
    assert one.interval[0] < one.mean < one.interval[1]  # type: ignore[operator]


def test_before_the_first_deal_nothing_is_known() -> None:
    begun = Trial(Question())
    assert (begun.deals, begun.mean, begun.verdict, begun.over) == (0, None, "undecided", False)
    assert begun.interval == pytest.approx((0, 1), abs=1e-5)


@pytest.mark.parametrize(
    "wrong", [{"alpha": 0.0}, {"alpha": 1.0}, {"cap": 0}, {"difference": 0.0}, {"difference": 0.5}, {"alpha": math.nan}]
)
def test_what_cannot_be_asked(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"lies between|one deal or more"):
        Question(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_what_is_no_score(score: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Trial(Question()).after(score)


# --- how often it is wrong ----------------------------------------------------------------------------------

Deal = Callable[[random.Random], float]


def _coin(p: float) -> Deal:
    """Both matches of a deal are won with probability p, each for itself."""
    return lambda rng: sum(rng.random() < p for _ in range(2)) / 2


def _sweep(rng: random.Random) -> float:
    """Whom the deal suits wins both matches: as much variance as there can be."""
    return float(rng.random() < 0.5)


def _split(rng: random.Random) -> float:
    """The seat mostly decides: hardly any variance, and ties."""
    return rng.choice([0.5, 0.5, 0.5, 0.5, 0.25, 0.75])


def _skewed(rng: random.Random) -> float:
    """Mean 1/2, and far from symmetric: 0.6 nearly always, and 0 one time of six."""
    return 0.6 if rng.random() < 5 / 6 else 0.0


def verdicts(question: Question, deal: Deal, times: int, seed: int) -> tuple[Counter[str], float]:
    """How often each verdict came, and after how many deals on the median."""
    rng = random.Random(seed)
    found, ended = Counter[str](), []
    for _ in range(times):
        one = Trial(question)
        while not one.over:
            one = one.after(deal(rng))
        found[one.verdict] += 1
        ended.append(one.deals)
    assert set(found) <= set(VERDICTS)
    return found, sorted(ended)[times // 2]


@pytest.mark.parametrize("deal", [_coin(0.5), _sweep, _split, _skewed], ids=["coin", "sweep", "split", "skewed"])
def test_false_alarms_stay_within_alpha(deal: Deal) -> None:
    found, _ = verdicts(Question(alpha=0.2, cap=80), deal, 250, seed=5)
    # 0.2 of 250 are 50.
    assert found["better"] + found["worse"] <= 50
    assert found["no_difference"] == 0


@pytest.mark.parametrize(
    ("p", "most_deals"),
    # By a test of a fixed length, with 90 % power, (1.96 + 1.28)² p (1 - p) / (2 (p - 1/2)²) deals: 126, 28, 6.
    [(0.6, 190), (0.7, 42), (0.9, 15)],
)
def test_a_difference_is_found_soon(p: float, most_deals: int) -> None:
    found, median = verdicts(Question(cap=400), _coin(p), 60, seed=6)
    assert found["better"] >= 57
    assert found["worse"] == 0
    assert median <= most_deals


def test_equal_bots_are_found_to_be_so() -> None:
    found, median = verdicts(Question(cap=600, difference=0.1), _coin(0.5), 40, seed=7)
    assert found["no_difference"] >= 36
    assert median < 300
