"""The only randomness of a game: shuffles keyed by a seed, which anybody can compute again.

`shuffled` makes deals, and its every step is part of the rules. `arranged` makes worlds that are only imagined, by the
hundred for one decision, and takes a tenth of the time.

Of `shuffled`: block i is HMAC-SHA256(deal seed, "spieltisch-shuffle/1\\n" + i as 8 bytes big-endian), i = 0, 1, …;
each block gives four 64-bit big-endian words. A number below n is a word modulo n; the words that would favour small
numbers are passed over.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TypeVar

_LABEL = b"spieltisch-shuffle/1\n"
_WORDS = 1 << 64
_IMAGINED = b"spieltisch-imagined/1\n"

T = TypeVar("T")


def _words(deal_seed: bytes) -> Iterator[int]:
    # What all blocks begin with is hashed once.
    begun = hmac.new(deal_seed, _LABEL, hashlib.sha256)
    for block in count():
        keyed = begun.copy()
        keyed.update(block.to_bytes(8, "big"))
        yield from struct.unpack(">4Q", keyed.digest())


def shuffled(pile: Iterable[str], deal_seed: bytes) -> list[str]:
    """Shuffle the ids of `pile` (each as often as it occurs) with `deal_seed`; the first is drawn first.

    The pile is sorted in ascending byte order first, so only what is in it counts.
    """
    ids = sorted(pile, key=str.encode)
    words = _words(deal_seed)
    for i in range(len(ids) - 1, 0, -1):
        limit = _WORDS - _WORDS % (i + 1)
        while (word := next(words)) >= limit:
            pass
        j = word % (i + 1)
        ids[i], ids[j] = ids[j], ids[i]
    return ids


def arranged(pile: Sequence[T], seed: bytes) -> list[T]:
    """All of `pile` in an order that only `seed` and the length decide, every order as likely as any other.

    Each place has 64 bits of SHAKE-256 of "spieltisch-imagined/1\\n" + seed (big-endian, in turn); the smaller come
    first. Two places would have the same ones once in 2^52 piles of a hundred, and then keep their order.
    """
    size = len(pile)
    words = struct.unpack(f">{size}Q", hashlib.shake_256(_IMAGINED + seed).digest(8 * size))
    return [pile[place] for place in sorted(range(size), key=words.__getitem__)]
