from collections.abc import Iterator

import pytest

from spieltisch_service.app.ports import BOTS_TOPIC
from spieltisch_service.store.hub import Hub
from spieltisch_service.store.layout import BOTS_CHANNEL
from spieltisch_service.store.redis_store import RedisStore

from .matches import creation

#: Long enough that only a lost ring can take so long.
SOON_S = 120.0


@pytest.fixture
def hubs(store_url: str) -> Iterator[tuple[Hub, Hub]]:
    """A bell for the bots alone, and one for everything; both connected, which rings once."""
    opened = Hub(store_url, channels=[BOTS_CHANNEL]), Hub(store_url)
    for hub in opened:
        with hub.listen("mt_first") as ear:
            assert ear.wait(SOON_S)
    yield opened
    for hub in opened:
        hub.close()


def test_a_bell_for_bots_hears_only_what_wakes_them(store: RedisStore, hubs: tuple[Hub, Hub]) -> None:
    for_bots, for_all = hubs
    with (
        for_bots.listen(BOTS_TOPIC) as bots,
        for_bots.listen("ac_1") as account,
        for_all.listen(BOTS_TOPIC) as bots_everywhere,
        for_all.listen("ac_1") as account_everywhere,
    ):
        store.commit(creation(wake=("ac_1",)))
        assert account_everywhere.wait(SOON_S)
        store.commit(creation("mt_two", wake=("ac_2", BOTS_TOPIC)))
        assert bots.wait(SOON_S)
        assert bots_everywhere.wait(SOON_S)
        assert not account.wait(0)
