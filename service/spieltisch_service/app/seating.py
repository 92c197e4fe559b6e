"""Seats: join, leave, start, resign."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from spieltisch_service.app.access import (
    acting_seat,
    is_creator,
    require_account,
    require_known,
    require_scope,
    require_visible,
)
from spieltisch_service.app.accounts import clean_name
from spieltisch_service.app.callers import Answer, Caller, Once, SeatGrant
from spieltisch_service.app.errors import (
    FieldError,
    Forbidden,
    InvalidBody,
    InvitationInvalid,
    LimitReached,
    MatchNotOpen,
    MatchNotRunning,
    NotYourSeat,
    SeatsMissing,
    SeatTaken,
)
from spieltisch_service.app.invitations import invitation_of, require_usable
from spieltisch_service.app.limits import Meter
from spieltisch_service.app.live import Done, LiveMatches, Plan
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.matches import Matches
from spieltisch_service.app.ports import Quota
from spieltisch_service.app.quotas import Quotas
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.domain import play
from spieltisch_service.domain.fairness import NONCE
from spieltisch_service.domain.match import MOST_REPLACED, Invitation, Match, Person, Secret


class Seating:
    """The use cases around the seats of a match."""

    def __init__(self, live: LiveMatches, tokens: Tokens, matches: Matches, quotas: Quotas) -> None:
        self._live = live
        self._tokens = tokens
        self._matches = matches
        self._quotas = quotas

    def join(
        self,
        caller: Caller,
        match_id: str,
        *,
        seat: int | None,
        nonce: str | None,
        invitation: str | None,
        name: str | None,
        once: Once | None,
        meter: Meter | None = None,
    ) -> Answer:
        """Take the lowest free open seat, the named one, or the invitation's; 201 with the seat's token.

        With an invitation no key is needed: then `name` names the guest. A start that waited for this seat follows.
        `meter` counts it.
        """
        require_nonce(nonce, "/nonce")
        if name is not None:
            name = clean_name(name, "/name")
        if invitation is None:
            require_known(caller)

        def rights(live: LiveMatch) -> Invitation | None:
            return self._may_join(live.match, caller, seat, invitation)

        def plan(live: LiveMatch, invited: Invitation | None, quota: Quota | None) -> Plan:
            if invited is not None:
                require_usable(live.match, invited, live.now_ms)
            taken = _free_seat(live.match, seat, invited)
            person = _person(caller, name, invited)
            match = replace(live.match, people={**live.match.people, live.match.version + 1: person})
            nonces = tuple(nonce if i == taken else old for i, old in enumerate(live.secret.nonces))
            secret = replace(live.secret, nonces=nonces)
            drafts: list[play.Draft] = [("seat_taken", taken, {})]
            seats = [each.taken or i == taken for i, each in enumerate(match.seats)]
            state = None
            if match.start == "auto" and all(seats):
                draft, secret, state = play.started(live.game, match, secret)
                drafts.append(draft)
            return Plan(drafts, state, secret, match, (taken,), accounts, quota, meter)

        def enter(quota: Quota | None) -> Done:
            # Whether an invitation has expired is a matter of now, and what is in memory may be older.
            fresh = invitation is not None
            return self._live.change(match_id, once, rights, partial(plan, quota=quota), status=201, fresh=fresh)

        accounts = () if caller.account is None else (caller.account.id,)
        return self._matches.granted(self._quotas.held(accounts[0] if accounts else None, match_id, enter, new=False))

    def _may_join(self, match: Match, caller: Caller, seat: int | None, token: str | None) -> Invitation | None:
        """The invitation that is shown; whether it is still good is another question. Raises what the rights refuse."""
        invited = None if token is None else invitation_of(match, self._tokens, token)
        if invited is None:
            require_visible(match, caller)
        if seat is not None:
            _require_seat(match, seat)
        if token is not None:
            if invited is None or (seat is not None and not _opens(match, invited, seat)):
                msg = "the invitation is not for a seat of this match, or not for this seat"
                raise InvitationInvalid(msg)
            return invited
        require_account(caller)
        if seat is not None and match.seats[seat].kind == "invite":
            msg = f"seat {seat} needs its invitation"
            raise InvitationInvalid(msg)
        return None

    def leave(self, caller: Caller, match_id: str, seat: int) -> dict[str, Any]:
        """Free a seat of an open match: one's own, or any as its creator. A free seat stays free."""
        require_known(caller)

        def rights(live: LiveMatch) -> None:
            held = require_visible(live.match, caller)
            _require_seat(live.match, seat)
            free = not live.match.seats[seat].taken
            if seat not in held and not is_creator(live.match, caller) and not free:
                msg = f"you do not hold seat {seat}, and only the creator may free another's"
                raise NotYourSeat(msg)

        def plan(live: LiveMatch, _: None) -> Plan:
            _require_open(live.match)
            if not live.match.seats[seat].taken:
                return Plan(())
            nonces = tuple(None if i == seat else old for i, old in enumerate(live.secret.nonces))
            # The next holder begins with a token that was never replaced.
            match = replace(live.match, replaced=tuple(each for each in live.match.replaced if each != seat))
            return Plan([("seat_left", seat, {})], None, replace(live.secret, nonces=nonces), match)

        return self._live.change(match_id, None, rights, plan, fresh=True).live.match.to_wire()

    def replace_token(self, caller: Caller, match_id: str, seat: int, once: Once | None) -> Answer:
        """A new token for a seat, in place of the one that it has: as its holder, or as the creator for a guest.

        Raises NotYourSeat for everybody else.
        """
        require_known(caller)

        def rights(live: LiveMatch) -> None:
            held = require_visible(live.match, caller)
            _require_seat(live.match, seat)
            if seat in held:
                return
            if not is_creator(live.match, caller) or live.match.seats[seat].kind != "guest":
                msg = f"you do not hold seat {seat}, and only a guest's token is replaced by the creator"
                raise NotYourSeat(msg)
            require_scope(caller, "create")

        def plan(live: LiveMatch, _: None) -> Plan:
            count = live.match.replaced.count(seat) + 1
            if count > MOST_REPLACED:
                msg = f"the token of a seat is replaced at most {MOST_REPLACED} times"
                raise LimitReached(msg)
            match = replace(live.match, replaced=(*live.match.replaced, seat))
            return Plan((), match=match, seats=(seat, count))

        done = self._live.change(match_id, once, rights, plan, fresh=True)
        live, seats = done.live, done.seats
        if done.row is not None:
            live, seats = self._live.past(live, done.row.last), done.row.seats
        grant = SeatGrant(match_id, seat, live.match.generation_of(seat, seats[1]))
        return Answer({"seat": seat, "token": self._tokens.seat(grant)}, replayed=done.row is not None)

    def start(self, caller: Caller, match_id: str, nonces: Mapping[str, str] | None, once: Once | None) -> Answer:
        """Start an open match whose seats are all taken; `nonces` for the creator's own seats, by seat number."""
        require_known(caller)
        for key, nonce in (nonces or {}).items():
            require_nonce(nonce, f"/nonces/{key}")

        def rights(live: LiveMatch) -> None:
            held = require_visible(live.match, caller)
            if not is_creator(live.match, caller):
                msg = "only the creator may start a match"
                raise Forbidden(msg)
            for key in nonces or {}:
                if not re.fullmatch("[0-9]", key) or int(key) not in held:
                    msg = f"a nonce comes from the seat itself: you hold the seats {held}"
                    raise NotYourSeat(msg)

        def plan(live: LiveMatch, _: None) -> Plan:
            _require_open(live.match)
            missing = [i for i, seat in enumerate(live.match.seats) if not seat.taken]
            if missing:
                msg = f"the seats {', '.join(map(str, missing))} are still free"
                raise SeatsMissing(msg)
            own = {int(key): nonce for key, nonce in (nonces or {}).items()}
            secret: Secret = replace(
                live.secret, nonces=tuple(own.get(i, old) for i, old in enumerate(live.secret.nonces))
            )
            draft, secret, state = play.started(live.game, live.match, secret)
            return Plan([draft], state, secret)

        return self._as_it_was(self._live.change(match_id, once, rights, plan))

    def resign(
        self, caller: Caller, match_id: str, seat: int | None, once: Once | None, began_s: float | None = None
    ) -> Answer:
        """Give up: default actions follow for the seat, and the match ends when one active seat is left.

        `began_s`: when the request came in (`perf_counter`); None: now.
        """
        require_known(caller)

        def rights(live: LiveMatch) -> int:
            return acting_seat(live.match, caller, seat, None)

        def plan(live: LiveMatch, own: int) -> Plan:
            if live.match.status == "running" and live.match.seats[own].status != "active":
                return Plan((), seats=(own,))
            if live.match.status != "running":
                msg = f"the match is {live.match.status}; only a running match can be resigned"
                raise MatchNotRunning(msg)
            drafts, state = play.resigned(live.game, live.match, live.state, own)
            times = live.match.times
            # Whoever resigned in time did so before the time of another was over, which may be settled after that.
            at_ms = None if times is None or times.seat == own else times.deadline_ms
            return Plan(drafts, state, seats=(own,), at_ms=at_ms)

        return self._as_it_was(self._live.change(match_id, once, rights, plan, began_s=began_s))

    def _as_it_was(self, done: Done) -> Answer:
        live = done.live if done.row is None else self._live.past(done.live, done.row.last)
        return Answer(live.match.to_wire(), replayed=done.row is not None)


def require_nonce(nonce: str | None, pointer: str) -> None:
    """Raises InvalidBody unless `nonce` is None or well-formed."""
    if nonce is not None and not NONCE.fullmatch(nonce):
        detail = "a nonce is 1 to 64 of A-Z a-z 0-9 _ -"
        raise InvalidBody(detail, errors=[FieldError("bad_format", detail, pointer=pointer)])


def _person(caller: Caller, name: str | None, invited: Invitation | None) -> Person:
    counted = None if invited is None or invited.uses is None else invited.id
    if caller.account is not None:
        return Person("account", caller.account.id, caller.account.name, counted)
    return Person("guest", None, name, counted)


def _opens(match: Match, invited: Invitation, seat: int) -> bool:
    """Whether the invitation is for that seat."""
    return match.first_seats[seat].by_invitation if invited.seat is None else invited.seat == seat


def _free_seat(match: Match, seat: int | None, invited: Invitation | None) -> int:
    """The seat to take: the named one, the invitation's, or the lowest free one of its kind."""
    _require_open(match)
    wanted = seat if seat is not None or invited is None else invited.seat
    if wanted is None:
        kind = "open" if invited is None else "invite"
        free = [i for i, each in enumerate(match.seats) if each.kind == kind]
        if not free:
            msg = "no open seat is free" if invited is None else "no seat for an invitation is free"
            raise SeatTaken(msg)
        return free[0]
    if match.seats[wanted].taken:
        msg = f"seat {wanted} is taken"
        raise SeatTaken(msg)
    return wanted


def _require_open(match: Match) -> None:
    if match.status != "open":
        msg = f"the match is {match.status}; seats can only change while it is open"
        raise MatchNotOpen(msg)


def _require_seat(match: Match, seat: int) -> None:
    if seat >= match.players:
        detail = f"the match has the seats 0 to {match.players - 1}"
        raise InvalidBody(detail, errors=[FieldError("out_of_range", detail, pointer="/seat")])
