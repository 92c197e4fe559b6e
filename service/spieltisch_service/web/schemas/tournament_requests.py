"""What requests about tournaments may hold."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema

from spieltisch_service.app.tournaments.reading import STATUSES
from spieltisch_service.domain.tournament import setup as setups
from spieltisch_service.domain.tournament.ratings import CLOCK_CLASSES
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from spieltisch_service.web.schemas.by_game import ByGame
from spieltisch_service.web.schemas.clocks import ClockRequest
from spieltisch_service.web.schemas.fields import (
    Flag,
    Inner,
    Length,
    OneOf,
    Pattern,
    QueryFlag,
    QueryWhole,
    Range,
    RequestShape,
    Several,
    Text,
    Whole,
)
from spieltisch_service.web.schemas.requests import OptionsField, named, paging_cursor

_ENTRANT = r"^(?:ac_[0-9a-f]{32}|bot:[a-z0-9-]{1,64})$"
_ENTRANT_FORM = "This must be an account (ac_…) or a house bot (bot:NAME)."


def _whole(description: str, least: int, most: int, default: int | None, **options: Any) -> Whole:
    metadata = {"description": description} | ({} if default is None else {"default": default})
    if default is not None:
        options["load_default"] = default
    return Whole(validate=Range(least, most), metadata=metadata, **options)


def _flag(description: str, default: bool) -> Flag:
    return Flag(load_default=default, metadata={"description": description, "default": default})


def _choice(description: str, choices: tuple[str, ...], default: str) -> Text:
    return Text(
        validate=OneOf(choices), load_default=default, metadata={"description": description, "default": default}
    )


def _entrant(description: str, **options: Any) -> Text:
    return Text(validate=Pattern(_ENTRANT, _ENTRANT_FORM), metadata={"description": description}, **options)


#: What every tournament may have, whatever its game.
_RULES: dict[str, Any] = {
    "deals": _whole("How many deals each table plays.", 1, 100, 1),
    "duplicate": _flag(
        "Each deal is played in all seat orders (2 and 3 seats), or in a Latin square of them (4 and 5); seed and "
        "deal of a match are shown once the last match of its deal has ended.",
        default=False,
    ),
    "rated": _flag("Its matches count for ratings.", default=True),
    "entrants_allowed": _choice("Who may enter.", setups.ENTRANTS_ALLOWED, "any"),
    "entrants_max": _whole("How many may enter.", 2, setups.MAX_ENTRANTS, 257),
    "invited": Several(
        _entrant("An account."),
        validate=Length(0, setups.MAX_ENTRANTS),
        load_default=list,
        metadata={"description": "Who may enter where only the invited may.", "default": []},
    ),
    "forbidden": Several(
        Several(_entrant("An entrant."), validate=Length(2, 2)),
        validate=Length(0, 1000),
        load_default=list,
        metadata={"description": "Pairs of entrants that never meet.", "default": []},
    ),
    "rematches": _choice("In a Swiss tournament of two seats.", setups.REMATCHES, "forbidden"),
    "own_pairings": _flag("The organizer pairs each round.", default=False),
    "no_show_limit": _whole(
        "An entrant that does not show up so many times in a row is removed.", 1, setups.MAX_NO_SHOWS, 2
    ),
    "champion": _entrant("Who meets the field in a gauntlet; null: whoever entered first.", allow_none=True),
}


def _new_tournament_schema(game: Game[Any]) -> Schema:
    """The body of `POST /v1/tournaments` for one game."""
    shape: dict[str, Any] = {
        "game": Text(required=True, validate=OneOf((game.id,)), metadata={"description": "The game's id."}),
        "name": named("What the tournament is called.", required=True),
        "format": Text(
            required=True,
            validate=OneOf(setups.FORMATS),
            metadata={
                "description": "`round_robin`: everybody meets everybody; `swiss`: equals meet, nobody twice; "
                "`single_elimination`, `double_elimination`: who loses (twice) is out; `arena`: whoever is free plays; "
                "`gauntlet`: one against the field."
            },
        ),
        "options": OptionsField(
            game, load_default=dict, metadata={"description": "Of the game; absent ones are the default."}
        ),
        "clock": Inner(
            ClockRequest(),
            required=True,
            metadata={"description": "How long decisions may take. Needed, so that nobody can hold up the others."},
        ),
        "seats": _whole("Seats of a match.", game.min_players, min(game.max_players, 5), game.min_players),
        "rounds": _whole(
            "How many rounds; null: as many as the format has. In an arena tables per entrant, in a gauntlet passes "
            "over the field.",
            1,
            setups.MAX_ROUNDS,
            None,
            allow_none=True,
        ),
        **_RULES,
    }
    name = "".join(part.capitalize() for part in game.id.split("-"))
    made: Schema = RequestShape.from_dict(shape, name=f"{name}TournamentRequest")()
    return made


class TournamentRequest(ByGame):
    """`POST /v1/tournaments`: the game decides about seats and options."""

    type_schemas = {game.id: _new_tournament_schema(game) for game in GAMES.values()}  # noqa: RUF012 (marshmallow's own)

    def load(self, data: Any, **_: Any) -> Any:
        """The checked body. Raises ValidationError."""
        loaded = dict(super().load(data))
        loaded["clock"] = loaded["clock"].to_wire()
        return loaded


class EntryRequest(RequestShape):
    """`POST …/entrants`."""

    bot = Text(
        validate=Pattern(r"^[a-z0-9-]{1,64}$", "This must be the name of a house bot, without `bot:`."),
        allow_none=True,
        metadata={"description": "The house bot that the organizer enters; without it the caller's account enters."},
    )


class EntrantInvitationRequest(RequestShape):
    """`POST …/invitations` of a tournament."""

    account = Text(
        required=True,
        validate=Pattern("^ac_[0-9a-f]{32}$", "This must be the id of an account (ac_…)."),
        metadata={"description": "The account that may enter."},
    )


class RoundRequest(RequestShape):
    """`POST …/rounds`."""

    tables = Several(
        Several(_entrant("An entrant."), validate=Length(2, 5)),
        validate=Length(1, setups.MAX_ENTRANTS),
        allow_none=True,
        metadata={"description": "The entrants of each table, in the order in which its first match seats them."},
    )


class DryRunQuery(RequestShape):
    """What can be tried."""

    dry_run = QueryFlag(
        load_default=False,
        metadata={"description": "Answer what would come of it, and change nothing.", "default": False},
    )


class TournamentsQuery(RequestShape):
    """`GET /v1/tournaments`."""

    game = Text(validate=OneOf(tuple(GAMES)), metadata={"description": "Tournaments of this game only."})
    status = Text(validate=OneOf(STATUSES), metadata={"description": "Tournaments of this status only."})
    mine = QueryFlag(
        load_default=False,
        metadata={"description": "Those that the caller organizes or has entered.", "default": False},
    )
    cursor = paging_cursor()
    limit = QueryWhole(
        validate=Range(1, 50), load_default=20, metadata={"description": "Tournaments a page.", "default": 20}
    )


class RatingsQuery(RequestShape):
    """`GET /v1/ratings/{game}`."""

    clock_class = Text(
        validate=OneOf(CLOCK_CLASSES),
        load_default="blitz",
        metadata={
            "description": "By the time for a decision: `bullet` below 3 s, `blitz` below 15 s, `rapid` below 1 h, "
            "`correspondence`, `none` without a clock. A Fischer clock is taken for 40 decisions.",
            "default": "blitz",
        },
    )
    limit = QueryWhole(
        validate=Range(1, 200), load_default=50, metadata={"description": "How many of the best.", "default": 50}
    )
