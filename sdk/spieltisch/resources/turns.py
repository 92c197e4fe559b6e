"""The turns of a match, for whoever plays it: one request for everything that happened meanwhile, and one to act."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spieltisch.errors import StaleVersion, TurnPlayed
from spieltisch.models import Acted, Action, Actions, View

if TYPE_CHECKING:
    from spieltisch.resources.match import Match

#: As long as the service lets a request wait.
_WAIT_S = 25


def time_left_ms(view: View, since_s: float | None = None) -> int | None:
    """How long the seat that must act in this view may still take; None where no clock runs.

    since_s: when the view came in (`time.monotonic()`); without, right now. What the seat had is taken to begin then,
    or earlier, where the clock of this machine shows less until the deadline: a wrong one can cost time, not give any.
    """
    if view.deadline_at is None or view.remaining_ms is None or view.to_act is None:
        return None
    gone_s = 0.0 if since_s is None else time.monotonic() - since_s
    left_ms = view.remaining_ms[view.to_act] - int(gone_s * 1000)
    by_the_wall_ms = int((view.deadline_at.timestamp() - time.time()) * 1000)
    # A machine whose clock has the deadline far behind it tells nothing.
    if 0 < by_the_wall_ms < left_ms:
        left_ms = by_the_wall_ms
    return max(0, left_ms)


class Turn:
    """A decision of one seat: what it sees, and what it may do."""

    def __init__(self, match: Match, view: View, seat: int) -> None:
        self._match = match
        self._view = view
        self._seat = seat
        self._next: View | None = None
        self._since_s = time.monotonic()

    def __repr__(self) -> str:
        return f"<Turn of seat {self._seat} in {self._match.id} at version {self._view.version}>"

    @property
    def match(self) -> Match:
        """The match that it is a turn of."""
        return self._match

    @property
    def view(self) -> View:
        """What the seat sees."""
        return self._view

    @property
    def seat(self) -> int:
        """The seat that must act."""
        return self._seat

    @property
    def legal_actions(self) -> Actions:
        """All that the seat may do; `legal_actions.where(type=…)` finds some of it."""
        return self._view.legal_actions or Actions()

    @property
    def remaining_ms(self) -> int | None:
        """How long this decision may still take, in ms; None where there is no clock."""
        return time_left_ms(self._view, self._since_s)

    def text(self) -> str:
        """The board as text, as the seat sees it at this turn."""
        return self._match.board_text(seat=self._seat, at=self._view.version)

    def act(self, actions: Action | Sequence[Action]) -> Acted | None:
        """Do one action, or several in order, all or nothing.

        Returns what came of it, or None where the match had moved on before (another program acted for the same seat,
        or the match ended): then nothing was done, and the loop goes on with what is.

        Raises:
            IllegalAction: the rules forbid it; the turn is still to be played.
            TurnPlayed: this turn was played already.
        """
        if self._next is not None:
            raise TurnPlayed("this turn was played already; the loop over turns() gives the next one")
        try:
            acted = self._match.act(actions, seat=self._seat, version=self._view.version)
        except StaleVersion as stale:
            self._next = stale.view
            return None
        self._next = acted.view
        return acted

    def _after(self) -> View:
        """The view to go on with, once the body of the loop is through."""
        return self._next if self._next is not None else self._match.view(seat=self._seat)


def turns(match: Match, seats: Sequence[int]) -> Iterator[Turn]:
    """The turns of these seats, until the match has ended."""
    view = match.view(seat=seats[0])
    while not view.ended:
        to_act = view.to_act
        if to_act is None or to_act not in seats:
            view = match.view(seat=view.seat, after=view.version, wait=_WAIT_S)
        elif to_act != view.seat:
            view = match.view(seat=to_act)
        else:
            turn = Turn(match, view, to_act)
            yield turn
            view = turn._after()
    match.refresh()
