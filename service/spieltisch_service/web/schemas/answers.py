"""What answers look like. These schemas document, and the tests validate answers against them; nothing is dumped."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.web.schemas.fields import (
    AnswerShape,
    Documented,
    Flag,
    Inner,
    OneOf,
    Pattern,
    Several,
    Text,
    Whole,
)
from spieltisch_service.web.schemas.games import DEALS, STATES, CellShape, listed, number, text
from spieltisch_service.web.schemas.requests import STATUSES, ActionSchema
from spieltisch_service.web.schemas.wire import schema_of

END_REASONS = ("completed", "last_seat")


def _id(prefix: str, description: str, **options: Any) -> Text:
    return text(description, validate=Pattern(f"^{prefix}_[A-Za-z0-9_-]+$", ""), **options)


def _instant(description: str, **options: Any) -> Text:
    form = Pattern(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", "")
    return Text(required=True, validate=form, metadata={"description": description, "format": "date-time"}, **options)


def _choice(description: str, choices: tuple[str, ...], **options: Any) -> Text:
    return text(description, validate=OneOf(choices), **options)


def _flag(description: str) -> Flag:
    return Flag(required=True, metadata={"description": description})


def _hash(description: str, **options: Any) -> Text:
    return text(description, validate=Pattern("^[0-9a-f]{64}$", ""), **options)


def _inner(schema: Schema, description: str, **options: Any) -> Inner:
    return Inner(schema, required=True, metadata={"description": description}, **options)


def _object(description: str, **options: Any) -> Documented:
    return Documented({"type": "object"}, required=True, metadata={"description": description}, **options)


def _any_of(schemas: Any, description: str, **options: Any) -> Documented:
    return Documented(any_of=tuple(schemas), required=True, metadata={"description": description}, **options)


_OPTIONS = tuple(
    schema_of(game.options_type, "".join(part.capitalize() for part in game.id.split("-")) + "Options")
    for game in GAMES.values()
)


# --- the service ------------------------------------------------------------------------------------------------


class IndexShape(AnswerShape):
    """`GET /v1`."""

    name = text("The service.")
    version = text("Its version.")
    docs = text("Documentation for people.")
    openapi = text("This description.")
    games = text("The catalogue.")


class LiveShape(AnswerShape):
    """`GET /livez`."""

    status = _choice("The process answers.", ("alive",))


class ReadyShape(AnswerShape):
    """`GET /readyz`."""

    status = _choice("The service can do its work.", ("ready",))
    durability = _choice(
        "`fsync`: an answered request is on the disk; `fast`: within a second.", ("fsync", "fast", "none")
    )
    store = text("The store's product and version.")


class ProblemPageShape(AnswerShape):
    """`GET /problems/{code}`."""

    type = text("As in the problem document.")
    code = text("The code.")
    status = number("The HTTP status.")
    title = text("The title.")
    meaning = text("What it means and what to do.")


# --- the catalogue ----------------------------------------------------------------------------------------------


class PlayersShape(AnswerShape):
    """How many can play."""

    min = number("At least.")
    max = number("At most.")


class GameShape(AnswerShape):
    """A game of the catalogue, in short."""

    id = text("The id, in URLs and records.")
    name = Documented(
        {"type": "object", "additionalProperties": {"type": "string"}},
        required=True,
        metadata={"description": "Its name by language."},
    )
    rules_version = text("Changes when the same deal and actions could give another game.")
    players = _inner(PlayersShape(), "How many play.")
    phases = listed(Text(), "Every phase of a match; the last is `over`.")
    options = _object("JSON Schema of the options.")


class GamesShape(AnswerShape):
    """`GET /v1/games`."""

    games = listed(Inner(GameShape()), "The catalogue.")


class FullGameShape(GameShape):
    """`GET /v1/games/{game}`."""

    actions = Documented(
        {"type": "object", "additionalProperties": {"type": "object"}},
        required=True,
        metadata={"description": "JSON Schema of each kind of action, by `type`."},
    )
    material = _object("What lies on the table: tiles, or map and cards.")
    rules = Documented(
        {"type": "object", "additionalProperties": {"type": "string"}},
        required=True,
        metadata={"description": "Where the rules are, by language."},
    )


# --- accounts ---------------------------------------------------------------------------------------------------


class AccountShape(AnswerShape):
    """An account as its owner sees it."""

    id = _id("ac", "The id.")
    name = text("The name; null once erased.", allow_none=True)
    kind = _choice("Who plays.", ("human", "bot"))
    created_at = _instant("When it was created.")


class NewAccountShape(AnswerShape):
    """`POST /v1/accounts`."""

    account = _inner(AccountShape(), "The account.")
    key = text("The API key. It is shown now and cannot be recovered.")
    notice = text("Says that a lost key cannot be recovered.")


class OwnSeatShape(AnswerShape):
    """What a seat token stands for."""

    match = _id("mt", "The match.")
    seat = number("The seat.")


class MeShape(AnswerShape):
    """`GET /v1/me`."""

    account = _inner(AccountShape(), "The account of an API key; null for a seat token.", allow_none=True)
    seat = _inner(OwnSeatShape(), "What a seat token stands for; null for an API key.", allow_none=True)
    scopes = listed(Text(), "What the token may do.")
    limits = Several(Documented({"type": "object"}), required=True, metadata={"description": "Limits in force."})
    key_expires_at = Text(allow_none=True, metadata={"description": "When the token ends; null: never."})


class ErasedShape(AnswerShape):
    """`DELETE /v1/me`."""

    account = _inner(AccountShape(), "The account, without its name.")


class DecisionShape(AnswerShape):
    """A match that waits for the caller."""

    match = _id("mt", "The match.")
    game = text("Its game.")
    seat = number("The seat that must act.")
    version = number("The match's version.")
    since_at = _instant("Since when it waits.")
    deadline_at = _instant("Until when; null: there is no clock.", allow_none=True)


class DecisionsShape(AnswerShape):
    """`GET /v1/me/decisions`."""

    decisions = listed(Inner(DecisionShape()), "Matches that wait for the caller.")
    cursor = text("Stands for this list; with it, the next request waits for another one.")


# --- matches ----------------------------------------------------------------------------------------------------


class SeatShape(AnswerShape):
    """A seat of a match."""

    seat = number("Its number.")
    kind = _choice("Who sits there, or may.", ("account", "guest", "bot", "open", "invite"))
    taken = _flag("Whether somebody sits there.")
    account = text("The account, if one sits there.", allow_none=True)
    name = text("The name of whoever sits there.", allow_none=True)
    status = _choice("Whether it still plays.", ("active", "resigned", "forfeited"))


class ResultShape(AnswerShape):
    """How a match ended."""

    scores = listed(Whole(), "Points, by seat.")
    ranks = listed(Whole(), "Ranks by seat; ties share one (1, 1, 3).")
    end_reason = _choice("`last_seat`: all others had left.", END_REASONS)


class MatchShape(AnswerShape):
    """A match; the same for every reader."""

    id = _id("mt", "The id.")
    game = text("Its game.")
    rules_version = text("The rules that it is played by.")
    options = _any_of(_OPTIONS, "All options, the defaults too.")
    status = _choice("open → running → finished or aborted.", STATUSES)
    version = number("The number of its last event.")
    seats = listed(Inner(SeatShape()), "Seat 0 first.")
    start = _choice("How it starts.", ("auto", "manual"))
    visibility = _choice("Who may read it.", ("public", "unlisted", "private"))
    commitment = _hash("Commits to the deal's seed; null for an explicit deal.", allow_none=True)
    deal_source = _choice("Where the deal is from.", ("drawn", "explicit"))
    rated = _flag("Whether it could count for a rating.")
    metadata = Documented(
        {"type": "object", "additionalProperties": {"type": "string"}},
        required=True,
        metadata={"description": "The creator's notes."},
    )
    created_at = _instant("When it was created.")
    started_at = _instant("When it started.", allow_none=True)
    ended_at = _instant("When it ended.", allow_none=True)
    result = _inner(ResultShape(), "How it ended; null while it runs, and of an aborted match.", allow_none=True)
    rematch = _id("mt", "The match that follows this one.", allow_none=True)


class GrantShape(AnswerShape):
    """A token for one seat."""

    seat = number("The seat.")
    token = text("The token.")


class JoinedMatchShape(MatchShape):
    """A match with the tokens of the seats that the caller just took."""

    grants = listed(Inner(GrantShape()), "Seat tokens of the caller's new seats.")


class CreatedMatchShape(JoinedMatchShape):
    """`POST /v1/matches`."""

    invitations = listed(Inner(GrantShape()), "A token for each `invite` seat, to hand on.")


class MatchesShape(AnswerShape):
    """`GET /v1/matches`."""

    matches = listed(Inner(MatchShape()), "Newest first.")
    next_cursor = text("For the next page; null on the last.", allow_none=True)


# --- play -------------------------------------------------------------------------------------------------------


class ViewShape(AnswerShape):
    """What the caller may see of a match."""

    match = _id("mt", "The match.")
    game = text("Its game.")
    version = number("The number of its last event.")
    status = _choice("open → running → finished or aborted.", STATUSES)
    seat = number("Whose view it is; null: a spectator's.", allow_none=True)
    to_act = number("The seat that must act.", allow_none=True)
    phase = text("The phase, as the catalogue lists them; null before the start.", allow_none=True)
    scores = listed(Whole(), "Points so far, by seat; null before the start.", allow_none=True)
    state = _any_of(STATES.values(), "The game's part; null before the start.", allow_none=True)
    legal_actions = listed(
        Inner(ActionSchema()), "What the caller may do; null unless it is the caller's decision.", allow_none=True
    )
    result = _inner(ResultShape(), "How it ended.", allow_none=True)


class LegalActionsShape(AnswerShape):
    """`GET …/legal-actions`."""

    version = number("The match's version.")
    legal_actions = listed(
        Inner(ActionSchema()), "What the caller may do; null unless it is the caller's decision.", allow_none=True
    )


# --- events -----------------------------------------------------------------------------------------------------


class CreatedData(AnswerShape):
    """What `match_created` says."""

    match = _id("mt", "The match.")
    game = text("Its game.")
    options = _any_of(_OPTIONS, "All options.")
    rules_version = text("The rules that it is played by.")
    commitment = _hash("Commits to the deal's seed; null for an explicit deal.", allow_none=True)
    deal_source = _choice("Where the deal is from.", ("drawn", "explicit"))
    seats = listed(Text(), "The kind of each seat.")


class NoData(AnswerShape):
    """Nothing but that it happened."""


class DrawnShape(AnswerShape):
    """A tile drawn for all to see."""

    seat = number("Who drew it.")
    tile = text("Its kind.")


class StandingData(AnswerShape):
    """How the match stands after the event."""

    scores = listed(Whole(), "Points so far, by seat.")
    to_act = number("The seat that must act now; null: none.", allow_none=True)
    phase = text("The phase now.")
    drawn = Several(Inner(DrawnShape()), metadata={"description": "Neues Land: tiles drawn for all to see."})
    discarded = Several(Text(), metadata={"description": "Neues Land: tiles that fitted nowhere."})


class StartedData(StandingData):
    """What `match_started` says."""

    nonces = listed(Text(allow_none=True), "What each seat added to the shuffle.")


class ActionData(StandingData):
    """What `action` says."""

    action = _inner(ActionSchema(), "What was done.")
    cause = _choice("Who chose it; all but `player`: the service.", ("player", "resigned", "timeout"))
    points = number("Points gained by it.")
    cards_drawn = Whole(metadata={"description": "Wunderland: how many cards were drawn, unseen."})


class FinalShape(CellShape):
    """A follower scored at the end."""

    seat = number("Whose it is.")
    points = number("What it scored.")


class FinishedData(AnswerShape):
    """What `match_finished` says."""

    result = _inner(ResultShape(), "How it ended.")
    final = Several(Inner(FinalShape()), metadata={"description": "Neues Land: followers scored at the end (N41)."})


class AbortedData(AnswerShape):
    """What `match_aborted` says."""

    reason = _choice("Who or what ended it.", ("creator", "expired", "seat"))


_DATA: dict[str, Schema] = {
    "match_created": CreatedData(),
    "seat_taken": NoData(),
    "seat_left": NoData(),
    "seat_resigned": NoData(),
    "seat_forfeited": NoData(),
    "match_started": StartedData(),
    "action": ActionData(),
    "match_finished": FinishedData(),
    "match_aborted": AbortedData(),
}


def _event(name: str, data: Schema) -> Schema:
    shape: dict[str, Any] = {
        "seq": number("1, 2, 3, … without gaps; the match's `version` is the last."),
        "type": _choice("What happened.", (name,)),
        "at": _instant("When, by the store's clock; never decreasing, not chained."),
        "seat": number("Which seat it is about.", allow_none=True),
        "data": _inner(data, "What there is to say about it."),
        "hash": _hash("SHA-256 over the hash before it and the canonical JSON of `{data, seat, seq, type}`."),
    }
    title = "".join(part.capitalize() for part in name.split("_"))
    made: Schema = AnswerShape.from_dict(shape, name=f"{title}Event")()
    return made


class EventSchema(OneOfSchema):
    """One event of a match's log; the same for every reader."""

    type_field = "type"
    type_field_remove = False
    type_schemas = {name: _event(name, data) for name, data in _DATA.items()}  # noqa: RUF012


class EventsShape(AnswerShape):
    """`GET …/events` as JSON."""

    version = number("The match's version.")
    events = listed(Inner(EventSchema()), "The events asked for, as far as there are any.")


class ActedShape(AnswerShape):
    """`POST …/actions`."""

    version = number("The match's version now.")
    events = listed(Inner(EventSchema()), "What the request caused.")
    view = _inner(ViewShape(), "The acting seat's view after it.")


# --- the record -------------------------------------------------------------------------------------------------


class ProofShape(AnswerShape):
    """What proves the deal."""

    commitment = _hash("As in `match_created`.", allow_none=True)
    seed = _hash("The seed; null until it may be shown.", allow_none=True)
    nonces = listed(Text(allow_none=True), "What each seat added; null before the start.", allow_none=True)


class DoneShape(AnswerShape):
    """One action of the log."""

    seat = number("Who did it.")
    action = _inner(ActionSchema(), "What was done.")
    at = _instant("When.")


class RecordShape(AnswerShape):
    """`GET …/record`: the match as a file."""

    format = _choice("The format.", ("spieltisch-record/1",))
    match = _id("mt", "The match.")
    game = text("Its game.")
    rules_version = text("The rules that it is played by.")
    status = _choice("open → running → finished or aborted.", STATUSES)
    version = number("The number of the last event.")
    hash = _hash("That of the last event.")
    options = _any_of(_OPTIONS, "All options.")
    seats = listed(Inner(SeatShape()), "Seat 0 first.")
    deal = _any_of(DEALS.values(), "The deal; null until the match has ended.", allow_none=True)
    proof = _inner(ProofShape(), "What proves the deal; null for an explicit one.", allow_none=True)
    events = listed(Inner(EventSchema()), "The whole log.")
    actions = listed(Inner(DoneShape()), "Its actions.")
    result = _inner(ResultShape(), "How it ended; null while it runs.", allow_none=True)
