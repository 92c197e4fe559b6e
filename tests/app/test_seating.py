"""Joining, leaving, starting: rights, nonces, invitations, and what a repetition is answered."""

import threading
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from spieltisch_service.app import errors
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import Sweeper
from spieltisch_service.domain.match import Lifetimes
from spieltisch_service.store.connection import connect
from tests.app.conftest import once
from tests.conftest import SECRET


def create(service: Service, caller: Caller, *seats: str, **wanted: Any) -> dict[str, Any]:
    body: dict[str, Any] = service.matches.create(caller, NewMatch("wunderland", seats, **wanted), None).body
    return body


def join(service: Service, caller: Caller, match_id: str, **asked: Any) -> Any:
    wanted = {"seat": None, "nonce": None, "invitation": None, "name": None, "once": None} | asked
    return service.seats.join(caller, match_id, **wanted)


def test_joining_takes_the_lowest_open_seat_and_starts_the_match(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "open", "open")
    assert [seat["taken"] for seat in match["seats"]] == [True, False, False]
    answer = join(service, bob, match["id"])
    assert (answer.status, answer.location) == (201, f"/v1/matches/{match['id']}")
    assert [grant["seat"] for grant in answer.body["grants"]] == [1]
    assert answer.body["status"] == "open"
    assert join(service, bob, match["id"]).body["status"] == "running"
    assert service.matches.get(bob, match["id"])["rated"] is False


def test_a_grant_is_a_token_for_that_seat(service: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "bot:random")
    seat = service.accounts.authenticate(match["grants"][0]["token"])
    assert seat.seat is not None
    assert (seat.seat.match, seat.seat.seat) == (match["id"], 0)
    assert service.play.legal_actions(seat, match["id"], seat=None)["legal_actions"]
    with pytest.raises(errors.Forbidden):
        create(service, seat, "me", "me")


def test_the_token_of_a_left_seat_has_ended(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "open", start="manual")
    token = join(service, bob, match["id"]).body["grants"][0]["token"]
    holder = service.accounts.authenticate(token)
    left = service.seats.leave(bob, match["id"], 1)
    assert [seat["taken"] for seat in left["seats"]] == [True, False]
    with pytest.raises(errors.Unauthenticated):
        service.play.legal_actions(holder, match["id"], seat=None)
    assert join(service, bob, match["id"]).body["grants"][0]["token"] != token
    assert service.seats.leave(ada, match["id"], 1)["seats"][1]["taken"] is False
    assert service.seats.leave(bob, match["id"], 1)["seats"][1]["taken"] is False


def test_an_invitation_seats_a_guest_without_a_key(service: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "invite", visibility="private", start="manual")
    invitation = match["invitations"][0]
    assert invitation["seat"] == 1
    with pytest.raises(errors.NotFound):
        service.matches.get(ANONYMOUS, match["id"])
    body = join(service, ANONYMOUS, match["id"], invitation=invitation["token"], name="Grace", nonce="g").body
    assert (body["seats"][1]["kind"], body["seats"][1]["name"]) == ("guest", "Grace")
    guest = service.accounts.authenticate(body["grants"][0]["token"])
    assert service.matches.get(guest, match["id"])["status"] == "open"
    with pytest.raises(errors.SeatTaken):
        join(service, ANONYMOUS, match["id"], invitation=invitation["token"], name="Eve")


@pytest.mark.parametrize("invitation", ["", "spt_invite_nonsense", "ä", "other"])
def test_a_wrong_invitation_is_refused(service: Service, ada: Caller, invitation: str) -> None:
    match = create(service, ada, "me", "invite")
    other = create(service, ada, "me", "invite")
    wrong = other["invitations"][0]["token"] if invitation == "other" else invitation
    with pytest.raises(errors.InvitationInvalid):
        join(service, ANONYMOUS, match["id"], invitation=wrong, name="Eve")


def test_an_invite_seat_needs_its_invitation(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "invite")
    with pytest.raises(errors.InvitationInvalid):
        join(service, bob, match["id"], seat=1)
    with pytest.raises(errors.SeatTaken):
        join(service, bob, match["id"])
    with pytest.raises(errors.Unauthenticated):
        join(service, ANONYMOUS, match["id"])


def test_nonces_are_hidden_until_the_start_and_enter_the_deal(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "open", start="manual")
    join(service, bob, match["id"], nonce="bobs")
    before = orjson.dumps([service.play.record(bob, match["id"]), service.matches.get(bob, match["id"])])
    assert b"bobs" not in before
    with pytest.raises(errors.NotYourSeat):
        service.seats.start(ada, match["id"], {"1": "mine"}, None)
    with pytest.raises(errors.Forbidden):
        service.seats.start(bob, match["id"], None, None)
    service.seats.start(ada, match["id"], {"0": "adas"}, None)
    assert service.play.record(bob, match["id"])["proof"] == {
        "commitment": match["commitment"],
        "seed": None,
        "nonces": ["adas", "bobs"],
    }


def test_a_start_waits_for_all_seats(service: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "open", start="manual")
    with pytest.raises(errors.SeatsMissing):
        service.seats.start(ada, match["id"], None, None)


def test_a_repeated_join_gives_the_same_token(
    service: Service, other_worker: Service, ada: Caller, bob: Caller
) -> None:
    match = create(service, ada, "me", "open", "open")
    first = join(service, bob, match["id"], once=once(bob, "k", match["id"], {}))
    join(service, ada, match["id"])
    again = join(other_worker, bob, match["id"], once=once(bob, "k", match["id"], {}))
    assert orjson.dumps(again.body) == orjson.dumps(first.body)
    assert again.replayed
    assert service.matches.get(ada, match["id"])["version"] == 4


def test_a_repeated_create_gives_the_same_match(service: Service, other_worker: Service, ada: Caller) -> None:
    wanted = NewMatch("neues-land", ["me", "me"])
    first = service.matches.create(ada, wanted, once(ada, "k"))
    again = other_worker.matches.create(ada, wanted, once(ada, "k"))
    assert orjson.dumps(again.body) == orjson.dumps(first.body)
    assert (again.status, again.replayed) == (201, True)
    with pytest.raises(errors.IdempotencyKeyReused):
        service.matches.create(ada, wanted, once(ada, "k", body={"other": 1}))


def test_many_who_join_at_once_get_one_seat_each(service: Service, other_worker: Service, ada: Caller) -> None:
    match = create(service, ada, "open", "open", "open", "open", start="manual")
    callers = [
        service.accounts.authenticate(service.accounts.create(f"P{i}", "bot", ANONYMOUS, None).body["key"])
        for i in range(12)
    ]
    got: list[int] = []
    refused: list[Exception] = []

    def take(i: int) -> None:
        try:
            got.append(join((service, other_worker)[i % 2], callers[i], match["id"]).body["grants"][0]["seat"])
        except errors.SeatTaken as error:
            refused.append(error)

    threads = [threading.Thread(target=take, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [0, 1, 2, 3]
    assert len(refused) == 8


def test_only_the_creator_aborts_an_open_match(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "open")
    with pytest.raises(errors.Forbidden):
        service.matches.abort(bob, match["id"])
    assert service.matches.abort(ada, match["id"])["status"] == "aborted"
    assert service.matches.abort(ada, match["id"])["status"] == "aborted"
    with pytest.raises(errors.MatchNotOpen):
        join(service, bob, match["id"])


def test_a_running_match_is_aborted_by_a_seat_only_when_idle(
    service: Service, ada: Caller, bob: Caller, clean_valkey: str
) -> None:
    match = create(service, ada, "me", "open")
    join(service, bob, match["id"])
    with pytest.raises(errors.MatchNotOpen):
        service.matches.abort(bob, match["id"])
    impatient = Service(connect(clean_valkey), service.bell, SECRET, seat_abort_ms=0)
    assert impatient.matches.abort(bob, match["id"])["status"] == "aborted"
    last = orjson.loads(orjson.dumps(service.streams.page(ada, match["id"], after=3, limit=9, wait_s=0)))["events"][-1]
    assert last["data"] == {"reason": "seat"}


def test_an_idle_match_expires(service: Service, ada: Caller, clean_valkey: str) -> None:
    impatient = Service(connect(clean_valkey), service.bell, SECRET, lifetimes=Lifetimes(running_ms=1))
    match = create(impatient, ada, "me", "me")
    fresh = create(service, ada, "me", "me")
    while not Sweeper(impatient).sweep():
        pass
    assert service.live.fresh(match["id"]).match.status == "aborted"
    assert service.live.fresh(fresh["id"]).match.status == "running"


def test_a_rematch_turns_the_seats_and_is_the_same_for_everybody(
    service: Service, ada: Caller, bob: Caller, register: Callable[[str], Caller]
) -> None:
    match = create(service, ada, "me", "open", "bot:random")
    join(service, bob, match["id"])
    with pytest.raises(errors.MatchNotOpen):
        service.matches.rematch(ada, match["id"], None)
    service.seats.resign(bob, match["id"], None, None)
    service.seats.resign(ada, match["id"], None, None)
    first = service.matches.rematch(ada, match["id"], once(ada, "k"))
    assert [seat["name"] for seat in first.body["seats"]] == ["random", "Ada", "Bob"]
    assert [grant["seat"] for grant in first.body["grants"]] == [1]
    assert first.body["status"] == "running"
    other = service.matches.rematch(bob, match["id"], None)
    assert (other.body["id"], other.body["grants"][0]["seat"]) == (first.body["id"], 2)
    assert service.matches.get(ada, match["id"])["rematch"] == first.body["id"]
    again = service.matches.rematch(ada, match["id"], once(ada, "k"))
    assert (again.body, again.replayed) == (first.body, True)
    with pytest.raises(errors.Forbidden):
        service.matches.rematch(register("Eve"), match["id"], None)
