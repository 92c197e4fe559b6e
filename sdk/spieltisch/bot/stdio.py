"""The bot's side of the protocol of sdk/STDIO.md: one JSON object a line, asked on stdin and answered on stdout."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import traceback
from typing import Any, BinaryIO

from spieltisch.bot.crash import why
from spieltisch.bot.player import Bot, BotTurn

#: The version of the protocol; a host with another one is refused.
PROTOCOL = 1


def speak(bot: Bot, asked: BinaryIO | None = None, answers: BinaryIO | None = None) -> int:
    """Answer a host until it closes its end; the exit code. What the bot prints goes to stderr meanwhile."""
    incoming = asked or sys.stdin.buffer
    outgoing = answers or sys.stdout.buffer
    with contextlib.redirect_stdout(sys.stderr):
        for line in incoming:
            if not line.strip():
                continue
            answer = _answer(bot, line)
            if answer is not None:
                outgoing.write(json.dumps({**answer, "protocol": PROTOCOL}).encode() + b"\n")
                outgoing.flush()
                if answer.get("fatal"):
                    return 1
    return 0


def _answer(bot: Bot, line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
        kind = message["type"]
    except (ValueError, TypeError, KeyError):
        return {"type": "error", "message": "this is no message: a JSON object with a type was expected", "fatal": True}
    if kind == "hello":
        if message.get("protocol") != PROTOCOL:
            return {"type": "error", "message": f"this bot speaks protocol {PROTOCOL} only", "fatal": True}
        games = None if bot.games is None else list(bot.games)
        return {"type": "hello", "name": bot.name, "games": games, "version": bot.version}
    if kind == "decide":
        return _decided(bot, message)
    if kind == "error":
        print(f"{bot.name}: the host says: {message.get('message')}", file=sys.stderr)
    # `end`, and what later hosts may tell: nothing to be answered.
    return None


def _decided(bot: Bot, message: dict[str, Any]) -> dict[str, Any]:
    seed, _, _ = message["seed"].rpartition("/")
    limits_ms = [limit for limit in (message.get("remaining_ms"),) if limit is not None]
    turn = BotTurn(
        message["game"],
        message["options"],
        message["match"],
        message["seat"],
        message["view"]["version"],
        seed=seed,
        look=lambda: message["view"],
        deadline_s=time.monotonic() + min(limits_ms) / 1000 if limits_ms else None,
    )
    try:
        return {"type": "action", "id": message["id"], "action": dict(bot.decide(turn))}
    except Exception as error:
        traceback.print_exc()
        return {"type": "error", "id": message["id"], "message": why(error)}
