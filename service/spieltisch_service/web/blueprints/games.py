"""The catalogue: which games there are, what they are made of, and their rules."""

from __future__ import annotations

from functools import cache
from typing import Any

from spieltisch_service.app.errors import NotFound
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from spieltisch_service.web.operation import JSON, Call, Link, Operation, Success, as_json
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import answers
from spieltisch_service.web.schemas.requests import RulesQuery
from spieltisch_service.web.schemas.wire import json_schema, slots_of

BLUEPRINT = Blueprint("games", __name__, "The catalogue of games.")
MARKDOWN = "text/markdown"


@BLUEPRINT.operation(
    Operation(
        id="listGames",
        method="GET",
        rule="/v1/games",
        scope=None,
        bucket="reads",
        summary="Which games there are",
        description="The catalogue in short: players, options as JSON Schema, phases, version of the rules.",
        success=(Success(200, "The games.", {JSON: answers.GamesShape()}),),
        links={"game": Link("getGame", {"game": "$response.body#/games/0/id"})},
    )
)
def list_games(_: Call) -> Response:
    """Answer the catalogue."""
    return Response(_catalogue(), mimetype=JSON)


@BLUEPRINT.operation(
    Operation(
        id="getGame",
        method="GET",
        rule="/v1/games/<game>",
        scope=None,
        bucket="reads",
        summary="What a game is made of",
        description="All that a client needs to draw the game and to name its actions: what lies on the table (tiles, "
        "or map and cards), the JSON Schema of each kind of action, options, phases.",
        success=(Success(200, "The game.", {JSON: answers.FullGameShape()}),),
        refusals=("not_found",),
    )
)
def get_game(_: Call, game: str) -> Response:
    """Answer one game in full."""
    _known(game)
    return Response(_full(game), mimetype=JSON)


@BLUEPRINT.operation(
    Operation(
        id="getRules",
        method="GET",
        rule="/v1/games/<game>/rules",
        scope=None,
        bucket="reads",
        summary="The rules of a game",
        description="Markdown, numbered: the `rule` of an `illegal_action` is one of these numbers.",
        success=(Success(200, "The rules.", {MARKDOWN: None}),),
        query=RulesQuery(),
        refusals=("not_found",),
    )
)
def get_rules(call: Call, game: str) -> Response:
    """Answer the rules in one language."""
    rules = _known(game).rules(call.query["lang"])
    response = Response(rules, mimetype=MARKDOWN)
    response.headers["Content-Language"] = call.query["lang"]
    return response


def _known(name: str) -> Game[Any]:
    game = GAMES.get(name)
    if game is None:
        msg = "there is no such game"
        raise NotFound(msg)
    return game


def _short(game: Game[Any]) -> dict[str, Any]:
    return {
        "id": game.id,
        "name": dict(game.name),
        "rules_version": game.rules_version,
        "players": {"min": game.min_players, "max": game.max_players},
        "phases": list(game.phases),
        "options": json_schema(game.options_type),
    }


@cache
def _catalogue() -> bytes:
    return as_json({"games": [_short(game) for game in GAMES.values()]})


@cache
def _full(name: str) -> bytes:
    game = GAMES[name]
    types = {kind: (slots_of(kind)[0].one_of or ("",))[0] for kind in game.actions}
    return as_json(
        _short(game)
        | {
            "actions": {types[kind]: json_schema(kind) for kind in game.actions},
            "material": game.material(),
            "rules": {language: f"/v1/games/{name}/rules?lang={language}" for language in game.name},
        }
    )
