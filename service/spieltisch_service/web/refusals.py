"""What only HTTP can refuse, beside the refusals of `app.errors`; one class per code."""

from __future__ import annotations

from spieltisch_service.app.errors import Refusal


class MalformedJson(Refusal):
    """The body is not JSON, or JSON that parsers disagree about."""

    code = "malformed_json"


class BodyTooLarge(Refusal):
    """The body has more bytes than any request needs."""

    code = "body_too_large"


class UnsupportedMediaType(Refusal):
    """The body is not declared as plain `application/json`."""

    code = "unsupported_media_type"


class NotAcceptable(Refusal):
    """None of the representations is one that the caller accepts."""

    code = "not_acceptable"
