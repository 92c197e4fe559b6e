"""The keys of an account: several, each with a name, scopes and an end of its own.

All keys lie in the account's document, which is replaced as a whole where it has not changed since it was read: so
the number of keys, an intent that was carried out before, and the store's time are looked at and written in one step.
A key that ended stays there for a day, so that a request that comes again is answered again and makes no other key.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from spieltisch_service.app.access import require_account
from spieltisch_service.app.accounts import KEY_NOTICE, SHOWN, Accounts, clean_name, sha256_of
from spieltisch_service.app.callers import SCOPES, Answer, Caller, Key, Once, Scope
from spieltisch_service.app.errors import (
    FieldError,
    Forbidden,
    IdempotencyKeyReused,
    InvalidBody,
    LimitReached,
    NotFound,
    Unauthenticated,
)
from spieltisch_service.app.ports import Store, StoreUnavailable
from spieltisch_service.app.stored import StoredAccount, account_of
from spieltisch_service.app.tokens import Tokens

MOST_KEYS = 20
#: Of keys that live and those that ended within a day.
MOST_KEYS_A_DAY = 100
#: What a key may do unless more is asked for.
DEFAULT_SCOPES: tuple[Scope, ...] = ("play",)
LONGEST_LIFE_S = 10 * 366 * 24 * 3600
LONGEST_OVERLAP_S = 30 * 24 * 3600
DEFAULT_OVERLAP_S = 3600
#: Longer than an Idempotency-Key is kept.
_KEPT_AFTER_END_MS = 25 * 3600 * 1000
_DEADLINE_S = 8.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewKey:
    """What a key is made from: `expires_in_s` from now, or `expires_at_ms`, or neither (never)."""

    name: str
    scopes: Sequence[Scope] = DEFAULT_SCOPES
    expires_in_s: int | None = None
    expires_at_ms: int | None = None


class Keys:
    """List, make, revoke and rotate the keys of the caller's account."""

    def __init__(self, accounts: Accounts, store: Store, tokens: Tokens) -> None:
        self._accounts = accounts
        self._store = store
        self._tokens = tokens

    def listed(self, caller: Caller) -> dict[str, Any]:
        """The keys that have not ended, oldest first."""

        def look(stored: StoredAccount, now_ms: int) -> tuple[StoredAccount, dict[str, Any]]:
            return stored, {"keys": [key.to_wire() for key in stored.keys if key.is_live(now_ms)]}

        return self._change(require_account(caller), look)

    def get(self, caller: Caller, key_id: str) -> dict[str, Any]:
        """One of the keys; an ended one while it is kept. Raises NotFound."""
        return self._change(require_account(caller), lambda stored, _: (stored, _key_of(stored, key_id).to_wire()))

    def create(self, caller: Caller, wanted: NewKey, once: Once | None) -> Answer:
        """A new key, its token in this answer alone; 201. Raises Forbidden for scopes that the caller's key lacks."""
        account_id = require_account(caller)
        name = clean_name(wanted.name, "/name")
        scopes = _in_order(wanted.scopes)
        _require_all(caller, scopes)

        def plan(stored: StoredAccount, now_ms: int) -> tuple[StoredAccount, tuple[Key, bool]]:
            made = _made_before(stored, once)
            if made is not None:
                return stored, (made, True)
            key = self._new_key(account_id, name, scopes, now_ms, _expiry(wanted, now_ms), once)
            return _with(stored, key, now_ms), (key, False)

        return self._shown(account_id, *self._change(account_id, plan))

    def rotate(self, caller: Caller, key_id: str, overlap_s: int, once: Once | None) -> Answer:
        """A key in place of another one, which ends after `overlap_s`; 201.

        It has the name, scopes and length of life of the old one. Raises NotFound for a key that has ended, Forbidden
        for one that has more scopes than the caller's.
        """
        account_id = require_account(caller)

        def plan(stored: StoredAccount, now_ms: int) -> tuple[StoredAccount, tuple[Key, bool]]:
            old = _key_of(stored, key_id)
            _require_all(caller, old.scopes)
            made = _made_before(stored, once)
            if made is not None:
                return stored, (made, True)
            if not old.is_live(now_ms):
                raise _no_such_key()
            expires_at_ms = None if old.expires_at_ms is None else now_ms + old.expires_at_ms - old.created_at_ms
            key = self._new_key(account_id, old.name, old.scopes, now_ms, expires_at_ms, once)
            ending = _ended(old, now_ms + 1000 * overlap_s)
            rest = replace(stored, keys=tuple(ending if each.id == old.id else each for each in stored.keys))
            return _with(rest, key, now_ms), (key, False)

        return self._shown(account_id, *self._change(account_id, plan))

    def revoke(self, caller: Caller, key_id: str) -> dict[str, Any]:
        """End a key, one's own too; the key as it now is. Raises NotFound. Doing it again changes nothing."""

        def plan(stored: StoredAccount, now_ms: int) -> tuple[StoredAccount, dict[str, Any]]:
            old = _key_of(stored, key_id)
            if not old.is_live(now_ms):
                return stored, old.to_wire()
            ended = _ended(old, now_ms)
            changed = replace(stored, keys=tuple(ended if key.id == key_id else key for key in stored.keys))
            return changed, ended.to_wire()

        return self._change(require_account(caller), plan)

    # --- how ------------------------------------------------------------------------------------------------

    def _change(self, account_id: str, plan: Callable[[StoredAccount, int], tuple[StoredAccount, T]]) -> T:
        """Do what `plan` says (of the account and the store's time) about the account as the store has it."""
        deadline_s = time.monotonic() + _DEADLINE_S
        while time.monotonic() < deadline_s:
            found = self._store.account(account_id)
            if found is None:
                msg = "this key has ended: its account was erased"
                raise Unauthenticated(msg)
            stored = account_of(found.document, found.created_at_ms)
            changed, result = plan(stored, found.now_ms)
            if changed is stored:
                return result
            if self._store.replace_account(account_id, found.document, changed.to_document()):
                self._accounts.forget(account_id)
                return result
        msg = "the account is changed by others faster than this request could be"
        raise StoreUnavailable(msg)

    def _new_key(
        self,
        account_id: str,
        name: str,
        scopes: tuple[Scope, ...],
        now_ms: int,
        expires_at_ms: int | None,
        once: Once | None,
    ) -> Key:
        key_id = f"ky_{secrets.token_hex(16)}"
        token = self._tokens.key(account_id, key_id)
        return Key(
            id=key_id,
            name=name,
            scopes=scopes,
            created_at_ms=now_ms,
            expires_at_ms=expires_at_ms,
            ends_with=token[-SHOWN:],
            sha256=sha256_of(token),
            once=None if once is None else (once.key, once.fingerprint),
        )

    def _shown(self, account_id: str, key: Key, replayed: bool) -> Answer:
        """The answer with the token. However often it is given, it is the one of when the key was made."""
        body = replace(key, ended_at_ms=None).to_wire()
        body |= {"key": self._tokens.key(account_id, key.id), "notice": KEY_NOTICE}
        return Answer(body, 201, f"/v1/me/keys/{key.id}", replayed=replayed)


def _key_of(stored: StoredAccount, key_id: str) -> Key:
    for key in stored.keys:
        if key.id == key_id:
            return key
    raise _no_such_key()


def _no_such_key() -> NotFound:
    return NotFound("the account has no such key (any more)")


def _in_order(wanted: Sequence[Scope]) -> tuple[Scope, ...]:
    """Scopes in the order in which they are listed. Raises InvalidBody for none and for one that comes twice."""
    if not wanted:
        raise _bad_scopes("out_of_range", "a key has at least one scope")
    if len(set(wanted)) < len(wanted):
        raise _bad_scopes("duplicate", "a scope is named once")
    return tuple(scope for scope in SCOPES if scope in wanted)


def _bad_scopes(code: str, detail: str) -> InvalidBody:
    return InvalidBody(detail, errors=[FieldError(code, detail, pointer="/scopes")])


def _require_all(caller: Caller, scopes: Sequence[Scope]) -> None:
    """Raises Forbidden where the caller's own key has not all of them: no key makes a stronger one."""
    lacking = [scope for scope in scopes if scope not in caller.scopes]
    if lacking:
        has = ", ".join(caller.scopes)
        msg = f"a key makes no key that may do more than itself: yours has {has}, and not {', '.join(lacking)}"
        raise Forbidden(msg)


def _made_before(stored: StoredAccount, once: Once | None) -> Key | None:
    """The key that this intent has made. Raises IdempotencyKeyReused."""
    for key in stored.keys:
        if once is not None and key.once is not None and key.once[0] == once.key:
            if key.once[1] != once.fingerprint:
                msg = "this Idempotency-Key was used before with another body; use a new key for another API key"
                raise IdempotencyKeyReused(msg)
            return key
    return None


def _expiry(wanted: NewKey, now_ms: int) -> int | None:
    """When the key ends, by the store's time. Raises InvalidBody for an instant that has passed or is too far away."""
    if wanted.expires_in_s is not None:
        if wanted.expires_at_ms is None:
            return now_ms + 1000 * wanted.expires_in_s
        detail = "a key expires in a time or at an instant: give one of expires_in_s and expires_at"
        raise InvalidBody(detail, errors=[FieldError("duplicate", detail, pointer="/expires_at")])
    if wanted.expires_at_ms is not None and not 0 < wanted.expires_at_ms - now_ms <= 1000 * LONGEST_LIFE_S:
        detail = "a key expires in the future, within ten years"
        raise InvalidBody(detail, errors=[FieldError("out_of_range", detail, pointer="/expires_at")])
    return wanted.expires_at_ms


def _ended(key: Key, at_ms: int) -> Key:
    """The key with an end at `at_ms`, unless it ends before that."""
    return replace(key, ended_at_ms=at_ms if key.ended_at_ms is None else min(at_ms, key.ended_at_ms))


def _with(stored: StoredAccount, key: Key, now_ms: int) -> StoredAccount:
    """The account with one key more, without those that ended long ago. Raises LimitReached."""
    kept = [old for old in stored.keys if old.is_live(now_ms - _KEPT_AFTER_END_MS)]
    if sum(old.is_live(now_ms) for old in kept) >= MOST_KEYS:
        msg = f"an account has at most {MOST_KEYS} keys; revoke one of them first"
        raise LimitReached(msg)
    if len(kept) >= MOST_KEYS_A_DAY:
        msg = f"an account makes at most {MOST_KEYS_A_DAY} keys a day"
        raise LimitReached(msg)
    return replace(stored, keys=(*kept, key))
