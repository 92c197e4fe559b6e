"""Every format by hand: who meets whom, who is left over, and how it ends."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from spieltisch_service.domain.errors import EntryRefused
from spieltisch_service.domain.tournament.due import DueMatch, due
from spieltisch_service.domain.tournament.fold import apply
from spieltisch_service.domain.tournament.log import (
    Entered,
    Finished,
    MatchEnded,
    Paused,
    RoundPaired,
    Started,
    Stopped,
    Withdrawn,
)
from spieltisch_service.domain.tournament.pairing.elimination import bracket
from spieltisch_service.domain.tournament.pairing.outcome import Over, Wait
from spieltisch_service.domain.tournament.pairing.round_robin import circle_round, one_pass, plane
from spieltisch_service.domain.tournament.pairing.rounds import next_round, own_round
from spieltisch_service.domain.tournament.setup import FORMATS
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.domain.tournament.tally import tally
from tests.domain.tournament.cups import (
    after,
    by_alphabet,
    drafted,
    ended,
    opened,
    played,
    started,
    texts,
    to_the_end,
    with_round,
)

ALL = "abcdefghijklmnopqrstuvwxyz"


def meetings(state: State) -> Counter[str]:
    return Counter("".join(sorted(pair)) for table in state.tables() for pair in combinations(table.entrants, 2))


def seeds(names: str, format_: str, **said: Any) -> State:
    """Started, the first of `names` being the strongest."""
    state = opened("", format_, **said)
    for place, name in enumerate(names):
        state = apply(state, Entered(name, name.upper(), seeding=100 - place))
    return apply(state, Started())


# --- what holds for all ---------------------------------------------------------------------------------------


def test_what_there_is_to_wait_for() -> None:
    assert next_round(opened("ab")) == Wait("open")
    assert next_round(with_round(started("ab"), "ab")) == Wait("matches")
    assert next_round(apply(started("ab"), Paused())) == Wait("paused")
    assert next_round(started("ab", own_pairings=True, rounds=1)) == Wait("organizer")
    stopping = apply(with_round(started("abcd"), "ab", "cd"), Stopped())
    assert next_round(stopping) == Wait("matches")
    assert next_round(played(stopping)) == Over("stopped")
    assert next_round(after(played(stopping), Finished("stopped"))) == Over("stopped")


@pytest.mark.parametrize("format_", FORMATS)
def test_t3_fewer_than_two_end_it(format_: str) -> None:
    state = after(started("abc", format_), Withdrawn("a"), Withdrawn("b"))
    assert next_round(state) == Over("too_few_entrants")


@pytest.mark.parametrize("format_", FORMATS)
def test_two_entrants(format_: str) -> None:
    state, over = to_the_end(started("ab", format_))
    assert over.reason in ("rounds", "decided")
    assert set(meetings(state)) == {"ab"}
    assert len(state.rounds) == (10 if format_ == "arena" else 2 if format_ == "double_elimination" else 1)


@pytest.mark.parametrize("format_", FORMATS)
def test_it_is_the_same_for_the_same_seed_and_another_for_another(format_: str) -> None:
    one, same, other = (to_the_end(started(ALL, format_, seed=seed))[0].rounds for seed in ("x", "x", "y"))
    assert one == same
    assert one != other


# --- round robin ----------------------------------------------------------------------------------------------


def test_the_circle_of_six_by_hand() -> None:
    # f stays; a b c d e go round. In round r meet r+1 and r-1, r+2 and r-2, and r itself the one that stays.
    assert circle_round("abcdef", 0) == [("a", "f"), ("b", "e"), ("d", "c")]
    assert circle_round("abcdef", 1) == [("f", "b"), ("c", "a"), ("e", "d")]
    assert circle_round("abcdef", 4) == [("e", "f"), ("a", "d"), ("c", "b")]
    assert circle_round("abc", 0) == [("a", None), ("b", "c")]


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 19, 20])
def test_in_a_circle_everybody_meets_everybody_once_and_seats_alternate(n: int) -> None:
    names = ALL[:n]
    state, over = to_the_end(started(names, "round_robin"))
    assert over == Over("rounds")
    assert meetings(state) == Counter("".join(pair) for pair in combinations(names, 2))
    counts = tally(state)
    # Of an even number of matches half are at seat 0, of an odd number one more or less.
    assert {abs(first - second) for first, second in counts.seats.values()} == {(n - 1) % 2}
    assert set(counts.sat_out.values()) == {n % 2}


def test_a_second_pass_has_the_seats_the_other_way_round() -> None:
    state, _ = to_the_end(started("abcd", "round_robin", rounds=6))
    assert all(first == second == 3 for first, second in tally(state).seats.values())
    assert set(meetings(state).values()) == {2}


def test_who_would_have_met_somebody_gone_is_unopposed() -> None:
    state = after(started("abcd", "round_robin"), Withdrawn("d"))
    unopposed = []
    while isinstance(entry := next_round(state), RoundPaired):
        assert len(entry.tables) == 1
        assert entry.sitting_out == ()
        unopposed += entry.unopposed
        state = played(apply(state, entry))
    assert sorted(unopposed) == ["a", "b", "c"]
    # a: two wins and one half; d nothing.
    assert tally(state).points == {"a": 2.5, "b": 1.5, "c": 0.5, "d": 0}


def test_forbidden_pairs_of_a_circle_are_left_out() -> None:
    state, _ = to_the_end(started("abcd", "round_robin", forbidden=(("b", "a"),)))
    assert set(meetings(state)) == {"ac", "ad", "bc", "bd", "cd"}
    assert sorted(one for each in state.rounds for one in each.unopposed) == ["a", "b"]


@pytest.mark.parametrize("q", [3, 4, 5])
def test_in_a_plane_everybody_meets_everybody_once(q: int) -> None:
    names = ALL[: q * q]
    lines = [line for number in range(q + 1) for line in plane(names, number)]
    assert all(len(line) == q for line in lines)
    met = Counter(frozenset(pair) for line in lines for pair in combinations(line, 2))
    assert set(met.values()) == {1}
    assert len(met) == len(names) * (len(names) - 1) // 2
    state, _ = to_the_end(started(names, "round_robin", seats=q))
    assert len(state.rounds) == q + 1
    assert set(meetings(state).values()) == {1}


def test_three_seats_nine_entrants_by_hand() -> None:
    assert plane("abcdefghi", 0) == [["a", "d", "g"], ["b", "e", "h"], ["c", "f", "i"]]
    assert plane("abcdefghi", 1) == [["a", "e", "i"], ["b", "f", "g"], ["c", "d", "h"]]
    assert plane("abcdefghi", 3) == [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]]


def test_how_many_rounds_a_round_robin_has() -> None:
    assert [one_pass(n, 2) for n in (2, 3, 6, 7)] == [1, 3, 5, 7]
    assert [one_pass(n, 4) for n in (4, 5, 16, 17)] == [1, 2, 5, 6]


@pytest.mark.parametrize(("n", "seats"), [(7, 3), (12, 4), (22, 4), (26, 5)])
def test_tables_of_more_meet_about_equally_often(n: int, seats: int) -> None:
    state, _ = to_the_end(started(ALL[:n], "round_robin", seats=seats))
    met = meetings(state)
    assert max(met.values()) <= 2
    # At random two would not meet as often as in one of e cases.
    assert len(met) >= 0.7 * n * (n - 1) / 2


# --- Swiss ----------------------------------------------------------------------------------------------------


def test_winners_meet_winners() -> None:
    state = played(with_round(started("abcd"), "ab", "cd"))
    assert texts(drafted(state)) == {"ac", "bd"}
    again = played(apply(state, drafted(state)))
    # a 2, b 1, c 1, d 0; a has met b and c.
    assert texts(drafted(again)) == {"ad", "bc"}


def test_rematches_are_forbidden_or_dear() -> None:
    state, over = to_the_end(started("abcd", rounds=5))
    assert over == Over("no_pairing")
    assert set(meetings(state).values()) == {1}
    assert len(state.rounds) == 3
    again, over = to_the_end(started("abcd", rounds=5, rematches="avoided"))
    assert over == Over("rounds")
    assert sorted(meetings(again).values()) == [1, 1, 2, 2, 2, 2]


def test_t3_of_an_odd_number_somebody_else_sits_out_each_time_the_weakest_first() -> None:
    state, _ = to_the_end(started("abcde", rounds=5))
    assert sorted(one for each in state.rounds for one in each.sitting_out) == list("abcde")
    second = played(with_round(started("abcde"), "ab", "cd", sitting_out=("e",)))
    # b and d have no point, e has its half already.
    assert drafted(second).sitting_out in (("b",), ("d",))


def test_t3_of_257_somebody_else_sits_out_each_round() -> None:
    state = started([f"e{number}" for number in range(257)], rounds=3)
    for _ in range(3):
        entry = drafted(state)
        assert len(entry.tables) == 128
        state = played(apply(state, entry))
    out = [one for each in state.rounds for one in each.sitting_out]
    assert len(out) == len(set(out)) == 3
    # 128 winners meet among themselves, then 64: 32 have won all.
    assert sum(points == 3 for points in tally(state).points.values()) == 32


def test_sitting_out_again_scores_nothing() -> None:
    state = started("abc", rounds=2)
    state = played(with_round(state, "ab", sitting_out=("c",)))
    assert tally(state).points == {"a": 1, "b": 0, "c": 0.5}
    state = played(with_round(state, "ab", sitting_out=("c",)))
    assert tally(state).points == {"a": 2, "b": 0, "c": 0.5}


def test_forbidden_pairs_never_meet() -> None:
    state, _ = to_the_end(started("abcdef", rounds=5, forbidden=(("a", "b"), ("c", "d"))))
    assert not {"ab", "cd"} & set(meetings(state))
    assert next_round(started("ab", forbidden=(("a", "b"),))) == Over("no_pairing")
    tables, _ = to_the_end(started("abcdef", seats=3, forbidden=(("a", "b"), ("c", "d"))))
    assert not {"ab", "cd"} & set(meetings(tables))


def test_t2_the_fallback_pairs_whoever_may_meet() -> None:
    pairs = tuple((one, other) for one, other in combinations("abcdef", 2) if one + other != "af")
    state = started("abcdef", seats=3, forbidden=pairs)
    entry = drafted(state)
    assert (texts(entry), sorted(entry.sitting_out)) == ({"af"}, list("bcde"))
    both = tuple((one, other) for one, other in combinations("abcd", 2))
    assert next_round(started("abcd", seats=3, forbidden=both)) == Over("no_pairing")


def test_tables_of_four_by_points() -> None:
    state = played(with_round(started("abcdefgh", seats=4, rounds=2), "abcd", "efgh"))
    # a and e have 1, b and f 2/3, c and g 1/3, d and h 0.
    assert texts(drafted(state)) == {"abef", "cdgh"}


def test_who_comes_late_is_paired_with_no_points() -> None:
    state = played(with_round(started("abcd"), "ab", "cd"))
    state = after(state, Entered("e", "E"), Entered("f", "F"))
    entry = drafted(state)
    assert "ac" in texts(entry)
    assert len(entry.tables) == 3


def test_how_many_rounds_a_swiss_has() -> None:
    for n, rounds in ((2, 1), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5), (16, 5), (17, 6)):
        state, _ = to_the_end(started(ALL[:n]))
        assert len(state.rounds) == rounds, n


# --- eliminations ---------------------------------------------------------------------------------------------


def test_the_bracket_by_hand() -> None:
    assert bracket("abcdefgh") == ["a", "h", "d", "e", "b", "g", "c", "f"]
    assert bracket("abcde") == ["a", None, "d", "e", "b", None, "c", None]


def test_a_single_elimination_by_hand() -> None:
    state = seeds("abcde", "single_elimination")
    first = drafted(state)
    assert (texts(first), first.sitting_out) == ({"de"}, ("a", "b", "c"))
    second = drafted(played(apply(state, first)))
    assert (texts(second), second.sitting_out) == ({"ad", "bc"}, ())
    final = drafted(played(apply(played(apply(state, first)), second)))
    assert texts(final) == {"ab"}
    assert to_the_end(state)[1] == Over("decided")


def test_who_has_left_loses_to_whom_it_would_have_met() -> None:
    state = seeds("abcd", "single_elimination")
    state = played(apply(state, drafted(state)))
    gone = apply(state, Withdrawn("a"))
    assert next_round(gone) == Over("decided")
    state = seeds("abcdefgh", "single_elimination")
    state = after(played(apply(state, drafted(state))), Withdrawn("a"))
    assert (texts(drafted(state)), drafted(state).sitting_out) == ({"bc"}, ("d",))


def tied(match: DueMatch) -> MatchEnded:
    return ended(match, [1] * len(match.seats), scores=[ord(one) for one in match.seats])


def test_a_tie_goes_to_the_points_of_the_game_and_then_to_the_seeding() -> None:
    state = seeds("abcd", "single_elimination")
    state = played(apply(state, drafted(state)), tied)
    assert texts(drafted(state)) == {"cd"}
    even = seeds("abcd", "single_elimination")
    even = played(apply(even, drafted(even)), lambda match: ended(match, (1, 1)))
    assert texts(drafted(even)) == {"ab"}


def test_of_a_table_the_better_half_goes_on() -> None:
    state = seeds("abcdefghi", "single_elimination", seats=5)
    first = drafted(state)
    # The strongest are spread: a with d, e, h, i; b with c, f, g.
    assert texts(first) == {"adehi", "bcfg"}
    state = played(apply(state, first))
    second = drafted(state)
    assert texts(second) == {"abcde"}
    assert next_round(played(apply(state, second))) == Over("decided")


def test_who_has_lost_twice_is_out() -> None:
    state = seeds("abcd", "double_elimination")
    first = drafted(state)
    assert texts(first) == {"ad", "bc"}
    state = played(apply(state, first))
    second = drafted(state)
    assert texts(second) == {"ab", "cd"}
    state = played(apply(state, second))
    # a unbeaten, b and c beaten once, d out.
    third = drafted(state)
    assert (texts(third), third.sitting_out) == ({"bc"}, ("a",))
    state = played(apply(state, third))
    final = drafted(state)
    assert texts(final) == {"ab"}
    assert next_round(played(apply(state, final))) == Over("decided")

    def upset(match: DueMatch) -> MatchEnded:
        return ended(match, [1 if one == "b" else 2 for one in match.seats])

    state = played(apply(state, final), upset)
    assert texts(drafted(state)) == {"ab"}
    assert next_round(played(apply(state, drafted(state)), upset)) == Over("decided")


@pytest.mark.parametrize("n", [3, 6, 13, 26])
def test_a_double_elimination_takes_two_defeats_of_all_but_one(n: int) -> None:
    state, over = to_the_end(started(ALL[:n], "double_elimination"))
    assert over == Over("decided")
    # The best loses none, so all others lose two.
    assert len(list(state.tables())) == 2 * (n - 1)


# --- arena and gauntlet ---------------------------------------------------------------------------------------


def test_an_arena_pairs_who_is_free() -> None:
    state = with_round(started("abcd", "arena", rounds=3), "ab", "cd")
    assert next_round(state) == Wait("matches")
    done = apply(state, by_alphabet(_due(state, "to.1.1")))
    # a and b are free, but have only just met, and c and d may become so.
    assert next_round(done) == Wait("matches")
    assert texts(drafted(played(state))) in ({"ac", "bd"}, {"ad", "bc"})
    two = started("ab", "arena", rounds=2)
    assert texts(drafted(played(with_round(two, "ab")))) == {"ab"}


def test_an_arena_ends_when_everybody_has_had_its_tables_or_is_stopped() -> None:
    state, over = to_the_end(started("abcdef", "arena", rounds=4))
    assert over == Over("rounds")
    assert set(tally(state).tables.values()) == {4}
    assert next_round(apply(played(with_round(started("abcd", "arena"), "ab")), Stopped())) == Over("stopped")


def test_an_arena_of_tables_waits_for_full_ones() -> None:
    state = with_round(started("abcdefgh", "arena", seats=4, rounds=2), "abcd", "efgh")
    done = apply(state, by_alphabet(_due(state, "to.1.1")))
    assert len(drafted(done).tables) == 1
    three = with_round(started("abcdefg", "arena", seats=4, rounds=2), "abcd", "efg")
    assert next_round(apply(three, by_alphabet(_due(three, "to.1.2")))) == Wait("matches")


def _due(state: State, table: str) -> DueMatch:
    return next(match for match in due(state) if match.table == table)


def test_a_gauntlet_by_hand() -> None:
    state = seeds("abcd", "gauntlet", champion="c")
    state, over = to_the_end(state)
    assert ["".join(sorted(table.entrants)) for table in state.tables()] == ["ac", "bc", "cd"]
    assert over == Over("rounds")
    three, _ = to_the_end(seeds("abcdef", "gauntlet", seats=4))
    assert ["".join(sorted(table.entrants)) for table in three.tables()] == ["abcd", "aef"]
    twice, _ = to_the_end(seeds("abc", "gauntlet", rounds=2))
    assert ["".join(sorted(table.entrants)) for table in twice.tables()] == ["ab", "ac", "ab", "ac"]
    assert next_round(apply(seeds("abc", "gauntlet"), Withdrawn("a"))) == Over("too_few_entrants")


# --- an organizer's own pairings ------------------------------------------------------------------------------


def test_own_pairings_are_checked() -> None:
    state = started("abcde", own_pairings=True, rounds=2, forbidden=(("a", "e"),))
    entry = own_round(state, ["ab", "cd"])
    assert (entry.sitting_out, entry.by) == (("e",), "organizer")
    assert next_round(state) == Wait("organizer")
    for tables, code in ((["ab", "ac"], "paired_twice"), (["ae"], "forbidden_pair"), (["abc"], "wrong_size")):
        with pytest.raises(EntryRefused) as refused:
            own_round(state, tables)
        assert refused.value.code == code
    done = played(apply(state, entry))
    done = played(apply(done, own_round(done, ["ab"])))
    assert next_round(done) == Over("rounds")
    with pytest.raises(EntryRefused):
        own_round(done, ["ab"])
    with pytest.raises(EntryRefused):
        own_round(started("ab"), ["ab"])
