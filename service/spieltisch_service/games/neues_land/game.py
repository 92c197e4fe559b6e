"""Neues Land as the platform sees it: the one subclass of `Game`, put together from this package's modules.

| | |
|---|---|
| players | 2 to 5; seat 0 begins, then 1, 2, … |
| a turn | two actions: `place_tile`, then `place_follower`, `recall_follower` or `pass` |
| hidden | the order of the deck and the tiles set aside; hands are open |
| length | 83 turns, fewer where tiles leave (N12, N21, N52) |
| rules | `data/rules.en.md`, version 1 |
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from spieltisch_service.games.contract import Action, Game, Outcome, Plain
from spieltisch_service.games.neues_land import (
    codec,
    imagine,
    notation,
    refusals,
    render,
    rules,
    scoring,
    tables,
    view,
)
from spieltisch_service.games.neues_land.model import (
    FOLLOWER,
    OVER,
    PHASES,
    Deal,
    NeuesLandOptions,
    Pass,
    PlaceFollower,
    PlaceTile,
    RecallFollower,
    State,
)


class NeuesLand(Game[State]):
    """The rules of Neues Land."""

    id: ClassVar[str] = "neues-land"
    name: ClassVar[Mapping[str, str]] = {"de": "Neues Land", "en": "Neues Land"}
    rules_version: ClassVar[str] = "1"
    min_players: ClassVar[int] = tables.MIN_PLAYERS
    max_players: ClassVar[int] = tables.MAX_PLAYERS
    options_type: ClassVar[type[Any]] = NeuesLandOptions
    actions: ClassVar[tuple[type[Action], ...]] = (PlaceTile, PlaceFollower, RecallFollower, Pass)
    phases: ClassVar[tuple[str, ...]] = PHASES

    def deal(self, options: NeuesLandOptions, players: int, deal_seed: bytes) -> Deal:
        """The 83 tiles in the order that the seed gives, less those of N12."""
        return rules.draw_deal(options, players, deal_seed)

    def parse_deal(self, raw: Mapping[str, Plain], options: NeuesLandOptions, players: int) -> Deal:  # noqa: ARG002
        """An explicit deal; it is played as it stands, whatever the options. Raises InvalidDeal."""
        return codec.parse_deal(raw)

    def deal_to_wire(self, deal: Deal) -> dict[str, Plain]:
        """The deal as JSON, always with `set_aside`."""
        return codec.deal_to_wire(deal)

    def start(self, options: NeuesLandOptions, deal: Deal, players: int) -> tuple[State, dict[str, Plain]]:
        """The start tile on the table and the first tiles drawn: `drawn` and `discarded`."""
        state, drawn = rules.begin(options, deal, players)
        return state, view.event_data(drawn, state.discarded)

    def to_act(self, state: State) -> int | None:
        """The seat whose turn it is, or None when the game is over."""
        return None if state.phase == OVER else state.seat

    def phase(self, state: State) -> str:
        """`place_tile`, `follower` or `over`."""
        return state.phase

    def turn(self, state: State) -> int:
        """How many turns are completed; being passed over (N53) is none."""
        return state.turn

    def legal(self, state: State) -> Sequence[Action]:
        """Tiles by (tile, x, y, rotation); then followers by region, recalls by (x, y), pass last."""
        return rules.legal(state)

    def apply(self, state: State, action: Action) -> tuple[State, dict[str, Plain]]:
        """The next state, and `points, drawn, discarded`; `action` too when it is recorded otherwise (N22)."""
        recorded = refusals.accepted(state, action)
        after = state.copy()
        drawn: list[rules.Drawn] = []
        points = rules.push(after, recorded, drawn)
        data = view.event_data(drawn, after.discarded[len(state.discarded) :])
        data["points"] = points
        if recorded is not action:
            data["action"] = dict(recorded.to_wire())
        return after, data

    def scores(self, state: State) -> tuple[int, ...]:
        """Points so far, by seat; with the final scoring once the game is over."""
        return scoring.scores(state)

    def outcome(self, state: State) -> Outcome:
        """How the game stands if it ends now (N41, N42); `final` tells the points of followers on the board."""
        return scoring.outcome(state)

    def default_action(self, state: State) -> Action:
        """The first legal placement, or pass."""
        return rules.PASS if state.phase == FOLLOWER else rules.legal(state)[0]

    def playout(self, state: State) -> rules.NeuesLandPlayout:
        """A game to be played in place from `state`."""
        return rules.NeuesLandPlayout(state)

    def view(self, state: State, seat: int | None) -> dict[str, Plain]:  # noqa: ARG002
        """The same for every viewer: nothing but the deck's order and the set-aside tiles is hidden."""
        return view.view(state)

    def imagine(self, view: Mapping[str, Plain], options: NeuesLandOptions) -> imagine.NeuesLandImagination:
        """What could lie behind a view: the order of the deck. Raises `InvalidView`."""
        return imagine.imagine(view, options)

    def describe(self, view: Mapping[str, Plain]) -> str:
        """The table as text."""
        return render.describe(view)

    def notation(self, action: Action) -> str:
        """As `422mgs-02 (1,0) 90`, `follower 0`, `recall (1,0)`, `pass`."""
        return notation.notation(action)

    def material(self) -> dict[str, Plain]:
        """The tiles: start tile, followers, and all kinds with regions, borders and towns (N1, N2)."""
        material: dict[str, Plain] = json.loads(tables.data_text("tiles.json"))
        return material

    def rules(self, language: str) -> str:
        """The rules as Markdown, `de` or `en`."""
        return tables.data_text(f"rules.{language}.md")

    def encode(self, state: State) -> dict[str, Plain]:
        """The state as plain data; shares lists with the state."""
        return codec.encode(state)

    def decode(self, data: Mapping[str, Plain]) -> State:
        """The state that was encoded. Raises UnknownFormat."""
        return codec.decode(data)


NEUES_LAND = NeuesLand()
