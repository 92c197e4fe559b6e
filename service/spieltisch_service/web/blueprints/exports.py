"""What is given away in bulk."""

from __future__ import annotations

from spieltisch_service.web.operation import Call, Operation, Success, as_json, kept_private
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas.exports import MatchExportQuery
from spieltisch_service.web.sse import NDJSON

BLUEPRINT = Blueprint("exports", __name__, "Finished matches in bulk.")


@BLUEPRINT.operation(
    Operation(
        id="exportMatches",
        method="GET",
        rule="/v1/exports/matches",
        scope=None,
        bucket="reads",
        summary="Finished matches in bulk",
        description="The records of finished public matches, newest first, a line of JSON each: what "
        '`GET /v1/matches/{match_id}/record` answers. The last line is `{"next_cursor": …}`, the `cursor` of the next '
        "page, or null at the end; an answer without it was cut. Matches whose deal others have still to play are left "
        "out, so a page may have fewer records than `limit`, and none, with more to come.",
        success=(Success(200, "The records, and where they go on.", {NDJSON: None}),),
        query=MatchExportQuery(),
    )
)
def export_matches(call: Call) -> Response:
    """Send the records as they are read."""
    query = call.query
    found = call.service.exports.matches(game=query.get("game"), cursor=query.get("cursor"), limit=query["limit"])
    response = Response((as_json(line) + b"\n" for line in found), mimetype=NDJSON)
    response.headers["X-Accel-Buffering"] = "no"
    return kept_private(response)
