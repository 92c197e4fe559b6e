"""A match of a tournament is the tournament's: no seat ends it without a result, and its rematch is not part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spieltisch_service.app import errors
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import Sweeper

from .cups import create, enter, play, start


def waiting(service: Service, players: list[Caller]) -> tuple[Caller, dict[str, Any]]:
    """The first decision of a tournament's match, and whose it is."""
    for _ in range(100):
        Sweeper(service).sweep()
        for player in players:
            for decision in service.decisions.waiting(player, 0, None)["decisions"]:
                return player, decision
    raise AssertionError("nobody is asked for anything")


def begun(service: Service, organizer: Caller, players: list[Caller], **wanted: Any) -> str:
    tournament = create(service, organizer, format="round_robin", **wanted)
    for player in players:
        enter(service, player, tournament)
    start(service, organizer, tournament)
    return tournament


def test_who_is_losing_cannot_wait_until_it_does_not_count(
    new_service: Callable[..., Service], service: Service, ada: Caller, bob: Caller
) -> None:
    clock = {"kind": "correspondence", "per_decision_ms": 28 * 86_400_000, "on_timeout": "forfeit"}
    tournament = begun(service, ada, [ada, bob], clock=clock)
    _, decision = waiting(service, [ada, bob])
    # A seat may abort any other match in which nothing has happened for so long, here for no time at all.
    impatient = new_service(seat_abort_ms=0)
    for player in (ada, bob):
        with pytest.raises(errors.MatchNotOpen, match="its clock ends it"):
            impatient.matches.abort(player, decision["match"])
    assert service.matches.get(ANONYMOUS, decision["match"])["status"] == "running"
    assert play(service, tournament, [ada, bob])["status"] == "finished"


def test_a_rematch_is_played_for_nothing(service: Service, ada: Caller, bob: Caller) -> None:
    tournament = begun(service, ada, [ada, bob], duplicate=True)
    player, decision = waiting(service, [ada, bob])
    service.seats.resign(player, decision["match"], None, None)
    # Its deal is still to be played by the others' seats, and nobody has told the tournament of the result.
    assert service.play.record(ANONYMOUS, decision["match"])["deal"] is None
    again = service.matches.rematch(player, decision["match"], None).body
    assert again["metadata"] == {}
    service.seats.resign(player, again["id"], None, None)
    assert service.play.record(ANONYMOUS, again["id"])["deal"] is not None
    play(service, tournament, [ada, bob])
    results = service.tournaments.rounds(tournament)["rounds"][0]["tables"][0]["results"]
    assert again["id"] not in [result["match"] for result in results]
    assert results[0]["match"] == decision["match"]


def test_who_is_played_for_from_first_to_last_did_not_show_up(service: Service, ada: Caller, bob: Caller) -> None:
    clock = {"kind": "per_decision", "per_decision_ms": 100, "on_timeout": "autoplay"}
    tournament = create(service, ada, format="round_robin", deals=2, clock=clock, no_show_limit=1)
    enter(service, ada, tournament, "random")
    enter(service, bob, tournament)
    start(service, ada, tournament)
    ended = play(service, tournament)
    assert [one["status"] for one in ended["entrants"]] == ["active", "removed"]
    results = service.tournaments.rounds(tournament)["rounds"][0]["tables"][0]["results"]
    assert [result["end_reason"] for result in results] == ["completed", "walkover"]
    assert bob.account is not None
    faults = [result["faults"][result["seats"].index(bob.account.id)] for result in results if result["faults"]]
    assert faults == ["no_show"]
    assert service.tournaments.leaderboard("wunderland", "bullet", limit=9)["ratings"] == []
