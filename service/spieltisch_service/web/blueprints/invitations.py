"""The invitations of a match, and the tokens of its seats."""

from __future__ import annotations

from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered, carried_out, kept_private
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import answers
from spieltisch_service.web.schemas.requests import NothingRequest
from spieltisch_service.web.schemas.tokens import InvitationRequest

BLUEPRINT = Blueprint("invitations", __name__, "Who may take seats, and the tokens of those who have.")
_CREATED = ("Location", "Idempotency-Replayed")


@BLUEPRINT.operation(
    Operation(
        id="listInvitations",
        method="GET",
        rule="/v1/matches/<match:match_id>/invitations",
        scope="create",
        bucket="reads",
        summary="List the invitations of a match",
        description="For its creator: those that its seats began with, and those made since, without their tokens.",
        success=(Success(200, "The invitations.", {JSON: answers.InvitationsShape()}),),
        auth="required",
        refusals=("not_found",),
    )
)
def list_invitations(call: Call, match_id: str) -> Response:
    """Answer the invitations."""
    return kept_private(answered(call.service.invitations.listed(call.caller, match_id)))


@BLUEPRINT.operation(
    Operation(
        id="createInvitation",
        method="POST",
        rule="/v1/matches/<match:match_id>/invitations",
        scope="create",
        bucket="creates",
        summary="Invite to a match",
        description="One more invitation to an open match, by its creator: to one seat, or to any that is for "
        "invitations, for so many uses (1) and, if wanted, for a time only. Its token is shown in this answer alone.",
        success=(Success(201, "The invitation.", {JSON: answers.NewInvitationsShape()}, _CREATED),),
        auth="required",
        body=InvitationRequest(),
        body_required=False,
        refusals=("not_found", "match_not_open", "limit_reached", "idempotency_key_reused"),
        takes=("Idempotency-Key",),
    )
)
def create_invitation(call: Call, match_id: str) -> Response:
    """Make an invitation."""
    return carried_out(call.service.invitations.create(call.caller, match_id, call.body, call.once()))


@BLUEPRINT.operation(
    Operation(
        id="revokeInvitation",
        method="DELETE",
        rule="/v1/matches/<match:match_id>/invitations/<invitation:invitation_id>",
        scope="create",
        bucket="actions",
        summary="Revoke an invitation",
        description="Nobody takes a seat by it any more; who has taken one keeps it. A repetition changes nothing.",
        success=(Success(200, "The invitation, as it now is.", {JSON: answers.InvitationShape()}),),
        auth="required",
        refusals=("not_found",),
    )
)
def revoke_invitation(call: Call, match_id: str, invitation_id: str) -> Response:
    """End an invitation."""
    return kept_private(answered(call.service.invitations.revoke(call.caller, match_id, invitation_id)))


@BLUEPRINT.operation(
    Operation(
        id="replaceSeatToken",
        method="POST",
        rule="/v1/matches/<match:match_id>/seats/<seat:seat>/token",
        scope="play",
        bucket="actions",
        summary="Replace the token of a seat",
        description="A new token for a seat, by its holder (with the account's key or the token itself), or for a "
        "guest by the creator of the match, whose key then needs `create`, too. The old token ends within 5 seconds. "
        "Whoever has nothing but the old token loses the seat with the answer: then the creator replaces it again.",
        success=(Success(200, "The new token.", {JSON: answers.GrantShape()}, ("Idempotency-Replayed",)),),
        auth="required",
        body=NothingRequest(),
        body_required=False,
        refusals=("not_found", "not_your_seat", "limit_reached"),
        takes=("Idempotency-Key",),
    )
)
def replace_seat_token(call: Call, match_id: str, seat: int) -> Response:
    """Give a seat another token."""
    return carried_out(call.service.seats.replace_token(call.caller, match_id, seat, call.once()))
