"""What requests for keys and invitations may hold."""

from __future__ import annotations

from typing import Any

from spieltisch_service.app.callers import SCOPES
from spieltisch_service.app.invitations import LONGEST_LIFE_S as LONGEST_INVITATION_S
from spieltisch_service.app.invitations import MOST_USES, NewInvitation
from spieltisch_service.app.keys import DEFAULT_OVERLAP_S, DEFAULT_SCOPES, LONGEST_LIFE_S, LONGEST_OVERLAP_S, NewKey
from spieltisch_service.web.schemas.fields import Instant, Length, OneOf, Range, RequestShape, Several, Text, Whole
from spieltisch_service.web.schemas.requests import named, seat_of


class KeyRequest(RequestShape):
    """`POST /v1/me/keys`; its answer is `app.keys.NewKey`."""

    name = named("What you call the key.", required=True)
    scopes = Several(
        Text(validate=OneOf(tuple(SCOPES))),
        validate=Length(1, len(SCOPES)),
        load_default=DEFAULT_SCOPES,
        metadata={
            "description": "What it may do: nothing that your own key may not.",
            "default": list(DEFAULT_SCOPES),
            "uniqueItems": True,
        },
    )
    expires_in_s = Whole(
        validate=Range(1, LONGEST_LIFE_S),
        allow_none=True,
        metadata={"description": "It ends so many seconds after it was made. Without this and `expires_at` it lasts."},
    )
    expires_at = Instant(
        allow_none=True,
        metadata={"description": "It ends at this instant, by the service's clock. Not together with `expires_in_s`."},
    )

    def load(self, data: Any, **rest: Any) -> NewKey:
        """The checked body. Raises ValidationError."""
        loaded = super().load(data, **rest)
        return NewKey(loaded["name"], loaded["scopes"], loaded.get("expires_in_s"), loaded.get("expires_at"))


class RotationRequest(RequestShape):
    """`POST …/rotation`."""

    overlap_s = Whole(
        validate=Range(0, LONGEST_OVERLAP_S),
        load_default=DEFAULT_OVERLAP_S,
        metadata={"description": "How many seconds the old key goes on.", "default": DEFAULT_OVERLAP_S},
    )


class InvitationRequest(RequestShape):
    """`POST …/invitations`; its answer is `app.invitations.NewInvitation`."""

    seat = seat_of("The seat that it opens; without it, whichever of those for invitations is free.")
    uses = Whole(
        validate=Range(1, MOST_USES),
        load_default=1,
        metadata={"description": "How often a seat may be taken by it.", "default": 1},
    )
    expires_in_s = Whole(
        validate=Range(1, LONGEST_INVITATION_S),
        allow_none=True,
        metadata={"description": "It ends so many seconds after it was made. Without this it lasts."},
    )

    def load(self, data: Any, **rest: Any) -> NewInvitation:
        """The checked body. Raises ValidationError."""
        loaded = super().load(data, **rest)
        return NewInvitation(loaded.get("seat"), loaded["uses"], loaded.get("expires_in_s"))
