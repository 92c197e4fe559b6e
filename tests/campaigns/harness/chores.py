"""All that clients do beside playing, over and over, so that every call to the store is made while workers die.

Each errand is done to its end, by the same request with the same key until it is answered, and must come out as if
nothing had happened in between.
"""

from __future__ import annotations

import random
import threading
from typing import Any

from tests.campaigns.harness.campaign import Finding
from tests.campaigns.harness.wire import Answer, Wire, accepted

#: The calls to the store that no request makes, but the house bots' process and the hearts of workers.
BESIDE_REQUESTS = frozenset({"waiting_for_bots", "due", "pulse"})
#: Those that nobody makes while errands are done: old matches are not deleted, and no list of active matches becomes
#: so long that one which was made already is asked for without room.
NEVER = frozenset({"erase", "unlist", "version"})
_CLOCK = {"kind": "per_decision", "per_decision_ms": 60_000}


class Chores(threading.Thread):
    """Does all errands again and again until `enough`; what goes wrong is in `error`."""

    def __init__(self, port: int, seed: int) -> None:
        super().__init__(name="chores", daemon=True)
        self.enough = threading.Event()
        self.error: BaseException | None = None
        self.rounds = 0
        self.at = ""
        self._rng = random.Random(seed)
        self._wire = Wire(port)

    def run(self) -> None:
        """Do the errands."""
        try:
            while not self.enough.is_set():
                self.errands()
                self.rounds += 1
        except BaseException as error:
            self.error = error
        finally:
            self._wire.close()

    def _key(self) -> str:
        return f"{self._rng.getrandbits(160):040x}"

    def _settled(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        self.at = f"{method} {path}"
        # On a connection of its own each, so that it comes to workers that know neither the key nor the match.
        self._wire.close()
        return self._wire.settled(method, path, body, **more)

    def _post(self, path: str, body: Any, token: str | None, *expected: int) -> Any:
        return accepted(self._settled("POST", path, body, key=self._key(), token=token), *expected)

    def _get(self, path: str, token: str | None = None) -> Any:
        return accepted(self._settled("GET", path, token=token), 200)

    def _deleted(self, path: str, token: str, *again: int) -> Answer:
        """A DELETE has no key: when its answer was lost, the next one may hear that it has happened."""
        answer = self._settled("DELETE", path, token=token)
        if answer.status not in (200, *again):
            raise Finding(f"DELETE {path}: {answer}")
        return answer

    def errands(self) -> None:
        """Do each once."""
        ada = self._post("/v1/accounts", {"name": "Ada"}, None, 201)["key"]
        bob = self._post("/v1/accounts", {"name": "Bob"}, None, 201)["key"]
        self._get("/v1/me", ada)
        other = self._post("/v1/me/keys", {"name": "other", "scopes": ["play"]}, ada, 201)["id"]
        self._deleted(f"/v1/me/keys/{other}", ada)
        wanted = {"game": "wunderland", "seats": ["me", "open"], "options": {"round_limit": 1}, "start": "manual"}
        made = self._post("/v1/matches", wanted, ada, 201)
        path = f"/v1/matches/{made['id']}"
        self._post(f"{path}/seats", {"nonce": "bob"}, bob, 201)
        self._deleted(f"{path}/seats/1", bob, 404, 403, 409)
        self._post(f"{path}/seats", {}, bob, 201)
        self._post(f"{path}/start", {}, ada, 200)
        # Of two workers, one is asked for the second time, and may know it.
        for _ in range(3):
            self._get(path)
            self._get(f"{path}/view")
        listed = [one["id"] for one in self._get("/v1/matches?mine=true&limit=100", bob)["matches"]]
        if listed != [made["id"]]:
            raise Finding(f"an account that joined {made['id']} is told of {listed}")
        if made["id"] not in [
            one["match"] for key in (ada, bob) for one in self._get("/v1/me/decisions", key)["decisions"]
        ]:
            raise Finding(f"{made['id']} is running, and nobody is told to decide")
        self._get("/v1/matches?limit=20")
        self._post(f"{path}/resignation", {}, bob, 200)
        again = self._post(f"{path}/rematch", {}, ada, 201)
        if self._get(path)["rematch"] != again["id"]:
            raise Finding(f"{path} does not tell of its rematch {again['id']}")
        self._get("/v1/me/decisions", ada)
        if len(self._get(f"{path}/events")["events"]) != self._get(path)["version"]:
            raise Finding(f"{path}: version and log differ")
        bots = {"game": "wunderland", "seats": ["bot:random", "bot:random"], "options": {"round_limit": 1}}
        self._post("/v1/matches", bots, ada, 201)
        dropped = self._post("/v1/matches", {"game": "neues-land", "seats": ["me", "open"]}, ada, 201)
        self._deleted(f"/v1/matches/{dropped['id']}", ada, 409)
        cup = {"game": "wunderland", "name": "Cup", "format": "swiss", "clock": _CLOCK}
        cup_path = f"/v1/tournaments/{self._post('/v1/tournaments', cup, ada, 201)['id']}"
        self._post(f"{cup_path}/entrants", {}, bob, 201)
        if cup_path[-35:] not in [one["id"] for one in self._get("/v1/tournaments?mine=true", bob)["tournaments"]]:
            raise Finding(f"an account that entered {cup_path} is not told of it")
        self._deleted(cup_path, ada)
        self._get("/readyz")
        self._deleted("/v1/me", bob, 401)
