"""T7 and T8: single steps of the engine, in microseconds of CPU time. Orders of magnitude, on a quiet machine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from benchmarks.measure import Row, Target, interleaved, median
from benchmarks.positions import line
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from spieltisch_service.store.entries import pack_part, unpack_part

#: The middle of a game: Neues Land with some 40 of 84 tiles, Wunderland with some 4 of 15 rounds.
_MIDDLE = {"neues-land": 70, "wunderland": 40}
_PLIES = 20
_POSITIONS = 30
_REPEATS = 20

T7 = {name: Target(f"{GAMES[name].name['en']}: list the legal actions, push one", 40, 15, True, "µs") for name in GAMES}
T8 = {
    42: Target("Neues Land, 42 tiles: stored state → live state", 300, 100, True, "µs"),
    83: Target("Neues Land, 83 tiles: stored state → live state", 600, 150, True, "µs"),
}


def _each_us(step: Callable[[Any], int], things: Sequence[Any]) -> float:
    """Microseconds for one of the steps that `step` counts, over all things, `_REPEATS` times."""
    start = time.process_time_ns()
    count = sum(step(thing) for _ in range(_REPEATS) for thing in things)
    return (time.process_time_ns() - start) / 1000 / count


def _row(name: str, target: Target, rounds: Sequence[float], said: str) -> Row:
    return Row(name, target, said, median(rounds), (min(rounds), max(rounds)))


def _stepper(game: Game[Any]) -> Callable[[], float]:
    states = [line(game, 2, _MIDDLE[game.id], seed).state for seed in range(_POSITIONS)]
    rng = random.Random(7)

    def steps(state: Any) -> int:
        playout = game.playout(state)
        for done in range(_PLIES):
            legal = list(playout.legal())
            if not legal:
                return done
            playout.push(rng.choice(legal))
        return _PLIES

    return lambda: _each_us(steps, states)


def list_and_push(rounds: int) -> list[Row]:
    """T7, for each game; the choice among the actions and a copy of the state every 20 actions are counted in."""
    times = interleaved({name: _stepper(game) for name, game in GAMES.items()}, rounds)
    said = f"middle of {_POSITIONS} random games of 2"
    return [_row("T7", T7[name], each, said) for name, each in times.items()]


def _reader(stored: Sequence[bytes]) -> Callable[[], float]:
    game = GAMES["neues-land"]

    def read(data: bytes) -> int:
        game.decode(orjson.loads(unpack_part(data)))
        return 1

    return lambda: _each_us(read, stored)


def stored_to_live(rounds: int) -> list[Row]:
    """T8: from the bytes in the store to a state that can be played on."""
    game = GAMES["neues-land"]
    stored: dict[int, list[bytes]] = {}
    for tiles in T8:
        # The start tile lies already; a tile takes two actions.
        states = [line(game, 2, 2 * (tiles - 1), seed).state for seed in range(_POSITIONS)]
        if tiles == 83:
            states = [state for state in states if len(state.board.cells) == tiles] or states
        stored[tiles] = [pack_part(orjson.dumps(game.encode(state)), small=False) for state in states]
    times = interleaved({str(tiles): _reader(data) for tiles, data in stored.items()}, rounds)
    return [
        _row("T8", T8[tiles], times[str(tiles)], f"{sum(map(len, data)) / len(data) / 1000:.1f} kB stored")
        for tiles, data in stored.items()
    ]
