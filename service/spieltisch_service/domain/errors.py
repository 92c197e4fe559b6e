"""What the platform's rules refuse.

DomainError
├── OutOfTurn        another seat must act, or the list of actions goes beyond the end of the turn
├── ActionIllegal    the game's rules forbid one action of the list
├── InvalidRecord    a record that does not prove what it says
├── InvalidSetup     a tournament that cannot be played as it is described
├── EntryRefused     an entry that a tournament's log cannot have here
└── DamagedExport    an exported tournament that is not what was written
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from spieltisch_service.games.errors import IllegalAction


class DomainError(Exception):
    """Everything that the platform's rules refuse."""


class OutOfTurn(DomainError):
    """The action at `index` of the list is not the seat's to do: `to_act` (None: nobody) must act.

    Of an action beyond the end of the turn the text does not say who must act then: that can hang on what is drawn, and
    a refused list draws nothing.
    """

    def __init__(self, index: int, seat: int, to_act: int | None) -> None:
        self.index = index
        self.seat = seat
        self.to_act = to_act
        whose = "nobody" if to_act is None else f"seat {to_act}"
        super().__init__(
            f"action {index} lies beyond the end of the turn of seat {seat}"
            if index
            else f"{whose} must act, not seat {seat}"
        )


class ActionIllegal(DomainError):
    """The game's rules forbid the action at `index` of the list, for the reason in `refusal`."""

    def __init__(self, index: int, refusal: IllegalAction) -> None:
        self.index = index
        self.refusal = refusal
        super().__init__(str(refusal))


class InvalidRecord(DomainError):
    """The record contradicts itself or the rules; `problems` says each contradiction in a sentence."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problems))


class InvalidSetup(DomainError):
    """A tournament cannot be played so; `field` is the part of the setup that is to blame."""

    def __init__(self, field: str, text: str) -> None:
        self.field = field
        super().__init__(text)


#: Why a tournament refuses what somebody asks of it, in a word for programs.
Reason = Literal[
    "wrong_status",
    "too_few_entrants",
    "no_champion",
    "no_pairing",
    "full",
    "not_allowed",
    "already_entered",
    "unknown_entrant",
    "not_active",
    "no_rejoining",
    "own_pairings",
    "nothing_to_pair",
    "matches_live",
    "stopping",
    "wrong_round",
    "wrong_size",
    "paired_twice",
    "forbidden_pair",
    "busy",
]
#: Why a log refuses an entry that nobody can ask for.
Wrong = Literal[
    "malformed",
    "not_created",
    "round_paired",
    "unknown_table",
    "unknown_match",
    "wrong_seats",
    "already_ended",
]


class EntryRefused(DomainError):
    """A tournament's log cannot have this entry here, and nothing has changed. `code` says why, for programs."""

    def __init__(self, code: Reason | Wrong, text: str) -> None:
        self.code = code
        super().__init__(text)


class DamagedExport(DomainError):
    """The exported log of a tournament is not what was written; `line` (from 1) is the first that shows it."""

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        super().__init__(f"line {line}: {text}")
