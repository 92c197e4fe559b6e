"""What pairing answers where it pairs nobody, and how a format's answer becomes a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spieltisch_service.domain.tournament.log import RoundPaired, paired
from spieltisch_service.domain.tournament.state import State


@dataclass(frozen=True, slots=True)
class Wait:
    """Nobody can be paired now. `reason` is `matches` (they are still played), `organizer`, `paused` or `open`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Over:
    """Nobody will be paired any more.

    `reason` is `rounds` (all are played), `decided`, `stopped`, `too_few_entrants`, or `no_pairing`: nobody is left
    that may meet.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A round as a format wants it: tables in seat order, and who has none (see `RoundPaired`)."""

    tables: Sequence[Sequence[str]]
    sitting_out: Sequence[str] = ()
    unopposed: Sequence[str] = field(default=())
    by: str = "rule"

    def entry(self, state: State) -> RoundPaired:
        """As the next round of the log."""
        return paired(
            state.tournament,
            len(state.rounds) + 1,
            self.tables,
            state.setup.deals,
            sitting_out=tuple(self.sitting_out),
            unopposed=tuple(self.unopposed),
            by=self.by,
        )


Answer = Draft | Wait | Over
