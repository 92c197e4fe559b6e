"""What a problem document looks like."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

from spieltisch_service.domain.errors import Reason
from spieltisch_service.web.schemas.fields import AnswerShape, Inner, OneOf, Pattern, Text
from spieltisch_service.web.schemas.shapes import listed, number, text

FIELD_CODES = ("missing", "unknown", "wrong_type", "out_of_range", "not_one_of", "bad_format", "duplicate")

_VERSION = {"type": "integer", "description": "The match's version."}
#: What comes with a code, beside the fields of every problem: JSON Schemas of the API description.
COMES_WITH: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ahead_of_log": {"version": _VERSION},
        "stale_version": {
            "version": _VERSION,
            "view": {"$ref": "#/components/schemas/View", "description": "The current view."},
        },
        "tournament_refuses": {
            "reason": {
                "type": "string",
                "description": f"Why, in a word for programs, so far: {', '.join(get_args(Reason))}.",
            }
        },
        "illegal_action": {
            "version": _VERSION,
            "rule": {"type": "string", "description": "The number of the rule that forbids it."},
            "suggestions": {
                "type": "array",
                "description": "Legal actions near it.",
                "items": {"$ref": "#/components/schemas/Action"},
                "minItems": 1,
                "maxItems": 3,
            },
        },
    }
)


class FieldProblemShape(AnswerShape):
    """One thing that is wrong."""

    pointer = Text(metadata={"description": "JSON pointer (RFC 6901) into the body."})
    parameter = Text(metadata={"description": "Name of the query parameter or header."})
    code = text("Which kind of wrong.", validate=OneOf(FIELD_CODES))
    detail = text("What would be right.")


class ProblemShape(AnswerShape):
    """A problem document (RFC 9457), without what comes with a few codes (`COMES_WITH`)."""

    type = text("`/problems/{code}`, which explains it.")
    title = text("The same for every problem of this code.")
    status = number("The HTTP status.")
    detail = text("What was wrong with this request.")
    code = text("Stable: programs decide by it.")
    request_id = text("Finds the request in the service's log.", validate=Pattern("^[0-9a-f]{32}$", ""))
    errors = listed(Inner(FieldProblemShape()), "What exactly was wrong, where that can be told.")
