"""Reading what is stored: each document carries a number that tells its form, and an unknown one is never guessed at.

A match's document and secret and an account's document have `schema`, a game's state has `format`; rules that this
version does not know are another form of everything, too. All of these raise `UnknownForm` and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import orjson

from spieltisch_service.app.callers import SCOPES, Key
from spieltisch_service.app.ports import StoredMatch, UnknownForm
from spieltisch_service.domain.clock import Row
from spieltisch_service.domain.match import Match, Secret
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.errors import UnknownFormat

#: What reading a form that is not the expected one ends with.
_ODDITIES = (ValueError, KeyError, TypeError, IndexError, AttributeError, UnknownFormat)
_KEPT = 1024
ACCOUNT_SCHEMA = 2
#: What the key is called that an account begins with.
FIRST_KEY = "first key"


def match_of(stored: StoredMatch) -> Match:
    """The match, with what moves."""
    try:
        times = None if stored.clock is None else Row.from_json(stored.clock).times(stored.at_ms)
    except _ODDITIES as error:
        raise UnknownForm("a match's clock is stored in a form that this version does not read") from error
    return replace(
        match_of_document(stored.document),
        version=stored.version,
        hash=stored.hash,
        at_ms=stored.at_ms,
        created_at_ms=stored.created_at_ms,
        started_at_ms=stored.started_at_ms,
        ended_at_ms=stored.ended_at_ms,
        rematch=stored.rematch,
        times=times,
        revision=stored.revision,
    )


# Both change seldom, and a match that is behind is read again and again. What comes out is never changed.


@lru_cache(maxsize=_KEPT)
def match_of_document(document: bytes) -> Match:
    """The match without what moves."""
    try:
        match = Match.from_document(document)
        known = GAMES[match.game].rules_version == match.rules_version
    except _ODDITIES as error:
        raise UnknownForm("a match is stored in a form that this version does not read") from error
    if not known:
        raise UnknownForm(f"a match follows the rules {match.game} {match.rules_version}, which this version lacks")
    return match


@lru_cache(maxsize=_KEPT)
def secret_of(secret: bytes) -> Secret:
    """A match's secret."""
    try:
        return Secret.from_json(secret)
    except _ODDITIES as error:
        raise UnknownForm("a match's secret is stored in a form that this version does not read") from error


def state_of(match: Match, state: bytes | None) -> Any:
    """The state of a match's game; None before the start."""
    if state is None:
        return None
    try:
        return GAMES[match.game].decode(orjson.loads(state))
    except _ODDITIES as error:
        raise UnknownForm("a game's state is stored in a form that this version does not read") from error


@dataclass(frozen=True, slots=True)
class StoredAccount:
    """An account's document: who it is and its keys, the ended ones of late among them, oldest first."""

    name: str
    kind: str
    keys: tuple[Key, ...]

    def to_document(self) -> bytes:
        """For the store."""
        keys = [{each.name: getattr(key, each.name) for each in fields(Key)} for key in self.keys]
        return orjson.dumps({"schema": ACCOUNT_SCHEMA, "name": self.name, "kind": self.kind, "keys": keys})


def account_of(document: bytes, created_at_ms: int) -> StoredAccount:
    """What `to_document` wrote, or the form before it (1), of an account with one key and no list of them."""
    try:
        raw = orjson.loads(document)
        schema, name, kind = raw["schema"], raw["name"], raw["kind"]
        if schema == 1:
            return StoredAccount(name, kind, (_only_key(raw["key_sha256"], created_at_ms),))
        known = schema == ACCOUNT_SCHEMA
        keys = tuple(_key(each, created_at_ms) for each in raw["keys"]) if known else ()
    except _ODDITIES as error:
        raise UnknownForm("an account is stored in a form that this version does not read") from error
    if not known:
        raise UnknownForm("an account is stored in a form that this version does not read")
    return StoredAccount(name, kind, keys)


def _key(raw: Mapping[str, Any], account_created_at_ms: int) -> Key:
    once = raw["once"]
    return Key(
        id=raw["id"],
        name=raw["name"],
        scopes=tuple(raw["scopes"]),
        # The key that an account begins with is as old as the account, whose age the store alone knows at first.
        created_at_ms=raw["created_at_ms"] or account_created_at_ms,
        expires_at_ms=raw["expires_at_ms"],
        ends_with=raw["ends_with"],
        sha256=raw["sha256"],
        ended_at_ms=raw["ended_at_ms"],
        once=None if once is None else (once[0], once[1]),
    )


def _only_key(sha256: str, created_at_ms: int) -> Key:
    return Key(f"ky_{sha256[:32]}", FIRST_KEY, tuple(SCOPES), created_at_ms, None, "", sha256)
