"""Records of matches with a clock prove themselves, and what a clock cannot have said is noticed."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from spieltisch_service.domain import play
from spieltisch_service.domain.clock import Clock
from spieltisch_service.domain.errors import InvalidRecord
from spieltisch_service.domain.events import LoggedEvent, chained
from spieltisch_service.domain.match import Match, Secret
from spieltisch_service.domain.record import record
from spieltisch_service.domain.verify import verify
from spieltisch_service.games.catalogue import GAMES
from tests.games.played import new_match
from tests.games.tampering import Record, rechained

NOON = 1_800_000_000_000
FORFEIT = Clock("fischer", 5_000, 100)
AUTOPLAY = replace(FORFEIT, on_timeout="autoplay")


def played(game_id: str, clock: Clock, lapses: tuple[int, ...], players: int = 3) -> Record:
    """A match in which the time is over at the n-th decisions named; before the first of them the service was away."""
    game = GAMES[game_id]
    options = {"round_limit": 2} if game_id == "wunderland" else {}
    seed = bytes(range(32))
    first = replace(new_match(game, players, options, seed, "mt_" + "1" * 32), clock=clock)
    match, log = first, list[LoggedEvent]()
    secret = Secret(seed.hex(), (None,) * players, None)

    def grown(drafts: list[play.Draft], at_ms: int) -> Match:
        events = chained(match.version, match.hash, drafts)
        log.extend(LoggedEvent(event.seq, event.body, event.hash, at_ms) for event in events)
        return match.after_all(log[-len(events) :])

    match = grown([play.created(match)], NOON)
    draft, secret, state = play.started(game, match, secret)
    match = grown([draft], NOON)
    decision = 0
    while match.status == "running":
        assert match.times is not None
        seat, deadline_ms = match.times.seat, match.times.deadline_ms
        assert seat is not None
        assert deadline_ms is not None
        assert seat == game.to_act(state)
        if decision in lapses:
            if decision == lapses[0]:
                match = grown([play.extended(seat, 60_000)], deadline_ms + 1)
                deadline_ms += 60_000
            drafts, state = play.lapsed(game, match, state, 1_700)
            match = grown(drafts, deadline_ms)
        else:
            legal = list(game.legal(state))
            drafts, state = play.acted(game, match, state, seat, [legal[decision * 7919 % len(legal)]])
            match = grown(drafts, match.times.since_ms + 90)
        decision += 1
    made: Record = orjson.loads(orjson.dumps(record(match, secret, log), default=list))
    return made


CASES = [(game, clock) for game in GAMES for clock in (FORFEIT, AUTOPLAY)]


@pytest.mark.parametrize(("game", "clock"), CASES)
def test_a_record_with_lapses_proves_itself(game: str, clock: Clock) -> None:
    made = played(game, clock, (4, 9))
    causes = [event["data"].get("cause") for event in made["events"]]
    assert causes.count("timeout") >= 2
    assert {event["type"] for event in made["events"]} >= {"clock_extended", "match_finished"}
    assert any(event["type"] == "seat_forfeited" for event in made["events"]) == (clock is FORFEIT)
    verify(made)


@pytest.mark.parametrize("game", GAMES)
def test_the_last_of_two_wins(game: str) -> None:
    made = played(game, FORFEIT, (5,), players=2)
    assert made["result"]["end_reason"] == "last_seat"
    verify(made)


def _first(made: Record, kind: str) -> Any:
    return next(event for event in made["events"] if event["type"] == kind)


def _timeout(made: Record) -> Any:
    return next(event for event in made["events"] if event["data"].get("cause") == "timeout")


def a_clock_that_was_none(made: Record) -> None:
    del made["events"][0]["data"]["clock"]


def a_clock_that_does_not_exist(made: Record) -> None:
    made["events"][0]["data"]["clock"]["kind"] = "sundial"


def the_other_way_to_end(made: Record) -> None:
    clock = made["events"][0]["data"]["clock"]
    clock["on_timeout"] = "forfeit" if clock["on_timeout"] == "autoplay" else "autoplay"


def a_lapse_that_was_noticed_before_it_was(made: Record) -> None:
    for event in made["events"]:
        if "late_ms" in event["data"]:
            event["data"]["late_ms"] = -1


def half_a_millisecond(made: Record) -> None:
    for event in made["events"]:
        if "late_ms" in event["data"]:
            event["data"]["late_ms"] = 1.5


def a_lapse_that_does_not_say_how_late(made: Record) -> None:
    del _timeout(made)["data"]["late_ms"]


def a_choice_called_a_lapse(made: Record) -> None:
    next(event for event in made["events"] if event["type"] == "action")["data"]["cause"] = "timeout"


def a_lapse_called_a_choice(made: Record) -> None:
    _timeout(made)["data"]["cause"] = "player"


def another_seat_lapsed(made: Record) -> None:
    kind = "seat_forfeited" if made["events"][0]["data"]["clock"]["on_timeout"] == "forfeit" else "clock_extended"
    event = _first(made, kind)
    event["seat"] = (event["seat"] + 1) % 3


def time_taken_away(made: Record) -> None:
    _first(made, "clock_extended")["data"]["ms"] = -60_000


def time_for_another_reason(made: Record) -> None:
    _first(made, "clock_extended")["data"]["reason"] = "kindness"


FORGERIES: list[Callable[[Record], None]] = [
    a_clock_that_was_none,
    a_clock_that_does_not_exist,
    the_other_way_to_end,
    a_lapse_that_was_noticed_before_it_was,
    half_a_millisecond,
    a_lapse_that_does_not_say_how_late,
    a_choice_called_a_lapse,
    a_lapse_called_a_choice,
    another_seat_lapsed,
    time_taken_away,
    time_for_another_reason,
]


@pytest.mark.parametrize("clock", [FORFEIT, AUTOPLAY], ids=["forfeit", "autoplay"])
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_what_a_clock_cannot_have_said_is_noticed(forge: Callable[[Record], None], clock: Clock) -> None:
    honest = played("wunderland", clock, (4, 9))
    forged = copy.deepcopy(honest)
    forge(forged)
    assert forged != honest
    with pytest.raises(InvalidRecord):
        verify(rechained(forged))
