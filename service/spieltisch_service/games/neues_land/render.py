"""The board as text, from the `state` of a view.

A tile is a block of signs: the terrain of each edge on its sides, and in the middle the follower that stands on it
(seat and first letter of its kind). Boards up to 19 columns of tiles are drawn with blocks of 5 signs, wider ones with
blocks of 3, so that up to 32 columns fit into 100 characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from spieltisch_service.games.neues_land.tables import (
    DIRECTIONS,
    KIND_NUMBER,
    KINDS,
    SIDE_REGIONS,
    SIDE_TERRAINS,
    TERRAINS,
)

#: Sign of a terrain by its number.
_SIGNS = " .^~"
_WIDE, _NARROW = 5, 3
_MOST_WIDE = 19
_MARGIN = 4
_COLUMNS = 100


def describe(view: Mapping[str, Any]) -> str:
    """The table as text: the board, the tile laid last with its regions, players, and the deck."""
    lines = ["plain .   mountain ^   water ~   follower: seat and e(xplorer) r(obber) s(ailor)", ""]
    lines += _board(view)
    lines.append("")
    notes = [] if view["last"] is None else [_last(view)]
    notes += _players(view)
    gone = f", {view['set_aside_count']} set aside" if view["set_aside_count"] else ""
    notes.append(f"tiles in the deck: {view['deck_count']}{gone}")
    if view["discarded"]:
        notes.append(f"fitted nowhere: {' '.join(view['discarded'])}")
    for note in notes:
        lines += wrap(note, _COLUMNS, subsequent_indent=" " * _MARGIN, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _shape(tile: Mapping[str, Any]) -> int:
    return int(KIND_NUMBER[tile["tile"]] * 4 + tile["rotation"] // 90)


def _board(view: Mapping[str, Any]) -> list[str]:
    at = {(tile["x"], tile["y"]): tile for tile in view["tiles"]}
    standing = {(man["x"], man["y"]): f"{man['seat']}{man['kind'][0]}" for man in view["followers"]}
    last = None if view["last"] is None else (view["last"]["x"], view["last"]["y"])
    columns = range(min(x for x, _ in at), max(x for x, _ in at) + 1)
    rows = range(min(y for _, y in at), max(y for _, y in at) + 1)
    width = _WIDE if len(columns) <= _MOST_WIDE else _NARROW
    lines = [" " * _MARGIN + "".join(f"{x:^{width}d}" for x in columns)]
    for y in rows:
        texts = [""] * 3
        for x in columns:
            tile = at.get((x, y))
            if tile is None:
                block = (" " * width,) * 3
            else:
                block = _block(_shape(tile), width, standing.get((x, y), ""), last == (x, y))
            texts = [text + part for text, part in zip(texts, block, strict=True)]
        labels = ("", f"{y:>{_MARGIN - 1}d}", "")
        lines += [f"{label:<{_MARGIN}}{text}".rstrip() for label, text in zip(labels, texts, strict=True)]
    return [line.rstrip() for line in lines]


def _block(shape: int, width: int, follower: str, is_last: bool) -> tuple[str, str, str]:
    """Three lines of `width` signs; corners are blank, those of the last tile marked in wide blocks."""
    north, east, south, west = (_SIGNS[terrain] for terrain in SIDE_TERRAINS[shape])
    inner = width - 2
    corner = "'" if is_last and width == _WIDE else " "
    middle = follower if width == _WIDE else follower[:1]
    if is_last and not middle:
        middle = "*"
    return (
        f"{corner}{north * inner}{corner}",
        f"{west}{middle:^{inner}}{east}",
        f"{corner}{south * inner}{corner}",
    )


def _last(view: Mapping[str, Any]) -> str:
    """The tile laid last, with the numbers of its regions: what `place_follower` asks for."""
    tile = view["tiles"][-1]
    shape = _shape(tile)
    kind = KINDS[shape >> 2]
    parts = []
    for region, terrain in enumerate(kind.terrains):
        sides = [name for name, at in zip(DIRECTIONS, SIDE_REGIONS[shape], strict=True) if at == region]
        parts.append(f"{region} {TERRAINS[terrain]} {''.join(sides) or 'inside'}")
    towns = "".join(f"; town between {a} and {b}" for a, b in kind.towns)
    where = f"({tile['x']}, {tile['y']}) turned by {tile['rotation']}"
    return f"last tile: {kind.id} at {where}: {', '.join(parts)}{towns}"


def _players(view: Mapping[str, Any]) -> list[str]:
    lines = []
    for seat, supply in enumerate(view["supply"]):
        hand = view["hands"][seat]
        men = [
            f"{man['kind']} at ({man['x']}, {man['y']}) region {man['region']}"
            for man in view["followers"]
            if man["seat"] == seat
        ]
        followers = f"{supply} in supply" + (f", {', '.join(men)}" if men else "")
        lines.append(f"seat {seat}: tiles {' '.join(hand) or '-'}; followers {followers}")
    return lines
