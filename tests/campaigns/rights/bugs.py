"""Bugs for AUTHZ to find: each lets somebody in, or tells that there is something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest

from spieltisch_service.app import access, playing, seating
from spieltisch_service.app.errors import NotFound
from spieltisch_service.domain.match import Match

Bug: TypeAlias = Callable[[pytest.MonkeyPatch], None]


def any_account_acts_for_any_seat(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(playing, "acting_seat", lambda match, caller, seat, to_act: seat or 0)


def a_record_for_whoever_knows_the_id(patch: pytest.MonkeyPatch) -> None:
    require = access.require_visible

    def careless(match: Match, caller: Any) -> list[int]:
        return require(match, caller) if match.status != "finished" else []

    patch.setattr(playing, "require_visible", careless)


def a_hidden_match_that_says_it_is_private(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(access, "no_such_match", lambda: NotFound("This match is private."))


def a_token_of_a_left_seat_still_opens_it(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("spieltisch_service.app.accounts.held_seats", lambda match, caller: [0])


def a_player_starts_what_another_created(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(seating, "is_creator", lambda match, caller: bool(access.held_seats(match, caller)))


BUGS: Mapping[str, Bug] = {
    bug.__name__: bug
    for bug in (
        any_account_acts_for_any_seat,
        a_record_for_whoever_knows_the_id,
        a_hidden_match_that_says_it_is_private,
        a_token_of_a_left_seat_still_opens_it,
        a_player_starts_what_another_created,
    )
}
