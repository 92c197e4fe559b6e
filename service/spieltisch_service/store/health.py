"""What the servers say about themselves: product, durability, whether they write, and whether they are fit at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redis.exceptions import NoPermissionError, ResponseError

from spieltisch_service.app.ports import StoreUnavailable
from spieltisch_service.store.faults import translate
from spieltisch_service.store.nodes import Nodes

#: From the strongest to the weakest.
_LEVELS = ("fsync", "fast", "none")
_OLDEST = (7, 0)


class UnsuitableStore(Exception):
    """The store answers, but would lose matches or lacks what the scripts need. The message says what to change."""


@dataclass(frozen=True, slots=True)
class Health:
    """The weakest answer of all servers.

    `level`: `fsync`, `fast` or `none`; `server`: product and version; `compatible`: the Redis version whose commands
    it has; `eviction`: the policies other than `noeviction`; `refusal`: why it does not write now, or None.
    """

    level: str
    server: str
    compatible: tuple[int, int]
    eviction: tuple[str, ...]
    refusal: str | None

    def raise_unless_writable(self) -> None:
        """Raise `StoreUnavailable` when a server says that it refuses writes."""
        if self.refusal is not None:
            raise StoreUnavailable(self.refusal)


def ask_health(nodes: Nodes, declared: str | None = None) -> Health:
    """Ask all servers, one round trip each. `declared` is believed where CONFIG is hidden."""
    answers = nodes.ask_everyone([("INFO",), ("CONFIG", "GET", "append*"), ("CONFIG", "GET", "maxmemory-policy")])
    each = [_health(answer, declared) for answer in answers]
    return Health(
        level=max((one.level for one in each), key=_LEVELS.index),
        server=each[0].server,
        compatible=min(one.compatible for one in each),
        eviction=tuple(sorted({policy for one in each for policy in one.eviction})),
        refusal=next((one.refusal for one in each if one.refusal is not None), None),
    )


def check_health(health: Health, *, allow_volatile: bool = False) -> Health:
    """Refuse a store that would lose matches: `UnsuitableStore`.

    That is one with an eviction policy, one without an append-only file, and any older than Redis 7.0.
    `allow_volatile` allows the first two.
    """
    if health.compatible < _OLDEST:
        raise UnsuitableStore(f"{health.server} is too old: Redis 7.0, Valkey 7.2 or newer is needed")
    if allow_volatile:
        return health
    if health.eviction:
        raise UnsuitableStore(
            f"{health.server} has maxmemory-policy {', '.join(health.eviction)} and may throw matches away; "
            "set maxmemory-policy noeviction, or allow a volatile store explicitly"
        )
    if health.level == "none":
        raise UnsuitableStore(
            f"{health.server} does not write an append-only file and would forget everything when it stops; set "
            "appendonly yes and appendfsync always or everysec, or allow a volatile store explicitly"
        )
    return health


def _health(answers: Sequence[Any], declared: str | None) -> Health:
    info_answer, append_answer, policy_answer = answers
    if isinstance(info_answer, Exception):
        translate(info_answer)
    info = dict(
        line.split(":", 1) for line in info_answer.decode().splitlines() if ":" in line and not line.startswith("#")
    )
    config = _config(append_answer)
    policy = _config(policy_answer).get("maxmemory-policy") or info.get("maxmemory_policy", "noeviction")
    product = "valkey" if "valkey_version" in info else "redis"
    major, minor = info["redis_version"].split(".")[:2]
    return Health(
        level=_level(info, config, declared),
        server=f"{product} {info.get('valkey_version', info['redis_version'])}",
        compatible=(int(major), int(minor)),
        eviction=() if policy == "noeviction" else (policy,),
        refusal=_refusal(info),
    )


def _config(answer: Any) -> Mapping[str, str]:
    """The settings; none where the server hides them (managed servers rename or forbid CONFIG)."""
    if isinstance(answer, NoPermissionError) or (isinstance(answer, ResponseError) and "unknown" in str(answer)):
        return {}
    if isinstance(answer, Exception):
        translate(answer)
    texts = [text.decode() for text in answer]
    return dict(zip(texts[::2], texts[1::2], strict=True))


def _level(info: Mapping[str, str], config: Mapping[str, str], declared: str | None) -> str:
    if not config:
        # Whether it writes is told by INFO; only how often is hidden, and believed.
        return (declared or "fast") if info.get("aof_enabled") == "1" else "none"
    if config.get("appendonly") != "yes":
        return "none"
    return {"always": "fsync", "everysec": "fast"}.get(config.get("appendfsync", ""), "none")


def _refusal(info: Mapping[str, str]) -> str | None:
    if info.get("loading") == "1":
        return "the store is loading its data"
    if info.get("role") != "master":
        return "the store is a read-only replica"
    if info.get("aof_last_write_status", "ok") != "ok":
        return "the store cannot write its append-only file"
    return None
