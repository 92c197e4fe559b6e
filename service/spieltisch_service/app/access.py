"""Who may see and do what in a match.

Whoever may not see a match gets the same NotFound as for one that does not exist.
"""

from __future__ import annotations

from spieltisch_service.app.callers import Caller, Scope
from spieltisch_service.app.errors import Forbidden, NotYourSeat, SeatRequired, Unauthenticated, no_such_match
from spieltisch_service.domain.match import Match


def held_seats(match: Match, caller: Caller) -> list[int]:
    """The seats of the match for which the caller acts. Raises Unauthenticated for the token of a left seat."""
    if caller.account is not None:
        return match.seats_of(caller.account.id)
    grant = caller.seat
    if grant is None or grant.match != match.id:
        return []
    if grant.seat >= match.players or match.generation_of(grant.seat) != grant.generation:
        msg = "this seat token has ended: its seat was left, or it was replaced"
        raise Unauthenticated(msg)
    return [grant.seat]


def is_creator(match: Match, caller: Caller) -> bool:
    """Whether the caller's account created the match."""
    return caller.account is not None and caller.account.id == match.creator


def require_visible(match: Match, caller: Caller) -> list[int]:
    """The seats that the caller holds. Raises NotFound where the caller may not see the match."""
    held = held_seats(match, caller)
    if match.visibility == "private" and not held and not is_creator(match, caller):
        raise no_such_match()
    return held


def reading_seat(match: Match, caller: Caller, seat: int | None) -> int | None:
    """The seat whose part the caller reads; None for a spectator's. Raises NotYourSeat for a seat not held."""
    held = require_visible(match, caller)
    if seat is not None:
        return _held(held, seat, caller)
    return held[0] if len(held) == 1 else None


def acting_seat(match: Match, caller: Caller, seat: int | None, to_act: int | None) -> int:
    """The seat that the caller acts for; without `seat` the one to act, if the caller holds it.

    Raises Unauthenticated, NotYourSeat; SeatRequired when several are held and none of them is to act.
    """
    held = require_visible(match, caller)
    if seat is not None:
        return _held(held, seat, caller)
    if not held:
        raise _stranger(caller)
    if len(held) == 1:
        return held[0]
    if to_act in held:
        assert to_act is not None
        return to_act
    msg = f"you hold the seats {', '.join(map(str, held))}: say with `seat` which one this is for"
    raise SeatRequired(msg)


def require_known(caller: Caller) -> None:
    """Raises Unauthenticated for nobody."""
    if not caller.known:
        msg = "this needs a token: Authorization: Bearer spt_key_… or spt_seat_…"
        raise Unauthenticated(msg)


def require_scope(caller: Caller, scope: Scope) -> None:
    """Raises Forbidden for a token that may not do this. Whether a token is needed at all is another question."""
    if scope in caller.scopes or not caller.known:
        return
    has = ", ".join(caller.scopes) or "none"
    if caller.account is None:
        msg = f"this needs the scope {scope}; a seat token acts for its seat alone and has {has}"
    else:
        msg = f"this needs the scope {scope}; your key has {has}"
    raise Forbidden(msg)


def require_account(caller: Caller) -> str:
    """The caller's account id. Raises Unauthenticated for nobody and Forbidden for a seat token."""
    if caller.account is not None:
        return caller.account.id
    require_known(caller)
    msg = "a seat token acts for its seat alone; this needs an API key"
    raise Forbidden(msg)


def _held(held: list[int], seat: int, caller: Caller) -> int:
    if seat in held:
        return seat
    require_known(caller)
    msg = f"you do not hold seat {seat}"
    raise NotYourSeat(msg)


def _stranger(caller: Caller) -> Exception:
    if caller.known:
        return NotYourSeat("you hold no seat in this match")
    return Unauthenticated("this needs the token of a seat: Authorization: Bearer spt_key_… or spt_seat_…")
