"""What a game can refuse.

GameError
├── IllegalAction   the rules forbid this action now
├── InvalidDeal     an explicit deal that cannot be played
├── InvalidView     a view that no position can have
└── UnknownFormat   an encoded state that this version does not read
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spieltisch_service.games.contract import Action


class GameError(Exception):
    """Everything that a game refuses."""


class IllegalAction(GameError):
    """The rules forbid the action in this state.

    `rule` is the number of the rule that forbids it (`N24`), `detail` one sentence for the player, and
    `suggestions` one to three legal actions nearest to the refused one, nearest first.
    """

    def __init__(self, rule: str, detail: str, suggestions: Sequence[Action]) -> None:
        super().__init__(f"{rule}: {detail}")
        self.rule = rule
        self.detail = detail
        self.suggestions = tuple(suggestions)


class InvalidDeal(GameError):
    """An explicit deal that the game cannot be played with.

    `pointer` is a JSON pointer into the deal (`/deck/3`), `code` one of the field error codes of the API
    (`missing, unknown, wrong_type, out_of_range, not_one_of, bad_format, duplicate`), `detail` a sentence.
    """

    def __init__(self, pointer: str, code: str, detail: str) -> None:
        super().__init__(f"{pointer}: {detail}")
        self.pointer = pointer
        self.code = code
        self.detail = detail


class InvalidView(GameError):
    """A view that no position of the game can have, so that nothing can be imagined from it.

    `pointer` is a JSON pointer into the view (`/state/tiles/3/x`); `code` and `detail` as of `InvalidDeal`.
    """

    def __init__(self, pointer: str, code: str, detail: str) -> None:
        super().__init__(f"{pointer}: {detail}")
        self.pointer = pointer
        self.code = code
        self.detail = detail


class UnknownFormat(GameError):
    """An encoded state carries a format number that this version does not know."""
