"""Whatever a viewer must not know can be changed, and no answer to that viewer changes; a planted leak is found.

`--worlds N` sets how many positions of each game are looked at.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from spieltisch_service.app import decisions, matches, playing
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.live import LiveMatch
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.playing import ViewAnswer
from spieltisch_service.app.service import Service
from spieltisch_service.domain import play
from spieltisch_service.domain.match import Match
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.errors import IllegalAction
from spieltisch_service.web.app import create_app
from spieltisch_service.web.overrides import EXTENSION
from tests.end_to_end.worlds import answers, other_world, probes
from tests.games.played import OPTIONS

GAME_IDS = tuple(GAMES)
MATERIAL: Any = GAMES["wunderland"].material()
PLACES_OF_CARD = {card["id"]: card["places"] for card in MATERIAL["cards"]}
#: Its service is put in for each question.
APP = create_app(None)


@dataclass
class Table:
    """A match with a key for each seat, and a way to ask it as a worker that has nothing in memory."""

    new_service: Callable[..., Service]
    match_id: str
    callers: list[Caller]

    def ask(self, viewer: int | None, asked: list[Any]) -> dict[str, Any]:
        caller = ANONYMOUS if viewer is None else self.callers[viewer]
        APP.extensions[EXTENSION] = self.new_service()
        return answers(APP.test_client(), self.match_id, caller, asked)

    def differences(self, viewer: int | None, rng: random.Random) -> list[str]:
        """What the viewer is answered differently in another world."""
        service = self.new_service()
        asked = probes(service, self.match_id, viewer, rng)
        before = self.ask(viewer, asked)
        other_world(service, self.match_id, viewer, rng)
        after = self.ask(viewer, asked)
        return [name for name in before if before[name] != after[name]]


def set_up(new_service: Callable[..., Service], game: str, rng: random.Random, **wanted: Any) -> Table:
    service = new_service()
    players = rng.randint(GAMES[game].min_players, GAMES[game].max_players)
    callers = [
        service.accounts.authenticate(service.accounts.create(f"P{i}", "human", ANONYMOUS, None).body["key"])
        for i in range(players)
    ]
    seats = ["me"] + ["open"] * (players - 1)
    options = wanted.pop("options", None) or rng.choice(OPTIONS[game])
    match_id = service.matches.create(callers[0], NewMatch(game, seats, options, **wanted), None).body["id"]
    for caller in callers[1:]:
        service.seats.join(caller, match_id, seat=None, nonce="a-nonce", invitation=None, name=None, once=None)
    return Table(new_service, match_id, callers)


def play_some(table: Table, plies: int, rng: random.Random) -> None:
    """Act by chance, in Wunderland towards what the own cards ask for, so that hands have a history.

    Sometimes stop just before a card is redeemed: then what may be done hangs on what is held.
    """
    service = table.new_service()
    for _ in range(plies):
        live = service.live.current(table.match_id)
        seat = live.to_act()
        if seat is None:
            return
        legal = list(live.game.legal(live.state))
        redeeming = [action for action in legal if action.type == "redeem"]
        if redeeming and rng.random() < 0.3:
            return
        wanted = redeeming or towards_cards(live, seat, legal) or legal
        service.play.act(table.callers[seat], table.match_id, [rng.choice(wanted)], None, None, None)


def towards_cards(live: LiveMatch, seat: int, legal: Sequence[Any]) -> list[Any]:
    """The journeys of one traveller to a place of an own card where none stands yet; staying, when others travel."""
    if live.match.game != "wunderland":
        return []
    view: Any = live.game.view(live.state, seat)
    asked = {place for card in view["hand"] for place in PLACES_OF_CARD[card]}
    wanted = asked - set(view["travellers"][seat])
    journeys = [action for action in legal if action.type == "travel" and action.travellers == 1]
    direct = [action for action in journeys if action.destination in wanted and action.origin not in asked]
    return direct or [action for action in legal if action.type in ("stay", "end_turn")] or journeys


def running(table: Table) -> bool:
    return table.new_service().live.fresh(table.match_id).match.status == "running"


def positions(new_service: Callable[..., Service], game: str, count: int) -> Iterator[tuple[Table, random.Random]]:
    for seed in range(count):
        rng = random.Random(f"{game} {seed}")
        table = set_up(new_service, game, rng)
        play_some(table, rng.randint(0, 25 if game == "neues-land" else 120), rng)
        if running(table):
            yield table, rng


@pytest.mark.parametrize("game", GAME_IDS)
def test_no_answer_depends_on_what_is_hidden(
    new_service: Callable[..., Service], game: str, worlds_per_game: int
) -> None:
    compared = 0
    for table, rng in positions(new_service, game, worlds_per_game):
        for viewer in (None, *range(len(table.callers))):
            assert table.differences(viewer, rng) == []
            compared += 1
    assert compared >= worlds_per_game


def test_nonces_and_seed_are_hidden_before_the_start(new_service: Callable[..., Service]) -> None:
    rng = random.Random(3)
    table = set_up(new_service, "wunderland", rng, start="manual")
    for viewer in (None, *range(len(table.callers))):
        assert table.differences(viewer, rng) == []


def test_the_other_world_is_another_one(new_service: Callable[..., Service]) -> None:
    """Once the match has ended everything may be seen, and then the worlds do differ: the comparison is not blind."""
    rng = random.Random(5)
    table = set_up(new_service, "wunderland", rng, options={"round_limit": None})
    play_some(table, 60, rng)
    service = table.new_service()
    for caller in table.callers[:-1]:
        service.seats.resign(caller, table.match_id, None, None)
    assert any(name.endswith("/record") for name in table.differences(None, rng))


# --- planted leaks: (game, what is patched, by what) --------------------------------------------------------


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
        told = view(self, state, seat)
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
    original = playing.record
    patch.setattr(playing, "record", lambda match, secret, log: {**original(match, secret, log), "deal": secret.deal})


def the_seed_in_the_record(patch: pytest.MonkeyPatch) -> None:
    original = playing.record
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


LEAKS: list[tuple[str, Callable[[pytest.MonkeyPatch], None]]] = [
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
]


@pytest.mark.parametrize(("game", "plant"), LEAKS, ids=[plant.__name__ for _, plant in LEAKS])
def test_a_planted_leak_is_found(
    new_service: Callable[..., Service],
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    plant: Callable[[pytest.MonkeyPatch], None],
) -> None:
    tables = list(positions(new_service, game, 12))
    plant(monkeypatch)
    found = any(
        table.differences(viewer, rng) for table, rng in tables for viewer in (None, *range(len(table.callers)))
    )
    assert found
