"""Asks the same in two worlds, and says what was answered differently."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from spieltisch_service.app.callers import ANONYMOUS
from spieltisch_service.app.service import Service
from spieltisch_service.web.app import create_app
from spieltisch_service.web.compression import Compressed
from spieltisch_service.web.overrides import EXTENSION
from tests.campaigns.harness.asking import Asking, NoBell, Reply
from tests.campaigns.hidden.leaks import LEAKS
from tests.campaigns.hidden.questions import Known, Question, answers, questions
from tests.campaigns.hidden.tables import Table
from tests.campaigns.hidden.worlds import Frozen, another_world
from tests.conftest import SECRET


@dataclass(frozen=True, slots=True)
class Difference:
    """One question that was answered differently, and both answers."""

    question: Question
    answers: tuple[Any, Any]

    def __str__(self) -> str:
        asked = self.question
        body = "" if asked.body is None else f" {asked.body}"
        return f"{asked.method} {asked.target}{body}: {_apart(*self.answers)}"


def _apart(one: Any, other: Any) -> str:
    """Where two answers differ first."""
    if one[:2] != other[:2]:
        return f"{one[:2]} or {other[:2]}"
    at = next((i for i, pair in enumerate(zip(one[2], other[2], strict=False)) if pair[0] != pair[1]), -1)
    start = max(0, at - 60)
    return f"byte {at}: {one[2][start : at + 60]!r} or {other[2][start : at + 60]!r}"


class Comparing:
    """Compares what is answered about matches in two worlds each. `compared` counts the pairs of answers."""

    def __init__(self, watch: Callable[[Reply], None] | None = None, plant: str | None = None) -> None:
        self._app = create_app(None)
        # As it is served: with the layer that compresses, whose lengths could tell something.
        self._asking = Asking(Compressed(self._app.wsgi_app), watch)
        self._plant = plant
        self.compared = 0

    def differences(
        self, table: Table, viewer: int | None, known: Known, rng: random.Random, memory: dict[Any, Any] | None = None
    ) -> list[Difference]:
        """What the viewer is answered differently in another world, in which this viewer knows just the same.

        `memory` is what the store has told of this position before, for the next viewer.
        """
        service = table.new_service()
        asked = questions(service.live.fresh(table.match_id), viewer, known, rng)
        world = another_world(service, table.match_id, viewer, rng)
        memory = {} if memory is None else memory
        token = token_of(table, viewer, known)
        with planted(self._plant):
            one, other = (
                self._told(Frozen(service.store, memory, table.match_id, seen), token, asked) for seen in (None, world)
            )
        self.compared += len(asked)
        return [
            Difference(question, (here, there))
            for question, here, there in zip(asked, one, other, strict=True)
            if here != there
        ]

    def _told(self, store: Any, token: str | None, asked: Sequence[Question]) -> list[Any]:
        # A worker of its own for each world: nothing that one remembers may reach the other.
        service: Any = Service(store, NoBell(), SECRET, bots=("random",))
        self._app.extensions[EXTENSION] = service
        return answers(self._asking, token, asked)


def token_of(table: Table, viewer: int | None, known: Known) -> str | None:
    """What the asker shows."""
    if known == "not":
        return None
    if viewer is None:
        return table.stranger.token
    return table.callers[viewer].token if known == "key" else table.tokens[viewer]


def askers(table: Table, rng: random.Random) -> Iterator[tuple[int | None, Known]]:
    """Everybody who may look: nobody in particular, a stranger with a key, and each seat by key or token."""
    yield None, "not"
    if table.stranger is not ANONYMOUS:
        yield None, "key"
    for seat in range(len(table.callers)):
        yield seat, rng.choice(("key", "seat"))


@contextmanager
def planted(name: str | None) -> Iterator[None]:
    """With the leak of that name in the service."""
    with pytest.MonkeyPatch.context() as patch:
        if name is not None:
            LEAKS[name][1](patch)
        yield
