"""AUTHZ: nobody gets in where they do not belong, and what may not be seen looks like what does not exist.

Every operation that is declared, asked by everybody who could ask (with no token, an empty, a malformed, a forged, a
revoked one, that of a seat that was left or of another match; by a stranger, the creator, a player by key and by token,
and for a seat that is not theirs), of matches in every status and visibility. What is expected stands in
`rights/expectations.py`; an operation without a line there is a finding. A refused request must have changed nothing,
and each 404 must be the very answer that a match gets which does not exist.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from flask import Flask

from spieltisch_service.web.app import create_app
from spieltisch_service.web.operation import Operation
from spieltisch_service.web.overrides import EXTENSION
from tests.campaigns.harness.asking import Asking, Reply
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.logged import quiet_log
from tests.campaigns.harness.own_store import own_store
from tests.campaigns.rights.bugs import BUGS
from tests.campaigns.rights.expectations import (
    EVERYBODY,
    HIDDEN,
    NAMES_A_SEAT,
    RULES,
    STATUSES,
    VISIBILITIES,
    Case,
    expected,
)
from tests.campaigns.rights.people import PLAYER, People

_NO_MATCH = "mt_" + "0" * 32
_BODIES: dict[str, Any] = {
    "createAccount": {"name": "Gus"},
    "createMatch": {"game": "wunderland", "seats": ["me", "open"]},
    "imagine": {},
    "createKey": {"name": "one"},
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
        for _ in range(run["rounds"]):
            for status in STATUSES:
                for visibility in VISIBILITIES:
                    app.extensions[EXTENSION] = new_service()
                    _look(Asking(app.wsgi_app), operations, status, visibility, counted)
    return {
        "operations": counted["cells"],
        "declared operations": len(operations),
        **{f"cells expected {name}": counted[name] for name in ("401", "403", "404", "let through")},
        "unexpected": 0,
    }


def declared(app: Flask) -> dict[str, Operation]:
    """Every operation of the application, by id."""
    return {
        operation.id: operation
        for blueprint in app.blueprints.values()
        for operation in getattr(blueprint, "operations", ())
    }


def _look(
    asking: Asking, operations: dict[str, Operation], status: str, visibility: str, counted: Counter[str]
) -> None:
    people = People(asking, status, visibility)
    version = people.version()
    through: list[Case] = []
    for name in operations:
        for who in EVERYBODY:
            case = Case(name, who, status, visibility)
            wanted = expected(case)
            counted["cells"] += 1
            counted["let through" if wanted is None else str(wanted)] += 1
            if wanted is None:
                through.append(case)
                continue
            reply = _ask(asking, people, operations[name], case)
            _judge(case, reply, wanted)
            if wanted == HIDDEN:
                _looks_like_nothing(asking, people, operations[name], case, reply)
    if people.version() != version:
        raise Finding(f"a refused request has changed a match ({status}, {visibility})")
    for case in through:
        operation = operations[case.operation]
        reply = _ask(asking, people, operation, case)
        _judge(case, reply, None)
        if reply.status < 300 and operation.method != "GET":
            people = People(asking, status, visibility)


def _judge(case: Case, reply: Reply, wanted: int | None) -> None:
    told = f"{case} was answered {reply.status} {reply.body[:300]!r}"
    if reply.status >= 500:
        raise Finding(told)
    if wanted is None:
        if reply.status in (401, 403, 404):
            raise Finding(f"{told}; the rights let this through")
    elif reply.status != wanted:
        raise Finding(f"{told}; expected {wanted}")


def _looks_like_nothing(asking: Asking, people: People, operation: Operation, case: Case, reply: Reply) -> None:
    """Hold the refusal against that of a match that does not exist, but for the request's id."""
    other = _ask(asking, people, operation, case, match=f"/v1/matches/{_NO_MATCH}")
    if _without_id(reply) != _without_id(other):
        raise Finding(f"{case} tells that there is something: {_without_id(reply)} or {_without_id(other)}")


def _without_id(reply: Reply) -> Any:
    headers = [pair for pair in reply.headers if pair[0].lower() != "x-request-id"]
    return reply.status, headers, {name: value for name, value in reply.json.items() if name != "request_id"}


def _ask(asking: Asking, people: People, operation: Operation, case: Case, match: str | None = None) -> Reply:
    """The request of a cell: for the own seat, or for the creator's where another seat's is asked for."""
    seat = 0 if case.who in ("creator", "player_for_other_seat") else PLAYER
    path = operation.rule.replace("/v1/matches/<match:match_id>", match or people.match)
    path = path.replace("<seat:seat>", str(seat)).replace("<game>", "wunderland").replace("<code>", "internal")
    path = path.replace("<key:key_id>", "ky_" + "0" * 32).replace("<invitation:invitation_id>", people.invitation)
    body = _BODIES.get(operation.id, {})
    if case.who in ("player_for_other_seat",):
        body = _for_seat(operation.id, body, seat)
        if operation.method == "GET" and operation.id in NAMES_A_SEAT:
            path += f"?seat={seat}"
    if operation.id == "act":
        body = {"actions": [people.legal()[0]], **body}
    return asking.ask(operation.method, path, people.tokens[case.who], body if operation.body is not None else None)


def _for_seat(name: str, body: dict[str, Any], seat: int) -> dict[str, Any]:
    return {**body, "seat": seat} if name in ("act", "resign", "takeSeat") else body


CAMPAIGN = Campaign(
    name="AUTHZ",
    promise="nobody gets in where they do not belong, and what may not be seen looks like what does not exist",
    run=run,
    short={"rounds": 1},
    long={"rounds": 20},
    teeth=tuple(BUGS),
)
