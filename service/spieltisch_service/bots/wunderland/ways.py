"""How many journeys it takes to bring travellers to places, when those that go the same way go together (W21)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from spieltisch_service.games.wunderland.tables import BOARD

#: `HOPS[a][b]`: journeys from a to b, of 1 or 2 tracks each.
HOPS: Mapping[str, Mapping[str, int]] = {
    a: {b: (tracks + 1) // 2 for b, tracks in row.items()} for a, row in BOARD.distance.items()
}
FAR = 99


@lru_cache(maxsize=len(BOARD.cards))
def ways(card: str) -> Mapping[str, Sequence[int]]:
    """By place and set of the card's places (bit i: its place i): the fewest journeys from there to all of them.

    Travellers go together as long as that saves journeys: it is the smallest tree that joins the places (grown as
    Dreyfus and Wagner do).
    """
    places = BOARD.cards[card].places
    found: list[Mapping[str, int]] = [dict.fromkeys(BOARD.places, 0)]
    for wanted in range(1, 1 << len(places)):
        if SIZES[wanted] == 1:
            goal = places[wanted.bit_length() - 1]
            found.append({place: HOPS[place][goal] for place in HOPS})
            continue
        parts = SUBSETS[wanted][:-1]
        parted = {place: min(found[part][place] + found[wanted ^ part][place] for part in parts) for place in HOPS}
        found.append({place: min(HOPS[place][on] + parted[on] for on in HOPS) for place in HOPS})
    return {place: tuple(by_place[place] for by_place in found) for place in HOPS}


#: By set of bits: its non-empty subsets, ascending, and those with its lowest bit; how many bits it has.
SUBSETS = tuple(tuple(part for part in range(1, wanted + 1) if part & ~wanted == 0) for wanted in range(16))
_LOWEST = tuple(tuple(part for part in parts if part & wanted & -wanted) for wanted, parts in enumerate(SUBSETS))
SIZES = tuple(wanted.bit_count() for wanted in range(16))

#: Travellers that a plan uses: places where they stand now, each with a number.
Used: TypeAlias = tuple[tuple[str, int], ...]
Stacks: TypeAlias = Sequence[tuple[str, int]]


def card_plan(free: Mapping[str, int], card: str) -> tuple[int, Used]:
    """The fewest journeys until the travellers `free` fulfil the card, and which of them it takes.

    `FAR` where they are too few.
    """
    places = BOARD.cards[card].places
    missing = 0
    taken: list[tuple[str, int]] = []
    for i, place in enumerate(places):
        if place in free:
            taken.append((place, 1))
        else:
            missing |= 1 << i
    if not missing:
        return 0, tuple(taken)
    stacks = [
        (place, left) for place, number in free.items() if (left := number - 1 if place in places else number) > 0
    ]
    if sum([number for _, number in stacks]) < SIZES[missing]:
        return FAR, ()
    table = ways(card)
    return _quick(table, missing, stacks, taken) or _exact(table, missing, stacks, taken)


def _quick(
    table: Mapping[str, Sequence[int]],
    missing: int,
    stacks: Sequence[tuple[str, int]],
    taken: Sequence[tuple[str, int]],
) -> tuple[int, Used] | None:
    """The plan where each part of the missing places is served by the stack nearest to it; None if one is too small."""
    subsets = SUBSETS[missing]
    costs, origins = [FAR] * 16, [""] * 16
    for place, number in stacks:
        row = table[place]
        for part in subsets:
            if row[part] < costs[part] and SIZES[part] <= number:
                costs[part], origins[part] = row[part], place
    if SIZES[missing] == 1:
        return costs[missing], (*taken, (origins[missing], 1))
    total, split = [0] * 16, [0] * 16
    for wanted in subsets:
        least = FAR
        for part in _LOWEST[wanted]:
            cost = costs[part] + total[wanted ^ part]
            if cost < least:
                least, split[wanted] = cost, part
        total[wanted] = least
    used: dict[str, int] = {}
    left = missing
    while left:
        part = split[left]
        used[origins[part]] = used.get(origins[part], 0) + SIZES[part]
        left ^= part
    for place, number in stacks:
        if used.get(place, 0) > number:
            return None
    return total[missing], (*taken, *used.items())


def _exact(
    table: Mapping[str, Sequence[int]],
    missing: int,
    stacks: Sequence[tuple[str, int]],
    taken: Sequence[tuple[str, int]],
) -> tuple[int, Used]:
    """The plan in which each stack serves a part of the missing places that it is large enough for."""
    plans: dict[int, tuple[int, Used]] = {0: (0, tuple(taken))}
    for place, number in stacks:
        row = table[place]
        for done, (cost, used) in list(plans.items()):
            for part in SUBSETS[missing & ~done]:
                if SIZES[part] <= number and cost + row[part] < plans.get(done | part, (FAR, ()))[0]:
                    plans[done | part] = cost + row[part], (*used, (place, SIZES[part]))
    return plans.get(missing, (FAR, ()))
