"""What every game of the catalogue promises, over whole matches played by chance.

`--games N` sets how many of each game (200; the count that a release is held to is 10,000).
"""

import functools
import itertools
import json
import random
from typing import Any

import pytest

from spieltisch_service.domain import play
from spieltisch_service.domain.errors import InvalidRecord
from spieltisch_service.domain.events import canonical
from spieltisch_service.domain.verify import verify
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.games.contract import Action, Game, ranks
from spieltisch_service.games.errors import IllegalAction, UnknownFormat
from tests.games.played import OPTIONS, Played, played, settings
from tests.games.tampering import TAMPERINGS, rechained

CHUNKS = 10


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chunk" in metafunc.fixturenames:
        metafunc.parametrize("chunk", range(CHUNKS))


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    value: Game[Any] = request.param
    return value


@functools.cache
def some(game: Game[Any], count: int) -> list[Played]:
    return [played(game, *each) for each in settings(game, count)]


def test_whole_matches(game: Game[Any], chunk: int, games_per_game: int) -> None:
    """Every listed action applies, both faces agree, replay and record give the same end, tampering is found."""
    for seed, players, options in itertools.islice(settings(game, games_per_game), chunk, None, CHUNKS):
        match = played(game, seed, players, options)
        check_faces(match)
        check_every_listed_action(match, random.Random(seed))
        check_record(match, random.Random(seed))


def check_faces(match: Played) -> None:
    """`playout` equals `apply`, at every ply."""
    game, playout = match.game, match.game.playout(match.states[0])
    for state, legal, action in zip(match.states, match.legal, match.actions, strict=False):
        assert playout.to_act() == game.to_act(state)
        assert list(playout.legal()) == list(legal)
        assert tuple(playout.scores()) == tuple(game.scores(state))
        playout.push(action)
    end = playout.snapshot()
    assert playout.to_act() is None
    assert list(playout.legal()) == []
    assert game.outcome(end) == game.outcome(match.states[-1])
    assert canonical(game.encode(end)) == canonical(game.encode(match.states[-1]))


def check_every_listed_action(match: Played, rng: random.Random) -> None:
    """At some plies every listed action is accepted, and recorded as it was listed."""
    game = match.game
    for ply in rng.sample(range(len(match.actions)), 3):
        legal = match.legal[ply]
        assert len(set(legal)) == len(legal) > 0
        for action in legal:
            assert game.action_from_wire(action.to_wire()) == action
            _, data = game.apply(match.states[ply], action)
            assert data.get("action", action.to_wire()) == action.to_wire()


def check_record(match: Played, rng: random.Random) -> None:
    """The record proves itself, a fold of the log ends where the match ended, and no tampered copy is accepted."""
    again, state = play.replayed(match.game, match.match, match.secret, match.log)
    assert again == match.match
    for seat in (None, *range(match.match.players)):
        folded = canonical(play.view(match.game, again, state, seat))
        assert folded == canonical(play.view(match.game, match.match, match.states[-1], seat))
    record = match.record()
    verify(record)
    for name in rng.sample(sorted(TAMPERINGS), 6):
        tampered = TAMPERINGS[name](json.loads(json.dumps(record)))
        if tampered is None:
            continue
        with pytest.raises(InvalidRecord):
            verify(tampered)


@pytest.mark.parametrize("name", TAMPERINGS)
def test_each_tampering_is_refused(game: Game[Any], name: str) -> None:
    tampered = [
        copy
        for match in some(game, 4)
        if (copy := TAMPERINGS[name](json.loads(json.dumps(match.record())))) is not None
    ]
    for copy in tampered:
        with pytest.raises(InvalidRecord):
            verify(copy)


def test_another_legal_match_proves_itself_and_has_another_hash() -> None:
    """The limit of a record: of five postcards only four count (W61), so the fifth is missed by nothing but the hash.

    Found by chance: here a collect is left out in the middle of a turn, and the log is chained again.
    """
    honest = played(GAMES["wunderland"], 9664, 3, {"postcards": "with_travel", "round_limit": 4}).record()
    other = json.loads(json.dumps(honest))
    del other["events"][len(other["events"]) // 2]
    verify(rechained(other))
    assert other["result"] == honest["result"]
    assert other["hash"] != honest["hash"]


def test_a_view_at_a_ply_is_the_same_live_decoded_and_replayed(game: Game[Any]) -> None:
    for match in some(game, 12):
        rng = random.Random(1)
        for ply in rng.sample(range(len(match.actions)), 5):
            state = match.states[ply]
            decoded = game.decode(json.loads(json.dumps(game.encode(state))))
            _, folded = play.replayed(game, match.match, match.secret, match.log[: 2 + ply])
            for seat in (None, *range(match.match.players)):
                live = json.dumps(game.view(state, seat), sort_keys=True)
                assert live == json.dumps(game.view(decoded, seat), sort_keys=True)
                assert live == json.dumps(game.view(folded, seat), sort_keys=True)
            assert list(game.legal(decoded)) == list(match.legal[ply]) == list(game.legal(folded))
            assert game.turn(decoded) == game.turn(state) == game.turn(folded)


def test_apply_changes_nothing(game: Game[Any]) -> None:
    for match in some(game, 6):
        for ply in range(0, len(match.actions), 7):
            before = canonical(game.encode(match.states[ply]))
            game.apply(match.states[ply], match.actions[ply])
            playout = game.playout(match.states[ply])
            playout.push(match.actions[ply])
            assert canonical(game.encode(match.states[ply])) == before


def test_a_snapshot_is_not_changed_by_later_pushes(game: Game[Any]) -> None:
    for match in some(game, 4):
        playout = game.playout(match.states[0])
        middle = len(match.actions) // 2
        for action in match.actions[:middle]:
            playout.push(action)
        snapshot = playout.snapshot()
        for action in match.actions[middle:]:
            playout.push(action)
        assert canonical(game.encode(snapshot)) == canonical(game.encode(match.states[middle]))


def test_turns_phases_and_the_end(game: Game[Any]) -> None:
    for match in some(game, 12):
        turns = [game.turn(state) for state in match.states]
        assert turns[0] == 0
        assert all(later - earlier >= 0 for earlier, later in itertools.pairwise(turns))
        assert {game.phase(state) for state in match.states} <= set(game.phases)
        assert game.phase(match.states[-1]) == game.phases[-1] == "over"
        outcome = game.outcome(match.states[-1])
        assert outcome.ranks == ranks(outcome.scores)
        assert all(game.phase(state) != "over" for state in match.states[:-1])


def test_the_default_action_is_legal_and_public(game: Game[Any]) -> None:
    """Whatever a seat that left cannot be seen to hold must not show in what is played for it."""
    for match in some(game, 8):
        for ply, state in enumerate(match.states[:-1]):
            assert game.default_action(state) in match.legal[ply]


def test_a_refusal_names_a_rule_and_legal_suggestions(game: Game[Any]) -> None:
    for match in some(game, 6):
        for ply in range(0, len(match.actions), 11):
            legal = set(match.legal[ply])
            for other in {action for later in match.legal[ply + 1 :: 17] for action in later[:4]} - legal:
                refusal = refused(game, match.states[ply], other)
                if refusal is None:
                    _, data = game.apply(match.states[ply], other)
                    assert game.action_from_wire(data["action"]) in legal
                    continue
                assert refusal.rule[0] in "NW"
                assert refusal.rule[1:].isdigit()
                assert refusal.detail
                assert 1 <= len(refusal.suggestions) <= 3
                assert set(refusal.suggestions) <= legal


def refused(game: Game[Any], state: Any, action: Action) -> IllegalAction | None:
    try:
        game.apply(state, action)
    except IllegalAction as refusal:
        return refusal
    return None


def test_notation_tells_the_legal_actions_apart(game: Game[Any]) -> None:
    for match in some(game, 6):
        for legal in match.legal[::9]:
            lines = [game.notation(action) for action in legal]
            assert len(set(lines)) == len(lines)
            assert all(line and "\n" not in line for line in lines)


def test_the_text_board_shows_every_view(game: Game[Any]) -> None:
    for match in some(game, 4):
        for state in match.states[::13]:
            for seat in (None, 0):
                assert game.describe(json.loads(json.dumps(game.view(state, seat)))).strip()


def test_every_option_is_tried(game: Game[Any]) -> None:
    assert game.id in OPTIONS, f"add the options of {game.id} to tests/games/played.py"


def test_an_unknown_format_is_refused(game: Game[Any]) -> None:
    data = game.encode(some(game, 1)[0].states[0])
    with pytest.raises(UnknownFormat):
        game.decode({**data, "format": 999})


def test_catalogue_texts(game: Game[Any]) -> None:
    assert set(game.name) == {"de", "en"}
    for language in game.name:
        assert game.rules(language).startswith("#")
    assert json.loads(json.dumps(game.material())) == game.material()


def test_deal_reads_back(game: Game[Any]) -> None:
    for match in some(game, 6):
        assert match.secret.deal is not None
        options = play.options_of(game, match.match)
        deal = game.parse_deal(match.secret.deal, options, match.match.players)
        assert game.deal_to_wire(deal) == match.secret.deal
