"""Creating and listing matches, and who sees what."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
import redis

from spieltisch_service.app import errors
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.store.layout import match_place
from tests.app.conftest import once


def listed(service: Service, caller: Caller = ANONYMOUS, **asked: Any) -> dict[str, Any]:
    wanted = {"game": None, "status": None, "open_seats": None, "mine": False, "cursor": None, "limit": 50} | asked
    return service.matches.listed(caller, **wanted)


def create(service: Service, caller: Caller, game: str, *seats: str, **wanted: Any) -> dict[str, Any]:
    body: dict[str, Any] = service.matches.create(caller, NewMatch(game, seats, **wanted), None).body
    return body


def test_options_that_are_not_given_have_their_default(service: Service, ada: Caller) -> None:
    assert create(service, ada, "neues-land", "me", "me")["options"] == {"expert": False, "equal_turns": False}
    given = create(service, ada, "wunderland", "me", "me", options={"round_limit": 3, "postcards": None})
    assert given["options"] == {"postcards": "own_turn", "round_limit": 3}


@pytest.mark.parametrize(
    ("game", "seats", "pointer", "code"),
    [
        ("chess", ["me", "me"], "/game", "not_one_of"),
        ("wunderland", ["me"], "/seats", "out_of_range"),
        ("wunderland", ["me"] * 5, "/seats", "out_of_range"),
        ("neues-land", ["me"] * 6, "/seats", "out_of_range"),
        ("wunderland", ["me", "bot:deep-thought"], "/seats/1", "not_one_of"),
        ("wunderland", ["me", "you"], "/seats/1", "not_one_of"),
    ],
)
def test_what_cannot_be_created_says_where(
    service: Service, ada: Caller, game: str, seats: list[str], pointer: str, code: str
) -> None:
    with pytest.raises(errors.InvalidBody) as refused:
        create(service, ada, game, *seats)
    assert [(error.pointer, error.code) for error in refused.value.errors] == [(pointer, code)]


def test_a_wrong_deal_says_where(service: Service, ada: Caller) -> None:
    with pytest.raises(errors.InvalidBody) as refused:
        create(service, ada, "wunderland", "me", "me", deal={"deck": ["c01", "c01", "c02", "c03"]})
    assert [(error.pointer, error.code) for error in refused.value.errors] == [("/deal/deck/1", "duplicate")]


def test_an_explicit_deal_is_unrated_and_has_no_proof(service: Service, ada: Caller) -> None:
    match = create(service, ada, "wunderland", "me", "bot:random", deal={"deck": ["c01", "c02", "c03", "c04"]})
    assert (match["deal_source"], match["commitment"], match["rated"]) == ("explicit", None, False)
    record = service.play.record(ada, match["id"])
    assert (record["deal"], record["proof"]) == (None, None)


def test_lists_are_newest_first_and_end(service: Service, ada: Caller) -> None:
    made = [create(service, ada, "wunderland", "me", "open")["id"] for _ in range(7)]
    found: list[str] = []
    cursor = None
    while True:
        page = listed(service, limit=3, cursor=cursor)
        found += [match["id"] for match in page["matches"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(found) == sorted(made)
    created = [service.matches.get(ANONYMOUS, match_id)["created_at"] for match_id in found]
    assert created == sorted(created, reverse=True)


def test_filters(service: Service, ada: Caller, bob: Caller) -> None:
    open_id = create(service, ada, "wunderland", "me", "open")["id"]
    invite_id = create(service, ada, "neues-land", "me", "invite")["id"]
    running_id = create(service, bob, "neues-land", "me", "me")["id"]

    def ids(**asked: Any) -> set[str]:
        return {match["id"] for match in listed(service, **asked)["matches"]}

    assert ids() == {open_id, invite_id, running_id}
    assert ids(game="neues-land") == {invite_id, running_id}
    assert ids(status="open") == {open_id, invite_id}
    assert ids(open_seats=True) == {open_id}
    assert ids(open_seats=False) == {invite_id, running_id}
    assert ids(caller=ada, mine=True) == {open_id, invite_id}
    assert ids(caller=ada, mine=True, game="wunderland") == {open_id}
    assert ids(status="finished") == set()
    with pytest.raises(errors.Unauthenticated):
        listed(service, mine=True)


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_what_is_not_public_is_in_no_list_but_ones_own(
    service: Service, ada: Caller, bob: Caller, visibility: str
) -> None:
    match_id = create(service, ada, "wunderland", "me", "me", visibility=visibility)["id"]
    assert listed(service)["matches"] == listed(service, bob, mine=True)["matches"] == []
    assert [match["id"] for match in listed(service, ada, mine=True)["matches"]] == [match_id]


def test_a_private_match_is_not_there_for_others(service: Service, ada: Caller, bob: Caller) -> None:
    match_id = create(service, ada, "wunderland", "me", "open", visibility="private")["id"]
    absent = "mt_" + "0" * 32

    def refusals(asked_id: str) -> list[str]:
        texts = []
        for caller in (ANONYMOUS, bob):
            for ask in (
                lambda who, m: service.matches.get(who, m),
                lambda who, m: service.play.record(who, m),
                lambda who, m: service.play.legal_actions(who, m, seat=None),
                lambda who, m: service.play.board_text(who, m, seat=None, at=None),
                lambda who, m: service.streams.page(who, m, after=0, limit=1, wait_s=0),
                lambda who, m: next(service.streams.open(who, m, after=0)),
            ):
                with pytest.raises(errors.NotFound) as refused:
                    ask(caller, asked_id)
                texts.append(refused.value.detail)
        with pytest.raises(errors.NotFound) as refused:
            service.seats.join(bob, asked_id, seat=None, nonce=None, invitation=None, name=None, once=None)
        return [*texts, refused.value.detail]

    assert refusals(match_id) == refusals(absent)
    assert service.matches.get(ada, match_id)["visibility"] == "private"


@pytest.mark.parametrize("cursor", ["", "x", "ä", "bnVsbA", "WzEsMl0"])
def test_a_cursor_of_another_form_is_refused(service: Service, cursor: str) -> None:
    with pytest.raises(errors.InvalidParameter):
        listed(service, cursor=cursor)


def test_an_account_with_several_seats_reads_as_a_spectator_unless_it_says_which(service: Service, ada: Caller) -> None:
    match_id = create(service, ada, "wunderland", "me", "me")["id"]
    assert service.play.legal_actions(ada, match_id, seat=None)["legal_actions"] is None
    assert service.play.legal_actions(ada, match_id, seat=0)["legal_actions"]
    assert service.play.legal_actions(ada, match_id, seat=1)["legal_actions"] is None
    with pytest.raises(errors.NotYourSeat):
        service.play.legal_actions(ada, match_id, seat=2)
    with pytest.raises(errors.SeatRequired):
        service.seats.resign(ada, match_id, None, None)
    assert service.seats.resign(ada, match_id, 1, None).body["status"] == "finished"


def test_a_key_makes_one_match_a_day(service: Service, ada: Caller, clean_valkey: str) -> None:
    def sent(body: str) -> Any:
        wanted = NewMatch("neues-land", ["me", "open"], metadata={"body": body})
        return service.matches.create(ada, wanted, once(ada, "daily", "/v1/matches", body))

    made = [sent("a")]
    for body in ("a", "b"):
        with pytest.raises(errors.IdempotencyKeyReused):
            sent({"a": "b", "b": "a"}[body])
        again = sent(body)
        assert (again.replayed, again.body) == (True, made[-1].body)
        grow_up(clean_valkey, made[-1].body["id"])
        made.append(sent({"a": "b", "b": "b"}[body]))
        assert not made[-1].replayed
    assert len({answer.body["id"] for answer in made}) == 3
    assert len(listed(service)["matches"]) == 3


def grow_up(url: str, match_id: str) -> None:
    """Let a match be a day older, in the store itself."""
    place = match_place(match_id)
    with redis.Redis.from_url(url) as store:
        store.hincrby(place.match, "c", -24 * 3_600_000)


def test_copies_sent_at_once_make_one_match(new_service: Callable[..., Service]) -> None:
    first = new_service()
    ada = first.accounts.authenticate(first.accounts.create("Ada", "human", ANONYMOUS, None).body["key"])
    services = [first, *(new_service() for _ in range(7))]
    start = Barrier(len(services))

    def sent(service: Service) -> Any:
        start.wait(60)
        return service.matches.create(ada, NewMatch("wunderland", ["me", "me"]), once(ada, "key", "/v1/matches"))

    with ThreadPoolExecutor(len(services)) as pool:
        answers = list(pool.map(sent, services))
    assert sorted(answer.replayed for answer in answers) == [False, *[True] * 7]
    assert all(answer.body == answers[0].body for answer in answers)
