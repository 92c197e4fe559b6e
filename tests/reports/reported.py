"""A small tournament whose report can be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spieltisch_service.domain.tournament.due import due
from spieltisch_service.domain.tournament.fold import apply, fold
from spieltisch_service.domain.tournament.log import Created, Entered, Entry, Finished, MatchEnded, Started, paired
from spieltisch_service.domain.tournament.setup import TournamentSetup
from spieltisch_service.domain.tournament.state import State
from spieltisch_service.reports.content import Details, report

#: Names that mean something to HTML, to Markdown and to a spreadsheet.
ADA, BOB = "<b>Ada</b> & [co](x)|*", "=1+1"


def duel(
    ranks: Sequence[tuple[int, int]] = ((1, 2), (2, 1)), *, finished: bool = True, **said: Any
) -> tuple[State, list[MatchEnded]]:
    """Ada against Bob at one table, each deal in both seat orders; `ranks` by seat of each match.

    The first match: 3 and 2 decisions in 30 and 10 ms; Bob resigned.
    """
    setup = TournamentSetup(
        "neues-land", "round_robin", "secret seed", duplicate=True, deals=(len(ranks) + 1) // 2, **said
    )
    entries: list[Entry] = [Created("to", setup), Entered("ada", ADA), Entered("bob", BOB), Started()]
    state = fold([*entries, paired("to", 1, [("ada", "bob")], setup.deals)])
    ended = []
    for number, each in enumerate(ranks, 1):
        (match,) = due(state)
        first = {"faults": (None, "resigned"), "decisions": (3, 2), "used_ms": (30, 10)} if number == 1 else {}
        result = MatchEnded(match.table, number, f"m{number}", match.seats, each, (10 * number, 5), **first)
        ended.append(result)
        state = apply(state, result)
    return (apply(state, Finished("rounds")) if finished else state), ended


def content(**said: Any) -> dict[str, Any]:
    """The report of a duel in which Ada won both matches, with details of the first."""
    state, ended = duel(**said)
    note = {"seat": 1, "version": 7, "fault": "crash", "said": "<script>alert('x')</script>"}
    return report(state, ended, {("to.1.1", 1): Details((6_000, 4_000), (3_000, 2_500), [note, note])})
