"""What a tournament comes to: rounds, standings, statistics, reports, its log and the file of it, and ratings."""

from __future__ import annotations

from flask import Response

from spieltisch_service.app.errors import NotFound
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.blueprints.events import log_of
from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.schemas import tournaments as shapes
from spieltisch_service.web.schemas.requests import LogQuery
from spieltisch_service.web.schemas.tournament_requests import RatingsQuery
from spieltisch_service.web.sse import EVENT_STREAM, NDJSON

BLUEPRINT = Blueprint("results", __name__, "What tournaments come to, and ratings.")
HTML = "text/html"
#: The page has its styles in it and needs nothing else, least of all what a name could bring with it.
_STYLES_ALONE = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ONE = "/v1/tournaments/<tournament:tournament_id>"


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
        "A total order: where points are equal, `criteria` tells what decided.",
        Success(200, "The standings.", {JSON: shapes.StandingsShape()}),
    )
)
def get_standings(call: Call, tournament_id: str) -> Response:
    """Answer the standings."""
    return answered(call.service.tournaments.standings(tournament_id))


@BLUEPRINT.operation(
    _read(
        "getCrosstable",
        "crosstable",
        "Who did what against whom",
        "All against all.",
        Success(200, "The crosstable.", {JSON: shapes.CrosstableShape()}),
    )
)
def get_crosstable(call: Call, tournament_id: str) -> Response:
    """Answer the crosstable."""
    return answered(call.service.tournaments.crosstable(tournament_id))


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
    response = Response(call.service.tournaments.report(tournament_id), mimetype=HTML)
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
        "the best lower bound of the 95 % interval first.",
        success=(Success(200, "The leaderboard.", {JSON: shapes.LeaderboardShape()}),),
        query=RatingsQuery(),
        refusals=("not_found",),
    )
)
def get_ratings(call: Call, game: str) -> Response:
    """Answer the leaderboard."""
    if game not in GAMES:
        msg = f"there is no such game; the games are {', '.join(GAMES)}"
        raise NotFound(msg)
    return answered(call.service.tournaments.leaderboard(game, call.query["clock_class"], limit=call.query["limit"]))
