"""How long matches last, what they say about it, and what becomes of them then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
import redis

from spieltisch_service.app import errors
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import Sweeper
from spieltisch_service.domain.match import Lifetimes, Match
from spieltisch_service.store.layout import match_place

from .conftest import once

DAY_MS = 86_400_000
Services = Callable[..., Service]


def create(service: Service, caller: Caller, *seats: str, key: str | None = None, **options: Any) -> dict[str, Any]:
    wanted = NewMatch("wunderland", seats, {"round_limit": 1}, **options)
    made: dict[str, Any] = service.matches.create(caller, wanted, None if key is None else once(caller, key)).body
    return made


def lasts_ms(match: dict[str, Any], since: str = "created_at") -> int | None:
    """From that instant of the match to when it expires."""
    if match["expires_at"] is None:
        return None
    ends, began = (datetime.fromisoformat(match[name]) for name in ("expires_at", since))
    return round((ends - began).total_seconds() * 1000)


def swept(service: Service) -> None:
    """Sweep until something was done."""
    while not Sweeper(service).sweep():
        pass


def test_a_match_says_when_it_expires(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "open")
    assert lasts_ms(match) == 7 * DAY_MS
    service.seats.join(bob, match["id"], seat=None, nonce=None, invitation=None, name=None, once=None)
    running = service.matches.get(ada, match["id"])
    assert lasts_ms(running, "started_at") == 30 * DAY_MS
    ended = service.seats.resign(bob, match["id"], None, None).body
    assert (ended["status"], ended["expires_at"]) == ("finished", None)


def test_each_event_puts_it_off(service: Service, ada: Caller, bob: Caller, clean_valkey: str) -> None:
    match = create(service, ada, "me", "open", "open")
    joined = service.seats.join(bob, match["id"], seat=None, nonce=None, invitation=None, name=None, once=None).body
    last = service.live.fresh(match["id"]).match
    assert lasts_ms(joined) == last.at_ms - last.created_at_ms + 7 * DAY_MS
    place = match_place(match["id"])
    with redis.Redis.from_url(clean_valkey) as client:
        assert client.zscore(place.bucket.timers.decode(), match["id"]) == last.expires_at_ms
        # What is no event (here a name that is erased) does not.
        service.accounts.erase(bob)
        assert client.zscore(place.bucket.timers.decode(), match["id"]) == last.expires_at_ms


def test_it_is_said_alike_whenever_it_is_answered(new_service: Services, ada: Caller, bob: Caller) -> None:
    service = new_service(lifetimes=Lifetimes(open_ms=5 * DAY_MS))
    first = create(service, ada, "me", "open", key="k")
    assert lasts_ms(first) == 5 * DAY_MS
    service.seats.join(bob, first["id"], seat=None, nonce=None, invitation=None, name=None, once=None)
    # Also by a service with other settings: a match lasts as long as was said when it was created.
    other = new_service()
    assert create(other, ada, "me", "open", key="k") == first
    resigned = other.seats.resign(bob, first["id"], None, once(bob, "r")).body
    assert service.seats.resign(bob, first["id"], None, once(bob, "r")).body == resigned
    listed = other.matches.listed(ada, game=None, status=None, open_seats=None, mine=True, cursor=None, limit=10)[
        "matches"
    ]
    assert [match["expires_at"] for match in listed] == [resigned["expires_at"]]


def test_an_answer_without_an_event_says_the_same(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "open", "bot:random")
    service.seats.join(bob, match["id"], seat=None, nonce=None, invitation=None, name=None, once=None)
    first = service.seats.resign(bob, match["id"], None, None).body
    # Bob has left already: nothing happens, and the key is kept.
    again = service.seats.resign(bob, match["id"], None, once(bob, "again"))
    repeated = service.seats.resign(bob, match["id"], None, once(bob, "again"))
    assert (again.body, repeated.body, repeated.replayed) == (first, first, True)


def test_an_open_match_expires(new_service: Services, service: Service, ada: Caller) -> None:
    brief = new_service(lifetimes=Lifetimes(open_ms=1))
    match = create(brief, ada, "me", "open")
    other = create(service, ada, "me", "open")
    swept(service)
    ended = service.matches.get(ada, match["id"])
    assert (ended["status"], ended["expires_at"]) == ("aborted", None)
    assert service.matches.get(ada, other["id"])["status"] == "open"
    last = service.live.log(match["id"], 2)[-1].parsed()
    assert (last["type"], last["data"]) == ("match_aborted", {"reason": "expired"})


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_an_ended_match_is_deleted_where_it_is_not_kept(
    new_service: Services, ada: Caller, bob: Caller, clean_valkey: str, visibility: str
) -> None:
    brief = new_service(lifetimes=Lifetimes(ended_ms=1))
    with redis.Redis.from_url(clean_valkey) as client:
        before = set(client.keys("*"))
        kept = create(brief, ada, "me", "open")
        match = create(brief, ada, "me", "open", visibility=visibility, key="k")
        if visibility == "public":
            brief.seats.join(bob, match["id"], seat=None, nonce=None, invitation=None, name=None, once=None)
            gone = brief.seats.resign(bob, match["id"], None, None).body
            assert lasts_ms(gone, "ended_at") == 1
        else:
            brief.matches.abort(ada, match["id"])
        swept(brief)
        assert not [key for key in client.keys("*") if match["id"].encode() in key]
        with pytest.raises(errors.NotFound):
            brief.matches.get(ada, match["id"])
        for mine, caller in ((True, ada), (True, bob), (False, bob)):
            listed = brief.matches.listed(
                caller, game=None, status=None, open_seats=None, mine=mine, cursor=None, limit=9
            )["matches"]
            assert [one["id"] for one in listed] == ([] if caller == bob and mine else [kept["id"]])
        brief.matches.abort(ada, kept["id"])
        swept(brief)
        # Nothing at all is left of the two.
        assert {key for key in client.keys("*") if not key.startswith(b"spt:idem:")} == before


def test_a_match_that_moves_on_is_not_deleted(service: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "open")
    assert not service.store.erase(match["id"], 2, "open:wunderland")
    assert not service.expiry.expire(match["id"])
    assert service.matches.get(ada, match["id"]) == {
        key: value for key, value in match.items() if key not in ("grants", "invitations")
    }


def test_what_is_stored_without_lifetimes_has_the_first_ones() -> None:
    assert Lifetimes() == (7 * DAY_MS, 30 * DAY_MS, None)
    kept = Match("mt_1", "wunderland", "1", {}, "auto", "public", {}, "ac_1", None, "drawn", ())
    assert b"lifetimes" not in kept.to_document()
    assert Match.from_document(kept.to_document()) == kept
    brief = replace(kept, lifetimes=Lifetimes(1, 2, 3))
    assert Match.from_document(brief.to_document()) == brief
