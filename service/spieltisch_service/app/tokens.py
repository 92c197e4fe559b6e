"""Tokens are derived, not stored: HMAC-SHA256(server secret, kind, id, seat, generation).

So the same grant has the same token for ever, an answer can be given again, and the store holds no secret in clear.
A token carries what it is for: `spt_key_{account}_{mac}`, `spt_seat_{match}_{seat}_{generation}_{mac}`,
`spt_invite_{match}_{seat}_{mac}`, ids without their prefix.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode

from spieltisch_service.app.callers import SeatGrant

_MAC = r"[A-Za-z0-9_-]{43}"
_KEY = re.compile(rf"spt_key_([0-9a-f]{{32}})_{_MAC}")
_SEAT = re.compile(rf"spt_seat_([0-9a-f]{{32}})_([0-9])_([0-9]{{1,6}})_{_MAC}")


class Tokens:
    """Makes and reads tokens under one server secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def _mac(self, kind: str, id_: str, seat: int = 0, generation: int = 0) -> str:
        message = f"{kind}\n{id_}\n{seat}\n{generation}".encode()
        digest = hmac.digest(self._secret, message, hashlib.sha256)
        return urlsafe_b64encode(digest).decode().rstrip("=")

    def match_id(self, intent: str, turn: int) -> str:
        """The id of the match that an intent creates the first (0), second (1), … time that its key is used."""
        return "mt_" + hmac.digest(self._secret, f"match\n{intent}\n{turn}".encode(), hashlib.sha256)[:16].hex()

    def key(self, account_id: str) -> str:
        """The API key of an account (`ac_…`)."""
        return f"spt_key_{account_id[3:]}_{self._mac('key', account_id)}"

    def seat(self, grant: SeatGrant) -> str:
        """The token of a seat."""
        mac = self._mac("seat", grant.match, grant.seat, grant.generation)
        return f"spt_seat_{grant.match[3:]}_{grant.seat}_{grant.generation}_{mac}"

    def invitation(self, match_id: str, seat: int) -> str:
        """The invitation to a seat."""
        return f"spt_invite_{match_id[3:]}_{seat}_{self._mac('invite', match_id, seat)}"

    def account_of(self, token: str) -> str | None:
        """The account whose key this is, if it has the right form and MAC."""
        found = _KEY.fullmatch(token)
        if found and hmac.compare_digest(token, self.key(f"ac_{found[1]}")):
            return f"ac_{found[1]}"
        return None

    def grant_of(self, token: str) -> SeatGrant | None:
        """What a seat token stands for, if it has the right form and MAC. The generation may be over."""
        found = _SEAT.fullmatch(token)
        if found:
            grant = SeatGrant(f"mt_{found[1]}", int(found[2]), int(found[3]))
            if hmac.compare_digest(token, self.seat(grant)):
                return grant
        return None

    def invited_to(self, token: str, match_id: str, players: int) -> int | None:
        """The seat of the match that this invitation is for."""
        for seat in range(players):
            if hmac.compare_digest(token.encode(), self.invitation(match_id, seat).encode()):
                return seat
        return None
