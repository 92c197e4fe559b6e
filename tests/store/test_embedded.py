"""The embedded store: found, started, adopted, refused, revived, ended."""

import redis


def test_the_fixture_gives_an_empty_persistent_store(clean_valkey: str) -> None:
    with redis.Redis.from_url(clean_valkey, decode_responses=True) as client:
        assert client.dbsize() == 0
        assert client.config_get("appendonly") == {"appendonly": "yes"}
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
