"""Play: what the caller may see, what the caller may do, doing it, and the match as a file."""

from __future__ import annotations

from spieltisch_service.web.blueprints.matches import require_seat
from spieltisch_service.web.negotiation import none_match
from spieltisch_service.web.operation import JSON, Call, Link, Operation, Success, answered, carried_out, kept_private
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import answers, log
from spieltisch_service.web.schemas.requests import ActionsRequest, BoardQuery, SeatQuery, ViewQuery

BLUEPRINT = Blueprint("play", __name__, "Playing a match.")
TEXT = "text/plain"


@BLUEPRINT.operation(
    Operation(
        id="getView",
        method="GET",
        rule="/v1/matches/<match:match_id>/view",
        scope="play",
        bucket="reads",
        summary="See a match",
        description="All that the caller may know, and in the caller's turn the legal actions. `at` shows an earlier "
        "version; `after` with `wait` answers once there is something new. A player needs one request for all that "
        "happened meanwhile, and one to act.",
        success=(
            Success(200, "The view.", {JSON: answers.ViewShape()}, ("ETag",)),
            Success(304, "The caller has this view already.", {}, ("ETag",)),
        ),
        query=ViewQuery(),
        refusals=("not_found", "not_your_seat", "ahead_of_log"),
        takes=("If-None-Match",),
    )
)
def get_view(call: Call, match_id: str) -> Response:
    """Answer the caller's view."""
    query = call.query
    request = call.request
    view = call.service.play.view(
        call.caller,
        match_id,
        seat=query.get("seat"),
        at=query.get("at"),
        after=query.get("after"),
        wait_s=query["wait"],
        known_etag=None if "HTTP_IF_NONE_MATCH" not in request.environ else lambda etag: none_match(request, etag),
    )
    response = Response(status=304) if view.body is None else Response(view.body, mimetype=JSON)
    response.headers["ETag"] = view.etag
    return kept_private(response)


@BLUEPRINT.operation(
    Operation(
        id="getLegalActions",
        method="GET",
        rule="/v1/matches/<match:match_id>/legal-actions",
        scope="play",
        bucket="reads",
        summary="What may I do?",
        description="The legal actions in an order that depends on the state alone; null for everybody whose decision "
        "it is not.",
        success=(Success(200, "The legal actions.", {JSON: answers.LegalActionsShape()}),),
        query=SeatQuery(),
        refusals=("not_found", "not_your_seat"),
    )
)
def get_legal_actions(call: Call, match_id: str) -> Response:
    """Answer the caller's legal actions."""
    found = call.service.play.legal_actions(call.caller, match_id, seat=call.query.get("seat"))
    return kept_private(answered(found))


@BLUEPRINT.operation(
    Operation(
        id="act",
        method="POST",
        rule="/v1/matches/<match:match_id>/actions",
        scope="play",
        bucket="actions",
        summary="Act",
        description="Does the actions in order, all or nothing, for one seat and within its turn. The answer has the "
        "events that this caused and the seat's view after them. A list is judged by what the seat knew before it: a "
        "card that one of its actions draws can be played by the next request, not by the same one. A request that "
        "came in after the deadline of a decision is not for the next one, even without `version`: it is refused.",
        success=(Success(200, "What happened.", {JSON: log.ActedShape()}, ("Idempotency-Replayed",)),),
        auth="required",
        body=ActionsRequest(),
        refusals=(
            "not_found",
            "not_your_seat",
            "stale_version",
            "match_not_running",
            "not_your_turn",
            "illegal_action",
            "idempotency_key_reused",
        ),
        takes=("Idempotency-Key",),
        links={"view": Link("getView", {"match_id": "$request.path.match_id"})},
    )
)
def act(call: Call, match_id: str) -> Response:
    """Do actions."""
    wanted = call.body
    acting = (call.caller, match_id, wanted.actions, wanted.version, wanted.seat)
    return carried_out(call.service.play.act(*acting, call.once(), call.meter, call.request.began_s))


@BLUEPRINT.operation(
    Operation(
        id="getRecord",
        method="GET",
        rule="/v1/matches/<match:match_id>/record",
        scope="play",
        bucket="reads",
        summary="The match as a file",
        description="The whole log. Once the match has ended also deal, seed and result, so that anybody can verify "
        "chain, commitment, deal, legality, scores and result offline.",
        success=(Success(200, "The record.", {JSON: log.RecordShape()}),),
        query=SeatQuery(),
        refusals=("not_found", "not_your_seat"),
    )
)
def get_record(call: Call, match_id: str) -> Response:
    """Answer the record."""
    require_seat(call, match_id, call.query.get("seat"))
    return kept_private(answered(call.service.play.record(call.caller, match_id)))


@BLUEPRINT.operation(
    Operation(
        id="getBoardText",
        method="GET",
        rule="/v1/matches/<match:match_id>/board.txt",
        scope="play",
        bucket="reads",
        summary="The board as text",
        description="What the caller may see, drawn with characters.",
        success=(Success(200, "The board.", {TEXT: None}),),
        query=BoardQuery(),
        refusals=("not_found", "not_your_seat", "ahead_of_log"),
    )
)
def get_board_text(call: Call, match_id: str) -> Response:
    """Answer the board as text."""
    query = call.query
    board = call.service.play.board_text(call.caller, match_id, seat=query.get("seat"), at=query.get("at"))
    return kept_private(Response(board, mimetype=TEXT))
