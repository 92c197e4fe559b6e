"""Reading what is stored: each document carries a number that tells its form, and an unknown one is never guessed at.

A match's document and secret and an account's document have `schema`, a game's state has `format`; rules that this
version does not know are another form of everything, too. All of these raise `UnknownForm` and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from spieltisch_service.app.ports import StoredMatch, UnknownForm
from spieltisch_service.domain.match import Match, Secret
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.errors import UnknownFormat

#: What reading a form that is not the expected one ends with.
_ODDITIES = (ValueError, KeyError, TypeError, IndexError, AttributeError, UnknownFormat)
_KEPT = 1024
ACCOUNT_SCHEMA = 1


def match_of(stored: StoredMatch) -> Match:
    """The match, with what moves."""
    return replace(
        match_of_document(stored.document),
        version=stored.version,
        hash=stored.hash,
        at_ms=stored.at_ms,
        created_at_ms=stored.created_at_ms,
        started_at_ms=stored.started_at_ms,
        ended_at_ms=stored.ended_at_ms,
        rematch=stored.rematch,
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


def account_of(document: bytes) -> Mapping[str, Any]:
    """An account's document: `name`, `kind`, `key_sha256`."""
    try:
        raw: Mapping[str, Any] = orjson.loads(document)
        known = raw["schema"] == ACCOUNT_SCHEMA and raw.keys() >= {"name", "kind", "key_sha256"}
    except _ODDITIES as error:
        raise UnknownForm("an account is stored in a form that this version does not read") from error
    if not known:
        raise UnknownForm("an account is stored in a form that this version does not read")
    return raw
