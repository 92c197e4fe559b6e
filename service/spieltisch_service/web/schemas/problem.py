"""What a problem document looks like."""

from __future__ import annotations

from spieltisch_service.web.schemas.answers import ViewShape
from spieltisch_service.web.schemas.fields import AnswerShape, Inner, OneOf, Pattern, Text, Whole
from spieltisch_service.web.schemas.requests import ActionSchema
from spieltisch_service.web.schemas.shapes import listed, number, text

FIELD_CODES = ("missing", "unknown", "wrong_type", "out_of_range", "not_one_of", "bad_format", "duplicate")


class FieldProblemShape(AnswerShape):
    """One thing that is wrong."""

    pointer = Text(metadata={"description": "JSON pointer (RFC 6901) into the body."})
    parameter = Text(metadata={"description": "Name of the query parameter or header."})
    code = text("Which kind of wrong.", validate=OneOf(FIELD_CODES))
    detail = text("What would be right.")


class ProblemShape(AnswerShape):
    """A problem document (RFC 9457)."""

    type = text("`/problems/{code}`, which explains it.")
    title = text("The same for every problem of this code.")
    status = number("The HTTP status.")
    detail = text("What was wrong with this request.")
    code = text("Stable: programs decide by it.")
    request_id = text("Finds the request in the service's log.", validate=Pattern("^[0-9a-f]{32}$", ""))
    errors = listed(Inner(FieldProblemShape()), "What exactly was wrong, where that can be told.")
    version = Whole(metadata={"description": "`stale_version`, `illegal_action`, `ahead_of_log`: the match's version."})
    view = Inner(ViewShape(), metadata={"description": "`stale_version`: the current view."})
    rule = Text(metadata={"description": "`illegal_action`: the rule that forbids it."})
    suggestions = listed(Inner(ActionSchema()), "`illegal_action`: legal actions near it.")
    suggestions.required = False
