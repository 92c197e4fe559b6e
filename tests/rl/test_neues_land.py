"""What an agent sees of Neues Land, and the numbers of its actions, as `rl/neues_land.py` promises them."""

from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="the extra rl is not installed: pip install 'spieltisch-service[rl]'")

import numpy as np

from spieltisch_service.games.contract import Action
from spieltisch_service.games.neues_land.model import (
    NeuesLandOptions,
    Pass,
    PlaceFollower,
    PlaceTile,
    RecallFollower,
)
from spieltisch_service.rl.env import TableEnv, raw_env
from spieltisch_service.rl.neues_land import NeuesLandEncoding
from tests.rl.areas import EDGES, Land
from tests.rl.tables import pick, played

TERRAINS = ("plain", "mountain", "water")


def tile(x: int, y: int, rotation: int = 0, kind: str = "8m") -> PlaceTile:
    return PlaceTile(tile=kind, x=x, y=y, rotation=rotation)


def numbers(phase: str, legal: list[Action], *hand: str) -> list[int]:
    encoding = NeuesLandEncoding(2, NeuesLandOptions(expert=len(hand) > 1))
    return encoding.indices({"phase": phase, "seat": 1, "state": {"hands": [["8g"], list(hand)]}}, legal)


def test_a_placement_in_the_window_has_the_number_of_its_cell_and_rotation() -> None:
    legal: list[Action] = [
        tile(-15, -15),
        tile(-15, -15, 90),
        tile(-14, -15),
        tile(-15, -14),
        tile(1, 0, 90),
        tile(15, 15, 270),
    ]
    # 10 + ((y + 15) * 31 + x + 15) * 4 + quarter turns
    assert numbers("place_tile", legal, "8m") == [10, 11, 14, 134, 1935, 3853]


def test_placements_outside_the_window_are_counted_in_their_order() -> None:
    legal: list[Action] = [tile(-83, 0), tile(-15, 0), tile(0, -16, 180), tile(16, 0), tile(16, 0, 90)]
    assert numbers("place_tile", legal, "8m") == [3854, 10 + 15 * 31 * 4, 3855, 3856, 3857]


def test_the_second_tile_of_an_expert_hand_has_numbers_of_its_own() -> None:
    legal: list[Action] = [
        tile(-15, -15, kind="8m"),
        tile(20, 0, kind="8m"),
        tile(-15, -15, kind="8s"),
        tile(20, 0, kind="8s"),
    ]
    assert numbers("place_tile", legal, "8s", "8m") == [10 + 3844, 7698, 10, 7699]
    assert numbers("place_tile", legal[:2], "8m", "8m") == [10, 7698]


def test_followers_are_numbered_by_region_and_by_place() -> None:
    recalls = [RecallFollower(x=-3, y=2), RecallFollower(x=0, y=-1), RecallFollower(x=0, y=4), RecallFollower(x=5, y=0)]
    assert numbers("follower", [*recalls, Pass()]) == [5, 6, 7, 8, 9]
    assert numbers("follower", [PlaceFollower(region=1), PlaceFollower(region=4), recalls[0], Pass()]) == [1, 4, 5, 9]


@pytest.mark.parametrize(("expert", "actions"), [(False, 4526), (True, 9026)])
def test_there_are_so_many_actions(expert: bool, actions: int) -> None:
    assert raw_env("neues-land", 2, {"expert": expert}).encoding.action_count == actions


@pytest.mark.parametrize("expert", [False, True])
def test_nothing_legal_is_left_out_when_tiles_leave_the_window(expert: bool) -> None:
    table = raw_env("neues-land", 2, {"expert": expert})
    table.reset(seed=21)
    outside = 0
    while not any(table.terminations.values()):
        choices = dict(table.choices())
        tiles = {number: action for number, action in choices.items() if isinstance(action, PlaceTile)}
        beyond = {n: action for n, action in tiles.items() if max(abs(action.x), abs(action.y)) > 15}
        observation = table.observe(table.agent_selection)
        assert table.observation_space(table.agent_selection).contains(observation)
        assert np.flatnonzero(observation["action_mask"]).tolist() == sorted(choices)
        rows = table.parts(observation["observation"])["overflow"]
        hands = dict(zip(table.agents, table.view(table.agent_selection)["state"]["hands"], strict=True))
        first = 10 + 3844 * (2 if expert else 1)
        for number, action in beyond.items():
            slot, x, y, quarter = rows[number - first].tolist()
            assert PlaceTile(tile=hands[table.agent_selection][slot - 1], x=x, y=y, rotation=90 * quarter) == action
        assert np.count_nonzero(rows[:, 0]) == len(beyond)
        outside += len(beyond)
        # Always to the east, so that the game walks out of the window.
        table.step(max(tiles, key=lambda n: tiles[n].x) if tiles else 9)
    assert outside > 100


def looked_at(expert: bool) -> tuple[TableEnv, Any]:
    """A table in the middle of a random game, with followers on it, and the state of it."""
    for table, state in played("neues-land", 3, {"expert": expert}, 9):
        view = table.view("seat_0")
        if len(view["state"]["tiles"]) > 45 and len(view["state"]["followers"]) > 4 and view["phase"] == "follower":
            return table, state
    raise AssertionError("no such position")


@pytest.mark.parametrize("expert", [False, True])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_planes_count_areas_as_a_flood_fill_does(seat: int, expert: bool) -> None:
    table, _ = looked_at(expert)
    state = table.view(f"seat_{seat}")["state"]
    planes = table.parts(table.observe(f"seat_{seat}")["observation"])["board"]
    land = Land(state)
    assert np.argwhere(planes[..., 0:3].any(axis=2)).tolist() == sorted([y + 15, x + 15] for x, y in land.tiles)
    for x, y in land.tiles:
        cell = planes[y + 15, x + 15]
        regions = [land.region_at(x, y, edge) for edge in EDGES]
        assert cell[:12].tolist() == [
            int(land.terrain(x, y, region) == terrain) for region in regions for terrain in TERRAINS
        ]
        joined = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        assert cell[12:18].tolist() == [int(regions[a] == regions[b]) for a, b in joined]
        areas = [land.area(x, y, region) for region in regions]
        assert cell[18:22].tolist() == [area.tiles for area in areas]
        assert cell[22:26].tolist() == [area.open_edges for area in areas]
        assert cell[26:30].tolist() == [area.towns for area in areas]
        assert cell[30:34].tolist() == [area.followers.count(seat) for area in areas]
        assert cell[34:38].tolist() == [len(area.followers) - area.followers.count(seat) for area in areas]
        assert cell[38] == ({"x": x, "y": y} == state["last"])


def test_the_table_of_followers_says_what_a_recall_brings() -> None:
    recalled = 0
    for table, state in played("neues-land", 2, {}, 13):
        legal = [action for action in table.game.legal(state) if isinstance(action, RecallFollower)]
        if not legal:
            continue
        own = table.parts(table.observe(table.agent_selection)["observation"])["followers"][0]
        assert own[:, 0].sum() == len(legal)
        for row, action in zip(own, legal, strict=False):
            _, data = table.game.apply(state, action)
            assert row[1:3].tolist() == [action.x, action.y]
            assert row[5] == data["points"]
            recalled += 1
    assert recalled > 50


def test_standing_is_the_final_scoring_and_the_chair_turns_it() -> None:
    for step, (table, state) in enumerate(played("neues-land", 3, {}, 17)):
        if step % 7 and table.game.to_act(state) is not None:
            continue
        outcome = table.game.outcome(state)
        scores = table.game.scores(state)
        for seat in range(3):
            parts = table.parts(table.observe(f"seat_{seat}")["observation"])
            assert parts["standing"].tolist() == [outcome.scores[(seat + k) % 3] for k in range(3)]
            assert parts["scores"].tolist() == [scores[(seat + k) % 3] for k in range(3)]


def test_the_first_position() -> None:
    """N4, N10, N11, N20: by hand."""
    table = raw_env("neues-land", 2, {"equal_turns": True})
    table.reset(seed=1)
    view = table.view("seat_0")
    ids = sorted({kind["id"] for kind in table.game.material()["kinds"]})  # type: ignore[index, union-attr]
    drawn = ids.index(view["state"]["hands"][0][0]) + 1
    for seat, chair in ((0, 0), (1, 1)):
        parts = table.parts(table.observe(f"seat_{seat}")["observation"])
        assert parts["phase"].tolist() == [1, 0, 0]
        assert parts["to_act"].tolist() == [int(chair == 0), int(chair == 1)]
        assert parts["scores"].tolist() == parts["standing"].tolist() == [0, 0]
        assert parts["supply"].tolist() == [4, 4]
        assert parts["counts"].tolist() == [81, 1, 0]
        assert parts["hands"].ravel().tolist() == ([drawn, 0] if seat == 0 else [0, drawn])
        assert parts["hand"].any() == (seat == 0)
        assert parts["unseen"].sum() == 82
        assert parts["tiles"][0].tolist() == [0, 0, ids.index("161smg-01") + 1, 0, 0]
        assert not parts["tiles"][1:].any()
        assert not parts["followers"].any()
        assert not parts["board"][..., 38].any()


def test_what_is_unseen_is_what_the_deal_has_left() -> None:
    for step, (table, state) in enumerate(played("neues-land", 4, {"expert": True, "equal_turns": True}, 29)):
        if step % 20:
            continue
        parts = table.parts(table.observe("seat_2")["observation"])
        left = state.deck[state.top :]
        # The deal set three tiles aside (N12), which nobody has seen.
        assert parts["unseen"].sum() == len(left) + 3
        counts = np.bincount(np.array(left, dtype=int), minlength=70)
        assert (parts["unseen"] >= counts).all()


def test_a_view_of_the_api_is_read_as_the_table_is_seen() -> None:
    rng = np.random.default_rng(2)
    reader = NeuesLandEncoding(2, NeuesLandOptions())
    table = raw_env("neues-land", 2)
    table.reset(seed=2)
    for step in range(80):
        legal = [dict(action.to_wire()) for action in table.choices().values()]
        if step % 8 == 0:
            view = {"match": "mt_x", "version": step, "legal_actions": legal} | table.view(table.agent_selection)
            read, choices = reader.read(view)
            seen = table.observe(table.agent_selection)
            assert np.array_equal(read["observation"], seen["observation"])
            assert np.array_equal(read["action_mask"], seen["action_mask"])
            assert [dict(action.to_wire()) for action in choices.values()] == legal
        table.step(pick(table, rng)[0])


def test_one_encoding_reads_the_views_of_many_matches() -> None:
    """What it keeps of one table never shows at another."""
    tables = [raw_env("neues-land", 2) for _ in range(2)]
    rng = np.random.default_rng(6)
    for seed, table in enumerate(tables):
        table.reset(seed=seed)
    shared = NeuesLandEncoding(2, NeuesLandOptions())
    for _ in range(12):
        for table in tables:
            observed, _ = shared.observe(table.view("seat_1"), ())
            assert np.array_equal(observed["observation"], table.observe("seat_1")["observation"])
            alone, _ = NeuesLandEncoding(2, NeuesLandOptions()).observe(table.view("seat_1"), ())
            assert np.array_equal(observed["observation"], alone["observation"])
            table.step(pick(table, rng)[0])
