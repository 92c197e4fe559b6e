"""Accounts: a name gets a key; who am I; what waits for me; forget my name."""

from __future__ import annotations

from spieltisch_service.web.limits import charge
from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered, carried_out, kept_private
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import answers
from spieltisch_service.web.schemas.requests import AccountRequest, DecisionsQuery

BLUEPRINT = Blueprint("accounts", __name__, "Names and API keys.")


@BLUEPRINT.operation(
    Operation(
        id="createAccount",
        method="POST",
        rule="/v1/accounts",
        scope=None,
        bucket="creates",
        summary="Get an API key for a name",
        description="The key is shown in this answer and cannot be recovered when lost. It has all scopes; it makes "
        "keys that may do less by `POST /v1/me/keys`. Names are not unique. With a token, the new account belongs to "
        "nobody else either: it just scopes the Idempotency-Key.",
        success=(
            Success(201, "The account.", {JSON: answers.NewAccountShape()}, ("Location", "Idempotency-Replayed")),
        ),
        body=AccountRequest(),
        refusals=("idempotency_key_reused",),
        takes=("Idempotency-Key",),
        counts_in=("accounts",),
    )
)
def create_account(call: Call) -> Response:
    """Create an account."""
    charge(call.request, "accounts")
    wanted = call.body
    return carried_out(call.service.accounts.create(wanted["name"], wanted["kind"], call.caller, call.once()))


@BLUEPRINT.operation(
    Operation(
        id="getMe",
        method="GET",
        rule="/v1/me",
        scope=None,
        bucket="reads",
        summary="Who am I?",
        description="The account and key, or the seat, behind the token, what it may do, until when, and the limits in "
        "force.",
        success=(Success(200, "Who the token stands for.", {JSON: answers.MeShape()}),),
        auth="required",
    )
)
def get_me(call: Call) -> Response:
    """Answer who the caller is."""
    limits = call.service.limits
    me = call.service.accounts.me(call.caller)
    return kept_private(answered(me | {"limits": [] if limits is None else limits.to_wire()}))


@BLUEPRINT.operation(
    Operation(
        id="eraseMe",
        method="DELETE",
        rule="/v1/me",
        scope="admin",
        bucket="creates",
        summary="Erase my name",
        description="The name leaves every match and all keys end. The matches stay, without the name. The account "
        "leaves its tournaments; of those that it organizes open ones are cancelled, paused ones and those with own "
        "pairings end with the matches that are played now, and the others go on by themselves.",
        success=(Success(200, "The account, without its name.", {JSON: answers.ErasedShape()}),),
        auth="required",
        refusals=("forbidden",),
    )
)
def erase_me(call: Call) -> Response:
    """Erase the caller's name."""
    return kept_private(answered(call.service.accounts.erase(call.caller)))


@BLUEPRINT.operation(
    Operation(
        id="listDecisions",
        method="GET",
        rule="/v1/me/decisions",
        scope="play",
        bucket="reads",
        summary="What waits for me?",
        description="The matches in which the caller must act. Without `cursor` at once; with the `cursor` of an "
        "earlier answer as soon as the list is another one, or when `wait` is over.",
        success=(Success(200, "The matches.", {JSON: answers.DecisionsShape()}),),
        auth="required",
        query=DecisionsQuery(),
    )
)
def list_decisions(call: Call) -> Response:
    """Answer the matches that wait for the caller."""
    found = call.service.decisions.waiting(call.caller, call.query["wait"], call.query.get("cursor"))
    return kept_private(answered(found))
