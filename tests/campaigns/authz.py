"""AUTHZ: nobody gets in where they do not belong, and what may not be seen looks like what does not exist.

Every operation that is declared, asked by everybody who could ask, of matches in every status and visibility: with no
token, one that is none, one that has ended (an expired, revoked or rotated key, an erased account, a seat that was
left, a seat's token that was replaced), one of another match or account, one with a single scope, by the creator, a
player by key and by token, for a seat that is not theirs, and by invitations that are used up, expired, revoked or for
something else. What is expected stands in `rights/expectations.py`; an operation without a line there is a finding. A
refused request must have changed nothing, each 404 must be the very answer that a match gets which does not exist, and
what the rights let through must succeed somewhere.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from flask import Flask

from spieltisch_service.app.service import Service
from spieltisch_service.web import documented
from spieltisch_service.web.app import create_app
from spieltisch_service.web.operation import Operation
from spieltisch_service.web.overrides import EXTENSION
from tests.campaigns.harness.asking import Asking, Reply
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.logged import quiet_log
from tests.campaigns.harness.own_store import own_store
from tests.campaigns.rights.bugs import BUGS
from tests.campaigns.rights.expectations import (
    BY_INVITATION,
    EVERYBODY,
    FOR_OTHER_SEAT,
    NAMES_A_SEAT,
    RULES,
    STATUSES,
    VISIBILITIES,
    Case,
    Who,
    expected,
    must_succeed,
    tells_nothing,
)
from tests.campaigns.rights.people import CREATOR, PLAYER, THIRD, Ended, People, Table
from tests.web.tournament_refusals import NEW

_NO_MATCH = "/v1/matches/mt_" + "0" * 32
_NO_KEY = "ky_" + "0" * 32
_BODIES: dict[str, Any] = {
    "createAccount": {"name": "Gus"},
    "createMatch": {"game": "wunderland", "seats": ["me", "open"]},
    "imagine": next(iter(documented.recorded()["imagine"]["requests"].values())),
    "createKey": {"name": "one", "scopes": ["admin"]},
    "createTournament": NEW,
    "inviteEntrant": {"account": "ac_" + "1" * 32},
}


def run(run: Run) -> Figures:
    """The whole matrix, `rounds` times over new people and matches."""
    counted: Counter[str] = Counter()
    with own_store(run.folder) as (_, new_service), quiet_log(), pytest.MonkeyPatch.context() as patch:
        app = create_app(None)
        operations = declared(app)
        unknown = sorted(set(operations) - set(RULES))
        if unknown:
            raise Finding(f"who may do it is not written down: {', '.join(unknown)}")
        if run.plant is not None:
            BUGS[run.plant](patch)
        for number in range(run["rounds"]):
            service = app.extensions[EXTENSION] = new_service()
            asking = Asking(app.wsgi_app)
            ended = Ended(asking, lambda service=service: service.live.store.pulse(beat=False).now_ms)
            succeeded: set[tuple[str, Who]] = set()
            for status in STATUSES:
                for visibility in VISIBILITIES:
                    service = app.extensions[EXTENSION] = new_service()
                    matrix = Matrix(asking, service, ended, (status, visibility), counted, succeeded)
                    matrix.look(operations)
            missing = sorted(must_succeed(operations) - succeeded)
            if missing:
                raise Finding(f"these are never done by those who may: {missing}")
            run.say(f"round {number + 1} of {run['rounds']}")
    return {
        "operations": counted["cells"],
        "declared operations": len(operations),
        "kinds of people": len(EVERYBODY) + len(BY_INVITATION),
        **{f"cells expected {name}": counted[name] for name in ("401", "403", "404", "let through")},
        "refusals held against those of nothing": counted["twins"],
        "unexpected": 0,
    }


def declared(app: Flask) -> dict[str, Operation]:
    """Every operation of the application, by id."""
    return {
        operation.id: operation
        for blueprint in app.blueprints.values()
        for operation in getattr(blueprint, "operations", ())
    }


@dataclass
class Matrix:
    """Everybody and a match in one status and visibility (`place`)."""

    asking: Asking
    service: Service
    ended: Ended
    place: tuple[str, str]
    counted: Counter[str]
    succeeded: set[tuple[str, Who]]
    people: People = field(init=False)
    table: Table = field(init=False)

    def __post_init__(self) -> None:
        self.renew(people=True)

    def renew(self, *, people: bool) -> None:
        """Another match, and if need be other people."""
        if people:
            self.people = People(self.asking)
        elsewhere = self.ended.invitation_elsewhere
        self.table = Table(self.asking, self.people, elsewhere, self.place, self._expire)

    def look(self, operations: dict[str, Operation]) -> None:
        """Ask for everything that must be refused, then for the rest."""
        before = self._stored()
        through: list[Case] = []
        for name, operation in operations.items():
            for who in (*EVERYBODY, *(BY_INVITATION if name == "takeSeat" else ())):
                case = Case(name, who, *self.place)
                wanted = expected(case)
                self.counted["cells"] += 1
                self.counted["let through" if wanted is None else str(wanted)] += 1
                if wanted is None:
                    through.append(case)
                    continue
                reply = self._ask(operation, case)
                _judge(case, reply, wanted)
                if tells_nothing(case):
                    self._looks_like_nothing(operation, case, reply)
        if self._stored() != before:
            raise Finding(f"a refused request has changed something ({', '.join(self.place)})")
        for case in through:
            operation = operations[case.operation]
            reply = self._ask(operation, case)
            _judge(case, reply, None)
            if reply.status < 300:
                self.succeeded.add((case.operation, case.who))
                if operation.method != "GET":
                    self._move_on(operation)
            elif operation.method == "GET" and (reply.status, case.status == "finished") != (409, False):
                raise Finding(f"{case} was answered {reply.status}, and may be read")

    def _move_on(self, operation: Operation) -> None:
        """Let the next one find everything as this one did."""
        if operation.rule.startswith("/v1/tournaments/"):
            self.renew(people=False)
        elif operation.rule.startswith("/v1/me") and operation.id != "createKey":
            self.renew(people=True)
        elif operation.rule.startswith("/v1/matches/"):
            self.renew(people=False)

    def _ask(self, operation: Operation, case: Case, *, nothing: bool = False) -> Reply:
        """The request of a cell: for the own seat, or for the creator's where another seat's is asked for.

        `nothing`: about a match and a key that do not exist.
        """
        seat = CREATOR if case.who.startswith("creator") or case.who in FOR_OTHER_SEAT else PLAYER
        path = operation.rule.replace("/v1/matches/<match:match_id>", _NO_MATCH if nothing else self.table.path)
        path = path.replace("<key:key_id>", _NO_KEY if nothing else self.people.spare_key)
        path = path.replace("<invitation:invitation_id>", self.table.spare_invitation)
        path = path.replace("<seat:seat>", str(seat)).replace("<game>", "wunderland").replace("<code>", "internal")
        body = {**_BODIES.get(operation.id, {}), **self.table.invitations.get(case.who, {})}
        if case.who in FOR_OTHER_SEAT:
            if operation.id in ("act", "resign", "takeSeat"):
                body["seat"] = seat
            if operation.method == "GET" and operation.id in NAMES_A_SEAT:
                path += f"?seat={seat}"
        path = path.replace("<tournament:tournament_id>", self.table.tournament)
        path = path.replace("<entrant:entrant>", self.people.account_ids[PLAYER])
        if operation.id == "pairRound":
            body = {"tables": [self.people.account_ids[PLAYER : THIRD + 1]]}
        if operation.id == "act":
            body = {"actions": [self.table.legal()[0]], **body}
        tokens = {**self.ended.tokens, **self.people.tokens, **self.table.tokens}
        token = None if case.who in self.table.invitations else tokens[case.who]
        return self.asking.ask(operation.method, path, token, body if operation.body is not None else None)

    def _looks_like_nothing(self, operation: Operation, case: Case, reply: Reply) -> None:
        """Hold the refusal against that of what does not exist, but for the request's id."""
        self.counted["twins"] += 1
        other = self._ask(operation, case, nothing=True)
        if _without_id(reply) != _without_id(other):
            raise Finding(f"{case} tells that there is something: {_without_id(reply)} or {_without_id(other)}")

    def _stored(self) -> Any:
        """The match and the accounts of those who are in it, as the store has them."""
        store = self.service.live.store
        match = store.load(self.table.id)
        assert match is not None
        tournament = store.load(self.table.tournament)
        assert tournament is not None
        accounts = [store.account(account_id) for account_id in self.people.account_ids]
        return replace(match, now_ms=0), replace(tournament, now_ms=0), [found and found.document for found in accounts]

    def _expire(self, match_id: str, invitation_id: str) -> None:
        """End an invitation by the store's time, which nobody waits for here."""

        def expired(match: Any) -> Any:
            past = [replace(each, expires_at_ms=1) if each.id == invitation_id else each for each in match.invitations]
            return replace(match, invitations=tuple(past))

        self.service.live.rewrite(match_id, expired)


def _judge(case: Case, reply: Reply, wanted: int | None) -> None:
    told = f"{case} was answered {reply.status} {reply.body[:300]!r}"
    if reply.status >= 500:
        raise Finding(told)
    if wanted is None:
        if reply.status in (401, 403, 404):
            raise Finding(f"{told}; the rights let this through")
    elif reply.status != wanted:
        raise Finding(f"{told}; expected {wanted}")


def _without_id(reply: Reply) -> Any:
    headers = [pair for pair in reply.headers if pair[0].lower() != "x-request-id"]
    return reply.status, headers, {name: value for name, value in reply.json.items() if name != "request_id"}


CAMPAIGN = Campaign(
    name="AUTHZ",
    promise="nobody gets in where they do not belong, and what may not be seen looks like what does not exist",
    run=run,
    short={"rounds": 1},
    long={"rounds": 20},
    teeth=tuple(BUGS),
)
