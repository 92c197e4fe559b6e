"""Whole matches through the use cases, and what a repeated or refused request does."""

import json
import threading
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from spieltisch_service.app import errors
from spieltisch_service.app.callers import ANONYMOUS, Answer, Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import BOTS, HouseBots
from spieltisch_service.domain.verify import verify
from tests.app.conftest import once

GAMES = ("neues-land", "wunderland")


def hot_seat(service: Service, caller: Caller, game: str, **options: Any) -> str:
    seats = ["me", "me"]
    return str(service.matches.create(caller, NewMatch(game, seats, options), None).body["id"])


def view(service: Service, caller: Caller, match_id: str, **asked: Any) -> dict[str, Any]:
    wanted = {"seat": None, "at": None, "after": None, "wait_s": 0, "known_etag": None} | asked
    body = service.play.view(caller, match_id, **wanted).body
    assert body is not None
    found: dict[str, Any] = orjson.loads(body)
    return found


def first_action(service: Service, match_id: str) -> Any:
    live = service.live.current(match_id)
    return live.game.legal(live.state)[0]


def play_on(service: Service, caller: Caller, match_id: str, plies: int) -> Answer | None:
    answer = None
    for ply in range(plies):
        live = service.live.current(match_id)
        if live.to_act() is None:
            break
        legal = live.game.legal(live.state)
        answer = service.play.act(caller, match_id, [legal[ply * 7 % len(legal)]], None, None, None)
    return answer


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_ends_with_a_record_that_proves_itself(service: Service, ada: Caller, game: str) -> None:
    match_id = hot_seat(service, ada, game, **({"round_limit": 6} if game == "wunderland" else {}))
    play_on(service, ada, match_id, 1000)
    match = service.matches.get(ada, match_id)
    record = json.loads(orjson.dumps(service.play.record(ANONYMOUS, match_id)))
    assert match["status"] == "finished"
    assert match["rated"] is False
    assert record["result"] == match["result"]
    assert view(service, ada, match_id)["scores"] == match["result"]["scores"]
    verify(record)


@pytest.mark.parametrize("game", GAMES)
def test_a_view_at_every_version_is_what_was_seen_then(
    service: Service, other_worker: Service, ada: Caller, game: str
) -> None:
    match_id = hot_seat(service, ada, game)
    seen = {}
    for _ in range(30):
        version = service.live.current(match_id).match.version
        for seat in (None, 0, 1):
            seen[version, seat] = service.play.view(
                ada, match_id, seat=seat, at=None, after=None, wait_s=0, known_etag=None
            )
        play_on(service, ada, match_id, 1)
    for (version, seat), then in seen.items():
        again = other_worker.play.view(ada, match_id, seat=seat, at=version, after=None, wait_s=0, known_etag=None)
        assert again == then


def test_a_repeated_action_has_the_same_bytes_long_after(service: Service, other_worker: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    action = first_action(service, match_id)
    first = service.play.act(ada, match_id, [action], None, None, once(ada, "k", match_id, 1))
    play_on(service, ada, match_id, 40)
    again = other_worker.play.act(ada, match_id, [action], None, None, once(ada, "k", match_id, 1))
    assert orjson.dumps(again.body) == orjson.dumps(first.body)
    assert (first.replayed, again.replayed) == (False, True)


def test_a_repeated_action_is_answered_even_when_it_would_now_be_refused(service: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    action = first_action(service, match_id)
    intent = once(ada, "k", match_id, 1)
    first = service.play.act(ada, match_id, [action], 2, 0, intent)
    play_on(service, ada, match_id, 400)
    assert service.matches.get(ada, match_id)["status"] == "finished"
    again = service.play.act(ada, match_id, [action], 2, 0, intent)
    assert orjson.dumps(again.body) == orjson.dumps(first.body)


def test_a_key_for_another_intent_is_refused(service: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    service.play.act(ada, match_id, [first_action(service, match_id)], None, None, once(ada, "k", match_id, 1))
    with pytest.raises(errors.IdempotencyKeyReused):
        service.play.act(ada, match_id, [first_action(service, match_id)], None, None, once(ada, "k", match_id, 2))


def test_a_refused_request_leaves_its_key_free(service: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    intent = once(ada, "k", match_id, 1)
    with pytest.raises(errors.StaleVersion):
        service.play.act(ada, match_id, [first_action(service, match_id)], 1, None, intent)
    assert service.play.act(ada, match_id, [first_action(service, match_id)], 2, None, intent).replayed is False


def test_the_second_action_of_a_list_is_illegal_so_the_first_has_not_happened(service: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    place = first_action(service, match_id)
    before = service.live.current(match_id).match.version
    with pytest.raises(errors.IllegalActionRefused) as refused:
        service.play.act(ada, match_id, [place, place], None, None, None)
    assert refused.value.errors[0].pointer == "/actions/1"
    assert refused.value.extra["version"] == before == service.live.fresh(match_id).match.version


def test_an_action_beyond_the_turn_refuses_the_whole_list(service: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    place = first_action(service, match_id)
    skip = service.live.current(match_id).game.action_from_wire({"type": "pass"})
    with pytest.raises(errors.NotYourTurn) as refused:
        service.play.act(ada, match_id, [place, skip, place], None, 0, None)
    assert refused.value.errors[0].pointer == "/actions/2"
    assert service.live.fresh(match_id).match.version == 2
    assert len(service.play.act(ada, match_id, [place, skip], None, 0, None).body["events"]) == 2


def test_fifty_copies_of_one_request_are_one_action(service: Service, other_worker: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    action = first_action(service, match_id)
    bodies: list[bytes] = []

    def send(worker: Service) -> None:
        answer = worker.play.act(ada, match_id, [action], None, None, once(ada, "k", match_id, 1))
        bodies.append(orjson.dumps(answer.body))

    copies = [threading.Thread(target=send, args=((service, other_worker)[i % 2],)) for i in range(50)]
    for copy in copies:
        copy.start()
    for copy in copies:
        copy.join()
    assert len(bodies) == 50
    assert len(set(bodies)) == 1
    log = service.streams.page(ANONYMOUS, match_id, after=0, limit=500, wait_s=0)
    assert [orjson.loads(orjson.dumps(event))["type"] for event in log["events"]].count("action") == 1


def test_clients_contending_for_one_match_each_get_a_version(
    service: Service, other_worker: Service, ada: Caller
) -> None:
    """Every version has one author: as many accepted requests as action events, and all versions differ."""
    match_id = hot_seat(service, ada, "neues-land")
    accepted: list[int] = []

    def contend(number: int) -> None:
        worker = (service, other_worker)[number % 2]
        for attempt in range(3):
            live = worker.live.current(match_id)
            action = live.game.legal(live.state)[0]
            try:
                intent = once(ada, f"{number}-{attempt}", match_id, 1)
                answer = worker.play.act(ada, match_id, [action], live.match.version, None, intent)
            except errors.StaleVersion:
                continue
            else:
                accepted.append(answer.body["version"])

    clients = [threading.Thread(target=contend, args=(i,)) for i in range(64)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    version = service.live.fresh(match_id).match.version
    assert sorted(accepted) == list(range(3, version + 1))


def test_resigning_of_two_ends_the_match(service: Service, ada: Caller, bob: Caller) -> None:
    match_id = service.matches.create(ada, NewMatch("neues-land", ["me", "open"]), None).body["id"]
    service.seats.join(bob, match_id, seat=None, nonce="b", invitation=None, name=None, once=None)
    body = service.seats.resign(ada, match_id, None, once(ada, "r", match_id)).body
    assert body["result"]["ranks"] == [2, 1]
    assert body["result"]["end_reason"] == "last_seat"
    assert [seat["status"] for seat in body["seats"]] == ["resigned", "active"]
    assert service.seats.resign(ada, match_id, None, once(ada, "r", match_id)).body == body
    verify(json.loads(orjson.dumps(service.play.record(ada, match_id))))


def test_resigning_of_three_goes_on_with_default_actions(
    service: Service, ada: Caller, register: Callable[[str], Caller]
) -> None:
    match_id = service.matches.create(ada, NewMatch("wunderland", ["me", "open", "open"]), None).body["id"]
    others = [register("Bob"), register("Cy")]
    for other in others:
        service.seats.join(other, match_id, seat=None, nonce=None, invitation=None, name=None, once=None)
    service.seats.resign(ada, match_id, None, None)
    live = service.live.fresh(match_id)
    assert live.to_act() in (1, 2)
    while live.to_act() is not None and live.match.version < 40:
        seat = live.to_act()
        assert seat is not None
        service.play.act(others[seat - 1], match_id, [live.game.default_action(live.state)], None, None, None)
        live = service.live.fresh(match_id)
    log = [event.parsed() for event in service.live.log(match_id, live.match.version)]
    causes = {event["data"]["cause"] for event in log if event["seat"] == 0 and event["type"] == "action"}
    assert causes == {"resigned"}
    service.seats.resign(others[0], match_id, None, None)
    result = service.matches.get(ada, match_id)["result"]
    assert result["ranks"] == [3, 2, 1]
    verify(json.loads(orjson.dumps(service.play.record(ada, match_id))))


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("game", GAMES)
def test_house_bots_play_a_match_to_its_end(
    new_service: Callable[..., Service], ada: Caller, game: str, bot: str
) -> None:
    service = new_service(bots=tuple(BOTS))
    options = {"round_limit": 5} if game == "wunderland" else {}
    match_id = service.matches.create(ada, NewMatch(game, [f"bot:{bot}", "bot:random"], options), None).body["id"]
    bots = HouseBots(service, seed=1)
    for _ in range(2000):
        if not bots.play_waiting():
            break
    match = service.matches.get(ada, match_id)
    assert match["status"] == "finished"
    assert service.store.waiting_for_bots(10) == []


def test_a_long_poll_sees_what_another_worker_did(service: Service, other_worker: Service, ada: Caller) -> None:
    match_id = hot_seat(service, ada, "neues-land")
    seen: list[dict[str, Any]] = []
    poll = threading.Thread(target=lambda: seen.append(view(service, ada, match_id, after=2, wait_s=600)))
    poll.start()
    play_on(other_worker, ada, match_id, 1)
    poll.join(120)
    assert [found["version"] for found in seen] == [3]


def test_decisions_list_every_match_that_waits(service: Service, ada: Caller, bob: Caller) -> None:
    match_id = service.matches.create(ada, NewMatch("neues-land", ["me", "open"]), None).body["id"]
    assert service.decisions.waiting(ada, 0, None)["decisions"] == []
    service.seats.join(bob, match_id, seat=None, nonce=None, invitation=None, name=None, once=None)
    found = service.decisions.waiting(ada, 0, None)
    assert [(each["match"], each["seat"], each["version"]) for each in found["decisions"]] == [(match_id, 0, 3)]
    assert service.decisions.waiting(bob, 0, None)["decisions"] == []
    cursors: list[dict[str, Any]] = []
    poll = threading.Thread(target=lambda: cursors.append(service.decisions.waiting(ada, 600, found["cursor"])))
    poll.start()
    place = first_action(service, match_id)
    skip = service.live.current(match_id).game.action_from_wire({"type": "pass"})
    service.play.act(ada, match_id, [place, skip], None, None, None)
    poll.join(120)
    assert cursors[0]["decisions"] == []
    assert [each["seat"] for each in service.decisions.waiting(bob, 0, None)["decisions"]] == [1]
