"""Actions and events in words. Nothing here knows a game: another one reads just as well."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from spieltisch.models import Event, MatchInfo, Result, Seat

#: What every action event tells; all else is the game's own.
_COMMON = frozenset({"action", "cause", "points", "scores", "to_act", "phase"})


def action_text(action: Mapping[str, Any]) -> str:
    """One action on one line: `place tile 422mgs-02 (1,0) rotation 90`."""
    return " ".join(_words(action))


def _words(action: Mapping[str, Any]) -> list[str]:
    # An action of an event has its fields in another order than a legal one, so the order is made here.
    fields = {name: value for name, value in action.items() if name != "type"}
    words = [str(action["type"]).replace("_", " ")]
    if "origin" in fields and "destination" in fields:
        words.append(f"{fields.pop('origin')} > {fields.pop('destination')}")
    words += [str(fields.pop(name)) for name, value in list(fields.items()) if isinstance(value, str)]
    if "x" in fields and "y" in fields:
        words.append(f"({fields.pop('x')},{fields.pop('y')})")
    return words + [f"{name} {value}" for name, value in fields.items()]


def matching(texts: Sequence[str], words: str) -> list[int]:
    """The numbers of the texts in which all words occur, whatever their case and punctuation."""
    wanted = [_bare(word) for word in words.split()]
    return [number for number, text in enumerate(texts) if all(word in _bare(text) for word in wanted)]


def _bare(text: str) -> str:
    for sign, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        text = text.lower().replace(sign, letters)
    # A minus tells one place from another; other marks only tell how a name is written.
    return re.sub(r"[^\w(),> -]|(?<=\w)-", "", text)


@dataclass(frozen=True)
class Choices:
    """Actions to choose from, in rows: `[4] (1,0) rotation 0`, under what all of them begin with."""

    heading: str
    rows: tuple[str, ...]


def choices(actions: Sequence[Mapping[str, Any]], numbers: Sequence[int]) -> list[Choices]:
    """The actions of these numbers by their type.

    Those that differ in their last field alone share a row: `(1,0) rotation  [4] 0  [5] 90`.
    """
    made = []
    for _, members in groupby(numbers, key=lambda number: actions[number]["type"]):
        words = {number: _words(actions[number]) for number in members}
        shared = _shared(list(words.values())) if len(words) > 1 else 0
        heading = " ".join(next(iter(words.values()))[:shared])
        names = {word[-1].rpartition(" ")[0] for word in words.values()}
        if len(words) > 1 and len(names) == 1 and len(name := names.pop()):
            # What the last field is called need not stand in every row.
            words = {number: [*word[:-1], word[-1].rpartition(" ")[2]] for number, word in words.items()}
            heading = f"{heading} … {name}"
        rows = [
            _row(" ".join(begin), [(number, words[number][-1]) for number in group])
            for begin, group in groupby(words, key=lambda number: tuple(words[number][shared:-1]))
        ]
        made.append(Choices(heading, tuple(rows)))
    return made


def _shared(lists: Sequence[Sequence[str]]) -> int:
    """How many first words all have in common; the last of each stays its own."""
    most = min(map(len, lists)) - 1
    return next((at for at in range(most) if len({words[at] for words in lists}) > 1), most)


def _row(begin: str, group: Sequence[tuple[int, str]]) -> str:
    if len(group) == 1:
        number, word = group[0]
        return f"[{number}] {begin} {word}" if begin else f"[{number}] {word}"
    numbers, values = [number for number, _ in group], [word for _, word in group]
    if len(group) > 2 and all(map(str.isdigit, values)) and _runs(numbers) and _runs([*map(int, values)]):
        told = f"[{numbers[0]}..{numbers[-1]}] {values[0]}..{values[-1]}"
    else:
        told = "  ".join(f"[{number}] {value}" for number, value in zip(numbers, values, strict=True))
    return f"{begin}  {told}" if begin else told


def _runs(numbers: Sequence[int]) -> bool:
    return all(after - before == 1 for before, after in pairwise(numbers))


# --- who ----------------------------------------------------------------------------------------------------


def seat_name(seats: Sequence[Seat], number: int) -> str:
    """`seat 1 (random)`."""
    name = seats[number].name if number < len(seats) else None
    return f"seat {number} ({name})" if name else f"seat {number}"


def scores_text(seats: Sequence[Seat], scores: Sequence[int] | None) -> str:
    """`Ada 7, random 4`."""
    if scores is None:
        return ""
    return ", ".join(f"{seats[number].name or f'seat {number}'} {score}" for number, score in enumerate(scores))


def result_rows(seats: Sequence[Seat], result: Result) -> list[tuple[str, ...]]:
    """The result by rank: rank, seat, score, what became of the seat."""
    order = sorted(range(len(result.ranks)), key=lambda seat: (result.ranks[seat], seat))
    became = {seat.seat: "" if seat.status == "active" else seat.status for seat in seats}
    return [
        (str(result.ranks[seat]), seat_name(seats, seat), str(result.scores[seat]), became.get(seat, ""))
        for seat in order
    ]


# --- what happened ------------------------------------------------------------------------------------------


def event_text(event: Event, seats: Sequence[Seat]) -> str:
    """One event on one line, without its number."""
    data = event.data
    who = "" if event.seat is None else seat_name(seats, event.seat)
    if event.type == "action":
        text = f"{who}: {action_text(data['action'])}"
        if data.get("points"):
            text += f"  +{data['points']}"
        if data.get("cause") not in (None, "player"):
            text += f"  ({data['cause']})"
        return text + _more(data)
    if event.type == "match_created":
        return f"{data['game']} {data['match']}: {', '.join(data['seats'])}"
    if event.type == "match_started":
        return f"the match starts, seat {data['to_act']} begins{_more(data, 'nonces')}"
    if event.type == "match_finished":
        result = data["result"]
        ranks = ", ".join(f"{seat_name(seats, n)} {s}" for n, s in enumerate(result["scores"]))
        winners = [seat_name(seats, number) for number, rank in enumerate(result["ranks"]) if rank == 1]
        return f"the match is over ({result['end_reason']}): {ranks}; won by {' and '.join(winners)}"
    if event.type == "match_aborted":
        return f"the match is aborted ({data['reason']})"
    return f"{who} {event.type.removeprefix('seat_')}".strip()


def _more(data: Mapping[str, Any], *but: str) -> str:
    """What the game adds to an event."""
    told = [
        f"{name.replace('_', ' ')} {_plain(value)}"
        for name, value in data.items()
        if name not in _COMMON and name not in but and value
    ]
    return f"  [{'; '.join(told)}]" if told else ""


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_plain, value))
    return str(value)


def match_text(info: MatchInfo) -> str:
    """A match on one line."""
    seats = ", ".join(seat.name or seat.kind for seat in info.seats)
    return f"{info.game} {info.id}: {seats}; {info.status}, version {info.version}"
