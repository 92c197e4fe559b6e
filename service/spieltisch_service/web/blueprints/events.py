"""The public log of a match: by pages that wait, or as a stream."""

from __future__ import annotations

from spieltisch_service.web.blueprints.matches import require_seat
from spieltisch_service.web.limits import charge, stream_holder
from spieltisch_service.web.negotiation import chosen
from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered, kept_private
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import log
from spieltisch_service.web.schemas.requests import EventsQuery
from spieltisch_service.web.sse import EVENT_STREAM, NDJSON, resumed_after, streamed

BLUEPRINT = Blueprint("events", __name__, "What happened in a match.")
_OFFERED = (JSON, EVENT_STREAM, NDJSON)


@BLUEPRINT.operation(
    Operation(
        id="getEvents",
        method="GET",
        rule="/v1/matches/<match:match_id>/events",
        scope="play",
        bucket="reads",
        summary="What happened",
        description="All readers get the same events, numbers and hashes. As JSON: a page, at once or as soon as "
        "there is an event (`wait`). As `text/event-stream` or `application/x-ndjson`: a stream that goes on behind "
        "`Last-Event-ID` (which beats `after`), sends a heartbeat (`: hb`, or an empty line) every 10 s, and ends with "
        "a reason: `ended` (do not come back), `shutdown`, `rotate`, `slow` or `revoked`.",
        success=(Success(200, "The events.", {JSON: log.EventsShape(), EVENT_STREAM: None, NDJSON: None}),),
        query=EventsQuery(),
        refusals=("not_found", "not_your_seat", "not_acceptable", "ahead_of_log", "too_many_streams"),
        takes=("Last-Event-ID",),
        counts_in=("streams",),
    )
)
def get_events(call: Call, match_id: str) -> Response:
    """Answer a page of events, or open a stream of them."""
    chosen(call.request, _OFFERED, "The events")
    require_seat(call, match_id, call.query.get("seat"))
    return log_of(call, match_id)


def log_of(call: Call, id_: str) -> Response:
    """A page of the log of a match or tournament, or a stream of it, as the request wants it."""
    media_type = chosen(call.request, _OFFERED, "The events")
    query = call.query
    after = query["after"]
    if media_type == JSON or call.request.method == "HEAD":
        # A HEAD has no body to stream; the page tells whether the events could be read.
        wait_s = query["wait"] if call.request.method == "GET" else 0
        page = call.service.streams.page(call.caller, id_, after=after, limit=query["limit"], wait_s=wait_s)
        response = kept_private(answered(page))
        response.mimetype = media_type
        response.headers["Vary"] = "Accept, Authorization"
        return response
    after, named = resumed_after(call.request, after)
    charge(call.request, "streams")
    holder = stream_holder(call.request)
    items = call.service.streams.open(call.caller, id_, after=after, named=named, holder=holder)
    return streamed(items, media_type)
