"""From views back to states: imagined worlds cannot be told from the real one."""

import copy
import hashlib
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spieltisch_service.domain import play
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.chance import arranged
from spieltisch_service.games.contract import Game
from tests.games.views import VECTORS, play_to_the_end, some, vector_positions, view_of

CARDS = 48


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    value: Game[Any] = request.param
    return value


def seed_of(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def check_world(game: Game[Any], world: Any, view: dict[str, Any]) -> None:
    """Whoever got the view cannot tell the world from the one that it came from."""
    assert view_of(game, world, view["seat"]) == view


# --- worlds -----------------------------------------------------------------------------------------------------


def test_a_world_of_every_position_cannot_be_told_from_it(game: Game[Any]) -> None:
    phases: Counter[str] = Counter()
    for match in some(game):
        rng = random.Random(len(match.states))
        options = play.options_of(game, match.match)
        for ply, state in enumerate(match.states):
            seat = rng.choice((None, *range(match.match.players), game.to_act(state)))
            view = view_of(game, state, seat)
            world = game.imagine(view, options).world(rng.randbytes(32))
            check_world(game, world, view)
            if game.phase(state) != "over":
                assert game.turn(world) == game.turn(state)
            if ply % 32 == 0:
                play_to_the_end(game, world, rng)
            phases[game.phase(state)] += 1
    assert set(phases) == set(game.phases)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_position_of_the_vectors_can_be_imagined(path: Path) -> None:
    """Short deals, ends by W50 and N53, every phase, every viewer."""
    for number, (game, options, state) in enumerate(vector_positions(path)):
        seats = (None, *range(len(game.scores(state))))
        view = view_of(game, state, seats[number % len(seats)])
        check_world(game, game.imagine(view, options).world(seed_of(number)), view)


def test_a_thousand_worlds_of_one_view(game: Game[Any]) -> None:
    for match in some(game)[1::7][:4]:
        options = play.options_of(game, match.match)
        state = match.states[len(match.states) // 3]
        view = view_of(game, state, game.to_act(state))
        before = copy.deepcopy(view)
        imagination = game.imagine(view, options)
        hidden = set()
        for number in range(250):
            world = imagination.world(seed_of(number))
            check_world(game, world, view)
            hidden.add(json.dumps(game.encode(world), sort_keys=True))
            if number % 50 == 0:
                play_to_the_end(game, world, random.Random(number))
                check_world(game, imagination.world(seed_of(number)), view)
        assert len(hidden) == 250
        assert view == before


def test_a_world_depends_on_view_and_seed_alone(game: Game[Any]) -> None:
    match = some(game)[2]
    options = play.options_of(game, match.match)
    state = match.states[len(match.states) // 2]
    view = view_of(game, state, 0)
    encoded = [game.encode(game.imagine(copy.deepcopy(view), options).world(b"s" * 32)) for _ in range(2)]
    assert encoded[0] == encoded[1] != game.encode(game.imagine(view, options).world(b"t" * 32))
    shorter = {key: view[key] for key in ("game", "seat", "to_act", "phase", "scores", "state")}
    assert game.encode(game.imagine(shorter, options).world(b"s" * 32)) == encoded[0]


def test_playing_in_a_world_changes_no_other(game: Game[Any]) -> None:
    match = some(game)[3]
    state = match.states[len(match.states) // 2]
    view = view_of(game, state, None)
    imagination = game.imagine(view, play.options_of(game, match.match))
    world = imagination.world(b"one")
    before = json.dumps(game.encode(world))
    for action in game.legal(world):
        game.apply(world, action)
    play_to_the_end(game, imagination.world(b"one"), random.Random(1))
    assert json.dumps(game.encode(world)) == json.dumps(game.encode(imagination.world(b"one"))) == before


def test_all_tiles_of_a_world_are_those_there_are() -> None:
    """N11, N12: the deck of a world is made of what lies nowhere else, and each tile comes up everywhere alike."""
    game = GAMES["neues-land"]
    options = game.options_type(equal_turns=True)
    state, _ = game.start(options, game.deal(options, 5, bytes(32)), 5)
    imagination = game.imagine(view_of(game, state, 0), options)
    material: Any = game.material()
    kinds = {kind["id"]: kind["count"] for kind in material["kinds"]}
    firsts: Counter[str] = Counter()
    for number in range(2000):
        world = imagination.world(seed_of(number))
        deck: Any = game.encode(world)["deck"]
        assert len(deck) == 79
        ids = sorted(kinds)
        firsts[ids[deck[0]]] += 1
        hands: Any = game.view(world, None)["hands"]
        seen = Counter(ids[kind] for kind in deck) + Counter(hands[0])
        assert all(count <= kinds[kind] for kind, count in seen.items())
    # 82 unseen tiles, of which 161mgm is a common one: about 2000 / 82 for each tile of a kind.
    assert len(firsts) >= 65
    assert max(firsts.values()) < 2000 * 6 / 82


def test_w70_every_unseen_card_can_be_anywhere() -> None:
    """A spectator's worlds give each of three hands and the deck each card about as often."""
    game = GAMES["wunderland"]
    options = game.options_type()
    state, _ = game.start(options, game.deal(options, 3, bytes(32)), 3)
    for seat in (None, 1):
        imagination = game.imagine(view_of(game, state, seat), options)
        hands: list[Counter[str]] = [Counter() for _ in range(3)]
        for number in range(1200):
            world = imagination.world(seed_of(number))
            told: Any = [game.view(world, each)["hand"] for each in range(3)]
            for counter, hand in zip(hands, told, strict=True):
                counter.update(hand)
            deck: Any = game.encode(world)["deck"]
            cards = [*told[0], *told[1], *told[2], *deck]
            assert len(cards) == len(set(cards)) == CARDS
        for each, counter in enumerate(hands):
            if each == seat:
                assert set(counter.values()) == {1200}
                continue
            unseen = CARDS if seat is None else CARDS - 2
            assert len(counter) == unseen
            # 50 or 52 expected; five standard deviations (7) either way.
            assert 15 < min(counter.values()) <= max(counter.values()) < 87


def test_a_short_deal_leaves_the_other_tiles_out() -> None:
    game = GAMES["neues-land"]
    options = game.options_type()
    deal = game.parse_deal({"deck": ["8m", "44mg", "8s"], "set_aside": ["17mg"]}, options, 2)
    state, _ = game.start(options, deal, 2)
    view = view_of(game, state, None)
    assert (view["state"]["deck_count"], view["state"]["set_aside_count"]) == (2, 1)
    decks: Any = [game.encode(game.imagine(view, options).world(seed_of(number)))["deck"] for number in range(60)]
    assert {len(deck) for deck in decks} == {2}
    assert len(set(map(tuple, decks))) > 50


# --- chance -----------------------------------------------------------------------------------------------------


def test_the_arrangement_is_the_one_that_is_described() -> None:
    digest = hashlib.shake_256(b"spieltisch-imagined/1\n" + b"seed").digest(24)
    numbers = [int.from_bytes(digest[8 * i : 8 * i + 8], "big") for i in range(3)]
    wanted = [card for _, card in sorted(zip(numbers, "abc", strict=True))]
    assert arranged("abc", b"seed") == wanted
    assert arranged([], b"seed") == []


def test_every_arrangement_is_as_likely_as_any_other() -> None:
    found = Counter("".join(arranged("abcd", seed_of(number))) for number in range(4800))
    assert len(found) == 24
    # 200 expected; five standard deviations (14) either way.
    assert 130 < min(found.values()) <= max(found.values()) < 270
