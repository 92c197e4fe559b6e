"""One tournament, from its creation to its end: drawn, played by chance, disturbed in every way that there is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from spieltisch_service.domain.errors import EntryRefused
from spieltisch_service.domain.tournament.due import DueMatch, due, undisputed
from spieltisch_service.domain.tournament.fold import apply
from spieltisch_service.domain.tournament.log import (
    Cancelled,
    Created,
    Entered,
    Entry,
    Finished,
    MatchEnded,
    MatchVoided,
    Paused,
    Rejoined,
    Resumed,
    RoundPaired,
    Started,
    Stopped,
    Withdrawn,
)
from spieltisch_service.domain.tournament.pairing import rounds
from spieltisch_service.domain.tournament.pairing.outcome import Over, Wait
from spieltisch_service.domain.tournament.setup import FORMATS, JOINABLE, TournamentSetup
from spieltisch_service.domain.tournament.state import State
from tests.campaigns.cup.checks import check_round
from tests.campaigns.harness.campaign import Finding

#: A tournament that has not ended after so many steps for each match that it can have is stuck.
_STEPS_A_MATCH = 20


@dataclass(frozen=True)
class Weather:
    """How bad it gets: chances, of a match that one does not come, and of each other disturbance at a step."""

    ghosts: float
    late: float
    leaving: float
    returning: float
    pausing: float
    twice: float


@dataclass
class Cup:
    """A tournament as it goes: the state, its whole log, and what was counted."""

    rng: random.Random
    setup: TournamentSetup
    weather: Weather
    field_size: int
    state: State = field(init=False)
    log: list[Entry] = field(default_factory=list)
    #: How many entries the log had when a round was paired by the format, and that entry.
    pairings: list[tuple[int, RoundPaired]] = field(default_factory=list)
    strength: dict[str, float] = field(default_factory=dict)
    ghosts: set[str] = field(default_factory=set)
    refused: int = 0
    over: str = ""

    def add(self, entry: Entry) -> None:
        """Append what must be possible."""
        try:
            after = apply(self.state if self.log else None, entry)
        except EntryRefused as refusal:
            raise Finding(f"{entry} was refused ({refusal.code}): {refusal}") from None
        self.state = after
        self.log.append(entry)

    def refuse(self, entry: Entry, *codes: str) -> None:
        """What must be refused, and for one of these reasons."""
        try:
            apply(self.state, entry)
        except EntryRefused as refusal:
            self.refused += 1
            if refusal.code in codes:
                return
            raise Finding(f"{entry} was refused as {refusal.code}, not {codes}") from None
        raise Finding(f"{entry} was not refused")

    def maybe(self, entry: Entry) -> None:
        """Append it if it is possible."""
        try:
            self.state = apply(self.state, entry)
        except EntryRefused:
            self.refused += 1
        else:
            self.log.append(entry)


def drawn(rng: random.Random, size: int | None = None) -> Cup:
    """A tournament of `size` entrants, or of 2 to 70."""
    format_ = rng.choice(FORMATS)
    seats = 2 if format_ == "double_elimination" else rng.choice((2, 2, 2, 3, 4, 5))
    size = size or rng.randint(2, rng.choice((2, 5, 9, 9, 17, 17, 33, 70)))
    said: dict[str, Any] = {}
    names = [f"e{number}" for number in range(size)]
    if format_ in ("swiss", "round_robin", "arena") and (size > 40 or rng.random() < 0.5):
        said["rounds"] = rng.randint(1, 12)
    if format_ in ("swiss", "arena") or (format_ == "round_robin" and seats == 2):
        pairs = list(combinations(names, 2))
        share = rng.choice((0, 0, 0, 0.05, 0.3, 0.9))
        said["forbidden"] = tuple(rng.sample(pairs, int(share * min(len(pairs), 60))))
    if format_ in ("swiss", "round_robin") and rng.random() < 0.15:
        said |= {"own_pairings": True, "rounds": rng.randint(1, 6)}
    setup = TournamentSetup(
        game="neues-land",
        format=format_,
        seed=f"{rng.getrandbits(64):x}",
        seats=seats,
        deals=rng.choice((1, 1, 1, 2, 3)) if size < 40 else 1,
        duplicate=rng.random() < 0.25 and size < 20,
        rematches=rng.choice(("forbidden", "avoided")),
        no_show_limit=rng.randint(1, 4),
        entrants_max=max(2, size + 3),
        **said,
    )
    calm = rng.random() < 0.3
    weather = Weather(
        ghosts=0.0 if calm else rng.choice((0, 0.1, 0.3, 0.6)),
        late=0.0 if calm else 0.02,
        leaving=0.0 if calm else rng.choice((0, 0, 0.01, 0.05, 0.3)),
        returning=0.0 if calm else rng.choice((0, 0.5)),
        pausing=rng.choice((0, 0.05)),
        twice=0.2,
    )
    return Cup(rng, setup, weather, size)


def open_and_start(cup: Cup) -> None:
    """Everybody enters, some leave again before the start."""
    rng = cup.rng
    cup.add(Created("to", cup.setup))
    for number in range(cup.field_size):
        name = f"e{number}"
        cup.add(Entered(name, name, seeding=rng.choice((None, rng.randint(800, 2400)))))
        cup.strength[name] = rng.random()
        if rng.random() < cup.weather.ghosts:
            cup.ghosts.add(name)
    if cup.field_size > 4 and rng.random() < 0.2:
        cup.add(Withdrawn(f"e{rng.randrange(cup.field_size)}"))
    cup.add(Started())


def step(cup: Cup) -> bool:
    """One thing happens; False once it has ended."""
    rng, state = cup.rng, cup.state
    _people(cup)
    if cup.state.ended:
        return False
    answer = rounds.next_round(cup.state)
    if answer != rounds.next_round(cup.state):
        raise Finding(f"asked twice, it pairs {answer} and then another round")
    if isinstance(answer, RoundPaired):
        _pair(cup, answer)
    elif isinstance(answer, Over):
        if not cup.state.live_tables:
            cup.over = answer.reason
            cup.add(Finished(answer.reason))
            cup.refuse(Resumed(), "wrong_status")
            return False
        raise Finding(f"over ({answer.reason}) while matches are played")
    elif answer == Wait("organizer"):
        _pair_by_hand(cup)
    elif answer == Wait("paused"):
        cup.add(Resumed())
    elif answer == Wait("matches"):
        _play_one(cup)
    else:
        raise Finding(f"nobody can make it go on: {answer} while {state.status}")
    if cup.state.live_tables and rng.random() < 0.5:
        _play_one(cup)
    return True


def steps_allowed(cup: Cup) -> int:
    """A generous bound on the number of steps: matches of all rounds that there can be at most."""
    n = cup.field_size + 3
    tables = n * n * (cup.setup.rounds or 10)
    return _STEPS_A_MATCH * tables * cup.setup.deals * (6 if cup.setup.duplicate else 1)


# --- rounds ---------------------------------------------------------------------------------------------------


def _pair(cup: Cup, entry: RoundPaired) -> None:
    check_round(cup.state, entry)
    cup.pairings.append((len(cup.log), entry))
    cup.add(entry)
    if cup.rng.random() < cup.weather.twice:
        # Another director has computed the same round.
        cup.refuse(entry, "round_paired")


def _pair_by_hand(cup: Cup) -> None:
    rng = cup.rng
    if cup.state.status == "paused":
        cup.add(Resumed())
    people = list(cup.state.active)
    rng.shuffle(people)
    tables: list[list[str]] = []
    while len(people) > 1 and rng.random() < 0.9:
        size = rng.randint(2, min(cup.setup.seats, len(people)))
        tables.append([people.pop() for _ in range(size)])
    try:
        entry = rounds.own_round(cup.state, tables)
    except EntryRefused as refusal:
        cup.refused += 1
        bad = any(not cup.setup.may_meet(*pair) for table in tables for pair in combinations(table, 2))
        if not bad or refusal.code != "forbidden_pair":
            raise Finding(f"own pairings {tables} were refused as {refusal.code}") from None
        entry = rounds.own_round(cup.state, [])
    check_round(cup.state, entry)
    cup.add(entry)


# --- matches --------------------------------------------------------------------------------------------------


def _play_one(cup: Cup) -> None:
    matches = due(cup.state)
    if not matches:
        raise Finding("it waits for matches, and none is to be played")
    seats = [one for match in matches for one in match.seats]
    if len(seats) != len(set(seats)):
        raise Finding(f"somebody is to play two matches at a time: {sorted(seats)}")
    match = cup.rng.choice(matches)
    result = undisputed(match) or _result(cup, match)
    cup.add(result)
    if cup.rng.random() < cup.weather.twice:
        before = cup.state
        if apply(before, result) is not before:
            raise Finding(f"{result} counted a second time")
    if cup.rng.random() < cup.weather.twice:
        cup.refuse(_another(result), "already_ended")
        old = next((each for each in cup.log if isinstance(each, MatchEnded)), None)
        if old is not None:
            cup.refuse(_another(old), "already_ended")


def _another(result: MatchEnded | MatchVoided) -> MatchEnded | MatchVoided:
    """Another result of the same match."""
    if isinstance(result, MatchVoided):
        return MatchVoided(result.table, result.number, "mt-late", "aborted")
    worst = tuple(len(result.ranks) + 1 - rank for rank in result.ranks)
    ranks = tuple(1 + sum(other < own for other in worst) for own in worst)
    return MatchEnded(result.table, result.number, "mt-late", result.seats, ranks)


def _result(cup: Cup, match: DueMatch) -> MatchEnded | MatchVoided:
    rng = cup.rng
    name = f"mt-{match.table}-{match.number}"
    if rng.random() < 0.01:
        return MatchVoided(match.table, match.number, name)
    gone = [one for one in match.seats if one in match.absent or one in cup.ghosts or rng.random() < cup.weather.late]
    if len(gone) == len(match.seats):
        # The last one that is left need not show that it is there.
        gone.remove(rng.choice([one for one in gone if one not in match.absent]))
    drawn_points = {one: round(10 * cup.strength[one] + rng.randint(0, 9)) for one in match.seats}
    made = [-1 - gone.index(one) if one in gone else drawn_points[one] for one in match.seats]
    ranks = tuple(1 + sum(other > own for other in made) for own in made)
    faults = tuple("resigned" if one in match.absent else "no_show" if one in gone else None for one in match.seats)
    return MatchEnded(
        match.table,
        match.number,
        name,
        match.seats,
        ranks,
        scores=tuple(max(each, 0) for each in made),
        faults=faults,
        decisions=tuple(rng.randint(0, 40) for _ in match.seats),
        used_ms=tuple(rng.randint(0, 9_000) for _ in match.seats),
    )


# --- people ---------------------------------------------------------------------------------------------------


def _people(cup: Cup) -> None:
    rng, weather, state = cup.rng, cup.weather, cup.state
    # The same number of them, however many steps the field takes for a round.
    each = 5 / (5 + cup.field_size)
    if rng.random() < weather.leaving * each:
        cup.maybe(Withdrawn(_anybody(cup)))
    if weather.returning and rng.random() < weather.returning * each:
        gone = [one.id for one in state.entrants.values() if not one.active]
        if gone:
            cup.maybe(Rejoined(rng.choice(gone)))
    if cup.setup.format in JOINABLE and rng.random() < weather.leaving * each:
        name = f"late{len(state.entrants)}"
        cup.strength.setdefault(name, rng.random())
        cup.maybe(Entered(name, name))
    if rng.random() < weather.pausing:
        cup.maybe(rng.choice((Paused(), Resumed())))
    if rng.random() < 0.0005:
        cup.maybe(rng.choice((Stopped(), Stopped(), Cancelled("rain"))))


def _anybody(cup: Cup) -> str:
    everybody: Sequence[str] = list(cup.state.entrants)
    return cup.rng.choice(everybody)
