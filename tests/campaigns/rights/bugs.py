"""Bugs for AUTHZ to find: each lets somebody in, or tells that there is something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from flask import request

from spieltisch_service.app import access, playing, seating
from spieltisch_service.app.callers import Answer, Caller, Key, Once, Scope
from spieltisch_service.app.errors import NotFound, NotYourSeat
from spieltisch_service.app.invitations import require_usable
from spieltisch_service.domain.match import Invitation, Match
from spieltisch_service.web import overrides

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


def an_expired_key_still_opens(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Key, "is_live", lambda key, now_ms: key.ended_at_ms is None or now_ms < key.ended_at_ms)


def a_revoked_key_still_opens(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Key, "is_live", lambda key, now_ms: key.expires_at_ms is None or now_ms < key.expires_at_ms)


def a_replaced_token_of_a_seat_still_opens_it(patch: pytest.MonkeyPatch) -> None:
    """Only whether the seat was left counts, wherever it is asked for."""
    generation_of = Match.generation_of

    def held(match: Match, caller: Caller) -> list[int]:
        if caller.seat is None or caller.seat.match != match.id:
            return access.held_seats(match, caller)
        first = generation_of(match, caller.seat.seat, 0)
        return [caller.seat.seat] if caller.seat.generation >= first else []

    patch.setattr("spieltisch_service.app.accounts.held_seats", held)


def a_replaced_token_of_a_seat_is_the_new_one(patch: pytest.MonkeyPatch) -> None:
    generation_of = Match.generation_of
    patch.setattr(Match, "generation_of", lambda match, seat, _=None: generation_of(match, seat, 0))


def nobody_looks_at_the_scope_of_one_operation(patch: pytest.MonkeyPatch) -> None:
    require = access.require_scope

    def careless(caller: Caller, scope: Scope) -> None:
        if request.endpoint is None or not request.endpoint.endswith("createInvitation"):
            require(caller, scope)

    patch.setattr(overrides, "require_scope", careless)


def a_used_up_invitation_still_opens(patch: pytest.MonkeyPatch) -> None:
    def careless(match: Match, invitation: Invitation, now_ms: int) -> None:
        require_usable(match, replace(invitation, uses=None), now_ms)

    patch.setattr(seating, "require_usable", careless)


def an_expired_invitation_still_opens(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(seating, "require_usable", lambda match, invitation, now_ms: require_usable(match, invitation, 0))


def a_refused_replacement_replaces(patch: pytest.MonkeyPatch) -> None:
    """The token of another's seat is not given to whoever asked, and has ended all the same."""
    replace_token = seating.Seating.replace_token

    def careless(seats: seating.Seating, caller: Caller, match_id: str, seat: int, once: Once | None) -> Answer:
        try:
            return replace_token(seats, caller, match_id, seat, once)
        except NotYourSeat:
            seats._live.rewrite(match_id, lambda match: replace(match, replaced=(*match.replaced, seat)))
            raise

    patch.setattr(seating.Seating, "replace_token", careless)


BUGS: Mapping[str, Bug] = {
    bug.__name__: bug
    for bug in (
        any_account_acts_for_any_seat,
        a_record_for_whoever_knows_the_id,
        a_hidden_match_that_says_it_is_private,
        a_token_of_a_left_seat_still_opens_it,
        a_player_starts_what_another_created,
        an_expired_key_still_opens,
        a_revoked_key_still_opens,
        a_replaced_token_of_a_seat_still_opens_it,
        a_replaced_token_of_a_seat_is_the_new_one,
        nobody_looks_at_the_scope_of_one_operation,
        a_used_up_invitation_still_opens,
        an_expired_invitation_still_opens,
        a_refused_replacement_replaces,
    )
}
