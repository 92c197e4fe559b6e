"""The WSGI application that the server's processes load: `spieltisch_service.wsgi:application`."""

from __future__ import annotations

import gc
import sys

from flask import Flask

from spieltisch_service import bootstrap
from spieltisch_service.logs import log_to_stderr
from spieltisch_service.settings import BadSettings, Settings
from spieltisch_service.web.compression import Compressed

# gunicorn ends as a whole, and not just to start the process again, when one ends with this code.
_APP_LOAD_ERROR = 4


def _build() -> Flask:
    try:
        settings = Settings.from_environment()
        log_to_stderr(settings.log)
        app = bootstrap.build_app(settings)
    except BadSettings as error:
        print(f"spieltisch-service: {error}", file=sys.stderr, flush=True)
        raise SystemExit(_APP_LOAD_ERROR) from None
    app.wsgi_app = Compressed(app.wsgi_app)  # type: ignore[method-assign]
    return app


def _collect_seldom() -> None:
    """What was loaded stays: leave it out of garbage collections, whose pauses every tenth request would feel.

    Small ones of what is young, some 150 requests apart, take a millisecond; of fifty times as much, 45.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 500, 100)


application = _build()
_collect_seldom()
