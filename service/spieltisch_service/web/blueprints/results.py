"""What a tournament comes to: rounds, standings, statistics, reports, its log and the file of it, and ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from spieltisch_service.app.errors import NotFound
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.reports import page, text
from spieltisch_service.web.blueprints.events import log_of
from spieltisch_service.web.negotiation import preferred
from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import tournaments as shapes
from spieltisch_service.web.schemas.requests import LogQuery
from spieltisch_service.web.schemas.tournament_requests import RatingsQuery
from spieltisch_service.web.sse import EVENT_STREAM, NDJSON

BLUEPRINT = Blueprint("results", __name__, "What tournaments come to, and ratings.")
HTML, CSV, MARKDOWN = "text/html", "text/csv", "text/markdown"
_FORMS = "As JSON, or as `Accept` has it as CSV (`text/csv`) or as a table in Markdown (`text/markdown`)."
#: The page has its styles in it and needs nothing else, least of all what a name could bring with it.
_STYLES_ALONE = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ONE = "/v1/tournaments/<tournament:tournament_id>"


def _in_form(
    call: Call,
    as_json: Callable[[], Mapping[str, Any]],
    content: Callable[[], Mapping[str, Any]],
    as_csv: Callable[[Mapping[str, Any]], str],
    as_markdown: Callable[[Mapping[str, Any]], str],
) -> Response:
    """The answer as JSON, or what is made of `content` where the caller would rather have another form."""
    forms = {CSV: as_csv, MARKDOWN: as_markdown}
    media_type = preferred(call.request, (JSON, *forms))
    if media_type == JSON:
        response = answered(as_json())
    else:
        response = Response(forms[media_type](content()), mimetype=media_type)
    response.headers["Vary"] = "Accept"
    return response


def _read(name: str, path: str, summary: str, description: str, success: Success) -> Operation:
    return Operation(
        id=name,
        method="GET",
        rule=f"{_ONE}/{path}",
        scope=None,
        bucket="reads",
        summary=summary,
        description=description,
        success=(success,),
        refusals=("not_found",),
    )


@BLUEPRINT.operation(
    _read(
        "getRounds",
        "rounds",
        "Who met whom",
        "Every round with its tables, their matches and results.",
        Success(200, "The rounds.", {JSON: shapes.RoundsShape()}),
    )
)
def get_rounds(call: Call, tournament_id: str) -> Response:
    """Answer the rounds."""
    return answered(call.service.tournaments.rounds(tournament_id))


@BLUEPRINT.operation(
    _read(
        "getStandings",
        "standings",
        "Who is ahead",
        f"A total order: where points are equal, `criteria` tells what decided. {_FORMS}",
        Success(200, "The standings.", {JSON: shapes.StandingsShape(), CSV: None, MARKDOWN: None}),
    )
)
def get_standings(call: Call, tournament_id: str) -> Response:
    """Answer the standings."""
    service = call.service.tournaments
    found, content = partial(service.standings, tournament_id), partial(service.report, tournament_id)
    return _in_form(call, found, content, text.standings_csv, text.standings_markdown)


@BLUEPRINT.operation(
    _read(
        "getCrosstable",
        "crosstable",
        "Who did what against whom",
        f"All against all. {_FORMS}",
        Success(200, "The crosstable.", {JSON: shapes.CrosstableShape(), CSV: None, MARKDOWN: None}),
    )
)
def get_crosstable(call: Call, tournament_id: str) -> Response:
    """Answer the crosstable."""
    service = call.service.tournaments
    found, content = partial(service.crosstable, tournament_id), partial(service.report, tournament_id)
    return _in_form(call, found, content, text.crosstable_csv, text.crosstable_markdown)


@BLUEPRINT.operation(
    _read(
        "getStatistics",
        "statistics",
        "What the results say",
        "Means with their 95 % intervals by entrant and by seat, where matches of one deal count together, and how "
        "much that narrowed the intervals.",
        Success(200, "The statistics.", {JSON: shapes.StatisticsShape()}),
    )
)
def get_statistics(call: Call, tournament_id: str) -> Response:
    """Answer the statistics."""
    return answered(call.service.tournaments.statistics(tournament_id))


@BLUEPRINT.operation(
    _read(
        "getTournamentReport",
        "report.html",
        "The tournament as a page",
        "For people: standings, plots of ratings, scores, seats and times with their intervals, crosstable and faults, "
        "as one page of HTML without scripts that needs nothing beside it. At any time, with what there is so far; the "
        "seed is in it once the tournament has ended.",
        Success(200, "The page.", {HTML: None}),
    )
)
def get_tournament_report(call: Call, tournament_id: str) -> Response:
    """Answer the page."""
    response = Response(page.html(call.service.tournaments.report(tournament_id)), mimetype=HTML)
    response.headers["Content-Security-Policy"] = _STYLES_ALONE
    return response


@BLUEPRINT.operation(
    Operation(
        id="getTournamentEvents",
        method="GET",
        rule=f"{_ONE}/events",
        scope=None,
        bucket="reads",
        summary="What happened in a tournament",
        description="Its log, chained as that of a match, as a page that waits or as a stream; see `getEvents`.",
        success=(
            Success(200, "The events.", {JSON: shapes.TournamentEventsShape(), EVENT_STREAM: None, NDJSON: None}),
        ),
        query=LogQuery(),
        refusals=("not_found", "not_acceptable", "ahead_of_log", "too_many_streams"),
        takes=("Last-Event-ID",),
        counts_in=("streams",),
    )
)
def get_tournament_events(call: Call, tournament_id: str) -> Response:
    """Answer a page of events, or open a stream of them."""
    return log_of(call, tournament_id)


@BLUEPRINT.operation(
    Operation(
        id="exportTournament",
        method="GET",
        rule=f"{_ONE}/export",
        scope=None,
        bucket="reads",
        summary="The tournament as a file",
        description="Once it has ended: setup with its seed, and the whole log, a line of JSON each. `spieltisch "
        "recompute` makes the same standings, crosstable, statistics and ratings of it, to the last byte.",
        success=(Success(200, "The file.", {NDJSON: None}),),
        refusals=("not_found", "tournament_not_ended"),
    )
)
def export_tournament(call: Call, tournament_id: str) -> Response:
    """Answer the file."""
    return Response(call.service.tournaments.export(tournament_id), mimetype=NDJSON)


@BLUEPRINT.operation(
    Operation(
        id="getResults",
        method="GET",
        rule=f"{_ONE}/results",
        scope=None,
        bucket="reads",
        summary="All results in one",
        description="Once it has ended: standings, crosstable, ratings of this tournament alone and statistics as "
        "canonical JSON. `spieltisch recompute` makes the same bytes of the export.",
        success=(Success(200, "The results.", {JSON: shapes.ResultsShape()}),),
        refusals=("not_found", "tournament_not_ended"),
    )
)
def get_results(call: Call, tournament_id: str) -> Response:
    """Answer all results."""
    return Response(call.service.tournaments.results(tournament_id), mimetype=JSON)


@BLUEPRINT.operation(
    Operation(
        id="getRatings",
        method="GET",
        rule="/v1/ratings/<game>",
        scope=None,
        bucket="reads",
        summary="Who is strong",
        description="The leaderboard of a game and clock class, from rated matches of tournaments (Plackett-Luce), "
        f"the best lower bound of the 95 % interval first. {_FORMS}",
        success=(Success(200, "The leaderboard.", {JSON: shapes.LeaderboardShape(), CSV: None, MARKDOWN: None}),),
        query=RatingsQuery(),
        refusals=("not_found",),
    )
)
def get_ratings(call: Call, game: str) -> Response:
    """Answer the leaderboard."""
    if game not in GAMES:
        msg = f"there is no such game; the games are {', '.join(GAMES)}"
        raise NotFound(msg)
    found = call.service.tournaments.leaderboard(game, call.query["clock_class"], limit=call.query["limit"])
    return _in_form(call, lambda: found, lambda: found, text.leaderboard_csv, text.leaderboard_markdown)
