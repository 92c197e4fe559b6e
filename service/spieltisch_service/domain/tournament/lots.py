"""The chance of a tournament: lots and deal seeds, keyed by its seed, which anybody can compute again.

A lot is the first 8 bytes of HMAC-SHA256(seed, "spieltisch-lot/1\\n" + what it is about, a line each). The seed of a
deal is HMAC-SHA256(seed, "spieltisch-tournament-deal/1\\n" + table id + "\\n" + number of the deal).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable


def lot(seed: str, *about: str | int) -> int:
    """A number of 64 bits; the same for the same seed and `about`."""
    message = "spieltisch-lot/1\n" + "\n".join(map(str, about))
    return int.from_bytes(hmac.digest(seed.encode(), message.encode(), hashlib.sha256)[:8], "big")


def drawn(seed: str, purpose: str, things: Iterable[str]) -> list[str]:
    """All of `things` in an order that only seed, `purpose` and the things themselves decide."""
    return sorted(things, key=lambda thing: (lot(seed, purpose, thing), thing))


def deal_seed(seed: str, table: str, deal: int) -> bytes:
    """The 32 bytes that the shuffle of the `deal`th deal (from 1) of `table` is keyed with."""
    message = f"spieltisch-tournament-deal/1\n{table}\n{deal}"
    return hmac.digest(seed.encode(), message.encode(), hashlib.sha256)


def commitment(seed: str, tournament: str) -> str:
    """What is published before the start, so that no lot and no deal can be chosen later: hex, 64 digits."""
    return hashlib.sha256(f"spieltisch-tournament/1\n{tournament}\n{seed}".encode()).hexdigest()
