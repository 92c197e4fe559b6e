"""A tournament in a backup: it comes back as it was, goes on, and what is damaged in it is noticed."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import redis

from spieltisch_service.app.archive import BadArchive
from spieltisch_service.app.backup import back_up, check, restore
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.holdings import WholeMatch
from spieltisch_service.app.proving import prove
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import HouseBots, Sweeper
from spieltisch_service.domain.tournament.export import recompute
from spieltisch_service.store.connection import open_vault
from tests.conftest import SECRET

from .test_tournaments import BOTS, create, enter, play, start

Services = Callable[..., Service]


def half_played(service: Service, ada: Caller, bob: Caller) -> str:
    """Three entrants of whom one waits, after some matches."""
    tournament = create(service, ada, format="round_robin", duplicate=True)
    enter(service, ada, tournament, "random")
    enter(service, ada, tournament, "greedy")
    enter(service, bob, tournament)
    start(service, ada, tournament)
    for _ in range(2_000):
        results = [
            result
            for each in service.tournaments.rounds(tournament)["rounds"]
            for table in each["tables"]
            for result in table["results"]
        ]
        if results:
            return tournament
        HouseBots(service, seed=1).play_waiting()
        Sweeper(service).sweep()
        for waiting in service.decisions.waiting(bob, 0, None)["decisions"]:
            live = service.live.fresh(waiting["match"])
            action = live.game.default_action(live.state)
            service.play.act(bob, waiting["match"], [action], waiting["version"], waiting["seat"], None)
    raise AssertionError("no match has ended")


def archived(url: str) -> io.BytesIO:
    file, vault = io.BytesIO(), open_vault(url)
    back_up(vault, file, "1.2.3", "2026-01-02T03:04:05.678Z")
    vault.close()
    file.seek(0)
    return file


def wholes(url: str) -> dict[str, WholeMatch]:
    vault = open_vault(url)
    found = {whole.id: whole for whole in vault.matches()}
    vault.close()
    return found


def test_it_goes_on_where_it_was(new_service: Services, clean_valkey: str, ada: Caller, bob: Caller) -> None:
    service = new_service(bots=BOTS)
    tournament = half_played(service, ada, bob)
    before = service.tournaments.get(tournament), service.tournaments.rounds(tournament)
    file = archived(clean_valkey)
    with redis.Redis.from_url(clean_valkey) as client:
        client.flushall()
    vault = open_vault(clean_valkey)
    restore(file, check(file), vault, SECRET)
    vault.close()
    again = new_service(bots=BOTS)
    assert (again.tournaments.get(tournament), again.tournaments.rounds(tournament)) == before
    assert play(again, tournament, [bob])["status"] == "finished"
    assert recompute(again.tournaments.export(tournament)) == again.tournaments.results(tournament)
    assert [
        line["name"]
        for line in again.tournaments.listed(bob, game=None, status=None, mine=True, cursor=None, limit=9)[
            "tournaments"
        ]
    ] == ["Cup"]


def test_what_is_damaged_is_noticed(new_service: Services, clean_valkey: str, ada: Caller, bob: Caller) -> None:
    service = new_service(bots=BOTS)
    tournament = half_played(service, ada, bob)
    play(service, tournament, [bob])
    found = wholes(clean_valkey)
    [ratings] = [whole for name, whole in found.items() if name.startswith("rb_")]
    whole = found[tournament]
    for sound in found.values():
        prove(sound)
    assert ratings.state is not None
    damaged = {
        "another seed": replace(whole, secret=whole.secret.replace(b'"seed":"', b'"seed":"0')),
        "no end": replace(whole, ended_at_ms=None),
        "another id": replace(whole, id="tn_" + "0" * 32),
        "an event less": replace(whole, log=whole.log[:-1]),
        "an event changed": replace(whole, log=[replace(whole.log[0], body=whole.log[0].body + " "), *whole.log[1:]]),
        "other ratings": replace(ratings, state=ratings.state.replace(b"[1", b"[2")),
        "ratings of another game": replace(ratings, document=ratings.document.replace(b"wunderland", b"neues-land")),
    }
    refused = set()
    for name, each in damaged.items():
        try:
            prove(each)
        except BadArchive:
            refused.add(name)
    assert refused == set(damaged)
