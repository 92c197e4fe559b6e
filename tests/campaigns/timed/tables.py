"""Matches that are played by a script: the same moves and the same lapses whatever the clocks of the machines say."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spieltisch_service.games.catalogue import GAMES
from tests.campaigns.harness.campaign import Finding
from tests.campaigns.harness.players import all_done, whole_logs
from tests.campaigns.harness.wire import PATIENCE_S, Wire, accepted
from tests.campaigns.timed.model import compare, hold, is_lapse, shown

#: What is done in turn: a move, or nothing until the time is over.
SCRIPT = "mlmmlm"
_DECISION_MS = 900
_TRIES = 12
_OF_NO_MATTER = ("match", "late_ms")


class NotPlayed(Exception):
    """This machine was too slow for the script: a move came when its time was over, or other times were over, too."""


def scripted() -> list[dict[str, Any]]:
    """What is created: both games by every kind of clock, with deals that are known."""
    clocks: Sequence[Mapping[str, Any]] = (
        {"kind": "per_decision", "per_decision_ms": _DECISION_MS},
        {"kind": "fischer", "initial_ms": 1_100, "increment_ms": _DECISION_MS},
    )
    found = []
    for number, name in enumerate(GAMES):
        game = GAMES[name]
        deal = game.deal_to_wire(game.deal(game.options_type(), 2, bytes([number]) * 32))
        found += [
            {"game": name, "seats": ["me", "me"], "deal": deal, "clock": {**clock, "on_timeout": on_timeout}}
            for clock in clocks
            for on_timeout in ("forfeit", "autoplay")
        ]
    return found


class Scripted(threading.Thread):
    """Plays one match by the script, asking one of the `ports` each time. `log` is what came of it, without times."""

    def __init__(self, ports: Sequence[int], token: str, wanted: Mapping[str, Any], seed: int) -> None:
        super().__init__(name=f"{wanted['game']} by {wanted['clock']}", daemon=True)
        self.log: list[Any] = []
        self.instants: tuple[str, str] = ("", "")
        self.error: BaseException | None = None
        self.matches: list[str] = []
        self.views: list[Any] = []
        self._wanted, self._rng = wanted, random.Random(seed)
        self._wires = [Wire(port, token) for port in ports]

    def run(self) -> None:
        """Play, again where this machine was too slow."""
        try:
            for _ in range(_TRIES):
                try:
                    self._play()
                except NotPlayed:
                    continue
                return
            raise Finding(f"{self.name}: time is over before a move can be made, {_TRIES} times")
        except BaseException as error:
            self.error = error
        finally:
            for wire in self._wires:
                wire.close()

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        key = f"{self._rng.getrandbits(128):032x}" if method == "POST" else None
        return self._rng.choice(self._wires).settled(method, path, body, key=key)

    def _view(self, path: str, query: str = "") -> Any:
        view = accepted(self._ask("GET", f"{path}/view{query}"), 200)
        self.views.append(view)
        return view

    def _play(self) -> None:
        match = accepted(self._ask("POST", "/v1/matches", self._wanted), 201)["id"]
        self.matches.append(match)
        path = f"/v1/matches/{match}"
        done = ""
        for step in SCRIPT:
            view = self._view(path)
            if view["status"] != "running":
                break
            done += step
            if step == "l":
                self._sit_out(path, view["version"])
                continue
            seat = view["to_act"]
            legal = self._view(path, f"?seat={seat}")["legal_actions"]
            if not legal:
                raise NotPlayed
            body = {"actions": [legal[view["version"] * 7919 % len(legal)]], "seat": seat, "version": view["version"]}
            answer = self._ask("POST", f"{path}/actions", body)
            if answer.status != 200:
                if answer.status != 412:
                    raise Finding(f"{self.name}: a move is answered {answer}")
                raise NotPlayed
        log = whole_logs(self._wires[0].port, [match], self._wires[0].token)[match]
        if as_told(log) != done:
            raise NotPlayed
        self.log = [plain(event) for event in log]

    def _sit_out(self, path: str, version: int) -> None:
        while self._view(path)["version"] == version:
            threading.Event().wait(0.1)


def as_told(log: Sequence[Mapping[str, Any]]) -> str:
    """The moves and lapses of a log as a script. Where the service itself stood still, `x` says so."""
    steps = ""
    for event in log:
        if is_lapse(log, event):
            steps += "l"
        elif event["type"] == "action" and event["data"]["cause"] == "player":
            steps += "m"
        elif event["type"] == "clock_extended":
            steps += "x"
    return steps


def plain(event: Mapping[str, Any]) -> tuple[str, int | None, Mapping[str, Any]]:
    """What happened, without when and in which match."""
    data = {name: value for name, value in event["data"].items() if name not in _OF_NO_MATTER}
    return event["type"], event["seat"], data


def play_all(ports: Sequence[int], token: str, rng: random.Random) -> list[Scripted]:
    """Play all that is scripted. Raises the first thing that went wrong."""
    players = [Scripted(ports, token, wanted, rng.getrandbits(64)) for wanted in scripted()]
    all_done(players, 3 * PATIENCE_S)
    return players


def check(port: int, token: str, matches: Sequence[str], views: Sequence[Any], outages: Callable[[], Any]) -> None:
    """Every instant and every view is as the model has it. Raises Finding."""
    logs = whole_logs(port, matches, token)
    known = outages()
    clocks = {match: shown(log) for match, log in logs.items()}
    for match, log in logs.items():
        hold(log, clocks[match], known)
    for view in views:
        compare(logs[view["match"]], clocks[view["match"]], view)
