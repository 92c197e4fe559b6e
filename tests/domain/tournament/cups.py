"""Tournaments for tests: made, entered and started in a line, and played by a function that says who is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spieltisch_service.domain.tournament.due import DueMatch, due, undisputed
from spieltisch_service.domain.tournament.fold import apply, fold
from spieltisch_service.domain.tournament.log import (
    Created,
    Entered,
    Entry,
    Finished,
    MatchEnded,
    RoundPaired,
    Started,
    paired,
)
from spieltisch_service.domain.tournament.pairing.outcome import Over
from spieltisch_service.domain.tournament.pairing.rounds import next_round
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.domain.tournament.state import State


def setup(format_: str = "swiss", **said: Any) -> TournamentSetup:
    return TournamentSetup(**{"game": "neues-land", "format": format_, "seed": "cup", **said})


def opened(names: Iterable[str], format_: str = "swiss", **said: Any) -> State:
    """A tournament `to` that `names` have entered; not started."""
    entries: list[Entry] = [Created("to", setup(format_, **said))]
    return fold([*entries, *(Entered(name, name.upper()) for name in names)])


def started(names: Iterable[str], format_: str = "swiss", **said: Any) -> State:
    return apply(opened(names, format_, **said), Started())


def after(state: State, *entries: Entry) -> State:
    for entry in entries:
        state = apply(state, entry)
    return state


def with_round(state: State, *tables: Sequence[str], **said: Any) -> State:
    """The state after a round that is paired by hand; a table is a text of one-letter names, in seat order."""
    entry = paired(
        state.tournament, len(state.rounds) + 1, [tuple(table) for table in tables], state.setup.deals, **said
    )
    return apply(state, entry)


def ended(match: DueMatch, ranks: Sequence[int], **said: Any) -> MatchEnded:
    return MatchEnded(match.table, match.number, f"mt-{match.table}-{match.number}", match.seats, tuple(ranks), **said)


def by_alphabet(match: DueMatch) -> MatchEnded:
    """Whose name comes first in the alphabet wins."""
    return ended(match, [1 + sum(other < own for other in match.seats) for own in match.seats])


def played(state: State, result: Callable[[DueMatch], MatchEnded] = by_alphabet) -> State:
    """The state after everything that is to be played now has been."""
    while matches := due(state):
        for match in matches:
            state = apply(state, undisputed(match) or result(match))
    return state


def to_the_end(state: State, result: Callable[[DueMatch], MatchEnded] = by_alphabet) -> tuple[State, Over]:
    """A tournament in which everything goes as it is paired, and how it ends."""
    for _ in range(2_000):
        answer = next_round(state)
        if isinstance(answer, Over):
            return state, answer
        assert isinstance(answer, RoundPaired), answer
        state = played(apply(state, answer), result)
    raise AssertionError("it does not end")


def drafted(state: State) -> RoundPaired:
    """The next round, which must be there."""
    answer = next_round(state)
    assert isinstance(answer, RoundPaired), answer
    return answer


def texts(entry: RoundPaired) -> set[str]:
    """The tables of a round whose entrants have names of one letter, in no order: `{"ab", "cd"}`."""
    return {"".join(sorted(table.seats)) for table in entry.tables}


def whole_log(**said: Any) -> list[Entry]:
    """The log of a Swiss tournament of ada, bob, cyd and dan: two rounds of one deal in both seatings, by alphabet."""
    entries: list[Entry] = [Created("to", setup("swiss", deals=1, duplicate=True, rounds=2, **said))]
    entries += [Entered(name, name.title()) for name in ("ada", "bob", "cyd", "dan")]
    entries.append(Started())
    while True:
        state = fold(entries)
        if matches := due(state):
            entries += [by_alphabet(match) for match in matches]
            continue
        following = next_round(state)
        if isinstance(following, Over):
            return [*entries, Finished(following.reason)]
        assert isinstance(following, RoundPaired)
        entries.append(following)
