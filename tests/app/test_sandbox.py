"""What if: worlds of a view, and what comes of branches in them."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import pytest

from spieltisch_service.app.callers import ANONYMOUS, Account, Caller
from spieltisch_service.app.errors import InvalidBody, Unauthenticated
from spieltisch_service.app.sandbox import MOST_POSITIONS, Sandbox, WhatIf, world_seed
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action, Game
from tests.games.played import played
from tests.games.views import view_of

SOMEBODY = Caller(account=Account("ac_1", "Ada", "bot", 0))
OPTIONS: dict[str, dict[str, Any]] = {"neues-land": {"expert": True}, "wunderland": {"round_limit": 20}}
READ = ("game", "seat", "to_act", "phase", "scores", "state")


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    value: Game[Any] = request.param
    return value


def asked(game: Game[Any], view: Any, branches: Sequence[Sequence[Action]] = ((),), **rest: Any) -> Any:
    """The answer, as it comes over the wire."""
    question = {"options": OPTIONS[game.id], "worlds": 1, "seed": "a", **rest}
    answer = Sandbox().imagine(SOMEBODY, WhatIf(game=game.id, view=view, branches=branches, **question))
    return json.loads(json.dumps(answer, default=lambda action: action.to_wire()))


def position(game: Game[Any], seed: int = 3) -> Any:
    """A state in the middle of a match of three, in which a seat of the matches' first turn acts."""
    states = played(game, seed, 3, OPTIONS[game.id]).states
    middle = len(states) // 2
    return next(state for state in states[middle:] if game.phase(state) == game.phases[0])


def test_without_actions_a_world_shows_the_view_itself(game: Game[Any]) -> None:
    state = position(game)
    for seat in (None, game.to_act(state)):
        view = view_of(game, state, seat)
        for world in asked(game, view, worlds=32)["worlds"]:
            [branch] = world["branches"]
            assert branch["error"] is None
            assert {key: branch["view"][key] for key in READ} == {key: view[key] for key in READ}
            assert set(branch["view"]) == {*READ, "legal_actions", "result"}
            if seat is not None:
                assert branch["view"]["legal_actions"] == view["legal_actions"]


def test_what_a_seat_does_with_what_it_sees_is_the_same_in_every_world_and_in_the_match(game: Game[Any]) -> None:
    """The first action of a turn touches nothing hidden, but where it draws."""
    state = position(game)
    seat = game.to_act(state)
    own = list(game.legal(state))[-3:]
    answer = asked(game, view_of(game, state, seat), [[action] for action in own], worlds=8)
    for world in answer["worlds"]:
        for action, branch in zip(own, world["branches"], strict=True):
            after, _ = game.apply(state, action)
            assert branch["view"]["to_act"] == game.to_act(after)
            assert branch["view"]["phase"] == game.phase(after)
            assert branch["view"]["scores"] == list(game.scores(after))


def test_worlds_differ_in_what_is_hidden() -> None:
    """W70: the cards of the next seat to act are drawn anew in each world, and only what it may do tells them."""
    game = GAMES["wunderland"]
    state, _ = game.start(game.options_type(), game.deal(None, 2, bytes(32)), 2)
    spectator = view_of(game, state, None)
    answer = asked(game, spectator, worlds=2, options={})
    assert all(branch["view"]["state"]["hand"] is None for world in answer["worlds"] for branch in world["branches"])
    neues_land = GAMES["neues-land"]
    state, _ = neues_land.start(neues_land.options_type(), neues_land.deal(neues_land.options_type(), 2, bytes(32)), 2)
    turn = [next(iter(neues_land.legal(state))), neues_land.action_from_wire({"type": "pass"})]
    answer = asked(neues_land, view_of(neues_land, state, 0), [turn], worlds=32, options={})
    drawn = [world["branches"][0]["view"]["state"]["hands"][1][0] for world in answer["worlds"]]
    assert len(set(drawn)) > 10


def test_the_answer_depends_on_the_question_alone_and_more_worlds_are_more_of_the_same(game: Game[Any]) -> None:
    view = view_of(game, position(game), None)
    turn = [[], [GAMES[game.id].default_action(position(game))]]
    four, again, eight = (asked(game, view, turn, worlds=worlds) for worlds in (4, 4, 8))
    assert four == again
    assert eight["worlds"][:4] == four["worlds"]


def test_the_seed_of_a_world_is_the_one_that_is_described() -> None:
    assert world_seed("a\nb", 7) == hashlib.sha256(b"spieltisch-world/1\n7\na\nb").digest()


def test_an_action_that_the_rules_forbid_ends_its_branch_alone() -> None:
    game = GAMES["neues-land"]
    view = view_of(game, position(game), 0)
    first = game.action_from_wire(asked(game, view)["worlds"][0]["branches"][0]["view"]["legal_actions"][0])
    stop = game.action_from_wire({"type": "pass"})
    [world] = asked(game, view, [[first, stop, stop], [stop], [first, stop]])["worlds"]
    late, early, fine = world["branches"]
    assert (late["view"], late["error"]["index"], late["error"]["rule"]) == (None, 2, "N23")
    assert (early["view"], early["error"]["index"], early["error"]["rule"]) == (None, 0, "N23")
    assert late["error"]["suggestions"][0]["type"] == "place_tile"
    assert fine["error"] is None


@pytest.mark.parametrize(("name", "rule", "last"), [("neues-land", "N40", "pass"), ("wunderland", "W51", "end_turn")])
def test_an_imagined_game_can_end_and_its_last_view_be_asked_about(name: str, rule: str, last: str) -> None:
    game = GAMES[name]
    match = played(game, 5, 2, OPTIONS[name])
    before = max(number for number, action in enumerate(match.actions) if action.type == last)
    view = view_of(game, match.states[before], None)
    branches = [match.actions[before:], [*match.actions[before:], match.actions[-1]]]
    [world] = asked(game, view, branches)["worlds"]
    ended, beyond = world["branches"]
    outcome = game.outcome(match.states[-1])
    wanted = {"scores": list(outcome.scores), "ranks": list(outcome.ranks), "end_reason": "completed"}
    assert ended["view"]["result"] == wanted
    assert ended["view"]["scores"] == list(outcome.scores)
    assert (ended["view"]["phase"], ended["view"]["to_act"], ended["view"]["legal_actions"]) == ("over", None, None)
    assert (beyond["error"]["rule"], beyond["error"]["index"]) == (rule, len(branches[0]))
    assert beyond["error"]["suggestions"] == []
    assert asked(game, ended["view"])["worlds"][0]["branches"][0]["view"] == ended["view"]


def test_a_view_that_comes_back_can_be_sent_again(game: Game[Any]) -> None:
    """Whole games, question by question."""
    view = view_of(game, position(game), None)
    for step in range(25):
        [world] = asked(game, view, seed=str(step))["worlds"]
        view = world["branches"][0]["view"]
        if view["to_act"] is None:
            return
        action = game.action_from_wire(view["legal_actions"][step % len(view["legal_actions"])])
        [world] = asked(game, view, [[action]], seed=str(step))["worlds"]
        assert world["branches"][0]["error"] is None
        view = world["branches"][0]["view"]


def test_an_impossible_view_is_pointed_at(game: Game[Any]) -> None:
    view = view_of(game, position(game), None)
    view["state"]["deck_count"] = 99
    with pytest.raises(InvalidBody) as refusal:
        asked(game, view)
    assert [(error.pointer, error.code) for error in refusal.value.errors] == [
        ("/view/state/deck_count", "out_of_range")
    ]


def test_a_question_has_its_price(game: Game[Any]) -> None:
    view = view_of(game, position(game), None)
    assert len(asked(game, view, [[]] * (MOST_POSITIONS // 32), worlds=32)["worlds"]) == 32
    with pytest.raises(InvalidBody) as refusal:
        asked(game, view, [[]] * (MOST_POSITIONS // 32 + 1), worlds=32)
    assert [(error.pointer, error.code) for error in refusal.value.errors] == [("/branches", "out_of_range")]


def test_nobody_is_answered_without_a_token() -> None:
    with pytest.raises(Unauthenticated):
        Sandbox().imagine(ANONYMOUS, WhatIf("neues-land", {}, None, 1, "", [[]]))
