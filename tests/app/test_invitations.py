"""Invitations with uses and an end, revoked or not, and seats whose token is replaced."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from spieltisch_service.app import accounts, errors, streams
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.invitations import NewInvitation
from spieltisch_service.app.keys import NewKey
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.app.streams import End, Heartbeat
from spieltisch_service.domain.match import Invitation, Match
from tests.app.conftest import once


def create(service: Service, caller: Caller, *seats: str, **wanted: Any) -> dict[str, Any]:
    """A match that does not start by itself, of the game for so many."""
    game = "wunderland" if len(seats) <= 4 else "neues-land"
    body: dict[str, Any] = service.matches.create(
        caller, NewMatch(game, seats, **{"start": "manual", **wanted}), None
    ).body
    return body


def join(service: Service, caller: Caller, match_id: str, token: str | None, **asked: Any) -> Any:
    wanted = {"seat": None, "nonce": None, "name": None, "once": None} | asked
    return service.seats.join(caller, match_id, invitation=token, **wanted)


def invite(service: Service, caller: Caller, match_id: str, **wanted: Any) -> dict[str, Any]:
    [made] = service.invitations.create(caller, match_id, NewInvitation(**wanted), None).body["invitations"]
    shown: dict[str, Any] = made
    return shown


# --- invitations ----------------------------------------------------------------------------------------------------


def test_an_invitation_to_any_seat_has_its_uses(service: Service, other_worker: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "invite", "open", "invite", "invite")
    made = invite(service, ada, match["id"], uses=2)
    assert (made["seat"], made["uses"], made["used"], made["expires_at"]) == (None, 2, 0, None)
    first = join(other_worker, ANONYMOUS, match["id"], made["token"], name="Grace").body
    assert [grant["seat"] for grant in first["grants"]] == [1]
    second = join(service, ANONYMOUS, match["id"], made["token"], seat=4, name="Hedy").body
    assert [grant["seat"] for grant in second["grants"]] == [4]
    for worker in (service, other_worker):
        with pytest.raises(errors.InvitationInvalid, match="used up"):
            join(worker, ANONYMOUS, match["id"], made["token"], name="Eve")
    [shown] = [each for each in service.invitations.listed(ada, match["id"])["invitations"] if each["uses"]]
    assert shown == {name: value for name, value in made.items() if name != "token"} | {"used": 2}
    # Whoever leaves does not give the use back.
    service.seats.leave(ada, match["id"], 4)
    with pytest.raises(errors.InvitationInvalid):
        join(service, ANONYMOUS, match["id"], made["token"], name="Eve")


def test_a_last_use_is_used_once(service: Service, other_worker: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "invite", "invite", "invite")
    made = invite(service, ada, match["id"])
    outcomes: list[str] = []

    def take(worker: Service) -> None:
        try:
            join(worker, ANONYMOUS, match["id"], made["token"], name="Grace")
            outcomes.append("taken")
        except errors.InvitationInvalid:
            outcomes.append("refused")

    threads = [threading.Thread(target=take, args=(worker,)) for worker in (service, other_worker) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(outcomes) == ["refused"] * 5 + ["taken"]


def test_an_invitation_to_a_seat_is_for_that_seat(service: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "open", "invite", "invite")
    made = invite(service, ada, match["id"], seat=3)
    for seat in (0, 1, 2):
        with pytest.raises(errors.InvitationInvalid):
            join(service, ANONYMOUS, match["id"], made["token"], seat=seat)
    assert join(service, ANONYMOUS, match["id"], made["token"]).body["grants"][0]["seat"] == 3
    for seat in (0, 1, 4):
        with pytest.raises(errors.InvalidBody):
            invite(service, ada, match["id"], seat=seat)
    closed = create(service, ada, "me", "open")
    with pytest.raises(errors.InvalidBody, match="no seat"):
        invite(service, ada, closed["id"])


def test_an_invitation_to_any_seat_opens_no_open_one(service: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "open", "invite")
    made = invite(service, ada, match["id"], uses=5)
    with pytest.raises(errors.InvitationInvalid):
        join(service, ANONYMOUS, match["id"], made["token"], seat=1)
    join(service, ANONYMOUS, match["id"], made["token"])
    with pytest.raises(errors.SeatTaken):
        join(service, ANONYMOUS, match["id"], made["token"])


def test_an_invitation_expires_by_the_stores_time(service: Service, other_worker: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "invite", "invite")
    made = invite(service, ada, match["id"], uses=5, expires_in_s=3600)
    join(other_worker, ANONYMOUS, match["id"], made["token"])

    def expired(old: Match) -> Match:
        [kept] = old.invitations
        past = Invitation(kept.id, kept.seat, kept.uses, service.live.fresh(old.id).now_ms)
        return Match(**{name: getattr(old, name) for name in Match.__slots__} | {"invitations": (past,)})

    service.live.rewrite(match["id"], expired)
    for worker in (service, other_worker):
        with pytest.raises(errors.InvitationInvalid, match="expired at"):
            join(worker, ANONYMOUS, match["id"], made["token"])


def test_a_revoked_invitation_opens_nothing(service: Service, other_worker: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "invite", "invite")
    ids = [each["id"] for each in service.invitations.listed(ada, match["id"])["invitations"]]
    [first, second] = [each | {"id": ids[n]} for n, each in enumerate(match["invitations"])]
    made = invite(service, ada, match["id"], uses=5)
    guest = join(other_worker, ANONYMOUS, match["id"], first["token"], name="Grace").body["grants"][0]["token"]
    for each in (first, made):
        revoked = service.invitations.revoke(ada, match["id"], each["id"])
        assert revoked["revoked"] is True
        assert other_worker.invitations.revoke(ada, match["id"], each["id"]) == revoked
    for each in (first, made):
        for worker in (service, other_worker):
            with pytest.raises(errors.InvitationInvalid, match="revoked"):
                join(worker, ANONYMOUS, match["id"], each["token"])
    assert [each["id"] for each in other_worker.invitations.listed(ada, match["id"])["invitations"]] == [second["id"]]
    assert service.accounts.authenticate(guest).seat is not None
    join(other_worker, ANONYMOUS, match["id"], second["token"])
    with pytest.raises(errors.NotFound):
        service.invitations.revoke(ada, match["id"], "iv_" + "0" * 32)


def test_only_the_creator_invites(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "invite")
    hidden = create(service, ada, "me", "invite", visibility="private")
    for match_id, refusal in ((match["id"], errors.Forbidden), (hidden["id"], errors.NotFound)):
        with pytest.raises(refusal):
            service.invitations.create(bob, match_id, NewInvitation(), None)
        with pytest.raises(refusal):
            service.invitations.listed(bob, match_id)
        with pytest.raises(refusal):
            service.invitations.revoke(bob, match_id, "iv_" + "0" * 32)
    with pytest.raises(errors.Unauthenticated):
        service.invitations.create(ANONYMOUS, match["id"], NewInvitation(), None)


def test_a_repeated_invitation_is_the_same(service: Service, other_worker: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "invite", "invite")
    wanted = NewInvitation(uses=2, expires_in_s=3600)
    first = service.invitations.create(ada, match["id"], wanted, once(ada, "k"))
    join(service, ANONYMOUS, match["id"], first.body["invitations"][0]["token"])
    service.invitations.revoke(ada, match["id"], first.body["invitations"][0]["id"])
    again = other_worker.invitations.create(ada, match["id"], wanted, once(ada, "k"))
    assert orjson.dumps(again.body) == orjson.dumps(first.body)
    assert (first.replayed, again.replayed) == (False, True)
    with pytest.raises(errors.IdempotencyKeyReused):
        service.invitations.create(ada, match["id"], wanted, once(ada, "k", body={"uses": 3}))


def test_a_join_that_comes_again_is_answered_though_its_invitation_is_used_up(
    service: Service, other_worker: Service, ada: Caller
) -> None:
    match = create(service, ada, "me", "invite", "invite")
    made = invite(service, ada, match["id"])
    intent = once(ANONYMOUS, "k", match["id"], {"invitation": made["token"]})
    first = join(service, ANONYMOUS, match["id"], made["token"], name="Grace", once=intent)
    service.invitations.revoke(ada, match["id"], made["id"])
    again = join(other_worker, ANONYMOUS, match["id"], made["token"], name="Grace", once=intent)
    assert orjson.dumps(again.body) == orjson.dumps(first.body)


def test_what_no_event_tells_is_not_undone_by_a_worker_that_was_behind(
    service: Service, other_worker: Service, ada: Caller, bob: Caller
) -> None:
    """The other worker remembers the match as it was, and writes all of it when a seat is taken."""
    match = create(service, ada, "me", "open", "open", "invite")
    join(other_worker, bob, match["id"], None)
    made = invite(service, ada, match["id"])
    service.seats.replace_token(bob, match["id"], 1, None)
    join(other_worker, bob, match["id"], None)
    after = service.live.fresh(match["id"]).match
    assert ([each.id for each in after.invitations], after.replaced) == ([made["id"]], (1,))
    service.accounts.erase(bob)
    join(other_worker, ANONYMOUS, match["id"], made["token"], name="Grace")
    assert [seat.name for seat in service.live.fresh(match["id"]).match.seats] == ["Ada", None, None, "Grace"]


# --- the tokens of seats --------------------------------------------------------------------------------------------


def refused(service: Service, match_id: str, token: str) -> None:
    """The token opens nothing."""
    with pytest.raises(errors.Unauthenticated):
        service.play.legal_actions(service.accounts.authenticate(token), match_id, seat=None)


def holds(service: Service, match_id: str, token: str) -> None:
    """The token is that of a seat."""
    caller = service.accounts.authenticate(token)
    service.play.legal_actions(caller, match_id, seat=caller.seat.seat if caller.seat else None)


def test_a_replaced_token_has_ended(
    service: Service, other_worker: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 1000.0
    monkeypatch.setattr(accounts.time, "monotonic", lambda: now_s)
    match = create(service, ada, "me", "me")
    old = match["grants"][1]["token"]
    holds(other_worker, match["id"], old)
    new = service.seats.replace_token(service.accounts.authenticate(old), match["id"], 1, None).body
    assert new["seat"] == 1
    refused(service, match["id"], old)
    holds(service, match["id"], new["token"])
    holds(service, match["id"], match["grants"][0]["token"])
    now_s += 4.01
    refused(other_worker, match["id"], old)
    holds(other_worker, match["id"], new["token"])
    again = service.seats.replace_token(ada, match["id"], 1, None).body["token"]
    assert len({old, new["token"], again}) == 3
    refused(service, match["id"], new["token"])
    holds(service, match["id"], again)


def test_a_worker_that_remembers_the_match_takes_the_new_token_at_once(
    service: Service, other_worker: Service, ada: Caller
) -> None:
    match = create(service, ada, "me", "me", start="auto")
    holds(other_worker, match["id"], match["grants"][0]["token"])
    new = service.seats.replace_token(ada, match["id"], 0, None).body["token"]
    holds(other_worker, match["id"], new)
    legal = other_worker.play.legal_actions(other_worker.accounts.authenticate(new), match["id"], seat=None)
    assert legal["legal_actions"]


def test_who_may_replace_a_token(service: Service, ada: Caller, bob: Caller) -> None:
    match = create(service, ada, "me", "open", "invite", "open", "bot:random")
    join(service, bob, match["id"], None, seat=1)
    joined = join(service, ANONYMOUS, match["id"], match["invitations"][0]["token"], name="Grace").body
    guest = service.accounts.authenticate(joined["grants"][0]["token"])
    for caller, seats in ((ada, (1, 3, 4)), (bob, (0, 2, 3, 4)), (guest, (0, 1))):
        for seat in seats:
            with pytest.raises(errors.NotYourSeat):
                service.seats.replace_token(caller, match["id"], seat, None)
    for caller, seat in ((ada, 0), (bob, 1), (guest, 2), (ada, 2)):
        holds(service, match["id"], service.seats.replace_token(caller, match["id"], seat, None).body["token"])
    with pytest.raises(errors.Unauthenticated):
        service.seats.replace_token(ANONYMOUS, match["id"], 0, None)
    weak = service.accounts.authenticate(service.keys.create(ada, NewKey("plays"), None).body["key"])
    with pytest.raises(errors.Forbidden, match="create"):
        service.seats.replace_token(weak, match["id"], 2, None)
    holds(service, match["id"], service.seats.replace_token(weak, match["id"], 0, None).body["token"])


def test_a_repeated_replacement_gives_the_same_token(service: Service, other_worker: Service, ada: Caller) -> None:
    match = create(service, ada, "me", "me")
    first = service.seats.replace_token(ada, match["id"], 0, once(ada, "k"))
    service.seats.replace_token(ada, match["id"], 1, once(ada, "other"))
    again = other_worker.seats.replace_token(ada, match["id"], 0, once(ada, "k"))
    assert (first.body, first.replayed) == (again.body, False)
    assert again.replayed
    holds(service, match["id"], first.body["token"])
    service.seats.replace_token(ada, match["id"], 0, None)
    assert service.seats.replace_token(ada, match["id"], 0, once(ada, "k")).body == first.body
    refused(service, match["id"], first.body["token"])


def test_a_repeated_join_does_not_give_the_new_token_away(service: Service, ada: Caller) -> None:
    """A guest whose token leaked with its invitation: whoever repeats the join gets the old token, which has ended."""
    match = create(service, ada, "me", "invite")
    intent = once(ANONYMOUS, "k", match["id"], {})
    invitation = match["invitations"][0]["token"]
    first = join(service, ANONYMOUS, match["id"], invitation, name="Grace", once=intent)
    new = service.seats.replace_token(ada, match["id"], 1, None).body["token"]
    again = join(service, ANONYMOUS, match["id"], invitation, name="Grace", once=intent)
    assert again.body["grants"] == first.body["grants"]
    refused(service, match["id"], again.body["grants"][0]["token"])
    holds(service, match["id"], new)


def test_who_sits_down_after_a_replacement_has_a_token_of_their_own(
    service: Service, other_worker: Service, ada: Caller, bob: Caller
) -> None:
    match = create(service, ada, "me", "open")
    seen = {match["grants"][0]["token"]}
    for _ in range(3):
        intent = once(bob, str(len(seen)), match["id"], {})
        joined = join(service, bob, match["id"], None, once=intent).body["grants"]
        seen.add(joined[0]["token"])
        holds(service, match["id"], joined[0]["token"])
        seen.add(service.seats.replace_token(bob, match["id"], 1, None).body["token"])
        assert join(other_worker, bob, match["id"], None, once=intent).body["grants"] == joined
        service.seats.leave(bob, match["id"], 1)
    assert len(seen) == 7


def test_a_stream_by_a_replaced_token_is_revoked(
    service: Service, other_worker: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "TRUST_S", 0.1)
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.02)
    match = create(service, ada, "me", "me")
    caller = service.accounts.authenticate(match["grants"][0]["token"])
    stream = service.streams.open(caller, match["id"], after=match["version"])
    assert next(stream) == Heartbeat()
    other_worker.seats.replace_token(ada, match["id"], 0, None)
    assert list(stream)[-1] == End("revoked")


def test_a_replacement_is_no_event(service: Service, ada: Caller, new_service: Callable[..., Service]) -> None:
    match = create(service, ada, "me", "me", start="auto")
    service.seats.replace_token(ada, match["id"], 0, None)
    live = new_service().live.fresh(match["id"])
    assert (live.match.version, live.match.hash) == (match["version"], service.play.record(ada, match["id"])["hash"])
    assert service.matches.get(ada, match["id"]) == {
        name: value for name, value in match.items() if name not in ("grants", "invitations")
    }
