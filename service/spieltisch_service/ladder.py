"""`./run ladder`: how strong the house bots are, from whole matches between them.

Two seats: all pairs of bots; each deal is played twice, with seats exchanged. More seats: one bot of a kind against a
field of another kind; each deal is played once from every seat of the one. A shared win counts as a part of one
(1/2, 1/3, …); one of n equal bots would win 1/n. The intervals are of 95 %, and know of the shared deals.

The same seed plays the same matches, however many processes share them.

`--duplicate-gain` measures what it is worth to play each deal in several seat orders, as tournaments with `duplicate`
do: how wide the intervals are then, and how wide with as many matches that all have a deal of their own.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click
from joblib import Parallel, delayed

from spieltisch_service.bots.house import BOTS
from spieltisch_service.domain.tournament.intervals import Estimate, interval, share, unbounded
from spieltisch_service.domain.tournament.seating import seatings
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.local.table import Table, house_decision

#: Options that tournaments of a game are played with.
OPTIONS: dict[str, dict[str, Any]] = {"neues-land": {}, "wunderland": {"round_limit": 30}}

#: Plays as the greedy bot, but one decision of four as the random one.
_MIXED, _BY_CHANCE = "mixed", 0.25


@dataclass(frozen=True, slots=True)
class Meeting:
    """One match to be played: `bots` by seat, the first bot of the pair sits on `seat`; `deal` numbers the deals."""

    game: str
    bots: tuple[str, ...]
    seat: int
    deal: int


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it: the share of the win that the bot on `meeting.seat` has, scores by seat, and actions."""

    meeting: Meeting
    share: float
    scores: tuple[int, ...]
    actions: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: `bot` against `field` in matches of `seats` seats; `low` and `high` bound its win rate.

    `own_score` and `field_score` are means.
    """

    game: str
    seats: int
    bot: str
    field: str
    games: int
    rate: float
    low: float
    high: float
    own_score: float
    field_score: float


def meetings(game: str, seats: int, games: int, bots: Sequence[str]) -> Iterator[Meeting]:
    """The matches of one game and number of seats: `games` of each pair, to whole rotations of the seats."""
    pairs = itertools.combinations(bots, 2) if seats == 2 else itertools.permutations(bots, 2)
    for field, bot in pairs:
        for number in range(math.ceil(games / seats) * seats):
            deal, seat = divmod(number, seats)
            yield Meeting(game, tuple(bot if other == seat else field for other in range(seats)), seat, deal)


def deal_seed(meeting: Meeting, seed: int) -> bytes:
    """The 32 bytes from which the deal follows: the same for all seatings of a deal, and for all pairs of bots."""
    return hashlib.sha256(f"{seed}/{meeting.game}/{len(meeting.bots)}/{meeting.deal}".encode()).digest()


def play(meeting: Meeting, seed: int, apart: str = "") -> Played:
    """Play one match. Deal and chance of the bots follow from the seed, the number of the deal and the seat alone.

    `apart` gives the bots another chance in the same deal.
    """
    count = len(meeting.bots)
    table = Table(meeting.game, count, OPTIONS[meeting.game], seed=deal_seed(meeting, seed), bots=meeting.bots)
    chances = [random.Random(f"{seed}/{meeting.deal}{apart}/{seat}") for seat in range(count)]  # noqa: S311  reproducible
    while (seat := table.to_act) is not None:
        bot = meeting.bots[seat]
        if bot == _MIXED:
            bot = "random" if chances[seat].random() < _BY_CHANCE else "greedy"
        table.act(house_decision(bot, meeting.game, table.options, table.view(seat), chances[seat]))
    ranks = table.result["ranks"]
    share = 1 / ranks.count(1) if ranks[meeting.seat] == 1 else 0.0
    return Played(meeting, share, tuple(table.result["scores"]), len(table.actions))


def summed(played: Sequence[Played]) -> list[Line]:
    """The lines of the table, in the order in which their matches come."""
    grouped: dict[tuple[str, int, str, str], list[Played]] = {}
    for each in played:
        bots, seat = each.meeting.bots, each.meeting.seat
        grouped.setdefault((each.meeting.game, len(bots), bots[seat], bots[seat - 1]), []).append(each)
    lines = []
    for (game, seats, bot, field), matches in grouped.items():
        games = len(matches)
        wins = sum(each.share for each in matches)
        own = sum(each.scores[each.meeting.seat] for each in matches)
        everybody = sum(sum(each.scores) for each in matches)
        rest = (everybody - own) / (games * (seats - 1))
        bounds = interval(_by_deal(matches, lambda each: each.share))
        lines.append(Line(game, seats, bot, field, games, wins / games, *bounds, own / games, rest))
    return lines


def table_of(lines: Sequence[Line]) -> str:
    """The table as Markdown."""
    head = "| game | seats | bot | against | matches | win rate | 95 % | neutral | points | points against |"
    rows = [head, "|---|---|---|---|---|---|---|---|---|---|"]
    for line in lines:
        won = f"{line.rate:.3f} | {line.low:.3f} to {line.high:.3f} | {1 / line.seats:.3f}"
        points = f"{line.own_score:.1f} | {line.field_score:.1f}"
        rows.append(f"| {line.game} | {line.seats} | {line.bot} | {line.field} | {line.games} | {won} | {points} |")
    return "\n".join(rows)


# --- what duplicate deals are worth ---------------------------------------------------------------------------

#: Who plays whom; measured is the first one. Two greedy bots would play both matches of a deal alike, since there is no
#: chance in them: what their pairs of matches show is no gain.
_MIXES = ((_MIXED, _MIXED), ("greedy", _MIXED), ("greedy", "greedy", "random"))


def paired(game: str, bots: Sequence[str], count: int, *, duplicate: bool) -> list[tuple[Meeting, str]]:
    """`count` matches of these bots, to two whole deals or more, each with what makes the bots' chance its own.

    Each deal is played in all seat orders of a tournament; without `duplicate` each match has a deal of its own, and
    the orders take turns.
    """
    orders = seatings(len(bots), True)
    found = []
    for number in range(max(2, math.ceil(count / len(orders))) * len(orders)):
        order = orders[number % len(orders)]
        deal = number // len(orders) if duplicate else number
        meeting = Meeting(game, tuple(bots[one] for one in order), order.index(0), deal)
        found.append((meeting, f"/{number % len(orders)}"))
    return found


@dataclass(frozen=True, slots=True)
class Gain:
    """Half widths of the 95 % intervals of the first bot's win rate and of its lead in points over the others' mean.

    Each with duplicate deals and with independent ones, at as many matches.
    """

    game: str
    bots: tuple[str, ...]
    matches: int
    win_rate: tuple[float, float]
    ahead: tuple[float, float]


def gain_of(game: str, bots: Sequence[str], duplicate: Sequence[Played], independent: Sequence[Played]) -> Gain:
    """What comes of both ways to play."""
    both = (duplicate, independent)
    rates = [share(_by_deal(played, lambda each: each.share)) for played in both]
    leads = [unbounded(_by_deal(played, _ahead)) for played in both]
    one, two, three, four = map(_half_width, (*rates, *leads))
    return Gain(game, tuple(bots), len(duplicate), (one, two), (three, four))


def _half_width(found: Estimate) -> float:
    assert found.low is not None
    assert found.high is not None
    return (found.high - found.low) / 2


def _by_deal(played: Iterable[Played], value: Callable[[Played], float]) -> list[list[float]]:
    deals: dict[int, list[float]] = {}
    for each in played:
        deals.setdefault(each.meeting.deal, []).append(value(each))
    return list(deals.values())


def _ahead(played: Played) -> float:
    own = played.scores[played.meeting.seat]
    return own - (sum(played.scores) - own) / (len(played.scores) - 1)


def gains(games: Iterable[str], count: int, seed: int, jobs: int) -> Iterator[Gain]:
    """Play it all, both ways."""
    for game, bots in itertools.product(games, _MIXES):
        ways = [paired(game, bots, count, duplicate=duplicate) for duplicate in (True, False)]
        running = Parallel(n_jobs=jobs, return_as="generator")(
            delayed(play)(meeting, seed, apart) for way in ways for meeting, apart in way
        )
        played = list(running)
        print(f"{game}, {', '.join(bots)}: {len(played)} matches", file=sys.stderr, flush=True)
        yield gain_of(game, bots, played[: len(ways[0])], played[len(ways[0]) :])


def gain_table(found: Iterable[Gain]) -> str:
    """The table as Markdown. `ratio` is the width with duplicate deals over the other one."""
    rows = [
        "| game | bots | matches | win rate: duplicate | independent | ratio "
        "| points ahead: duplicate | independent | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        told = [
            f"± {one:.{digits}f} | ± {other:.{digits}f} | {_ratio(one, other)}"
            for digits, (one, other) in ((3, each.win_rate), (2, each.ahead))
        ]
        rows.append(f"| {each.game} | {', '.join(each.bots)} | {each.matches} | {told[0]} | {told[1]} |")
    return "\n".join(rows)


def _ratio(one: float, other: float) -> str:
    return f"{one / other:.2f}" if other else "no telling"


def _seat_counts(_context: click.Context, _option: click.Parameter, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter("numbers with commas between them, as in 2,3,4") from None


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--game", type=click.Choice(sorted(GAMES)), multiple=True, help="One game alone.  [default: all]")
@click.option("--games", "count", type=click.IntRange(1), default=200, show_default=True, help="Matches of each pair.")
@click.option("--seats", callback=_seat_counts, default="2", show_default=True, help="Numbers of seats, as in 2,3,4.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed plays the same matches.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes that share the matches.")
@click.option("--bot", "bots", type=click.Choice(list(BOTS)), multiple=True, help="These bots alone.  [default: all]")
@click.option("--duplicate-gain", is_flag=True, help="How much duplicate deals narrow intervals, instead.")
def main(
    game: tuple[str, ...],
    count: int,
    seats: list[int],
    seed: int,
    jobs: int,
    bots: tuple[str, ...],
    duplicate_gain: bool,
) -> None:
    """Play the house bots against each other and print how often they win."""
    if duplicate_gain:
        click.echo(gain_table(gains(game or tuple(GAMES), count, seed, jobs)))
        return
    names = [name for name in BOTS if not bots or name in bots]
    wanted = [
        meeting
        for game_id in (game or tuple(GAMES))
        for number in seats
        if GAMES[game_id].min_players <= number <= GAMES[game_id].max_players
        for meeting in meetings(game_id, number, count, names)
    ]
    if not wanted:
        raise click.UsageError("there is nothing to play: two bots, and seats that the game has")
    for game_id in {meeting.game: None for meeting in wanted}:
        settled = asdict(GAMES[game_id].options_type(**OPTIONS[game_id]))
        click.echo(f"{game_id}: {', '.join(f'{name} {value}' for name, value in settled.items())}; seed {seed}")
    played: list[Played] = []
    running = Parallel(n_jobs=jobs, return_as="generator")(delayed(play)(meeting, seed) for meeting in wanted)
    for each in running:
        played.append(each)
        print(f"\r{len(played)} of {len(wanted)} matches", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    click.echo(table_of(summed(played)))


if __name__ == "__main__":
    main()
