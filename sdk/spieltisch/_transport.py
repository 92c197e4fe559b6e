"""HTTP as this package speaks it: one connection pool per thread, timeouts always, and retries where they are safe.

Every POST carries an Idempotency-Key of its own, so that sending it again cannot do it twice; GET and DELETE are safe
as they are. What is retried: lost connections and answers, 429, 502, 503 and 504. No exception that leaves this module
holds, or is caused by something that holds, a request: its headers carry the key.
"""

from __future__ import annotations

import copy
import json
import logging
import os
import platform
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import requests
from requests.structures import CaseInsensitiveDict

from spieltisch import _interrupts
from spieltisch._address import checked, is_loopback, segment
from spieltisch._attempts import Attempt, Backoff, OnRequest, retry_after_s
from spieltisch._interrupts import Adapter, Flight
from spieltisch._version import __version__
from spieltisch.errors import ApiError, ConnectionFailed, SpieltischError, Timeout, UnexpectedAnswer

__all__ = ["RETRY_FOR_S", "SILENCE_S", "TIMEOUTS_S", "Stream", "Transport", "segment"]

#: Seconds for making a connection, and for each read of an answer. A POST answers or fails within 10 s.
TIMEOUTS_S = (5.0, 15.0)
#: How long a request is tried again, in seconds; a restart of the service takes less.
RETRY_FOR_S = 60.0
#: The same for a service that has not answered this client even once: the URL may well be wrong.
_RETRY_UNKNOWN_FOR_S = 3.0
#: Without a heartbeat (each 10 s) for this long, a stream is dead.
SILENCE_S = 25.0

_RETRIED = frozenset({429, 502, 503, 504})
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{1,256}")
_BAD_KEY = "the key is not of the form spt_key_… or spt_seat_…"
_USER_AGENT = f"spieltisch-python/{__version__} requests/{requests.__version__} python/{platform.python_version()}"

_log = logging.getLogger("spieltisch")


class Transport:
    """Sends requests to one service with one key.

    timeouts_s: seconds for connecting and for each read; retry_for_s: how long a request is tried again;
    on_request: told of every attempt.
    Safe to share between threads and to keep over a fork.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeouts_s: tuple[float, float] = TIMEOUTS_S,
        retry_for_s: float = RETRY_FOR_S,
        allow_insecure: bool = False,
        on_request: OnRequest | None = None,
    ) -> None:
        self.url = checked(url, allow_insecure)
        if key is not None and _TOKEN.fullmatch(key) is None:
            raise ValueError(_BAD_KEY)
        self._key = key
        self.timeouts_s = timeouts_s
        self.retry_for_s = retry_for_s
        self.on_request = on_request
        self.reached = False
        loopback = is_loopback(urlsplit(self.url).hostname or "")
        # Resolved once, because requests looks through the environment on every call. What stays on this machine
        # goes through no proxy, which would read the key.
        found = requests.Session().merge_environment_settings(self.url, {}, False, None, None)
        self._proxies: dict[str, str] = {} if loopback else dict(found["proxies"])
        self._verify: bool | str = True if found["verify"] is None else found["verify"]
        # The answers are small, and on one machine compressing them costs more than sending them.
        self._encodings = "identity" if loopback else "gzip, deflate"
        self._local = threading.local()

    def __repr__(self) -> str:
        return f"Transport({self.url!r})"

    def with_key(self, key: str) -> Transport:
        """The same service for another key."""
        if _TOKEN.fullmatch(key) is None:
            raise ValueError(_BAD_KEY)
        # The connections, too, are shared: a key belongs to a request, not to a connection.
        other = copy.copy(self)
        other._key = key
        return other

    @property
    def key(self) -> str | None:
        """The API key or seat token."""
        return self._key

    @property
    def last_request_id(self) -> str | None:
        """What the service calls the last request of this thread that it answered; None before."""
        last: str | None = getattr(self._local, "request_id", None)
        return last

    def close(self) -> None:
        """Close this thread's connections."""
        adapter = getattr(self._local, "adapter", None)
        if adapter is not None:
            adapter.close()

    # --- asking ---------------------------------------------------------------------------------------------

    def get(self, path: str, query: Mapping[str, Any] | None = None, *, wait_s: float = 0) -> Any:
        """The JSON at `path`; the service may take `wait_s` longer than usual to answer."""
        return self._json("GET", path, query, wait_s=wait_s)

    def text(self, path: str, query: Mapping[str, Any] | None = None) -> str:
        """The text at `path`."""
        return self._answer("GET", path, query).content.decode("utf-8", "replace")

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Do something, once, however often it has to be sent; None in `body` is left out. The JSON of the answer.

        idempotency_key: for an intent that outlives this process; by default one of its own.
        """
        return self._json("POST", path, query, body=body, idempotency_key=idempotency_key or secrets.token_hex(16))

    def delete(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """Remove what is at `path`. The JSON of the answer."""
        return self._json("DELETE", path, query)

    def stream(self, path: str, query: Mapping[str, Any], headers: Mapping[str, str]) -> Stream:
        """A stream, opened. Raises what a GET raises."""
        timeouts_s = (self.timeouts_s[0], SILENCE_S)
        flight = Flight()
        response = self._retried("GET", path, query, timeouts_s=timeouts_s, headers=headers, stream=True, flight=flight)
        return Stream(f"{self.url}{path}", response, flight)

    def _json(self, method: str, path: str, query: Mapping[str, Any] | None, **options: Any) -> Any:
        response = self._answer(method, path, query, **options)
        try:
            return json.loads(response.content)
        except ValueError:
            pass
        raise UnexpectedAnswer(f"{method} {path}: {self.url} answered with something else than JSON")

    # --- sending --------------------------------------------------------------------------------------------

    def _answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        *,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        wait_s: float = 0,
    ) -> requests.Response:
        headers = {}
        data = None
        if body is not None:
            body = {name: value for name, value in body.items() if value is not None}
            data = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
            headers["Content-Length"] = str(len(data))
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        connect_s, read_s = self.timeouts_s
        return self._retried(method, path, query, timeouts_s=(connect_s, read_s + wait_s), headers=headers, data=data)

    def _retried(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        *,
        timeouts_s: tuple[float, float],
        headers: Mapping[str, str],
        data: bytes | None = None,
        stream: bool = False,
        flight: Flight | None = None,
    ) -> requests.Response:
        """The answer, once it is a good one. Raises ApiError, ConnectionFailed."""
        backoff = Backoff(self.retry_for_s)
        flight = flight or Flight()
        while True:
            _interrupts.check()
            began_s = time.perf_counter()
            with _interrupts.sending(flight):
                outcome = self._sent(method, path, query, timeouts_s, headers, data, stream)
            duration_ms = round((time.perf_counter() - began_s) * 1000, 3)
            attempt = backoff.attempts + 1
            if not isinstance(outcome, requests.Response):
                if not self.reached:
                    backoff.give_up_after_s = min(self.retry_for_s, _RETRY_UNKNOWN_FOR_S)
                outcome.attempts = attempt
                failure: SpieltischError = outcome
                wait_s, again = None, True
                self._note(Attempt(method, path, None, str(failure), duration_ms, None, attempt))
            else:
                self.reached = True
                # No name for the headers: they may repeat the key, and a debugger shows the names of a frame.
                status, date = outcome.status_code, outcome.headers.get("Date")
                wait_s, again = retry_after_s(outcome.headers.get("Retry-After")), status in _RETRIED
                error = None
                if status >= 300:
                    failure = self._refusal(method, path, outcome, wait_s, attempt)
                    error = failure.code if isinstance(failure, ApiError) else str(failure)
                self._local.request_id = outcome.headers.get("X-Request-Id")
                self._note(Attempt(method, path, status, error, duration_ms, self.last_request_id, attempt, date))
                if error is None:
                    return outcome
            delay_s = backoff.delay_s(wait_s) if again else None
            if delay_s is None:
                raise failure
            _interrupts.pause(delay_s)
            _log.info("%s %s is sent again: %s", method, path, failure)

    def _sent(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        timeouts_s: tuple[float, float],
        headers: Mapping[str, str],
        data: bytes | None,
        stream: bool,
    ) -> requests.Response | ConnectionFailed:
        """One attempt: the answer, whatever it says, or why there is none."""
        request = requests.PreparedRequest()
        request.method = method
        request.url = f"{self.url}{path}{_query(query)}"
        request.body = data
        # Nothing is left for a Session to prepare, and preparing costs more than all else.
        request.headers = CaseInsensitiveDict(headers)
        request.headers["User-Agent"] = _USER_AGENT
        request.headers["Accept-Encoding"] = "identity" if stream else self._encodings
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key}"
        try:
            response = self._adapter().send(
                request, stream=stream, timeout=timeouts_s, verify=self._verify, proxies=self._proxies
            )
            if (not stream or response.status_code >= 300) and _is_cut(response):
                return ConnectionFailed(f"{method} {self.url}{path}: the answer was cut")
            return response
        except requests.RequestException as error:
            return _failure(method, f"{self.url}{path}", error)
        except AttributeError:
            # What requests before 2.34 makes of an answer that was cut within `charset=…`.
            return ConnectionFailed(f"{method} {self.url}{path}: the answer was cut")

    def _note(self, attempt: Attempt) -> None:
        """Tell whoever wants to be told."""
        if self.on_request is None:
            return
        try:
            self.on_request(attempt)
        except Exception:
            # An answer must not be lost because of who looks on.
            _log.exception("on_request failed after %s %s", attempt.method, attempt.path)

    def _adapter(self) -> Adapter:
        local = self._local
        if getattr(local, "pid", None) != os.getpid():
            local.pid = os.getpid()
            local.adapter = Adapter()
        adapter: Adapter = local.adapter
        return adapter

    def _refusal(
        self, method: str, path: str, response: requests.Response, wait_s: float | None, attempts: int
    ) -> SpieltischError:
        text = response.content.decode("utf-8", "replace")
        if self._key is not None:
            # A proxy's error page may repeat the request that it did not like.
            text = text.replace(self._key, "[key]")
        try:
            problem = json.loads(text)
        except ValueError:
            problem = None
        status = response.status_code
        if status < 400:
            return UnexpectedAnswer(f"{method} {path}: {self.url} answered with status {status}")
        if not isinstance(problem, dict) or "code" not in problem:
            problem = {"detail": f"{method} {path}: {response.reason or 'no reason given'}"}
        return ApiError.of(status, problem, retry_after_s=wait_s, attempts=attempts)


def _is_cut(response: requests.Response) -> bool:
    """Read the whole body; whether some of the answer is missing. Raises what requests raises for most such cases.

    What is left to find: an answer that was cut within its headers passes for one without a body, which no answer
    of the service is; and older versions of urllib3 do not compare the length.
    """
    body = response.content
    said = response.headers.get("Content-Length", "")
    if not body:
        return said != "0"
    return said.isdigit() and "Content-Encoding" not in response.headers and int(said) != len(body)


class Stream:
    """The bytes of an open stream. Close it to give its connection back."""

    def __init__(self, url: str, response: requests.Response, flight: Flight) -> None:
        self._url = url
        self._response = response
        self._flight = flight

    def __iter__(self) -> Iterator[bytes]:
        """The bytes as they come, until the end. Raises ConnectionFailed when the stream is cut or falls silent."""
        failure = None
        # Chunks come whole; without them only single bytes can be had without waiting for more.
        size = None if getattr(self._response.raw, "chunked", False) else 1
        pieces = self._response.iter_content(size)
        while failure is None:
            _interrupts.check()
            try:
                with _interrupts.waking(self._flight.cut):
                    piece = next(pieces, None)
            except requests.RequestException as error:
                failure = _failure("GET", self._url, error)
            else:
                if piece is None:
                    break
                yield piece
        _interrupts.check()
        if failure is not None:
            raise failure

    def close(self) -> None:
        """End it."""
        self._response.close()


def _failure(method: str, url: str, error: requests.RequestException) -> ConnectionFailed:
    """Why there is no answer; made anew, because the error itself holds the request and its headers."""
    if isinstance(error, requests.Timeout) or "Read timed out" in str(error):
        return Timeout(f"{method} {url}: no answer in time")
    cut = isinstance(error, requests.exceptions.ChunkedEncodingError)
    reason = "the answer was cut" if cut else "no connection to the service"
    if isinstance(error, requests.exceptions.SSLError):
        reason = "the certificate of the service is not accepted"
    return ConnectionFailed(f"{method} {url}: {reason}")


def _query(query: Mapping[str, Any] | None) -> str:
    if not query:
        return ""
    said = {name: _said(value) for name, value in query.items() if value is not None}
    return f"?{urlencode(said)}" if said else ""


def _said(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
