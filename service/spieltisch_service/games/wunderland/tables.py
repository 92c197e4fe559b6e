"""The map and the destination cards (W1 to W3), read from `data/board.json` and checked when loaded.

Sections, places and cards are named by their ids everywhere. A distance is the number of tracks of a shortest
way. Nothing here ever changes.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

_ROOM = "spieltisch_service.games.wunderland"


@dataclass(frozen=True, slots=True)
class Place:
    """A place on the map (W1). `kind`: `start`, `sight` or `postcard`; `x`, `y` in a picture of 1000 × 700."""

    id: str
    section: str
    kind: str
    x: int
    y: int
    name: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Card:
    """A destination card (W2): the sights it names, and what it counts once redeemed."""

    id: str
    places: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Board:
    """The map and the cards.

    `distance[a][b]` counts tracks; `near[a]` lists the places 1 or 2 tracks away from a (W21), by id;
    `post` gives the section of each postcard place; `sections` are those with postcards, in the data's order.
    """

    start: str
    places: Mapping[str, Place]
    cards: Mapping[str, Card]
    sections: tuple[str, ...]
    section_names: Mapping[str, Mapping[str, str]]
    post: Mapping[str, str]
    distance: Mapping[str, Mapping[str, int]]
    near: Mapping[str, tuple[str, ...]]
    travellers: int
    hand_size: int
    cards_to_end: int
    stack: int
    scored_per_section: int


def read_data(name: str) -> str:
    """The text of a file in this room's `data` folder."""
    return files(_ROOM).joinpath("data", name).read_text(encoding="utf-8")


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"board.json: {what}")


def _distances(places: Mapping[str, Place], tracks: list[list[str]]) -> dict[str, dict[str, int]]:
    neighbours: dict[str, set[str]] = {place: set() for place in places}
    for a, b in tracks:
        neighbours[a].add(b)
        neighbours[b].add(a)
    distance: dict[str, dict[str, int]] = {}
    for origin in places:
        found = {origin: 0}
        waiting = deque([origin])
        while waiting:
            here = waiting.popleft()
            for there in sorted(neighbours[here]):
                if there not in found:
                    found[there] = found[here] + 1
                    waiting.append(there)
        _require(len(found) == len(places), f"{origin} is not joined to the whole map")
        distance[origin] = found
    return distance


def _check_places(raw: Mapping[str, Any], places: Mapping[str, Place]) -> None:
    """W1: counts and kinds of the places, and tracks that join two different places, each once."""
    _require(len(raw["sections"]) == 8, "eight sections")
    _require(len(raw["places"]) == len(places) == 43, "43 places, each id once")
    kinds = Counter((place.section, place.kind) for place in places.values())
    for section in (s["id"] for s in raw["sections"]):
        if section == places[raw["start"]].section:
            _require(kinds[section, "start"] == 1, "one start place")
        else:
            _require(kinds[section, "sight"] == 5, f"five sights in {section}")
            _require(kinds[section, "postcard"] == 1, f"one postcard place in {section}")
    _require(kinds.total() == 43, "no place outside the sections")
    tracks = {frozenset(track) for track in raw["tracks"]}
    _require(len(raw["tracks"]) == len(tracks) == 62, "62 tracks, each once")
    _require(all(len(track) == 2 and track <= places.keys() for track in tracks), "tracks join two places")


def _check_cards(raw: Mapping[str, Any], places: Mapping[str, Place], cards: Mapping[str, Card]) -> None:
    """W2: 48 different cards of 2, 3 or 4 sights, with the points of their number."""
    _require(len(raw["cards"]) == len(cards) == 48, "48 cards, each id once")
    _require(raw["points_by_places"] == {"2": 15, "3": 20, "4": 25}, "15, 20 or 25 points")
    for card in cards.values():
        _require(len(set(card.places)) == len(card.places), f"{card.id} names a sight twice")
        _require(all(places[place].kind == "sight" for place in card.places), f"{card.id} names sights")
        points = raw["points_by_places"].get(str(len(card.places)))
        _require(card.points == points, f"the points of {card.id}")


def parse_board(raw: Mapping[str, Any]) -> Board:
    """The board that `raw` (the JSON of `board.json`) describes. Raises ValueError where it breaks W1 to W3."""
    _require(raw["format"] == "wunderland-board/1", "format wunderland-board/1")
    places = {p["id"]: Place(**p) for p in raw["places"]}
    cards = {c["id"]: Card(c["id"], tuple(c["places"]), c["points"]) for c in raw["cards"]}
    _check_places(raw, places)
    _check_cards(raw, places, cards)
    distance = _distances(places, raw["tracks"])
    steps = raw["steps_per_journey"]
    _require((raw["tokens_per_player"], steps) == (8, 2), "8 travellers, journeys of 2 tracks")
    return Board(
        start=raw["start"],
        places=places,
        cards=cards,
        sections=tuple(s["id"] for s in raw["sections"] if s["id"] != places[raw["start"]].section),
        section_names={s["id"]: s["name"] for s in raw["sections"]},
        post={p.id: p.section for p in places.values() if p.kind == "postcard"},
        distance=distance,
        near={a: tuple(sorted(b for b, far in distance[a].items() if 1 <= far <= steps)) for a in places},
        travellers=raw["tokens_per_player"],
        hand_size=raw["hand_size"],
        cards_to_end=raw["cards_to_end"],
        stack=raw["postcards_per_place"],
        scored_per_section=raw["postcards_scored_per_section"],
    )


def material() -> dict[str, Any]:
    """The map, the cards and the numbers of the game as JSON, read anew: the caller may keep it."""
    raw: dict[str, Any] = json.loads(read_data("board.json"))
    del raw["format"]
    return {"travellers_per_player": raw.pop("tokens_per_player"), **raw}


BOARD = parse_board(json.loads(read_data("board.json")))
