"""Clocks as requests and answers have them, from the kinds and bounds of the domain."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, ValidationError
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from spieltisch_service.domain.clock import KINDS, ON_TIMEOUT, Clock
from spieltisch_service.web.schemas import fields as strict
from spieltisch_service.web.schemas.fields import AnswerShape, OneOf, Range, RequestShape, Text, Whole

_MEANT = {
    "per_decision": "For each decision anew.",
    "fischer": "For all decisions of a seat together.",
    "correspondence": "For each decision anew, from an hour to four weeks.",
}
_TIMES = {
    "per_decision_ms": "How long a decision may take, in ms.",
    "initial_ms": "What each seat has at the start, in ms.",
    "increment_ms": "What a seat gets back after each of its actions, in ms.",
}


def _kinds(base: type[Schema], suffix: str) -> dict[str, Schema]:
    """A schema of each kind of clock."""
    kinds = {}
    for kind, times in KINDS.items():
        shape: dict[str, Any] = {
            "kind": Text(required=True, validate=OneOf((kind,)), metadata={"description": _MEANT[kind]}),
            **{
                name: Whole(required=True, validate=Range(*bounds), metadata={"description": _TIMES[name]})
                for name, bounds in times.items()
            },
            "on_timeout": Text(
                validate=OneOf(ON_TIMEOUT),
                load_default=ON_TIMEOUT[0],
                metadata={
                    "description": "When the time is over: `forfeit` the seat, which is then as if it had resigned; "
                    "`autoplay` the game's default action, and the seat stays.",
                    "default": ON_TIMEOUT[0],
                },
            ),
        }
        name = "".join(part.capitalize() for part in kind.split("_"))
        kinds[kind] = base.from_dict(shape, name=f"{name}Clock{suffix}")()
    return kinds


_REQUESTS = _kinds(RequestShape, "Request")


class ClockRequest(OneOfSchema):
    """How a new match is to be timed."""

    type_field = "kind"
    type_field_remove = False
    type_schemas = _REQUESTS

    def load(self, data: Any, **_: Any) -> Clock:
        """The clock. Raises ValidationError."""
        if type(data) is not dict:
            raise ValidationError({"_schema": [strict.NO_OBJECT]})
        kind = data.get("kind")
        if type(kind) is not str:
            raise ValidationError({"kind": [strict.NO_STRING if "kind" in data else strict.MISSING]})
        if kind not in _REQUESTS:
            raise ValidationError({"kind": [strict.not_one_of(tuple(_REQUESTS))]})
        return Clock.from_wire(_REQUESTS[kind].load(data))


class ClockSchema(OneOfSchema):
    """How a match is timed. The clock of the seat that must act runs, by the time of the service alone."""

    type_field = "kind"
    type_field_remove = False
    type_schemas = _kinds(AnswerShape, "")
