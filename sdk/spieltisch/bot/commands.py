"""What a bot does when it is started: reads its command line, plays, and says how it went."""

from __future__ import annotations

import argparse
import json
import secrets
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from spieltisch.bot import crash, stdio
from spieltisch.bot.bulk import Bulk, Setup
from spieltisch.bot.bulk import run as run_bulk
from spieltisch.bot.crash import BotFailed
from spieltisch.bot.finding import SELF, house_name, player_of
from spieltisch.bot.keys import sign_in
from spieltisch.bot.options import names, parser
from spieltisch.bot.player import Bot, Player
from spieltisch.bot.progress import progress
from spieltisch.bot.remote import NUMBER, Remote, Wanted
from spieltisch.bot.tally import Played, Tally, as_text
from spieltisch.client import Client
from spieltisch.errors import SpieltischError
from spieltisch.local import service_module
from spieltisch.resources.match import Match

_MATCHES = 20
#: More failures than these are only counted.
_SHOWN_FAILURES = 3
_INTERRUPTED = 130


class _Wrong(Exception):
    """The command line asks for what cannot be; the message is one line."""


def run(
    make: Callable[[], Player], arguments: Sequence[str], *, shown_as: str, games: Sequence[str] | None, name: str
) -> int:
    """Play as `arguments` say; the exit code: 0, 1 after errors, 2 for a wrong command line, 130 after Ctrl-C.

    make: makes the player. shown_as: the command that starts it. games: those that it plays, None for all.
    """
    chosen = parser(shown_as).parse_args(arguments)
    chosen.game = chosen.game or (games[0] if games else "neues-land")
    chosen.seed_is_drawn = chosen.seed is None
    chosen.seed = chosen.seed or secrets.token_hex(4)
    chosen.shown_as, chosen.bot_name = shown_as, name
    with suppress(ValueError):
        # As a Ctrl-C: a stop by the system leaves no match hanging either.
        signal.signal(signal.SIGTERM, _interrupt)
    try:
        if games is not None and chosen.game not in games:
            raise _Wrong(f"{name} plays {', '.join(games)}, not {chosen.game}")
        if chosen.stdio:
            bot = make()
            if not isinstance(bot, Bot):
                raise _Wrong("a program speaks on stdio by itself")
            return stdio.speak(bot)
        if chosen.replay:
            return _replay(make, chosen)
        return _on_service(make, chosen) if chosen.url else _here(make, chosen)
    except (_Wrong, SpieltischError, BotFailed, ValueError, OSError) as error:
        print(f"{shown_as}: {error}", file=sys.stderr)
        return 2 if isinstance(error, _Wrong | ValueError) else 1
    except KeyboardInterrupt:
        return _INTERRUPTED


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _replay(make: Callable[[], Player], chosen: argparse.Namespace) -> int:
    player = make()
    try:
        print(crash.replay(chosen.replay, player))
    except BotFailed as error:
        print(f"it fails again: {error}")
        return 1
    except (OSError, json.JSONDecodeError) as error:
        raise _Wrong(f"{chosen.replay} cannot be read: {error}") from None
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        player.close()
    return 0


# --- here ---------------------------------------------------------------------------------------------------


def _here(make: Callable[[], Player], chosen: argparse.Namespace) -> int:
    tables = service_module("local.table")
    named = names(chosen.against)
    seats = _seats(chosen, named, tables.games())
    own = make()
    filled = [named[place % len(named)] for place in range(seats - 1)]
    others = [own if name == SELF else player_of(name, chosen.timeout)() for name in filled]
    setup = Setup(chosen.game, seats, chosen.options, chosen.seed, chosen.crash_dir)
    try:
        setup.table(0)
    except tables.BadTable as error:
        raise _Wrong(str(error)) from None
    bulk = Bulk(setup, own, others)
    count = chosen.matches or _MATCHES
    report = _Report(chosen, f"{seats} seats, {chosen.bot_name} against {', '.join(filled)}", count)
    try:
        return report.about(lambda advance: run_bulk(bulk, range(count), min(chosen.jobs, count), advance))
    finally:
        bulk.close()


def _seats(chosen: argparse.Namespace, named: Sequence[str], players: Any) -> int:
    if not named:
        raise _Wrong("--against names nobody")
    if players is not None and chosen.game not in players:
        raise _Wrong(f"there is no game {chosen.game!r}; there are {', '.join(players)}")
    seats: int = chosen.seats or len(named) + 1
    if seats <= len(named):
        raise _Wrong(f"{seats} seats are too few for this bot and {len(named)} others")
    return seats


# --- on a service -------------------------------------------------------------------------------------------


def _on_service(make: Callable[[], Player], chosen: argparse.Namespace) -> int:
    waiting = chosen.play == "waiting" or (chosen.play is None and chosen.matches is None)
    if chosen.play not in (None, "waiting") and not (chosen.play.isdigit() and int(chosen.play)):
        raise _Wrong("--play takes a number of matches, or waiting")
    count = chosen.matches if chosen.play in (None, "waiting") else int(chosen.play)
    client, kept = sign_in(
        chosen.url, chosen.name or chosen.bot_name, chosen.key, chosen.key_file, allow_insecure=chosen.allow_insecure
    )
    if kept is not None and not chosen.quiet:
        print(f"the key of this bot is kept in {kept}", file=sys.stderr)
    named = names(chosen.against)
    create = None if waiting else _creator(client, chosen, [named[i % len(named)] for i in range(99)], named)
    wanted = Wanted(
        game=chosen.game,
        seed=chosen.seed,
        count=count,
        create=create,
        join=chosen.join,
        keep=(chosen.on_stop or ("keep" if waiting else "resign")) == "keep",
        concurrency=chosen.concurrency if count is None else min(chosen.concurrency, count),
        crash_folder=chosen.crash_dir,
    )
    remote = Remote(client, make, wanted)
    against = "whoever comes" if waiting else ", ".join(named)
    report = _Report(chosen, f"{chosen.bot_name} against {against} at {chosen.url}", count)

    def play(advance: Callable[[Played], None]) -> bool:
        remote.run(advance)
        return remote.interrupted

    try:
        return report.about(play)
    finally:
        for line in remote.left_behind:
            print(line, file=sys.stderr)


def _creator(
    client: Client, chosen: argparse.Namespace, filled: Sequence[str], named: Sequence[str]
) -> Callable[[int], Match]:
    """What makes the match of a number: the bot's seat rotates, house bots sit on the others."""
    for name in named:
        if "/" in name or name.endswith(".py"):
            raise _Wrong(f"{name}: on a service the others are house bots, or self")
    seats = _seats(chosen, named, None)
    others = ["me" if name == SELF else f"bot:{house_name(name)}" for name in filled[: seats - 1]]

    def create(number: int) -> Match:
        own = number % seats
        at = [*others[:own], "me", *others[own:]]
        return client.matches.create(chosen.game, at, options=chosen.options or None, metadata={NUMBER: str(number)})

    return create


# --- saying how it went -------------------------------------------------------------------------------------


class _Report:
    """Shows a run as it goes, and what came of it."""

    def __init__(self, chosen: argparse.Namespace, what: str, count: int | None) -> None:
        self._chosen = chosen
        self._what = what
        self._count = count
        self._tally = Tally()

    def about(self, play: Callable[[Callable[[Played], None]], bool]) -> int:
        """Let `play` play, which answers whether it was interrupted; the exit code."""
        began_s = time.monotonic()
        interrupted = True
        try:
            with progress(self._count, self._chosen.game, quiet=self._chosen.quiet or self._chosen.json) as advance:

                def one_more(played: Played) -> None:
                    self._tally.add(played)
                    if played.failure is not None:
                        self._failed(played)
                    advance(f"{self._tally.wins} won, {self._tally.ties} tied")

                interrupted = play(one_more)
        finally:
            self._say(time.monotonic() - began_s, interrupted)
        if interrupted:
            return _INTERRUPTED
        return 1 if self._tally.failed else 0

    def _failed(self, played: Played) -> None:
        if len(self._tally.failed) > _SHOWN_FAILURES:
            return
        print(f"\nFAILED {played.failure}", file=sys.stderr)
        if played.saved is not None:
            content = json.loads(Path(played.saved).read_text("utf-8"))
            print("".join(content["traceback"]).rstrip(), file=sys.stderr)
            print(f"saved; once more: {self._chosen.shown_as} --replay {played.saved}", file=sys.stderr)

    def _say(self, took_s: float, interrupted: bool) -> None:
        summary = {
            "game": self._chosen.game,
            "seed": self._chosen.seed,
            "interrupted": interrupted,
            **self._tally.summary(took_s),
        }
        if self._chosen.json:
            print(json.dumps(summary))
            return
        stopped = " before it was stopped" if interrupted else ""
        print(f"{summary['matches']:,} matches of {self._chosen.game}{stopped}: {self._what}")
        print(as_text(summary))
        if self._chosen.seed_is_drawn and not self._chosen.url:
            print(f"  the same again: --seed {self._chosen.seed}")
