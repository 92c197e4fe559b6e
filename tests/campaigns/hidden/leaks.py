"""Planted leaks: each lets one answer hang on something hidden, in a way that is easily overlooked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import orjson
import pytest

from spieltisch_service.app import decisions, matches, playing
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.playing import ViewAnswer
from spieltisch_service.domain import play
from spieltisch_service.domain.match import Match
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.errors import IllegalAction

#: Plants a leak until the patch is undone.
Plant: TypeAlias = Callable[[pytest.MonkeyPatch], None]


def the_next_tile_in_the_view(patch: pytest.MonkeyPatch) -> None:
    game = GAMES["neues-land"]
    view = type(game).view
    patch.setattr(type(game), "view", lambda self, state, seat: {**view(self, state, seat), "next": game.encode(state)})


def all_hands_in_the_view(patch: pytest.MonkeyPatch) -> None:
    game = GAMES["wunderland"]
    view = type(game).view
    patch.setattr(
        type(game),
        "view",
        lambda self, state, seat: {**view(self, state, seat), "hand": [view(self, state, s)["hand"] for s in (0, 1)]},
    )


def a_public_number_that_hangs_on_a_hand(patch: pytest.MonkeyPatch) -> None:
    """Nothing is named, but what another holds moves a number by one."""
    game = GAMES["wunderland"]
    view = type(game).view

    def leaking(self: Any, state: Any, seat: int | None) -> Any:
        told: Any = view(self, state, seat)
        held = orjson.dumps(view(self, state, 1)["hand"])
        return {**told, "round": told["round"] + (hashlib.sha256(held).digest()[0] & 1)}

    patch.setattr(type(game), "view", leaking)


def legal_actions_for_everybody(patch: pytest.MonkeyPatch) -> None:
    view = play.view

    def leaking(game: Any, match: Match, state: Any, seat: int | None) -> Any:
        told = view(game, match, state, seat)
        return told if told["to_act"] is None else {**told, "legal_actions": list(game.legal(state))}

    patch.setattr(play, "view", leaking)


def an_etag_of_the_whole_state(patch: pytest.MonkeyPatch) -> None:
    view = playing.Playing.view

    def leaking(self: Any, caller: Any, match_id: str, **asked: Any) -> ViewAnswer:
        told = view(self, caller, match_id, **asked)
        live = self._live.current(match_id)
        mark = hashlib.sha256(orjson.dumps(live.game.encode(live.state))).hexdigest()[:8]
        return ViewAnswer(f'"{mark}"', told.body)

    patch.setattr(playing.Playing, "view", leaking)


def a_refusal_that_knows_who_holds_the_card(patch: pytest.MonkeyPatch) -> None:
    game = GAMES["wunderland"]
    apply = type(game).apply

    def leaking(self: Any, state: Any, action: Any) -> Any:
        held = [card for seat in range(2) for card in self.view(state, seat)["hand"] if self.to_act(state) != seat]
        if action.type == "redeem" and action.card in held:
            raise IllegalAction("W40", "another player holds this card", [self.default_action(state)])
        return apply(self, state, action)

    patch.setattr(type(game), "apply", leaking)


def the_deal_in_the_record(patch: pytest.MonkeyPatch) -> None:
    original: Any = vars(playing)["record"]
    patch.setattr(playing, "record", lambda match, secret, log: {**original(match, secret, log), "deal": secret.deal})


def the_seed_in_the_record(patch: pytest.MonkeyPatch) -> None:
    original: Any = vars(playing)["record"]
    patch.setattr(
        playing, "record", lambda match, secret, log: {**original(match, secret, log), "proof": {"seed": secret.seed}}
    )


def metadata_made_of_the_seed(patch: pytest.MonkeyPatch) -> None:
    get = matches.Matches.get

    def leaking(self: Any, caller: Any, match_id: str) -> Any:
        seed = self._live.fresh(match_id).secret.seed
        told = get(self, caller, match_id)
        return {**told, "metadata": {"shard": str(int(seed, 16) % 97)}}

    patch.setattr(matches.Matches, "get", leaking)


def a_longer_answer_for_a_fuller_hand(patch: pytest.MonkeyPatch) -> None:
    """The text board ends with blanks, as many as the deck's first card says."""
    text = playing.Playing.board_text

    def leaking(self: Any, caller: Any, match_id: str, **asked: Any) -> str:
        live: LiveMatch = self._live.fresh(match_id)
        assert live.secret.deal is not None
        return text(self, caller, match_id, **asked) + " " * (sum(str(live.secret.deal["deck"][-1]).encode()) % 50)

    patch.setattr(playing.Playing, "board_text", leaking)


def decisions_that_say_how_much_can_be_done(patch: pytest.MonkeyPatch) -> None:
    found = decisions.Decisions._decisions

    def leaking(self: Any, live: LiveMatch, caller: Caller) -> Any:
        told = found(self, live, caller)
        seat = live.to_act()
        return told or [{"match": live.match.id, "state": live.game.encode(live.state), "seat": seat}]

    patch.setattr(decisions.Decisions, "_decisions", leaking)


def a_refused_list_that_tells_what_it_would_have_drawn(patch: pytest.MonkeyPatch) -> None:
    """A list is judged by the cards that its own actions draw, and refused as a whole."""
    patch.setattr(type(GAMES["wunderland"]), "foreseen", lambda self, before, state: state)


_LEAKS: list[tuple[str, Plant]] = [
    ("neues-land", the_next_tile_in_the_view),
    ("wunderland", all_hands_in_the_view),
    ("wunderland", a_public_number_that_hangs_on_a_hand),
    ("wunderland", legal_actions_for_everybody),
    ("neues-land", an_etag_of_the_whole_state),
    ("wunderland", a_refusal_that_knows_who_holds_the_card),
    ("wunderland", the_deal_in_the_record),
    ("neues-land", the_seed_in_the_record),
    ("wunderland", metadata_made_of_the_seed),
    ("neues-land", a_longer_answer_for_a_fuller_hand),
    ("wunderland", decisions_that_say_how_much_can_be_done),
    ("wunderland", a_refused_list_that_tells_what_it_would_have_drawn),
]

#: Name → (game, what plants it).
LEAKS: Mapping[str, tuple[str, Plant]] = {plant.__name__: (game, plant) for game, plant in _LEAKS}
