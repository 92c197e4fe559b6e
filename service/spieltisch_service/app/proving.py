"""Whether one archived match is whole: log, chain, deal, document and state must all tell the same.

The state of a match that runs is played again from deal and log, and an ended one proves itself as its record does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from spieltisch_service.app.archive import BadArchive
from spieltisch_service.app.holdings import WholeMatch
from spieltisch_service.app.live import is_match
from spieltisch_service.app.ports import StoredMatch, UnknownForm
from spieltisch_service.app.stored import match_of, secret_of, state_of
from spieltisch_service.app.tournaments import proving as tournaments
from spieltisch_service.domain import play
from spieltisch_service.domain.errors import DomainError
from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash
from spieltisch_service.domain.fairness import commitment, deal_seed
from spieltisch_service.domain.match import Match, Secret
from spieltisch_service.domain.record import record
from spieltisch_service.domain.verify import verify
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.errors import GameError


def proved(whole: WholeMatch) -> Match:
    """The match, if all of it belongs together. Raises BadArchive."""
    try:
        problem = _chain(whole) or _rows(whole)
        if problem is None:
            last = whole.log[-1]
            match = match_of(
                StoredMatch(
                    version=len(whole.log),
                    hash=last.hash,
                    at_ms=last.at_ms,
                    document=whole.document,
                    secret=whole.secret,
                    state=whole.state,
                    created_at_ms=whole.created_at_ms,
                    started_at_ms=whole.started_at_ms,
                    ended_at_ms=whole.ended_at_ms,
                    rematch=whole.rematch,
                    now_ms=last.at_ms,
                )
            )
            problem = _played(whole, match, secret_of(whole.secret), state_of(match, whole.state))
            if problem is None:
                return match
    except (DomainError, GameError, UnknownForm) as error:
        problem = str(error)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, AssertionError) as error:
        problem = f"it cannot be played again: {type(error).__name__} {error}"
    raise BadArchive(f"match {whole.id}: {problem}")


def prove(whole: WholeMatch) -> None:
    """Prove a match, or what is kept as matches are: a tournament, a book of ratings. Raises BadArchive."""
    if is_match(whole.id):
        proved(whole)
        return
    try:
        problem = _chain(whole) or _rows(whole) or tournaments.problem_of(whole)
    except UnknownForm as error:
        problem = str(error)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        problem = f"it cannot be folded again: {type(error).__name__} {error}"
    if problem is not None:
        raise BadArchive(f"{whole.id}: {problem}")


def _chain(whole: WholeMatch) -> str | None:
    if not whole.log:
        return "it has no events"
    previous, at_ms = GENESIS_HASH, 0
    for seq, event in enumerate(whole.log, 1):
        content = event.parsed()
        if canonical(content) != event.body or content.keys() != {"data", "seat", "seq", "type"}:
            return f"event {seq} is not written as it must be"
        if content["seq"] != seq:
            return f"event {seq} is missing"
        if event.hash != chain_hash(previous, event.body):
            return f"the chain breaks at event {seq}"
        if event.at_ms < at_ms:
            return f"event {seq} is earlier than the one before"
        previous, at_ms = event.hash, event.at_ms
    return None


def _rows(whole: WholeMatch) -> str | None:
    version = len(whole.log)
    for row in whole.answers.values():
        if not 0 <= row.last <= version or not 1 <= row.first <= row.last + 1 or not 200 <= row.status < 300:
            return "an answer that is kept for a repetition does not fit the log"
    return None


def _played(whole: WholeMatch, match: Match, secret: Secret, state: Any) -> str | None:
    game = GAMES[match.game]
    if match.id != whole.id or whole.log[0].parsed()["data"]["match"] != whole.id:
        return "its document or its log is that of another match"
    problem = None if match.deal_source == "explicit" else _dealt(match, secret)
    if problem is not None:
        return problem
    folded, played = play.replayed(game, match, secret, whole.log)
    if replace(folded, rematch=match.rematch, times=match.times) != match:
        return "its document is not what its log tells"
    if (state is None) != (played is None):
        return "it has a state without a start, or a start without a state"
    if state is not None and orjson.dumps(game.encode(played)) != orjson.dumps(game.encode(state)):
        return "its state is not what deal and log give"
    if match.ended:
        # As it will be shown: a deal that others are still to play proves itself here, too.
        verify(record(replace(match, played_for=None), secret, whole.log))
    return None


def _dealt(match: Match, secret: Secret) -> str | None:
    """Whether the seed is the one that was committed to, and the deal the one that it gives."""
    game = GAMES[match.game]
    seed = bytes.fromhex(secret.seed or "")
    if len(seed) != 32 or commitment(match.id, game.id, match.rules_version, seed) != match.commitment:
        return "its seed is not the one that was committed to"
    if len(secret.nonces) != match.players:
        return "it has not a nonce or none for each seat"
    if match.started_at_ms is None:
        return None if secret.deal is None else "it has a deal before its start"
    dealt = game.deal(play.options_of(game, match), match.players, deal_seed(seed, secret.nonces))
    return None if game.deal_to_wire(dealt) == secret.deal else "its deal is not the one that seed and nonces give"
