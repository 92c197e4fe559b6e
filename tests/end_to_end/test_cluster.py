"""The whole service on a cluster of three primaries with replicas, one of which is killed in the middle of play.

What may be lost, and what may not. A primary answers before its replica has what it wrote, so what was acknowledged
in the last moments before its death may be missing when the replica takes over: the end of some logs, or a match that
was just made. It is never missing in silence: the log is then shorter than what the player holds, or goes on with
other hashes. Whatever the other primaries acknowledged stays.
"""

import json
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash
from spieltisch_service.store.layout import match_place
from tests.campaigns.harness.held import Log, Lost
from tests.serving import LINUX, Serving, until
from tests.store.servers import SLOTS, Cluster, NotStarted

pytestmark = pytest.mark.skipif(not LINUX, reason="looks for processes in /proc")

PLAYERS = 6
#: So many acknowledged actions has each player before the kill and after it, at least.
ACTIONS = 12
PATIENCE_S = 240.0
VICTIM = 0


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "nodes").mkdir()
    nodes = Cluster(tmp_path / "nodes", replicas=3, appendfsync="always")
    try:
        nodes.start()
    except NotStarted as why:
        nodes.stop()
        pytest.skip(f"a cluster needs ports of its own, each with the one 10000 above it: {why}")
    yield nodes
    nodes.stop()


@pytest.fixture
def serving(cluster: Cluster, tmp_path: Path) -> Iterator[Serving]:
    environment = {"REDIS_URL": cluster.url, "SPIELTISCH_SECRET": "of the tests, thirty-two bytes or more"}
    one = Serving(tmp_path / "data", "--port", "0", "--workers", "2", **environment)
    try:
        yield one.ready()
        one.process.terminate()
        assert one.ended() == 0
        assert "Traceback" not in one.complaints()
    finally:
        one.clear()


class Player(threading.Thread):
    """Plays match after match by HTTP alone, sends everything again until it is answered, and trusts nobody."""

    def __init__(
        self, url: str, headers: dict[str, str], seats: list[str], game: str, *, on_victim: bool = False
    ) -> None:
        super().__init__(daemon=True)
        self._on_victim = on_victim
        self.url = url
        self.wanted = {"game": game, "seats": seats}
        self.logs: list[Log] = []
        self.acknowledged = 0
        self.unavailable = 0
        self.error: BaseException | None = None
        self.stop = threading.Event()
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers.update(headers)

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self._play()
            for log in self.logs:
                self._compare(log)
        except BaseException as error:
            self.error = error
        finally:
            self._session.close()

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        """The answer, once there is one: the same request with the same key until then."""
        headers = {} if method == "GET" else {"Idempotency-Key": uuid.uuid4().hex}
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self._session.request(method, f"{self.url}{path}", json=body, headers=headers, timeout=120)
            if answer.status_code != 503:
                return answer
            assert answer.json()["code"] == "store_unavailable", answer.text
            assert int(answer.headers["Retry-After"]) >= 1
            assert time.monotonic() < deadline, "the store did not come back"
            self.unavailable += 1
            time.sleep(0.2)

    def _play(self) -> None:
        made = self._send("POST", "/v1/matches", self.wanted)
        assert made.status_code == 201, made.text
        log = Log(made.json()["id"])
        self.logs.append(log)
        if self._on_victim and not on_victim(log.match):
            return
        while not self.stop.is_set():
            try:
                if not self._step(log):
                    return
            except Lost:
                if not self._look_again(log):
                    return

    def _compare(self, log: Log) -> None:
        """Look at the end of what is held once more: whoever went on to another match may have missed something."""
        try:
            self._read_on(log, max(0, log.version - 1))
        except Lost:
            self._look_again(log)

    def _read_on(self, log: Log, after: int) -> None:
        """Hold the events behind `after`, too. Raises Lost where there are not even so many any more."""
        answer = self._send("GET", f"/v1/matches/{log.match}/events?after={after}&limit=500")
        if answer.status_code in (404, 409):
            raise Lost
        assert answer.status_code == 200, answer.text
        log.add(answer.json()["events"])

    def _look_again(self, log: Log) -> bool:
        """Take the log as it is now; False where the whole match is gone."""
        answer = self._send("GET", f"/v1/matches/{log.match}/events")
        if answer.status_code == 404:
            log.lost += log.hashes[1:]
            return False
        log.begin_again(answer.json()["events"])
        return True

    def _step(self, log: Log) -> bool:
        """One look and, if it is the player's turn, one action; False when the match is over."""
        path = f"/v1/matches/{log.match}"
        self._read_on(log, log.version)
        seats = [seat for seat, kind in enumerate(self.wanted["seats"]) if kind == "me"]
        found = self._send("GET", f"{path}/view?seat={seats[0]}")
        if found.status_code == 404:
            raise Lost
        assert found.status_code == 200, found.text
        view = found.json()
        if view["status"] != "running":
            return False
        if view["to_act"] not in seats:
            self._send("GET", f"{path}/view?seat={seats[0]}&wait=1&after={view['version']}")
            return True
        legal = self._send("GET", f"{path}/legal-actions?seat={view['to_act']}").json()
        if not legal.get("legal_actions"):
            return True
        body = {"actions": legal["legal_actions"][:1], "version": legal["version"], "seat": view["to_act"]}
        acted = self._send("POST", f"{path}/actions", body)
        if acted.status_code == 200:
            first = acted.json()["events"][0]["seq"]
            if first > log.version + 1:
                self._read_on(log, log.version)
            log.add(acted.json()["events"])
            self.acknowledged += 1
            return True
        # Somebody else was quicker, or the version is one that was lost.
        assert acted.json()["code"] in ("stale_version", "not_your_turn", "match_not_running"), acted.text
        return True


def on_victim(match: str) -> bool:
    """Whether the match lies on the primary that is killed."""
    return SLOTS * VICTIM // 3 <= match_place(match).bucket.slot < SLOTS * (VICTIM + 1) // 3


def read(url: str) -> requests.Response:
    """The answer, once the store is not away."""

    def answer() -> list[requests.Response]:
        found = requests.get(url, timeout=120)
        return [] if found.status_code == 503 else [found]

    (found,) = until(answer, "the store")
    assert isinstance(found, requests.Response)
    return found


def gapless(url: str, match: str) -> list[str]:
    """The hashes of a match's whole log, which is read and checked."""
    hashes: list[str] = []
    previous = GENESIS_HASH
    while True:
        page = read(f"{url}/v1/matches/{match}/events?after={len(hashes)}").json()
        for event in page["events"]:
            assert event["seq"] == len(hashes) + 1
            body = canonical({key: event[key] for key in ("data", "seat", "seq", "type")})
            previous = chain_hash(previous, body)
            assert event["hash"] == previous
            hashes.append(previous)
        if len(hashes) == page["version"]:
            return hashes


@pytest.mark.parametrize("behind", [False, True], ids=["replica-up-to-date", "replica-behind"])
def test_a_primary_dies_and_play_goes_on(cluster: Cluster, serving: Serving, behind: bool) -> None:
    url = serving.url
    ready = requests.get(f"{url}/readyz", timeout=120).json()
    assert ready["durability"] == "fsync"
    made = requests.post(f"{url}/v1/accounts", json={"name": "Ada"}, timeout=120).json()
    headers = {"Authorization": f"Bearer {made['key']}"}
    # So that it is the matches whose fate is looked at.
    assert all(client.wait(1, 50_000) == 1 for client in cluster.clients[:3])
    seats = (["me", "me"], ["me", "bot:random"], ["bot:random", "me"])
    players = [
        Player(url, headers, seats[n % 3], ("wunderland", "neues-land")[n // 3 % 2], on_victim=n == 0)
        for n in range(PLAYERS)
    ]
    watched = requests.post(
        f"{url}/v1/matches", json={"game": "wunderland", "seats": ["bot:random"] * 2}, headers=headers, timeout=120
    ).json()["id"]
    for player in players:
        player.start()

    def alive() -> bool:
        errors = [player.error for player in players if player.error is not None]
        assert not errors, errors
        return True

    def each(more_than: list[int]) -> bool:
        return alive() and all(
            player.acknowledged >= before + ACTIONS for player, before in zip(players, more_than, strict=True)
        )

    until(lambda: each([0] * PLAYERS), "some actions before the kill")
    if behind:
        # Its replica hears nothing more, while it goes on acknowledging.
        cluster.servers[3 + VICTIM].pause()
        cluster.clients[VICTIM].execute_command("CLIENT KILL TYPE replica")
        doomed = players[0].acknowledged
        # The first of them may have been written, and heard of, before.
        until(lambda: alive() and players[0].acknowledged >= doomed + 4, "actions that will be lost")
    cluster.servers[VICTIM].kill()
    if behind:
        cluster.servers[3 + VICTIM].go_on()
    taken_over = cluster.clients[3 + VICTIM]
    # Of no other primary may a replica take over because this machine is busy: what that one lacks would be lost.
    with cluster.quick_to_fail(VICTIM, 4_000):
        until(lambda: alive() and taken_over.info("replication")["role"] == "master", "the failover")
    until(
        lambda: all(client.execute_command("CLUSTER INFO")["cluster_state"] == "ok" for client in cluster.clients[1:]),
        "the cluster",
    )
    before = [player.acknowledged for player in players]
    bots_before = gapless_or_gone(url, watched)
    until(lambda: each(before), "actions after the failover")
    if bots_before is not None:
        until(lambda: len(gapless(url, watched)) > len(bots_before), "the house bots")
    for player in players:
        player.stop.set()
    for player in players:
        player.join(PATIENCE_S)
    alive()

    assert sum(player.unavailable for player in players) > 0
    lost = 0
    for log in (log for player in players for log in player.logs):
        now = gapless_or_gone(url, log.match)
        # What a player has held and not missed aloud is there, wherever it lies.
        held = log.hashes[1:]
        assert (now or [])[: len(held)] == held or (now is None and held == log.lost[-len(held) :])
        if not on_victim(log.match):
            assert log.lost == []
        lost += len(log.lost)
    if behind:
        assert lost >= 3
    print(json.dumps({"acknowledged": sum(player.acknowledged for player in players), "events lost": lost}))


def gapless_or_gone(url: str, match: str) -> list[str] | None:
    """As `gapless`; None where a match was so young that it went with the primary."""
    if read(f"{url}/v1/matches/{match}").status_code == 404:
        assert on_victim(match)
        return None
    return gapless(url, match)
