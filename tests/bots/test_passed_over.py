"""A match that a newer version wrote keeps neither the house bots nor the sweeper from the others."""

from collections.abc import Callable

import redis

from spieltisch_service.app.callers import Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import HouseBots, Sweeper
from spieltisch_service.domain.match import Lifetimes
from spieltisch_service.store.entries import pack_part, unpack_part
from spieltisch_service.store.layout import match_place


def test_a_match_of_another_schema_is_passed_over(
    clean_valkey: str, service: Service, other_worker: Service, new_service: Callable[..., Service]
) -> None:
    key = service.accounts.create("Ada", "human", Caller(), None).body["key"]
    ada = service.accounts.authenticate(key)
    brief = new_service(lifetimes=Lifetimes(running_ms=0))
    wanted = NewMatch("wunderland", ["bot:random", "bot:random"], {"round_limit": 1})
    newer, ours = (brief.matches.create(ada, wanted, None).body["id"] for _ in range(2))
    with redis.Redis.from_url(clean_valkey) as client:
        name = match_place(newer).match.decode()
        document = client.hget(name, "d")
        assert isinstance(document, bytes)
        changed = unpack_part(document).replace(b'"schema":1', b'"schema":2')
        client.hset(name, "d", pack_part(changed, small=True))
        # The one that nobody here can read has waited longest.
        client.zadd(match_place(newer).bucket.bots.decode(), {newer: 1})
        assert other_worker.store.waiting_for_bots(10) == [newer, ours]
        before = client.hgetall(name)
        bots = HouseBots(other_worker, seed=1)
        assert bots.play_waiting() == 1
        assert other_worker.store.version(ours) == 3
        for match_id in (newer, ours):
            place = match_place(match_id)
            client.zadd(place.bucket.timers.decode(), {match_id: 1})
        assert Sweeper(other_worker).sweep() == 1
        assert other_worker.live.fresh(ours).match.status == "aborted"
        # Nothing is left to do: the bots wait, and do not ask again and again.
        assert bots.play_waiting() == 0
        assert client.hgetall(name) == before
