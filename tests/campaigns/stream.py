"""STREAM: readers follow matches over a line that cuts at any byte; what they put together is the log."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from tests.campaigns.harness.campaign import Campaign, Figures, Finding, Run
from tests.campaigns.harness.history import History
from tests.campaigns.harness.players import Player, account, alive, whole_logs
from tests.campaigns.harness.site import opened
from tests.campaigns.harness.wire import PATIENCE_S
from tests.sdk.faults import CuttingProxy

_MOST_BYTES = 2500
#: A stream beats every 10 s.
_SILENCE_S = 30.0


class Reader(threading.Thread):
    """Follows one match to its end, from wherever it was cut off. `lines` are its events as they came, in order."""

    def __init__(self, url: str, match: str, kind: str, seed: int, *, fails: Callable[[], bool]) -> None:
        super().__init__(name=f"{kind} reader of {match}", daemon=True)
        self.match, self.kind = match, kind
        self.lines: list[bytes] = []
        self.cuts = 0
        self.ended = False
        self.error: BaseException | None = None
        self._rng = random.Random(seed)
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._fails = fails

    def run(self) -> None:
        """Read."""
        try:
            since, had = time.monotonic(), 0
            while not self.ended and not self._fails():
                if not self._once():
                    self.cuts += 1
                if len(self.lines) > had:
                    since, had = time.monotonic(), len(self.lines)
                elif time.monotonic() - since > 2 * PATIENCE_S:
                    raise Finding(f"{self.name} gets nothing more after event {had}")
        except BaseException as error:
            self.error = error

    def _once(self) -> bool:
        """One connection; whether it came to the end that the service had in mind."""
        connection = HTTPConnection(*self._target, timeout=_SILENCE_S)
        try:
            path, headers = self._request()
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            # Where the head was cut, what is left of it looks like a whole one.
            headed = answer.headers["Content-Length"] or answer.headers["Transfer-Encoding"]
            if not headed or answer.status == 503:
                return False
            if answer.status != 200:
                raise Finding(f"{self.name}: {answer.status} {answer.read()[:300]!r}")
            return self._page(answer) if self.kind == "page" else self._stream(answer)
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def _request(self) -> tuple[str, Mapping[str, str]]:
        path, last = f"/v1/matches/{self.match}/events", len(self.lines)
        if self.kind == "page":
            return f"{path}?after={last}&wait=5&limit={self._rng.choice((1, 3, 500))}", {}
        if self.kind == "ndjson":
            return f"{path}?after={last}", {"Accept": "application/x-ndjson"}
        # The header beats the query, which a reader that reconnects by itself repeats as it was.
        resumed = {"Last-Event-ID": str(last)} if last or self._rng.randrange(2) else {}
        return path if last else f"{path}?after=0", {"Accept": "text/event-stream", **resumed}

    def _page(self, answer: HTTPResponse) -> bool:
        body = answer.read()
        if not body:
            return False
        page = json.loads(body)
        for event in page["events"]:
            self._take(json.dumps(event, sort_keys=True).encode(), event)
        self.ended = bool(self.lines) and json.loads(self.lines[-1])["type"] in ("match_finished", "match_aborted")
        return True

    def _stream(self, answer: HTTPResponse) -> bool:
        end = b"\n\n" if self.kind == "sse" else b"\n"
        rest = b""
        with suppress(OSError, HTTPException):
            while piece := answer.read1(65536):
                *whole, rest = (rest + piece).split(end)
                for frame in whole:
                    if self._frame(frame):
                        return True
        return False

    def _frame(self, frame: bytes) -> bool:
        """Take a frame; whether it was the last one."""
        if self.kind == "ndjson":
            lines, last = [frame] if frame else [], b'"end"' in frame[:16]
        else:
            fields = [line for line in frame.split(b"\n") if line and not line.startswith((b":", b"retry:"))]
            lines = [line[6:] for line in fields if line.startswith(b"data: ")]
            last = b"event: end" in fields
            numbers = [int(line[4:]) for line in fields if line.startswith(b"id: ")]
            if not last and numbers != [json.loads(line)["seq"] for line in lines]:
                raise Finding(f"{self.name}: the id is not the event's number: {frame!r}")
        for line in lines:
            told = json.loads(line)
            if last:
                self.ended = told["reason"] == "ended"
            else:
                self._take(line, told)
        return last

    def _take(self, line: bytes, event: Any) -> None:
        if event["seq"] != len(self.lines) + 1:
            raise Finding(f"{self.name}: event {event['seq']} comes after {len(self.lines)}")
        self.lines.append(line)


class _Cuts(list[int | None]):
    """For each answer, after how many bytes it is cut, if it is; drawn when the proxy asks."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__([None])
        self._rng = rng

    def pop(self, _: Any = -1) -> int | None:
        """See `list`, which never becomes empty here."""
        return None if self._rng.randrange(8) == 0 else self._rng.randrange(_MOST_BYTES)


def run(run: Run) -> Figures:
    """Follow matches until there were enough cuts."""
    cuts, readers_done, bytes_compared = 0, 0, 0
    with opened(run) as site, CuttingProxy(f"http://127.0.0.1:{site.port}") as proxy:
        proxy.cuts = _Cuts(run.rng)
        token = account(site.port)
        client = 0
        while cuts < run["cuts"]:
            client += 1
            readers = _followed(run, site.port, token, proxy.url, client)
            match = readers[0].match
            log = whole_logs(site.port, [match], token)[match]
            for reader in readers:
                if [json.loads(line) for line in reader.lines] != log:
                    raise Finding(f"{reader.name}: the transcript is not the log")
                bytes_compared += sum(map(len, reader.lines))
            streams = {tuple(reader.lines) for reader in readers if reader.kind != "page"}
            if len(streams) != 1:
                raise Finding(f"{match}: SSE and NDJSON differ")
            cuts += sum(reader.cuts for reader in readers)
            readers_done += len(readers)
            run.say(f"{cuts:,} cuts")
    return {
        "operations": cuts,
        "cuts": cuts,
        "transcripts": readers_done,
        "bytes compared": bytes_compared,
        "gaps": 0,
        "repetitions": 0,
    }


def _followed(run: Run, port: int, token: str, url: str, client: int) -> Sequence[Reader]:
    """A match that is played while readers of all kinds follow it; they have come to its end."""
    player = Player(port, token, client, run.rng.getrandbits(64), History())
    player.start()
    while not player.logs:
        alive([player])
        time.sleep(0.005)
    match = player.logs[0].match
    kinds = ("sse", "ndjson", "page") * run["readers"]
    readers: list[Reader] = []
    readers += [
        Reader(url, match, kind, run.rng.getrandbits(64), fails=lambda: any(one.error for one in (player, *readers)))
        for kind in kinds
    ]
    for reader in readers:
        reader.start()
    # It goes on to another match once this one is over.
    while len(player.logs) == 1 and not any(each.error for each in (player, *readers)):
        time.sleep(0.02)
    player.enough.set()
    deadline = time.monotonic() + 4 * PATIENCE_S
    while alive([player, *readers]) and any(each.is_alive() for each in (player, *readers)):
        if time.monotonic() > deadline:
            raise Finding(f"the readers of {match} do not come to an end")
        time.sleep(0.02)
    return readers


CAMPAIGN = Campaign(
    name="STREAM",
    promise="a reader that is cut off at any byte, any number of times, puts the log together without a gap",
    run=run,
    short={"processes": 0, "readers": 1, "cuts": 60},
    long={"processes": 1, "readers": 2, "cuts": 2_000},
    teeth=("resumed-too-late", "resumed-too-early", "hole-in-a-page"),
)
