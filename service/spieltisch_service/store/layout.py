"""Where things lie in the store: the names of keys and channels, and which hash slot they belong to.

A match's keys and the timers, bots' list and public lists of its bucket share the hash tag `{b:NN}`, so that one
script can change them all, on a cluster too. NN is the CRC16 of the match id mod 64. An account's keys share
`{a:ACCOUNT}`. Everything starts with `spt:`, so that a store may be shared with something else.
"""

from __future__ import annotations

from binascii import crc_hqx
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from redis.crc import key_slot

#: How many buckets there are: where a sweeper looks, and over how many slots a cluster spreads the matches.
BUCKETS = 64


@dataclass(frozen=True, slots=True)
class Bucket:
    """One of the 64 places: the hash slot, and the keys that its matches share."""

    slot: int
    tag: bytes
    timers: bytes
    bots: bytes
    channel: bytes

    def public_list(self, name: str) -> bytes:
        """The sorted set of the bucket's public matches in the list `status:game`, by creation time."""
        return b"%b:list:%b" % (self.tag, name.encode())

    def counter(self, name: str) -> bytes:
        """What counts something of the bucket's matches, for as long as its window lasts."""
        return b"%b:n:%b" % (self.tag, name.encode())


@dataclass(frozen=True, slots=True)
class MatchPlace:
    """The keys of one match: `match` (hash), `log` (list of events), `answers` (hash of idempotency rows)."""

    bucket: Bucket
    id: bytes
    match: bytes
    log: bytes
    answers: bytes


@dataclass(frozen=True, slots=True)
class AccountPlace:
    """The keys of one account: `account` (hash), `matches` and `active` (sorted sets by the time of adding)."""

    slot: int
    account: bytes
    matches: bytes
    active: bytes


def _bucket(number: int) -> Bucket:
    tag = b"spt:{b:%02d}" % number
    return Bucket(key_slot(tag), tag, tag + b":timers", tag + b":bots", b"spieltisch:ev:%02d" % number)


ALL_BUCKETS = tuple(_bucket(number) for number in range(BUCKETS))

#: The channels on which commits ring, one a bucket. A message is `MATCH VERSION TOPIC,TOPIC,…`.
CHANNELS = tuple(bucket.channel for bucket in ALL_BUCKETS)
#: Where commits ring, too, after which a house bot must act: who plays for them need not hear of all the others.
BOTS_CHANNEL = b"spieltisch:ev:bots"


#: What all keys begin with, as a pattern.
ANYTHING = b"spt:*"
#: What the keys that reserve an idempotency key begin with; its digest as hex follows.
RESERVATIONS = b"spt:idem:"
#: When a process that serves requests last said that it is there, and the times for which none did.
BEAT, OUTAGES = b"spt:{beat}:last", b"spt:{beat}:outages"
#: What the keys begin with in which jobs wait; a restore finds them again by what stands in the store itself.
JOBS = "spt:{jobs}"
#: The key that is there while a restore goes on, or was cut short.
RESTORING = b"spt:restoring"


@lru_cache(maxsize=4096)
def match_place(match_id: str) -> MatchPlace:
    """Where the match lies."""
    name = match_id.encode()
    bucket = ALL_BUCKETS[crc_hqx(name, 0) % BUCKETS]
    tag = bucket.tag
    return MatchPlace(bucket, name, b"%b:m:%b" % (tag, name), b"%b:e:%b" % (tag, name), b"%b:i:%b" % (tag, name))


@lru_cache(maxsize=4096)
def account_place(account_id: str) -> AccountPlace:
    """Where the account and its lists lie."""
    tag = b"spt:{a:%b}" % account_id.encode()
    return AccountPlace(key_slot(tag), tag + b":me", tag + b":matches", tag + b":active")


def digest(key: str) -> bytes:
    """12 bytes that stand for an idempotency key: keys are long, and every action of every match keeps one."""
    return blake2b(key.encode(), digest_size=12).digest()


def reservation(key: str) -> tuple[int, bytes]:
    """Slot and name of the key that reserves an idempotency key outside a match."""
    name = RESERVATIONS + digest(key).hex().encode()
    return slot_of(name), name


def counter(name: str) -> tuple[int, bytes]:
    """Slot and name of what counts something over all matches."""
    key = b"spt:n:" + name.encode()
    return slot_of(key), key


def slot_of(key: bytes) -> int:
    """The hash slot of a key."""
    return key_slot(key)
