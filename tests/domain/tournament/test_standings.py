"""Standings and crosstable by hand, each criterion where it decides."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from spieltisch_service.domain.tournament.due import DueMatch
from spieltisch_service.domain.tournament.fold import apply
from spieltisch_service.domain.tournament.log import MatchEnded, Withdrawn
from spieltisch_service.domain.tournament.lots import lot
from spieltisch_service.domain.tournament.standings import Cell, criteria, crosstable, decimal, standings
from spieltisch_service.domain.tournament.state import State
from tests.domain.tournament.cups import by_alphabet, ended, played, setup, started, to_the_end, with_round

HALF = Fraction(1, 2)


def order(state: State) -> str:
    return "".join(each.entrant for each in standings(state))


def values(state: State, name: str) -> dict[str, Fraction]:
    return {each.entrant: each.values[name] for each in standings(state)}


def with_results(names: str, *rounds: Sequence[str], **said: object) -> State:
    """Rounds of tables of two: `a>b` a beats b, `a=b` they share."""
    state = started(names, **said)  # type: ignore[arg-type]
    for tables in rounds:
        told = {frozenset((table[0], table[2])): table for table in tables}

        def result(match: DueMatch, told: dict[frozenset[str], str] = told) -> MatchEnded:
            table = told[frozenset(match.seats)]
            if table[1] == "=":
                return ended(match, (1, 1))
            return ended(match, [1 if one == table[0] else 2 for one in match.seats])

        missing = sorted(set(names) - {one for table in tables for one in table})
        state = played(
            with_round(state, *(table[0] + table[2] for table in tables), sitting_out=tuple(missing)), result
        )
    return state


def test_points_come_first() -> None:
    state = with_results("abcd", ["a>b", "c>d"], ["a>c", "b=d"])
    assert {each.entrant: each.points for each in standings(state)} == {"a": 2, "b": HALF, "c": 1, "d": HALF}
    # a has met b (½) and c (1), b a (2) and d (½), c d (½) and a (2), d c (1) and b (½).
    assert values(state, "opponents") == {
        "a": Fraction(3, 4),
        "b": Fraction(5, 4),
        "c": Fraction(5, 4),
        "d": Fraction(3, 4),
    }
    assert order(state) == "acbd"
    assert [each.rank for each in standings(state)] == [1, 2, 3, 4]


def test_of_equal_points_who_has_met_the_stronger_and_then_who_has_won_against_the_other() -> None:
    # a b c d: all 1 after two rounds but e 2, f 0; among these only b and a have met.
    state = with_results("abcdef", ["b>a", "e>c", "d>f"], ["a>f", "e>b", "c>d"])
    assert {each.entrant: each.points for each in standings(state)} == {"a": 1, "b": 1, "c": 1, "d": 1, "e": 2, "f": 0}
    # a: b 1, f 0; b: a 1, e 2; c: e 2, d 1; d: f 0, c 1.
    assert values(state, "opponents") == {
        "a": HALF,
        "b": Fraction(3, 2),
        "c": Fraction(3, 2),
        "d": HALF,
        "e": 1,
        "f": 1,
    }
    # b and c have not met, nor have a and d: the lot decides.
    assert values(state, "direct") == dict.fromkeys("abcdef", 0)
    assert order(state)[0] == "e"
    assert set(order(state)[1:3]) == {"b", "c"}
    ring = with_results("abc", ["b>a"], ["a>c"], ["c>b"])
    # Each sat out once; all have 1½, and each has won against one of the others and lost against the other.
    assert values(ring, "direct") == {"a": 0, "b": 0, "c": 0}
    two = with_results("abcd", ["b>a", "c=d"], ["a>c", "d>b"], ["a>d", "b>c"])
    # a 2, b 2, c ½, d 1½: a and b have met c, d and each other.
    assert values(two, "opponents")["a"] == values(two, "opponents")["b"] == Fraction(4, 3)
    assert values(two, "direct") == {"a": -HALF, "b": HALF, "c": 0, "d": 0}
    assert order(two) == "badc"


def test_t5_of_all_that_equal_the_wins_and_at_last_the_lot() -> None:
    # a and b: 1 point of two matches each, against c and d, who have 1 each; a shares twice, b wins and loses.
    state = with_results("abcd", ["a=c", "b>d"], ["a=d", "c>b"])
    assert {each.entrant: each.points for each in standings(state)} == {"a": 1, "b": 1, "c": Fraction(3, 2), "d": HALF}
    assert values(state, "opponents") == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert values(state, "wins") == {"a": 0, "b": 1, "c": 1, "d": 0}
    assert order(state) == "cbad"
    nothing = started("abcdefgh")
    assert list(order(nothing)) == sorted("abcdefgh", key=lambda one: lot("cup", "standing", one) >> 32)
    other = started("abcdefgh", seed="other")
    assert order(other) != order(nothing)


def test_unfinished_tables_do_not_count() -> None:
    state = with_round(started("abcd", deals=2), "ab", "cd")
    assert {each.points for each in standings(state)} == {0}
    assert crosstable(state).cells == {}
    assert [each.tables for each in standings(state)] == [1, 1, 1, 1]


def test_the_champion_of_a_gauntlet_is_judged_by_the_mean() -> None:
    def champion_wins_twice(match: DueMatch) -> MatchEnded:
        return ended(match, [1 if one == "a" else 2 for one in match.seats])

    state = played(with_round(started("abcd", "gauntlet"), "ab"), champion_wins_twice)
    state = played(with_round(state, "ac"), champion_wins_twice)
    state = played(with_round(state, "ad"), lambda match: ended(match, [2 if one == "a" else 1 for one in match.seats]))
    assert values(state, "mean") == {"a": Fraction(2, 3), "b": 0, "c": 0, "d": 1}
    assert order(state)[:2] == "da"


def test_an_elimination_ranks_by_how_far_one_came() -> None:
    state, _ = to_the_end(started("abcdefgh", "single_elimination"))
    found = standings(state)
    assert found[0].entrant == "a"
    assert [each.values["round"] for each in found] == [3, 3, 2, 2, 1, 1, 1, 1]
    assert [each.values["alive"] for each in found] == [1, 0, 0, 0, 0, 0, 0, 0]
    double, _ = to_the_end(started("abcdefgh", "double_elimination"))
    assert order(double)[:2] == "ab"
    assert [each.values["alive"] for each in standings(double)] == [1, 0, 0, 0, 0, 0, 0, 0]
    tables, _ = to_the_end(started("abcdefgh", "single_elimination", seats=4))
    assert order(tables)[0] == "a"
    assert [each.values["place"] for each in standings(tables)][:4] == [1, 2, 3, 4]


def test_who_has_left_keeps_its_points_and_is_named_as_gone() -> None:
    state = apply(with_results("abcd", ["a>b", "c>d"]), Withdrawn("a"))
    line = next(each for each in standings(state) if each.entrant == "a")
    assert (line.status, line.points) == ("withdrawn", 1)


def test_a_line_as_json() -> None:
    line = standings(with_results("abc", ["a=b"], ["a>c"]))[0]
    assert line.to_wire() == {
        "rank": 1,
        "entrant": "a",
        "name": "A",
        "status": "active",
        "points": 1.5,
        "tables": 2,
        "matches": 2,
        "wins": 1,
        "criteria": {
            "points": 1.5,
            "opponents": 0.75,
            "direct": 0,
            "wins": 1,
            "lot": lot("cup", "standing", "a") >> 32,
        },
    }
    assert tuple(line.values) == criteria(setup())


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1, 3), 0.3333),
        (Fraction(2, 3), 0.6667),
        (Fraction(1, 20_000), 0.0001),
        (Fraction(-1, 2), -0.5),
        (Fraction(7), 7.0),
    ],
)
def test_fractions_as_decimals(value: Fraction, shown: float) -> None:
    assert decimal(value) == shown


def test_the_crosstable_counts_matches() -> None:
    state = started("abc", seats=3, deals=2, duplicate=True)
    state = played(
        with_round(state, "abc"), lambda match: by_alphabet(match) if match.deal == 1 else ended(match, (1, 1, 3))
    )
    found = crosstable(state)
    # Six matches by the alphabet; then six in which seats 0 and 1 share and seat 2 is last, everybody twice.
    assert found.cells["a", "b"] == Cell(matches=12, won=8, tied=2, lost=2)
    assert found.cells["b", "a"] == Cell(matches=12, won=2, tied=2, lost=8)
    assert found.entrants == ("a", "b", "c")
    assert found.to_wire() == {
        "entrants": ["a", "b", "c"],
        "rows": [
            [None, [12, 8, 2, 2], [12, 8, 2, 2]],
            [[12, 2, 2, 8], None, [12, 8, 2, 2]],
            [[12, 2, 2, 8], [12, 2, 2, 8], None],
        ],
    }
