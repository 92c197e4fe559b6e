"""Retries where they are safe, timeouts always, and keys that stay where they belong."""

import json
import logging
import os
import socket
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

import pytest

import spieltisch
from spieltisch import Attempt, Client, Match, errors
from spieltisch.errors import ApiError, ConnectionFailed, InsecureUrl, Timeout, UnexpectedAnswer
from tests.sdk.conftest import Clock
from tests.sdk.faults import Answer, StandIn
from tests.sdk.test_models import EVENT, MATCH, VIEW

KEY = "spt_key_secretsecretsecret"
ACTED = Answer(body={"version": 9, "events": [EVENT], "view": VIEW})
CREATED = Answer(201, MATCH)
Clients = Callable[..., Client]


def idempotency_keys(stand_in: StandIn) -> list[str]:
    return [asked.headers["Idempotency-Key"] for asked in stand_in.asked]


# --- retries ------------------------------------------------------------------------------------------------


def test_retry_after_is_honoured(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [Answer.problem(503, "store_unavailable", "7"), CREATED]
    client_of().matches.create("neues-land", ["me", "me"])
    assert len(clock.slept) == 1
    assert clock.slept[0] >= 7
    first, second = stand_in.asked
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]
    assert first.body == second.body


def test_retry_after_may_be_a_date(
    stand_in: StandIn, client_of: Clients, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = time.time()
    monkeypatch.setattr(clock, "time", lambda: now_s)
    stand_in.answers = [Answer.problem(429, "rate_limited", formatdate(now_s + 20, usegmt=True)), CREATED]
    client_of().matches.create("neues-land", ["me", "me"])
    assert 18 < clock.slept[0] < 21


@pytest.mark.parametrize("nonsense", ["soon", "-3", ""])
def test_a_retry_after_that_says_nothing_is_none(
    stand_in: StandIn, client_of: Clients, clock: Clock, nonsense: str
) -> None:
    stand_in.answers = [Answer.problem(503, "store_unavailable", nonsense), CREATED]
    client_of().matches.create("neues-land", ["me", "me"])
    assert clock.slept[0] < 1


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_what_is_retried(stand_in: StandIn, client_of: Clients, clock: Clock, status: int, method: str) -> None:
    stand_in.answers = [Answer(status, b"<html>", {"Content-Type": "text/html"}), Answer(body={"done": True})]
    assert getattr(client_of().transport, method)("/v1/thing") == {"done": True}
    assert [asked.method for asked in stand_in.asked] == [method.upper()] * 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 500])
def test_what_is_not_retried(stand_in: StandIn, client_of: Clients, clock: Clock, status: int) -> None:
    stand_in.answers = [Answer(status, {"code": "anything", "detail": "no"})]
    with pytest.raises(ApiError) as caught:
        client_of().transport.post("/v1/thing", {})
    assert caught.value.status == status
    assert caught.value.attempts == len(stand_in.asked) == 1
    assert clock.slept == []


def test_retries_end(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [Answer.problem(503, "store_unavailable", "1")]
    with pytest.raises(errors.StoreUnavailable) as caught:
        client_of(retry_for=30).me()
    assert sum(clock.slept) <= 30
    assert caught.value.attempts == len(stand_in.asked) > 5
    assert caught.value.retry_after_s == 1


def test_delays_grow(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [Answer.problem(503, "store_unavailable")]
    with pytest.raises(errors.StoreUnavailable):
        client_of(retry_for=60).me()
    assert clock.slept[0] <= 0.2
    assert max(clock.slept) <= 5
    assert clock.slept[6] > 10 * clock.slept[0]


def test_a_wait_beyond_the_patience_is_not_begun(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [Answer.problem(429, "rate_limited", "3600")]
    with pytest.raises(errors.RateLimited) as caught:
        client_of().me()
    assert caught.value.retry_after_s == 3600
    assert clock.slept == []


def test_every_intent_has_a_key_of_its_own(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [CREATED]
    matches = client_of().matches
    for _ in range(3):
        matches.create("neues-land", ["me", "me"])
    keys = idempotency_keys(stand_in)
    assert len(set(keys)) == 3
    # Without a caller, the API wants 32 characters or more.
    assert all(len(key) >= 32 for key in keys)


def test_an_intent_may_bring_its_key(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [CREATED]
    client_of().matches.create("neues-land", ["me", "me"], idempotency_key="order-7")
    assert idempotency_keys(stand_in) == ["order-7"]


@pytest.mark.parametrize("cut", [0, 1, 20])
def test_an_answer_that_was_cut_is_asked_for_again(
    stand_in: StandIn, client_of: Clients, clock: Clock, cut: int
) -> None:
    stand_in.answers = [Answer(201, MATCH, cut=cut), CREATED]
    assert client_of().matches.create("neues-land", ["me", "me"]).id == "mt_1"
    assert len(set(idempotency_keys(stand_in))) == 1
    assert len(stand_in.asked) == 2


def test_a_service_that_is_silent_times_out(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [Answer(200, {"a": 1}, cut=0, hang=True)]
    with pytest.raises(Timeout) as caught:
        client_of(timeout=0.1, retry_for=0).me()
    assert caught.value.attempts == 1


def test_a_service_that_was_never_reached_is_given_up_soon(clock: Clock) -> None:
    # A port that is taken, so that nobody else gets it meanwhile, and at which nobody listens.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ConnectionFailed) as caught:
            Client(f"http://127.0.0.1:{port}").register("Ada")
    assert caught.value.attempts > 1
    assert str(caught.value) == f"POST http://127.0.0.1:{port}/v1/accounts: no connection to the service"
    assert sum(clock.slept) <= 3


def test_a_long_poll_may_take_as_long_as_it_waits(
    stand_in: StandIn, client_of: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    from requests.adapters import HTTPAdapter

    stand_in.answers = [Answer(body=VIEW)]
    seen: list[Any] = []
    send = HTTPAdapter.send

    def spy(self: HTTPAdapter, request: Any, **options: Any) -> Any:
        seen.append(options["timeout"])
        return send(self, request, **options)

    monkeypatch.setattr(HTTPAdapter, "send", spy)
    client = client_of(timeout=(1.0, 4.0))
    match = Match(client, read_match())
    match.view()
    match.view(after=9, wait=25)
    assert seen == [(1.0, 4.0), (1.0, 29.0)]


def read_match() -> Any:
    from spieltisch.models import MatchInfo

    return MatchInfo.from_wire(MATCH)


# --- what is sent -------------------------------------------------------------------------------------------


def test_null_is_left_out_and_text_is_utf8(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [CREATED]
    client_of().matches.create("neues-land", ["me", "me"], metadata={"ort": "Köln"})
    asked = stand_in.asked[0]
    assert json.loads(asked.body) == {"game": "neues-land", "seats": ["me", "me"], "metadata": {"ort": "Köln"}}
    assert "Köln".encode() in asked.body
    assert asked.headers["Content-Type"] == "application/json"


def test_a_request_says_who_sends_it(stand_in: StandIn, client_of: Clients) -> None:
    client_of().links()
    assert stand_in.asked[0].headers["User-Agent"].startswith(f"spieltisch-python/{spieltisch.__version__} ")
    assert stand_in.asked[0].headers["Authorization"] == f"Bearer {KEY}"


def test_ids_are_quoted(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [Answer.problem(404, "not_found")]
    with pytest.raises(errors.NotFound):
        client_of().matches.get("a/../b?c#d")
    assert stand_in.asked[0].path == "/v1/matches/a%2F..%2Fb%3Fc%23d"


@pytest.mark.parametrize("nothing", ["", ".", ".."])
def test_an_id_that_is_no_name_is_not_sent(stand_in: StandIn, client_of: Clients, nothing: str) -> None:
    with pytest.raises(ValueError, match="names nothing"):
        client_of().matches.get(nothing)
    assert stand_in.asked == []


def test_threads_share_a_client_and_no_connection(stand_in: StandIn, client_of: Clients) -> None:
    client = client_of()
    adapters: list[Any] = []

    def ask() -> None:
        client.links()
        adapters.append(client.transport._adapter())
        client.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(adapter) for adapter in adapters}) == 4


def test_a_forked_process_makes_connections_of_its_own(client_of: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = client_of().transport
    adapter = transport._adapter()
    assert transport._adapter() is adapter
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert transport._adapter() is not adapter


def test_a_wait_is_not_counted_as_a_failure(
    stand_in: StandIn, client_of: Clients, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The answer to a long poll is lost after a wait that is longer than all patience.
    stand_in.answers = [Answer(200, VIEW, cut=5), Answer(200, VIEW)]
    give = stand_in.give

    def late(handler: Any, answer: Answer) -> None:
        clock.sleep(25)
        give(handler, answer)

    monkeypatch.setattr(stand_in, "give", late)
    assert Match(client_of(retry_for=10), read_match()).view(after=9, wait=25).version == 9
    assert len(stand_in.asked) == 2


# --- who looks on --------------------------------------------------------------------------------------------


def test_every_attempt_is_told(stand_in: StandIn, client_of: Clients, clock: Clock) -> None:
    stand_in.answers = [
        Answer.problem(503, "store_unavailable"),
        Answer(200, {"a": 1}, cut=3),
        Answer(201, MATCH, {"X-Request-Id": "ab" * 16}),
        Answer.problem(404, "not_found"),
        Answer(200, b"retry: 1000\n\n" + f"data: {json.dumps({**EVENT, 'type': 'match_aborted'})}\n\n".encode()),
    ]
    told: list[Attempt] = []
    client = client_of(on_request=told.append)
    created = client.with_key("spt_key_another").matches.create("neues-land", ["me", "me"], metadata={"a": KEY})
    assert client.last_request_id == "ab" * 16
    with pytest.raises(errors.NotFound):
        client.matches.get("mt_2", seat=1)
    assert len(list(created.events())) == 1
    seen = [(each.method, each.path, each.status, each.error, each.attempt) for each in told]
    assert seen[0] == ("POST", "/v1/matches", 503, "store_unavailable", 1)
    assert seen[1][:3] == ("POST", "/v1/matches", None)
    assert seen[1][3] is not None
    assert "cut" in seen[1][3]
    assert seen[2:] == [
        ("POST", "/v1/matches", 201, None, 3),
        ("GET", "/v1/matches/mt_2", 404, "not_found", 1),
        ("GET", "/v1/matches/mt_1/events", 200, None, 1),
    ]
    assert [each.request_id for each in told[:3]] == [None, None, "ab" * 16]
    assert all(each.duration_ms > 0 for each in told)
    answered_at = replace(told[2], date="Sat, 31 Jan 2026 12:00:00 GMT").answered_at
    assert answered_at == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert told[2].answered_at is not None
    assert told[1].answered_at is replace(told[2], date="soon").answered_at is None
    assert KEY not in repr(told)
    assert "spt_key_another" not in repr(told)


def test_who_looks_on_and_fails_costs_no_answer(
    stand_in: StandIn, client_of: Clients, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in.answers = [CREATED]
    client = client_of(on_request=lambda _: 1 // 0)
    assert client.matches.create("neues-land", ["me", "me"]).id == "mt_1"
    assert "on_request failed after POST /v1/matches" in caplog.text
    assert len(stand_in.asked) == 1


def test_each_thread_has_its_last_request(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [Answer(headers={"X-Request-Id": name * 32}) for name in "ab"]
    client = client_of()
    assert client.last_request_id is None
    client.links()
    seen: list[str | None] = []

    def other() -> None:
        seen.append(client.last_request_id)
        client.links()
        seen.append(client.last_request_id)
        client.close()

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [None, "b" * 32]
    assert client.last_request_id == "a" * 32


# --- the environment ----------------------------------------------------------------------------------------


def test_the_environment_describes_a_client(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIELTISCH_URL", stand_in.url)
    monkeypatch.setenv("SPIELTISCH_KEY", KEY)
    client = Client.from_environment(retry_for=7)
    assert (client.url, client.key, client.transport.retry_for_s) == (stand_in.url, KEY, 7)
    monkeypatch.delenv("SPIELTISCH_KEY")
    assert Client.from_environment().key is None
    monkeypatch.delenv("SPIELTISCH_URL")
    with pytest.raises(ValueError, match="SPIELTISCH_URL"):
        Client.from_environment()


# --- what does not get out ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["http://games.example", "http://10.0.0.1:8000", "http://localhost.example", "http://0.0.0.0"]
)
def test_plain_http_to_another_machine_is_refused(url: str) -> None:
    with pytest.raises(InsecureUrl):
        Client(url)
    assert Client(url, allow_insecure=True).url == url


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000", "http://127.0.0.2", "http://[::1]:8000", "http://a.localhost", "https://games.example/"],
)
def test_this_machine_and_https_are_fine(url: str) -> None:
    assert Client(url).url == url.rstrip("/")


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://localhost", "http://", "http://localhost/?a=1"])
def test_what_is_no_url_of_a_service_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="the URL of a service"):
        Client(url)


def test_a_password_in_the_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="no user, password") as caught:
        Client("https://ada:geheim@games.example")
    assert "geheim" not in str(caught.value)


def test_a_key_of_a_wrong_form_is_refused_and_not_repeated() -> None:
    for make in (lambda key: Client("http://localhost", key), Client("http://localhost").with_key):
        with pytest.raises(ValueError, match="spt_key_") as caught:
            make("geheim\r\nX-Evil: 1")
        assert "geheim" not in str(caught.value)


def everything_about(error: BaseException) -> str:
    """The error, what caused it, every attribute of these, and what a debugger shows of the frames, as text."""
    told = [*traceback.format_exception(error)]
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if "spieltisch" in frame.f_globals["__name__"].split(".")[:1]:
            told.append(repr(frame.f_locals))
    seen: list[BaseException | None] = [error, error.__cause__, error.__context__]
    told += [repr(vars(each)) + repr(each) + str(each) for each in seen if each is not None]
    requests_seen = [getattr(each, "request", None) for each in seen if each is not None]
    told += [repr(getattr(request, "headers", None)) for request in requests_seen]
    return "\n".join(told)


@pytest.mark.parametrize(
    "answer",
    [
        Answer.problem(401, "unauthenticated", detail=f"{KEY} is not valid", echo=[KEY]),
        Answer(502, f"<p>Authorization: Bearer {KEY}".encode(), {"Content-Type": "text/html"}),
        Answer(200, f"<p>{KEY}".encode()),
        Answer(302, b"", {"Location": f"http://evil.example/{KEY}"}),
        Answer(200, {"a": KEY}, cut=3),
        Answer(200, {}, cut=0, hang=True),
    ],
)
def test_the_key_is_in_no_error_and_in_no_log(
    stand_in: StandIn, client_of: Clients, clock: Clock, caplog: pytest.LogCaptureFixture, answer: Answer
) -> None:
    stand_in.answers = [answer]
    client = client_of(timeout=0.2, retry_for=0.5)
    with caplog.at_level(logging.DEBUG), pytest.raises(errors.SpieltischError) as caught:
        client.me()
    assert KEY not in everything_about(caught.value)
    assert KEY not in caplog.text
    assert KEY not in repr(client) + repr(client.transport) + repr(client.matches)


def test_a_redirect_is_not_followed(stand_in: StandIn, client_of: Clients) -> None:
    with StandIn() as elsewhere:
        stand_in.answers = [Answer(307, b"", {"Location": elsewhere.url})]
        with pytest.raises(UnexpectedAnswer, match="307"):
            client_of().me()
        assert elsewhere.asked == []


def test_this_machine_is_asked_without_a_proxy(
    stand_in: StandIn, client_of: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StandIn() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        client_of().links()
        assert proxy.asked == []
        assert len(stand_in.asked) == 1
        # Elsewhere, the proxy of the environment is taken.
        Client("http://games.example", allow_insecure=True).links()
        assert [asked.path for asked in proxy.asked] == ["http://games.example/v1"]


def test_something_else_than_a_service_is_unexpected(stand_in: StandIn, client_of: Clients) -> None:
    stand_in.answers = [Answer(200, b"<html>It works!</html>", {"Content-Type": "text/html"})]
    with pytest.raises(UnexpectedAnswer):
        client_of().me()
    stand_in.answers = [Answer(200, {"hello": "world"})]
    with pytest.raises(UnexpectedAnswer):
        client_of().decisions()


def test_an_account_that_was_erased_before_the_answer_was_lost_is_erased(
    stand_in: StandIn, client_of: Clients, clock: Clock
) -> None:
    stand_in.answers = [Answer(200, {}, cut=1), Answer.problem(401, "unauthenticated")]
    client_of().erase()
    assert [asked.method for asked in stand_in.asked] == ["DELETE", "DELETE"]
    with pytest.raises(errors.Unauthenticated):
        client_of().erase()
