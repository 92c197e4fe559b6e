"""Fair deals: what the server commits to before anybody joins, and how everybody's nonces enter the deal.

commitment = SHA-256 of label, match id, game, rules version and seed, one a line. Deal seed = HMAC-SHA256(seed, label
and one line for each seat: its nonce or nothing). The shuffle that follows is `games.chance`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

#: A nonce that a seat may bring.
NONCE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def commitment(match_id: str, game: str, rules_version: str, seed: bytes) -> str:
    """What is published with the match: hex, 64 digits. `seed` is 32 random bytes."""
    text = f"spieltisch-commitment/1\n{match_id}\n{game}\n{rules_version}\n{seed.hex()}"
    return hashlib.sha256(text.encode()).hexdigest()


def deal_seed(seed: bytes, nonces: Sequence[str | None]) -> bytes:
    """The 32 bytes that the shuffle is keyed with; `nonces` by seat, None where a seat brought none."""
    message = "spieltisch-deal/1" + "".join(f"\n{nonce or ''}" for nonce in nonces)
    return hmac.digest(seed, message.encode(), hashlib.sha256)
