"""What a report says, as JSON: the results of a tournament, with times, faults and where it all came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spieltisch_service.domain.tournament.export import results
from spieltisch_service.domain.tournament.log import MatchEnded, MatchVoided
from spieltisch_service.domain.tournament.lots import commitment
from spieltisch_service.domain.tournament.state import State

FORMAT = "spieltisch-tournament-report/1"

#: So many different things that went wrong are told in words, the first ones.
_NOTES = 50


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of a match beside the log, by seat: `used_us` of all decisions, `longest_us` of one; in words
    (`{seat, version, fault, said}`) what went wrong.
    """

    used_us: Sequence[int] = ()
    longest_us: Sequence[int] = ()
    notes: Sequence[Mapping[str, Any]] = ()


def report(
    state: State, ended: Sequence[MatchEnded], details: Mapping[tuple[str, int], Details] | None = None
) -> dict[str, Any]:
    """The content of a report: the `results` of the tournament as far as it is, and more.

    That is `setup` (its seed only once it has ended), `entrants` (in the order of the standings, with everything about
    each), `matches`, `rounds`, `notes`, `commitment`. `ended` are the results in the order of the log; `details` are
    by table and number of the match.
    """
    found = {**results(state, ended), "format": FORMAT}
    times, faults = _times(ended, details or {}), _faults(ended)
    rated = {each["entrant"]: each for each in found["ratings"]["entrants"]}
    counted = {each["entrant"]: each for each in found["statistics"]["entrants"]}
    setup = state.setup.to_wire()
    if not state.ended:
        del setup["seed"]
    return found | {
        "setup": setup,
        "reason": state.reason,
        "commitment": commitment(state.setup.seed, state.tournament),
        "rounds": len(state.rounds),
        "matches": _matches(state),
        "entrants": [
            {
                **{name: value for name, value in line.items() if name != "criteria"},
                "kind": state.entrants[line["entrant"]].kind,
                "rating": rated.get(line["entrant"]),
                "statistics": counted.get(line["entrant"]),
                "time": times.get(line["entrant"]),
                "faults": dict(sorted(faults[line["entrant"]].items())) if line["entrant"] in faults else {},
            }
            for line in found["standings"]
        ],
        "notes": _notes(state, details or {}),
    }


def _matches(state: State) -> dict[str, int]:
    """How many matches were played, decided without, or voided; and how many are left."""
    made: Counter[str] = Counter()
    for table in state.tables():
        made["left"] += table.matches - len(table.results)
        for result in table.results.values():
            made["voided" if isinstance(result, MatchVoided) else "played" if result.match else "decided"] += 1
    return {name: made[name] for name in ("played", "decided", "voided", "left")}


def _times(ended: Iterable[MatchEnded], details: Mapping[tuple[str, int], Details]) -> dict[str, dict[str, Any]]:
    """How long everybody has thought: decisions, mean and longest in milliseconds (None: nobody knows)."""
    decisions: Counter[str] = Counter()
    used_us: Counter[str] = Counter()
    longest_us: dict[str, int] = {}
    for each in ended:
        beside = details.get((each.table, each.number), Details())
        used = beside.used_us or [1000 * one for one in each.used_ms]
        # One without the other tells nothing of a decision.
        for entrant, number, spent in zip(each.seats, each.decisions, used, strict=False):
            decisions[entrant] += number
            used_us[entrant] += spent
        for entrant, longest in zip(each.seats, beside.longest_us, strict=False):
            longest_us[entrant] = max(longest, longest_us.get(entrant, 0))
    return {
        entrant: {
            "decisions": number,
            "mean_ms": round(used_us[entrant] / number / 1000, 3),
            "longest_ms": round(longest_us[entrant] / 1000, 3) if entrant in longest_us else None,
        }
        for entrant, number in decisions.items()
        if number
    }


def _faults(ended: Iterable[MatchEnded]) -> dict[str, Counter[str]]:
    """In how many matches who had which fault."""
    found: dict[str, Counter[str]] = {}
    for each in ended:
        for entrant, fault in zip(each.seats, each.faults, strict=False):
            if fault is not None:
                found.setdefault(entrant, Counter())[fault] += 1
    return found


def _notes(state: State, details: Mapping[tuple[str, int], Details]) -> list[dict[str, Any]]:
    """What went wrong in words, each with how many `times`, and the `match`, seat and version of the first time."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for table in state.tables():
        for number in sorted(table.results):
            for note in details.get((table.id, number), Details()).notes:
                entrant = table.seats(number)[note["seat"]]
                key = (entrant, note["fault"], note["said"])
                if key not in found:
                    found[key] = {"match": f"{table.id}.{number}", "entrant": entrant, "times": 0, **note}
                found[key]["times"] += 1
    return list(found.values())[:_NOTES]
