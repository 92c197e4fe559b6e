"""Matches and their seats: create, list, read, join, leave, start, abort, resign, again."""

from __future__ import annotations

from spieltisch_service.app.access import reading_seat
from spieltisch_service.app.errors import FieldError, InvalidBody, InvalidParameter, NotFound
from spieltisch_service.web.operation import (
    JSON,
    Call,
    Link,
    Operation,
    Success,
    answered,
    carried_out,
    kept_private,
)
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import answers
from spieltisch_service.web.schemas.requests import (
    JoinRequest,
    MatchesQuery,
    MatchRequest,
    NothingRequest,
    SeatQuery,
    SeatRequest,
    StartRequest,
)

BLUEPRINT = Blueprint("matches", __name__, "Matches and their seats.")
_REPLAYED = ("Idempotency-Replayed",)
_CREATED = ("Location", "Idempotency-Replayed")
_FOLLOW = {
    "match": Link("getMatch", {"match_id": "$response.body#/id"}),
    "view": Link("getView", {"match_id": "$response.body#/id"}),
    "seats": Link("takeSeat", {"match_id": "$response.body#/id"}),
    "start": Link("startMatch", {"match_id": "$response.body#/id"}),
    "act": Link("act", {"match_id": "$response.body#/id"}),
    "events": Link("getEvents", {"match_id": "$response.body#/id"}),
    "record": Link("getRecord", {"match_id": "$response.body#/id"}),
    "resign": Link("resign", {"match_id": "$response.body#/id"}),
    "rematch": Link("rematch", {"match_id": "$response.body#/id"}),
}


def require_seat(call: Call, match_id: str, seat: int | None) -> None:
    """Check that the caller holds the seat to read as, where the answer is the same for every reader."""
    if seat is not None:
        reading_seat(call.service.live.current(match_id).match, call.caller, seat)


@BLUEPRINT.operation(
    Operation(
        id="createMatch",
        method="POST",
        rule="/v1/matches",
        scope="create",
        bucket="creates",
        metered=True,
        summary="Create a match",
        description="`seats` says who sits where: `me` (as often as wanted), `open`, `invite` or `bot:NAME`. With "
        "`start` `auto` it starts with the last seat. The answer has a token for each of the caller's seats and for "
        "each invitation. An explicit `deal` is unrated.",
        success=(Success(201, "The match.", {JSON: answers.CreatedMatchShape()}, _CREATED),),
        auth="required",
        body=MatchRequest(),
        refusals=("forbidden", "idempotency_key_reused"),
        takes=("Idempotency-Key",),
        links=_FOLLOW,
    )
)
def create_match(call: Call) -> Response:
    """Create a match."""
    return carried_out(call.service.matches.create(call.caller, call.body, call.once(), call.meter))


@BLUEPRINT.operation(
    Operation(
        id="listMatches",
        method="GET",
        rule="/v1/matches",
        scope=None,
        bucket="reads",
        summary="List matches",
        description="The public matches, newest first; with `mine` those in which the caller sits or which the caller "
        "created, whatever their visibility.",
        success=(Success(200, "A page of matches.", {JSON: answers.MatchesShape()}),),
        query=MatchesQuery(),
        refusals=("forbidden",),
    )
)
def list_matches(call: Call) -> Response:
    """Answer one page of matches."""
    query = call.query
    found = call.service.matches.listed(
        call.caller,
        game=query.get("game"),
        status=query.get("status"),
        open_seats=query.get("open_seats"),
        mine=query["mine"],
        cursor=query.get("cursor"),
        limit=query["limit"],
    )
    return kept_private(answered(found))


@BLUEPRINT.operation(
    Operation(
        id="getMatch",
        method="GET",
        rule="/v1/matches/<match:match_id>",
        scope=None,
        bucket="reads",
        summary="Read a match",
        description="Who sits where, how it was set up, how it stands. The same for every reader.",
        success=(Success(200, "The match.", {JSON: answers.MatchShape()}),),
        query=SeatQuery(),
        refusals=("not_found", "not_your_seat"),
    )
)
def get_match(call: Call, match_id: str) -> Response:
    """Answer one match."""
    require_seat(call, match_id, call.query.get("seat"))
    return kept_private(answered(call.service.matches.get(call.caller, match_id)))


@BLUEPRINT.operation(
    Operation(
        id="takeSeat",
        method="POST",
        rule="/v1/matches/<match:match_id>/seats",
        scope="play",
        bucket="creates",
        metered=True,
        summary="Join a match",
        description="Takes the lowest free open seat, the named one, or the invitation's. With an invitation no API "
        "key is needed: the seat is a guest's. The answer has the seat's token.",
        success=(Success(201, "The match, with the seat taken.", {JSON: answers.JoinedMatchShape()}, _CREATED),),
        body=JoinRequest(),
        body_required=False,
        refusals=(
            "not_found",
            "forbidden",
            "invitation_invalid",
            "match_not_open",
            "seat_taken",
            "idempotency_key_reused",
        ),
        takes=("Idempotency-Key",),
    )
)
def take_seat(call: Call, match_id: str) -> Response:
    """Take a seat."""
    wanted = call.body
    answer = call.service.seats.join(
        call.caller,
        match_id,
        seat=wanted.get("seat"),
        nonce=wanted.get("nonce"),
        invitation=wanted.get("invitation"),
        name=wanted.get("name"),
        once=call.once(),
        meter=call.meter,
    )
    return carried_out(answer)


@BLUEPRINT.operation(
    Operation(
        id="leaveSeat",
        method="DELETE",
        rule="/v1/matches/<match:match_id>/seats/<seat:seat>",
        scope="play",
        bucket="actions",
        summary="Leave a seat",
        description="Frees a seat of an open match: one's own, or as its creator any. A free seat stays free.",
        success=(Success(200, "The match as it is now.", {JSON: answers.MatchShape()}),),
        auth="required",
        refusals=("not_found", "not_your_seat", "match_not_open"),
    )
)
def leave_seat(call: Call, match_id: str, seat: int) -> Response:
    """Free a seat."""
    try:
        return kept_private(answered(call.service.seats.leave(call.caller, match_id, seat)))
    except InvalidBody as error:
        # The seat is part of the path here, and a path that leads nowhere is not found.
        raise NotFound(error.detail) from None


@BLUEPRINT.operation(
    Operation(
        id="startMatch",
        method="POST",
        rule="/v1/matches/<match:match_id>/start",
        scope="play",
        bucket="actions",
        summary="Start a match",
        description="By the creator, once every seat is taken. `nonces` are what the creator's own seats add to the "
        "shuffle: given now, after the commitment, they prove that nobody knew the deal before.",
        success=(Success(200, "The match, running.", {JSON: answers.MatchShape()}, _REPLAYED),),
        auth="required",
        body=StartRequest(),
        body_required=False,
        refusals=(
            "not_found",
            "forbidden",
            "not_your_seat",
            "match_not_open",
            "seats_missing",
            "idempotency_key_reused",
        ),
        takes=("Idempotency-Key",),
    )
)
def start_match(call: Call, match_id: str) -> Response:
    """Start a match."""
    return carried_out(call.service.seats.start(call.caller, match_id, call.body.get("nonces"), call.once()))


@BLUEPRINT.operation(
    Operation(
        id="abortMatch",
        method="DELETE",
        rule="/v1/matches/<match:match_id>",
        scope="play",
        bucket="actions",
        summary="Abort a match",
        description="An open one by its creator; a running one by any seat, when nothing has happened for 7 days; "
        "one of a tournament by nobody, for its clock ends it.",
        success=(Success(200, "The match, aborted.", {JSON: answers.MatchShape()}),),
        auth="required",
        refusals=("not_found", "forbidden", "match_not_open"),
    )
)
def abort_match(call: Call, match_id: str) -> Response:
    """Abort a match."""
    return kept_private(answered(call.service.matches.abort(call.caller, match_id)))


@BLUEPRINT.operation(
    Operation(
        id="resign",
        method="POST",
        rule="/v1/matches/<match:match_id>/resignation",
        scope="play",
        bucket="actions",
        summary="Resign",
        description="The game's default action is played for the seat whenever it must act. With one active seat "
        "left, the match ends as it stands and that seat ranks first. A caller of several seats names one, in the "
        "body or as `?seat=`.",
        success=(Success(200, "The match after it.", {JSON: answers.MatchShape()}, _REPLAYED),),
        auth="required",
        query=SeatQuery(),
        body=SeatRequest(),
        body_required=False,
        refusals=("not_found", "not_your_seat", "seat_required", "match_not_running", "idempotency_key_reused"),
        takes=("Idempotency-Key",),
    )
)
def resign(call: Call, match_id: str) -> Response:
    """Resign a seat."""
    seat = call.body.get("seat")
    if seat is None:
        seat = call.query.get("seat")
    elif call.query.get("seat", seat) != seat:
        detail = "The body and ?seat= name different seats."
        raise InvalidParameter(detail, errors=[FieldError("not_one_of", detail, parameter="seat")])
    return carried_out(call.service.seats.resign(call.caller, match_id, seat, call.once(), call.request.began_s))


@BLUEPRINT.operation(
    Operation(
        id="rematch",
        method="POST",
        rule="/v1/matches/<match:match_id>/rematch",
        scope="play",
        bucket="creates",
        summary="Play again",
        description="A new match with rotated seats: old seat s sits at (s + 1) mod n, everybody at once. Whichever "
        "seat asks, and however often, it is the same match; the grants are those of the caller. One that follows a "
        "match of a tournament is not part of it.",
        success=(Success(201, "The new match.", {JSON: answers.JoinedMatchShape()}, _CREATED),),
        auth="required",
        body=NothingRequest(),
        body_required=False,
        refusals=("not_found", "forbidden", "match_not_open", "match_not_running"),
        takes=("Idempotency-Key",),
    )
)
def rematch(call: Call, match_id: str) -> Response:
    """Create the match that follows, or find it."""
    return carried_out(call.service.matches.rematch(call.caller, match_id, call.once()))
