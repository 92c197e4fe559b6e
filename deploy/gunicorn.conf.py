"""How gunicorn serves Spieltisch: `spieltisch-service serve` uses this very file.

Each setting can be overridden on gunicorn's command line.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time

import gevent
import gevent.hub

wsgi_app = "spieltisch_service.wsgi:application"
bind = [f"{os.environ.get('SPIELTISCH_HOST', '127.0.0.1')}:{os.environ.get('SPIELTISCH_PORT', '8000')}"]
workers = int(os.environ.get("SPIELTISCH_WORKERS", "2"))
worker_class = "gevent"
# More connections than event streams (2,000), so that streams never starve plain requests.
worker_connections = int(os.environ.get("SPIELTISCH_STREAMS_PER_WORKER", "2000")) + 200
# One listening socket for all processes: each takes one connection at a time when it is idle (reuse_port would share
# them out by chance, and let a second service listen on the same port unnoticed).
reuse_port = False
keepalive = 5
timeout = 30
graceful_timeout = 8
preload_app = False
# Its default path is one per user, where two services collide.
control_socket_disable = True
accesslog = None
errorlog = "-"
loglevel = "warning"
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 8190

_PR_SET_PDEATHSIG = 1
_WATCH_S = 0.1
# A POST is answered within 10 s, so its body must be there sooner.
_BODY_S = 8.0
_awaited = set()


def on_starting(_server):
    """End with the process that started the server, even if that one is killed (Linux only)."""
    supervisor = os.environ.get("SPIELTISCH_SUPERVISOR_PID")
    if supervisor is None or not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != int(supervisor):
        sys.exit(1)


def child_exit(_server, worker):
    """Take what only a living process can have, its open streams, out of the metrics."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)


def answer_unreadable_requests(worker):
    """Answer by a problem document, like the application, what gunicorn itself refuses as no request."""
    from gunicorn.http.errors import ParseException

    from spieltisch_service.web.unreadable import answer_to_unreadable

    handle_error = worker.handle_error

    def answer(request, client, address, error):
        if not isinstance(error, ParseException):
            handle_error(request, client, address, error)
            return
        worker.log.warning("Invalid request from ip=%s: %s", (address or ("",))[0], error)
        with contextlib.suppress(OSError):
            client.sendall(answer_to_unreadable())

    worker.handle_error = answer


class TooSlow(Exception):
    """The body of a request took too long."""


class HurriedBody:
    """A request's body that ends, as if the client had gone, when it has not come in time.

    Whoever sends a byte now and then would otherwise hold a connection for ever. One look over all bodies that are
    waited for is cheaper than a timer for each of them, most of which are there at once.
    """

    def __init__(self, inner):
        self.inner = inner
        self.ends_s = time.monotonic() + _BODY_S

    def read(self, size=-1):
        """What there is, at most `size` bytes."""
        self.greenlet = gevent.getcurrent()
        _awaited.add(self)
        try:
            return self.inner.read(size)
        except TooSlow:
            return b""
        finally:
            _awaited.discard(self)

    def cut(self):
        """End the wait, if it still lasts. For the hub alone."""
        if self in _awaited:
            self.greenlet.throw(TooSlow)


def cut_late_bodies():
    """End the waits for bodies that are over."""
    now_s = time.monotonic()
    for body in tuple(_awaited):
        if now_s >= body.ends_s:
            gevent.hub.get_hub().loop.run_callback(body.cut)


def hurry_bodies(worker):
    """Let no body take longer than it may."""
    application = worker.wsgi

    def hurried(environ, start_response):
        if environ.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ:
            environ["wsgi.input"] = HurriedBody(environ["wsgi.input"])
        return application(environ, start_response)

    worker.wsgi = hurried


def post_worker_init(worker):
    """Let nothing hold up a stop: open streams are told to end, idle connections are closed."""
    from spieltisch_service import bootstrap  # after the patching by gevent, like everything that opens sockets

    idle = set()

    class Waiting(gevent.Timeout):
        """The wait of a connection for its next request."""

        def __enter__(self):
            self.greenlet = gevent.getcurrent()
            idle.add(self)
            return super().__enter__()

        def __exit__(self, kind, value, traceback):
            idle.discard(self)
            return super().__exit__(kind, value, traceback)

    def watch():
        while worker.alive:
            gevent.sleep(_WATCH_S)
            cut_late_bodies()
        bootstrap.stopping()
        for waiting in tuple(idle):
            gevent.hub.get_hub().loop.run_callback(waiting.greenlet.throw, waiting)

    answer_unreadable_requests(worker)
    hurry_bodies(worker)
    worker.timeout_ctx = lambda: Waiting(keepalive if worker.alive else _WATCH_S, False)
    gevent.spawn(watch)
