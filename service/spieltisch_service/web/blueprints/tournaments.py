"""Tournaments: organize, enter, follow, and what they come to."""

from __future__ import annotations

from spieltisch_service.web.operation import JSON, Call, Link, Operation, Success, answered, carried_out
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import tournament_requests as bodies
from spieltisch_service.web.schemas import tournaments as shapes
from spieltisch_service.web.schemas.requests import NothingRequest

BLUEPRINT = Blueprint("tournaments", __name__, "Tournaments of entrants who just play their matches.")
_CREATED = ("Location", "Idempotency-Replayed")
_REPLAYED = ("Idempotency-Replayed",)
_ONE = "/v1/tournaments/<tournament:tournament_id>"
_TOURNAMENT = {JSON: shapes.TournamentShape()}
_CHANGES = ("not_found", "forbidden", "tournament_refuses", "idempotency_key_reused")
_FOLLOW = {
    "tournament": Link("getTournament", {"tournament_id": "$response.body#/id"}),
    "enter": Link("enterTournament", {"tournament_id": "$response.body#/id"}),
    "start": Link("startTournament", {"tournament_id": "$response.body#/id"}),
    "standings": Link("getStandings", {"tournament_id": "$response.body#/id"}),
}


@BLUEPRINT.operation(
    Operation(
        id="createTournament",
        method="POST",
        rule="/v1/tournaments",
        scope="organize",
        bucket="creates",
        summary="Create a tournament",
        description="It is open for entrants until it is started; then it goes on by itself: rounds are paired, "
        "matches are made with the entrants seated, who find them under `/v1/me/decisions` and just play. `seed` and "
        "everything that follows from it are committed to now and shown at the end.",
        success=(
            Success(201, "The tournament.", _TOURNAMENT, _CREATED),
            Success(200, "What it would be (`dry_run`).", _TOURNAMENT),
        ),
        auth="required",
        query=bodies.DryRunQuery(),
        body=bodies.TournamentRequest(),
        refusals=("forbidden", "idempotency_key_reused"),
        takes=("Idempotency-Key",),
        links=_FOLLOW,
    )
)
def create_tournament(call: Call) -> Response:
    """Create a tournament."""
    return carried_out(
        call.service.organizing.create(call.caller, call.body, call.once(), dry_run=call.query["dry_run"])
    )


@BLUEPRINT.operation(
    Operation(
        id="listTournaments",
        method="GET",
        rule="/v1/tournaments",
        scope=None,
        bucket="reads",
        summary="List tournaments",
        description="Newest first; with `mine` those that the caller organizes or has entered.",
        success=(Success(200, "A page of tournaments.", {JSON: shapes.TournamentsShape()}),),
        query=bodies.TournamentsQuery(),
        refusals=("forbidden",),
    )
)
def list_tournaments(call: Call) -> Response:
    """Answer one page of tournaments."""
    query = call.query
    found = call.service.tournaments.listed(
        call.caller,
        game=query.get("game"),
        status=query.get("status"),
        mine=query["mine"],
        cursor=query.get("cursor"),
        limit=query["limit"],
    )
    return answered(found)


@BLUEPRINT.operation(
    Operation(
        id="getTournament",
        method="GET",
        rule=_ONE,
        scope=None,
        bucket="reads",
        summary="Read a tournament",
        description="How it is set up, who takes part, how far it is.",
        success=(Success(200, "The tournament.", _TOURNAMENT),),
        refusals=("not_found",),
    )
)
def get_tournament(call: Call, tournament_id: str) -> Response:
    """Answer one tournament."""
    return answered(call.service.tournaments.get(tournament_id))


@BLUEPRINT.operation(
    Operation(
        id="enterTournament",
        method="POST",
        rule=f"{_ONE}/entrants",
        scope="play",
        bucket="creates",
        summary="Enter a tournament",
        description="The caller's account takes part, or comes back after leaving. The organizer enters house bots by "
        "name (`bot`), who need no invitation.",
        success=(
            Success(201, "The tournament, with the entrant.", _TOURNAMENT, _REPLAYED),
            Success(200, "What it would be (`dry_run`).", _TOURNAMENT),
        ),
        auth="required",
        query=bodies.DryRunQuery(),
        body=bodies.EntryRequest(),
        body_required=False,
        refusals=_CHANGES,
        takes=("Idempotency-Key",),
    )
)
def enter_tournament(call: Call, tournament_id: str) -> Response:
    """Take part."""
    answer = call.service.organizing.enter(
        call.caller, tournament_id, call.once(), bot=call.body.get("bot"), dry_run=call.query["dry_run"]
    )
    return carried_out(answer)


@BLUEPRINT.operation(
    Operation(
        id="withdrawEntrant",
        method="DELETE",
        rule=f"{_ONE}/entrants/<entrant:entrant>",
        scope="play",
        bucket="actions",
        summary="Leave a tournament",
        description="By the entrant itself or the organizer. What it still has to play is forfeited; it is not paired "
        "any more. A repetition changes nothing.",
        success=(Success(200, "The tournament as it is now.", _TOURNAMENT),),
        auth="required",
        query=bodies.DryRunQuery(),
        refusals=("not_found", "forbidden", "tournament_refuses"),
    )
)
def withdraw_entrant(call: Call, tournament_id: str, entrant: str) -> Response:
    """Leave."""
    return carried_out(
        call.service.organizing.withdraw(call.caller, tournament_id, entrant, dry_run=call.query["dry_run"])
    )


@BLUEPRINT.operation(
    Operation(
        id="inviteEntrant",
        method="POST",
        rule=f"{_ONE}/invitations",
        scope="organize",
        bucket="creates",
        summary="Invite to a tournament",
        description="An account may enter where only the invited may.",
        success=(Success(200, "The tournament.", _TOURNAMENT, _REPLAYED),),
        auth="required",
        query=bodies.DryRunQuery(),
        body=bodies.EntrantInvitationRequest(),
        refusals=_CHANGES,
        takes=("Idempotency-Key",),
    )
)
def invite_entrant(call: Call, tournament_id: str) -> Response:
    """Invite an account."""
    answer = call.service.organizing.invite(
        call.caller, tournament_id, call.once(), account=call.body["account"], dry_run=call.query["dry_run"]
    )
    return carried_out(answer)


def _step(name: str, path: str, summary: str, description: str) -> Operation:
    return Operation(
        id=name,
        method="POST",
        rule=f"{_ONE}/{path}",
        scope="organize",
        bucket="actions",
        summary=summary,
        description=description,
        success=(Success(200, "The tournament as it is now.", _TOURNAMENT, _REPLAYED),),
        auth="required",
        query=bodies.DryRunQuery(),
        body=NothingRequest(),
        body_required=False,
        refusals=_CHANGES,
        takes=("Idempotency-Key",),
    )


@BLUEPRINT.operation(
    _step(
        "startTournament",
        "start",
        "Start a tournament",
        "By the organizer. Nobody enters any more (but where one may come late: Swiss, arena), and rounds are paired. "
        "Refused where fewer than two have entered, the champion has not, or nobody may meet.",
    )
)
def start_tournament(call: Call, tournament_id: str) -> Response:
    """Start."""
    return carried_out(
        call.service.organizing.start(call.caller, tournament_id, call.once(), dry_run=call.query["dry_run"])
    )


@BLUEPRINT.operation(
    _step(
        "pauseTournament",
        "pause",
        "Pause a tournament",
        "No round is paired until it goes on; what is played is played to its end.",
    )
)
def pause_tournament(call: Call, tournament_id: str) -> Response:
    """Pause."""
    return carried_out(
        call.service.organizing.pause(call.caller, tournament_id, call.once(), dry_run=call.query["dry_run"])
    )


@BLUEPRINT.operation(_step("resumeTournament", "resumption", "Let a tournament go on", "After a pause."))
def resume_tournament(call: Call, tournament_id: str) -> Response:
    """Go on."""
    return carried_out(
        call.service.organizing.resume(call.caller, tournament_id, call.once(), dry_run=call.query["dry_run"])
    )


@BLUEPRINT.operation(
    _step(
        "stopTournament",
        "stop",
        "Let a tournament end",
        "It ends with the matches that are played now, and has standings. An arena has no other end but its rounds.",
    )
)
def stop_tournament(call: Call, tournament_id: str) -> Response:
    """Stop."""
    return carried_out(
        call.service.organizing.stop(call.caller, tournament_id, call.once(), dry_run=call.query["dry_run"])
    )


@BLUEPRINT.operation(
    Operation(
        id="cancelTournament",
        method="DELETE",
        rule=_ONE,
        scope="organize",
        bucket="actions",
        summary="Cancel a tournament",
        description="It ends now, without a winner; matches that are played are aborted. A repetition changes nothing.",
        success=(Success(200, "The tournament, cancelled.", _TOURNAMENT),),
        auth="required",
        query=bodies.DryRunQuery(),
        refusals=("not_found", "forbidden", "tournament_refuses"),
    )
)
def cancel_tournament(call: Call, tournament_id: str) -> Response:
    """Cancel."""
    return carried_out(call.service.organizing.cancel(call.caller, tournament_id, dry_run=call.query["dry_run"]))


@BLUEPRINT.operation(
    Operation(
        id="pairRound",
        method="POST",
        rule=f"{_ONE}/rounds",
        scope="organize",
        bucket="actions",
        summary="Pair a round",
        description="The next round as the organizer wants it, where the tournament was created with `own_pairings`. "
        "With `dry_run` and no tables: the round that the format would pair next, also before the start, in a pause, "
        "and where the organizer pairs.",
        success=(
            Success(201, "The round.", {JSON: shapes.RoundShape()}, _REPLAYED),
            Success(200, "The round as it would be (`dry_run`).", {JSON: shapes.RoundShape()}),
        ),
        auth="required",
        query=bodies.DryRunQuery(),
        body=bodies.RoundRequest(),
        body_required=False,
        refusals=_CHANGES,
        takes=("Idempotency-Key",),
    )
)
def pair_round(call: Call, tournament_id: str) -> Response:
    """Pair a round."""
    answer = call.service.organizing.pair(
        call.caller,
        tournament_id,
        call.once(),
        tables=call.body.get("tables"),
        dry_run=call.query["dry_run"],
    )
    return carried_out(answer)
