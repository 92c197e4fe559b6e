"""The course of the game: set-up, legal actions, and what an action does.

`legal` and `push` are the hot path of everything. Making an action costs more than finding out that it is legal, so
placements stay numbers (`board`) until somebody looks at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from spieltisch_service.games.chance import shuffled
from spieltisch_service.games.contract import Action
from spieltisch_service.games.neues_land.board import GUEST, Board, cell_of, place_of
from spieltisch_service.games.neues_land.model import (
    FOLLOWER,
    OVER,
    PLACE_TILE,
    Deal,
    NeuesLandOptions,
    Pass,
    PlaceFollower,
    Placements,
    PlaceTile,
    RecallFollower,
    State,
)
from spieltisch_service.games.neues_land.scoring import follower_points, scores
from spieltisch_service.games.neues_land.tables import (
    AVAILABLE,
    EXPERT_HAND,
    FITS,
    FOLLOWERS_PER_PLAYER,
    KIND_NUMBER,
)

PASS = Pass()
_PLACE_FOLLOWER = tuple(PlaceFollower(region=region) for region in range(5))

#: A drawn tile: seat and kind, for the event that says so.
Drawn = tuple[int, int]


@lru_cache(maxsize=1 << 14)
def _recall(cell: int) -> RecallFollower:
    x, y = place_of(cell)
    return RecallFollower(x=x, y=y)


# --- set-up -------------------------------------------------------------------------------------------------


def draw_deal(options: NeuesLandOptions, players: int, deal_seed: bytes) -> Deal:
    """Shuffle the 83 tiles; with `equal_turns`, the last ones leave until the players divide what stays (N12)."""
    tiles = shuffled(AVAILABLE.elements(), deal_seed)
    count = len(tiles) - len(tiles) % players if options.equal_turns else len(tiles)
    return Deal(tuple(tiles[:count]), tuple(tiles[count:]))


def begin(options: NeuesLandOptions, deal: Deal, players: int) -> tuple[State, list[Drawn]]:
    """The first state, and the tiles drawn for it in order (N10, N11, N20, N50)."""
    state = State()
    state.options, state.players = options, players
    state.deck, state.top = [KIND_NUMBER[tile] for tile in deal.deck], 0
    state.set_aside_count = len(deal.set_aside)
    state.board = Board.at_start()
    state.turn = 0
    state.hands = [[] for _ in range(players)]
    state.supply, state.points = [FOLLOWERS_PER_PLAYER] * players, [0] * players
    state.followers, state.discarded, state.shown = {}, [], []
    drawn: list[Drawn] = []
    if options.expert:
        for seat in range(players):
            _draw(state, seat, EXPERT_HAND, drawn)
    _begin_turn(state, 0, drawn)
    return state, drawn


def _draw(state: State, seat: int, count: int, drawn: list[Drawn]) -> None:
    """Draw `count` tiles, or what is left, into the hand of `seat`."""
    tiles = state.deck[state.top : state.top + count]
    state.top += len(tiles)
    state.hands[seat] = state.hands[seat] + tiles
    for tile in tiles:
        drawn.append((seat, tile))


def _begin_turn(state: State, seat: int, drawn: list[Drawn]) -> None:
    """Give the turn to `seat`, or to the next who has a tile to lay; end the game when nobody has (N40).

    N21 is N52 with a hand of one tile: what fits nowhere leaves, and as many are drawn again.
    """
    fits_somewhere = state.board.fits_somewhere
    for _ in range(state.players):
        if not state.options.expert:
            _draw(state, seat, 1, drawn)
        while hand := state.hands[seat]:
            for kind in hand:
                if fits_somewhere(kind):
                    state.seat, state.phase = seat, PLACE_TILE
                    return
            state.discarded += hand
            state.hands[seat] = []
            _draw(state, seat, len(hand), drawn)
        seat = (seat + 1) % state.players
    state.phase = OVER


# --- legal actions ------------------------------------------------------------------------------------------


def legal(state: State) -> Sequence[Action]:
    """The legal actions: tiles by (tile, x, y, rotation); followers by region, recalls by (x, y), then pass."""
    if state.phase == PLACE_TILE:
        return _legal_tiles(state)
    if state.phase == FOLLOWER:
        return _legal_followers(state)
    return ()


def _legal_tiles(state: State) -> Placements:
    """Where the tiles of the hand can be laid (N22, N51); equal tiles give each placement once."""
    demands = state.board.demands.items()
    hand = state.hands[state.seat]
    placements: list[int] = []
    for kind in sorted(set(hand)) if len(hand) > 1 else hand:
        fits = FITS[kind]
        found = [cell + shape for cell, demand in demands for shape in fits[demand]]
        found.sort()
        placements += found
    return Placements(placements)


def _legal_followers(state: State) -> list[Action]:
    """Regions of the tile just laid whose area nobody stands in (N24), own followers (N25), pass (N23)."""
    seat, board = state.seat, state.board
    actions: list[Action] = []
    if state.supply[seat]:
        parent, tally, base = board.parent, board.tally, board.bases[-1]
        for node in range(base, len(parent)):
            root = node
            while (up := parent[root]) >= 0:
                root = up
            if tally[root] < GUEST:
                actions.append(_PLACE_FOLLOWER[node - base])
    if state.supply[seat] < FOLLOWERS_PER_PLAYER:
        own = sorted([cell for cell, follower in state.followers.items() if follower[0] == seat])
        actions += map(_recall, own)
    actions.append(PASS)
    return actions


# --- doing it -----------------------------------------------------------------------------------------------


def push(state: State, action: Action, drawn: list[Drawn]) -> int:
    """Do a legal action, recorded form only (N22), in place; answers the points that it gains.

    Nothing is checked. What is drawn is appended to `drawn`, what leaves the game to `state.discarded`.
    """
    if type(action) is PlaceTile:
        _push_tile(state, action, drawn)
        return 0
    seat, board = state.seat, state.board
    points = 0
    if type(action) is PlaceFollower:
        state.supply[seat] -= 1
        state.followers[board.cells[-1]] = (seat, action.region)
        board.tally[board.root(board.bases[-1] + action.region)] += GUEST
    elif type(action) is RecallFollower:
        cell = cell_of(action.x, action.y)
        _, region = state.followers.pop(cell)
        state.supply[seat] += 1
        board.tally[board.area(cell, region)] -= GUEST
        points = follower_points(board, cell, region)
        state.points[seat] += points
    state.turn += 1
    _begin_turn(state, (seat + 1) % state.players, drawn)
    return points


def _push_tile(state: State, action: PlaceTile, drawn: list[Drawn]) -> None:
    """Lay the tile and, in the expert variant, draw back to two (N22, N53)."""
    seat = state.seat
    kind = KIND_NUMBER[action.tile]
    state.board.lay(kind * 4 + action.rotation // 90, cell_of(action.x, action.y), seat)
    hand = state.hands[seat].copy()
    hand.remove(kind)
    state.hands[seat] = hand
    if state.options.expert:
        _draw(state, seat, EXPERT_HAND - len(hand), drawn)
    state.phase = FOLLOWER


class NeuesLandPlayout:
    """A game that is played in place (`contract.Playout`)."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state.copy()

    def to_act(self) -> int | None:
        """The seat that must act, or None when the game is over."""
        return None if self._state.phase == OVER else self._state.seat

    def legal(self) -> Sequence[Action]:
        """The legal actions; do not change the answer."""
        return legal(self._state)

    def push(self, action: Action) -> None:
        """Do `action`, which must be one of `legal()`: nothing is checked."""
        push(self._state, action, [])

    def scores(self) -> Sequence[int]:
        """Points by seat, with the final scoring once the game is over (N41)."""
        return scores(self._state)

    def snapshot(self) -> State:
        """The state as it is now; later pushes do not change it."""
        return self._state.copy()
