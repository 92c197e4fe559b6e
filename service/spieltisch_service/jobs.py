"""Work that is not a request and may take its time: what follows in a tournament when a match of it has ended.

Dramatiq hands a job on at least once, to any process that works, and again where one died in the middle. So every job
may run twice, and changes nothing the second time. What is to be done stands in the store beside the match
(`Store.due`) until it is done, so that a job that got lost on the way comes again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import dramatiq
import structlog
from dramatiq.brokers.redis import RedisBroker
from dramatiq.errors import BrokerConnectionError as BrokerUnreachable
from dramatiq.middleware import Retries, ShutdownNotifications
from redis.exceptions import RedisError

from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.store.connection import open_client
from spieltisch_service.store.layout import JOBS

#: A failing job is tried again after half a second, then after longer, and given up; the sweeper brings it again.
_TRIES, _FIRST_WAIT_MS, _LONGEST_WAIT_MS = 5, 500, 10_000
#: A process that was not heard of for so long is dead, and others take over its jobs.
_DEAD_AFTER_MS = 15_000
#: How long a worker that has nothing to do waits, in ms, before it looks again.
_LOOK_AGAIN_MS = 200

_log = structlog.get_logger(__name__)


class Jobs:
    """The queue of one store. `work` does one job, of the match or tournament with the id that it is given."""

    def __init__(self, url: str, work: Callable[[str], object]) -> None:
        again = Retries(max_retries=_TRIES, min_backoff=_FIRST_WAIT_MS, max_backoff=_LONGEST_WAIT_MS)
        self._broker = RedisBroker(  # type: ignore[no-untyped-call]
            client=open_client(url),
            namespace=JOBS,
            middleware=[again, ShutdownNotifications()],
            heartbeat_timeout=_DEAD_AFTER_MS,
        )

        def job(id_: str) -> None:
            try:
                work(id_)
            except StoreUnavailable:
                raise
            except Exception:
                _log.exception("job_failed", job=id_)
                raise

        self._actor = dramatiq.actor(actor_name="look_after", broker=self._broker)(job)
        self._worker = dramatiq.Worker(self._broker, worker_timeout=_LOOK_AGAIN_MS, worker_threads=1)

    def hand_on(self, id_: str) -> None:
        """Let some process look after it. Raises StoreUnavailable."""
        try:
            self._actor.send(id_)
        except (BrokerUnreachable, RedisError, OSError) as error:
            raise StoreUnavailable(str(error)) from error

    def start(self) -> None:
        """Work on jobs beside this thread, until `stop`. A store that is away is waited for."""
        # It tells of an outage with every attempt, by a traceback; the sweeper tells of it once.
        logging.getLogger("dramatiq").setLevel(logging.CRITICAL + 1)
        self._worker.start()

    def stop(self) -> None:
        """Finish the job at hand and work no more."""
        self._worker.stop()
        self._broker.close()
