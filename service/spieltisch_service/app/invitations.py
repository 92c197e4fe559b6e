"""Invitations: who may take the seats of a match that are for invitations, how often and until when.

Each such seat begins with one of its own, which opens it whenever it is free. The creator makes others, and revokes
any. They lie in the match's document, so that a seat is taken and a use counted in one commit.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Any

from spieltisch_service.app.access import is_creator, require_known, require_visible
from spieltisch_service.app.callers import Answer, Caller, Once
from spieltisch_service.app.errors import (
    FieldError,
    Forbidden,
    InvalidBody,
    InvitationInvalid,
    LimitReached,
    MatchNotOpen,
    NotFound,
)
from spieltisch_service.app.live import LiveMatches, Plan
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.domain.events import instant
from spieltisch_service.domain.match import Invitation, Match

#: Of one match, the revoked ones among them.
MOST_INVITATIONS = 100
MOST_USES = 1000
LONGEST_LIFE_S = 366 * 24 * 3600


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """What an invitation is made from: `seat` None is any seat for invitations, `expires_in_s` None never."""

    seat: int | None = None
    uses: int = 1
    expires_in_s: int | None = None


def first_invitations(match: Match, tokens: Tokens) -> list[Invitation]:
    """Those that the seats for invitations begin with."""
    return [
        Invitation(tokens.first_invitation_id(match.id, seat), seat, None)
        for seat, first in enumerate(match.first_seats)
        if first.by_invitation
    ]


def invitations_of(match: Match, tokens: Tokens) -> list[Invitation]:
    """All invitations of a match, the first ones first, the revoked ones too."""
    changed = {invitation.id: invitation for invitation in match.invitations}
    found = [changed.pop(first.id, first) for first in first_invitations(match, tokens)]
    return [*found, *changed.values()]


def invitation_of(match: Match, tokens: Tokens, token: str) -> Invitation | None:
    """The invitation to the match that a token is of, whether it is good or not (any more)."""
    wanted = tokens.invitation_of(token, match.id)
    if wanted is None:
        return None
    return next((each for each in invitations_of(match, tokens) if each.id == wanted), None)


def require_usable(match: Match, invitation: Invitation, now_ms: int) -> None:
    """Raises InvitationInvalid for one that was revoked, has expired by the store's time, or is used up."""
    if invitation.revoked:
        msg = "the invitation was revoked"
    elif invitation.expires_at_ms is not None and now_ms >= invitation.expires_at_ms:
        msg = f"the invitation expired at {instant(invitation.expires_at_ms)}"
    elif invitation.uses is not None and match.used(invitation.id) >= invitation.uses:
        msg = f"the invitation is used up: it was for {invitation.uses}"
    else:
        return
    raise InvitationInvalid(msg)


class Invitations:
    """List, make and revoke the invitations of a match, as its creator."""

    def __init__(self, live: LiveMatches, tokens: Tokens) -> None:
        self._live = live
        self._tokens = tokens

    def listed(self, caller: Caller, match_id: str) -> dict[str, Any]:
        """Those that were not revoked, without their tokens. Raises NotFound, Forbidden."""
        match = self._live.certain(match_id).match
        _require_creator(match, caller)
        found = [each for each in invitations_of(match, self._tokens) if not each.revoked]
        return {"invitations": [_to_wire(match, each) for each in found]}

    def create(self, caller: Caller, match_id: str, wanted: NewInvitation, once: Once | None) -> Answer:
        """One more invitation, its token in this answer alone; 201."""
        require_known(caller)
        drawn = f"iv_{secrets.token_hex(16)}"
        new_id = drawn if once is None else self._tokens.invitation_id(match_id, once.key)

        def rights(live: LiveMatch) -> None:
            _require_creator(live.match, caller)
            _require_seat_for_invitations(live.match, wanted.seat)

        def plan(live: LiveMatch, _: None) -> Plan:
            match = live.match
            if match.status != "open":
                msg = f"the match is {match.status}; seats can only be taken while it is open"
                raise MatchNotOpen(msg)
            if len(match.invitations) >= MOST_INVITATIONS:
                msg = f"a match has at most {MOST_INVITATIONS} invitations, revoked ones among them"
                raise LimitReached(msg)
            expires_at_ms = None if wanted.expires_in_s is None else live.now_ms + 1000 * wanted.expires_in_s
            made = Invitation(new_id, wanted.seat, wanted.uses, expires_at_ms)
            return Plan((), match=replace(match, invitations=(*match.invitations, made)))

        done = self._live.change(match_id, once, rights, plan, status=201, fresh=True)
        made = next(each for each in done.live.match.invitations if each.id == new_id)
        shown = _to_wire(done.live.match, replace(made, revoked=False)) | {
            "used": 0,
            "token": self._tokens.invitation(match_id, new_id),
        }
        where = f"/v1/matches/{match_id}/invitations"
        return Answer({"invitations": [shown]}, 201, where, replayed=done.row is not None)

    def revoke(self, caller: Caller, match_id: str, invitation_id: str) -> dict[str, Any]:
        """End an invitation, as it then is. Who took a seat by it keeps that. Doing it again changes nothing."""
        require_known(caller)

        def rights(live: LiveMatch) -> Invitation:
            _require_creator(live.match, caller)
            for invitation in invitations_of(live.match, self._tokens):
                if invitation.id == invitation_id:
                    return invitation
            msg = "the match has no such invitation"
            raise NotFound(msg)

        def plan(live: LiveMatch, invitation: Invitation) -> Plan:
            if invitation.revoked:
                return Plan(())
            kept = [each for each in live.match.invitations if each.id != invitation_id]
            kept.append(replace(invitation, revoked=True))
            return Plan((), match=replace(live.match, invitations=tuple(kept)))

        match = self._live.change(match_id, None, rights, plan, fresh=True).live.match
        return _to_wire(match, next(each for each in match.invitations if each.id == invitation_id))


def _require_creator(match: Match, caller: Caller) -> None:
    require_visible(match, caller)
    if not is_creator(match, caller):
        msg = "only the creator of a match invites to it"
        raise Forbidden(msg)


def _require_seat_for_invitations(match: Match, seat: int | None) -> None:
    """Raises InvalidBody where nobody could ever sit down by the invitation."""
    seats = [i for i, first in enumerate(match.first_seats) if first.by_invitation]
    if seat is None and seats:
        return
    if seat not in seats:
        named = "no seat" if not seats else f"the seats {', '.join(map(str, seats))}"
        detail = f"the match has {named} for invitations"
        raise InvalidBody(detail, errors=[FieldError("not_one_of", detail, pointer="/seat")])


def _to_wire(match: Match, invitation: Invitation) -> dict[str, Any]:
    expires_at_ms = invitation.expires_at_ms
    return {
        "id": invitation.id,
        "seat": invitation.seat,
        "uses": invitation.uses,
        "used": match.used(invitation.id),
        "expires_at": None if expires_at_ms is None else instant(expires_at_ms),
        "revoked": invitation.revoked,
    }
