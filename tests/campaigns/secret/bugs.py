"""Bugs for CANARY to find: each lets a secret out by another door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest
import structlog

from spieltisch_service.app.matches import Matches
from spieltisch_service.app.tournaments import book
from spieltisch_service.domain import play
from spieltisch_service.domain.match import Match
from spieltisch_service.store.redis_store import RedisStore
from spieltisch_service.web import app as web

Bug: TypeAlias = Callable[[pytest.MonkeyPatch], None]

_log = structlog.get_logger(__name__)


def the_seed_in_the_first_event(patch: pytest.MonkeyPatch) -> None:
    started = play.started

    def told(game: Any, match: Match, secret: Any) -> Any:
        (type_, seat, data), after, state = started(game, match, secret)
        return (type_, seat, {**data, "drawn_from": after.seed}), after, state

    patch.setattr(play, "started", told)


def the_deal_in_the_log(patch: pytest.MonkeyPatch) -> None:
    begin = Matches._begin

    def careful(self: Any, *arguments: Any, **named: Any) -> Any:
        done = begin(self, *arguments, **named)
        _log.info("match_begun", secret=done.live.secret.to_json().decode())
        return done

    patch.setattr(Matches, "_begin", careful)


def the_seed_of_a_tournament_in_its_log(patch: pytest.MonkeyPatch) -> None:
    draft_of = book.draft_of

    def whole(entry: Any) -> Any:
        type_, seat, data = draft_of(entry)
        return type_, seat, data | ({"seed": entry.setup.seed} if type_ == "created" else {})

    patch.setattr(book, "draft_of", whole)


def a_deal_that_others_still_play(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Match, "shows_deal", property(lambda match: match.ended))


def the_token_in_a_header(patch: pytest.MonkeyPatch) -> None:
    finished = web._finished

    def echoing(asked: Any, response: Any) -> None:
        finished(asked, response)
        response.headers.add("X-Key", asked.environ.get("HTTP_AUTHORIZATION", ""))

    patch.setattr(web, "_finished", echoing)


def the_key_in_the_store(patch: pytest.MonkeyPatch) -> None:
    put, seen = RedisStore.put_account, []

    def keeping(self: Any, account_id: str, document: bytes) -> Any:
        answer = put(self, account_id, document)
        seen.append(account_id)
        return answer

    def made(self: Any, name: str, *rest: Any, **named: Any) -> Any:
        answer = create(self, name, *rest, **named)
        self._store.reserve(f"kept {seen[-1]}", "", answer.body["key"], 3600)
        return answer

    from spieltisch_service.app.accounts import Accounts

    create = Accounts.create
    patch.setattr(RedisStore, "put_account", keeping)
    patch.setattr(Accounts, "create", made)


BUGS: Mapping[str, Bug] = {
    "seed-in-an-event": the_seed_in_the_first_event,
    "deal-in-the-log": the_deal_in_the_log,
    "tournament-seed-in-its-log": the_seed_of_a_tournament_in_its_log,
    "deal-shown-too-soon": a_deal_that_others_still_play,
    "token-in-a-header": the_token_in_a_header,
    "key-in-the-store": the_key_in_the_store,
}
