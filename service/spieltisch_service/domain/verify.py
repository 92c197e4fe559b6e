"""Verify a record offline: chain, commitment, deal, legality of each action, scores and result. `at` is not proved.

The log is not trusted: the match is played again from the deal with the rules of this version, and every event must
come out as it stands in the record, to the last field. A log that was changed into another legal match and chained
again contradicts nothing: that is told only by comparing `hash` with one seen in an event of the match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from spieltisch_service.domain import play
from spieltisch_service.domain.clock import Clock
from spieltisch_service.domain.errors import DomainError, InvalidRecord
from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash, instant_ms
from spieltisch_service.domain.fairness import NONCE, commitment, deal_seed
from spieltisch_service.domain.match import Match, Person, Seat, Secret
from spieltisch_service.domain.record import FORMAT, extract
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from spieltisch_service.games.errors import GameError

_KEYS = {
    *("format", "match", "game", "rules_version", "status", "version", "hash", "options", "seats", "deal", "proof"),
    *("events", "actions", "result"),
}


def verify(record: Mapping[str, Any]) -> None:
    """Raise `InvalidRecord` unless `record`, of an ended match, proves itself."""
    try:
        problems = _problems(record)
    except (DomainError, GameError) as error:
        problems = [f"the match cannot be played again: {error}"]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, AssertionError) as error:
        problems = [f"the record does not have the shape of {FORMAT}: {type(error).__name__} {error}"]
    if problems:
        raise InvalidRecord(problems)


def _problems(record: Mapping[str, Any]) -> list[str]:
    if record.get("format") != FORMAT or set(record) != _KEYS:
        return [f"this is not a {FORMAT}"]
    game = GAMES.get(record["game"])
    if game is None or game.rules_version != record["rules_version"]:
        return [f"the rules {record['game']} {record['rules_version']} are not known here"]
    if record["status"] not in ("finished", "aborted"):
        return ["the match has not ended, so its deal is not shown yet"]
    if record["proof"] is not None and record["proof"]["seed"] is None:
        return ["other matches with the same seed are still to be played, so its deal is not shown yet"]
    events = record["events"]
    problems = _chain(events, record)
    if problems:
        return problems
    problems = _proof(record, game, events)
    match = _match(record, events[0])
    return problems + _replay(game, match, record, events) + _summary(record, events)


def _chain(events: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> list[str]:
    previous, at_ms = GENESIS_HASH, 0
    for number, event in enumerate(events, 1):
        if set(event) != {"seq", "type", "at", "seat", "data", "hash"} or event["seq"] != number:
            return [f"event {number} is missing or has not the fields of an event"]
        body = canonical({key: event[key] for key in ("data", "seat", "seq", "type")})
        previous = chain_hash(previous, body)
        if event["hash"] != previous:
            return [f"the chain breaks at event {number}"]
        if instant_ms(event["at"]) < at_ms:
            return [f"event {number} is earlier than the one before"]
        at_ms = instant_ms(event["at"])
    if record["version"] != len(events) or record["hash"] != previous:
        return ["version and hash are not those of the last event"]
    return []


def _proof(record: Mapping[str, Any], game: Game[Any], events: Sequence[Mapping[str, Any]]) -> list[str]:
    first, proof = events[0]["data"], record["proof"]
    if first["deal_source"] == "explicit":
        return [] if proof is None and first["commitment"] is None else ["an explicit deal has no proof"]
    seed = bytes.fromhex(proof["seed"])
    problems = []
    if set(proof) != {"commitment", "seed", "nonces"} or len(seed) != 32 or proof["seed"] != seed.hex():
        problems.append("the proof has not the fields commitment, seed (32 bytes) and nonces")
    expected = commitment(record["match"], game.id, record["rules_version"], seed)
    if not expected == proof["commitment"] == first["commitment"]:
        problems.append("the seed is not the one that was committed to")
    nonces = next((event["data"]["nonces"] for event in events if event["type"] == "match_started"), None)
    if proof["nonces"] != nonces:
        problems.append("the nonces are not those of the start")
    if nonces is None:
        return problems if record["deal"] is None else [*problems, "a match that never started has no deal"]
    if any(nonce is not None and not re.fullmatch(NONCE, nonce) for nonce in nonces):
        problems.append("a nonce is not 1 to 64 of A-Z a-z 0-9 _ -")
    dealt = game.deal(game.options_type(**first["options"]), len(first["seats"]), deal_seed(seed, nonces))
    if game.deal_to_wire(dealt) != record["deal"]:
        problems.append("the deal is not the one that seed and nonces give")
    return problems


def _match(record: Mapping[str, Any], first: Mapping[str, Any]) -> Match:
    """The match as its first event tells it; who took a seat is not proved and taken from the record's seats."""
    data = first["data"]
    seats = tuple(Seat(kind, by_invitation=kind == "invite") for kind in data["seats"])
    people = {
        event["seq"]: Person("guest" if record["seats"][event["seat"]]["kind"] == "guest" else "account", None, None)
        for event in record["events"]
        if event["type"] == "seat_taken"
    }
    return Match(
        id=record["match"],
        game=record["game"],
        rules_version=record["rules_version"],
        options=record["options"],
        start="manual",
        visibility="public",
        metadata={},
        creator="",
        commitment=None if record["proof"] is None else record["proof"]["commitment"],
        deal_source="explicit" if record["proof"] is None else "drawn",
        first_seats=seats,
        people=people,
        clock=Clock.from_wire(data["clock"]) if "clock" in data else None,
    )


def _replay(game: Game[Any], match: Match, record: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[str]:
    """Play the log again, request by request, and compare every event with what must come out."""
    secret = Secret(None, (), record["deal"])
    state: Any = None
    number = 0
    while number < len(events):
        event = events[number]
        drafts, state = _expected(game, match, secret, state, events, number)
        for draft in drafts:
            if number == len(events):
                return ["the log ends in the middle of what happens at once"]
            event = events[number]
            told = {"data": event["data"], "seat": event["seat"], "type": event["type"]}
            if canonical(told) != canonical({"data": draft[2], "seat": draft[1], "type": draft[0]}):
                return [f"event {number + 1} ({event['type']}) is not what the rules give"]
            number += 1
            match = match.after(
                event["type"], event["seat"], event["data"], number, event["hash"], instant_ms(event["at"])
            )
    if not match.ended or match.status != record["status"] or match.result != record["result"]:
        return ["status and result are not those of the log"]
    for seat, told in zip(match.seats, record["seats"], strict=True):
        if (seat.kind, seat.taken, seat.status) != (told["kind"], told["taken"], told["status"]):
            return ["the seats are not those of the log"]
    return []


def _expected(
    game: Game[Any],
    match: Match,
    secret: Secret,
    state: Any,
    events: Sequence[Mapping[str, Any]],
    number: int,
) -> tuple[list[play.Draft], Any]:
    """What must happen at once where the log has `events[number]`; the actors' choices are read from there."""
    event = events[number]
    seat, data = event["seat"], event["data"]
    kind = event["type"]
    if number and match.status == "open" and kind in ("seat_taken", "seat_left"):
        if match.seats[seat].taken == (kind == "seat_taken"):
            raise InvalidRecord([f"seat {seat} cannot be taken or left in event {number + 1}"])
        return [(kind, seat, {})], state
    if number and match.status == "open" and kind == "match_started":
        if not all(each.taken for each in match.seats) or len(data["nonces"]) != match.players:
            raise InvalidRecord(["the match starts before all seats are taken"])
        draft, _, state = play.started(game, match, Secret(None, tuple(data["nonces"]), secret.deal))
        return [draft], state
    if match.status == "running" and kind == "seat_resigned" and match.seats[seat].status == "active":
        return play.resigned(game, match, state, seat)
    if match.status == "running" and match.clock is not None and _is_of_the_clock(match, event):
        return _timed(game, match, state, events[number:])
    if match.status == "running" and kind == "action":
        return play.acted(game, match, state, seat, [game.action_from_wire(data["action"])])
    if number and not match.ended and kind == "match_aborted" and seat is None:
        if set(data) != {"reason"} or data["reason"] not in ("creator", "expired", "seat"):
            raise InvalidRecord(["a match is aborted by its creator, by a seat, or because it expired"])
        return [(kind, None, data)], state
    if number == 0 and kind == "match_created":
        return [play.created(match)], state
    raise InvalidRecord([f"event {number + 1} ({kind}) cannot happen there"])


def _is_of_the_clock(match: Match, event: Mapping[str, Any]) -> bool:
    if event["type"] != "action":
        return event["type"] in ("seat_forfeited", "clock_extended")
    return bool(event["data"]["cause"] == "timeout" and match.seats[event["seat"]].status == "active")


def _timed(
    game: Game[Any], match: Match, state: Any, events: Sequence[Mapping[str, Any]]
) -> tuple[list[play.Draft], Any]:
    """What must happen where the clock speaks. When it did cannot be proved, so how late it was is read from there."""
    event = events[0]
    if event["type"] == "clock_extended":
        extend_ms = event["data"]["ms"]
        if type(extend_ms) is not int or extend_ms <= 0:
            raise InvalidRecord(["a clock is extended by a number of milliseconds"])
        return [play.extended(game.to_act(state), extend_ms)], state
    told = next((each["data"] for each in events[:2] if each["type"] == "action"), {"late_ms": 0})
    late_ms = told.get("late_ms")
    if type(late_ms) is not int or late_ms < 0:
        raise InvalidRecord(["how late a lapse was noticed is a number of milliseconds"])
    return play.lapsed(game, match, state, late_ms)


def _summary(record: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[str]:
    if record["actions"] != extract(events):
        return ["actions are not the extract of the events"]
    return []
