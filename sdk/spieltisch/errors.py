"""Everything that this package raises on purpose.

    SpieltischError
    ├── InsecureUrl             a key would travel unencrypted
    ├── ServiceMissing          the service's package is not installed, and `local:` or bulk games need it
    ├── NoSeat, TurnPlayed      the program asked for what it cannot have
    ├── ConnectionFailed        the service could not be reached, or its answer was lost, for as long as was tried
    │   └── Timeout             … because it did not answer in time
    ├── UnexpectedAnswer        what answered is no Spieltisch service
    └── ApiError                the service refused; one class per code below
        └── Conflict            … because of what the match is at now (all codes of 409 and 412)

No message, attribute or cause of these holds a token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from spieltisch.models import View


class SpieltischError(Exception):
    """The root of everything that this package raises on purpose."""


class InsecureUrl(SpieltischError, ValueError):
    """The URL is plain http to another machine, where anybody on the way could read the key."""


class ServiceMissing(SpieltischError, ImportError):
    """The package `spieltisch-service` is not installed; what plays without a server needs it."""


class NoSeat(SpieltischError):
    """The client holds no seat of the match that it wants to play."""


class TurnPlayed(SpieltischError):
    """This turn was played already; the loop over `turns()` gives the next one."""


class ConnectionFailed(SpieltischError):
    """No answer came, however often it was tried. Whether the last request was carried out is not known."""

    def __init__(self, message: str, *, attempts: int = 1) -> None:
        super().__init__(message)
        self.attempts = attempts


class Timeout(ConnectionFailed):
    """The service was reached and did not answer in time."""


class UnexpectedAnswer(SpieltischError):
    """The answer is not one of a Spieltisch service."""


@dataclass(frozen=True)
class FieldError:
    """One thing that is wrong: where (JSON `pointer` into the body, or name of a `parameter`), which kind, what."""

    code: str
    detail: str
    pointer: str | None = None
    parameter: str | None = None


class ApiError(SpieltischError):
    """The service refused.

    status, code, title, detail, request_id: of the problem document; `code` is `http_502` and the like for an answer
    that has none. errors: which fields or parameters are wrong. problem: the whole document. retry_after_s: when to
    come back, where the service said so. attempts: how often the request was sent.
    """

    codes: ClassVar[dict[str, type[ApiError]]] = {}
    code: str = ""

    def __init_subclass__(cls, code: str | None = None) -> None:
        super().__init_subclass__()
        if code is not None:
            cls.code = code
            ApiError.codes[code] = cls

    def __init__(
        self, status: int, problem: Mapping[str, Any], *, retry_after_s: float | None = None, attempts: int = 1
    ) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code") or f"http_{status}")
        self.title = str(problem.get("title") or "")
        self.detail = str(problem.get("detail") or "")
        self.request_id: str | None = problem.get("request_id")
        self.errors = tuple(_field_errors(problem.get("errors")))
        self.retry_after_s = retry_after_s
        self.attempts = attempts
        said = self.detail or self.title or "no more is known"
        where = "".join(f"; {e.pointer or e.parameter}: {e.detail}" for e in self.errors if e.detail != self.detail)
        asked = f" (request {self.request_id})" if self.request_id else ""
        super().__init__(f"{status} {self.code}: {said}{where}{asked}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.status, self.problem), self.__dict__)

    @staticmethod
    def of(status: int, problem: Mapping[str, Any], **options: Any) -> ApiError:
        """The error of the class that belongs to the problem's code."""
        kind = ApiError.codes.get(str(problem.get("code")), ApiError)
        return kind(status, problem, **options)


def _field_errors(raw: Any) -> list[FieldError]:
    if not isinstance(raw, list):
        return []
    known = ("code", "detail", "pointer", "parameter")
    found = [{name: item.get(name) for name in known} for item in raw if isinstance(item, dict)]
    return [FieldError(str(f["code"]), str(f["detail"]), f["pointer"], f["parameter"]) for f in found]


class MalformedJson(ApiError, code="malformed_json"):
    """The body is not well-formed JSON."""


class InvalidBody(ApiError, code="invalid_body"):
    """The body is not what the operation takes; `errors` tells where."""


class InvalidParameter(ApiError, code="invalid_parameter"):
    """A query parameter or header is not what the operation takes."""


class SeatRequired(ApiError, code="seat_required"):
    """The client holds several seats of the match: name one with `seat`."""


class Unauthenticated(ApiError, code="unauthenticated"):
    """There is no key where one is needed, or it is not valid."""


class Forbidden(ApiError, code="forbidden"):
    """The client may not do this."""


class NotYourSeat(ApiError, code="not_your_seat"):
    """The client does not hold this seat."""


class InvitationInvalid(ApiError, code="invitation_invalid"):
    """The seat needs its invitation, and this is not it."""


class NotFound(ApiError, code="not_found"):
    """It does not exist, or the client may not see it."""


class MethodNotAllowed(ApiError, code="method_not_allowed"):
    """The path does not have this method."""


class NotAcceptable(ApiError, code="not_acceptable"):
    """None of the representations is accepted."""


class Conflict(ApiError):
    """The match is not at the point where this can be done."""


class NotYourTurn(Conflict, code="not_your_turn"):
    """Another seat must act, or an action of the list lies beyond the end of the turn."""


class MatchNotOpen(Conflict, code="match_not_open"):
    """The match has started or ended."""


class MatchNotRunning(Conflict, code="match_not_running"):
    """The match has not started yet, or has ended."""


class SeatTaken(Conflict, code="seat_taken"):
    """The seat, or every seat, is taken."""


class SeatsMissing(Conflict, code="seats_missing"):
    """The match cannot start before all seats are taken."""


class TournamentRefuses(Conflict, code="tournament_refuses"):
    """The tournament does not take this now."""

    @property
    def reason(self) -> str:
        """Why, in a word for programs: `wrong_status`, `full`, `already_entered` …; the API description has all."""
        return str(self.problem["reason"])


class TournamentNotEnded(Conflict, code="tournament_not_ended"):
    """This is to be had once the tournament has ended."""


class LimitReached(Conflict, code="limit_reached"):
    """There are as many as there may be; `detail` says of what."""


class AheadOfLog(Conflict, code="ahead_of_log"):
    """The version asked for has not happened yet."""


class StaleVersion(Conflict, code="stale_version"):
    """The match has moved on since the version that was named."""

    @property
    def version(self) -> int:
        """The version that the match is at."""
        return int(self.problem["version"])

    @property
    def view(self) -> View:
        """The view at that version."""
        return View.from_wire(self.problem["view"])


class BodyTooLarge(ApiError, code="body_too_large"):
    """The body is larger than the service takes."""


class UnsupportedMediaType(ApiError, code="unsupported_media_type"):
    """The body is not declared as JSON."""


class IllegalAction(ApiError, code="illegal_action"):
    """The rules forbid the action."""

    @property
    def rule(self) -> str:
        """The number of the rule that forbids it."""
        return str(self.problem["rule"])

    @property
    def version(self) -> int:
        """The version that the match is at."""
        return int(self.problem["version"])

    @property
    def suggestions(self) -> list[dict[str, Any]]:
        """The legal actions nearest to the refused one."""
        return list(self.problem.get("suggestions") or ())


class IdempotencyKeyReused(ApiError, code="idempotency_key_reused"):
    """The key belongs to another request."""


class RateLimited(ApiError, code="rate_limited"):
    """Too many requests; `retry_after_s` tells when to come back."""


class Internal(ApiError, code="internal"):
    """The service failed; its operator finds the cause by `request_id`."""


class StoreUnavailable(ApiError, code="store_unavailable"):
    """The service's store did not answer for as long as was tried."""


class TooManyStreams(ApiError, code="too_many_streams"):
    """The service holds as many streams as it may."""
