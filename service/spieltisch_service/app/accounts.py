"""Accounts: a name gets an API key, and every token is turned into a caller."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
import unicodedata
from collections import OrderedDict
from dataclasses import replace
from typing import Any

import orjson

from spieltisch_service.app.access import held_seats, require_account, require_known
from spieltisch_service.app.callers import ANONYMOUS, Account, Answer, Caller, Once
from spieltisch_service.app.errors import (
    FieldError,
    IdempotencyKeyReused,
    InvalidBody,
    InvalidParameter,
    NotFound,
    Unauthenticated,
)
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.app.stored import ACCOUNT_SCHEMA, account_of
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.domain.match import Match, Person, Seat

KEY_NOTICE = "Keep the key: it is shown now and cannot be recovered when lost."
#: How long a token that was found good is trusted without asking the store again.
_TRUST_S = 4.0
_TRUSTED_TOKENS = 10_000
_CREATE_KEY_TTL_S = 24 * 3600
_SHORTEST_KEY_OF_NOBODY = 32


def clean_name(name: str, pointer: str) -> str:
    """The name in NFC: 1 to 64 code points, no control characters. Raises InvalidBody."""
    name = unicodedata.normalize("NFC", name)
    if not 1 <= len(name) <= 64:
        raise _bad_name(pointer, "out_of_range", "a name has 1 to 64 code points")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise _bad_name(pointer, "bad_format", "a name has no control characters")
    return name


def _bad_name(pointer: str, code: str, detail: str) -> InvalidBody:
    return InvalidBody(detail, errors=[FieldError(code, detail, pointer=pointer)])


class Accounts:
    """Create, recognise and erase accounts."""

    def __init__(self, live: LiveMatches, tokens: Tokens) -> None:
        self._live = live
        self._store = live.store
        self._tokens = tokens
        self._trusted: OrderedDict[str, tuple[Caller, float]] = OrderedDict()
        self._lock = threading.Lock()

    def create(self, name: str, kind: str, caller: Caller, once: Once | None) -> Answer:
        """A new account with its key; 201. Without a caller an idempotency key has at least 32 characters."""
        name = clean_name(name, "/name")
        if once is not None and not caller.known and once.length < _SHORTEST_KEY_OF_NOBODY:
            detail = f"without a token an Idempotency-Key has at least {_SHORTEST_KEY_OF_NOBODY} characters"
            raise InvalidParameter(detail, errors=[FieldError("out_of_range", detail, parameter="Idempotency-Key")])
        account_id = candidate = f"ac_{secrets.token_hex(16)}"
        if once is not None:
            fingerprint, account_id = self._store.reserve(once.key, once.fingerprint, candidate, _CREATE_KEY_TTL_S)
            if fingerprint != once.fingerprint:
                msg = "this Idempotency-Key was used before with another body; use a new key for another account"
                raise IdempotencyKeyReused(msg)
        key = self._tokens.key(account_id)
        document = orjson.dumps({"schema": ACCOUNT_SCHEMA, "name": name, "kind": kind, "key_sha256": _sha256(key)})
        kept, created_at_ms = self._store.put_account(account_id, document)
        if not kept:
            msg = "the account that this Idempotency-Key made was erased; use a new key for another account"
            raise IdempotencyKeyReused(msg)
        account = _account(account_id, kept, created_at_ms)
        body = {"account": account.to_wire(), "key": key, "notice": KEY_NOTICE}
        return Answer(body, 201, "/v1/me", replayed=account_id != candidate)

    def authenticate(self, token: str, match_id: str | None = None) -> Caller:
        """Who shows this token. Raises Unauthenticated. Good tokens are trusted for a few seconds.

        `match_id` is what the caller is about to change: where the store must be asked, it is read on the way.
        """
        digest = _sha256(token)
        with self._lock:
            trusted = self._trusted.get(digest)
        if trusted is not None and time.monotonic() < trusted[1]:
            return trusted[0]
        caller = self._recognise(token, digest, match_id)
        with self._lock:
            self._trusted[digest] = (caller, time.monotonic() + _TRUST_S)
            self._trusted.move_to_end(digest)
            if len(self._trusted) > _TRUSTED_TOKENS:
                self._trusted.popitem(last=False)
        return caller

    def _recognise(self, token: str, digest: str, match_id: str | None) -> Caller:
        account_id = self._tokens.account_of(token)
        if account_id is not None:
            found = self._account(account_id, match_id)
            if found is not None and hmac.compare_digest(account_of(found[0])["key_sha256"], digest):
                return Caller(account=_account(account_id, *found), token=token)
        grant = self._tokens.grant_of(token)
        if grant is not None:
            caller = Caller(seat=grant, token=token)
            try:
                match = self._live.current(grant.match).match
            except NotFound:
                match = None
            if match is not None and held_seats(match, caller):
                return caller
        msg = "this token is not valid (any more)"
        raise Unauthenticated(msg)

    def _account(self, account_id: str, match_id: str | None) -> tuple[bytes, int] | None:
        if match_id is None or self._live.keeps(match_id):
            return self._store.account(account_id)
        found, stored = self._store.account_and_match(account_id, match_id)
        if found is not None and stored is not None:
            self._live.keep(stored)
        return found

    def me(self, caller: Caller) -> dict[str, Any]:
        """Who the caller is. Raises Unauthenticated."""
        require_known(caller)
        seat = None if caller.seat is None else {"match": caller.seat.match, "seat": caller.seat.seat}
        return {
            "account": None if caller.account is None else caller.account.to_wire(),
            "seat": seat,
            "scopes": list(caller.scopes),
            "limits": [],
        }

    def erase(self, caller: Caller) -> dict[str, Any]:
        """End the key and take the name out of everything. The matches stay, without the name."""
        account_id = require_account(caller)
        before: tuple[int, str] | None = None
        while page := self._store.list_of_account(account_id, before, 100):
            for _, match_id in page:
                self._live.rewrite(match_id, lambda match: without_name(match, account_id))
            before = page[-1]
        self._store.delete_account(account_id)
        with self._lock:
            self._trusted = OrderedDict(
                (digest, kept)
                for digest, kept in self._trusted.items()
                if kept[0].account is None or kept[0].account.id != account_id
            )
        assert caller.account is not None
        return {"account": caller.account.to_wire() | {"name": None}}

    def still_valid(self, caller: Caller) -> bool:
        """Whether the caller's token is still good; for streams, which outlive it."""
        if caller.token is None:
            return caller == ANONYMOUS
        try:
            self.authenticate(caller.token)
        except Unauthenticated:
            return False
        return True


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _account(account_id: str, document: bytes, created_at_ms: int) -> Account:
    raw = account_of(document)
    return Account(account_id, raw["name"], raw["kind"], created_at_ms)


def without_name(match: Match, account_id: str) -> Match:
    """The match without the name of the account that had one of its seats."""

    def seat(old: Seat) -> Seat:
        return replace(old, name=None) if old.account == account_id else old

    def person(old: Person) -> Person:
        return replace(old, name=None) if old.account == account_id else old

    return replace(
        match,
        first_seats=tuple(map(seat, match.first_seats)),
        seats=tuple(map(seat, match.seats)),
        people={seq: person(old) for seq, old in match.people.items()},
    )
