"""What a use case can refuse, one class per code of the API.

    Refusal
    ├── about the request   InvalidBody, InvalidParameter, SeatRequired
    ├── about the caller    Unauthenticated, Forbidden, NotYourSeat, InvitationInvalid, NotFound
    ├── about the match     NotYourTurn, MatchNotOpen, MatchNotRunning, SeatTaken, SeatsMissing, AheadOfLog,
    │                       StaleVersion, IllegalActionRefused
    ├── about a tournament  TournamentRefuses, TournamentNotEnded
    ├── about an amount     LimitReached
    ├── about a repetition  IdempotencyKeyReused
    └── about the service   RateLimited, TooManyStreams     (and `ports.StoreUnavailable`)

A refused request has changed nothing, and its idempotency key may be used again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing that is wrong: where (`pointer` into the body, or the name of a `parameter`), which kind, what.

    `code` is one of `missing, unknown, wrong_type, out_of_range, not_one_of, bad_format, duplicate`.
    """

    code: str
    detail: str
    pointer: str | None = None
    parameter: str | None = None

    def to_wire(self) -> dict[str, str]:
        """The entry of `errors` in a problem document."""
        where = {"parameter": self.parameter} if self.pointer is None else {"pointer": self.pointer}
        return {key: value for key, value in where.items() if value is not None} | {
            "code": self.code,
            "detail": self.detail,
        }


class Refusal(Exception):
    """A request that the service does not do. `extra` are further members of the problem document."""

    code: ClassVar[str]

    def __init__(
        self, detail: str, *, errors: Sequence[FieldError] = (), extra: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.extra = dict(extra or {})


class InvalidBody(Refusal):
    """The body is JSON but not what the operation takes."""

    code = "invalid_body"


class InvalidParameter(Refusal):
    """A query, path or header parameter is not what the operation takes."""

    code = "invalid_parameter"


class SeatRequired(Refusal):
    """The caller holds several seats of the match and did not say which one acts."""

    code = "seat_required"


class Unauthenticated(Refusal):
    """No token where one is needed, or one that is not valid."""

    code = "unauthenticated"


class Forbidden(Refusal):
    """The caller is known and may not do this."""

    code = "forbidden"


class NotYourSeat(Refusal):
    """The seat is not held by the caller."""

    code = "not_your_seat"


class InvitationInvalid(Refusal):
    """The seat needs an invitation, or the one given is not for it."""

    code = "invitation_invalid"


class NotFound(Refusal):
    """It does not exist, or the caller may not see it: nobody can tell which."""

    code = "not_found"


#: The same for a match that does not exist, for one that may not be seen, and for a path that leads nowhere.
NOTHING_THERE = "There is nothing at this path, or you may not see it."


def no_such_match() -> NotFound:
    """The refusal for a match that does not exist, or that the caller may not see."""
    return NotFound(NOTHING_THERE)


class NotYourTurn(Refusal):
    """Another seat must act, or an action lies beyond the end of the turn."""

    code = "not_your_turn"


class MatchNotOpen(Refusal):
    """Only an open match can do this."""

    code = "match_not_open"


class MatchNotRunning(Refusal):
    """Only a running match can do this."""

    code = "match_not_running"


class SeatTaken(Refusal):
    """The seat, or every seat, is taken."""

    code = "seat_taken"


class SeatsMissing(Refusal):
    """The match cannot start before all seats are taken."""

    code = "seats_missing"


class AheadOfLog(Refusal):
    """The event or version asked for has not happened yet."""

    code = "ahead_of_log"


class StaleVersion(Refusal):
    """The match has moved on since the version that the caller named. `extra`: `version`, `view`."""

    code = "stale_version"


class IllegalActionRefused(Refusal):
    """The rules forbid the action. `extra`: `rule`, `version`, `suggestions`."""

    code = "illegal_action"


class TournamentRefuses(Refusal):
    """The tournament does not take this now. `extra`: `reason`, a word for programs."""

    code = "tournament_refuses"


class TournamentNotEnded(Refusal):
    """This is to be had once the tournament has ended."""

    code = "tournament_not_ended"


class LimitReached(Refusal):
    """There are as many of these as there may be."""

    code = "limit_reached"


class IdempotencyKeyReused(Refusal):
    """The key was used before with another body or query."""

    code = "idempotency_key_reused"


class RateLimited(Refusal):
    """More than the caller may ask for, by the `policy` of that name; worth repeating after `retry_after_s`."""

    code = "rate_limited"

    def __init__(self, detail: str, retry_after_s: int, policy: str) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s
        self.policy = policy


class TooManyStreams(Refusal):
    """The process holds as many streams as it may."""

    code = "too_many_streams"
