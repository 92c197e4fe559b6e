"""What must hold of a round before it is played, and of a whole tournament when it has ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from spieltisch_service.domain.tournament.log import RoundPaired
from spieltisch_service.domain.tournament.standings import crosstable, standings
from spieltisch_service.domain.tournament.state import State
from tests.campaigns.cup import recount
from tests.campaigns.cup.recount import Counted
from tests.campaigns.harness.campaign import Finding

#: Where a format pairs by itself nobody has any seat by so many matches more or less often than its share.
SEAT_BOUND = 2


def _hold(condition: object, text: str) -> None:
    if not condition:
        raise Finding(text)


# --- a round --------------------------------------------------------------------------------------------------


def check_round(before: State, entry: RoundPaired) -> None:
    """`entry` may follow `before`, and nobody is treated worse than need be."""
    setup, where = before.setup, f"round {entry.round}"
    playing = [one for table in entry.tables for one in table.seats]
    idle = [*entry.sitting_out, *entry.unopposed]
    everybody = Counter([*playing, *idle])
    _hold(not everybody or max(everybody.values()) == 1, f"{where} has somebody twice: {everybody.most_common(1)}")
    active = {one.id for one in before.entrants.values() if one.status == "active"}
    _hold(set(everybody) <= active, f"{where} has {set(everybody) - active}, who are gone")
    busy = {one for each in before.rounds for t in each.tables if len(t.results) < t.matches for one in t.entrants}
    _hold(not busy & set(playing), f"{where} has {busy & set(playing)}, who still play")
    forbidden = {frozenset(pair) for pair in setup.forbidden}
    met = Counter(
        frozenset(pair) for each in before.rounds for t in each.tables for pair in combinations(t.entrants, 2)
    )
    for table in entry.tables:
        _hold(setup.least_seats <= len(table.seats) <= setup.seats, f"{where} has a table of {len(table.seats)}")
        for pair in combinations(table.seats, 2):
            _hold(frozenset(pair) not in forbidden, f"{where} has the forbidden pair {pair}")
            if setup.format == "swiss" and setup.seats == 2 and setup.rematches == "forbidden" and entry.by == "rule":
                _hold(not met[frozenset(pair)], f"{where} has the rematch {pair}")
    if setup.format in ("swiss", "round_robin") and not setup.own_pairings:
        _check_league(before, entry, active, set(everybody))
    if setup.format in ("arena", "gauntlet"):
        _hold(not idle, f"{where} gives points to {idle} for not playing")


def _check_league(before: State, entry: RoundPaired, active: set[str], named: set[str]) -> None:
    setup, where = before.setup, f"round {entry.round}"
    _hold(named == active, f"{where} forgets {active - named}")
    _hold(not entry.unopposed or setup.format == "round_robin", f"{where} has unopposed entrants")
    if setup.forbidden or (setup.seats == 2 and (setup.format == "round_robin" or setup.rematches == "forbidden")):
        return
    _hold(len(entry.sitting_out) == (len(active) % 2 if setup.seats == 2 else 0), f"{where}: {entry.sitting_out} idle")
    sizes = {len(table.seats) for table in entry.tables}
    _hold(max(sizes) - min(sizes) <= 1, f"{where} has tables of {sizes}")
    sat = Counter(one for each in before.rounds for one in each.sitting_out)
    for one in entry.sitting_out:
        _hold(
            sat[one] == min(sat[other] for other in active), f"{where}: {one} sits out again, and others have not yet"
        )


# --- the end --------------------------------------------------------------------------------------------------


def check_books(state: State, lines: Sequence[Mapping[str, Any]]) -> Counted:
    """Standings and crosstable are what the log comes to when it is counted anew."""
    found = recount.counted(lines)
    found.active = {one.id for one in state.entrants.values() if one.active}
    told = standings(state)
    _hold([each.rank for each in told] == list(range(1, len(found.entrants) + 1)), "the standings are no total order")
    made = recount.points(found)
    wrong = [(each.entrant, each.points, made[each.entrant]) for each in told if each.points != made[each.entrant]]
    _hold(not wrong, f"points differ from what the log comes to: {wrong[:3]}")
    order = recount.order(found)
    _hold(
        [each.entrant for each in told] == order, f"{[each.entrant for each in told][:9]} are ranked, not {order[:9]}"
    )
    _check_sum(found, sum((each.points for each in told), Fraction(0)))
    _check_crosstable(state, found)
    return found


def _check_sum(found: Counted, total: Fraction) -> None:
    """Every match gives half a point a seat, and sitting out gives it once."""
    expected = Fraction(0)
    for table in found.complete:
        absent = sum(result.get("reason") == "absent" for result in table["results"].values())
        scored = sum(result["type"] == "match_ended" for result in table["results"].values())
        whole = Fraction(len(table["seats"]), 2)
        expected += whole * scored / (scored + absent) if scored + absent else whole
    expected += Fraction(len({one for each in found.rounds for one in each["sitting_out"]}), 2)
    expected += Fraction(sum(len(each["unopposed"]) for each in found.rounds), 2)
    _hold(total == expected, f"there are {total} points, not {expected}")


def _check_crosstable(state: State, found: Counted) -> None:
    table = crosstable(state)
    ended = [
        result for each in found.complete for result in each["results"].values() if result["type"] == "match_ended"
    ]
    pairs = sum(len(result["seats"]) * (len(result["seats"]) - 1) for result in ended)
    _hold(sum(cell.matches for cell in table.cells.values()) == pairs, "the crosstable has other matches than the log")
    for (one, other), cell in table.cells.items():
        back = table.cells[other, one]
        _hold((cell.won, cell.tied, cell.lost) == (back.lost, back.tied, back.won), f"{one} and {other} disagree")


def check_course(found: Counted) -> None:
    """Nobody plays on who is out, seats are balanced, and there are no more rounds than there can be."""
    setup, n = found.setup, len(found.entrants)
    bounds = {
        "swiss": setup["rounds"] or max(3, n.bit_length() + 1),
        "round_robin": setup["rounds"] or n,
        "single_elimination": 2 * n.bit_length() + 2,
        "double_elimination": 2 * n,
        "gauntlet": n - 1,
        "arena": n * (setup["rounds"] or 10),
    }
    _hold(len(found.rounds) <= bounds[setup["format"]], f"there are {len(found.rounds)} rounds")
    if setup["format"] == "arena":
        at = Counter(one for table in found.tables.values() for one in table["seats"])
        _hold(max(at.values(), default=0) <= (setup["rounds"] or 10), f"too many tables: {at.most_common(1)}")
    if "elimination" in setup["format"]:
        _check_knocked_out(found)
    if not setup["own_pairings"] and not setup["duplicate"]:
        _check_seats(found)
    if setup["duplicate"]:
        _check_duplicates(found)


def _check_knocked_out(found: Counted) -> None:
    limit = 2 if found.setup["format"] == "double_elimination" else 1
    out: Counter[str] = Counter()
    for table in found.tables.values():
        for one in table["seats"]:
            _hold(out[one] < limit, f"{one} plays in round {table['round']} and is out")
        if len(table["results"]) == table["matches"]:
            out.update(recount.places(found, table)[(len(table["seats"]) + 1) // 2 :])


def _check_seats(found: Counted) -> None:
    excess = {one: [Fraction(0)] * 5 for one in found.entrants}
    for table in found.tables.values():
        n = len(table["seats"])
        for deal in range(table["deals"]):
            for seat in range(n):
                excess[table["seats"][(seat + deal) % n]][seat] += 1
            for one in table["seats"]:
                for seat in range(n):
                    excess[one][seat] -= Fraction(1, n)
    for one, each in excess.items():
        _hold(max(map(abs, each)) <= SEAT_BOUND, f"{one} has its seats out of balance by {list(map(float, each))}")


def _check_duplicates(found: Counted) -> None:
    for table in found.complete:
        if all(result["type"] == "match_ended" for result in table["results"].values()):
            sat = Counter((one, seat) for each in table["results"].values() for seat, one in enumerate(each["seats"]))
            _hold(len(set(sat.values())) == 1, f"at {table['id']} not everybody had every seat equally often: {sat}")
