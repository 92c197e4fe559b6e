"""From a view back to states: the order of the deck is all that it leaves open.

The placements are laid again in their order, so that a view is held to the same rules as a game: what does not fit,
stands in an occupied area, comes out of turn or is there too often is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spieltisch_service.games.chance import arranged
from spieltisch_service.games.neues_land.board import GUEST, REACH, Board, cell_of
from spieltisch_service.games.neues_land.model import FOLLOWER, OVER, PHASES, PLACE_TILE, NeuesLandOptions, State
from spieltisch_service.games.neues_land.scoring import outcome
from spieltisch_service.games.neues_land.tables import (
    AVAILABLE,
    DECK_SIZE,
    EXPERT_HAND,
    FITS,
    FOLLOWERS,
    FOLLOWERS_PER_PLAYER,
    KIND_IDS,
    KIND_NUMBER,
    KINDS,
    LEAST_QUARTER,
    MAX_PLAYERS,
    MIN_PLAYERS,
    ROTATIONS,
    START_KIND,
)
from spieltisch_service.games.reading import Seen, fields, listed, one_of, refuse, seen, whole

_STATE = frozenset(
    ("tiles", "followers", "supply", "hands", "last", "deck_count", "set_aside_count", "discarded")
)  # fmt: skip
_TILE = frozenset(("x", "y", "tile", "rotation", "seat"))
_FOLLOWER = frozenset(("seat", "x", "y", "region", "kind"))
_START = {"x": 0, "y": 0, "tile": KIND_IDS[START_KIND], "rotation": 0, "seat": None}
#: By kind: how many there are beside the start tile.
_COUNTS = tuple(AVAILABLE[kind] for kind in KIND_IDS)

#: A follower as the view has it: its place in the list, seat, region, kind.
_Guest = tuple[int, int, int, str]


@dataclass(frozen=True, slots=True)
class NeuesLandImagination:
    """What a view shows, as a state without a deck, and the tiles that nobody has seen, in ascending order."""

    known: State
    unseen: tuple[int, ...]
    deck_count: int

    def world(self, seed: bytes) -> State:
        """A state with a deck out of the unseen tiles; those left over are set aside, or never were in the deal."""
        state = self.known.copy()
        state.deck = arranged(self.unseen, seed)[: self.deck_count]
        return state


def imagine(view: Mapping[str, Any], options: NeuesLandOptions) -> NeuesLandImagination:
    """Read and check a view of a match with `options`. Raises `InvalidView`."""
    told = seen(view, "neues-land", PHASES, (MIN_PLAYERS, MAX_PLAYERS), _STATE)
    state = State()
    state.options, state.players, state.phase = options, told.players, told.phase
    state.deck, state.top = [], 0
    # How many of each kind are still to be seen, counted down as they turn up.
    left = list(_COUNTS)
    _lay(state, told, left)
    state.hands = _hands(state, told, left)
    state.discarded = _kinds(told.state["discarded"], "/state/discarded", DECK_SIZE, left)
    deck_count, state.set_aside_count = _counts(told, sum(left))
    _check_hands(state, told, deck_count)
    _check_turns(state, told)
    _check_supply(state, told)
    state.points = told.scores
    if state.phase == OVER:
        # The scores of a game that is over include the followers on the table (N41).
        state.points = [0] * state.players
        final = outcome(state).scores
        state.points = [score - points for score, points in zip(told.scores, final, strict=True)]
        if min(state.points) < 0:
            refuse("/scores", "out_of_range", "The followers on the table alone count more than this (N41).")
    return NeuesLandImagination(state, tuple(k for k, count in enumerate(left) for _ in range(count)), deck_count)


def _lay(state: State, told: Seen, left: list[int]) -> None:
    """Lay the tiles and place the followers in the order in which it was done (N10, N22, N24)."""
    guests = _guests(told)
    tiles = listed(told.state["tiles"], "/state/tiles", 1, DECK_SIZE + 1)
    if not _same(tiles[0], _START):
        refuse("/state/tiles/0", "out_of_range", "The first tile is the start tile at (0, 0), which nobody laid (N10).")
    state.board, state.followers, state.shown = Board.at_start(), {}, [_START.copy()]
    placed = -1
    for index in range(1, len(tiles)):
        cell = _lay_tile(state, tiles[index], index, left)
        guest = guests.pop(cell, None)
        if guest is not None:
            if guest[0] < placed or (index + 1 == len(tiles) and told.phase == FOLLOWER):
                _refuse_guest(guest, "Followers are placed once their tile lies, and listed in that order (N24).")
            placed = guest[0]
            _place(state, cell, guest)
    for guest in guests.values():
        _refuse_guest(guest, "No tile that a player laid is there.")
    last = None if len(tiles) == 1 else {key: tiles[-1][key] for key in ("x", "y")}
    if not _same(told.state["last"], last):
        refuse("/state/last", "out_of_range", "This is not where the last of the tiles lies.")


def _same(raw: Any, wanted: Mapping[str, Any] | None) -> bool:
    """Whether `raw` is just that, integers being integers: Python takes `false` and `0.0` for 0."""
    return raw == wanted and (wanted is None or all(type(raw[key]) is type(value) for key, value in wanted.items()))


def _lay_tile(state: State, raw: Any, index: int, left: list[int]) -> int:
    """Lay one tile; its cell."""
    board, where = state.board, f"/state/tiles/{index}"
    fields(raw, where, _TILE)
    x, y = whole(raw["x"], f"{where}/x", -REACH, REACH), whole(raw["y"], f"{where}/y", -REACH, REACH)
    kind = KIND_NUMBER[one_of(raw["tile"], f"{where}/tile", KIND_NUMBER)]
    seat = whole(raw["seat"], f"{where}/seat", 0, state.players - 1)
    quarter, rest = divmod(whole(raw["rotation"], f"{where}/rotation", 0, ROTATIONS[-1]), 90)
    if rest or LEAST_QUARTER[kind][quarter] != quarter:
        refuse(f"{where}/rotation", "not_one_of", "The smallest of the rotations that show the same tile (N22).")
    cell, shape = cell_of(x, y), kind * 4 + quarter
    demand = board.demands.get(cell)
    if demand is None:
        refuse(where, "out_of_range", "A tile lies on an empty cell beside one that was there before (N22).")
    if shape not in FITS[kind][demand]:
        refuse(where, "out_of_range", "The terrains on an edge of this tile are not the same on both sides (N22).")
    _take(kind, f"{where}/tile", left)
    board.lay(shape, cell, seat)
    state.shown.append({"x": x, "y": y, "tile": KIND_IDS[kind], "rotation": quarter * 90, "seat": seat})
    return cell


def _guests(told: Seen) -> dict[int, _Guest]:
    """The followers by cell, so far as they can be read without the tiles."""
    guests: dict[int, _Guest] = {}
    most = told.players * FOLLOWERS_PER_PLAYER
    for index, raw in enumerate(listed(told.state["followers"], "/state/followers", 0, most)):
        where = f"/state/followers/{index}"
        fields(raw, where, _FOLLOWER)
        seat = whole(raw["seat"], f"{where}/seat", 0, told.players - 1)
        x, y = whole(raw["x"], f"{where}/x", -REACH, REACH), whole(raw["y"], f"{where}/y", -REACH, REACH)
        region = whole(raw["region"], f"{where}/region", 0, 4)
        kind = one_of(raw["kind"], f"{where}/kind", FOLLOWERS[1:])
        cell = cell_of(x, y)
        if cell in guests:
            refuse(where, "duplicate", "Two followers stand on one tile.")
        guests[cell] = (index, seat, region, kind)
    return guests


def _place(state: State, cell: int, guest: _Guest) -> None:
    """Place a follower on the tile just laid (N5, N24)."""
    board = state.board
    index, seat, region, kind = guest
    where = f"/state/followers/{index}"
    terrains = KINDS[board.shapes[-1] >> 2].terrains
    if seat != board.seats[-1]:
        refuse(f"{where}/seat", "out_of_range", "A follower belongs to whoever laid its tile (N24).")
    if region >= len(terrains):
        refuse(f"{where}/region", "out_of_range", f"This tile has {len(terrains)} regions, numbered from 0.")
    if kind != FOLLOWERS[terrains[region]]:
        refuse(f"{where}/kind", "not_one_of", "The terrain of the region says which kind of follower this is (N5).")
    root = board.root(board.bases[-1] + region)
    if board.tally[root] >= GUEST:
        _refuse_guest(guest, "Somebody stood in this area already when the follower was placed (N24).")
    board.tally[root] += GUEST
    state.followers[cell] = (seat, region)


def _refuse_guest(guest: _Guest, detail: str) -> None:
    refuse(f"/state/followers/{guest[0]}", "out_of_range", detail)


def _hands(state: State, told: Seen, left: list[int]) -> list[list[int]]:
    """The tiles in hand, by seat."""
    most = EXPERT_HAND if state.options.expert else 1
    raw = listed(told.state["hands"], "/state/hands", told.players, told.players)
    return [_kinds(hand, f"/state/hands/{seat}", most, left) for seat, hand in enumerate(raw)]


def _kinds(raw: Any, where: str, most: int, left: list[int]) -> list[int]:
    """Tiles that can be seen, by their numbers."""
    found = []
    for index, tile in enumerate(listed(raw, where, 0, most)):
        kind = KIND_NUMBER[one_of(tile, f"{where}/{index}", KIND_NUMBER)]
        _take(kind, f"{where}/{index}", left)
        found.append(kind)
    return found


def _take(kind: int, pointer: str, left: list[int]) -> None:
    """Count one more tile of `kind` as seen (N11)."""
    left[kind] -= 1
    if left[kind] < 0:
        refuse(pointer, "duplicate", f"{KIND_IDS[kind]} is there more often than the {_COUNTS[kind]} that there are.")


def _counts(told: Seen, unseen: int) -> tuple[int, int]:
    """How many tiles the deck has, and how many are set aside: not more than `unseen`, fewer in a short deal."""
    deck_count = whole(told.state["deck_count"], "/state/deck_count", 0, DECK_SIZE)
    set_aside_count = whole(told.state["set_aside_count"], "/state/set_aside_count", 0, DECK_SIZE)
    if deck_count + set_aside_count > unseen:
        detail = f"Only {unseen} tiles are unseen, fewer than deck_count and set_aside_count."
        refuse("/state/deck_count", "out_of_range", detail)
    return deck_count, set_aside_count


def _check_hands(state: State, told: Seen, deck_count: int) -> None:
    """Who holds how many tiles (N20, N50, N53), and that one of them can be laid (N21, N52)."""
    phase = state.phase
    for seat, hand in enumerate(told.state["hands"]):
        least, most = 0, EXPERT_HAND
        if phase == OVER:
            most = 0
        elif not state.options.expert:
            least = most = int(phase == PLACE_TILE and seat == told.to_act)
        elif deck_count:
            least = EXPERT_HAND
        listed(hand, f"/state/hands/{seat}", least, most)
    if phase == OVER and deck_count:
        refuse("/state/deck_count", "out_of_range", "The game ends once there is nothing left to be drawn (N40).")
    if phase == PLACE_TILE:
        own = state.hands[told.to_act or 0]
        if not any(map(state.board.fits_somewhere, own)):
            refuse(f"/state/hands/{told.to_act}", "out_of_range", "None of these tiles can be laid (N21, N52).")


def _check_turns(state: State, told: Seen) -> None:
    """Who laid which tile, and who must act; whoever was passed over (N53) has had no tile since."""
    board, players, before = state.board, told.players, -1
    for tile in range(1, len(board.cells)):
        _check_next(state, before, board.seats[tile], f"/state/tiles/{tile}/seat")
        before = board.seats[tile]
    if state.phase == PLACE_TILE:
        assert told.to_act is not None
        _check_next(state, before, told.to_act, "/to_act")
    elif state.phase == FOLLOWER and told.to_act != before:
        refuse("/to_act", "out_of_range", "After a tile, whoever laid it must act (N23).")
    state.seat = max(before, 0) % players if told.to_act is None else told.to_act
    # The turn of the tile that lies last is over only once a follower was placed, recalled or neither (N23).
    state.turn = len(board.cells) - 1 - (state.phase == FOLLOWER)


def _check_next(state: State, before: int, seat: int, pointer: str) -> None:
    """That the turn can have come from `before` (-1: the game begins) to `seat`."""
    passed_over = (before + 1) % state.players
    while passed_over != seat:
        if not state.options.expert or state.hands[passed_over]:
            refuse(pointer, "out_of_range", f"It was the turn of seat {passed_over}, before that of seat {seat}.")
        passed_over = (passed_over + 1) % state.players


def _check_supply(state: State, told: Seen) -> None:
    """Every follower is in the supply or on the table (N4)."""
    out = [0] * told.players
    for seat, _ in state.followers.values():
        out[seat] += 1
    raw = listed(told.state["supply"], "/state/supply", told.players, told.players)
    state.supply = [whole(raw[seat], f"/state/supply/{seat}", 0, FOLLOWERS_PER_PLAYER) for seat in range(told.players)]
    for seat, supply in enumerate(state.supply):
        if supply + out[seat] != FOLLOWERS_PER_PLAYER:
            detail = f"{out[seat]} of this seat's {FOLLOWERS_PER_PLAYER} followers are on the table (N4)."
            refuse(f"/state/supply/{seat}", "out_of_range", detail)
