"""Answers: Flask's, without what Werkzeug does to headers of which nothing is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response as FlaskResponse
from werkzeug.datastructures import Headers

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class Response(FlaskResponse):
    """An answer that says itself what its body is; a `Location` is a path in ASCII."""

    default_mimetype = None

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """The headers as they are, where they are complete: with the length of a body, or for a 304 that had none."""
        complete = not self.response if self.status_code == 304 else "Content-Length" in self.headers
        return self.headers if complete else super().get_wsgi_headers(environ)
