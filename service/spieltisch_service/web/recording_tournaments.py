"""Records the operations on tournaments, for `recording`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spieltisch_service.web.recording import Recorder


def visit_tournaments(recorder: Recorder, key: str, options: dict[str, Any]) -> None:
    """Every operation on tournaments, organized by whoever has `key`, of Wunderland with `options`."""
    wanted: dict[str, Any] = {
        "game": "wunderland",
        "name": "Spring cup",
        "format": "swiss",
        "options": options,
        "clock": {"kind": "per_decision", "per_decision_ms": 10_000, "on_timeout": "forfeit"},
        "rounds": 5,
        "duplicate": True,
        "entrants_allowed": "invited",
        "own_pairings": True,
    }
    cup = recorder.do("createTournament", "POST", "/v1/tournaments", wanted, token=key, expect=201)
    tried = {"game": "neues-land", "name": "Ladder", "format": "arena", "clock": wanted["clock"]}
    recorder.do("createTournament", "POST", "/v1/tournaments?dry_run=true", tried, token=key)
    path = f"/v1/tournaments/{cup['id']}"
    for name in ("Dora", "Emil"):
        made = recorder.do("createAccount", "POST", "/v1/accounts", {"name": name, "kind": "bot"}, expect=201)
        account = {"account": made["account"]["id"]}
        recorder.do("inviteEntrant", "POST", f"{path}/invitations", account, token=key)
        recorder.do("enterTournament", "POST", f"{path}/entrants?dry_run=true", {}, token=made["key"])
        recorder.do("enterTournament", "POST", f"{path}/entrants", {}, token=made["key"], expect=201)
        if name == "Dora":
            # Of one alone no lot decides where it stands.
            _visit_tables(recorder, path)
    last = made["account"]["id"]
    recorder.do("listTournaments", "GET", "/v1/tournaments?mine=true&limit=1", token=key)
    recorder.do("startTournament", "POST", f"{path}/start", {}, token=key)
    tables = {"tables": [[one["entrant"] for one in recorder.do("getTournament", "GET", path)["entrants"]]]}
    recorder.do("pairRound", "POST", f"{path}/rounds?dry_run=true", tables, token=key)
    recorder.do("pairRound", "POST", f"{path}/rounds", tables, token=key, expect=201)
    recorder.do("pauseTournament", "POST", f"{path}/pause", {}, token=key)
    recorder.do("resumeTournament", "POST", f"{path}/resumption", {}, token=key)
    for name in ("rounds", "standings", "crosstable", "statistics"):
        recorder.do(f"get{name.capitalize()}", "GET", f"{path}/{name}")
    recorder.do("withdrawEntrant", "DELETE", f"{path}/entrants/{last}?dry_run=true", token=key)
    recorder.do("stopTournament", "POST", f"{path}/stop", {}, token=key)
    recorder.do("cancelTournament", "DELETE", path, token=key)
    recorder.do("getTournamentEvents", "GET", f"{path}/events?limit=3", accept="application/json")
    for media_type in ("text/event-stream", "application/x-ndjson"):
        recorder.do("getTournamentEvents", "GET", f"{path}/events?after=8", accept=media_type)
    for name in ("results", "export"):
        recorder.do("getResults" if name == "results" else "exportTournament", "GET", f"{path}/{name}")
    # The hashes of its lines contain ids, and the seed is drawn.
    shown = re.sub(r'"(hash|seed)":"[0-9a-f]{64}"', rf'"\1":"{"5e" * 32}"', recorder.kept[-1].answer)
    recorder.kept[-1] = replace(recorder.kept[-1], answer=shown)
    recorder.do("getTournamentReport", "GET", f"{path}/report.html")
    # A page is long, and a lot has drawn its order.
    head = recorder.kept[-1].answer.partition("<style>")[0]
    recorder.kept[-1] = replace(recorder.kept[-1], answer=f"{head}…\n")
    recorder.do("getRatings", "GET", "/v1/ratings/wunderland?clock_class=blitz")


def _visit_tables(recorder: Recorder, path: str) -> None:
    for media_type in ("text/csv", "text/markdown"):
        for name in ("standings", "crosstable"):
            recorder.do(f"get{name.capitalize()}", "GET", f"{path}/{name}", accept=media_type)
        recorder.do("getRatings", "GET", "/v1/ratings/wunderland", accept=media_type)
