"""A tournament's log as a fold: what follows from what, and what is refused."""

from dataclasses import replace
from fractions import Fraction

import pytest

from spieltisch_service.domain.errors import EntryRefused
from spieltisch_service.domain.tournament.due import due, revealed, undisputed
from spieltisch_service.domain.tournament.fold import MAX_REJOINS, apply, fold
from spieltisch_service.domain.tournament.log import (
    Cancelled,
    Created,
    Entered,
    Entry,
    Finished,
    Invited,
    MatchEnded,
    MatchVoided,
    Paused,
    Rejoined,
    Resumed,
    Started,
    Stopped,
    Withdrawn,
    entry_from_wire,
    paired,
)
from spieltisch_service.domain.tournament.state import State, match_scores
from tests.domain.tournament.cups import after, ended, opened, played, setup, started, with_round

HALF = Fraction(1, 2)


def refusal(state: State | None, entry: Entry) -> str:
    with pytest.raises(EntryRefused) as refused:
        apply(state, entry)
    return refused.value.code


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (HALF, HALF)),
        ((2, 3, 1), (HALF, 0, 1)),
        ((1, 1, 3), (Fraction(3, 4), Fraction(3, 4), 0)),
        ((1, 2, 2, 2), (1, Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))),
        ((5, 4, 3, 2, 1), (0, Fraction(1, 4), HALF, Fraction(3, 4), 1)),
    ],
)
def test_a_match_scores_the_opponents_beaten_and_half_of_those_tied(
    ranks: tuple[int, ...], scores: tuple[Fraction, ...]
) -> None:
    assert match_scores(ranks) == scores


def test_who_takes_part() -> None:
    state = opened("abc")
    told = [(one.id, one.name, one.number) for one in state.entrants.values()]
    assert told == [("a", "A", 1), ("b", "B", 2), ("c", "C", 3)]
    assert after(state, Withdrawn("b")).active == ("a", "c")
    assert list(after(state, Withdrawn("b"), Entered("b", "B")).entrants) == ["a", "c", "b"]
    assert refusal(state, Entered("a", "A")) == "already_entered"
    assert refusal(state, Entered("no spaces", "A")) == "malformed"
    assert refusal(state, Withdrawn("d")) == "unknown_entrant"
    assert refusal(opened("ab", entrants_max=2), Entered("c", "C")) == "full"


def test_who_may_enter() -> None:
    bots = opened("", entrants_allowed="bots")
    assert refusal(bots, Entered("a", "A", "human")) == "not_allowed"
    assert apply(bots, Entered("a", "A", "house")).active == ("a",)
    invited = opened("", entrants_allowed="invited", invited=("a",))
    assert apply(invited, Entered("a", "A")).active == ("a",)
    assert refusal(invited, Entered("b", "B")) == "not_allowed"
    assert after(invited, Invited("b"), Entered("b", "B")).active == ("b",)


def test_who_may_come_late_and_back() -> None:
    assert refusal(started("ab", "round_robin"), Entered("c", "C")) == "wrong_status"
    late = apply(played(with_round(started("ab"), "ab")), Entered("c", "C"))
    assert late.entrants["c"].since == 2
    assert refusal(after(started("abc", "single_elimination"), Withdrawn("c")), Rejoined("c")) == "no_rejoining"
    state = started("abc")
    for _ in range(MAX_REJOINS):
        state = after(state, Withdrawn("c"), Rejoined("c"))
    assert refusal(after(state, Withdrawn("c")), Rejoined("c")) == "no_rejoining"
    assert refusal(state, Rejoined("c")) == "already_entered"
    assert refusal(after(state, Withdrawn("c")), Withdrawn("c")) == "not_active"


def test_the_start() -> None:
    assert refusal(None, Started()) == "not_created"
    assert refusal(opened("a"), Started()) == "too_few_entrants"
    assert refusal(opened("ab"), Created("to", setup())) == "not_created"
    assert refusal(started("ab"), Started()) == "wrong_status"
    assert refusal(opened("ab", "gauntlet", champion="c"), Started()) == "no_champion"
    with pytest.raises(EntryRefused):
        fold([])


def test_t1_a_round_is_paired_once() -> None:
    state = with_round(started("abcd"), "ab", "cd")
    assert refusal(state, paired("to", 1, ["ab", "cd"], 1)) == "round_paired"
    assert refusal(state, paired("to", 3, ["ab", "cd"], 1)) == "wrong_round"
    assert refusal(state, paired("to", 2, ["ac", "bd"], 1)) == "matches_live"
    assert refusal(played(state), paired("to", 1, ["ac", "bd"], 1)) == "round_paired"
    assert [table.id for table in state.live_tables] == ["to.1.1", "to.1.2"]


def test_what_no_round_can_be() -> None:
    state = after(started("abcd", seats=3, forbidden=(("a", "d"),)), Withdrawn("c"))
    for tables, code in [
        (["ab", "ad"], "paired_twice"),
        (["ab", "cd"], "not_active"),
        (["ax"], "unknown_entrant"),
        (["a"], "wrong_size"),
        (["bda"], "forbidden_pair"),
    ]:
        assert refusal(state, paired("to", 1, tables, 1)) == code
    assert refusal(state, paired("to", 1, ["ab"], 1, sitting_out=("b",))) == "paired_twice"
    assert refusal(state, paired("other", 1, ["ab"], 1)) == "malformed"
    assert refusal(state, paired("to", 1, ["ab"], 0)) == "malformed"


def test_t8_nobody_sits_at_two_unfinished_tables() -> None:
    state = with_round(started("abcd", "arena"), "ab")
    assert refusal(state, paired("to", 2, ["bc"], 1)) == "busy"
    both = with_round(state, "cd")
    assert both.busy == {"a", "b", "c", "d"}
    assert len(due(both)) == 2


def test_t6_a_result_counts_once() -> None:
    state = with_round(started("ab"), "ab")
    (match,) = due(state)
    won = ended(match, (1, 2))
    done = apply(state, won)
    assert done.rounds[0].tables[0].scores == {"a": 1, "b": 0}
    assert apply(done, won) is done
    assert refusal(done, ended(match, (2, 1))) == "already_ended"
    assert refusal(done, replace(won, match="another")) == "already_ended"
    over = apply(done, Finished("rounds"))
    assert apply(over, won) is over
    assert refusal(over, ended(match, (2, 1))) == "already_ended"


def test_what_no_result_can_be() -> None:
    state = with_round(started("abc", seats=3), "abc")
    (match,) = due(state)
    good = ended(match, (1, 2, 3))
    for bad, code in [
        (replace(good, table="to.1.2"), "unknown_table"),
        (replace(good, table="to.2.1"), "unknown_table"),
        (replace(good, table="x.1.1"), "unknown_table"),
        (replace(good, table="1"), "unknown_table"),
        (replace(good, table="to.01.1"), "unknown_table"),
        (replace(good, table="to.0.1"), "unknown_table"),
        (replace(good, table="to." + 5000 * "1" + ".1"), "unknown_table"),
        (replace(good, number=2), "unknown_match"),
        (replace(good, seats=("b", "a", "c")), "wrong_seats"),
        (replace(good, ranks=(1, 2)), "malformed"),
        (replace(good, ranks=(1, 2, 2, 2)), "malformed"),
        (replace(good, ranks=(1, 1, 2)), "malformed"),
        (replace(good, faults=(None, "slow", None)), "malformed"),
        (replace(good, scores=(1,)), "malformed"),
    ]:
        assert refusal(state, bad) == code
    assert refusal(state, MatchVoided("to.1.1", 1, None, "dull")) == "malformed"
    assert refusal(apply(state, Cancelled()), good) == "wrong_status"


def test_the_matches_of_a_table_are_due_one_after_the_other() -> None:
    state = with_round(started("ab", deals=2, duplicate=True), "ab")
    seen = []
    while matches := due(state):
        (match,) = matches
        seen.append((match.number, match.deal, "".join(match.seats), revealed(state.live_tables[0])))
        state = apply(state, ended(match, (1, 2)))
    assert seen == [(1, 1, "ab", ()), (2, 1, "ba", ()), (3, 2, "ab", (1,)), (4, 2, "ba", (1,))]
    assert state.rounds[0].tables[0].scores == {"a": HALF, "b": HALF}
    assert revealed(state.rounds[0].tables[0]) == (1, 2)


def test_a_deal_is_the_same_in_all_its_matches_and_no_other_is() -> None:
    state = with_round(started("abcd", deals=2, duplicate=True), "ab", "cd")
    seeds: dict[tuple[str, int], set[bytes]] = {}
    while matches := due(state):
        for match in matches:
            seeds.setdefault((match.table, match.deal), set()).add(match.seed)
            state = apply(state, ended(match, (1, 2)))
    assert all(len(each) == 1 for each in seeds.values())
    assert len(set().union(*seeds.values())) == len(seeds) == 4


def test_without_duplicate_the_seats_go_round() -> None:
    state = with_round(started("abc", deals=4, seats=3), "abc")
    table = state.rounds[0].tables[0]
    assert ["".join(table.seats(number)) for number in (1, 2, 3, 4)] == ["abc", "bca", "cab", "abc"]


def test_t4_who_does_not_show_up_is_removed() -> None:
    state = with_round(started("abcd", no_show_limit=2, deals=3), "ab")
    absent, present = ("no_show", None), (None, None)

    def after_next(state: State, faults: tuple[str | None, ...]) -> State:
        (match,) = due(state)
        by_entrant = dict(zip("ab", faults, strict=True))
        return apply(state, ended(match, (1, 2), faults=tuple(by_entrant[one] for one in match.seats)))

    once = after_next(state, absent)
    assert once.active == ("a", "b", "c", "d")
    assert after_next(after_next(once, present), absent).active == ("a", "b", "c", "d")
    twice = after_next(once, absent)
    assert twice.active == ("b", "c", "d")
    assert twice.entrants["a"].status == "removed"
    (match,) = due(twice)
    assert match.absent == ("a",)
    won = undisputed(match)
    assert isinstance(won, MatchEnded)
    assert dict(zip(won.seats, won.ranks, strict=True)) == {"a": 2, "b": 1}
    back = after(twice, won, Rejoined("a"))
    assert (back.entrants["a"].no_shows, back.entrants["a"].since) == (0, 2)


def test_a_match_that_nobody_is_left_for_scores_nothing_and_one_that_was_aborted_does_not_count() -> None:
    state = with_round(started("abcd", deals=2), "ab")
    gone = after(state, Withdrawn("a"), Withdrawn("b"))
    (match,) = due(gone)
    assert undisputed(match) == MatchVoided("to.1.1", 1, None, "absent")
    assert played(gone).rounds[0].tables[0].scores == {"a": 0, "b": 0}
    lost = apply(state, MatchVoided("to.1.1", 1, "mt-1", "aborted"))
    assert played(lost).rounds[0].tables[0].scores == {"a": 1, "b": 0}
    assert apply(lost, MatchVoided("to.1.1", 2, "mt-2", "aborted")).rounds[0].tables[0].scores == {"a": HALF, "b": HALF}


def test_pausing_stopping_ending() -> None:
    state = with_round(started("abcd"), "ab", "cd")
    paused = apply(state, Paused())
    assert len(due(paused)) == 2
    assert refusal(played(paused), paired("to", 2, ["ac", "bd"], 1)) == "wrong_status"
    assert refusal(state, Resumed()) == "wrong_status"
    assert apply(paused, Resumed()).status == "running"
    assert refusal(state, Finished("rounds")) == "matches_live"
    stopped = played(apply(state, Stopped()))
    assert refusal(stopped, paired("to", 2, ["ac", "bd"], 1)) == "stopping"
    assert apply(stopped, Finished("stopped")).reason == "stopped"
    cancelled = apply(state, Cancelled("rain"))
    assert (cancelled.status, cancelled.reason, due(cancelled)) == ("cancelled", "rain", ())
    assert refusal(cancelled, Paused()) == "wrong_status"


def test_an_entry_is_read_back_from_its_json() -> None:
    match = due(with_round(started("abc", seats=3), "abc"))[0]
    entries = [
        Created("to", setup(forbidden=(("a", "b"),), invited=("a",))),
        Invited("a"),
        Entered("a", "Ada", "human", 1500),
        paired("to", 1, ["ab"], 2, sitting_out=("c",), by="fallback"),
        ended(match, (1, 2, 3), faults=(None, None, "crash"), decisions=(3, 3, 2), used_ms=(5, 6, 7), scores=(9, 8, 0)),
        MatchVoided("to.1.1", 2, "mt-1"),
        *(Withdrawn("a"), Rejoined("a"), Started(), Paused(), Resumed(), Stopped(), Cancelled(), Finished("rounds")),
    ]
    assert [entry_from_wire(entry.to_wire()) for entry in entries] == entries
    assert entries[3].to_wire() == {
        "type": "round_paired",
        "round": 1,
        "tables": [{"id": "to.1.1", "board": 1, "seats": ["a", "b"], "deals": 2}],
        "sitting_out": ["c"],
        "unopposed": [],
        "by": "fallback",
    }


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"type": "won"},
        {"type": "entered", "entrant": "a"},
        {"type": "entered", "entrant": "a", "name": 1},
        {"type": "entered", "entrant": "a", "name": "A", "rating": 1},
        {"type": "entered", "entrant": "a", "name": "A", "seeding": True},
        {"type": "round_paired", "round": 1, "tables": [[]]},
        {"type": "round_paired", "round": 1, "tables": "ab"},
        {"type": "created", "tournament": "to", "setup": {"game": "chess", "format": "swiss", "seed": "s"}},
    ],
)
def test_what_is_no_entry_is_refused(raw: dict[str, object]) -> None:
    with pytest.raises(EntryRefused) as refused:
        entry_from_wire(raw)
    assert refused.value.code == "malformed"
