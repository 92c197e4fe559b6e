"""Reading a view that comes from somebody: what the views of all games share, and the checks of single values.

Everything here raises `InvalidView`, whose pointer leads into the view. Nothing is taken for granted: a view may be any
JSON value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from spieltisch_service.games.errors import InvalidView

#: What a position follows from, and what else a view of the API has.
NEEDED = frozenset(("game", "seat", "to_act", "phase", "scores", "state"))
UNREAD = frozenset(("match", "version", "status", "legal_actions", "deadline_at", "remaining_ms", "result"))
#: No count or score is greater; every JSON library keeps such integers exact.
MOST = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Seen:
    """The parts of a view that are the same for every game; `state` has the keys that the game asked for."""

    seat: int | None
    to_act: int | None
    phase: str
    scores: list[int]
    state: Mapping[str, Any]

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.scores)


def seen(view: Any, game: str, phases: tuple[str, ...], players: tuple[int, int], keys: frozenset[str]) -> Seen:
    """The outer part of a view of `game`, which `players` (least, most) can play; `keys` are those of its `state`."""
    fields(view, "", NEEDED, UNREAD)
    if view["game"] != game:
        refuse("/game", "not_one_of", f"This is read as a view of {game}.")
    phase = one_of(view["phase"], "/phase", phases)
    raw = listed(view["scores"], "/scores", *players)
    scores = [whole(points, f"/scores/{seat}", 0, MOST) for seat, points in enumerate(raw)]
    last = len(scores) - 1
    seat = None if view["seat"] is None else whole(view["seat"], "/seat", 0, last)
    to_act = None if view["to_act"] is None else whole(view["to_act"], "/to_act", 0, last)
    if (to_act is None) is not (phase == phases[-1]):
        detail = f"Somebody must act, or the phase is {phases[-1]}; a match that was aborted stands still."
        refuse("/to_act", "out_of_range", detail)
    return Seen(seat, to_act, phase, scores, fields(view["state"], "/state", keys))


def refuse(pointer: str, code: str, detail: str) -> NoReturn:
    """Raise `InvalidView`."""
    raise InvalidView(pointer, code, detail)


def step(key: object) -> str:
    """One step of a JSON pointer; long ones are cut."""
    return "/" + str(key)[:64].replace("~", "~0").replace("/", "~1")


def fields(raw: Any, pointer: str, needed: frozenset[str], unread: frozenset[str] = frozenset()) -> Mapping[str, Any]:
    """An object that has all of `needed`, and beside them nothing but `unread`."""
    if not isinstance(raw, Mapping):
        refuse(pointer, "wrong_type", "This must be an object.")
    if raw.keys() != needed:
        for key in sorted(needed - raw.keys()):
            refuse(pointer + step(key), "missing", "A view has this key.")
        for key in raw:
            if key not in needed and key not in unread:
                refuse(pointer + step(key), "unknown", "A view has no such key.")
    return raw


def listed(raw: Any, pointer: str, least: int = 0, most: int = MOST) -> list[Any]:
    """An array of `least` to `most` items."""
    if not isinstance(raw, list):
        refuse(pointer, "wrong_type", "This must be an array.")
    if not least <= len(raw) <= most:
        count = f"{least}" if least == most else f"{least} to {most}"
        refuse(pointer, "out_of_range", f"This must have {count} items, not {len(raw)}.")
    return raw


def whole(raw: Any, pointer: str, least: int, most: int) -> int:
    """An integer from `least` to `most`; neither `true` nor `1.0` is one."""
    if type(raw) is not int:
        refuse(pointer, "wrong_type", "This must be an integer.")
    if not least <= raw <= most:
        refuse(pointer, "out_of_range", f"This must be from {least} to {most}.")
    return raw


def one_of(raw: Any, pointer: str, allowed: Collection[str]) -> str:
    """One of the `allowed` strings."""
    if type(raw) is not str:
        refuse(pointer, "wrong_type", "This must be a string.")
    if raw not in allowed:
        refuse(pointer, "not_one_of", "There is no such value here.")
    return raw
