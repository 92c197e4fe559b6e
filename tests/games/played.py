"""Whole matches played by chance, without a store: what the contract suites of the games look at."""

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spieltisch_service.domain import play
from spieltisch_service.domain.events import LoggedEvent, chained
from spieltisch_service.domain.fairness import commitment
from spieltisch_service.domain.match import Match, Seat, Secret
from spieltisch_service.domain.record import record
from spieltisch_service.games.contract import Action, Game

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "neues-land": [
        {"expert": expert, "equal_turns": equal_turns} for expert in (False, True) for equal_turns in (False, True)
    ],
    "wunderland": [
        {"postcards": postcards, "round_limit": round_limit}
        for round_limit in (4, 15, 1, 8, 2, 30, None)
        for postcards in ("own_turn", "with_travel")
    ],
}


def settings(game: Game[Any], count: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """(seed, players, options) of `count` matches, spread evenly over players and options."""
    combinations = itertools.product(OPTIONS[game.id], range(game.min_players, game.max_players + 1))
    for seed, (options, players) in zip(range(count), itertools.cycle(combinations), strict=False):
        yield seed, players, options


@dataclass(frozen=True)
class Played:
    """A match that was played to its end: every state and the legal actions before each action."""

    game: Game[Any]
    match: Match
    secret: Secret
    log: Sequence[LoggedEvent]
    states: Sequence[Any]
    legal: Sequence[Sequence[Action]]
    actions: Sequence[Action]

    def record(self) -> dict[str, Any]:
        """Its record, as it comes over the wire."""
        whole: dict[str, Any] = json.loads(json.dumps(record(self.match, self.secret, self.log)))
        return whole


def new_match(game: Game[Any], players: int, options: dict[str, Any], seed: bytes, match_id: str) -> Match:
    """A match of taken seats, before its first event."""
    return Match(
        id=match_id,
        game=game.id,
        rules_version=game.rules_version,
        options=asdict(game.options_type(**options)),
        start="auto",
        visibility="public",
        metadata={},
        creator="ac_creator",
        commitment=commitment(match_id, game.id, game.rules_version, seed),
        deal_source="drawn",
        first_seats=tuple(Seat("account", f"ac_{i}", f"Player {i}") for i in range(players)),
    )


def played(game: Game[Any], seed: int, players: int, options: dict[str, Any]) -> Played:
    """Play a match by chance; the same for the same arguments."""
    rng = random.Random(seed)
    secret_seed = rng.randbytes(32)
    match = new_match(game, players, options, secret_seed, f"mt_{rng.randbytes(16).hex()}")
    nonces = tuple(rng.choice((None, "ada", "a_b-C")) for _ in range(players))
    draft, secret, state = play.started(game, match, Secret(secret_seed.hex(), nonces, None))
    log: list[LoggedEvent] = []

    def write(match: Match, drafts: Sequence[play.Draft]) -> Match:
        for event in chained(match.version, match.hash, drafts):
            at_ms = 1_700_000_000_000 + 250 * event.seq
            log.append(LoggedEvent(event.seq, event.body, event.hash, at_ms))
            match = match.after(event.type, event.seat, event.data, event.seq, event.hash, at_ms)
        return match

    match = write(match, [play.created(match), draft])
    states, legal, actions = [state], [], []
    while (seat := game.to_act(state)) is not None:
        legal.append(game.legal(state))
        actions.append(rng.choice(legal[-1]))
        drafts, state = play.acted(game, match, state, seat, [actions[-1]])
        match = write(match, drafts)
        states.append(state)
    return Played(game, match, secret, log, states, legal, actions)
