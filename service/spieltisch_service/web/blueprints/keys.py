"""The API keys of an account: list, make, read, revoke, rotate."""

from __future__ import annotations

from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered, carried_out, kept_private
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import answers
from spieltisch_service.web.schemas.tokens import KeyRequest, RotationRequest

BLUEPRINT = Blueprint("keys", __name__, "API keys of an account, each with scopes and an end of its own.")
_CREATED = ("Location", "Idempotency-Replayed")


@BLUEPRINT.operation(
    Operation(
        id="listKeys",
        method="GET",
        rule="/v1/me/keys",
        scope="admin",
        bucket="reads",
        summary="List my API keys",
        description="The keys of the caller's account that have not ended; never the keys themselves.",
        success=(Success(200, "The keys.", {JSON: answers.KeysShape()}),),
        auth="required",
    )
)
def list_keys(call: Call) -> Response:
    """Answer the keys."""
    return kept_private(answered(call.service.keys.listed(call.caller)))


@BLUEPRINT.operation(
    Operation(
        id="createKey",
        method="POST",
        rule="/v1/me/keys",
        scope="admin",
        bucket="creates",
        summary="Make an API key",
        description="One more key of the caller's account, with the scope `play` alone unless others are asked for, "
        "and none that the caller's own key has not. The key is shown in this answer and cannot be recovered when "
        "lost. An account has at most 20.",
        success=(Success(201, "The key.", {JSON: answers.NewKeyShape()}, _CREATED),),
        auth="required",
        body=KeyRequest(),
        refusals=("limit_reached", "idempotency_key_reused"),
        takes=("Idempotency-Key",),
    )
)
def create_key(call: Call) -> Response:
    """Make a key."""
    return carried_out(call.service.keys.create(call.caller, call.body, call.once()))


@BLUEPRINT.operation(
    Operation(
        id="getKey",
        method="GET",
        rule="/v1/me/keys/<key:key_id>",
        scope="admin",
        bucket="reads",
        summary="Read an API key",
        description="What the list says of it. A key that has ended is to be read for another day.",
        success=(Success(200, "The key.", {JSON: answers.KeyShape()}),),
        auth="required",
        refusals=("not_found",),
    )
)
def get_key(call: Call, key_id: str) -> Response:
    """Answer one key."""
    return kept_private(answered(call.service.keys.get(call.caller, key_id)))


@BLUEPRINT.operation(
    Operation(
        id="revokeKey",
        method="DELETE",
        rule="/v1/me/keys/<key:key_id>",
        scope="admin",
        bucket="actions",
        summary="Revoke an API key",
        description="The key ends now, the caller's own too; within 5 seconds it opens nothing anywhere any more, and "
        "streams and waiting requests that it opened end. A repetition changes nothing.",
        success=(Success(200, "The key, as it now is.", {JSON: answers.KeyShape()}),),
        auth="required",
        refusals=("not_found",),
    )
)
def revoke_key(call: Call, key_id: str) -> Response:
    """End a key."""
    return kept_private(answered(call.service.keys.revoke(call.caller, key_id)))


@BLUEPRINT.operation(
    Operation(
        id="rotateKey",
        method="POST",
        rule="/v1/me/keys/<key:key_id>/rotation",
        scope="admin",
        bucket="creates",
        summary="Replace an API key",
        description="Makes a key of the same name, scopes and length of life, and lets the old one end after "
        "`overlap_s`: time to hand the new one out. The scopes must all be the caller's own.",
        success=(Success(201, "The new key.", {JSON: answers.NewKeyShape()}, _CREATED),),
        auth="required",
        body=RotationRequest(),
        body_required=False,
        refusals=("not_found", "limit_reached", "idempotency_key_reused"),
        takes=("Idempotency-Key",),
    )
)
def rotate_key(call: Call, key_id: str) -> Response:
    """Make a key in place of another one."""
    answer = call.service.keys.rotate(call.caller, key_id, call.body["overlap_s"], call.once())
    return carried_out(answer)
