"""Views that no position has are refused, with a pointer to what is wrong; all others are imagined as they are."""

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from spieltisch_service.domain import play
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Game
from spieltisch_service.games.errors import InvalidView
from tests.games.played import played
from tests.games.views import play_to_the_end, some, view_of

CODES = {"missing", "unknown", "wrong_type", "out_of_range", "not_one_of", "bad_format", "duplicate"}

Path = tuple[str | int, ...]


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    value: Game[Any] = request.param
    return value


def put(view: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy of the view with `value` at `path`."""
    changed = copy.deepcopy(view)
    at: Any = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


def leave(view: dict[str, Any], path: Path) -> dict[str, Any]:
    """A copy of the view without what is at `path`."""
    changed = copy.deepcopy(view)
    at: Any = changed
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return changed


def refused(game: Game[Any], view: Any, options: Any) -> tuple[str, str] | None:
    try:
        game.imagine(view, options)
    except InvalidView as error:
        refusal = error
    else:
        return None
    assert refusal.code in CODES
    assert refusal.detail
    return refusal.pointer, refusal.code


def neues_land(seed: int = 5, ply: int = 60, **options: bool) -> tuple[Any, dict[str, Any]]:
    game = GAMES["neues-land"]
    match = played(game, seed, 3, options)
    return game.options_type(**options), view_of(game, match.states[ply], 0)


NEUES_LAND: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str]] = {
    "no view": (lambda _: [], "", "wrong_type"),
    "another game": (lambda v: put(v, ("game",), "wunderland"), "/game", "not_one_of"),
    "no seat": (lambda v: leave(v, ("seat",)), "/seat", "missing"),
    "a seat too high": (lambda v: put(v, ("seat",), 3), "/seat", "out_of_range"),
    "a key too many": (lambda v: put(v, ("colour~/",), 3), "/colour~0~1", "unknown"),
    "no state": (lambda v: put(v, ("state",), None), "/state", "wrong_type"),
    "no deck": (lambda v: leave(v, ("state", "deck_count")), "/state/deck_count", "missing"),
    "nobody acts": (lambda v: put(v, ("to_act",), None), "/to_act", "out_of_range"),
    "another acts": (lambda v: put(v, ("to_act",), (v["to_act"] + 1) % 3), "/state/hands/0", "out_of_range"),
    "scores too long": (lambda v: put(v, ("scores",), [0] * 6), "/scores", "out_of_range"),
    "scores of two": (lambda v: put(v, ("scores",), [0, 0]), "/state/", "out_of_range"),
    "points below zero": (lambda v: put(v, ("scores", 1), -1), "/scores/1", "out_of_range"),
    "another start": (lambda v: put(v, ("state", "tiles", 0, "x"), False), "/state/tiles/0", "out_of_range"),
    "a tile far off": (lambda v: put(v, ("state", "tiles", 1, "x"), 9), "/state/tiles/1", "out_of_range"),
    "a tile on another": (lambda v: put(v, ("state", "tiles", 1), v["state"]["tiles"][2]), "/state/tiles/", ""),
    "no such tile": (lambda v: put(v, ("state", "tiles", 2, "tile"), "9x"), "/state/tiles/2/tile", "not_one_of"),
    "an odd rotation": (lambda v: put(v, ("state", "tiles", 2, "rotation"), 45), "/state/tiles/2/rotation", ""),
    "a tile of another": (lambda v: put(v, ("state", "tiles", 2, "seat"), 0), "/state/tiles/2/seat", "out_of_range"),
    "no last tile": (lambda v: put(v, ("state", "last"), None), "/state/last", "out_of_range"),
    "another last tile": (lambda v: put(v, ("state", "last", "x"), 0.5), "/state/last", "out_of_range"),
    "a follower twice": (
        lambda v: put(v, ("state", "followers"), v["state"]["followers"][:1] * 2),
        "/state/followers/1",
        "duplicate",
    ),
    "another's follower": (
        lambda v: put(v, ("state", "followers", 0, "seat"), (v["state"]["followers"][0]["seat"] + 1) % 3),
        "/state/followers/0/seat",
        "out_of_range",
    ),
    "a follower nowhere": (lambda v: put(v, ("state", "followers", 0, "x"), 80), "/state/followers/0", "out_of_range"),
    "a follower of no kind": (
        lambda v: put(v, ("state", "followers", 0, "kind"), "king"),
        "/state/followers/0/kind",
        "not_one_of",
    ),
    "a follower on another terrain": (
        lambda v: put(
            v,
            ("state", "followers", 0, "kind"),
            "sailor" if v["state"]["followers"][0]["kind"] != "sailor" else "robber",
        ),
        "/state/followers/0/kind",
        "not_one_of",
    ),
    "followers out of order": (
        lambda v: put(v, ("state", "followers"), v["state"]["followers"][::-1]),
        "/state/followers/",
        "out_of_range",
    ),
    "a follower too many": (
        lambda v: put(v, ("state", "supply", 0), v["state"]["supply"][0] - 1),
        "/state/supply/0",
        "",
    ),
    "no hand": (lambda v: put(v, ("state", "hands"), [[], [], []]), "/state/hands/", "out_of_range"),
    "a tile too often": (lambda v: put(v, ("state", "discarded"), ["8m"] * 5), "/state/discarded/", "duplicate"),
    "the start tile again": (
        lambda v: put(v, ("state", "discarded"), [v["state"]["tiles"][0]["tile"]]),
        "/state/discarded/0",
        "duplicate",
    ),
    "a deck too high": (lambda v: put(v, ("state", "deck_count"), 60), "/state/deck_count", "out_of_range"),
    "tiles set aside that are seen": (
        lambda v: put(v, ("state", "set_aside_count"), 1),
        "/state/deck_count",
        "out_of_range",
    ),
    "over already": (lambda v: put(put(v, ("phase",), "over"), ("to_act",), None), "/state/hands/", "out_of_range"),
}


@pytest.mark.parametrize("name", NEUES_LAND)
def test_what_cannot_be_in_neues_land(name: str) -> None:
    options, view = neues_land()
    assert view["phase"] == "place_tile"
    assert len(view["state"]["followers"]) > 1
    change, pointer, code = NEUES_LAND[name]
    assert refused(GAMES["neues-land"], view, options) is None
    found = refused(GAMES["neues-land"], change(view), options)
    assert found is not None
    assert found[0].startswith(pointer)
    assert found[1] == code or not code


def test_n24_a_follower_in_an_occupied_area() -> None:
    """Regions of the last tile that are not on offer, though the seat has followers, are occupied."""
    game = GAMES["neues-land"]
    options = game.options_type(expert=True)
    material: Any = game.material()
    kinds = {kind["id"]: kind for kind in material["kinds"]}
    found: Counter[bool] = Counter()
    for state in played(game, 11, 3, {"expert": True}).states[:150]:
        view = view_of(game, state, game.to_act(state))
        seat, tile = view["to_act"], view["state"]["tiles"][-1]
        if view["phase"] != "follower" or not view["state"]["supply"][seat]:
            continue
        offered = [action["region"] for action in view["legal_actions"] if action["type"] == "place_follower"]
        after, _ = game.apply(state, game.action_from_wire({"type": "pass"}))
        for region, shape in enumerate(kinds[tile["tile"]]["regions"]):
            forged = view_of(game, after, None)
            if forged["phase"] == "over":
                continue
            kind = {"plain": "explorer", "mountain": "robber", "water": "sailor"}[shape["terrain"]]
            forged["state"]["followers"].append(
                {"seat": seat, "x": tile["x"], "y": tile["y"], "region": region, "kind": kind}
            )
            forged["state"]["supply"][seat] -= 1
            pointer = f"/state/followers/{len(forged['state']['followers']) - 1}"
            assert refused(game, forged, options) == (None if region in offered else (pointer, "out_of_range"))
            found[region in offered] += 1
    assert found[True] > 10
    assert found[False] >= 10


def test_n50_n53_an_expert_hand_is_full_while_there_is_a_deck() -> None:
    options, view = neues_land(expert=True)
    game = GAMES["neues-land"]
    assert refused(game, view, options) is None
    seat = (view["to_act"] + 1) % 3
    found = refused(game, put(view, ("state", "hands", seat), view["state"]["hands"][seat][:1]), options)
    assert found == (f"/state/hands/{seat}", "out_of_range")
    other = game.options_type(expert=False)
    found = refused(game, view, other)
    assert found is not None
    assert found[0].startswith("/state/hands/")


def wunderland(phase: str, postcards: str = "own_turn") -> tuple[Any, dict[str, Any]]:
    """The view of the seat to act, at a late position of that phase with a redeemed card where there is one."""
    game = GAMES["wunderland"]
    options = {"postcards": postcards, "round_limit": 30}
    found = [
        state
        for seed in range(3)
        for state in played(game, seed, 3, options).states
        if game.phase(state) == phase and game.view(state, None)["deck_count"] != 0
    ]
    state = max(found, key=lambda state: sum(game.scores(state)))
    return game.options_type(**options), view_of(game, state, game.to_act(state))


def _moved(view: dict[str, Any]) -> dict[str, Any]:
    """A traveller too many at Knuffingen."""
    place = "knuffingen"
    return put(view, ("state", "travellers", 0, place), view["state"]["travellers"][0].get(place, 0) + 1)


WUNDERLAND: dict[str, tuple[str, Callable[[dict[str, Any]], Any], str, str]] = {
    "one player": ("turn", lambda v: put(v, ("scores",), [0]), "/scores", "out_of_range"),
    "a round too late": ("turn", lambda v: put(v, ("state", "round"), 31), "/state/round", "out_of_range"),
    "a card in two places": (
        "turn",
        lambda v: put(v, ("state", "redeemed", 2), [v["state"]["hand"][0]]),
        "/state/hand/0",
        "duplicate",
    ),
    "a card twice in the hand": (
        "turn",
        lambda v: put(v, ("state", "hand"), v["state"]["hand"][:1] * 2),
        "/state/hand/1",
        "duplicate",
    ),
    "no such card": ("turn", lambda v: put(v, ("state", "hand", 0), "c99"), "/state/hand/0", "not_one_of"),
    "no hand of the own seat": ("turn", lambda v: put(v, ("state", "hand"), None), "/state/hand", "out_of_range"),
    "a spectator's hand": ("turn", lambda v: put(v, ("seat",), None), "/state/hand", "out_of_range"),
    "a card too many": ("turn", lambda v: put(v, ("state", "hand_counts", 1), 3), "/state/hand_counts/1", ""),
    "a card too few": ("turn", lambda v: put(v, ("state", "hand_counts", 1), 1), "/state/hand_counts/1", ""),
    "a deck too high": ("turn", lambda v: put(v, ("state", "deck_count"), 47), "/state/deck_count", "out_of_range"),
    "a traveller too many": ("turn", _moved, "/state/travellers/0", "out_of_range"),
    "no such place": (
        "turn",
        lambda v: put(v, ("state", "travellers", 0, "nowhere"), 1),
        "/state/travellers/0/nowhere",
        "unknown",
    ),
    "a place without travellers": (
        "turn",
        lambda v: put(v, ("state", "travellers", 0), {"knuffingen": 8, "oslo": 0}),
        "/state/travellers/0/",
        "",
    ),
    "a postcard too many": (
        "turn",
        lambda v: put(v, ("state", "postcards_left"), dict.fromkeys(v["state"]["postcards_left"], 15)),
        "/state/postcards_left/",
        "out_of_range",
    ),
    "another acts": ("turn", lambda v: put(v, ("to_act",), (v["to_act"] + 1) % 3), "/to_act", "out_of_range"),
    "no active seat": ("turn", lambda v: put(v, ("state", "active_seat"), None), "/state/active_seat", "out_of_range"),
    "points of nothing": ("turn", lambda v: put(v, ("scores", 1), 5), "/scores/1", "out_of_range"),
    "asked about nothing": ("turn", lambda v: put(v, ("state", "seats_to_ask"), [1]), "/state/seats_to_ask", ""),
    "a journey before it": (
        "turn",
        lambda v: put(v, ("state", "journey"), {"origin": "knuffingen", "destination": "oslo"}),
        "/state/journey",
        "out_of_range",
    ),
    "asked about no journey": ("companions", lambda v: put(v, ("state", "journey"), None), "/state/journey", ""),
    "a journey too far": (
        "companions",
        lambda v: put(v, ("state", "journey", "destination"), v["state"]["journey"]["origin"]),
        "/state/journey/destination",
        "not_one_of",
    ),
    "asked oneself": (
        "companions",
        lambda v: put(
            put(v, ("state", "seats_to_ask"), [v["state"]["active_seat"]]), ("to_act",), v["state"]["active_seat"]
        ),
        "/state/seats_to_ask/0",
        "out_of_range",
    ),
    "a phase too early": ("after", lambda v: put(v, ("phase",), "final"), "/state/seats_to_ask", "out_of_range"),
    "nothing has ended it": (
        "final",
        lambda v: put(v, ("state", "round"), 2),
        "/phase",
        "out_of_range",
    ),
    "asked in another order": (
        "final",
        lambda v: put(v, ("state", "seats_to_ask"), v["state"]["seats_to_ask"][:1] * 2),
        "/state/seats_to_ask",
        "out_of_range",
    ),
    "over by nothing": ("over", lambda v: put(v, ("state", "round"), 2), "/phase", "out_of_range"),
    "over without the postcards": (
        "over",
        lambda v: put(v, ("scores", 0), v["scores"][0] + 1),
        "/scores/0",
        "out_of_range",
    ),
}


@pytest.mark.parametrize("name", WUNDERLAND)
def test_what_cannot_be_in_wunderland(name: str) -> None:
    phase, change, pointer, code = WUNDERLAND[name]
    options, view = wunderland(phase)
    game = GAMES["wunderland"]
    assert refused(game, view, options) is None
    found = refused(game, change(view), options)
    assert found is not None
    assert found[0].startswith(pointer)
    assert found[1] == code or not code


def test_w50_a_game_that_somebody_has_ended_is_in_its_final_phase() -> None:
    options, view = wunderland("turn")
    piles = view["state"]["postcards"]
    piles[0] = dict.fromkeys(piles[0], 1)
    view["state"]["postcards_left"] = {key: 16 - sum(pile[key] for pile in piles) for key in piles[0]}
    assert refused(GAMES["wunderland"], view, options) == ("/phase", "out_of_range")


def test_an_aborted_match_and_one_that_all_others_left_cannot_be_gone_on_with(game: Game[Any]) -> None:
    match = some(game)[0]
    options = play.options_of(game, match.match)
    view = view_of(game, match.states[len(match.states) // 2], 0)
    assert refused(game, view | {"to_act": None}, options) == ("/to_act", "out_of_range")
    assert refused(game, view | {"to_act": None, "phase": "over"}, options) is not None


# --- anything at all --------------------------------------------------------------------------------------------

JUNK: tuple[Any, ...] = (None, True, -1, 0, 1, 2, 3, 90, 1.0, 2**60, "", "8m", "c01", "oslo", [], {}, [0], {"x": 0})


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def mutated(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """One thing in the view is another, is gone, or has changed its place."""
    paths = [path for path in places({key: view[key] for key in view if key != "legal_actions"}) if path]
    path, other = rng.choice(paths), rng.choice(paths)
    kind = rng.random()
    if kind < 0.5:
        return put(view, path, rng.choice(JUNK))
    if kind < 0.7:
        return leave(view, path)
    value: Any = view
    for key in other:
        value = value[key]
    return put(view, path, copy.deepcopy(value))


def test_whatever_comes_is_refused_or_imagined_just_as_it_is(game: Game[Any]) -> None:
    """A view that is accepted after a random change is one that a world has, and the world can be played."""
    rng = random.Random(20)
    accepted = 0
    for match in some(game)[:: max(1, len(some(game)) // 12)]:
        options = play.options_of(game, match.match)
        for _ in range(100):
            state = rng.choice(match.states)
            view = mutated(view_of(game, state, rng.choice((None, *range(match.match.players)))), rng)
            if refused(game, view, options) is not None:
                continue
            accepted += 1
            world = game.imagine(view, options).world(b"any")
            seen = view_of(game, world, view["seat"])
            for key in ("seat", "to_act", "phase", "scores", "state"):
                assert seen[key] == view[key], key
            play_to_the_end(game, world, rng)
    assert accepted > 20
