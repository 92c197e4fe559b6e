"""Bytes to a served service: what is no HTTP, half of it, two readings of it, and many requests at once.

Every answer must be whole and described by HTTP; nothing may be answered that was hidden in another request's body.
"""

from __future__ import annotations

import contextlib
import random
import resource
import socket
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from spieltisch_service.web.decoder import MAX_BYTES
from tests.campaigns.harness.asking import Reply
from tests.campaigns.harness.campaign import Finding, Run
from tests.campaigns.harness.canary import Canary
from tests.serving import Serving

# Generous, because only what is broken waits for it.
_PATIENCE_S = 120.0
_READ = 65_536
_GET = b"GET /v1 HTTP/1.1\r\nHost: a\r\n\r\n"
#: A second request, hidden in what a careless reader takes for the end of the first.
_HIDDEN = b"GET /v1/games HTTP/1.1\r\nHost: a\r\n\r\n"
_POST = b"POST /v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
_CLOSING = _POST + b"Connection: close\r\n"


@dataclass(frozen=True, slots=True)
class Knock:
    """What is sent on one connection, and how many answers may come of it: `least` to `most`, of `statuses`."""

    sent: bytes
    least: int = 0
    most: int = 1
    statuses: tuple[int, ...] = ()
    reset: bool = False


def no_http(rng: random.Random) -> Knock:
    first = rng.choice(
        (b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"\r\n\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    )
    return Knock(rng.choice((first, rng.randbytes(rng.randint(1, 3000)), b"GET /v1 HTTP/9.9\r\n\r\n", b"A" * 20_000)))


def a_bad_request_line(rng: random.Random) -> Knock:
    target = rng.choice(
        (b"/" + b"a" * 9000, b"/v1 /v1", b"\xff\xfe", b"/\x00", b"v1", b"", b"/v1#x", b"//v1", b"/v1\t")
    )
    method = rng.choice((b"GET", b"G\x00T", b"G ET", b"get", b"(GET)", b"GET\x0b", b"\xc3\xa9"))
    version = rng.choice((b"HTTP/1.1", b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2", b"http/1.1", b"HTTP/1.1x", b""))
    return Knock(method + b" " + target + b" " + version + b"\r\nHost: a\r\n\r\n")


def a_bad_header(rng: random.Random) -> Knock:
    lines = (
        b"NoColon", b"Name : x", b" Folded: x", b"A: b\r\n c", b"A\x00: b", b"A: b\x00c", b": x", b"A: " + b"b" * 9000,
        b"\xff: x", b"A(b): c", b"A: b\x7f", b"A: b\rc", b"X_Y: z", b"Content_Length: 5", b"Content-Length: x",
        b"Content-Length: -1", b"Content-Length: +1", b"Content-Length: 1, 1", b"Transfer-Encoding: gzip",
        b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: xchunked", b"Expect: 200-ok", b"Host: b",
        b"Authorization: Bearer \xc3\xa9", b"Upgrade: websocket\r\nConnection: Upgrade",
    )  # fmt: skip
    several = b"\r\n".join(b"H%d: x" % number for number in range(rng.choice((2, 65, 500))))
    return Knock(b"GET /v1 HTTP/1.1\r\nHost: a\r\n" + rng.choice((*lines, several)) + b"\r\n\r\n")


def half_a_body(rng: random.Random) -> Knock:
    body = b'{"name": "Half"}'
    sent = (
        _POST + b"Content-Length: %d\r\n\r\n" % (len(body) + rng.randint(1, 5000)) + body[: rng.randint(0, len(body))]
    )
    return Knock(sent, statuses=(400,), reset=rng.random() < 0.3)


def half_a_request(rng: random.Random) -> Knock:
    body = b'{"name": "Half"}'
    whole = _POST + b"Content-Length: %d\r\n\r\n" % len(body) + body
    return Knock(whole[: rng.randint(1, len(whole) - 1)], reset=rng.random() < 0.5)


def bad_chunks(rng: random.Random) -> Knock:
    chunks = rng.choice((
        b"5\r\n{\"nam\r\n", b"zz\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n",
        b"0x2\r\n{}\r\n0\r\n\r\n", b"2\n{}\n0\n\n", b"ffffffffffffffffff\r\n{}", b"2 \r\n{}\r\n0\r\n\r\n", b"\r\n\r\n",
        b"2;a=b\r\n{}\r\n0\r\nTrailer: x\r\n\r\n", b"1\r\n{\r\n" * 50, b"+2\r\n{}\r\n0\r\n\r\n",
    ))  # fmt: skip
    return Knock(_POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks, most=2)


def chunks_without_end(rng: random.Random) -> Knock:
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    return Knock(_POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * rng.randint(17, 30), statuses=(400, 413))


def around_the_limit(rng: random.Random) -> Knock:
    """A body of as many bytes as are allowed, and one more."""
    over = rng.choice((-1, 0, 1))
    body = b'{"name": "Large"}'.ljust(MAX_BYTES + over)
    if rng.random() < 0.5:
        sent = _CLOSING + b"Content-Length: %d\r\n\r\n" % len(body) + body
    else:
        sent = (
            _POST
            + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body)
            + body
            + b"\r\n0\r\n\r\n"
        )
    return Knock(sent, statuses=(413,) if over > 0 else (201,))


def two_readings(rng: random.Random) -> Knock:
    """Where a request ends depends on the reader; the hidden one must not be answered."""
    chunked = b"0\r\n\r\n" + _HIDDEN
    tricks = (
        b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(chunked) + chunked,
        b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n" % len(chunked) + chunked,
        b"Content-Length: 2\r\nContent-Length: %d\r\n\r\n{}" % (2 + len(_HIDDEN)) + _HIDDEN,
        b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(_HIDDEN) + _HIDDEN,
        b"Content-Length: 2, 2\r\n\r\n{}" + _HIDDEN,
        b"Transfer-Encoding : chunked\r\nContent-Length: %d\r\n\r\n" % len(chunked) + chunked,
        b"Transfer-Encoding:\x0bchunked\r\nContent-Length: %d\r\n\r\n" % len(chunked) + chunked,
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: %d\r\n\r\n" % len(chunked)
        + chunked,
        b"Transfer-Encoding:\r\n chunked\r\nContent-Length: %d\r\n\r\n" % len(chunked) + chunked,
        b"Content-Length: %d\r\n\r\n" % len(_HIDDEN) + _HIDDEN,
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(_HIDDEN) + _HIDDEN + b"\r\n0\r\n\r\n",
    )
    return Knock(_POST + rng.choice(tricks), statuses=(400,))


def pipelined(rng: random.Random) -> Knock:
    count = rng.randint(2, 12)
    last = _GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    return Knock(_GET * (count - 1) + last, least=count, most=count, statuses=(200,))


KINDS: tuple[Callable[[random.Random], Knock], ...] = (
    no_http,
    a_bad_request_line,
    a_bad_header,
    half_a_body,
    half_a_request,
    bad_chunks,
    chunks_without_end,
    around_the_limit,
    two_readings,
    pipelined,
)


def knock(run: Run) -> Mapping[str, int]:
    """Open `sockets` connections to a service of its own, one after the other; how many of each kind."""
    counted: Counter[str] = Counter()
    canary = Canary()
    serving = Serving(run.folder / "served", "--port", "0", "--workers", "1")
    try:
        port = int(serving.ready().port)
        parts = set(serving.others())
        rng = random.Random(f"{run.seed} sockets")
        before_mib = 0.0
        for number in range(run["sockets"]):
            kind = rng.choice(KINDS)
            try:
                _once(port, kind(rng), canary)
            except Finding as finding:
                raise Finding(f"socket {number}, {kind.__name__}: {finding}") from finding
            counted[kind.__name__] += 1
            if number == run["sockets"] // 5:
                before_mib = _resident_mib(parts)
        grown_mib = _resident_mib(parts) - before_mib
        if parts - set(serving.others()):
            raise Finding(f"a process of the service has ended: {serving.complaints()[-2000:]}")
        if run["sockets"] >= 5_000 and grown_mib > 50:
            raise Finding(f"the served processes grew by {grown_mib:.1f} MiB")
        _once(port, Knock(_GET, least=1, statuses=(200,)), canary)
        log = serving.complaints()
        canary.look("the log of the service", log.encode())
        if "Traceback" in log:
            raise Finding(f"a fault in the log of the service: {log[:3000]}")
        run.say(f"{run['sockets']:,} sockets; the served processes grew by {grown_mib:+.1f} MiB")
    finally:
        serving.clear()
    return counted


def _once(port: int, wanted: Knock, canary: Canary) -> None:
    """Send the bytes on a connection of their own, and judge all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_S) as connection:
        # The other side may refuse and close before it has read everything.
        with contextlib.suppress(OSError):
            connection.sendall(wanted.sent)
            if wanted.reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            connection.shutdown(socket.SHUT_WR)
        came = b""
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(_READ):
                came += part
    replies = answers_in(came)
    told = f"{wanted.sent[:300]!r} was answered {came[:600]!r}"
    if not wanted.least <= len(replies) <= wanted.most:
        raise Finding(f"{len(replies)} answers instead of {wanted.least} to {wanted.most}: {told}")
    for reply in replies:
        if reply.status >= 500 or (wanted.statuses and reply.status not in wanted.statuses):
            raise Finding(told)
        if reply.status >= 400 and reply.media_type != "application/problem+json":
            raise Finding(f"no problem document: {told}")
        if reply.status < 500 and reply.header("x-request-id") is None:
            raise Finding(f"no request id: {told}")
        key = orjson.loads(reply.body).get("key") if reply.status == 201 else None
        canary.look("an answer on a socket", reply.body, allowed=[key] if key else [])
        if key:
            canary.hide("a key", key)


def answers_in(came: bytes) -> list[Reply]:
    """The answers in the bytes of a connection. Raises Finding for what is no whole answer."""
    found = []
    while came:
        head, end, rest = came.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        parts = lines[0].split(b" ", 2)
        if not end or len(parts) < 2 or not parts[0].startswith(b"HTTP/1.") or not parts[1].isdigit():
            raise Finding(f"no whole answer: {came[:300]!r}")
        headers = tuple(
            (name.decode("latin-1"), value.strip().decode("latin-1"))
            for name, _, value in (line.partition(b":") for line in lines[1:])
        )
        reply = Reply(int(parts[1]), headers, b"")
        length = reply.header("content-length")
        if length is None:
            # Closed behind it, or streamed: nothing else can follow.
            found.append(Reply(reply.status, headers, rest))
            break
        body = rest[: int(length)]
        if len(body) < int(length):
            raise Finding(f"an answer that is cut off: {came[:300]!r}")
        found.append(Reply(reply.status, headers, body))
        came = rest[int(length) :]
    return found


def _resident_mib(pids: set[int]) -> float:
    pages = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
