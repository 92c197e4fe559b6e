"""Operations of the service itself: is it alive, is it ready, where is what, and what does a problem mean."""

from __future__ import annotations

from html import escape
from importlib.metadata import version

from flask import current_app
from werkzeug.exceptions import NotFound as NoSuchPath

from spieltisch_service.app.errors import NotFound
from spieltisch_service.web import metrics
from spieltisch_service.web.negotiation import chosen
from spieltisch_service.web.operation import JSON, Call, Operation, Success, answered
from spieltisch_service.web.overrides import Blueprint
from spieltisch_service.web.problems import KINDS
from spieltisch_service.web.response import Response
from spieltisch_service.web.schemas import answers

BLUEPRINT = Blueprint("service", __name__, "The service itself.")
HTML = "text/html"
TEXT = "text/plain"
_STYLELESS = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@BLUEPRINT.operation(
    Operation(
        id="getIndex",
        method="GET",
        rule="/v1",
        scope=None,
        bucket="reads",
        summary="Where to find what",
        description="The paths of the documentation, of this description and of the catalogue. `GET /` is the same.",
        success=(Success(200, "The paths.", {JSON: answers.IndexShape()}),),
    )
)
def index(_: Call) -> Response:
    """Answer the paths to go on from."""
    return answered(
        {
            "name": "spieltisch",
            "version": version("spieltisch-service"),
            "docs": "/docs",
            "openapi": "/openapi.json",
            "games": "/v1/games",
        }
    )


@BLUEPRINT.operation(
    Operation(
        id="getLive",
        method="GET",
        rule="/livez",
        scope=None,
        bucket=None,
        summary="Is the process alive?",
        description="Asks nobody else, the store neither, and looks at no token: for restarting what hangs.",
        success=(Success(200, "It is.", {JSON: answers.LiveShape()}),),
        auth="ignored",
    )
)
def live(_: Call) -> Response:
    """Answer at once."""
    return answered({"status": "alive"})


@BLUEPRINT.operation(
    Operation(
        id="getReady",
        method="GET",
        rule="/readyz",
        scope=None,
        bucket=None,
        summary="Can the service do its work?",
        description="Asks the store, and tells how durable its answers are: for sending requests here or elsewhere.",
        success=(Success(200, "It can.", {JSON: answers.ReadyShape()}),),
    )
)
def ready(call: Call) -> Response:
    """Ask the store."""
    promise = call.service.store.durability()
    limits = "off" if call.service.limits is None else "on"
    response = answered({"status": "ready", "durability": promise.level, "store": promise.server, "limits": limits})
    response.headers["Cache-Control"] = "no-store"
    return response


@BLUEPRINT.operation(
    Operation(
        id="getMetrics",
        method="GET",
        rule="/metrics",
        scope=None,
        bucket=None,
        summary="What the service counts",
        description="For Prometheus, in its text format, over all processes of the service: requests, actions, "
        "matches, streams and failures. Only for programs on the same machine: for everybody else, and for whatever "
        "came through a proxy, there is nothing at this path. Looks at no token and does not ask the store.",
        success=(Success(200, "The numbers.", {TEXT: None}),),
        auth="ignored",
        refusals=("not_found",),
    )
)
def get_metrics(call: Call) -> Response:
    """Answer the numbers of all processes."""
    if not metrics.from_this_machine(call.request.environ):
        raise NoSuchPath
    counted: metrics.Metrics = current_app.extensions[metrics.EXTENSION]
    response = Response(counted.text(), content_type=metrics.CONTENT_TYPE)
    response.headers["Cache-Control"] = "no-store"
    return response


@BLUEPRINT.operation(
    Operation(
        id="getProblem",
        method="GET",
        rule="/problems/<code>",
        scope=None,
        bucket="reads",
        summary="What a problem means",
        description="The page behind the `type` of a problem document, for programs (JSON) and for people (HTML).",
        success=(Success(200, "The meaning.", {JSON: answers.ProblemPageShape(), HTML: None}),),
        refusals=("not_found", "not_acceptable"),
    )
)
def problem(call: Call, code: str) -> Response:
    """Explain one code."""
    kind = KINDS.get(code)
    if kind is None:
        msg = "there is no problem of this code"
        raise NotFound(msg)
    if chosen(call.request, (JSON, HTML), "The pages") == JSON:
        page = {"type": f"/problems/{code}", "code": code, "status": kind.status}
        response = answered(page | {"title": kind.title, "meaning": kind.meaning})
    else:
        response = Response(
            f'<!doctype html><html lang="en"><title>{code}</title><h1>{escape(kind.title)}</h1>'
            f"<p><code>{code}</code>, HTTP {kind.status}</p><p>{escape(kind.meaning)}</p></html>\n",
            mimetype=HTML,
        )
        response.headers["Content-Security-Policy"] = _STYLELESS
    response.headers["Vary"] = "Accept"
    return response
