"""Ways to forge a record. Each takes a copy of an honest one and returns the forgery, or None where none can be."""

from collections.abc import Callable
from typing import Any

from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash

Record = dict[str, Any]


def rechained(record: Record) -> Record:
    """The forger knows how the chain is made."""
    previous = GENESIS_HASH
    for seq, event in enumerate(record["events"], 1):
        event["seq"] = seq
        body = canonical({key: event[key] for key in ("data", "seat", "seq", "type")})
        previous = event["hash"] = chain_hash(previous, body)
    record["hash"] = previous
    record["version"] = len(record["events"])
    record["actions"] = [
        {"seat": event["seat"], "action": event["data"]["action"], "at": event["at"]}
        for event in record["events"]
        if event["type"] == "action"
    ]
    return record


def _actions(record: Record) -> list[Record]:
    return [event for event in record["events"] if event["type"] == "action"]


def an_event_left_out(record: Record) -> Record:
    del record["events"][len(record["events"]) // 2]
    return record


def the_first_action_left_out_and_chained_again(record: Record) -> Record:
    """Nothing can be left out of a turn that has not begun (N20, W20). A later action may be missed by no rule."""
    record["events"].remove(_actions(record)[0])
    return rechained(record)


def the_end_left_out(record: Record) -> Record:
    record["events"].pop()
    return rechained(record)


def another_action_without_a_new_chain(record: Record) -> Record | None:
    kinds = [event["data"]["action"] for event in _actions(record)]
    event = next((each for each in _actions(record) if each["data"]["action"] != kinds[0]), None)
    if event is None:
        return None
    event["data"]["action"] = kinds[0]
    return record


def an_action_done_twice(record: Record) -> Record:
    event = _actions(record)[0]
    record["events"].insert(record["events"].index(event), dict(event))
    return rechained(record)


def a_point_more_on_the_way(record: Record) -> Record:
    event = _actions(record)[-1]
    event["data"]["scores"][0] += 1
    return rechained(record)


def an_action_worth_a_point_more(record: Record) -> Record:
    _actions(record)[-1]["data"]["points"] += 1
    return rechained(record)


def another_result(record: Record) -> Record:
    record["result"]["scores"][0] += 1
    return record


def another_result_in_the_log_too(record: Record) -> Record:
    record["result"]["scores"][0] += 1
    record["events"][-1]["data"]["result"]["scores"][0] += 1
    return rechained(record)


def other_ranks_in_the_log_too(record: Record) -> Record:
    ranks = [2 if rank == 1 else 1 for rank in record["result"]["ranks"]]
    record["result"]["ranks"] = record["events"][-1]["data"]["result"]["ranks"] = ranks
    return rechained(record)


def two_of_the_deal_swapped(record: Record) -> Record | None:
    deck = record["deal"]["deck"]
    other = next((i for i, kind in enumerate(deck) if kind != deck[-1]), None)
    if other is None:
        return None
    deck[other], deck[-1] = deck[-1], deck[other]
    return record


def another_seed(record: Record) -> Record:
    record["proof"]["seed"] = "00" * 32
    return record


def another_commitment(record: Record) -> Record:
    record["proof"]["commitment"] = record["events"][0]["data"]["commitment"] = "11" * 32
    return rechained(record)


def another_nonce(record: Record) -> Record:
    record["proof"]["nonces"][0] = "forged"
    return record


def another_nonce_in_the_log_too(record: Record) -> Record:
    started = next(event for event in record["events"] if event["type"] == "match_started")
    record["proof"]["nonces"][0] = started["data"]["nonces"][0] = "forged"
    return rechained(record)


def no_proof(record: Record) -> Record:
    record["proof"] = None
    return record


def another_match(record: Record) -> Record:
    record["match"] = record["events"][0]["data"]["match"] = "mt_" + "0" * 32
    return rechained(record)


def another_option(record: Record) -> Record:
    name = next(iter(record["options"]))
    value = record["options"][name]
    record["options"][name] = not value if isinstance(value, bool) else None
    return record


def another_seat_acted(record: Record) -> Record:
    event = _actions(record)[len(_actions(record)) // 2]
    event["seat"] = (event["seat"] + 1) % len(record["seats"])
    return rechained(record)


def a_seat_that_resigned(record: Record) -> Record:
    record["seats"][0]["status"] = "resigned"
    return record


def a_bot_in_a_seat(record: Record) -> Record:
    record["seats"][0]["kind"] = "bot"
    return record


def another_extract(record: Record) -> Record:
    record["actions"].pop()
    return record


def another_status(record: Record) -> Record:
    record["status"] = "aborted"
    return record


def another_version(record: Record) -> Record:
    record["version"] += 1
    return record


def another_hash(record: Record) -> Record:
    record["events"][-1]["hash"] = record["hash"] = "22" * 32
    return record


def time_running_backwards(record: Record) -> Record:
    record["events"][1]["at"] = "2001-01-01T00:00:00.000Z"
    return record


def a_field_of_its_own(record: Record) -> Record:
    record["note"] = "trust me"
    return record


TAMPERINGS: dict[str, Callable[[Record], Record | None]] = {
    forge.__name__: forge
    for forge in (
        an_event_left_out,
        the_first_action_left_out_and_chained_again,
        the_end_left_out,
        another_action_without_a_new_chain,
        an_action_done_twice,
        a_point_more_on_the_way,
        an_action_worth_a_point_more,
        another_result,
        another_result_in_the_log_too,
        other_ranks_in_the_log_too,
        two_of_the_deal_swapped,
        another_seed,
        another_commitment,
        another_nonce,
        another_nonce_in_the_log_too,
        no_proof,
        another_match,
        another_option,
        another_seat_acted,
        a_seat_that_resigned,
        a_bot_in_a_seat,
        another_extract,
        another_status,
        another_version,
        another_hash,
        time_running_backwards,
        a_field_of_its_own,
    )
}
