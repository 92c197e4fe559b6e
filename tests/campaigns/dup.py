"""DUP: every operation that changes something is sent in copies, at once and late: one effect, equal answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.operations import CHANGES_NOTHING, OPERATIONS, Operation, Situation
from tests.campaigns.harness.site import opened, prove
from tests.campaigns.harness.wire import Answer, Wire, accepted

_MOST_COPIES = 5


def run(run: Run) -> Figures:
    """Send 1 to 5 copies of each operation, `rounds` times."""
    sent = late = 0
    with opened(run) as site, ExitStack() as stack:
        _all_operations(site.port)
        wires = [stack.enter_context(Wire(site.port)) for _ in range(_MOST_COPIES)]
        pool = stack.enter_context(ThreadPoolExecutor(_MOST_COPIES))
        for number in range(run["rounds"]):
            for operation in OPERATIONS:
                situation = Situation(wires[0], run.rng)
                operation.prepare(situation)
                copies = 1 + number % _MOST_COPIES
                answers = _at_once(pool, wires[:copies], operation, situation)
                sent += copies
                _compare(operation, situation, answers)
                if operation.key:
                    late += _late(wires[-1], operation, situation, answers[0])
            run.say(f"round {number + 1} of {run['rounds']}")
        proved = prove(site.store_url)
    return {
        "operations": sent + late,
        "kinds": len(OPERATIONS),
        "late copies": late,
        "matches proved": proved,
        "effects beyond the first": 0,
        "differing answers": 0,
    }


def _all_operations(port: int) -> None:
    """Every operation of the service that changes something must be among those that are tried."""
    with Wire(port) as wire:
        paths = accepted(wire.settled("GET", "/openapi.json"), 200)["paths"]
    changing = {
        operation["operationId"]
        for methods in paths.values()
        for method, operation in methods.items()
        if method in ("post", "put", "patch", "delete")
    }
    missing = changing - {operation.name.split()[0] for operation in OPERATIONS} - CHANGES_NOTHING
    if missing:
        raise Finding(f"tests/campaigns/harness/operations.py does not know how to repeat {sorted(missing)}")


def _at_once(
    pool: ThreadPoolExecutor, wires: Sequence[Wire], operation: Operation, situation: Situation
) -> list[Answer]:
    barrier = threading.Barrier(len(wires))

    def send(wire: Wire) -> Answer:
        barrier.wait()
        return operation.send(wire, situation)

    return list(pool.map(send, wires))


def _compare(operation: Operation, situation: Situation, answers: Sequence[Answer]) -> None:
    done = [answer for answer in answers if answer.status in (200, 201)]
    if operation.key:
        if len(done) != len(answers) or len({answer.body for answer in answers}) != 1:
            raise Finding(f"{operation.name}: copies are answered {[str(answer) for answer in answers]}")
        first_ones = [answer for answer in answers if "idempotency-replayed" not in answer.headers]
        if len(first_ones) != 1:
            raise Finding(f"{operation.name}: {len(first_ones)} of {len(answers)} copies are not called a repetition")
    elif not done or any(answer.status not in (200, *operation.again) for answer in answers):
        raise Finding(f"{operation.name}: copies are answered {[str(answer) for answer in answers]}")
    _count(operation, situation)


def _count(operation: Operation, situation: Situation) -> None:
    effects = operation.effects(situation)
    if effects != 1:
        raise Finding(f"{operation.name} happened {effects} times")


def _late(wire: Wire, operation: Operation, situation: Situation, first: Answer) -> int:
    """A copy that comes when more has happened, and the same key with another body."""
    operation.move_on(situation)
    again = operation.send(wire, situation)
    if again.body != first.body or again.headers.get("idempotency-replayed") != "true":
        raise Finding(f"{operation.name}: a late copy is answered {again}, the first one {first}")
    if situation.other is None:
        _count(operation, situation)
        return 1
    other = operation.send(wire, situation, another_body=True)
    if other.status != 422 or other.json()["code"] != "idempotency_key_reused":
        raise Finding(f"{operation.name}: the same key with another body is answered {other}")
    accepted(operation.send(wire, situation))
    _count(operation, situation)
    return 3


CAMPAIGN = Campaign(
    name="DUP",
    promise="a request that arrives several times, at once or late, has one effect and one answer",
    run=run,
    short={"processes": 0, "rounds": 3},
    long={"processes": 1, "rounds": 50},
    teeth=("row-not-kept", "row-expires", "row-after-compare", "reservation-not-kept"),
    bite={"rounds": 10},
)
