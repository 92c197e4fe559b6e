"""A cup file: what is played, by whom, and what happens to a bot that fails. In TOML, checked before all else."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spieltisch.bot.finding import house_name
from spieltisch.bot.programs import as_arguments
from spieltisch.local import service_module
from spieltisch.tournament.places import Places

ON_FAULT = ("forfeit", "default")
#: Keys of the file that are the tournament's own, as the service knows them.
_OF_SETUP = (
    *("name", "game", "format", "seats", "rounds", "deals", "duplicate", "options", "rated", "rematches", "champion"),
    *("forbidden", "seed"),
)
_OTHERS = ("output", "policy", "entrants")
_OF_ENTRANT = {"name": str, "bot": str, "file": str, "command": str, "seeding": int}


class BadCup(ValueError):
    """The file says something that cannot be; the message names the file, the line and the key."""


@dataclass(frozen=True)
class Policy:
    """What happens to a bot that crashes, stalls or answers illegally.

    on_fault: `forfeit`: its seat leaves the match. `default`: the game's default action is played for it, and it is
    asked again at the next decision, but after `faults_per_match` of them its seat leaves the match too.
    decision_ms, start_ms: how long it may take to decide, and to start. remove_after: who had a fault in so many
    matches is removed from the tournament; None: nobody is. House bots have no limits.
    """

    on_fault: str = "forfeit"
    decision_ms: int = 10_000
    start_ms: int = 20_000
    faults_per_match: int = 3
    remove_after: int | None = None


_POLICY: Mapping[str, tuple[int, int]] = {
    "decision_ms": (1, 86_400_000),
    "start_ms": (1, 600_000),
    "faults_per_match": (1, 1_000),
    "remove_after": (1, 1_000_000),
}


@dataclass(frozen=True)
class Contestant:
    """Who plays: `kind` is `house` (`source` is its name), `bot` (a Python file) or `program` (a command).

    `arguments` start the process of a bot or program, in `folder`; `content` is the SHA-256 of the file that it comes
    from.
    """

    id: str
    name: str
    kind: str
    source: str
    seeding: int | None = None
    arguments: tuple[str, ...] = ()
    content: str | None = None
    folder: Path | None = None


@dataclass(frozen=True)
class Cup:
    """A cup file that was read. `setup` is that of the tournament as JSON; `output` is where everything is written."""

    tournament: str
    setup: Mapping[str, Any]
    entrants: tuple[Contestant, ...]
    policy: Policy
    output: Path = field(compare=False)

    @property
    def game(self) -> str:
        """The id of the game."""
        return str(self.setup["game"])

    def entrant(self, name: str) -> Contestant:
        """The entrant with that id."""
        return next(each for each in self.entrants if each.id == name)

    def told(self) -> dict[str, Any]:
        """All that decides how it is played, as JSON: two runs with the same of it have the same results."""
        entrants = [
            {name: getattr(each, name) for name in ("id", "name", "kind", "source", "seeding", "content")}
            for each in self.entrants
        ]
        return {"setup": dict(self.setup), "entrants": entrants, "policy": vars(self.policy)}


def read_cup(path: Path, output: Path | None = None) -> Cup:
    """The cup of a file; `output` is used instead of its own. Raises BadCup, ServiceMissing and OSError."""
    import tomllib  # which the SDK's oldest Python has not, nor can it run the service

    try:
        text = path.read_text("utf-8")
        raw = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise BadCup(f"{path}: this is no text in UTF-8: {error.reason} at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadCup(f"{path}: this is no TOML: {error}") from None
    return _Reader(path, text).cup(raw, output)


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._places = Places(text)

    def _wrong(self, key: str, said: str) -> BadCup:
        line = self._places.line(key)
        return BadCup(f"{self._path}{'' if line is None else f':{line}'}: {key}: {said}")

    def cup(self, raw: Mapping[str, Any], output: Path | None) -> Cup:
        for key in raw:
            if key not in (*_OF_SETUP, *_OTHERS):
                raise self._wrong(key, f"there is no such key; there are {', '.join((*_OF_SETUP, *_OTHERS))}")
        for key in ("game", "format", "seed", "entrants"):
            if key not in raw:
                raise self._wrong(key, "a cup needs this key")
        entrants = self._entrants(raw["entrants"])
        setup = self._setup(raw, {each.id for each in entrants})
        told = raw.get("output", self._path.stem)
        if not isinstance(told, str) or not told:
            raise self._wrong("output", "a folder is expected, as a text")
        # What an id of a table begins with, so that the same cup has the same deals wherever it is played.
        digest = hashlib.sha256(json.dumps(setup, sort_keys=True).encode()).hexdigest()
        return Cup(
            f"cup_{digest[:16]}", setup, entrants, self._policy(raw.get("policy", {})), output or self._near(told)
        )

    def _near(self, name: str) -> Path:
        """A path that the file names: beside the file."""
        return self._path.parent / name

    # --- entrants -------------------------------------------------------------------------------------------

    def _entrants(self, raw: Any) -> tuple[Contestant, ...]:
        if not isinstance(raw, list) or not all(isinstance(each, dict) for each in raw):
            raise self._wrong("entrants", "a list of tables is expected: [[entrants]]")
        if len(raw) < 2:
            raise self._wrong("entrants", f"there are {len(raw)}, and it takes two")
        found: list[Contestant] = []
        for number, each in enumerate(raw):
            one = self._entrant(f"entrants[{number}]", each)
            twice = [other for other in found if one.id == other.id]
            if twice:
                raise self._wrong(f"entrants[{number}]", f"{twice[0].name!r} has entered already: give it a name")
            found.append(one)
        return tuple(found)

    def _entrant(self, where: str, raw: Mapping[str, Any]) -> Contestant:
        for key, value in raw.items():
            if key not in _OF_ENTRANT:
                raise self._wrong(f"{where}.{key}", f"an entrant has {', '.join(_OF_ENTRANT)}")
            if type(value) is not _OF_ENTRANT[key] or value == "":
                raise self._wrong(f"{where}.{key}", f"a {'number' if key == 'seeding' else 'text'} is expected")
        kinds = [key for key in ("bot", "file", "command") if key in raw]
        if len(kinds) != 1:
            raise self._wrong(where, "an entrant has one of bot (a house bot), file (a Python file) and command")
        (kind,) = kinds
        read = {"bot": self._house, "file": self._file, "command": self._command}[kind]
        one: dict[str, Any] = read(f"{where}.{kind}", raw[kind])
        name = raw.get("name", one.pop("name"))
        if len(name) > 100 or not name.isprintable() or not name.strip():
            raise self._wrong(f"{where}.name", "a name has 1 to 100 printable characters")
        identity = re.sub(r"[^A-Za-z0-9._@+-]+", "-", name).strip("-._@+")
        if not identity:
            identity = f"entrant-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        return Contestant(identity, name, seeding=raw.get("seeding"), **one)

    def _house(self, key: str, value: str) -> dict[str, Any]:
        known = service_module("local.table").house_bots()
        if house_name(value) not in known:
            raise self._wrong(key, f"there is no house bot {value!r}; there are {', '.join(known)}")
        return {"kind": "house", "source": house_name(value), "name": house_name(value)}

    def _file(self, key: str, value: str) -> dict[str, Any]:
        path = self._near(value)
        if path.suffix != ".py" or not path.is_file():
            raise self._wrong(key, f"there is no Python file {path}")
        return {
            "kind": "bot",
            "source": value,
            "name": path.stem,
            "arguments": ("-m", "spieltisch.bot", "run", path.name, "--stdio"),
            "content": _digest(path),
            "folder": path.parent.absolute(),
        }

    def _command(self, key: str, value: str) -> dict[str, Any]:
        try:
            arguments = as_arguments(value, self._path.parent)
        except ValueError as error:
            raise self._wrong(key, str(error)) from None
        named = [self._near(word) for word in arguments]
        files = [path for path in named if path.suffix and path.is_file()]
        return {
            "kind": "program",
            "source": value,
            "name": Path(arguments[-1]).stem or "program",
            "arguments": tuple(arguments),
            "content": _digest(files[-1]) if files else None,
            "folder": self._path.parent.absolute(),
        }

    # --- the rest -------------------------------------------------------------------------------------------

    def _setup(self, raw: Mapping[str, Any], entrants: set[str]) -> dict[str, Any]:
        setups, invalid = service_module("domain.tournament.setup"), service_module("domain.errors").InvalidSetup
        tables = service_module("local.table")
        said = {key: raw[key] for key in _OF_SETUP if key in raw}
        if type(said["seed"]) is int:
            said["seed"] = str(said["seed"])
        try:
            setup = setups.TournamentSetup.from_wire(said)
        except invalid as error:
            raise self._wrong(error.field, str(error)) from None
        try:
            tables.Table(setup.game, setup.seats, setup.options, seed=bytes(32))
        except tables.BadTable as error:
            raise self._wrong("options", str(error)) from None
        named = {"champion": [setup.champion] if setup.champion else [], "forbidden": sum(setup.forbidden, ())}
        for key, names in named.items():
            for name in names:
                if name not in entrants:
                    raise self._wrong(key, f"{name!r} is no entrant; there are {', '.join(sorted(entrants))}")
        if not setup.some_may_meet(entrants):
            raise self._wrong("forbidden", "nobody may meet any other one")
        if len(entrants) > setups.MAX_ENTRANTS:
            raise self._wrong("entrants", f"there are {len(entrants)}, and at most {setups.MAX_ENTRANTS} are possible")
        told: dict[str, Any] = setup.to_wire() | {"entrants_max": max(2, len(entrants))}
        return told

    def _policy(self, raw: Any) -> Policy:
        if not isinstance(raw, dict):
            raise self._wrong("policy", "a table is expected: [policy]")
        for key, value in raw.items():
            if key == "on_fault":
                if value not in ON_FAULT:
                    raise self._wrong("policy.on_fault", f"{' or '.join(ON_FAULT)} is expected")
            elif key not in _POLICY:
                raise self._wrong(f"policy.{key}", f"a policy has on_fault, {', '.join(_POLICY)}")
            else:
                least, most = _POLICY[key]
                if type(value) is not int or not least <= value <= most:
                    raise self._wrong(f"policy.{key}", f"a number from {least} to {most} is expected")
        return Policy(**raw)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def changed(cup: Cup, told: Mapping[str, Any]) -> Sequence[str]:
    """In what `cup` is another one than that which once `told` of itself; for people."""
    own = json.loads(json.dumps(cup.told()))
    found = []
    for part in ("setup", "policy"):
        before = told.get(part) or {}
        found += [key for key in sorted({*own[part], *before}) if own[part].get(key) != before.get(key)]
    entrants = {each.get("id"): each for each in told.get("entrants") or ()}
    mine = {each["id"]: each for each in own["entrants"]}
    found += [f"entrant {name}" for name in sorted({*entrants, *mine}) if entrants.get(name) != mine.get(name)]
    if not found and own != dict(told):
        found.append("the order of the entrants")
    return found
