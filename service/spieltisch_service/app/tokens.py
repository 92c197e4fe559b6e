"""Tokens are derived, not stored: HMAC-SHA256(server secret, kind, id, what else tells it from others).

So the same grant has the same token for ever, an answer can be given again, and the store holds no secret in clear.
A token carries what it is for, ids without their prefix, and ends with a checksum, so that a scanner of secrets knows
one when it sees it, and a mistyped one costs nobody anything:

    spt_key_{account}_{key}_{mac}{checksum}
    spt_seat_{match}_{seat}_{generation}_{mac}{checksum}
    spt_invite_{match}_{invitation}_{mac}{checksum}

The MAC is 43 digits of base 62 (0-9, A-Z, a-z); the checksum is the CRC32 of all characters before it, 6 such digits.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from zlib import crc32

from spieltisch_service.app.callers import SeatGrant

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = tuple(high + low for high in _DIGITS for low in _DIGITS)
_MAC_DIGITS, _CHECKSUM_DIGITS = 43, 6
_TAIL = r"[0-9A-Za-z]{49}"
_KEY = re.compile(rf"spt_key_([0-9a-f]{{32}})_([0-9a-f]{{32}})_{_TAIL}")
_SEAT = re.compile(rf"spt_seat_([0-9a-f]{{32}})_([0-9])_([0-9]{{1,9}})_{_TAIL}")
_INVITATION = re.compile(rf"spt_invite_([0-9a-f]{{32}})_([0-9a-f]{{32}})_{_TAIL}")
#: The one key of an account from before keys had ids.
_ONLY_KEY = re.compile(r"spt_key_([0-9a-f]{32})_[A-Za-z0-9_-]{43}")


class Tokens:
    """Makes and reads tokens under one server secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def _derived(self, *words: str | int) -> bytes:
        return hmac.digest(self._secret, "\n".join(map(str, words)).encode(), hashlib.sha256)

    def _token(self, kind: str, id_: str, *words: str | int) -> str:
        mac = _in_base_62(int.from_bytes(self._derived(kind, id_, *words), "big"), _MAC_DIGITS)
        body = f"spt_{kind}_{'_'.join(map(_bare, (id_, *words)))}_{mac}"
        return body + checksum(body)

    # --- ids that must be found again -----------------------------------------------------------------------

    def match_id(self, intent: str, turn: int) -> str:
        """The id of the match that an intent creates the first (0), second (1), … time that its key is used."""
        return "mt_" + self._derived("match", intent, turn)[:16].hex()

    def rematch_id(self, match_id: str) -> str:
        """The id of the match that follows an ended one."""
        return "mt_" + self._derived("rematch", match_id)[:16].hex()

    def tournament_id(self, intent: str, turn: int) -> str:
        """The id of the tournament that an intent creates the first (0), second (1), … time that its key is used."""
        return "tn_" + self._derived("tournament", intent, turn)[:16].hex()

    def table_match_id(self, table: str, number: int) -> str:
        """The id of the match that a table of a tournament plays as its `number`th."""
        return "mt_" + self._derived("table match", table, number)[:16].hex()

    def first_key_id(self, account_id: str) -> str:
        """The id of the key that an account begins with."""
        return "ky_" + self._derived("first key", account_id)[:16].hex()

    def invitation_id(self, match_id: str, intent: str) -> str:
        """The id of the invitation that an intent makes."""
        return "iv_" + self._derived("later invitation", match_id, intent)[:16].hex()

    # --- keys -----------------------------------------------------------------------------------------------

    def key(self, account_id: str, key_id: str) -> str:
        """An API key of an account (`ac_…`, `ky_…`)."""
        return self._token("key", account_id, key_id)

    def only_key(self, account_id: str) -> str:
        """The key of an account from before keys had ids and checksums."""
        mac = urlsafe_b64encode(self._derived("key", account_id, 0, 0)).decode().rstrip("=")
        return f"spt_key_{account_id[3:]}_{mac}"

    def account_of(self, token: str) -> str | None:
        """The account of which this is a key, if it has the right form, checksum and MAC. The key may have ended."""
        if found := _KEY.fullmatch(token):
            account_id = f"ac_{found[1]}"
            return account_id if _is(token, self.key, account_id, f"ky_{found[2]}") else None
        if (found := _ONLY_KEY.fullmatch(token)) and hmac.compare_digest(token, self.only_key(f"ac_{found[1]}")):
            return f"ac_{found[1]}"
        return None

    # --- seats ----------------------------------------------------------------------------------------------

    def seat(self, grant: SeatGrant) -> str:
        """The token of a seat."""
        return self._token("seat", grant.match, grant.seat, grant.generation)

    def grant_of(self, token: str) -> SeatGrant | None:
        """What a seat token stands for, if it has the right form, checksum and MAC. The generation may be over."""
        found = _SEAT.fullmatch(token)
        if found:
            grant = SeatGrant(f"mt_{found[1]}", int(found[2]), int(found[3]))
            if _is(token, self.seat, grant):
                return grant
        return None

    # --- invitations ----------------------------------------------------------------------------------------

    def invitation(self, match_id: str, invitation_id: str) -> str:
        """The token of an invitation (`iv_…`) to a match."""
        return self._token("invite", match_id, invitation_id)

    def first_invitation_id(self, match_id: str, seat: int) -> str:
        """The id of the invitation that an `invite` seat begins with."""
        return "iv_" + self._derived("first invitation", match_id, seat)[:16].hex()

    def invitation_of(self, token: str, match_id: str) -> str | None:
        """The id of the invitation to the match that this is the token of. It may not exist any more."""
        found = _INVITATION.fullmatch(token)
        if found and found[1] == match_id[3:] and _is(token, self.invitation, match_id, f"iv_{found[2]}"):
            return f"iv_{found[2]}"
        return None


def checksum(text: str) -> str:
    """The CRC32 (IEEE 802.3) of the text, as 6 digits of base 62."""
    return _in_base_62(crc32(text.encode()), _CHECKSUM_DIGITS)


def _is(token: str, make: Callable[..., str], *of: object) -> bool:
    """Whether this is the token that `make` makes. A wrong checksum is told without the secret."""
    if token[-_CHECKSUM_DIGITS:] != checksum(token[:-_CHECKSUM_DIGITS]):
        return False
    return hmac.compare_digest(token, make(*of))


def _bare(word: str | int) -> str:
    """What a token carries of it: an id without its prefix, a number."""
    return word[3:] if isinstance(word, str) else str(word)


def _in_base_62(number: int, digits: int) -> str:
    written = []
    for _ in range(0, digits, 2):
        number, pair = divmod(number, 3844)
        written.append(_PAIRS[pair])
    return "".join(reversed(written))[-digits:]
