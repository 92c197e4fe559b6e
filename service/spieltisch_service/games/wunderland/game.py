"""Wunderland as a `Game`: each function leads to the module that does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from spieltisch_service.games import chance
from spieltisch_service.games.contract import Action, Game, Outcome, Plain, Playout
from spieltisch_service.games.wunderland import (
    codec,
    imagine,
    model,
    notation,
    refusals,
    render,
    rules,
    scoring,
    tables,
    view,
)
from spieltisch_service.games.wunderland.model import Deal, State, WunderlandOptions


@cache
def _rules_text(language: str) -> str:
    return tables.read_data(f"rules.{language}.md")


class Wunderland(Game[State]):
    """Travel over the map, visit the sights on secret cards, collect postcards: 2 to 4 players."""

    id = "wunderland"
    name: ClassVar[Mapping[str, str]] = {"de": "Wunderland", "en": "Wunderland"}
    rules_version = "1"
    min_players = 2
    max_players = 4
    options_type = WunderlandOptions
    actions = (model.Travel, model.TravelAlong, model.Stay, model.Collect, model.Redeem, model.EndTurn)
    phases = model.PHASES

    def deal(self, options: WunderlandOptions, players: int, deal_seed: bytes) -> Deal:  # noqa: ARG002
        """All 48 cards, shuffled (W10)."""
        return Deal(tuple(chance.shuffled(tables.BOARD.cards, deal_seed)))

    def parse_deal(
        self,
        raw: Mapping[str, Plain],
        options: WunderlandOptions,  # noqa: ARG002
        players: int,
    ) -> Deal:
        """`{"deck": [card ids, first drawn first]}`. Raises `InvalidDeal`."""
        return codec.parse_deal(raw, players)

    def deal_to_wire(self, deal: Deal) -> dict[str, Plain]:
        """The deal as JSON."""
        return codec.deal_to_wire(deal)

    def start(self, options: WunderlandOptions, deal: Deal, players: int) -> tuple[State, dict[str, Plain]]:
        """The first state; the start has nothing public of its own."""
        return rules.start(options, deal, players), {}

    def to_act(self, state: State) -> int | None:
        """The seat that must act, or None when the game is over."""
        return model.to_act(state)

    def phase(self, state: State) -> str:
        """`turn`, `companions`, `after`, `final` or `over`."""
        return state.phase

    def turn(self, state: State) -> int:
        """Finished turns; each seat's part of the final phase is a turn of its own."""
        return state.turn

    def legal(self, state: State) -> Sequence[Action]:
        """The legal actions of the seat to act."""
        return rules.legal(state)

    def apply(self, state: State, action: Action) -> tuple[State, dict[str, Plain]]:
        """The next state, with `points` and `cards_drawn`. Raises `IllegalAction`."""
        if not rules.is_legal(state, action):
            raise refusals.refusal(state, action)
        after = state.copy()
        points, cards_drawn = rules.push(after, action)
        return after, {"points": points, "cards_drawn": cards_drawn}

    def foreseen(self, before: State, state: State) -> State:
        """The state without the cards drawn since (W41): nobody knows one before it is drawn (W70)."""
        seat = state.active
        held = before.hands[seat]
        if all(card in held for card in state.hands[seat]):
            return state
        known = state.copy()
        known.hands[seat] = [card for card in state.hands[seat] if card in held]
        return known

    def scores(self, state: State) -> tuple[int, ...]:
        """Points of redeemed cards, also when the game is over: postcards are in `outcome`."""
        return tuple(state.points)

    def outcome(self, state: State) -> Outcome:
        """Redeemed cards and postcards (W60, W61), ranks (W62)."""
        return scoring.outcome(state)

    def default_action(self, state: State) -> Action:
        """The first journey of one traveller, `stay` or `end_turn`."""
        return rules.default_action(state)

    def playout(self, state: State) -> Playout:
        """A game to be played in place."""
        return rules.WunderlandPlayout(state)

    def view(self, state: State, seat: int | None) -> dict[str, Plain]:
        """What `seat`, or a spectator, may see (W70)."""
        return view.view(state, seat)

    def imagine(self, view: Mapping[str, Plain], options: WunderlandOptions) -> imagine.WunderlandImagination:
        """What could lie behind a view: the others' hands and the deck. Raises `InvalidView`."""
        return imagine.imagine(view, options)

    def describe(self, view: Mapping[str, Plain]) -> str:
        """The `state` of a view as text."""
        return render.describe(view)

    def notation(self, action: Action) -> str:
        """The action on one short line."""
        return notation.notation(action)

    def material(self) -> dict[str, Plain]:
        """Map, cards and numbers."""
        return tables.material()

    def rules(self, language: str) -> str:
        """The rules as Markdown, in `de` or `en`."""
        if language not in self.name:
            raise KeyError(language)
        return _rules_text(language)

    def encode(self, state: State) -> dict[str, Plain]:
        """The state as plain data."""
        return codec.encode(state)

    def decode(self, data: Mapping[str, Plain]) -> State:
        """The state that was encoded. Raises `UnknownFormat`."""
        return codec.decode(data)


WUNDERLAND = Wunderland()
