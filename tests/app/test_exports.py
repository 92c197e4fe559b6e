"""Finished matches in bulk: which are given, in which order, how pages follow, and what is never in them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from spieltisch_service.app import errors
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.bots import house, random_bot
from spieltisch_service.bots.house import HouseBots, Sweeper
from tests.app.test_tournaments import create, enter, start


def resigned(service: Service, caller: Caller, game: str = "wunderland", **wanted: Any) -> str:
    """A new match that has finished."""
    match_id = str(service.matches.create(caller, NewMatch(game, ["me", "me"], **wanted), None).body["id"])
    service.seats.resign(caller, match_id, 0, None)
    # What ends within a millisecond has no order.
    time.sleep(0.002)
    return match_id


def exported(
    service: Service, game: str | None = None, cursor: str | None = None, limit: int = 100
) -> tuple[list[str], str | None]:
    """The ids of a page, and the cursor behind it; each record is the one that is read alone."""
    *records, last = service.exports.matches(game=game, cursor=cursor, limit=limit)
    for record in records:
        assert orjson.dumps(record) == orjson.dumps(service.play.record(ANONYMOUS, record["match"]))
        assert record["deal"] is not None
    assert last.keys() == {"next_cursor"}
    return [record["match"] for record in records], last["next_cursor"]


def test_there_is_an_end_where_there_is_nothing(service: Service) -> None:
    assert list(service.exports.matches(game=None, cursor=None, limit=1)) == [{"next_cursor": None}]


def test_pages_follow_newest_first_and_end(service: Service, ada: Caller) -> None:
    made = [resigned(service, ada, game) for game in ("wunderland", "neues-land", "wunderland", "wunderland")]
    assert exported(service) == (made[::-1], None)
    assert exported(service, "neues-land") == ([made[1]], None)
    first, cursor = exported(service, "wunderland", limit=2)
    assert first == [made[3], made[2]]
    assert exported(service, "wunderland", cursor, 2) == ([made[0]], None)
    # A page that is full says that there may be more, even if there is not.
    everything, cursor = exported(service, limit=4)
    assert everything == made[::-1]
    assert exported(service, cursor=cursor, limit=4) == ([], None)


def test_what_is_not_public_or_not_finished_is_not_given(service: Service, ada: Caller) -> None:
    for visibility in ("private", "unlisted"):
        resigned(service, ada, visibility=visibility)
    service.matches.create(ada, NewMatch("wunderland", ["me", "me"]), None)
    opened = service.matches.create(ada, NewMatch("wunderland", ["me", "open"]), None).body["id"]
    service.matches.abort(ada, opened)
    assert exported(service) == ([], None)


def test_a_bad_cursor_is_refused_before_the_first_record(service: Service) -> None:
    with pytest.raises(errors.InvalidParameter):
        service.exports.matches(game=None, cursor="?", limit=1)


def test_records_are_read_one_by_one_and_kept_nowhere(
    new_service: Callable[..., Service], ada: Caller, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [resigned(service, ada) for _ in range(3)]
    reader = new_service()
    read: list[str] = []
    load = reader.store.load

    def noted(match_id: str, key: str | None = None) -> Any:
        read.append(match_id)
        return load(match_id, key)

    monkeypatch.setattr(reader.store, "load", noted)
    records = reader.exports.matches(game=None, cursor=None, limit=3)
    assert read == []
    assert next(records)["match"] == made[2]
    assert read == [made[2]]
    next(records)
    assert read == [made[2], made[1]]
    assert not any(reader.live.keeps(match_id) for match_id in made)


def test_a_match_whose_deal_others_have_still_to_play_is_left_out(
    new_service: Callable[..., Service], service: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    del service
    monkeypatch.setitem(house.BOTS, "greedy", random_bot.decide)
    service = new_service(bots=("random", "greedy"))
    tournament = create(service, ada, format="round_robin", duplicate=True)
    for bot in ("random", "greedy"):
        enter(service, ada, tournament, bot)
    start(service, ada, tournament)
    bots, sweeper = HouseBots(service, seed=1), Sweeper(service)
    seen: set[tuple[int, int]] = set()
    for _ in range(2_000):
        busy = bots.play_waiting() + sweeper.sweep()
        rounds = service.tournaments.rounds(tournament)["rounds"]
        ended = [result["match"] for each in rounds for table in each["tables"] for result in table["results"]]
        shown = exported(service)[0]
        seen.add((len(ended), len(shown)))
        if not busy and len(ended) == 2:
            break
    assert (1, 0) in seen
    assert {given for ended, given in seen if ended < 2} == {0}
    assert set(shown) == set(ended)
