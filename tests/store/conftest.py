"""Stores of every kind that the service runs on, each a real server from the same binary."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from spieltisch_service.store.connection import connect
from spieltisch_service.store.redis_store import RedisStore
from tests.store.servers import Cluster, UnixServer


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    nodes = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        nodes.start()
        yield nodes
    finally:
        nodes.stop()


@pytest.fixture
def clean_cluster(cluster: Cluster) -> str:
    cluster.flush()
    return cluster.url


@pytest.fixture(params=["standalone", "cluster"])
def store_url(request: pytest.FixtureRequest) -> str:
    """An empty store of each kind; a new kind is one more line here."""
    fixtures = {"standalone": "clean_valkey", "cluster": "clean_cluster"}
    url: str = request.getfixturevalue(fixtures[request.param])
    return url


@pytest.fixture
def store(store_url: str) -> Iterator[RedisStore]:
    opened = connect(store_url)
    yield opened
    opened.close()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[UnixServer]:
    """A server that a test may stop, pause and spoil."""
    server = UnixServer(tmp_path)
    server.start()
    yield server
    server.kill()
