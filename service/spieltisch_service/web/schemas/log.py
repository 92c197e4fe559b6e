"""What the log looks like: events, the answer to an action, which is made of them, and the record. These document."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from spieltisch_service.web.schemas.answers import ResultShape, SeatShape, ViewShape
from spieltisch_service.web.schemas.clocks import ClockSchema
from spieltisch_service.web.schemas.fields import AnswerShape, Documented, Inner, Several, Text, Whole
from spieltisch_service.web.schemas.games import DEALS, CellShape
from spieltisch_service.web.schemas.requests import STATUSES, ActionSchema
from spieltisch_service.web.schemas.shapes import (
    OPTIONS,
    any_of,
    choice,
    digest,
    identity,
    inner,
    instant,
    listed,
    number,
    text,
)

# --- events -----------------------------------------------------------------------------------------------------


class CreatedData(AnswerShape):
    """What `match_created` says."""

    match = identity("mt", "The match.")
    game = text("Its game.")
    options = any_of(OPTIONS, "All options.")
    rules_version = text("The rules that it is played by.")
    commitment = digest("Commits to the deal's seed; null for an explicit deal.", allow_none=True)
    deal_source = choice("Where the deal is from.", ("drawn", "explicit"))
    seats = listed(Text(), "The kind of each seat.")
    clock = Documented(any_of=(ClockSchema(),), metadata={"description": "How it is timed, where it has a clock."})


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

    action = inner(ActionSchema(), "What was done.")
    cause = choice("Who chose it; all but `player`: the service.", ("player", "resigned", "timeout"))
    points = number("Points gained by it.")
    cards_drawn = Whole(metadata={"description": "Wunderland: how many cards were drawn, unseen."})
    late_ms = Whole(
        metadata={
            "description": "Where a lapse led to it: how long after it that was noticed; the next decision begins "
            "that much later than `at`."
        }
    )


class FinalShape(CellShape):
    """A follower scored at the end."""

    seat = number("Whose it is.")
    points = number("What it scored.")


class FinishedData(AnswerShape):
    """What `match_finished` says."""

    result = inner(ResultShape(), "How it ended.")
    final = Several(Inner(FinalShape()), metadata={"description": "Neues Land: followers scored at the end (N41)."})


class AbortedData(AnswerShape):
    """What `match_aborted` says."""

    reason = choice("Who or what ended it.", ("creator", "expired", "seat"))


class ExtendedData(AnswerShape):
    """What `clock_extended` says."""

    ms = number("By so much the running decision, and with it its deadline, moves.")
    reason = choice("`downtime`: the service was not there.", ("downtime",))


_DATA: dict[str, Schema] = {
    "match_created": CreatedData(),
    "seat_taken": NoData(),
    "seat_left": NoData(),
    "seat_resigned": NoData(),
    "seat_forfeited": NoData(),
    "match_started": StartedData(),
    "action": ActionData(),
    "clock_extended": ExtendedData(),
    "match_finished": FinishedData(),
    "match_aborted": AbortedData(),
}


def _event(name: str, data: Schema) -> Schema:
    shape: dict[str, Any] = {
        "seq": number("1, 2, 3, … without gaps; the match's `version` is the last."),
        "type": choice("What happened.", (name,)),
        "at": instant("When, by the store's clock; never decreasing, not chained."),
        "seat": number("Which seat it is about.", allow_none=True),
        "data": inner(data, "What there is to say about it."),
        "hash": digest("SHA-256 over the hash before it and the canonical JSON of `{data, seat, seq, type}`."),
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
    view = inner(ViewShape(), "The acting seat's view after it.")


# --- the record -------------------------------------------------------------------------------------------------


class ProofShape(AnswerShape):
    """What proves the deal."""

    commitment = digest("As in `match_created`.", allow_none=True)
    seed = digest("The seed; null until it may be shown.", allow_none=True)
    nonces = listed(Text(allow_none=True), "What each seat added; null before the start.", allow_none=True)


class DoneShape(AnswerShape):
    """One action of the log."""

    seat = number("Who did it.")
    action = inner(ActionSchema(), "What was done.")
    at = instant("When.")


class RecordShape(AnswerShape):
    """`GET …/record`: the match as a file."""

    format = choice("The format.", ("spieltisch-record/1",))
    match = identity("mt", "The match.")
    game = text("Its game.")
    rules_version = text("The rules that it is played by.")
    status = choice("open → running → finished or aborted.", STATUSES)
    version = number("The number of the last event.")
    hash = digest("That of the last event.")
    options = any_of(OPTIONS, "All options.")
    seats = listed(Inner(SeatShape()), "Seat 0 first.")
    deal = any_of(DEALS.values(), "The deal; null until the match has ended.", allow_none=True)
    proof = inner(ProofShape(), "What proves the deal; null for an explicit one.", allow_none=True)
    events = listed(Inner(EventSchema()), "The whole log.")
    actions = listed(Inner(DoneShape()), "Its actions.")
    result = inner(ResultShape(), "How it ended; null while it runs.", allow_none=True)
