"""Documentation: the API description, and Swagger UI to read it with, all from this service.

Not part of the description: these are for people and for tools that look for it. `GET /` leads to everything.
"""

from __future__ import annotations

from importlib import resources

from flask import Blueprint, current_app, request, send_from_directory
from werkzeug.exceptions import NotFound

from spieltisch_service.app.service import Service
from spieltisch_service.web.auth import caller_of
from spieltisch_service.web.blueprints.operations import index as described_index
from spieltisch_service.web.limits import EXTENSION as LIMITS
from spieltisch_service.web.limits import Limiter
from spieltisch_service.web.operation import NO_QUERY, answered
from spieltisch_service.web.overrides import EXTENSION, checked_query
from spieltisch_service.web.response import Response

BLUEPRINT = Blueprint("docs", __name__)

#: The scripts and styles of flask-swagger-ui that the page needs.
_FILES = frozenset({"swagger-ui-bundle.js", "swagger-ui.css", "index.css", "favicon-16x16.png", "favicon-32x32.png"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Spieltisch API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_START = """\
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
"""


@BLUEPRINT.before_request
def check_token_and_query() -> None:
    """A bad token is refused here, too, and so are parameters, of which there are none."""
    service: Service = current_app.extensions[EXTENSION]
    caller = caller_of(request, service.accounts, required=False)
    limiter: Limiter | None = current_app.extensions[LIMITS]
    if limiter is not None:
        limiter.admit(request, caller, "reads")
    checked_query(NO_QUERY, request)


BLUEPRINT.add_url_rule("/", "root", described_index, methods=["GET"])


@BLUEPRINT.get("/openapi.json")
def openapi() -> Response:
    """The API description (OpenAPI 3.1)."""
    return answered(current_app.extensions["openapi"])


@BLUEPRINT.get("/docs")
def page() -> Response:
    """Swagger UI. The policy keeps the page from loading anything from anywhere else."""
    response = Response(_PAGE, mimetype="text/html")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@BLUEPRINT.get("/docs/start.js")
def start() -> Response:
    """What an inline script would do, were it allowed."""
    return Response(_START, mimetype="text/javascript")


@BLUEPRINT.get("/docs/<name>")
def file(name: str) -> Response:
    """A script or style of Swagger UI."""
    if name not in _FILES:
        raise NotFound
    with resources.as_file(resources.files("flask_swagger_ui").joinpath("dist")) as folder:
        response = send_from_directory(folder, name)
    response.headers["Cache-Control"] = "public, max-age=86400"
    return response  # type: ignore[return-value]  # of the class that the application names
