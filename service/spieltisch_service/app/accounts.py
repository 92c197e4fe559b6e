"""Accounts: a name gets an API key, and every token is turned into a caller. More keys are made by `keys`."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
import unicodedata
from collections import OrderedDict
from dataclasses import replace
from math import inf
from typing import Any

from spieltisch_service.app.access import held_seats, require_account, require_known
from spieltisch_service.app.callers import SCOPES, Account, Answer, Caller, Key, Once
from spieltisch_service.app.errors import (
    FieldError,
    IdempotencyKeyReused,
    InvalidBody,
    InvalidParameter,
    NotFound,
    Unauthenticated,
)
from spieltisch_service.app.live import LiveMatches, is_match
from spieltisch_service.app.ports import AccountFound
from spieltisch_service.app.stored import FIRST_KEY, StoredAccount, account_of
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.app.tournaments.book import Book
from spieltisch_service.app.tournaments.held import without
from spieltisch_service.app.tournaments.leaving import leave
from spieltisch_service.domain.events import instant
from spieltisch_service.domain.match import Match, Person, Seat

#: How many characters of a key are shown to know it by.
SHOWN = 4
KEY_NOTICE = "Keep the key: it is shown now and cannot be recovered when lost."
#: How long a token that was found good is trusted without asking the store again.
TRUST_S = 4.0
_TRUSTED_TOKENS = 10_000
_CREATE_KEY_TTL_S = 24 * 3600
_SHORTEST_KEY_OF_NOBODY = 32
_NOT_VALID = "this token is not valid (any more)"


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

    def __init__(self, live: LiveMatches, book: Book, tokens: Tokens) -> None:
        self._live = live
        self._book = book
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
        key_id = self._tokens.first_key_id(account_id)
        token = self._tokens.key(account_id, key_id)
        key = Key(key_id, FIRST_KEY, tuple(SCOPES), 0, None, token[-SHOWN:], sha256_of(token))
        kept, created_at_ms = self._store.put_account(account_id, StoredAccount(name, kind, (key,)).to_document())
        if not kept:
            msg = "the account that this Idempotency-Key made was erased; use a new key for another account"
            raise IdempotencyKeyReused(msg)
        account = _account(account_id, account_of(kept, created_at_ms), created_at_ms)
        body = {"account": account.to_wire(), "key": token, "notice": KEY_NOTICE}
        return Answer(body, 201, "/v1/me", replayed=account_id != candidate)

    def authenticate(self, token: str, match_id: str | None = None) -> Caller:
        """Who shows this token. Raises Unauthenticated. Good tokens are trusted for a few seconds.

        `match_id` is what the caller is about to change: where the store must be asked, it is read on the way.
        """
        return self._recognised(token, match_id)[0]

    def trusted_for_s(self, caller: Caller) -> float:
        """For how long the caller's token is good for certain; whoever waits for longer must ask again.

        Raises Unauthenticated when it has ended.
        """
        if caller.token is None:
            return inf
        return self._recognised(caller.token)[1] - time.monotonic()

    def _recognised(self, token: str, match_id: str | None = None) -> tuple[Caller, float]:
        """Who shows the token, and until when (monotonic clock) that is trusted."""
        digest = sha256_of(token)
        asked_s = time.monotonic()
        with self._lock:
            trusted = self._trusted.get(digest)
        if trusted is not None and asked_s < trusted[1]:
            return trusted
        caller, left_s = self._recognise(token, digest, match_id)
        trusted = caller, asked_s + min(left_s, TRUST_S)
        with self._lock:
            self._trusted[digest] = trusted
            self._trusted.move_to_end(digest)
            if len(self._trusted) > _TRUSTED_TOKENS:
                self._trusted.popitem(last=False)
        return trusted

    def _recognise(self, token: str, digest: str, match_id: str | None) -> tuple[Caller, float]:
        """Who shows the token, as the store has it, and for how many seconds it lasts."""
        account_id = self._tokens.account_of(token)
        if account_id is not None:
            found = self._account(account_id, match_id)
            if found is not None:
                return self._with_key(account_id, found, token, digest)
        grant = self._tokens.grant_of(token)
        if grant is not None:
            caller = Caller(seat=grant, token=token)
            try:
                match = self._live.certain(grant.match).match
            except NotFound:
                match = None
            if match is not None and held_seats(match, caller):
                return caller, inf
        raise Unauthenticated(_NOT_VALID)

    def _with_key(self, account_id: str, found: AccountFound, token: str, digest: str) -> tuple[Caller, float]:
        stored = account_of(found.document, found.created_at_ms)
        for key in stored.keys:
            if hmac.compare_digest(key.sha256, digest):
                if key.is_live(found.now_ms):
                    account = _account(account_id, stored, found.created_at_ms)
                    left_s = inf if key.until_ms is None else (key.until_ms - found.now_ms) / 1000
                    return Caller(account, key, token=token), left_s
                assert key.until_ms is not None
                how = "expired" if key.until_ms == key.expires_at_ms else "was ended by its owner"
                msg = f"this key {how} at {instant(key.until_ms)}"
                raise Unauthenticated(msg)
        raise Unauthenticated(_NOT_VALID)

    def forget(self, account_id: str) -> None:
        """Trust none of the account's keys without asking the store."""
        with self._lock:
            self._trusted = OrderedDict(
                (digest, kept)
                for digest, kept in self._trusted.items()
                if kept[0].account is None or kept[0].account.id != account_id
            )

    def _account(self, account_id: str, match_id: str | None) -> AccountFound | None:
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
        key = None if caller.key is None else caller.key.to_wire()
        return {
            "account": None if caller.account is None else caller.account.to_wire(),
            "key": key,
            "seat": seat,
            "scopes": list(caller.scopes),
            "expires_at": None if key is None else key["expires_at"],
            "limits": [],
        }

    def name_of(self, account_id: str) -> str | None:
        """How an account is called; None for one that was erased."""
        found = self._store.account(account_id)
        return None if found is None else account_of(found.document, found.created_at_ms).name

    def erase(self, caller: Caller) -> dict[str, Any]:
        """End the keys, leave tournaments and take the name out of everything. The matches stay, without the name."""
        account_id = require_account(caller)
        for id_ in self._store.active_of_account(account_id):
            if not is_match(id_):
                leave(self._book, id_, account_id)
        before: tuple[int, str] | None = None
        while page := self._store.list_of_account(account_id, before, 100):
            for _, id_ in page:
                if is_match(id_):
                    self._live.rewrite(id_, lambda match: without_name(match, account_id))
                else:
                    self._book.rename(id_, lambda sheet: without(sheet.names, account_id))
            before = page[-1]
        self._store.delete_account(account_id)
        self.forget(account_id)
        assert caller.account is not None
        return {"account": caller.account.to_wire() | {"name": None}}


def sha256_of(token: str) -> str:
    """What the store has of a token; 64 hex digits."""
    return hashlib.sha256(token.encode()).hexdigest()


def _account(account_id: str, stored: StoredAccount, created_at_ms: int) -> Account:
    return Account(account_id, stored.name, stored.kind, created_at_ms)


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
