"""What a tournament is: its game, its format and its rules, fixed when it is created."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import combinations
from typing import Any, Self

from spieltisch_service.domain.clock import Clock
from spieltisch_service.domain.errors import InvalidSetup
from spieltisch_service.games.catalogue import GAMES

FORMATS = ("round_robin", "swiss", "single_elimination", "double_elimination", "arena", "gauntlet")
#: In these it is the bracket, or the format itself, that says who meets whom.
BRACKETS = ("single_elimination", "double_elimination")
#: In these an entrant may still come when it has begun; what it missed is lost to it.
JOINABLE = ("swiss", "arena")
ENTRANTS_ALLOWED = ("any", "bots", "invited")
REMATCHES = ("forbidden", "avoided")

MAX_ENTRANTS = 512
MAX_ROUNDS = 1_024
MAX_DEALS = 10_000
MAX_NO_SHOWS = 100

#: The id of an entrant: of an account (`ac_…`), a house bot (`bot:greedy`), or a file's name on one's own machine.
ENTRANT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,127}")

Pair = tuple[str, str]


@dataclass(frozen=True)
class TournamentSetup:
    """How a tournament is played. Raises InvalidSetup for what cannot be played.

    `seats` (2 to 5) are those of a match; a table has fewer where the field does not divide. `rounds` None is the
    format's own number; in an arena it is tables per entrant, in a gauntlet passes over the field. Each table plays
    `deals` deals, with `duplicate` each of them in several seat orders (`seating`). `seed` is text that all chance
    comes from, secret until the end. `forbidden` pairs never meet. `rematches` of two seats in a Swiss tournament are
    forbidden, or only avoided. With `own_pairings` the organizer pairs each round. An entrant that does not show up
    `no_show_limit` matches in a row is removed. `champion` is the one that meets the field in a gauntlet (None: the
    first that entered). `invited` may enter where only the invited may.
    """

    game: str
    format: str
    seed: str
    name: str = ""
    seats: int = 2
    rounds: int | None = None
    deals: int = 1
    duplicate: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    clock: Clock | None = None
    rated: bool = True
    entrants_allowed: str = "any"
    entrants_max: int = 257
    invited: tuple[str, ...] = ()
    forbidden: tuple[Pair, ...] = ()
    rematches: str = "forbidden"
    own_pairings: bool = False
    no_show_limit: int = 2
    champion: str | None = None

    def __post_init__(self) -> None:
        _one_of("game", self.game, tuple(GAMES))
        _one_of("format", self.format, FORMATS)
        _one_of("entrants_allowed", self.entrants_allowed, ENTRANTS_ALLOWED)
        _one_of("rematches", self.rematches, REMATCHES)
        game = GAMES[self.game]
        _within("seats", self.seats, game.min_players, min(game.max_players, 5))
        _within("deals", self.deals, 1, MAX_DEALS)
        _within("entrants_max", self.entrants_max, 2, MAX_ENTRANTS)
        _within("no_show_limit", self.no_show_limit, 1, MAX_NO_SHOWS)
        if self.rounds is not None:
            _within("rounds", self.rounds, 1, MAX_ROUNDS)
        if not 1 <= len(self.seed) <= 200:
            raise InvalidSetup("seed", "the seed is a text of 1 to 200 characters")
        if len(self.name) > 200:
            raise InvalidSetup("name", "the name has at most 200 characters")
        named = {
            "invited": self.invited,
            "forbidden": [one for pair in self.forbidden for one in pair],
            "champion": [] if self.champion is None else [self.champion],
        }
        for what, entrants in named.items():
            for entrant in entrants:
                if not ENTRANT_ID.fullmatch(entrant):
                    raise InvalidSetup(what, f"{entrant[:140]!r} is no id of an entrant")
        self._check_format()

    def _check_format(self) -> None:
        if self.format == "double_elimination" and self.seats != 2:
            raise InvalidSetup("seats", "a double elimination is played with two seats")
        if self.format in BRACKETS and self.rounds is not None:
            raise InvalidSetup("rounds", "an elimination ends when one is left: it has no number of rounds")
        if self.own_pairings and (self.format in BRACKETS or self.format in ("arena", "gauntlet")):
            raise InvalidSetup("own_pairings", f"{self.format} pairs by itself: who meets whom is what it is about")
        if self.own_pairings and self.rounds is None:
            raise InvalidSetup("rounds", "own pairings need a number of rounds")
        if self.champion is not None and self.format != "gauntlet":
            raise InvalidSetup("champion", "only a gauntlet has a champion")
        if any(one == other for one, other in self.forbidden):
            raise InvalidSetup("forbidden", "nobody meets himself in any case")
        if self.forbidden and (
            self.format in (*BRACKETS, "gauntlet") or (self.format == "round_robin" and self.seats > 2)
        ):
            raise InvalidSetup(
                "forbidden", f"{self.format} with {self.seats} seats cannot keep two entrants from meeting"
            )

    @property
    def least_seats(self) -> int:
        """The smallest table that the game allows."""
        return GAMES[self.game].min_players

    @property
    def rolling(self) -> bool:
        """Whether whoever is free is paired, while others still play."""
        return self.format == "arena"

    def may_meet(self, one: str, other: str) -> bool:
        """Whether the two are not forbidden to meet."""
        return (one, other) not in self._barred

    def some_may_meet(self, entrants: Iterable[str]) -> bool:
        """Whether there are two among them who may meet: without, nothing can be paired."""
        return any(self.may_meet(one, other) for one, other in combinations(entrants, 2))

    @cached_property
    def _barred(self) -> frozenset[Pair]:
        return frozenset((*self.forbidden, *((other, one) for one, other in self.forbidden)))

    def to_wire(self) -> dict[str, Any]:
        """The setup as JSON, every key present, the seed too: who shows it before the end leaves `seed` out."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        told["options"] = dict(self.options)
        told["clock"] = None if self.clock is None else self.clock.to_wire()
        told["invited"] = list(self.invited)
        told["forbidden"] = [list(pair) for pair in self.forbidden]
        return told

    @classmethod
    def from_wire(cls, raw: Mapping[str, Any]) -> Self:
        """What `to_wire` gave; what is left out is as it is by default. Raises InvalidSetup for anything else."""
        for name, value in raw.items():
            if name not in _KINDS:
                raise InvalidSetup(name[:40], f"a tournament has no {name[:40]!r}")
            if type(value) not in _KINDS[name]:
                raise InvalidSetup(name, f"{name} is {_WORDS[_KINDS[name][0]]}, not {value!r:.40}")
        for name in ("game", "format", "seed"):
            if name not in raw:
                raise InvalidSetup(name, f"a tournament needs its {name}")
        read: dict[str, Any] = dict(raw)
        if raw.get("clock") is not None:
            try:
                read["clock"] = Clock.from_wire(raw["clock"])
            except (ValueError, KeyError, TypeError) as error:
                raise InvalidSetup("clock", f"there is no such clock: {error}") from None
        if "invited" in raw:
            read["invited"] = _texts("invited", raw["invited"])
        if "forbidden" in raw:
            pairs = [_texts("forbidden", pair) for pair in raw["forbidden"]]
            if any(len(pair) != 2 for pair in pairs):
                raise InvalidSetup("forbidden", "forbidden is a list of pairs of entrants")
            read["forbidden"] = tuple(pairs)
        return cls(**read)


_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("game", "format", "seed", "name", "entrants_allowed", "rematches"), (str,)),
    **dict.fromkeys(("seats", "deals", "entrants_max", "no_show_limit"), (int,)),
    **dict.fromkeys(("duplicate", "rated", "own_pairings"), (bool,)),
    **dict.fromkeys(("invited", "forbidden"), (list, tuple)),
    "rounds": (int, type(None)),
    "options": (dict,),
    "clock": (dict, type(None)),
    "champion": (str, type(None)),
}

_WORDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object of names and values",
}


def _texts(name: str, raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list | tuple) or any(type(each) is not str for each in raw):
        raise InvalidSetup(name, f"{name} holds ids of entrants")
    return tuple(raw)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidSetup(name, f"{name} is one of {', '.join(allowed)}, not {value[:40]!r}")


def _within(name: str, value: int, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise InvalidSetup(name, f"{name} is a number from {least} to {most}, not {value!r}")
