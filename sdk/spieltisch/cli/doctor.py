"""`spieltisch doctor`: whether this machine, the service and the key fit together."""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from typing import Any

import requests

from spieltisch._attempts import Attempt
from spieltisch._version import SPEC_VERSION, __version__
from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import add_service, command, connect
from spieltisch.client import Client
from spieltisch.errors import ApiError, ConnectionFailed, SpieltischError

#: Clocks that differ by more will confuse whoever compares instants. The header says whole seconds.
_SKEW_S = 2.0
_PINGS = 7

_STYLES = {"ok": "green", "note": "yellow", "BAD": "bold red"}


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "doctor", "check reachability, versions, durability, clocks, key and latency", run)
    add_service(parser)


class _Findings:
    """What was found, shown at once."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.is_well = True

    def say(self, how: str, what: str, text: str) -> None:
        self.is_well = self.is_well and how != "BAD"
        self._screen.line(f"{how:4}  {what:12} {text}", _STYLES[how])


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Look at everything; 1 where something is wrong, 4 where nothing answers."""
    attempts: list[Attempt] = []
    findings = _Findings(screen)
    python = f"Python {platform.python_version()}, requests {requests.__version__}"
    findings.say("ok", "package", f"spieltisch {__version__}, written against API {SPEC_VERSION}, {python}")
    client = connect(given, screen, on_request=attempts.append)
    try:
        client.live()
    except ConnectionFailed as error:
        findings.say("BAD", "service", str(error))
        return codes.UNREACHABLE
    except SpieltischError as error:
        findings.say("BAD", "service", f"{client.url} answers, but not as a Spieltisch service: {error}")
        return codes.UNREACHABLE
    findings.say("ok", "service", f"{client.url} answers")
    for look in (_versions, _store, _key):
        try:
            look(client, findings)
        except SpieltischError as error:
            findings.say("BAD", look.__name__.strip("_"), str(error))
    _clock(attempts, findings)
    _latency(client, attempts, findings)
    return codes.DONE if findings.is_well else codes.REFUSED


def _versions(client: Client, findings: _Findings) -> None:
    links = client.links()
    spec = str(client.spec().get("info", {}).get("version"))
    findings.say("ok" if spec == SPEC_VERSION else "note", "versions", _compared(str(links.get("version")), spec))
    games = ", ".join(f"{game.id} (rules {game.rules_version})" for game in client.games.list())
    findings.say("ok", "games", games)


def _compared(service: str, spec: str) -> str:
    text = f"service {service}, API {spec}"
    if spec == SPEC_VERSION:
        return text
    return f"{text}; this package knows {SPEC_VERSION}, and what is new since then is in `extra`"


def _store(client: Client, findings: _Findings) -> None:
    ready = client.ready()
    durability = str(ready.get("durability"))
    said = {"fsync": "every answer is on the disk", "fast": "the last second may be lost"}.get(durability, "")
    how = "ok" if durability == "fsync" else "note"
    findings.say(how, "store", f"{ready.get('store')}, durability {durability}" + (f": {said}" if said else ""))


def _key(client: Client, findings: _Findings) -> None:
    if client.key is None:
        findings.say("note", "key", "none: you can look on, and not play (SPIELTISCH_KEY, --key or --register NAME)")
        return
    try:
        me = client.me()
    except ApiError as error:
        findings.say("BAD", "key", f"{error.code}: {error.detail}")
        return
    who = "nobody"
    if me.account is not None:
        who = f"{me.account.name} ({me.account.kind}, {me.account.id})"
    elif me.seat is not None:
        who = f"seat {me.seat.seat} of {me.seat.match}"
    name = "" if me.key is None else f" by the key {me.key.name!r}"
    until = "" if me.expires_at is None else f" until {me.expires_at:%Y-%m-%d %H:%M} UTC"
    findings.say("ok", "key", f"{who}{name}, may {', '.join(me.scopes) or 'nothing'}{until}")


def _clock(attempts: list[Attempt], findings: _Findings) -> None:
    last = next((attempt for attempt in reversed(attempts) if attempt.answered_at is not None), None)
    if last is None or last.answered_at is None:
        findings.say("note", "clock", "the service does not say its time")
        return
    # Its time is cut to seconds, so half of one is added.
    skew_s = last.answered_at.timestamp() + 0.5 - time.time()
    text = "agrees with the service's" if abs(skew_s) <= _SKEW_S else f"is {abs(skew_s):.0f} s "
    if abs(skew_s) > _SKEW_S:
        text += "behind the service's" if skew_s > 0 else "ahead of the service's"
    findings.say("ok" if abs(skew_s) <= _SKEW_S else "note", "clock", f"this machine's {text}")


def _latency(client: Client, attempts: list[Attempt], findings: _Findings) -> None:
    begin = len(attempts)
    for _ in range(_PINGS):
        client.live()
    took = [attempt.duration_ms for attempt in attempts[begin:]]
    median_ms = statistics.median(took)
    findings.say("ok", "latency", f"{median_ms:.1f} ms (median of {len(took)} requests, at most {max(took):.1f} ms)")
    again = sum(attempt.attempt > 1 for attempt in attempts)
    if again:
        findings.say("note", "retries", f"{again} requests had to be sent again")
