"""A view as text for a terminal, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from spieltisch_service.games.wunderland.tables import BOARD

_WIDTH = 100
_COLUMNS = 3


def _name(place: str) -> str:
    return BOARD.places[place].name["en"]


def _head(view: Mapping[str, Any]) -> list[str]:
    active = view["active_seat"]
    whose = "over" if active is None else f"turn of seat {active}"
    lines = [f"Wunderland, round {view['round']} · {whose} · cards in the deck: {view['deck_count']}"]
    journey = view["journey"]
    asked = "still to answer: " + " ".join(map(str, view["seats_to_ask"]))
    if journey is not None:
        lines.append(f"Journey from {_name(journey['origin'])} to {_name(journey['destination'])} · {asked}")
    elif view["seats_to_ask"]:
        lines.append(f"Final phase · {asked}")
    return lines


def _cell(view: Mapping[str, Any], place: str) -> str:
    """A place with one sign a seat: how many travellers it has there, a point for none."""
    standing = "".join(str(own.get(place) or "·") for own in view["travellers"])
    label = f"{'✉ ' if place in BOARD.post else ''}{place}"
    return f"{label:<20} {standing:<8}"


def _section(view: Mapping[str, Any], section: str) -> list[str]:
    places = [place.id for place in BOARD.places.values() if place.section == section]
    left = view["postcards_left"].get(section)
    cells = [_cell(view, place) for place in places]
    title = BOARD.section_names[section]["en"]
    return [
        title if left is None else f"{title} (postcards left: {left})",
        *("  " + "  ".join(cells[i : i + _COLUMNS]).rstrip() for i in range(0, len(cells), _COLUMNS)),
    ]


def _seat(view: Mapping[str, Any], seat: int) -> list[str]:
    redeemed = view["redeemed"][seat]
    points = sum(BOARD.cards[card].points for card in redeemed)
    piles = " ".join(f"{section} {n}" for section, n in view["postcards"][seat].items() if n)
    text = (
        f"Seat {seat}: {points} points · redeemed: {' '.join(redeemed) or 'none'}"
        f" · in hand: {view['hand_counts'][seat]} · postcards: {piles or 'none'}"
    )
    return wrap(text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _hand(view: Mapping[str, Any]) -> list[str]:
    lines = []
    for card_id in view["hand"] or ():
        card = BOARD.cards[card_id]
        lines.append(f"Your card {card_id} ({card.points} points): {', '.join(map(_name, card.places))}")
    return lines


def describe(view: Mapping[str, Any]) -> str:
    """The `state` part of a view as text; the signs after a place are its travellers, seat 0 first."""
    lines = [*_head(view), ""]
    lines += _section(view, BOARD.places[BOARD.start].section)
    for section in BOARD.sections:
        lines += _section(view, section)
    lines.append("")
    for seat in range(len(view["travellers"])):
        lines += _seat(view, seat)
    lines += _hand(view)
    return "\n".join(lines) + "\n"
