"""The one place where everything concrete is named: from settings to a service, its web application or its worker."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from spieltisch_service.app.ports import UNOBSERVED, Observer, StoreUnavailable
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import BOTS, HouseBots, Sweeper
from spieltisch_service.jobs import Jobs
from spieltisch_service.settings import BadSettings, Settings
from spieltisch_service.store.connection import connect
from spieltisch_service.store.health import UnsuitableStore
from spieltisch_service.store.hub import Hub
from spieltisch_service.store.layout import BOTS_CHANNEL, CHANNELS
from spieltisch_service.web.metrics import Metrics

if TYPE_CHECKING:
    from flask import Flask

_hubs: list[Hub] = []
_serving: list[Service] = []
_log = structlog.get_logger(__name__)


def build_service(
    settings: Settings,
    observer: Observer = UNOBSERVED,
    channels: Sequence[bytes] = CHANNELS,
    *,
    serves: bool = True,
) -> Service:
    """The use cases over the store that the settings name, with a bell that hears `channels`.

    `serves`: for a process that answers requests; as long as one of these is there, the service counts as up.

    Raises `BadSettings` where no store is named, or one that would lose matches. A store that does not answer yet
    is no reason not to start: requests are answered 503 until it does.
    """
    if settings.redis_url is None:
        msg = "REDIS_URL is not set; `serve` sets it to the service's own store"
        raise BadSettings(msg)
    store = connect(settings.redis_url, durability=settings.durability, observer=observer)
    try:
        store.check(allow_volatile=settings.allow_unsafe_store)
    except UnsuitableStore as error:
        raise BadSettings(f"REDIS_URL: {error}") from None
    except StoreUnavailable as error:
        _log.warning("store_unavailable", detail=str(error))
    hub = Hub(settings.redis_url, observer, channels)
    _hubs.append(hub)
    service = Service(
        store,
        hub,
        settings.secret.encode(),
        bots=tuple(BOTS),
        lifetimes=settings.lifetimes,
        seat_abort_ms=settings.seat_abort_after_ms,
        stream_cap=settings.streams_per_worker,
        limits=settings.limits_in_force(),
        serves=serves,
        observer=observer,
    )
    if serves:
        _serving.append(service)
        service.heart.start()
    return service


def build_app(settings: Settings) -> Flask:
    """The WSGI application."""
    from werkzeug.middleware.proxy_fix import ProxyFix

    from spieltisch_service.web.app import create_app

    metrics = Metrics()
    app = create_app(build_service(settings, metrics), settings, metrics)
    if settings.trusted_proxies:
        # Only the address, and only as many hops as the operator vouches for; without this the header is not read.
        trusting = ProxyFix(app.wsgi_app, x_for=settings.trusted_proxies, x_proto=0, x_host=0)
        app.wsgi_app = trusting  # type: ignore[method-assign]
    return app


class Worker:
    """The work that is not a request: house bots, the sweep of matches whose time is over, and jobs."""

    def __init__(self, service: Service, store_url: str) -> None:
        self._service = service
        self._jobs = Jobs(store_url, self._look_after)
        self._bots = HouseBots(service)
        self._sweeper = Sweeper(service, self._jobs.hand_on)

    def run_until(self, stop: threading.Event) -> None:
        """Work until `stop` is set."""
        sweeping = threading.Thread(target=self._sweeper.run_until, args=(stop,), name="sweeper", daemon=True)
        sweeping.start()
        self._jobs.start()
        self._bots.run_until(stop)
        sweeping.join()
        self._jobs.stop()

    def _look_after(self, id_: str) -> None:
        self._service.director.look_after(id_)
        self._sweeper.ended(id_)


def build_worker(settings: Settings) -> Worker:
    """The worker beside the server."""
    service = build_service(settings, Metrics(), [BOTS_CHANNEL], serves=False)
    assert settings.redis_url is not None
    return Worker(service, settings.redis_url)


def stopping() -> None:
    """The process is about to stop: end all waiting and all streams at once."""
    for service in _serving:
        service.heart.stop()
    for hub in _hubs:
        hub.close()
