"""What everybody's rated matches in tournaments are worth, by game and clock class.

Each of these is a book of its own: a chained log of results, of which the ratings are a fold. The fold is kept beside
the log, so that nobody has to begin at the beginning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from spieltisch_service.app.callers import Once
from spieltisch_service.app.ports import Commit, Committed, IdempotencyRow, Replayed, Store, StoredMatch, UnknownForm
from spieltisch_service.domain.events import GENESIS_HASH, LoggedEvent, chained
from spieltisch_service.domain.tournament.log import MatchEnded
from spieltisch_service.domain.tournament.ratings import Rating, clock_class, counting, rated
from spieltisch_service.domain.tournament.setup import TournamentSetup

SCHEMA = 1
#: The one kind of event in such a log.
RATED = "match_rated"
_TRIES = 50


@dataclass(frozen=True, slots=True)
class Ratings:
    """Those of one game and clock class, after `version` matches."""

    game: str
    clock_class: str
    held: Mapping[str, Rating]
    version: int = 0
    hash: str = GENESIS_HASH


def book_id(game: str, speed: str) -> str:
    """The id of the book of a game and clock class."""
    return "rb_" + hashlib.sha256(f"{game}\n{speed}".encode()).hexdigest()[:32]


class RatingBooks:
    """All of them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, game: str, speed: str) -> Ratings:
        """The ratings of a game and clock class; empty where nobody has played."""
        return _ratings(game, speed, self._store.load(book_id(game, speed)))

    def log(self, game: str, speed: str, after: int, limit: int) -> list[LoggedEvent]:
        """The rated matches behind the `after`th, in order."""
        return self._store.events(book_id(game, speed), after, limit)

    def note(self, setup: TournamentSetup, result: MatchEnded) -> None:
        """Let a match count, once, if it is one that counts."""
        if not any(counting(setup, [result])):
            return
        game, speed = setup.game, clock_class(setup.clock)
        id_ = book_id(game, speed)
        once = Once(f"rated\n{result.match}", "", 0)
        data = {"match": result.match, "entrants": list(result.seats), "ranks": list(result.ranks)}
        for _ in range(_TRIES):
            stored = self._store.load(id_, once.key)
            if stored is not None and stored.idempotency is not None:
                return
            before = _ratings(game, speed, stored)
            held = {**before.held, **rated(before.held, result.seats, result.ranks)}
            events = chained(before.version, before.hash, [(RATED, None, data)])
            row = IdempotencyRow("", 200, (), before.version + 1, before.version + 1)
            outcome = self._store.commit(
                Commit(
                    id_,
                    before.version,
                    events,
                    document=None if before.version else _document(game, speed),
                    secret=None if before.version else b"{}",
                    state=_state(held),
                    stamps=() if before.version else ("created",),
                    idempotency=(once.key, row),
                    expected_hash=before.hash if before.version else None,
                )
            )
            if isinstance(outcome, Committed | Replayed):
                return


def _document(game: str, speed: str) -> bytes:
    return orjson.dumps({"schema": SCHEMA, "game": game, "clock_class": speed})


def pool_of(document: bytes) -> tuple[str, str]:
    """Game and clock class of a book. Raises UnknownForm."""
    try:
        raw = orjson.loads(document)
        if raw["schema"] == SCHEMA:
            return raw["game"], raw["clock_class"]
    except (ValueError, KeyError, TypeError):
        pass
    raise UnknownForm("a book of ratings is stored in a form that this version does not read")


def _state(held: Mapping[str, Rating]) -> bytes:
    kept = {entrant: [each.mean, each.deviation, each.matches] for entrant, each in held.items()}
    return json.dumps({"schema": SCHEMA, "ratings": kept}, separators=(",", ":")).encode()


def _ratings(game: str, speed: str, stored: StoredMatch | None) -> Ratings:
    if stored is None:
        return Ratings(game, speed, {})
    return Ratings(game, speed, ratings_of(stored.state), stored.version, stored.hash)


def ratings_of(state: bytes | None) -> dict[str, Rating]:
    """The ratings that are kept beside a log. Raises UnknownForm."""
    try:
        raw: Any = json.loads(state or b"")
        if raw["schema"] == SCHEMA:
            return {entrant: Rating(*each) for entrant, each in raw["ratings"].items()}
    except (ValueError, KeyError, TypeError):
        pass
    raise UnknownForm("ratings are stored in a form that this version does not read")
