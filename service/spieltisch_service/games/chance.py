"""The only randomness of a game: a shuffle keyed by the deal seed, which anybody can compute again.

Block i is HMAC-SHA256(deal seed, "spieltisch-shuffle/1\\n" + i as 8 bytes big-endian), i = 0, 1, …; each block
gives four 64-bit big-endian words. `below(n)` rejects the words that would favour small numbers.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterable, Iterator

_LABEL = b"spieltisch-shuffle/1\n"
_WORDS = 1 << 64


def _words(deal_seed: bytes) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.digest(deal_seed, _LABEL + block.to_bytes(8, "big"), hashlib.sha256)
        yield from struct.unpack(">4Q", digest)
        block += 1


def shuffled(pile: Iterable[str], deal_seed: bytes) -> list[str]:
    """Shuffle the ids of `pile` (each as often as it occurs) with `deal_seed`; the first is drawn first.

    The pile is sorted in ascending byte order first, so only what is in it counts.
    """
    ids = sorted(pile, key=str.encode)
    words = _words(deal_seed)

    def below(n: int) -> int:
        limit = _WORDS - _WORDS % n
        while (word := next(words)) >= limit:
            pass
        return word % n

    for i in range(len(ids) - 1, 0, -1):
        j = below(i + 1)
        ids[i], ids[j] = ids[j], ids[i]
    return ids
