"""Records of matches as files, and what a record proves by itself, without the rules of any game.

`check` needs nothing but the record: it holds the chain of the log, the commitment, the shuffle and the extract. That
every action was legal and every score right is for `spieltisch-service verify`, which plays the match again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

FORMAT = "spieltisch-record/1"
_GENESIS = "0" * 64


def write(record: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a record into a file, all of it or nothing. Raises OSError."""
    target = Path(path)
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return target


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The record in a file. Raises OSError, and ValueError where it holds none."""
    try:
        record = json.loads(Path(path).read_bytes())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"it holds no {FORMAT}")
    return record


def check(record: Mapping[str, Any]) -> list[str]:
    """What is wrong with a record, as far as it shows without the rules; empty where all of that holds.

    Checked: the chain of hashes, version and hash, the commitment to the seed, that seed and nonces shuffle what was
    dealt into the order in which it was dealt, the actions as extract of the log, and the result as the log has it.
    """
    problems: list[str] = []
    for part in (_chain, _proof, _summary):
        try:
            problems += part(record)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
            problems.append(f"the record does not have the form of {FORMAT}: {type(error).__name__} {error}")
    return problems


def canonical(value: Any) -> str:
    """JSON as RFC 8785 writes it, for what events hold: no floats. Raises ValueError, TypeError."""
    if isinstance(value, Mapping):
        # Names are in the order of their UTF-16 code units.
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        raise ValueError("the numbers of a log are integers")
    return json.dumps(value, ensure_ascii=False)


def _chain(record: Mapping[str, Any]) -> list[str]:
    last = _GENESIS
    for number, event in enumerate(record["events"], 1):
        if event["seq"] != number:
            return [f"event {number} is missing"]
        body = canonical({name: event[name] for name in ("data", "seat", "seq", "type")})
        last = hashlib.sha256(f"{last}\n{body}".encode()).hexdigest()
        if event["hash"] != last:
            return [f"the chain breaks at event {number}"]
    if record["version"] != len(record["events"]) or record["hash"] != last:
        return ["version and hash are not those of the last event"]
    return []


def _proof(record: Mapping[str, Any]) -> list[str]:
    created = record["events"][0]["data"]
    proof, deal = record["proof"], record["deal"]
    if any(record[name] != created[name] for name in ("match", "game", "rules_version", "options")):
        return ["match, game, rules or options are not those of the log"]
    if proof is None:
        return [] if created["deal_source"] == "explicit" else ["the proof is missing"]
    if proof["seed"] is None:
        return ["the match has not ended, so seed and deal are not shown yet"]
    seed = bytes.fromhex(proof["seed"])
    text = "\n".join(["spieltisch-commitment/1", record["match"], record["game"], record["rules_version"], seed.hex()])
    if not hashlib.sha256(text.encode()).hexdigest() == proof["commitment"] == created["commitment"]:
        return ["the seed is not the one that was committed to"]
    nonces = next((event["data"]["nonces"] for event in record["events"] if event["type"] == "match_started"), None)
    if proof["nonces"] != nonces:
        return ["the nonces are not those of the start"]
    if deal is None:
        return [] if nonces is None else ["the deal is missing"]
    # What was set aside lay at the end of the pile.
    pile = [*deal["deck"], *deal.get("set_aside", ())]
    if nonces is None or shuffled(sorted(pile, key=str.encode), deal_seed(seed, nonces)) != pile:
        return ["the deal is not the one that seed and nonces give"]
    return []


def _summary(record: Mapping[str, Any]) -> list[str]:
    log = record["events"]
    actions = [
        {"seat": event["seat"], "action": event["data"]["action"], "at": event["at"]}
        for event in log
        if event["type"] == "action"
    ]
    problems = [] if record["actions"] == actions else ["actions are not the extract of the events"]
    results = [event["data"]["result"] for event in log if event["type"] == "match_finished"]
    if record["result"] != (results[-1] if results else None):
        problems.append("the result is not that of the log")
    ends = {"match_finished": "finished", "match_aborted": "aborted"}
    if record["status"] != ends.get(log[-1]["type"]):
        problems.append("the status is not that of an ended match with this log")
    return problems


def deal_seed(seed: bytes, nonces: Sequence[str | None]) -> bytes:
    """What the deal is shuffled by: the seed of the service and the nonces of the seats, in their order."""
    text = "spieltisch-deal/1" + "".join(f"\n{nonce or ''}" for nonce in nonces)
    return hmac.digest(seed, text.encode(), "sha256")


def shuffled(pile: Sequence[str], seed: bytes) -> list[str]:
    """The pile as a deal seed orders it."""
    below = _numbers(seed)
    order = list(pile)
    for place in range(len(order) - 1, 0, -1):
        other = below(place + 1)
        order[place], order[other] = order[other], order[place]
    return order


def _numbers(seed: bytes) -> Callable[[int], int]:
    words: list[int] = []
    block = 0

    def below(bound: int) -> int:
        nonlocal block
        while True:
            if not words:
                text = b"spieltisch-shuffle/1\n" + block.to_bytes(8, "big")
                digest = hmac.digest(seed, text, "sha256")
                words.extend(int.from_bytes(digest[at : at + 8], "big") for at in (24, 16, 8, 0))
                block += 1
            word = words.pop()
            if word < 2**64 - 2**64 % bound:
                return word % bound

    return below
