"""A tournament counted anew from the JSON of its log, in the plainest way, by nothing of the code under test."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

_ORDERS = {2: 2, 3: 6, 4: 4, 5: 5}
_HALF = Fraction(1, 2)


@dataclass
class Counted:
    """What the log says, by entrant; `tables` by id."""

    setup: Mapping[str, Any] = field(default_factory=dict)
    entrants: dict[str, dict[str, Any]] = field(default_factory=dict)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    active: set[str] = field(default_factory=set)

    @property
    def complete(self) -> list[dict[str, Any]]:
        return [table for table in self.tables.values() if len(table["results"]) == table["matches"]]


def counted(lines: Sequence[Mapping[str, Any]]) -> Counted:
    """The log, read. Rounds or results that are there twice are noticed. `active` is without who was removed."""
    found = Counted()
    for line in lines:
        kind = line["type"]
        if kind == "created":
            found.setup = line["setup"]
        elif kind == "entered":
            found.entrants[line["entrant"]] = dict(line, order=len(found.entrants))
            found.active.add(line["entrant"])
        elif kind == "withdrawn":
            if not any(each["type"] == "started" for each in lines[: lines.index(line)]):
                del found.entrants[line["entrant"]]
            found.active.discard(line["entrant"])
        elif kind == "rejoined":
            found.active.add(line["entrant"])
        elif kind == "round_paired":
            assert line["round"] == len(found.rounds) + 1, f"round {line['round']} is there twice, or too early"
            found.rounds.append(dict(line))
            for table in line["tables"]:
                assert table["id"] not in found.tables, f"{table['id']} is there twice"
                orders = _ORDERS[len(table["seats"])] if found.setup["duplicate"] else 1
                matches = table["deals"] * orders
                found.tables[table["id"]] = dict(table, round=line["round"], matches=matches, results={})
        elif kind in ("match_ended", "match_voided"):
            results = found.tables[line["table"]]["results"]
            assert line["number"] not in results, f"{line['table']} has result {line['number']} twice"
            results[line["number"]] = line
    return found


def table_scores(table: Mapping[str, Any]) -> dict[str, Fraction]:
    """The mean over its matches, of what each beat and half of what each tied, for a table that is complete."""
    sums: dict[str, Fraction] = dict.fromkeys(table["seats"], Fraction(0))
    count = 0
    for result in table["results"].values():
        if result["type"] == "match_voided":
            count += result["reason"] == "absent"
            continue
        count += 1
        for one, own in zip(result["seats"], result["ranks"], strict=True):
            for other, its in zip(result["seats"], result["ranks"], strict=True):
                if one != other:
                    sums[one] += Fraction(2 if own < its else 1 if own == its else 0, 2 * (len(result["seats"]) - 1))
    return {one: each / count if count else _HALF for one, each in sums.items()}


def points(found: Counted) -> dict[str, Fraction]:
    """Tables, half a point for sitting out once, and for each time unopposed."""
    made: dict[str, Fraction] = dict.fromkeys(found.entrants, Fraction(0))
    for table in found.complete:
        for one, score in table_scores(table).items():
            made[one] += score
    sat = {one for each in found.rounds for one in each["sitting_out"]}
    for one in [*sat, *(one for each in found.rounds for one in each["unopposed"])]:
        made[one] += _HALF
    return made


def wins(found: Counted) -> Counter[str]:
    """Matches in which one alone was first."""
    return Counter(
        result["seats"][result["ranks"].index(1)]
        for table in found.complete
        for result in table["results"].values()
        if result["type"] == "match_ended" and result["ranks"].count(1) == 1
    )


def order(found: Counted) -> list[str]:
    """Everybody, the best first."""
    made, won = points(found), wins(found)
    met: dict[str, list[str]] = defaultdict(list)
    for table in found.complete:
        for one in table["seats"]:
            met[one] += [other for other in table["seats"] if other != one]
    opponents = {
        one: sum((made[other] for other in met[one]), Fraction(0)) / max(1, len(met[one])) for one in found.entrants
    }
    lots = {one: _lot(found, "standing", one) >> 32 for one in found.entrants}
    if "elimination" in found.setup["format"]:
        far = how_far(found)
        return sorted(found.entrants, key=lambda one: (far[one], -made[one], -opponents[one], -won[one], lots[one]))
    first: dict[str, Fraction] = dict.fromkeys(found.entrants, Fraction(0))
    if found.setup["format"] == "gauntlet":
        at = Counter(one for table in found.complete for one in table["seats"])
        first = {one: made[one] / max(1, at[one]) for one in found.entrants}
    equal: dict[tuple[Fraction, ...], list[str]] = defaultdict(list)
    for one in found.entrants:
        equal[first[one], made[one], opponents[one]].append(one)
    direct: dict[str, Fraction] = defaultdict(Fraction)
    for group in equal.values():
        for table in found.complete if len(group) > 1 else ():
            for one, other in _both_of(table["seats"], set(group)):
                played = [each for each in table["results"].values() if each["type"] == "match_ended"]
                for each in played:
                    own, its = (each["ranks"][each["seats"].index(who)] for who in (one, other))
                    gained = Fraction(1 if own < its else 0 if own > its else _HALF) - _HALF
                    direct[one] += gained / len(played)
    return sorted(
        found.entrants,
        key=lambda one: (-first[one], -made[one], -opponents[one], -direct[one], -won[one], lots[one]),
    )


def _both_of(seats: Sequence[str], group: set[str]) -> Iterator[tuple[str, str]]:
    here = [one for one in seats if one in group]
    return ((one, other) for one in here for other in here if one != other)


def _lot(found: Counted, *about: str) -> int:
    message = "spieltisch-lot/1\n" + "\n".join(about)
    digest = hmac.new(found.setup["seed"].encode(), message.encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big")


def places(found: Counted, table: Mapping[str, Any]) -> list[str]:
    """Who was how good at a table: score, matches won, points of the game, seeding, lot."""
    scores = table_scores(table)
    won: Counter[str] = Counter()
    made: Counter[str] = Counter()
    for result in table["results"].values():
        if result["type"] == "match_ended":
            for seat, one in enumerate(result["seats"]):
                won[one] += result["ranks"][seat] == 1 and result["ranks"].count(1) == 1
                made[one] += result["scores"][seat] if result["scores"] else 0

    def key(one: str) -> tuple[Any, ...]:
        seeding = found.entrants[one]["seeding"]
        unseeded = (seeding is None, -(seeding or 0))
        return (-scores[one], -won[one], -made[one], *unseeded, _lot(found, "seeding", one))

    return sorted(table["seats"], key=key)


def how_far(found: Counted) -> dict[str, tuple[int, int, int]]:
    """For an elimination (knocked out or gone, - last round, place at the last table): the smaller, the better."""
    out, last, place = Counter[str](), dict.fromkeys(found.entrants, 0), dict.fromkeys(found.entrants, 0)
    limit = 2 if found.setup["format"] == "double_elimination" else 1
    for table in found.tables.values():
        done = len(table["results"]) == table["matches"]
        for number, one in enumerate(places(found, table) if done else table["seats"], 1):
            last[one], place[one] = table["round"], number if done else 0
            out[one] += done and number > (len(table["seats"]) + 1) // 2
    for each in found.rounds:
        for one in each["sitting_out"]:
            last[one] = max(last[one], each["round"])
    return {one: (int(out[one] >= limit or one not in found.active), -last[one], place[one]) for one in found.entrants}
