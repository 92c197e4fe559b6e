"""What every room's tests may use: a real store of their own, started by the test session itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from spieltisch_service.store.embedded import EmbeddedStore


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--games N`: how many random matches of each game the contract suite plays."""
    parser.addoption("--games", type=int, default=200, help="random matches of each game in the contract suite")


@pytest.fixture(scope="session")
def games_per_game(request: pytest.FixtureRequest) -> int:
    """How many random matches of each game are to be played."""
    count: int = request.config.getoption("--games")
    return count


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL (`unix:///…`) of a store that this test process alone uses."""
    store = EmbeddedStore(Path(tmp_path_factory.mktemp("store")) / "data", "fast")
    store.start()
    yield store.url
    store.stop()


@pytest.fixture
def clean_valkey(valkey_url: str) -> str:
    """The same URL, with nothing in the store."""
    with redis.Redis.from_url(valkey_url) as client:
        client.flushall()
    return valkey_url
