"""A match as a worker has it in memory, at one version."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import orjson

from spieltisch_service.domain import play
from spieltisch_service.domain.match import Match, Secret
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game

# So long may what the store said have been on its way, for nobody to look too early and see what is over.
_AHEAD_MS = 50


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """A match with its secret and its game state (None before the start), all at `match.version`.

    `views` keeps the answers that were built, by viewer; `now_ms` is the store's time when it was read, or at `told_s`.
    `overtaken`: the running decision came about by a lapse that was settled while this request was under way.
    """

    match: Match
    secret: Secret
    state: Any
    now_ms: int
    loaded_s: float
    views: dict[int | None, bytes] = field(default_factory=dict)
    told_s: float = 0.0
    overtaken: bool = False

    @property
    def about_now_ms(self) -> int:
        """What the store's time should be by now, or a moment later. It decides when to ask, and nothing else."""
        return self.at_least_now_ms + _AHEAD_MS

    @property
    def at_least_now_ms(self) -> int:
        """What the store's time has come to by now: a moment more, for it was told on the way."""
        return self.now_ms + int((time.monotonic() - (self.told_s or self.loaded_s)) * 1000)

    @property
    def game(self) -> Game[Any]:
        """The rules that it is played by."""
        return GAMES[self.match.game]

    def to_act(self) -> int | None:
        """The seat that must act, of a running match."""
        return self.game.to_act(self.state) if self.match.status == "running" else None

    def waits_for_bot(self) -> bool:
        """Whether a house bot must act."""
        seat = self.to_act()
        return seat is not None and self.match.seats[seat].kind == "bot"

    def view(self, seat: int | None) -> bytes:
        """The view for a seat or (None) a spectator, as JSON."""
        body = self.views.get(seat)
        if body is None:
            view = play.view(self.game, self.match, self.state, seat)
            body = self.views[seat] = orjson.dumps(view, option=orjson.OPT_SORT_KEYS)
        return body
