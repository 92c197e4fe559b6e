"""What no event tells (names, tokens, invitations) is not undone by whoever remembers the match as it was before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import redis

from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.invitations import NewInvitation
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.domain.match import Match


@dataclass(frozen=True)
class Table:
    """A match of Ada's: Bob holds seat 1, a guest seat 2; seat 3 waits for `invitation`, seat 4 for anybody."""

    id: str
    ada: Caller
    bob: Caller
    dora: Caller
    invitation: str
    used_invitation: str


def join(service: Service, caller: Caller, match_id: str, invitation: str | None, name: str | None = None) -> None:
    service.seats.join(caller, match_id, seat=None, nonce=None, invitation=invitation, name=name, once=None)


@pytest.fixture
def table(service: Service, ada: Caller, bob: Caller, register: Callable[[str], Caller]) -> Table:
    seats = ["me", "open", "invite", "invite", "open"]
    made = service.matches.create(ada, NewMatch("neues-land", seats, start="manual"), None).body
    join(service, bob, made["id"], None)
    join(service, ANONYMOUS, made["id"], made["invitations"][0]["token"], "Grace")
    used = service.invitations.listed(ada, made["id"])["invitations"][0]["id"]
    return Table(made["id"], ada, bob, register("Dora"), made["invitations"][1]["token"], used)


def names(match: Match) -> set[str | None]:
    """Every name in the match's document."""
    return {who.name for who in (*match.seats, *match.first_seats, *match.people.values())}


Write = Callable[[Service, Table], Any]

#: All that changes a match by no event, and how that shows for good.
WRITES: Mapping[str, tuple[Write, Callable[[Match], bool]]] = {
    "a name is erased": (
        lambda service, table: service.accounts.erase(table.bob),
        lambda match: "Bob" not in names(match),
    ),
    "a token is replaced": (
        lambda service, table: service.seats.replace_token(table.bob, table.id, 1, None),
        lambda match: match.generation_of(1) > 0,
    ),
    "an invitation is revoked": (
        lambda service, table: service.invitations.revoke(table.ada, table.id, table.used_invitation),
        lambda match: any(each.revoked for each in match.invitations),
    ),
    "an invitation is made": (
        lambda service, table: service.invitations.create(table.ada, table.id, NewInvitation(uses=7), None),
        lambda match: 7 in {each.uses for each in match.invitations},
    ),
}


def act(service: Service, table: Table) -> None:
    live = service.live.current(table.id)
    service.play.act(table.ada, table.id, [live.game.legal(live.state)[0]], None, 0, None)


def resign_but_two(service: Service, table: Table) -> None:
    for caller, seat in ((table.ada, 0), (table.dora, 3), (table.dora, 4)):
        service.seats.resign(caller, table.id, seat, None)


#: All that may follow in an open match, by whoever remembers it from before.
OPEN: Mapping[str, Write] = {
    "a seat is taken": lambda service, table: join(service, table.dora, table.id, None),
    "a seat is taken by invitation": lambda service, table: join(service, table.dora, table.id, table.invitation),
    "a guest is sent away": lambda service, table: service.seats.leave(table.ada, table.id, 2),
    "Bob is sent away": lambda service, table: service.seats.leave(table.ada, table.id, 1),
    "it is aborted": lambda service, table: service.matches.abort(table.ada, table.id),
    "another token is replaced": lambda service, table: service.seats.replace_token(table.ada, table.id, 0, None),
    "another name is erased": lambda service, table: service.accounts.erase(table.ada),
}
#: The same of a running one.
RUNNING: Mapping[str, Write] = {
    "an action": act,
    "a seat resigns": lambda service, table: service.seats.resign(table.dora, table.id, 3, None),
    "more seats resign": resign_but_two,
    "another token is replaced": OPEN["another token is replaced"],
    "another name is erased": OPEN["another name is erased"],
}


def seen(service: Service, table: Table, wanted: str) -> bool:
    return WRITES[wanted][1](service.live.fresh(table.id).match)


@pytest.mark.parametrize("then", OPEN)
@pytest.mark.parametrize("wanted", WRITES)
def test_what_no_event_tells_stays_in_an_open_match(
    service: Service, other_worker: Service, table: Table, wanted: str, then: str
) -> None:
    assert not seen(other_worker, table, wanted)
    WRITES[wanted][0](service, table)
    OPEN[then](other_worker, table)
    assert seen(service, table, wanted)
    assert seen(other_worker, table, wanted)


@pytest.mark.parametrize("then", RUNNING)
@pytest.mark.parametrize("wanted", [name for name in WRITES if name != "an invitation is made"])
def test_what_no_event_tells_stays_in_a_running_match(
    service: Service, other_worker: Service, table: Table, wanted: str, then: str
) -> None:
    for invitation in (table.invitation, None):
        join(service, table.dora, table.id, invitation)
    service.seats.start(table.ada, table.id, None, None)
    assert not seen(other_worker, table, wanted)
    WRITES[wanted][0](service, table)
    RUNNING[then](other_worker, table)
    assert seen(service, table, wanted)
    assert seen(other_worker, table, wanted)


def test_an_erased_name_is_in_no_answer_any_more(service: Service, other_worker: Service, table: Table) -> None:
    """Whoever remembers the match with it asks the store before it shows names."""

    def told() -> list[Any]:
        match, record = other_worker.matches.get(table.ada, table.id), other_worker.play.record(table.ada, table.id)
        listed = other_worker.matches.listed(
            table.ada, game=None, status=None, open_seats=None, mine=True, cursor=None, limit=1
        )
        return [[seat["name"] for seat in shown["seats"]] for shown in (match, record, *listed["matches"])]

    assert told() == [["Ada", "Bob", "Grace", None, None]] * 3
    service.accounts.erase(table.bob)
    assert told() == [["Ada", None, "Grace", None, None]] * 3


def test_a_store_that_lost_events_and_grew_again_is_believed(
    service: Service, other_worker: Service, ada: Caller, clean_valkey: str
) -> None:
    """At the version that a worker remembers there are other events now; nobody is shown the lost ones."""
    match_id = service.matches.create(ada, NewMatch("neues-land", ["me", "me"]), None).body["id"]
    live = service.live.current(match_id)
    legal = live.game.legal(live.state)

    def view(worker: Service) -> Any:
        return worker.play.view(ada, match_id, seat=0, at=None, after=None, wait_s=0, known_etag=None).body

    with redis.Redis.from_url(clean_valkey) as client:
        saved = {key: client.dump(key) for key in client.scan_iter()}
        service.play.act(ada, match_id, [legal[0]], None, 0, None)
        lost = view(service)
        client.flushall()
        for key, value in saved.items():
            client.restore(key, 0, value)
    other_worker.play.act(ada, match_id, [legal[-1]], None, 0, None)
    kept = view(other_worker)
    assert kept != lost
    assert service.live.store.version(match_id) == live.match.version + 1
    assert view(service) == kept
