"""Both games as PettingZoo environments (AEC: one agent acts at a time).

    from spieltisch_service.rl.env import env

    table = env(game="wunderland", players=3, options={"round_limit": 20})
    table.reset(seed=7)
    for agent in table.agent_iter():
        observation, reward, termination, truncation, info = table.last()
        done = termination or truncation
        table.step(None if done else table.action_space(agent).sample(observation["action_mask"]))

| | |
|---|---|
| games | `neues-land` (2 to 5 players), `wunderland` (2 to 4) |
| agents | `seat_0` … `seat_{players - 1}`, in the order of the seats |
| observation | `{"observation": int16 vector, "action_mask": int8}`; parts of the vector: `neues_land`, `wunderland` |
| action | `Discrete`, one number for each legal action: `neues_land`, `wunderland` |
| reward | 0 until the end; then (seats with fewer points - seats with more) / (players - 1) |
| end | all agents terminate at once; `infos` then has `score` and `rank` of each |
| illegal action | `env` ends the game: -1 for who did it, 0 for the others; `raw_env` raises `ValueError` |
| chance | the deal alone, which follows from `reset(seed)` |
| rules | version 1 of both games; source: `games/*/data/rules.en.md`, this project's own edition |

The rewards of a game add up to 0, 1 is a win over everybody, and -1 a loss to everybody: with two players 1, 0 or -1.
Who wants another reward finds the points in `infos`. A match of Wunderland without a `round_limit` may last as long as
its players like. Nothing is truncated, unless an action was illegal (PettingZoo's wrapper then sets both flags).

Versions: v0, the first.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import gymnasium
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action, Game, Wire
from spieltisch_service.rl.encoding import Encoding, Observation
from spieltisch_service.rl.layout import Layout, Numbers
from spieltisch_service.rl.neues_land import NeuesLandEncoding
from spieltisch_service.rl.wunderland import WunderlandEncoding

#: By game: what makes its encoding, from players and options.
ENCODINGS: Mapping[str, type[NeuesLandEncoding] | type[WunderlandEncoding]] = {
    "neues-land": NeuesLandEncoding,
    "wunderland": WunderlandEncoding,
}

_SEED_LABEL = "spieltisch-rl/1"
_RENDER_MODES = ("ansi",)
_ILLEGAL_REWARD = -1.0


def env(
    game: str = "neues-land",
    players: int = 2,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> AECEnv[str, Any, Any]:
    """An environment in PettingZoo's usual wrappers: an illegal action ends the game, an impossible one is refused.

    `options` are those of the game (`GET /v1/games`); what is left out has its default. Raises ValueError.
    """
    table: AECEnv[str, Any, Any] = raw_env(game, players, options, render_mode)
    table = TerminateIllegalWrapper(table, illegal_reward=_ILLEGAL_REWARD)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(table))


def raw_env(
    game: str = "neues-land",
    players: int = 2,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> TableEnv:
    """The same without wrappers: an illegal action raises ValueError and changes nothing."""
    return TableEnv(game, players, options, render_mode)


def deal_seed(seed: int, episode: int) -> bytes:
    """What the deal follows from, in the `episode`-th game (0 first) since a reset with `seed`: 32 bytes."""
    return hashlib.sha256(f"{_SEED_LABEL}\n{seed}\n{episode}".encode()).digest()


def game_options(game: Game[Any], raw: Mapping[str, Any]) -> Any:
    """The options of a game. Raises ValueError for an option or a value that it does not have."""
    known = {option.name: option.metadata["wire"] for option in fields(game.options_type)}
    for name, value in raw.items():
        if name not in known:
            raise ValueError(f"{game.id} has no option {name!r}; it has {', '.join(known)}")
        wire: Wire = known[name]
        if wire.one_of is not None:
            good = value in wire.one_of
        elif wire.minimum is not None and wire.maximum is not None:
            good = value is None or (type(value) is int and wire.minimum <= value <= wire.maximum)
        else:
            good = type(value) is bool
        if not good:
            raise ValueError(f"{value!r} is no value of the option {name!r}: {wire.description}")
    return game.options_type(**raw)


def seen(game: Game[Any], state: Any, seat: int) -> dict[str, Any]:
    """The view of a seat, as the API has it, without what belongs to a match and its log."""
    return {
        "game": game.id,
        "seat": seat,
        "to_act": game.to_act(state),
        "phase": game.phase(state),
        "scores": list(game.scores(state)),
        "state": game.view(state, seat),
    }


class TableEnv(AECEnv[str, Any, Any]):
    """A table at which agents play one game after the other. The module's docstring tells what they see and get."""

    #: The state and the legal actions by their numbers, once somebody asked for them since the last action.
    _state: Any
    _choices: Mapping[int, Action] | None

    def __init__(
        self, game: str, players: int, options: Mapping[str, Any] | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        if game not in GAMES:
            raise ValueError(f"there is no game {game!r}; there are {', '.join(GAMES)}")
        self.game: Game[Any] = GAMES[game]
        least, most = self.game.min_players, self.game.max_players
        if not least <= players <= most:
            raise ValueError(f"{game} is for {least} to {most} players, not {players}")
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(f"there is no render mode {render_mode!r}; there is {', '.join(_RENDER_MODES)}")
        self.options = game_options(self.game, options or {})
        self.encoding: Encoding = ENCODINGS[game](players, self.options)
        self.metadata = {
            "name": f"{game.replace('-', '_')}_v{self.encoding.version}",
            "render_modes": list(_RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self.observation_spaces = {agent: self.encoding.observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: self.encoding.action_space() for agent in self.possible_agents}
        self._seed: int | None = None
        self._episode = 0

    @property
    def layout(self) -> Layout:
        """How an observation is divided."""
        return self.encoding.layout

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions; always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal anew. The same `seed` gives the same deal, and so do the resets without one that follow it.

        Without any seed so far, one is drawn. `options` of PettingZoo's API has no meaning here.
        """
        if seed is not None:
            self._seed, self._episode = int(seed), 0
        elif self._seed is None:
            self._seed = secrets.randbits(64)
        else:
            self._episode += 1
        players = len(self.possible_agents)
        deal = self.game.deal(self.options, players, deal_seed(self._seed, self._episode))
        state, _ = self.game.start(self.options, deal, players)
        self._playout = self.game.playout(state)
        self._moved()
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def step(self, action: int | None) -> None:
        """Do the action that `action` stands for (an integer of Python or NumPy); None for an agent that is done.

        Raises ValueError, and changes nothing, if it is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or (chosen := self.choices().get(int(action))) is None:
            raise ValueError(f"action {action} is not legal for {agent}; its action_mask tells which are")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._playout.push(chosen)
        self._moved()
        if self._playout.to_act() is None:
            self._finish()
        else:
            self._select()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What an agent sees now, whether it is to act or not: new arrays, which may be kept and changed."""
        observation, choices = self.encoding.observe(self.view(agent), self._legal(agent))
        if choices:
            self._choices = choices
        return observation

    def view(self, agent: str) -> dict[str, Any]:
        """What the observation of an agent is made from: a view as the API has it, with nothing that is hidden."""
        return seen(self.game, self._state_now(), self.possible_agents.index(agent))

    def choices(self) -> Mapping[int, Action]:
        """The legal actions of the agent to act by their numbers; `Game.notation` writes them shortly."""
        if self._choices is None:
            agent = self.agent_selection
            legal = self._legal(agent)
            self._choices = dict(zip(self.encoding.indices(self.view(agent), legal), legal, strict=True))
        return self._choices

    def parts(self, observation: Numbers) -> dict[str, Numbers]:
        """The named parts of an observation's vector: views into it."""
        return self.layout.split(observation)

    def render(self) -> str | None:
        """The table as text, as a spectator sees it, with `render_mode="ansi"`."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() has nothing to do: this environment was made without a render_mode.")
            return None
        state: Mapping[str, Any] = self.game.view(self._state_now(), None)
        return self.game.describe(state)

    def close(self) -> None:
        """Release everything: there is nothing to release."""

    def _moved(self) -> None:
        """Forget what was true before the last action."""
        self._state = None
        self._choices = None

    def _state_now(self) -> Any:
        if self._state is None:
            self._state = self._playout.snapshot()
        return self._state

    def _legal(self, agent: str) -> Sequence[Action]:
        seat = self._playout.to_act()
        return self._playout.legal() if seat is not None and self.possible_agents[seat] == agent else ()

    def _select(self) -> None:
        seat = self._playout.to_act()
        assert seat is not None
        self.agent_selection = self.possible_agents[seat]

    def _finish(self) -> None:
        outcome = self.game.outcome(self._state_now())
        for seat, agent in enumerate(self.agents):
            own = outcome.scores[seat]
            lead = sum((own > other) - (own < other) for other in outcome.scores)
            self.rewards[agent] = lead / (len(self.agents) - 1)
            self.terminations[agent] = True
            self.infos[agent] = {"score": own, "rank": outcome.ranks[seat]}
        self.agent_selection = self.agents[0]
