"""The API keys of an account."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from spieltisch._transport import segment
from spieltisch.models import Key, KeyList, NewKey
from spieltisch.resources.reading import read

if TYPE_CHECKING:
    from spieltisch.client import Client

_PATH = "/v1/me/keys"


class Keys:
    """The API keys of the client's account. Its own key needs the scope `admin` (Forbidden)."""

    def __init__(self, client: Client) -> None:
        self._transport = client.transport

    def list(self) -> tuple[Key, ...]:
        """The keys that have not ended, oldest first."""
        return read(KeyList, self._transport.get(_PATH)).keys

    def get(self, key_id: str) -> Key:
        """One key; an ended one for another day. `key_id` is its `ky_…`, never the key itself."""
        return read(Key, self._transport.get(f"{_PATH}/{segment(key_id)}"))

    def create(
        self,
        name: str,
        *,
        scopes: Sequence[str] | None = None,
        expires_in_s: int | None = None,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> NewKey:
        """One more key; `client.with_key(made.key)` uses it.

        scopes: what it may do, at most what the client's own key may; by default `play` alone. It lasts unless one of
        `expires_in_s` and `expires_at` (an aware datetime; else ValueError) is given.
        """
        body = {
            "name": name,
            "scopes": None if scopes is None else list(scopes),
            "expires_in_s": expires_in_s,
            "expires_at": None if expires_at is None else _instant(expires_at),
        }
        return read(NewKey, self._transport.post(_PATH, body, idempotency_key=idempotency_key))

    def revoke(self, key_id: str) -> Key:
        """End a key: within 5 seconds it opens nothing any more. Returns it as it now is."""
        return read(Key, self._transport.delete(f"{_PATH}/{segment(key_id)}"))

    def rotate(self, key_id: str, *, overlap_s: int | None = None, idempotency_key: str | None = None) -> NewKey:
        """A key in place of another one, which ends after `overlap_s` (an hour, unless given)."""
        path = f"{_PATH}/{segment(key_id)}/rotation"
        return read(NewKey, self._transport.post(path, {"overlap_s": overlap_s}, idempotency_key=idempotency_key))


def _instant(at: datetime) -> str:
    if at.tzinfo is None:
        raise ValueError("expires_at is a datetime with its time zone: datetime.now(timezone.utc) + …")
    utc = at.astimezone(timezone.utc)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
