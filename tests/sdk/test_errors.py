"""One class per code of the API's chapter on errors."""

import pickle

import pytest

from spieltisch import errors
from spieltisch.errors import ApiError, ConnectionFailed, FieldError
from tests.sdk.test_models import VIEW

CODES = {
    400: "malformed_json invalid_body invalid_parameter seat_required",
    401: "unauthenticated",
    403: "forbidden not_your_seat invitation_invalid",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    409: "not_your_turn match_not_open match_not_running seat_taken seats_missing ahead_of_log limit_reached "
    "tournament_refuses tournament_not_ended",
    412: "stale_version",
    413: "body_too_large",
    415: "unsupported_media_type",
    422: "illegal_action idempotency_key_reused",
    429: "rate_limited",
    500: "internal",
    503: "store_unavailable too_many_streams",
}
PAIRS = [(status, code) for status, codes in CODES.items() for code in codes.split()]


@pytest.mark.parametrize(("status", "code"), PAIRS)
def test_every_code_has_its_class(status: int, code: str) -> None:
    name = "".join(part.capitalize() for part in code.split("_"))
    error = ApiError.of(status, {"code": code, "title": "T", "detail": "D", "request_id": "r" * 32})
    assert type(error) is getattr(errors, name)
    assert (error.status, error.code, error.title, error.detail, error.request_id) == (status, code, "T", "D", "r" * 32)


def test_no_class_is_for_a_code_that_the_api_does_not_have() -> None:
    assert set(ApiError.codes) == {code for _, code in PAIRS}


def test_a_code_of_a_newer_service_is_an_api_error() -> None:
    error = ApiError.of(418, {"code": "teapot", "detail": "short and stout", "colour": "blue"})
    assert type(error) is ApiError
    assert error.code == "teapot"
    assert error.problem["colour"] == "blue"


@pytest.mark.parametrize(("status", "code"), [pair for pair in PAIRS if pair[0] in (409, 412)])
def test_conflicts_can_be_caught_together(status: int, code: str) -> None:
    assert isinstance(ApiError.of(status, {"code": code}), errors.Conflict)


def test_the_message_says_what_where_and_which_request() -> None:
    wrong = [{"pointer": "/seats/1", "code": "not_one_of", "detail": "a seat is one of me, open"}]
    error = ApiError.of(400, {"code": "invalid_body", "detail": "no", "errors": wrong, "request_id": "ab"})
    assert str(error) == "400 invalid_body: no; /seats/1: a seat is one of me, open (request ab)"
    assert error.errors == (FieldError("not_one_of", "a seat is one of me, open", pointer="/seats/1"),)


def test_an_illegal_action_names_rule_and_suggestions() -> None:
    error = ApiError.of(422, {"code": "illegal_action", "rule": "N24", "version": 5, "suggestions": [{"type": "pass"}]})
    assert isinstance(error, errors.IllegalAction)
    assert (error.rule, error.version, error.suggestions) == ("N24", 5, [{"type": "pass"}])


def test_a_stale_version_carries_the_view() -> None:
    error = ApiError.of(412, {"code": "stale_version", "version": 9, "view": VIEW})
    assert isinstance(error, errors.StaleVersion)
    assert error.version == 9
    assert error.view.scores == (3, 4)


@pytest.mark.parametrize("junk", [None, "text", [1], [{"pointer": "/a"}], {}])
def test_errors_of_a_wrong_form_break_nothing(junk: object) -> None:
    assert ApiError.of(400, {"code": "invalid_body", "errors": junk}).status == 400


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(ApiError.of(409, {"code": "seat_taken", "detail": "D"}, attempts=3)))
    assert type(error) is errors.SeatTaken
    assert (error.status, error.detail, error.attempts) == (409, "D", 3)
    lost = pickle.loads(pickle.dumps(ConnectionFailed("gone", attempts=2)))
    assert (str(lost), lost.attempts) == ("gone", 2)
