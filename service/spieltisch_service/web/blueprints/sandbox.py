"""The sandbox: what if, for bots in any language that have no rules of their own."""

from __future__ import annotations

from spieltisch_service.web.idempotency import key_of
from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered, kept_private
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas.sandbox import SandboxRequest, SandboxShape

BLUEPRINT = Blueprint("sandbox", __name__, "Thinking ahead.")


@BLUEPRINT.operation(
    Operation(
        id="imagine",
        method="POST",
        rule="/v1/sandbox",
        scope="play",
        bucket="sandbox",
        summary="What if?",
        description="Takes a view and draws whole games that it could be of: what the view does not show (the deck, in "
        "Wunderland the others' hands) is drawn from what is unseen, every arrangement as likely as any other. In each "
        "such world each branch is played from the view's position, and the answer shows what came of it, `worlds[i]."
        "branches[j]`.\n\n"
        "The answer depends on the body alone: no match is read or changed, and nothing is kept, so an Idempotency-Key "
        "is taken and not needed. What one view cannot know, the answer does not know either.\n\n"
        "Of the view, `game, seat, to_act, phase, scores` and `state` are read; the rest may be left out. The longest "
        "views have some 16,000 bytes, legal actions included, and a body has room for 65,536. A view that no position "
        "of the game has is refused, with a pointer to what is wrong with it; so are the views of an aborted match and "
        "of one that ended before its game because all others had left.",
        success=(Success(200, "What comes of it.", {JSON: SandboxShape()}),),
        auth="required",
        body=SandboxRequest(),
        takes=("Idempotency-Key",),
    )
)
def imagine(call: Call) -> Response:
    """Answer what comes of the branches."""
    key_of(call.request)
    return kept_private(answered(call.service.sandbox.imagine(call.caller, call.body)))
