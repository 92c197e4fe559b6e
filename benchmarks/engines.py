"""T5 and T6: random games of our engines against python-chess and catanatron, by CPU time of this one process.

Each is played as a random bot for it is written: find all legal actions, take one by chance, do it. For the two
others that is a list of move objects. Ours finds them all, too, but makes an object of an action when somebody looks
at it; the row also says how fast it is when all of them are looked at.
"""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.measure import Row, Skipped, Target, interleaved, median, ratio
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game

_SLICE_S = 1.0

T5 = Target("Neues Land, random playouts/s, against python-chess's games/s", 6, 15)
T6 = Target("Wunderland, random actions/s, against catanatron's moves/s", 3, 8)


@dataclass(frozen=True, slots=True)
class Speed:
    """Games and actions per second of CPU time."""

    games: float
    actions: float


def timed(play: Callable[[], int], seconds: float = _SLICE_S) -> Speed:
    """Play whole games, each answering its number of actions, for about `seconds` of CPU time."""
    games = actions = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        actions += play()
        games += 1
    return Speed(games / spent, actions / spent)


def our_player(game: Game[Any], players: int, seed: int, *, looks_at_all: bool = False) -> Callable[[], int]:
    """Plays random games through the playout."""
    rng = random.Random(seed)
    options = game.options_type()

    def play() -> int:
        state, _ = game.start(options, game.deal(options, players, rng.randbytes(32)), players)
        playout = game.playout(state)
        count = 0
        while playout.to_act() is not None:
            legal = playout.legal()
            playout.push(rng.choice(list(legal) if looks_at_all else legal))
            count += 1
        return count

    return play


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skipped(f"the package {name} is not installed (requirements-bench.lock has it)") from None


def _chess_player(seed: int) -> Callable[[], int]:
    chess = _package("chess")
    rng = random.Random(seed)

    def play() -> int:
        board = chess.Board()
        while not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        return len(board.move_stack)

    return play


def _catan_player(seed: int) -> Callable[[], int]:
    catanatron = _package("catanatron")
    rng = random.Random(seed)

    def play() -> int:
        colors = (catanatron.Color.RED, catanatron.Color.BLUE, catanatron.Color.WHITE, catanatron.Color.ORANGE)
        game = catanatron.Game([catanatron.RandomPlayer(color) for color in colors], seed=rng.randrange(1 << 31))
        moves = 0
        while game.winning_color() is None and game.state.num_turns < 1000:
            game.play_tick()
            moves += 1
        return moves

    return play


def neues_land_against_chess(rounds: int) -> Row:
    """T5: whole games per second."""
    game = GAMES["neues-land"]
    ours, looking, chess = our_player(game, 2, 1), our_player(game, 2, 1, looks_at_all=True), _chess_player(1)
    speeds = interleaved(
        {"ours": lambda: timed(ours), "chess": lambda: timed(chess), "looking": lambda: timed(looking)}, rounds
    )
    games = {name: [speed.games for speed in each] for name, each in speeds.items()}
    actions = median([speed.actions for speed in speeds["ours"]])
    measured = (
        f"{median(games['ours']):.0f} games/s, {1e6 / actions:.1f} µs an action (all actions looked at: "
        f"{median(games['looking']):.0f} games/s); python-chess {median(games['chess']):.1f} games/s"
    )
    return Row("T5", T5, measured, *ratio(games["ours"], games["chess"]))


def wunderland_against_catanatron(rounds: int) -> Row:
    """T6: actions per second."""
    ours, catan = our_player(GAMES["wunderland"], 2, 2), _catan_player(2)
    speeds = interleaved({"ours": lambda: timed(ours), "catanatron": lambda: timed(catan)}, rounds)
    actions = {name: [speed.actions for speed in each] for name, each in speeds.items()}
    measured = (
        f"{median(actions['ours']):,.0f} actions/s ({median([s.games for s in speeds['ours']]):.0f} games/s), "
        f"catanatron {median(actions['catanatron']):,.0f} moves/s"
    )
    return Row("T6", T6, measured, *ratio(actions["ours"], actions["catanatron"]))
