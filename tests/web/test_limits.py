"""Limits: what counts where, what a caller is told, and that nothing holds up an action but actions."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.test import TestResponse

from spieltisch_service.app.limits import RATES, Limits
from spieltisch_service.app.service import Service
from spieltisch_service.store import nodes
from spieltisch_service.store.connection import connect
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app
from spieltisch_service.web.limits import Counters, network
from spieltisch_service.web.operation import Operation
from tests.web.checked import Checked, Description, Person
from tests.web.conftest import SECRET

WANTED = {"game": "neues-land", "seats": ["me", "open"]}
#: By hand: which bucket each operation counts in.
BUCKETS: Mapping[str | None, set[str]] = {
    "actions": {"act", "resign", "startMatch", "abortMatch", "leaveSeat"},
    "creates": {"createAccount", "createMatch", "takeSeat", "rematch", "eraseMe"},
    "sandbox": {"imagine"},
    None: {"getLive", "getReady", "getMetrics"},
}

World = Callable[..., Checked]


@pytest.fixture
def limited(clean_valkey: str, description: Description) -> Iterator[World]:
    """Applications over one store that hold callers to limits: `reads=(3, 9)` is 3 of a key and 9 of an address."""
    hub = Hub(clean_valkey)

    def made(
        *,
        live_matches: int = 100,
        live_tournaments: int = 5,
        streams_per_key: int = 8,
        hops: int = 0,
        **rates: tuple[int, int],
    ) -> Checked:
        table = dict(RATES)
        for name, (per_key, per_address) in rates.items():
            policy = next(known for known in RATES if known == name)
            key = None if RATES[policy].per_key is None else per_key
            table[policy] = dataclasses.replace(RATES[policy], per_key=key, per_address=per_address)
        limits = Limits(table, live_matches, streams_per_key, streams_per_key, live_tournaments)
        app = create_app(Service(connect(clean_valkey), hub, SECRET, bots=("random",), limits=limits))
        if hops:
            app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=0, x_host=0)  # type: ignore[method-assign]
        return Checked(app, description)

    yield made
    hub.close()


def refused(answer: TestResponse, policy: str) -> bool:
    """Whether the answer is a 429 for that policy; fails for any other refusal, and for a 429 that lacks its fields."""
    if answer.status_code != 429:
        assert answer.status_code < 300, answer.text
        return False
    assert answer.json is not None
    assert answer.json["code"] == "rate_limited"
    assert answer.json["detail"].startswith(f"{policy}: ")
    assert 1 <= int(answer.headers["Retry-After"]) <= 3600
    return True


def fields(answer: TestResponse) -> tuple[str, int, int]:
    """Name, remaining and seconds of `RateLimit`."""
    found = re.fullmatch(r'"([a-z-]+)";r=(\d+);t=(\d+)', answer.headers["RateLimit"])
    assert found is not None
    return found[1], int(found[2]), int(found[3])


# --- declared and described -------------------------------------------------------------------------------------------


def operations() -> dict[str, Operation]:
    found = [getattr(view, "operation", None) for view in create_app(None).view_functions.values()]
    return {operation.id: operation for operation in found if operation is not None}


def test_an_operation_without_a_bucket_cannot_be_declared() -> None:
    declared = operations()["getView"]
    values = {each.name: getattr(declared, each.name) for each in dataclasses.fields(Operation)}
    assert Operation(**values) == declared
    with pytest.raises(ValueError, match="bucket"):
        Operation(**values | {"bucket": "writes"})
    del values["bucket"]
    with pytest.raises(TypeError, match="bucket"):
        Operation(**values)


def test_every_operation_counts_where_it_should() -> None:
    for bucket, names in BUCKETS.items():
        assert {operations()[name].bucket for name in names} == {bucket}
    named = {name for names in BUCKETS.values() for name in names}
    for name, operation in operations().items():
        if name not in named:
            assert (operation.bucket == "reads") == (operation.method == "GET"), name
            assert operation.bucket is not None, name


def test_the_numbers_are_in_the_description(description: Description, limited: World) -> None:
    described = description.operations()
    for name, operation in operations().items():
        found = described[name][2].get("x-rate-limit", [])
        assert [each["policy"] for each in found] == ([operation.bucket, *operation.counts_in] if found else [])
        assert bool(found) == (operation.bucket is not None)
        assert ("429" in described[name][2]["responses"]) == bool(found)
    reads = described["getView"][2]["x-rate-limit"][0]
    assert (reads["per_key"], reads["per_address"], reads["window_s"]) == (3000, 12000, 60)
    served = limited(reads=(70, 80)).get("/openapi.json").json
    assert served is not None
    told = served["paths"]["/v1/matches/{match_id}/view"]["get"]["x-rate-limit"][0]
    assert (told["per_key"], told["per_address"]) == (70, 80)


def test_me_lists_the_limits_in_force(limited: World, client: Checked) -> None:
    listed = limited(reads=(70, 80), live_matches=5).register("Ada").get("/v1/me").json
    assert listed is not None
    found = {(each["name"], each["per"]): (each["limit"], each["window_s"]) for each in listed["limits"]}
    assert (found["reads", "key"], found["reads", "address"]) == ((70, 60), (80, 60))
    assert found["accounts", "address"] == (100, 3600)
    assert ("accounts", "key") not in found
    assert found["live_matches", "account"] == (5, None)
    assert found["live_tournaments", "account"] == (5, None)
    off = client.register("Bob").get("/v1/me")
    assert off.json is not None
    assert off.json["limits"] == []
    assert "RateLimit" not in off.headers
    assert "RateLimit-Policy" not in off.headers


# --- rates ------------------------------------------------------------------------------------------------------------


def test_reads_are_limited_for_a_key_and_say_what_is_left(limited: World) -> None:
    client = limited(reads=(3, 100))
    ada, bob = client.register("Ada"), client.register("Bob")
    left = []
    for _ in range(3):
        answer = ada.get("/v1/games")
        assert not refused(answer, "reads")
        assert answer.headers["RateLimit-Policy"] == '"reads";q=3;w=60, "reads-address";q=100;w=60'
        left.append(fields(answer)[:2])
    assert left == [("reads", 2), ("reads", 1), ("reads", 0)]
    over = ada.get("/v1/games")
    assert refused(over, "reads")
    assert fields(over) == ("reads", 0, int(over.headers["Retry-After"]))
    assert not refused(bob.get("/v1/games"), "reads")


def test_an_address_is_limited_whatever_its_keys(limited: World) -> None:
    client = limited(reads=(100, 3))
    people = [client.register(name) for name in ("Ada", "Bob")]
    answers = [people[n % 2].get("/v1/games") for n in range(3)]
    assert not any(refused(answer, "reads-address") for answer in answers)
    assert refused(client.get("/v1/games"), "reads-address")
    assert refused(people[0].get("/openapi.json"), "reads-address")
    assert not refused(client.get("/v1/games", environ_base={"REMOTE_ADDR": "10.0.0.9"}), "reads-address")


def test_what_the_operator_asks_is_not_limited(limited: World) -> None:
    client = limited(reads=(0, 0))
    for path in ("/livez", "/readyz", "/metrics"):
        assert client.get(path).status_code == 200
    ready = client.get("/readyz").json
    assert ready is not None
    assert ready["limits"] == "on"


def test_creates_are_counted_exactly_over_all_processes(limited: World) -> None:
    clients = [limited(creates=(8, 1000)) for _ in range(2)]
    token = clients[0].register("Ada").token
    people = [Person(client, token) for client in clients]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: people[n % 2].post("/v1/matches", json=WANTED), range(32)))
    assert sum(not refused(answer, "creates") for answer in answers) == 8
    assert not refused(people[0].get("/v1/matches?mine=true"), "reads")


def test_a_create_that_is_refused_or_answered_again_counts_like_any_other(limited: World) -> None:
    ada = limited(creates=(4, 100)).register("Ada")
    sent = [
        ada.post("/v1/matches", json=WANTED, headers={"Idempotency-Key": "once"}),
        ada.post("/v1/matches", json=WANTED, headers={"Idempotency-Key": "once"}),
        ada.post("/v1/matches", json={"game": "chess", "seats": ["me"]}),
        ada.post("/v1/matches", data="{", content_type="application/json"),
    ]
    assert [answer.status_code for answer in sent] == [201, 201, 400, 400]
    assert [fields(answer)[:2] for answer in sent] == [("creates", left) for left in (3, 2, 1, 0)]
    assert sent[0].headers["RateLimit-Policy"] == '"creates";q=4;w=60, "creates-address";q=100;w=60'
    assert refused(ada.post("/v1/matches", json=WANTED, headers={"Idempotency-Key": "other"}), "creates")
    assert ada.post("/v1/matches", json={"game": "chess", "seats": ["me"]}).status_code == 429
    listed = ada.get("/v1/matches?mine=true").json
    assert listed is not None
    assert len(listed["matches"]) == 1


def test_a_seat_that_is_refused_or_answered_again_counts_like_any_other(limited: World) -> None:
    client = limited(creates=(5, 100))
    path = client.register("Ada").creates(["me", "open", "open"])
    bob = client.register("Bob")
    sent = [
        bob.post(f"{path}/seats", json={"seat": 1}, headers={"Idempotency-Key": "once"}),
        bob.post(f"{path}/seats", json={"seat": 1}, headers={"Idempotency-Key": "once"}),
        bob.post(f"{path}/seats", json={"seat": 1}),
        bob.post(f"/v1/matches/mt_{'0' * 32}/seats"),
        bob.post(f"{path}/seats", json={"seat": 2}),
    ]
    assert [answer.status_code for answer in sent] == [201, 201, 409, 404, 201]
    assert [fields(answer)[:2] for answer in sent] == [("creates", left) for left in (4, 3, 2, 1, 0)]
    assert refused(bob.post(f"{path}/seats", json={"seat": 1}, headers={"Idempotency-Key": "once"}), "creates")


def test_guests_take_seats_on_the_account_of_their_address(limited: World) -> None:
    client = limited(creates=(100, 4))
    wanted = {"game": "neues-land", "seats": ["me", "invite", "invite", "invite"]}
    made = client.register("Ada").post("/v1/matches", json=wanted)
    assert made.json is not None
    path = made.headers["Location"]
    # The account and the match were the first two.
    bodies = [{"invitation": each["token"], "name": "Guest"} for each in made.json["invitations"]]
    answers = [client.post(f"{path}/seats", json=body) for body in bodies]
    assert [refused(answer, "creates-address") for answer in answers] == [False, False, True]
    assert fields(answers[0])[:2] == ("creates-address", 1)
    match = client.get(path).json
    assert match is not None
    assert [seat["taken"] for seat in match["seats"]] == [True, True, True, False]


def test_a_new_match_and_a_seat_are_counted_and_written_in_one_exchange(
    limited: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = limited()
    ada, bob = client.register("Ada"), client.register("Bob")
    bob.post(f"{ada.creates(['me', 'open'])}/seats")
    sent: list[int] = []

    exchange = nodes.exchange

    def counted(pool: Any, commands: Sequence[Any], deadline: float) -> list[Any]:
        sent.append(len(commands))
        return exchange(pool, commands, deadline)

    monkeypatch.setattr(nodes, "exchange", counted)
    path = ada.creates(["me", "open"])
    assert sent == [1]
    assert bob.post(f"{path}/seats").status_code == 201
    assert sent == [1, 1]


def test_what_is_used_up_is_not_counted_on(limited: World, clean_valkey: str) -> None:
    ada = limited(creates=(3, 100)).register("Ada")
    answers = [ada.post("/v1/matches", json=WANTED) for _ in range(12)]
    assert [refused(answer, "creates") for answer in answers] == [False] * 3 + [True] * 9
    with redis.Redis.from_url(clean_valkey) as store:
        counters = [int(store.get(key)) for key in store.keys("spt:n:creates:account:*")]  # type: ignore[arg-type]
    assert counters == [4]
    told = fields(answers[-1])
    assert told == ("creates", 0, int(answers[-1].headers["Retry-After"]))


def test_accounts_are_counted_for_an_address(limited: World) -> None:
    client = limited(accounts=(0, 2))
    bodies = [{"name": name} for name in ("Ada", "Bob", "Carla")]
    answers = [client.post("/v1/accounts", json=body) for body in bodies]
    assert [refused(answer, "accounts-address") for answer in answers] == [False, False, True]
    elsewhere = client.post("/v1/accounts", json=bodies[2], environ_base={"REMOTE_ADDR": "10.0.0.9"})
    assert not refused(elsewhere, "accounts-address")


def test_the_sandbox_and_streams_have_buckets_of_their_own(limited: World) -> None:
    client = limited(sandbox=(1, 9), streams=(1, 9))
    ada = client.register("Ada")
    path = ada.creates(["me", "open"])
    body = next(iter(client.description.operations()["imagine"][2]["requestBody"]["content"].values()))
    example = next(iter(body["examples"].values()))["value"]
    assert [refused(ada.post("/v1/sandbox", json=example), "sandbox") for _ in range(2)] == [False, True]
    headers = {"Accept": "text/event-stream"}
    for over in (False, True):
        answer = ada.get(f"{path}/events", headers=headers)
        assert refused(answer, "streams") == over
        answer.close()
    assert not refused(ada.get(f"{path}/events"), "streams")


def test_a_key_holds_so_many_streams_and_no_more(limited: World) -> None:
    client = limited(streams_per_key=2)
    ada, bob = client.register("Ada"), client.register("Bob")
    path = ada.creates(["me", "open"])
    headers = {"Accept": "text/event-stream"}
    held = [ada.get(f"{path}/events", headers=headers) for _ in range(2)]
    over = ada.get(f"{path}/events", headers=headers)
    assert over.json is not None
    assert (over.status_code, over.json["code"]) == (503, "too_many_streams")
    assert int(over.headers["Retry-After"]) >= 1
    other = bob.get(f"{path}/events", headers=headers)
    assert other.status_code == 200
    held[0].close()
    again = ada.get(f"{path}/events", headers=headers)
    assert again.status_code == 200
    for answer in (held[1], other, again):
        answer.close()


# --- actions ----------------------------------------------------------------------------------------------------------


def place(person: Person, path: str, **headers: str) -> TestResponse:
    """The first legal action of whichever own seat must act."""
    view = person.view(path)
    seat = view["to_act"]
    legal = person.view(path, f"?seat={seat}")["legal_actions"]
    body = {"actions": [legal[0]], "version": view["version"], "seat": seat}
    return person.post(f"{path}/actions", json=body, headers=headers)


def test_actions_are_counted_in_their_commit(limited: World) -> None:
    clients = [limited(actions=(3, 100)) for _ in range(2)]
    token = clients[0].register("Ada").token
    people = [Person(client, token) for client in clients]
    path = people[0].creates(["me", "me"])
    left = []
    for n in range(3):
        answer = place(people[n % 2], path)
        assert not refused(answer, "actions")
        assert answer.headers["RateLimit-Policy"] == '"actions";q=3;w=60, "actions-address";q=100;w=60'
        left.append(fields(answer)[:2])
    assert left == [("actions", 2), ("actions", 1), ("actions", 0)]
    before = people[0].view(path)["version"]
    assert refused(place(people[1], path), "actions")
    assert people[0].view(path)["version"] == before


def test_an_answer_that_is_given_again_counts_once(limited: World) -> None:
    client = limited(actions=(2, 100))
    ada = client.register("Ada")
    path = ada.creates(["me", "me"])
    view = ada.view(path, "?seat=0")
    body = {"actions": [view["legal_actions"][0]], "version": view["version"], "seat": 0}
    headers = {"Idempotency-Key": "once"}
    answers = [ada.post(f"{path}/actions", json=body, headers=headers) for _ in range(6)]
    assert {answer.data for answer in answers} == {answers[0].data}
    assert not refused(place(ada, path), "actions")
    assert refused(place(ada, path), "actions")
    # Used up or not, what was answered before is answered again.
    assert ada.post(f"{path}/actions", json=body, headers=headers).data == answers[0].data


def test_nothing_else_holds_up_an_action(limited: World) -> None:
    client = limited(creates=(3, 100), reads=(40, 100), sandbox=(0, 0), streams=(0, 0))
    ada = client.register("Ada")
    path = ada.creates(["me", "me"])
    view = ada.view(path, "?seat=0")
    while not refused(ada.post("/v1/matches", json=WANTED), "creates"):
        pass
    while not refused(ada.get("/v1/games"), "reads"):
        pass
    body = {"actions": [view["legal_actions"][0]], "version": view["version"], "seat": 0}
    assert ada.post(f"{path}/actions", json=body).status_code == 200


def test_refused_actions_are_limited_and_accepted_ones_do_not_count_among_them(limited: World) -> None:
    client = limited(refused=(2, 2))
    ada, bob = client.register("Ada"), client.register("Bob")
    path = ada.creates(["me", "me"])
    for _ in range(3):
        assert not refused(place(ada, path), "refused")
    illegal = {"actions": [{"type": "place_tile", "tile": "8m", "x": 9, "y": 9, "rotation": 0}], "seat": 0}
    answers = [ada.post(f"{path}/actions", json=illegal | {"version": 1}).status_code for _ in range(3)]
    assert answers == [412, 412, 429]
    assert refused(place(ada, path), "refused")
    # It is Ada's own: whoever shares her address plays on.
    theirs = bob.creates(["me", "me"])
    assert not refused(place(bob, theirs), "refused")


def test_bad_tokens_are_limited_for_an_address(limited: World) -> None:
    client = limited(refused=(100, 2))
    stranger = Person(client, "spt_key_nonsense")
    assert [stranger.get("/v1/games").status_code for _ in range(4)] == [401, 401, 429, 429]
    ada = client.register("Ada")
    assert not refused(place(ada, ada.creates(["me", "me"])), "refused")


# --- quotas -----------------------------------------------------------------------------------------------------------


def test_an_account_has_so_many_matches_and_no_more(limited: World) -> None:
    clients = [limited(live_matches=3) for _ in range(2)]
    token = clients[0].register("Ada").token
    people = [Person(client, token) for client in clients]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: people[n % 2].post("/v1/matches", json=WANTED), range(16)))
    made = [answer for answer in answers if not refused(answer, "live_matches")]
    assert len(made) == 3
    bobs = clients[0].register("Bob").creates(["me", "open"])
    assert refused(people[0].post(f"{bobs}/seats"), "live_matches")
    # One that has ended makes room for another.
    assert made[0].json is not None
    assert people[0].delete(f"/v1/matches/{made[0].json['id']}").status_code == 200
    assert people[0].post(f"{bobs}/seats").status_code == 201
    assert refused(people[0].post("/v1/matches", json=WANTED), "live_matches")


CUP = {
    "game": "wunderland",
    "name": "Cup",
    "format": "round_robin",
    "seats": 2,
    "clock": {"kind": "per_decision", "per_decision_ms": 60_000},
}


def test_an_account_organizes_so_many_tournaments_at_a_time_and_no_more(limited: World) -> None:
    clients = [limited(live_tournaments=3) for _ in range(2)]
    token = clients[0].register("Ada").token
    people = [Person(client, token) for client in clients]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: people[n % 2].post("/v1/tournaments", json=CUP), range(16)))
    made = [answer for answer in answers if not refused(answer, "live_tournaments")]
    assert len(made) == 3
    # What others organize is theirs, and to enter it takes no room.
    bobs = clients[0].register("Bob").post("/v1/tournaments", json=CUP)
    assert bobs.status_code == 201
    assert people[1].post(f"{bobs.headers['Location']}/entrants").status_code == 201
    assert people[0].post("/v1/matches", json=WANTED).status_code == 201
    # One that has ended makes room for another.
    assert people[0].delete(made[0].headers["Location"]).status_code == 200
    assert not refused(people[1].post("/v1/tournaments", json=CUP), "live_tournaments")
    assert refused(people[0].post("/v1/tournaments", json=CUP), "live_tournaments")


@pytest.mark.parametrize(("path", "body"), [("/v1/matches", WANTED), ("/v1/tournaments", CUP)])
def test_what_has_ended_is_answered_again_to_whoever_may_have_no_more(
    limited: World, path: str, body: Mapping[str, Any]
) -> None:
    ada = limited(live_matches=1, live_tournaments=1).register("Ada")
    headers = {"Idempotency-Key": "once"}
    first = ada.post(path, json=body, headers=headers)
    assert ada.delete(first.headers["Location"]).status_code == 200
    assert ada.post(path, json=body).status_code == 201
    again = ada.post(path, json=body, headers=headers)
    assert (again.status_code, again.data) == (201, first.data)


def test_tournaments_that_have_ended_take_no_room_from_matches(limited: World) -> None:
    ada = limited(live_matches=2).register("Ada")
    for _ in range(2):
        left = ada.post("/v1/tournaments", json=CUP).headers["Location"]
        assert ada.delete(left).status_code == 200
    assert [refused(ada.post("/v1/matches", json=WANTED), "live_matches") for _ in range(3)] == [False, False, True]


# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8::ffff:0:0:2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("192.0.2.1:4711", "192.0.2.1", True),
        ("[2001:db8::1]:443", "2001:db8::2", True),
        ("unix:", "", True),
    ],
)
def test_whose_address_it_is(one: str, other: str, same: bool) -> None:
    assert (network(one) == network(other)) == same


def forged(n: int) -> dict[str, str]:
    return {"X-Forwarded-For": f"198.51.100.{n}", "X-Real-IP": f"198.51.100.{n}", "Forwarded": f"for=198.51.100.{n}"}


def test_forged_headers_change_nothing(limited: World) -> None:
    client = limited(reads=(100, 3))
    answers = [client.get("/v1/games", headers=forged(n)) for n in range(6)]
    assert [refused(answer, "reads-address") for answer in answers] == [False] * 3 + [True] * 3


def test_a_trusted_proxy_is_believed_for_its_hop_and_no_further(limited: World) -> None:
    client = limited(reads=(100, 3), hops=1)
    # What a client wrote itself stands before what the proxy added, and is not read.
    same = [client.get("/v1/games", headers={"X-Forwarded-For": f"198.51.100.{n}, 203.0.113.7"}) for n in range(4)]
    assert [refused(answer, "reads-address") for answer in same] == [False] * 3 + [True]
    other = client.get("/v1/games", headers={"X-Forwarded-For": "203.0.113.8"})
    assert not refused(other, "reads-address")


def test_two_trusted_proxies_are_two_hops(limited: World) -> None:
    client = limited(reads=(100, 1), hops=2)
    hops = [f"198.51.100.{n}, 203.0.113.7, 192.0.2.{n}" for n in range(2)]
    answers = [client.get("/v1/games", headers={"X-Forwarded-For": each}) for each in hops]
    assert [refused(answer, "reads-address") for answer in answers] == [False, True]


# --- a process's own counters -----------------------------------------------------------------------------------------


def test_a_window_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [1000.0]
    monkeypatch.setattr("spieltisch_service.web.limits.time.monotonic", lambda: now_s[0])
    counters = Counters()
    assert [counters.add(("a", 60)) for _ in range(2)] == [((1, 60_000),), ((2, 60_000),)]
    now_s[0] += 59
    assert counters.add(("a", 60)) == ((3, 1_000),)
    assert counters.peek("a") == (3, 1_000)
    now_s[0] += 1
    assert counters.peek("a") == (0, 0)
    assert counters.add(("b", 60), ("a", 60)) == ((1, 60_000), (1, 60_000))


def test_counters_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spieltisch_service.web.limits._MOST_COUNTERS", 10)
    counters = Counters()
    for n in range(1000):
        counters.add((f"address:{n}", 60))
        assert len(counters._windows) <= 10


def test_limits_are_off_without_being_asked_for(app: Flask, client: Checked) -> None:
    ready: Any = client.get("/readyz").json
    assert ready["limits"] == "off"
    assert app.extensions["spieltisch-limits"] is None
