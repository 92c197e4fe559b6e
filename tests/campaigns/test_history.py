"""The checker of histories, held against exhaustive search on small histories and against hand-made bad ones."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import pytest

from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash
from tests.campaigns.harness.history import Act, History, Read, problems

MATCH = "mt_1"


def logged(*actions: str) -> list[dict[str, Any]]:
    """A log of a created match and these actions of seat 0."""
    log: list[dict[str, Any]] = []
    previous = GENESIS_HASH
    events = [("match_created", {})]
    events += [("action", {"action": {"type": action}, "cause": "player"}) for action in actions]
    for seq, (kind, data) in enumerate(events, 1):
        event = {"data": data, "seat": 0 if kind == "action" else None, "seq": seq, "type": kind}
        previous = chain_hash(previous, canonical(event))
        log.append({**event, "hash": previous, "at": ""})
    return log


def act(log: list[dict[str, Any]], version: int, invoked: float, returned: float, client: int = 0) -> Act:
    """The acknowledged intent that is the author of a version."""
    event = log[version - 1]
    own = (canonical(event["data"]["action"]),)
    return Act(MATCH, client, 0, own, invoked, returned, "acknowledged", version, (event["hash"],))


def read(version: int, invoked: float, returned: float, digest: bytes = b"") -> Read:
    return Read(MATCH, 0, 0, invoked, returned, version, digest)


def verdict(log: list[dict[str, Any]], acts: list[Act], reads: list[Read] | None = None) -> str:
    """The rules that are broken."""
    found = problems(History(acts, reads or []), {MATCH: log})
    return " ".join(sorted({problem.split()[1] for problem in found}))


LOG = logged("a", "b", "c")
GOOD = [act(LOG, 2, 1, 2), act(LOG, 3, 3, 4), act(LOG, 4, 5, 6)]


def test_a_history_that_happened() -> None:
    assert verdict(LOG, GOOD, [read(1, 0, 0.5), read(3, 3.5, 3.6), read(4, 5.5, 7), read(4, 6, 8)]) == ""


def test_r1_a_gap_and_a_broken_chain() -> None:
    assert verdict([*LOG[:2], LOG[3]], GOOD) == "R1"
    assert verdict([*LOG[:3], {**LOG[3], "hash": LOG[2]["hash"]}], GOOD) == "R1"


def test_r2_an_acknowledged_action_is_lost_or_another_one() -> None:
    assert verdict(LOG[:3], GOOD) == "R2"
    other = logged("a", "b", "d")
    assert verdict(other, GOOD) == "R2"
    assert verdict(LOG, [*GOOD[:2], replace(GOOD[2], actions=('{"type":"d"}',))]) == "R2"
    assert verdict(LOG, [*GOOD[:2], replace(GOOD[2], seat=1)]) == "R2"


def test_r3_an_unknown_intent_happened_once_or_never_but_not_twice() -> None:
    again = logged("a", "b", "b")
    known = [act(again, 2, 1, 2)]
    unsure = Act(MATCH, 0, 0, ('{"type":"b"}',), 3)
    assert verdict(again[:2], [*known, unsure]) == ""
    assert verdict(again[:3], [*known, unsure]) == ""
    assert verdict(again, [*known, unsure]) == "R3/R4"
    assert verdict(again, [*known, unsure, replace(unsure, client=1)]) == ""


def test_r4_a_refused_intent_happened_and_two_were_told_one_version() -> None:
    refused = replace(GOOD[2], outcome="refused", first=0, hashes=())
    assert verdict(LOG, [*GOOD[:2], refused]) == "R3/R4"
    assert verdict(LOG, [*GOOD, replace(GOOD[2], client=7)]) == "R4"


def test_r5_what_was_sent_later_lies_before() -> None:
    assert verdict(LOG, [GOOD[0], replace(GOOD[1], invoked=7, returned=8), GOOD[2]]) == "R5"


def test_r6_a_read_that_is_too_old_too_new_going_back_or_half_way() -> None:
    assert verdict(LOG, GOOD, [read(2, 4.5, 4.6)]) == "R6"
    assert verdict(LOG, GOOD, [read(4, 4.5, 4.6)]) == "R6"
    assert verdict(LOG, GOOD, [read(3, 3.1, 3.2), read(2, 3.3, 3.4)]) == "R6"
    both = replace(GOOD[1], actions=(*GOOD[1].actions, *GOOD[2].actions), hashes=(*GOOD[1].hashes, *GOOD[2].hashes))
    assert verdict(LOG, [GOOD[0], both], [read(2, 3.1, 3.2)]) == ""
    assert verdict(LOG, [GOOD[0], both], [read(3, 3.1, 3.2)]) == "R6"
    assert verdict(LOG[:3], GOOD[:2], [read(4, 9, 10)]) == "R6"


def test_r7_two_views_of_one_version() -> None:
    assert verdict(LOG, GOOD, [read(4, 7, 8, b"x"), read(4, 9, 10, b"x")]) == ""
    assert verdict(LOG, GOOD, [read(4, 7, 8, b"x"), read(4, 9, 10, b"y")]) == "R7"


def test_r8_a_fork() -> None:
    other = act(logged("a", "b", "d"), 4, 5, 6, client=1)
    assert "R8" in verdict(LOG, [*GOOD, other])


# --- against exhaustive search --------------------------------------------------------------------------------


def can_have_happened(log: list[dict[str, Any]], acts: list[Act], reads: list[Read]) -> bool:
    """Whether some order of all requests, which respects time, gives these answers and this log."""
    must: list[Act | Read] = [*reads, *(one for one in acts if one.outcome == "acknowledged")]
    may = [one for one in acts if one.outcome == "unknown"]
    for count in range(len(may) + 1):
        for chosen in itertools.combinations(may, count):
            if _some_order([*must, *chosen], log, 1):
                return True
    return False


def _some_order(left: list[Act | Read], log: list[dict[str, Any]], version: int) -> bool:
    if not left:
        return version == len(log)
    for index, step in enumerate(left):
        others = [*left[:index], *left[index + 1 :]]
        if any(other.returned < step.invoked for other in others):
            continue
        if isinstance(step, Read):
            if step.version == version and _some_order(others, log, version):
                return True
            continue
        if version == len(log) or canonical(log[version]["data"]["action"]) != step.actions[0]:
            continue
        told = step.outcome == "unknown" or (step.first, *step.hashes) == (version + 1, log[version]["hash"])
        if told and _some_order(others, log, version + 1):
            return True
    return False


def small_history(rng: random.Random) -> tuple[list[dict[str, Any]], list[Act], list[Read]]:
    """A few requests of an imagined service, mostly told the truth."""
    log = logged(*(rng.choice("ab") for _ in range(rng.randint(0, 4))))
    acts, reads = [], []
    for version in range(2, len(log) + 1):
        middle = version * 10 + rng.choice((0, 0, 0, -12, 12))
        made = act(log, version, middle - rng.randint(0, 9), middle + rng.randint(0, 9))
        what = rng.randrange(8)
        if what == 0:
            made = replace(made, outcome="unknown", returned=float("inf"), first=0, hashes=())
        elif what == 1:
            made = replace(made, outcome="refused", first=0, hashes=())
        acts.append(made)
    if rng.randrange(4) == 0:
        acts.append(Act(MATCH, 0, 0, ('{"type":"a"}',), rng.randint(10, 50)))
    for _ in range(rng.randint(0, 3)):
        version = rng.randint(1, len(log))
        middle = version * 10 + 5 + rng.choice((0, 0, 0, -12, 12))
        reads.append(read(version, middle - rng.randint(0, 6), middle + rng.randint(0, 6)))
    return log, acts, reads


@pytest.mark.parametrize("seed", range(4))
def test_the_verdict_is_that_of_exhaustive_search(seed: int) -> None:
    rng = random.Random(seed)
    verdicts = {True: 0, False: 0}
    for _ in range(2_500):
        log, acts, reads = small_history(rng)
        truth = can_have_happened(log, acts, reads)
        found = problems(History(acts, reads), {MATCH: log})
        assert truth == (not found), (found, log, acts, reads)
        verdicts[truth] += 1
    assert min(verdicts.values()) > 500, verdicts
