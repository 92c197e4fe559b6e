"""Puts the web together: a Flask application around a `Service`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from time import perf_counter
from typing import Any

from flask import Flask, request
from flask import Request as FlaskRequest
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import MapAdapter

from spieltisch_service.app.errors import Refusal
from spieltisch_service.app.limits import Limits
from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.app.service import Service
from spieltisch_service.web import documented, problems, request_log
from spieltisch_service.web.blueprints import (
    accounts,
    docs,
    events,
    exports,
    games,
    invitations,
    keys,
    matches,
    operations,
    play,
    results,
    sandbox,
    tournaments,
)
from spieltisch_service.web.limits import EXTENSION as LIMITS
from spieltisch_service.web.limits import Limiter, Tally, write_fields
from spieltisch_service.web.metrics import EXTENSION as COUNTED
from spieltisch_service.web.metrics import NO_OPERATION, Metrics
from spieltisch_service.web.operation import Operation, Request
from spieltisch_service.web.overrides import CONVERTERS, EXTENSION, Api
from spieltisch_service.web.response import Response

TITLE = "Spieltisch"
DESCRIPTION = """\
Hosts matches of board games for programs. A client needs no rules: a view lists the legal actions, an action is
answered with what it caused and the view after it, and every refusal says by a stable code what to do about it.

**First steps.** `POST /v1/accounts` gives an API key. `POST /v1/matches` with `{"game": "neues-land", "seats": ["me",
"me"]}` makes a match and starts it. `GET /v1/matches/{id}/view` shows it, `POST /v1/matches/{id}/actions` plays one of
its `legal_actions`.

**Safe retries.** Every POST takes an `Idempotency-Key`: the same request with the same key is carried out once and
answered alike, however often it is sent. `version` in a body refuses an action that was meant for another position.

**Nothing is missed.** Events are numbered without gaps and hash-chained; `GET …/events` gives them as pages that wait,
as Server-Sent Events or as NDJSON, and goes on wherever the reader was.

**Limits.** A service that listens to other machines limits how much one key, and one address, may ask for in a while.
Each operation counts in a bucket, whose numbers are its `x-rate-limit`; `GET /v1/me` lists those in force (none where
limits are off). Answers tell by `RateLimit` what is left, a 429 by `Retry-After` when to come back. Actions have a
bucket of their own: nothing else holds them up.

**Time.** A match with a `clock` limits decisions: each of them anew, or all of a seat's together (Fischer). The clock
of the seat that must act runs, by the service's own time; a request that came in before `deadline_at` counts. A seat
whose time is used up is forfeited, or played for (`on_timeout`), and the event says that it happened at the deadline,
however much later that was noticed (`late_ms`, which nobody is charged for). While the service was away no clock ran:
an event `clock_extended` moves the deadline of the decision that was interrupted.

**Growth.** `/v1` grows by addition only: be ready for new fields, and for new values where a list is not closed.
"""

_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "If-None-Match, Last-Event-ID",
    "Access-Control-Max-Age": "86400",
}
_EXPOSED = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"


class _NoSession(SessionInterface):
    """There are no cookies here, and nothing to be opened or saved."""

    _session = NullSession()

    def open_session(self, app: Flask, request: Any) -> NullSession:
        """See Flask."""
        del app, request
        return self._session


class Web(Flask):
    """Flask without sessions, hosts, coroutines and callbacks behind a request, with requests that have an id."""

    request_class = Request
    response_class = Response
    session_interface = _NoSession()

    def create_url_adapter(self, request: FlaskRequest | None) -> MapAdapter | None:
        """Match the path alone: the host is nobody's business here, and no URL is ever built from it."""
        if request is None:
            return super().create_url_adapter(request)
        environ = request.environ
        path = request.path
        return MapAdapter(self.url_map, "", "/", None, "http", path, environ["REQUEST_METHOD"], None)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function: none of them is a coroutine."""
        return func

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Nothing: what a request opens, it closes."""

    def process_response(self, response: Response) -> Response:  # type: ignore[override]
        """What every answer carries, and what is kept of it. One call instead of Flask's lists of functions."""
        asked: Any = request._get_current_object()  # type: ignore[attr-defined]
        _finished(asked, response)
        _observed(asked, response, self.extensions[COUNTED])
        return response


def create_app(service: Service | None, settings: Any = None, metrics: Metrics | None = None) -> Flask:
    """The application; without a service it describes itself only.

    `settings` are the operator's (none needed yet); `metrics` is where it counts, if others count there, too.
    """
    del settings
    app = Web(__name__, static_folder=None)
    # Two slashes are another path here, and another path is not found: no redirects.
    app.url_map.merge_slashes = False
    app.url_map.redirect_defaults = False
    app.url_map.converters.update(CONVERTERS)
    app.extensions[EXTENSION] = service
    app.extensions[COUNTED] = metrics or Metrics()
    limits = None if service is None else service.limits
    app.extensions[LIMITS] = None if service is None or limits is None else Limiter(limits, service.store)
    app.register_error_handler(Refusal, problems.of_refusal)
    app.register_error_handler(StoreUnavailable, problems.of_lost_store)
    app.register_error_handler(Exception, problems.of_fault)
    api = Api(app, TITLE, version("spieltisch-service"), _spec_options())
    rooms = (operations, games, accounts, keys, matches, invitations, play, events, sandbox, tournaments, results)
    for room in (*rooms, exports):
        api.register_blueprint(room.BLUEPRINT)
    app.register_blueprint(docs.BLUEPRINT)
    require_declared(app)
    app.extensions["openapi"] = described(api, limits or Limits())
    return app


def require_declared(app: Flask) -> None:
    """Raises RuntimeError for a path that is no declared `Operation`, so that nobody is let in by omission.

    The documentation alone is for everybody.
    """
    for endpoint, view in app.view_functions.items():
        if endpoint.partition(".")[0] != docs.BLUEPRINT.name and not isinstance(
            getattr(view, "operation", None), Operation
        ):
            msg = f"{endpoint} declares no operation, and so no scope"
            raise RuntimeError(msg)


def described(api: Api, limits: Limits) -> Mapping[str, Any]:
    """The API description, with the components that every operation refers to, and the numbers of the `limits`."""
    components = api.spec.components
    for name, header in documented.HEADERS.items():
        components.header(name, dict(header))
    for name, parameter in documented.PARAMETERS.items():
        components.parameter(name, "header", dict(parameter))
    for name, scheme in documented.SECURITY_SCHEMES.items():
        components.security_scheme(name, dict(scheme))
    written: Mapping[str, Any] = api.spec.to_dict()
    documented.with_limits(written, limits)
    return written


def _spec_options() -> dict[str, Any]:
    return {
        "info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
        "servers": [{"url": "/"}],
    }


def _observed(asked: Any, response: Response, metrics: Metrics) -> None:
    """Count the answer, and log it for an operator who wants every request."""
    rule = asked.url_rule
    # Of a blueprint's endpoint the last part is the operation's id; what is not described goes by its first.
    blueprint, _, name = (NO_OPERATION if rule is None else rule.endpoint).rpartition(".")
    operation = blueprint if blueprint == docs.BLUEPRINT.name else name
    seconds = perf_counter() - asked.began_s
    metrics.answered(operation, asked.environ["REQUEST_METHOD"], response.status_code, seconds)
    if asked.replayed:
        metrics.replayed(operation)
    if request_log.wanted():
        request_log.write(asked, operation, response.status_code, seconds)


def _finished(asked: Any, response: Response) -> None:
    """What every answer carries, whatever it is."""
    environ = asked.environ
    headers = response.headers
    # `add`, here and elsewhere: setting looks for an earlier value first, and there is none.
    headers.add("X-Request-Id", asked.request_id)
    headers.add("X-Content-Type-Options", "nosniff")
    tally: Tally | None = asked.tally
    if tally is not None:
        write_fields(headers, tally)
    method = environ["REQUEST_METHOD"]
    if method in ("GET", "HEAD", "OPTIONS") and "HTTP_AUTHORIZATION" not in environ:
        headers.add("Access-Control-Allow-Origin", "*")
        if method == "OPTIONS":
            headers.update(_PREFLIGHT)
        else:
            headers.add("Access-Control-Expose-Headers", _EXPOSED)
