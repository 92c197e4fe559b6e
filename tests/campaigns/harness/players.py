"""Clients that play matches to their ends, note all that they are told, and send again whatever was not answered."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from spieltisch_service.domain.events import canonical
from tests.campaigns.harness.campaign import Finding
from tests.campaigns.harness.held import Log, Lost
from tests.campaigns.harness.history import Act, History, Read
from tests.campaigns.harness.wire import PATIENCE_S, Answer, Wire, accepted, packed

#: Matches that are over after some hundred actions at most.
SHORT_MATCHES = (
    {"game": "neues-land", "seats": ["me", "me"]},
    {"game": "wunderland", "seats": ["me", "me"], "options": {"round_limit": 4}},
    {"game": "neues-land", "seats": ["me", "me", "me"], "options": {"expert": True}},
)


def account(port: int, name: str = "Ada") -> str:
    """The key of a new account."""
    with Wire(port) as wire:
        return str(accepted(wire.settled("POST", "/v1/accounts", {"name": name}))["key"])


@dataclass(slots=True)
class Counts:
    """What the players did together. Each adds to its own and is counted at the end."""

    acknowledged: int = 0
    unanswered: int = 0
    unavailable: int = 0
    most_tries: int = 0


class Player(threading.Thread):
    """Plays match after match as all seats of each, until `enough`.

    No one else acts in its matches: every refusal is a finding. With `may_lose`, acknowledged actions may be gone,
    if the player can see it: their number is counted, and the player goes on from what is there.
    """

    def __init__(
        self, port: int, token: str, client: int, seed: int, history: History, *, may_lose: bool = False
    ) -> None:
        super().__init__(name=f"player {client}", daemon=True)
        self.client, self.history, self.may_lose = client, history, may_lose
        self.rng = random.Random(seed)
        self.counts = Counts()
        self.logs: list[Log] = []
        self.error: BaseException | None = None
        self.enough = threading.Event()
        self._wire = Wire(port, token)

    def run(self) -> None:
        """Play. What goes wrong is in `error`."""
        try:
            while not self.enough.is_set():
                self._play(self.rng.choice(SHORT_MATCHES))
        except BaseException as error:
            self.error = error
        finally:
            self.counts.unanswered = self._wire.unanswered
            self._wire.close()

    def _play(self, wanted: Any) -> None:
        made = accepted(self._wire.settled("POST", "/v1/matches", wanted, key=f"{self.rng.getrandbits(160):040x}"))
        log = Log(made["id"])
        self.logs.append(log)
        path = f"/v1/matches/{log.match}"
        view: Any = None
        while not self.enough.is_set():
            try:
                if view is None or view["legal_actions"] is None:
                    view = self._look(path, log, 0 if view is None else view["to_act"])
                else:
                    view = self._act(path, log, view)
            except Lost:
                view = self._after_a_loss(path, log)
            if view["status"] != "running":
                return

    def _look(self, path: str, log: Log, seat: int) -> Any:
        invoked = time.monotonic()
        answer = self._wire.settled("GET", f"{path}/view?seat={seat}")
        if answer.status == 404 and self.may_lose:
            raise Lost
        view = accepted(answer, 200)
        if view["match"] != log.match:
            raise Finding(f"asked for {log.match}, answered {view['match']}")
        note(self.history, self.client, seat, invoked, answer, view)
        return view

    def _act(self, path: str, log: Log, view: Any) -> Any:
        seat, action = view["to_act"], self.rng.choice(view["legal_actions"])
        body = {"actions": [action], "seat": seat}
        if self.rng.randrange(3):
            body["version"] = view["version"]
        act = Act(log.match, self.client, seat, (canonical(action),), time.monotonic())
        self.history.acts.append(act)
        answer = self._sent(f"{path}/actions", body)
        if answer.status != 200:
            act.outcome = "refused"
            if self.may_lose:
                raise Lost
            raise Finding(f"{log.match}: the only player is refused: {answer}")
        told = answer.json()
        settle(act, told["events"])
        self.counts.acknowledged += 1
        if log.version and act.first != log.version + 1 and not self.may_lose:
            raise Finding(f"{log.match}: the only player's action is version {act.first}, not {log.version + 1}")
        self._hold(path, log, told["events"])
        return told["view"]

    def _sent(self, path: str, body: Any) -> Answer:
        """The same request with the same key, until it is answered."""
        request = packed("POST", path, body, token=self._wire.token, key=f"{self.rng.getrandbits(128):032x}")
        deadline = time.monotonic() + PATIENCE_S
        tries = 0
        while time.monotonic() < deadline:
            tries += 1
            with suppress(OSError):
                answer = self._wire.send(request)
                if answer.status != 503:
                    self.counts.most_tries = max(self.counts.most_tries, tries)
                    return answer
                self.counts.unavailable += 1
            time.sleep(0.02 * min(tries, 10))
        raise Finding(f"{path} is not answered within {PATIENCE_S:.0f} s")

    def _hold(self, path: str, log: Log, events: Sequence[Any]) -> None:
        try:
            if events[0]["seq"] > log.version + 1:
                log.add(self._pages(path, log.version))
            log.add(list(events))
        except Lost:
            if not self.may_lose:
                raise Finding(f"{log.match}: what was acknowledged is not in front of what follows") from None
            raise

    def _pages(self, path: str, after: int) -> list[Any]:
        found: list[Any] = accepted(self._wire.settled("GET", f"{path}/events?after={after}"), 200)["events"]
        return found

    def _after_a_loss(self, path: str, log: Log) -> Any:
        """Take the match as it is now; what is gone is noted."""
        answer = self._wire.settled("GET", f"{path}/events")
        if answer.status == 404:
            log.begin_again([])
            return {"status": "gone"}
        log.begin_again(accepted(answer, 200)["events"])
        return {"status": "running", "legal_actions": None, "to_act": 0}


def note(history: History, client: int, viewer: int | None, invoked: float, answer: Answer, view: Any) -> None:
    """Add a view that was answered just now."""
    digest = hashlib.blake2b(answer.body, digest_size=16).digest()
    history.reads.append(Read(view["match"], client, viewer, invoked, time.monotonic(), view["version"], digest))


def settle(act: Act, events: Sequence[Any]) -> None:
    """The intent was acknowledged just now, with these events."""
    act.returned, act.outcome = time.monotonic(), "acknowledged"
    act.first, act.hashes = events[0]["seq"], tuple(event["hash"] for event in events)


def total(players: Sequence[Player]) -> Counts:
    """What all of them did."""
    return Counts(
        sum(player.counts.acknowledged for player in players),
        sum(player.counts.unanswered for player in players),
        sum(player.counts.unavailable for player in players),
        max(player.counts.most_tries for player in players),
    )


def alive(players: Sequence[threading.Thread]) -> bool:
    """True. Raises the first error that a player met."""
    for player in players:
        error = getattr(player, "error", None)
        if error is not None:
            raise error
    return True


def all_done(threads: Sequence[threading.Thread], patience_s: float) -> None:
    """Start the threads and wait for their ends. Raises what went wrong in any of them."""
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience_s)
        if thread.is_alive():
            raise Finding(f"{thread.name} does not come to an end")
    alive(threads)


def finished(players: Sequence[Player]) -> None:
    """Let all players stop, wait for them, and raise what went wrong."""
    for player in players:
        player.enough.set()
    for player in players:
        player.join(2 * PATIENCE_S)
        if player.is_alive():
            raise Finding(f"{player.name} does not come to an end")
    alive(players)


def whole_logs(port: int, matches: Sequence[str], token: str | None = None) -> dict[str, list[Any]]:
    """The logs as the service has them now; a match that is gone has an empty one."""
    logs: dict[str, list[Any]] = {}
    with Wire(port, token) as wire:
        for match in matches:
            log: list[Any] = []
            while True:
                answer = wire.settled("GET", f"/v1/matches/{match}/events?after={len(log)}")
                page = {"events": [], "version": 0} if answer.status == 404 else accepted(answer, 200)
                log += page["events"]
                if len(log) >= page["version"] or not page["events"]:
                    break
            logs[match] = log
    return logs


def until_moved(players: Sequence[Player], count: Callable[[], int], target: int) -> None:
    """Wait until `count` reaches `target` while all players are well. Raises Finding when nothing moves any more."""
    last, since = count(), time.monotonic()
    while last < target:
        alive(players)
        time.sleep(0.02)
        now = count()
        if now != last:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > PATIENCE_S:
            raise Finding(f"nothing is acknowledged any more after {last} actions")
