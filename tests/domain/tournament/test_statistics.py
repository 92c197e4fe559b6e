"""Statistics of an event: small ones by hand, and many of known truth."""

import json
import random

import pytest

from spieltisch_service.domain.tournament.due import DueMatch
from spieltisch_service.domain.tournament.intervals import Estimate, interval, unbounded
from spieltisch_service.domain.tournament.log import MatchEnded
from spieltisch_service.domain.tournament.seating import seatings
from spieltisch_service.domain.tournament.statistics import (
    MatchPlayed,
    Statistics,
    head_to_head,
    played,
    statistics,
    win,
)
from tests.domain.tournament import cups

# Two deals in both seatings; on the first one the seat wins, on the second one ada does, then they tie.
TWO = [
    MatchPlayed(1, ("ada", "bob"), (1, 2), (50, 40)),
    MatchPlayed(1, ("bob", "ada"), (1, 2), (44, 30)),
    MatchPlayed(2, ("ada", "bob"), (1, 2), (60, 20)),
    MatchPlayed(2, ("bob", "ada"), (1, 1), (33, 33)),
]


def test_two_entrants_by_hand() -> None:
    found = statistics(TWO)
    ada, bob = found.entrants
    assert (ada.entrant, ada.matches, ada.deals, bob.entrant) == ("ada", 4, 2, "bob")
    # ada scores 1, 0 and 1, 1/2; her win rate is 1, 0, 1, 1/2 too, of two seats.
    assert ada.score.mean == ada.win_rate.mean == pytest.approx(2.5 / 4)
    assert bob.score.mean == pytest.approx(1.5 / 4)
    assert (ada.score.low, ada.score.high) == pytest.approx(interval([[1, 0], [1, 0.5]]))
    assert ada.points == unbounded([[50, 30], [60, 33]])
    # Deal means 1/2 and 3/4: the variance of their mean is 1/32 / 2 = 1/64. As four matches: deviations 3/8, 5/8, 3/8,
    # 1/8, squares 44/64, over 3 and 4: 44/768. Student's t: 12.706 of 1, 3.182 of 3.
    assert ada.narrowing == pytest.approx(12.7062 / 3.18245 * (1 / 64 / (44 / 768)) ** 0.5, rel=2e-3)
    assert found.narrowing == pytest.approx(ada.narrowing)


def test_seats_by_hand() -> None:
    first, second = statistics(TWO).seats
    assert (first.seats, first.seat, first.matches, second.seat) == (2, 0, 4, 1)
    # Seat 0 scores 1, 1, 1, 1/2, with 50, 44, 60, 33 points.
    assert first.score.mean == pytest.approx(3.5 / 4)
    assert second.score.mean == pytest.approx(0.5 / 4)
    assert first.points is not None
    assert first.points.mean == pytest.approx(187 / 4)


def test_head_to_head_by_hand() -> None:
    found = statistics(TWO).head_to_head
    assert found is not None
    assert (found.entrant, found.against, found.matches) == ("ada", "bob", 4)
    # Ahead by 1, -1, 1, 0 in score, and by 10, -14, 40, 0 points.
    assert found.score_ahead.mean == pytest.approx(1 / 4)
    assert found.points_ahead == unbounded([[10, -14], [40, 0]])
    turned = head_to_head(TWO, "bob", "ada")
    assert turned is not None
    assert turned.score_ahead.low == pytest.approx(-found.score_ahead.high)  # type: ignore[operator]


def test_more_seats_score_by_who_was_beaten() -> None:
    match = MatchPlayed("t", ("ada", "bob", "cyd", "dan"), (1, 2, 2, 4), (9, 5, 5, 1))
    means = {line.entrant: line.score.mean for line in statistics([match]).entrants}
    # ada beats three of three; bob beats one and ties with one.
    assert means == pytest.approx({"ada": 1, "bob": 1.5 / 3, "cyd": 1.5 / 3, "dan": 0})
    assert [win((1, 1, 3, 1), seat) for seat in range(4)] == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    assert statistics([match]).head_to_head is None
    ahead = head_to_head([match], "cyd", "ada")
    assert ahead is not None
    assert ahead.score_ahead.mean == pytest.approx(-0.5)
    assert head_to_head(TWO, "ada", "eve") is None


def test_seats_of_tables_of_other_sizes_are_apart() -> None:
    more = [*TWO, MatchPlayed("three", ("ada", "bob", "cyd"), (1, 2, 3), (9, 5, 1))]
    places = [(line.seats, line.seat) for line in statistics(more).seats]
    assert places == [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def test_points_that_nobody_knows_are_left_out() -> None:
    unknown = [MatchPlayed(3, ("ada", "bob"), (1, 2)), *TWO]
    assert statistics(unknown).entrants[0].points == statistics(TWO).entrants[0].points
    assert statistics(unknown[:1]).entrants[0].points is None
    assert statistics(unknown[:1]).to_wire()["entrants"][0]["points"] is None


def test_nothing_played_says_nothing() -> None:
    assert statistics([]) == Statistics((), (), None, None)
    assert statistics([]).to_wire() == {"entrants": [], "seats": [], "narrowing": None, "head_to_head": None}


def test_it_is_told_as_json_in_the_same_way_whatever_the_order() -> None:
    told = statistics(TWO).to_wire()
    assert statistics(TWO[::-1]).to_wire() == told
    assert json.loads(json.dumps(told)) == told
    assert told["entrants"][0]["score"]["mean"] == 0.625
    assert set(told["entrants"][0]) == {"entrant", "matches", "deals", "score", "win_rate", "points", "narrowing"}


@pytest.mark.parametrize(
    "wrong",
    [(("ada",), (1,), (5,)), (("ada", "bob"), (1,), (5, 5)), (("ada", "ada"), (1, 2), ()), (("a", "b"), (1, 2), (1,))],
)
def test_what_is_no_match_is_refused(wrong: tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=r"a match has|an entrant sits"):
        MatchPlayed(1, *wrong)


# --- of a tournament ----------------------------------------------------------------------------------------


def test_the_matches_of_a_table_share_the_deals_that_they_were_played_with() -> None:
    state = cups.with_round(cups.started("abcd", deals=2, duplicate=True), "ab", "cd")
    ended = [match for table in cups.played(state).tables() for match in table.ended]
    found = played(state.setup, ended)
    assert [match.deal for match in found] == [("to.1.1", 1)] * 2 + [("to.1.1", 2)] * 2 + [("to.1.2", 1)] * 2 + [
        ("to.1.2", 2)
    ] * 2
    assert [match.seating for match in found[:2]] == [("a", "b"), ("b", "a")]


def test_who_was_not_there_is_not_counted_as_weak() -> None:
    def result(match: DueMatch) -> MatchEnded:
        absent = tuple("no_show" if entrant == "c" else None for entrant in match.seats)
        fault = tuple("timeout" if entrant == "b" else None for entrant in match.seats)
        return cups.ended(match, (1, 2), faults=absent if "c" in match.seats else fault)

    state = cups.with_round(cups.started("abcd"), "ab", "cd")
    ended = [match for table in cups.played(state, result).tables() for match in table.ended]
    assert [match.seats for match in ended] == [("a", "b"), ("c", "d")]
    assert [match.seating for match in played(state.setup, ended)] == [("a", "b")]
    walkover = MatchEnded("to.1.1", 1, None, ("a", "b"), (1, 2), end_reason="walkover")
    assert played(state.setup, [walkover]) == []


# --- of known truth -----------------------------------------------------------------------------------------

WEIGHTS = {"ada": 3.0, "bob": 2.0, "cyd": 1.0}
LUCK = 0.4


def event(rng: random.Random, deals: int, *, duplicate: bool) -> list[MatchPlayed]:
    """Of the deals 4 of 10 rank the seats; in the others entrants come in by chance, each with its weight."""
    names, orders = list(WEIGHTS), seatings(3, True)
    found = []
    for deal in range(deals if duplicate else 6 * deals):
        lucky, ranked = rng.random() < LUCK, tuple(rng.sample([1, 2, 3], 3))
        for order in orders if duplicate else [orders[deal % 6]]:
            seating = tuple(names[one] for one in order)
            ranks = ranked
            if not lucky:
                came = [rng.expovariate(WEIGHTS[name]) for name in seating]
                ranks = tuple(sorted(came).index(each) + 1 for each in came)
            found.append(MatchPlayed(deal, seating, ranks, tuple(10 * (3 - rank) for rank in ranks)))
    return found


def truth(name: str) -> tuple[float, float]:
    """Mean score and win rate: of two, each is ahead with its part of their weights."""
    own, others = WEIGHTS[name], [weight for other, weight in WEIGHTS.items() if other != name]
    ahead = sum(own / (own + other) for other in others) / 2
    return LUCK / 2 + (1 - LUCK) * ahead, LUCK / 3 + (1 - LUCK) * own / sum(WEIGHTS.values())


@pytest.mark.parametrize("duplicate", [True, False], ids=["duplicate", "independent"])
def test_intervals_hold_the_truth_93_to_97_times_of_100(duplicate: bool) -> None:
    rng = random.Random(2)
    times = 600
    held = {"score": 0, "win_rate": 0, "points": 0, "seat": 0}
    for _ in range(times):
        found = statistics(event(rng, 25, duplicate=duplicate))
        for line in found.entrants:
            score, win_rate = truth(line.entrant)
            held["score"] += _holds(line.score, score)
            held["win_rate"] += _holds(line.win_rate, win_rate)
            # 0, 10, 20 points by rank are twenty times the score.
            held["points"] += _holds(line.points, 20 * score)
        # Over all deals no seat is better than another.
        held["seat"] += sum(_holds(line.score, 0.5) for line in found.seats)
    shares = {name: count / (3 * times) for name, count in held.items()}
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


def _holds(found: Estimate | None, value: float) -> bool:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low <= value <= found.high


def test_sharing_deals_narrows_the_interval() -> None:
    rng = random.Random(3)
    together = statistics(event(rng, 200, duplicate=True)).narrowing
    apart = statistics(event(rng, 200, duplicate=False)).narrowing
    assert together is not None
    # Where the deal decides, all six orders have the mean 1/2: only the rest varies.
    assert together < 0.85
    assert apart == pytest.approx(1)
