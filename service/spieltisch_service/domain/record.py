"""The record: a match as a file that proves itself, once the match has ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from spieltisch_service.domain.events import LoggedEvent
from spieltisch_service.domain.match import Match, Secret

FORMAT = "spieltisch-record/1"


def record(match: Match, secret: Secret, log: Sequence[LoggedEvent]) -> dict[str, Any]:
    """The record of `match` with its whole log. Before the end it holds nothing that a spectator may not know.

    Of matches that share a seed, none shows it or the deal before the last of them has ended.
    """
    events = [json.loads(event.to_json()) for event in log]
    shown = match.shows_deal and match.started_at_ms is not None
    started = match.started_at_ms is not None
    proof = None
    if match.deal_source == "drawn":
        proof = {
            "commitment": match.commitment,
            "seed": secret.seed if match.shows_deal else None,
            "nonces": list(secret.nonces) if started else None,
        }
    return {
        "format": FORMAT,
        "match": match.id,
        "game": match.game,
        "rules_version": match.rules_version,
        "status": match.status,
        "version": match.version,
        "hash": match.hash,
        "options": match.options,
        "seats": match.seats_to_wire(),
        "deal": secret.deal if shown else None,
        "proof": proof,
        "events": events,
        "actions": extract(events),
        "result": match.result,
    }


def extract(events: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The actions of a log: `{seat, action, at}` each."""
    return [
        {"seat": event["seat"], "action": event["data"]["action"], "at": event["at"]}
        for event in events
        if event["type"] == "action"
    ]
