"""One match without a store, for bulk games: the views, actions and results of the API, from the rules alone."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import orjson

from spieltisch_service.bots import thinking
from spieltisch_service.bots.house import BOTS
from spieltisch_service.bots.position import Position
from spieltisch_service.domain import play
from spieltisch_service.domain.events import LoggedEvent, chained
from spieltisch_service.domain.fairness import commitment, deal_seed
from spieltisch_service.domain.match import Match, Seat, Secret
from spieltisch_service.domain.record import record
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action, Game
from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.web.schemas.wire import ActionReader, check, slots_of

#: `match_created` and `match_started`.
_EVENTS_AT_START = 2


class BadTable(Exception):
    """There is no such game, or it cannot be set up like that; the message is one line."""


class Refused(Exception):
    """The action is not possible. `rule` is the number of the rule that forbids it, None where it is no action at all;
    `suggestions` are legal actions near it, as JSON.
    """

    def __init__(self, detail: str, rule: str | None = None, suggestions: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(detail if rule is None else f"{rule}: {detail}")
        self.rule = rule
        self.suggestions = [dict(suggestion) for suggestion in suggestions]


def house_bots() -> tuple[str, ...]:
    """The names of the house bots, without `bot:`."""
    return tuple(BOTS)


def games() -> Mapping[str, tuple[int, int]]:
    """The games, with the fewest and the most players."""
    return {game.id: (game.min_players, game.max_players) for game in GAMES.values()}


class Table:
    """One match of `game_id` between `players` seats, played in place. Not shared between threads.

    seed: 32 bytes as `proof.seed` of a record has them, from which the deal follows; or deal: an explicit one.
    Raises BadTable.
    """

    def __init__(
        self,
        game_id: str,
        players: int,
        options: Mapping[str, Any] | None = None,
        *,
        seed: bytes | None = None,
        deal: Mapping[str, Any] | None = None,
        bots: Sequence[str | None] | None = None,
    ) -> None:
        self.game = _game(game_id, players)
        self.options = _options(self.game, options or {})
        if (seed is None) == (deal is None):
            raise BadTable("a table has either a seed or a deal")
        named = bots if bots is not None else (None,) * players
        self._secret = Secret(None if seed is None else seed.hex(), (None,) * players, deal)
        self._seats = tuple(Seat("account") if name is None else Seat("bot", None, name) for name in named)
        settled = self._options_object()
        dealt = (
            self.game.parse_deal(deal, settled, players)
            if deal is not None
            else self.game.deal(settled, players, deal_seed(seed or b"", self._secret.nonces))
        )
        state, _ = self.game.start(settled, dealt, players)
        self._deal = dealt
        self._playout = self.game.playout(state)
        self.actions: list[Action] = []
        self.to_act = self._playout.to_act()
        self._legal: list[Action] | None = None
        self._reader = _reader(self.game)

    def _options_object(self) -> Any:
        return self.game.options_type(**self.options)

    @property
    def players(self) -> int:
        """How many seats there are."""
        return len(self._seats)

    @property
    def version(self) -> int:
        """The number of the last event, as it would be in a match that the service plays."""
        return _EVENTS_AT_START + len(self.actions) + (self.to_act is None)

    @cached_property
    def id(self) -> str:
        """An id of the form of a match's, always the same for the same seed or deal."""
        dealt = orjson.dumps([self.game.id, self.options, self.game.deal_to_wire(self._deal)])
        return f"mt_{hashlib.sha256(dealt).hexdigest()[:32]}"

    def legal_actions(self) -> list[dict[str, Any]]:
        """What the seat to act may do, as JSON; empty when the match is over."""
        return orjson.loads(orjson.dumps(self._legal_now(), option=orjson.OPT_SORT_KEYS))  # type: ignore[no-any-return]

    def _legal_now(self) -> list[Action]:
        if self._legal is None:
            # As a list, since a game may make the actions anew each time one is looked at.
            self._legal = list(self._playout.legal())
        return self._legal

    def view(self, seat: int | None) -> dict[str, Any]:
        """What `GET …/view` would answer the seat, as JSON."""
        view = play.view(self.game, self._match_now(), self._playout.snapshot(), seat)
        return orjson.loads(orjson.dumps(view, default=list, option=orjson.OPT_SORT_KEYS))  # type: ignore[no-any-return]

    def act(self, raw: Mapping[str, Any]) -> None:
        """Do an action, given as JSON, for the seat to act. Raises Refused; then nothing has changed."""
        if self.to_act is None:
            raise Refused("the match is over")
        action, wrong = self._reader.read(dict(raw) if isinstance(raw, Mapping) else raw)
        if action is None:
            raise Refused(_said(wrong))
        if action not in self._legal_now():
            action = self._as_recorded(action)
        self._do(action)

    def act_as_house(self, name: str, chance: Callable[[], random.Random]) -> None:
        """Do for the seat to act what the house bot `name` does there; the same as `house_decision` from its view.

        chance: makes the bot's rng. Much faster where the bot looks at nothing that a view would have to be made for.
        """
        action = self._quick_house_action(name, chance)
        if action is None:
            assert self.to_act is not None
            self.act(house_decision(name, self.game.id, self.options, self.view(self.to_act), chance()))
        else:
            self._do(action)

    def _quick_house_action(self, name: str, chance: Callable[[], random.Random]) -> Action | None:
        if name == "random":
            # Not made into a list: one of them is all that is wanted.
            legal = self._playout.legal()
            return legal[chance().randrange(len(legal))]
        return thinking.greedy_at(self.game.id, self._playout.snapshot()) if name == "greedy" else None

    def act_by_default(self) -> None:
        """Do for the seat to act what is played for a seat that left."""
        self._do(self.game.default_action(self._playout.snapshot()))

    def _do(self, action: Action) -> None:
        self._playout.push(action)
        self.actions.append(action)
        self._legal = None
        self.to_act = self._playout.to_act()

    def _as_recorded(self, action: Action) -> Action:
        """The form in which an action that is not listed is accepted all the same (N22)."""
        try:
            _, told = self.game.apply(self._playout.snapshot(), action)
        except IllegalAction as refusal:
            near = [suggestion.to_wire() for suggestion in refusal.suggestions]
            raise Refused(refusal.detail, refusal.rule, near) from None
        recorded: Any = told.get("action")
        return action if recorded is None else self.game.action_from_wire(recorded)

    @cached_property
    def result(self) -> dict[str, Any]:
        """`scores, ranks, end_reason` of a match that is over."""
        assert self.to_act is None
        return {**self.standing(), "end_reason": "completed"}

    def standing(self) -> dict[str, Any]:
        """`scores, ranks` as they would be if the match ended now."""
        outcome = self.game.outcome(self._playout.snapshot())
        return {"scores": list(outcome.scores), "ranks": list(outcome.ranks)}

    # --- the match as the platform knows it -----------------------------------------------------------------

    @cached_property
    def _match(self) -> Match:
        drawn = self._secret.seed is not None
        match = Match(
            id=self.id,
            game=self.game.id,
            rules_version=self.game.rules_version,
            options=self.options,
            start="auto",
            visibility="public",
            metadata={},
            creator="",
            commitment=None,
            deal_source="drawn" if drawn else "explicit",
            first_seats=self._seats,
        )
        if self._secret.seed is None:
            return match
        seed = bytes.fromhex(self._secret.seed)
        return replace(match, commitment=commitment(match.id, match.game, match.rules_version, seed))

    def _match_now(self) -> Match:
        over = self.to_act is None
        status = "finished" if over else "running"
        return replace(self._match, version=self.version, status=status, result=self.result if over else None)

    def record(self) -> dict[str, Any]:
        """The match so far as a record; of a match that is over, `verify` accepts it."""
        at_ms = time.time_ns() // 1_000_000
        match, log = self._match, list[LoggedEvent]()
        secret = self._secret

        def grown(drafts: Sequence[play.Draft]) -> Match:
            after = match
            for event in chained(match.version, match.hash, drafts):
                log.append(LoggedEvent(event.seq, event.body, event.hash, at_ms))
                after = after.after(event.type, event.seat, event.data, event.seq, event.hash, at_ms)
            return after

        match = grown([play.created(match)])
        draft, secret, state = play.started(self.game, match, secret)
        match = grown([draft])
        for action in self.actions:
            seat = self.game.to_act(state)
            assert seat is not None
            drafts, state = play.acted(self.game, match, state, seat, [action])
            match = grown(drafts)
        whole: dict[str, Any] = orjson.loads(orjson.dumps(record(match, secret, log)))
        return whole

    def decisions_of(self, seat: int) -> list[dict[str, Any]]:
        """What the seat saw and did so far: `{view, action}` each; the last one without an action if it must act."""
        seed = None if self._secret.seed is None else bytes.fromhex(self._secret.seed)
        again = Table(self.game.id, self.players, self.options, seed=seed, deal=None if seed else self._secret.deal)
        found = []
        for action in [*self.actions, None]:
            raw = None if action is None else action.to_wire()
            if again.to_act == seat:
                found.append({"view": again.view(seat), "action": raw})
            if raw is not None:
                again.act(raw)
        return found


def house_decision(
    name: str, game_id: str, options: Mapping[str, Any], view: Mapping[str, Any], rng: random.Random
) -> Mapping[str, Any]:
    """What the house bot `name` does in a view of a match of that game with these options."""
    return BOTS[name](Position(game_id, options, view, rng))


_READERS: dict[str, ActionReader] = {}


def _reader(game: Game[Any]) -> ActionReader:
    if game.id not in _READERS:
        _READERS[game.id] = ActionReader(tuple(game.actions))
    return _READERS[game.id]


def _game(game_id: str, players: int) -> Game[Any]:
    game = GAMES.get(game_id)
    if game is None:
        raise BadTable(f"there is no game {game_id!r}; there are {', '.join(GAMES)}")
    if not game.min_players <= players <= game.max_players:
        raise BadTable(f"{game_id} has {game.min_players} to {game.max_players} seats, not {players}")
    return game


def _options(game: Game[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options, with their defaults."""
    wrong = check(dict(given), slots_of(game.options_type))
    if wrong:
        raise BadTable(f"options of {game.id}: {_said(wrong)}")
    return asdict(game.options_type(**{name: value for name, value in given.items() if value is not None}))


def _said(wrong: Mapping[str, Sequence[str]]) -> str:
    """The messages of a check on one line."""
    return "; ".join(f"{name}: {' '.join(said)}" for name, said in wrong.items()).replace("_schema: ", "")
