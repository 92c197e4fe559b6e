"""The environments keep PettingZoo's contract, and play by the rules of the games."""

from collections.abc import Callable
from typing import Any, cast

import pytest

pytest.importorskip("pettingzoo", reason="the extra rl is not installed: pip install 'spieltisch-service[rl]'")

import numpy as np
from pettingzoo.test.api_test import api_test
from pettingzoo.test.seed_test import seed_test

from spieltisch_service.games.contract import Outcome
from spieltisch_service.rl.env import TableEnv, deal_seed, env, raw_env
from tests.rl.tables import COUNTS, SHORT, TABLES, first_state, pick, played

# PettingZoo says these two of every environment with a mask that is not in a list of its own.
PETTINGZOO_SAYS = (
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
)


def contract(test: Callable[..., None]) -> Callable[..., None]:
    """A test of PettingZoo's own."""
    for mark in PETTINGZOO_SAYS:
        test = mark(test)
    return test


@contract
@pytest.mark.parametrize(("game", "players"), COUNTS)
def test_it_passes_pettingzoos_test(game: str, players: int) -> None:
    api_test(env(game, players), num_cycles=1000)  # type: ignore[no-untyped-call]


@contract
@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_it_passes_pettingzoos_test_with_options(game: str, players: int, options: dict[str, Any]) -> None:
    api_test(env(game, players, options), num_cycles=100)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(("game", "players"), COUNTS)
def test_the_same_seed_is_the_same_game(game: str, players: int) -> None:
    seed_test(lambda: env(game, players), num_cycles=40)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_the_mask_allows_what_is_legal_and_nothing_else(game: str, players: int, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    steps = 0
    for table, state in played(game, players, options, 11):
        legal = list(table.game.legal(state))
        if not legal:
            break
        steps += 1
        agent = f"seat_{table.game.to_act(state)}"
        assert table.agent_selection == agent
        choices = dict(table.choices())
        assert list(choices.values()) == legal
        # Now and then, for it takes longer: what an agent is told.
        if rng.random() < 0.2:
            observation = table.observe(agent)
            assert np.flatnonzero(observation["action_mask"]).tolist() == sorted(choices)
            assert dict(table.choices()) == choices
            for seen_by in table.agents:
                seen = table.observe(seen_by)
                assert table.observation_space(seen_by).contains(seen)
                assert seen["action_mask"].any() == (seen_by == agent)
    assert steps > 20
    outcome = table.game.outcome(state)
    assert [table.infos[agent]["score"] for agent in table.agents] == list(outcome.scores)
    assert [table.infos[agent]["rank"] for agent in table.agents] == list(outcome.ranks)


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_there_is_no_reward_before_the_end_and_none_is_made_by_it(
    game: str, players: int, options: dict[str, Any]
) -> None:
    for table, state in played(game, players, options, 3):
        if table.game.to_act(state) is None:
            break
        assert set(table.rewards.values()) == {0}
        assert not any(table.terminations.values())
        assert not any(table.infos.values())
    assert all(table.terminations.values())
    assert not any(table.truncations.values())
    assert sum(table.rewards.values()) == pytest.approx(0)
    while table.agents:
        observation, reward, terminated, _, info = table.last()
        assert terminated
        assert observation is not None
        assert not observation["action_mask"].any()
        assert info["rank"] in range(1, players + 1)
        assert -1 <= reward <= 1
        table.step(None)


@pytest.mark.parametrize(
    ("scores", "ranks", "rewards"),
    [
        ((50, 30), (1, 2), [1, -1]),
        ((30, 30), (1, 1), [0, 0]),
        ((50, 30, 40), (1, 3, 2), [1, -1, 0]),
        ((50, 30, 30), (1, 2, 2), [1, -0.5, -0.5]),
        ((9, 9, 9, 1), (1, 1, 1, 4), [1 / 3, 1 / 3, 1 / 3, -1]),
    ],
)
def test_the_reward_is_who_was_beaten_less_who_was_not(
    scores: tuple[int, ...], ranks: tuple[int, ...], rewards: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = raw_env("wunderland", len(scores), {"round_limit": 1})
    monkeypatch.setattr(type(table.game), "outcome", lambda *_: Outcome(scores, ranks, {}))
    table.reset(seed=1)
    rng = np.random.default_rng(1)
    while not any(table.terminations.values()):
        table.step(pick(table, rng)[0])
    assert list(table.rewards.values()) == pytest.approx(rewards)
    assert [table._cumulative_rewards[agent] for agent in table.agents] == pytest.approx(rewards)


@pytest.mark.parametrize(("game", "players"), COUNTS)
def test_an_illegal_action_ends_the_game_and_costs_who_did_it(game: str, players: int) -> None:
    table = env(game, players, SHORT[game])
    table.reset(seed=4)
    rng = np.random.default_rng(4)
    table.step(pick(cast(TableEnv, table.unwrapped), rng)[0])
    observation, *_ = table.last()
    assert observation is not None
    culprit = table.agent_selection
    table.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    assert all(table.terminations.values())
    rewards = {}
    for agent in table.agent_iter():
        _, rewards[agent], *_ = table.last()
        table.step(None)
    assert rewards == {agent: -1.0 if agent == culprit else 0.0 for agent in table.possible_agents}


def test_an_illegal_action_changes_nothing_without_the_wrapper() -> None:
    table = raw_env()
    table.reset(seed=4)
    before = table.observe("seat_0")
    for illegal in (9, int(np.flatnonzero(before["action_mask"] == 0)[-1]), -1, table.encoding.action_count, None):
        with pytest.raises(ValueError, match="is not legal for seat_0"):
            table.step(illegal)
    assert table.agent_selection == "seat_0"
    after = table.observe("seat_0")
    assert np.array_equal(after["observation"], before["observation"])
    assert np.array_equal(after["action_mask"], before["action_mask"])


def test_what_is_no_number_of_an_action_is_refused() -> None:
    table = env()
    table.reset(seed=4)
    with pytest.raises(AssertionError, match="not in action space"):
        table.step(4526)


def test_an_observation_may_be_kept_and_changed() -> None:
    table = raw_env("wunderland", 2)
    table.reset(seed=4)
    kept = table.observe("seat_0")
    kept["observation"][:] = 7
    kept["action_mask"][:] = 0
    again = table.observe("seat_0")
    assert not (again["observation"] == 7).all()
    assert again["action_mask"].sum() == len(table.choices()) > 0


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_render_shows_what_a_spectator_sees(game: str, players: int, options: dict[str, Any]) -> None:
    table = raw_env(game, players, options, render_mode="ansi")
    table.reset(seed=8)
    state = first_state(table, 8)
    assert table.render() == table.game.describe(table.game.view(state, None))
    number, action = next(iter(table.choices().items()))
    table.step(number)
    state, _ = table.game.apply(state, action)
    assert table.render() == table.game.describe(table.game.view(state, None))
    table.close()


def test_render_without_a_mode_says_so() -> None:
    table = raw_env()
    table.reset()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert table.render() is None


# printf 'spieltisch-rl/1\n7\n0' | sha256sum
SEED_7 = "8dd2f76df089d17a4bf7e1f8ec38c2b8fd709988d738871297b4eca0c60e9683"


def test_a_seed_gives_the_deal_today_and_ever_after() -> None:
    assert deal_seed(7, 0).hex() == SEED_7
    table = raw_env("wunderland", 2)
    table.reset(seed=7)
    deal = table.game.deal_to_wire(table.game.deal(table.options, 2, bytes.fromhex(SEED_7)))
    deck = cast(list[str], deal["deck"])
    assert table.view("seat_0")["state"]["hand"] == deck[:2]
    assert table.view("seat_1")["state"]["hand"] == deck[2:4]


def test_resets_go_on_from_the_last_seed() -> None:
    def hands(seeds: list[int | None]) -> list[list[str]]:
        table = raw_env("wunderland", 2)
        found = []
        for seed in seeds:
            table.reset(seed=seed)
            found.append(table.view("seat_0")["state"]["hand"])
        return found

    first = hands([7, None, None, 7, 8])
    assert first == hands([7, None, None, 7, 8])
    assert first[0] == first[3]
    assert len({tuple(hand) for hand in first}) == 4
    assert hands([None]) != hands([None]) or hands([None]) != hands([None])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"players": 6}, "2 to 5 players, not 6"),
        ({"game": "wunderland", "players": 1}, "2 to 4 players, not 1"),
        ({"options": {"speed": 1}}, "no option 'speed'; it has expert, equal_turns"),
        ({"options": {"expert": 1}}, "1 is no value of the option 'expert'"),
        ({"game": "wunderland", "options": {"postcards": "never"}}, "'never' is no value"),
        ({"game": "wunderland", "options": {"round_limit": 0}}, "0 is no value"),
        ({"game": "wunderland", "options": {"round_limit": True}}, "True is no value"),
        ({"render_mode": "human"}, "no render mode 'human'"),
    ],
)
def test_a_table_that_cannot_be_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        env(**arguments)


def test_an_environment_says_what_it_is() -> None:
    assert str(env()) == "neues_land_v0"
    assert str(env("wunderland")) == "wunderland_v0"
    assert raw_env().metadata["render_modes"] == ["ansi"]
    assert raw_env(players=5).possible_agents == ["seat_0", "seat_1", "seat_2", "seat_3", "seat_4"]
