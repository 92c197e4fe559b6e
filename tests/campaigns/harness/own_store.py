"""A store for one run of a campaign, and services over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spieltisch_service.app.service import Service
from spieltisch_service.store.connection import connect
from spieltisch_service.store.embedded import EmbeddedStore
from tests.campaigns.harness.asking import NoBell
from tests.conftest import SECRET


@contextmanager
def own_store(folder: Path) -> Iterator[tuple[str, Callable[..., Service]]]:
    """Its URL, and what makes services: each is like another worker process, with nothing in memory.

    Nothing waits in them: long polls answer at once, and streams end after what there is.
    """
    embedded = EmbeddedStore(folder / "data", "fast")
    embedded.start()
    kept: Any = connect(embedded.url)
    try:
        yield embedded.url, lambda: Service(kept, NoBell(), SECRET, bots=("random",))
    finally:
        kept.close()
        embedded.stop()
