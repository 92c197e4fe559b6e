"""ABUSE: idle and slow sockets, hoarded streams, floods of creates and forged addresses, while others play."""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from spieltisch_service.store.connection import POOL_SIZE
from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.players import SHORT_MATCHES, account
from tests.campaigns.harness.site import Served
from tests.campaigns.harness.wire import PATIENCE_S, Answer, Wire, accepted, packed
from tests.serving import ROOT

_WORKERS = 2
#: What the service is told: creates of one key, new accounts of one address, streams of one key in one process.
_CREATES, _ACCOUNTS, _STREAMS = 30, 12, 8
_PLENTY = 999_999_999
_RATES = {
    "creates": (_CREATES, _PLENTY),
    "accounts": (0, _ACCOUNTS),
    **dict.fromkeys(("actions", "refused", "reads", "streams", "sandbox"), (_PLENTY, _PLENTY)),
}
_ESTABLISHED, _CLOSE_WAIT = "01", "08"


class Sockets:
    """The slow sockets, in a process of their own: what they cost here is not what they cost there."""

    def __init__(self, port: int, count: int) -> None:
        words = [sys.executable, "-m", "tests.campaigns.harness.slow_sockets", str(port), str(count)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    def say(self, word: str) -> list[str]:
        """Wait until they say this word; what follows it. Raises Finding."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said, *rest = line.split(maxsplit=1)
            if said == word:
                return rest
            if said == "found":
                raise Finding(rest[0])
        raise Finding(f"the slow sockets ended before they were {word}")

    def end(self) -> int:
        """Close them all; how many had been cut by the service."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        cut = int(self.say("ended")[0])
        self._process.wait(PATIENCE_S)
        return cut

    def kill(self) -> None:
        """End them in any case."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


class Healthy:
    """Somebody who plays matches alone and looks at each position; how long each answer took, in ms."""

    def __init__(self, port: int, token: str) -> None:
        self._wire = Wire(port, token)
        self._rest: list[Any] = []
        self.path = ""

    def close(self) -> None:
        """Hang up."""
        self._wire.close()

    def play(self, requests: int) -> list[float]:
        """So many requests, each answered right."""
        took: list[float] = []
        while len(took) < requests:
            view = self._timed(took, "GET", f"{self.path}/view")
            if view["status"] != "running":
                raise Finding(f"a match is over too soon: {view['status']}")
            seat = view["to_act"]
            legal = self._timed(took, "GET", f"{self.path}/legal-actions?seat={seat}")["legal_actions"]
            body = {"actions": legal[:1], "version": view["version"], "seat": seat}
            done = self._timed(took, "POST", f"{self.path}/actions", body)
            if done["version"] <= view["version"]:
                raise Finding("an accepted action left the match at its version")
            if done["view"]["status"] != "running":
                self.begin()
        return took

    def begin(self) -> None:
        """A new match."""
        made = accepted(self._wire.settled("POST", "/v1/matches", SHORT_MATCHES[0]), 201)
        self.path = f"/v1/matches/{made['id']}"

    def _timed(self, took: list[float], method: str, path: str, body: Any = None) -> Any:
        began_s = time.perf_counter()
        # Sent again if need be: the service hangs up on a connection that was idle for 5 s, as after a pause.
        answer = self._wire.settled(method, path, body, key=None if body is None else secrets.token_hex(16))
        took.append((time.perf_counter() - began_s) * 1000)
        return accepted(answer, 200)


def run(run: Run) -> Figures:
    """Measure the quiet service, then all of the abuse at once, and what is left of it afterwards."""
    rates = ",".join(f"{policy}={of_a_key}/{of_all}" for policy, (of_a_key, of_all) in _RATES.items())
    settings = {"SPIELTISCH_LIMITS": "on", "SPIELTISCH_RATES": rates, "SPIELTISCH_STREAMS_PER_KEY": str(_STREAMS)}
    with Served(run, workers=_WORKERS, **settings) as site, ExitStack() as stack:
        port = site.port
        began_s = time.monotonic()
        healthy = [Healthy(port, account(port, f"Player {n}")) for n in range(2)]
        flooding = account(port, "Flooding")
        for each in healthy:
            stack.callback(each.close)
            each.begin()
            each.play(run["requests"] // 8)
        before = {pid: _descriptors(pid) for pid in site.workers()}
        quiet = sorted(took for each in healthy for took in each.play(run["requests"] // 2))
        run.say(f"quiet: {_told(quiet)}")

        sockets = Sockets(port, run["sockets"])
        stack.callback(sockets.kill)
        sockets.say("opened")
        streams = _hoard(port, flooding, healthy[0].path)
        for held in streams:
            stack.callback(held.close)
        if not _STREAMS <= len(streams) <= _STREAMS * _WORKERS:
            raise Finding(f"a key holds {len(streams)} streams of {_STREAMS} in each of {_WORKERS} processes")
        made, over, acted = _flood(port, flooding, run["creates"])
        accounts = _forge(port, run["creates"])
        # The three that play were made from the same address.
        if not _as_allowed(accounts + 3, _ACCOUNTS, began_s):
            raise Finding(f"{accounts + 3} accounts of {_ACCOUNTS} came from an address that forged others")
        loud = sorted(took for each in healthy for took in each.play(run["requests"] // 2))
        run.say(f"among {run['sockets']} sockets and {len(streams)} streams: {_told(loud)}")
        sockets.say("cut")
        cut = sockets.end()
        for held in streams:
            held.close()
        # The two that play may keep theirs.
        _wait(lambda: _connections(port) <= len(healthy), PATIENCE_S, "the connections to come back")
        for pid, count in before.items():
            # What a worker may have gained is connections to the store, of which it has so many at most.
            if _descriptors(pid) > count + POOL_SIZE:
                raise Finding(f"a worker has {_descriptors(pid)} descriptors after {count}")
        for each in healthy:
            each.play(9)
    return {
        "operations": len(quiet) + len(loud) + made + over + accounts,
        "sockets": run["sockets"],
        "cut by the service": cut,
        "streams held": len(streams),
        "creates": made,
        "creates refused": over,
        "actions meanwhile": acted,
        "accounts behind forged addresses": accounts,
        "quiet p99 ms": f"{_p99(quiet):.1f}",
        "p99 ms": f"{_p99(loud):.1f}",
        "ratio": f"{_p99(loud) / _p99(quiet):.2f}",
    }


def _hoard(port: int, token: str, path: str) -> list[socket.socket]:
    """Open streams, twice as many as could be had, and never read them; those that were to be had."""
    held = []
    request = packed("GET", f"{path}/events", token=token, headers={"Accept": "text/event-stream"})
    for _ in range(2 * _STREAMS * _WORKERS):
        one = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        one.sendall(request)
        status = one.recv(12)
        if status == b"HTTP/1.1 200":
            held.append(one)
            continue
        one.close()
        if status != b"HTTP/1.1 503":
            raise Finding(f"a stream too many was answered {status!r}")
    return held


def _flood(port: int, token: str, count: int) -> tuple[int, int, int]:
    """Create as fast as can be, and act in the first match all the while: (created, refused, actions)."""
    made = over = acted = 0
    began_s = time.monotonic()
    with Wire(port, token) as wire:
        path = ""
        for number in range(count):
            key = secrets.token_hex(16)
            answer = wire.settled("POST", "/v1/matches", SHORT_MATCHES[0], key=key, headers=_forged(number))
            if answer.status == 201:
                made += 1
                path = path or f"/v1/matches/{answer.json()['id']}"
            else:
                over += _refused(answer)
            if number % 4 == 0:
                acted += _acted(wire, path)
    # The window begins with the account that this key is of, at the latest with the first match.
    if not _as_allowed(made, _CREATES, began_s):
        raise Finding(f"{made} matches of {_CREATES} in {time.monotonic() - began_s:.0f} s")
    if over == 0:
        raise Finding("a flood of creates met no limit")
    return made, over, acted


def _as_allowed(made: int, most: int, began_s: float) -> bool:
    """Whether just so many were made as one may make in a minute, or in as many as there were since `began_s`."""
    windows = 1 + int((time.monotonic() - began_s) // 60)
    return made == most if windows == 1 else most <= made <= most * (windows + 1)


def _acted(wire: Wire, path: str) -> int:
    """Act once, which no flood of other requests may hold up; 0 where the match is over."""
    view = accepted(wire.settled("GET", f"{path}/view"), 200)
    seat = view["to_act"]
    if seat is None:
        return 0
    legal = accepted(wire.settled("GET", f"{path}/legal-actions?seat={seat}"), 200)["legal_actions"]
    body = {"actions": legal[:1], "seat": seat}
    accepted(wire.settled("POST", f"{path}/actions", body, key=secrets.token_hex(16)), 200)
    return 1


def _forge(port: int, count: int) -> int:
    """Make accounts, each from another address if one believes the headers; how many there were to be had."""
    made = 0
    with Wire(port) as wire:
        for number in range(count):
            key = secrets.token_hex(16)
            answer = wire.settled("POST", "/v1/accounts", {"name": "Forged"}, key=key, headers=_forged(number))
            made += answer.status == 201
            if answer.status != 201:
                _refused(answer)
    return made


def _forged(number: int) -> dict[str, str]:
    address = f"198.51.{number // 250}.{number % 250}"
    return {"X-Forwarded-For": address, "X-Real-IP": address, "Forwarded": f"for={address}"}


def _refused(answer: Answer) -> int:
    if answer.status != 429 or int(answer.headers.get("retry-after", "0")) < 1:
        raise Finding(f"one request too many was answered {answer}")
    return 1


def _connections(port: int) -> int:
    """How many connections the service has open at its port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(int(row[1].rpartition(":")[2], 16) == port and row[3] in (_ESTABLISHED, _CLOSE_WAIT) for row in rows)


def _descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _wait(true: Any, patience_s: float, what: str) -> None:
    deadline = time.monotonic() + patience_s
    while not true():
        if time.monotonic() > deadline:
            raise Finding(f"waited in vain for {what}")
        time.sleep(0.1)


def _p99(took: list[float]) -> float:
    return took[min(len(took) - 1, int(len(took) * 0.99))]


def _told(took: list[float]) -> str:
    return f"p50 {took[len(took) // 2]:.1f} ms, p99 {_p99(took):.1f} ms of {len(took)} requests"


CAMPAIGN = Campaign(
    name="ABUSE",
    promise="idle and slow sockets, hoarded streams and floods take nothing from those who play",
    run=run,
    short={"sockets": 90, "requests": 160, "creates": 40},
    long={"sockets": 1_000, "requests": 8_000, "creates": 400},
    teeth=("believes-addresses", "creates-uncounted", "streams-unlimited"),
)
