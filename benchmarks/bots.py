"""T13: whole matches of Neues Land, a bot on both seats: by the rules alone, by the service within, and over HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Invalid, Row, Target, interleaved, median
from benchmarks.site import Site
from spieltisch import Client, Match
from spieltisch.bot import BotTurn, bot
from spieltisch.bot.bulk import Bulk, Setup
from spieltisch.bot.bulk import run as run_bulk
from spieltisch.bot.remote import NUMBER, Remote, Wanted
from spieltisch.bot.tally import Played

_GAME = "neues-land"
_CONCURRENCY = 4
#: Matches in a round: each contender needs some seconds for them.
_MATCHES = {"bulk": 60, "local": 8, "http": 8}

TARGETS = {
    "bulk": Target("Bot kit without a server, one process, matches/s", 1000 / 60, 50),
    "local": Target("the same in Client('local:'), 4 matches at a time", 0, 4),
    "http": Target("the same over HTTP, 4 matches at a time", 0, 4),
}


@bot
def by_chance(turn: BotTurn) -> Mapping[str, Any]:
    """Looks at the whole view, as a bot that thinks would."""
    if turn.view.state is None:
        raise Invalid("a view without a state")
    return turn.rng.choice(turn.legal_actions)


def _rate(play: Callable[[Callable[[Played], None]], object], count: int) -> tuple[float, float]:
    """Matches and actions a second."""
    played: list[Played] = []
    began_s = time.perf_counter()
    play(played.append)
    took_s = time.perf_counter() - began_s
    if len(played) != count or any(each.failure for each in played):
        raise Invalid(f"{len(played)} matches of {count} were played: {[each.failure for each in played]}")
    return count / took_s, sum(each.actions for each in played) / took_s


def _bulk() -> tuple[float, float]:
    bulk = Bulk(Setup(_GAME, 2, {}, "bench", Path()), by_chance, [by_chance])
    count = _MATCHES["bulk"]
    return _rate(lambda report: run_bulk(bulk, range(count), 1, report), count)


def _remote(client: Client, count: int) -> tuple[float, float]:
    def create(number: int) -> Match:
        return client.matches.create(_GAME, ["me", "me"], metadata={NUMBER: str(number)})

    wanted = Wanted(_GAME, "bench", count, create, concurrency=_CONCURRENCY)
    return _rate(Remote(client, lambda: by_chance, wanted).run, count)


def measured(site: Site, rounds: int) -> Sequence[Row]:
    """The three rows."""
    served = Client(f"http://127.0.0.1:{site.port}").register("Bench", kind="bot")
    inside = Client("local:").register("Bench", kind="bot")
    found = interleaved(
        {
            "bulk": _bulk,
            "local": lambda: _remote(inside, _MATCHES["local"]),
            "http": lambda: _remote(served, _MATCHES["http"]),
        },
        rounds,
    )
    rows = []
    for name, rates in found.items():
        matches = [each[0] for each in rates]
        said = f"{median([each[1] for each in rates]):,.0f} actions/s, whole view looked at"
        rows.append(Row("T13", TARGETS[name], said, median(matches), (min(matches), max(matches))))
    return rows
