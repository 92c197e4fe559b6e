"""Tournaments of tests: made, entered, started and played to their end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from spieltisch_service.app.callers import Caller
from spieltisch_service.app.service import Service
from spieltisch_service.bots import house, random_bot
from spieltisch_service.bots.house import HouseBots, Sweeper
from spieltisch_service.bots.position import Decide

from .conftest import once

BOTS = ("random", "greedy", "planner")
CLOCK = {"kind": "per_decision", "per_decision_ms": 60_000, "on_timeout": "forfeit"}
SHORT: dict[str, dict[str, Any]] = {"wunderland": {"round_limit": 1}, "neues-land": {}}


def with_quick_bots(new_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch) -> Service:
    """The use cases with all house bots, none of which thinks for long."""
    for bot in BOTS:
        monkeypatch.setitem(cast("dict[str, Decide]", house.BOTS), bot, random_bot.decide)
    return new_service(bots=BOTS)


def create(service: Service, organizer: Caller, game: str = "wunderland", key: str | None = None, **wanted: Any) -> str:
    body = {"game": game, "name": "Cup", "format": "swiss", "options": SHORT[game], "clock": CLOCK, **wanted}
    made = service.organizing.create(organizer, body, None if key is None else once(organizer, key, body=body))
    id_: str = made.body["id"]
    return id_


def enter(service: Service, caller: Caller, tournament: str, bot: str | None = None) -> Any:
    return service.organizing.enter(caller, tournament, None, bot=bot, dry_run=False).body


def start(service: Service, caller: Caller, tournament: str) -> Any:
    return service.organizing.start(caller, tournament, None, dry_run=False).body


def play(service: Service, tournament: str, players: list[Caller] | None = None) -> dict[str, Any]:
    """Let everybody play until the tournament has ended; accounts take their default action. What it is then."""
    bots, sweeper = HouseBots(service, seed=1), Sweeper(service)
    for _ in range(10_000):
        busy = bots.play_waiting() + sweeper.sweep()
        for player in players or []:
            busy += act(service, player)
        found = service.tournaments.get(tournament)
        if found["status"] in ("finished", "cancelled") and not busy:
            return found
    raise AssertionError(f"it does not come to an end: {found}")


def act(service: Service, player: Caller) -> int:
    """Decide in each match that waits for the player; in how many."""
    waiting = service.decisions.waiting(player, 0, None)["decisions"]
    for each in waiting:
        live = service.live.fresh(each["match"])
        action = live.game.default_action(live.state)
        service.play.act(player, each["match"], [action], each["version"], each["seat"], None)
    return len(waiting)
