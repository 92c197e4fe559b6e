"""What may be done (`legal`, `is_legal`) and what it does (`push`): W10 to W52.

The order of legal actions: redeem by card, collect by place and number, travel by origin, destination and
number, travel_along by number, stay, end_turn; ids in alphabetical order. It depends on what is held and where
everybody stands, never on how that came about.
"""

from __future__ import annotations

from collections.abc import Sequence

from spieltisch_service.games.contract import Action
from spieltisch_service.games.wunderland import board
from spieltisch_service.games.wunderland.model import (
    AFTER,
    ANSWERS,
    COLLECTS,
    COMPANIONS,
    END_TURN,
    FINAL,
    JOURNEYS,
    OVER,
    OWN_TURN,
    REDEEMS,
    TURN,
    Collect,
    Deal,
    EndTurn,
    Redeem,
    State,
    Stay,
    Travel,
    TravelAlong,
    WunderlandOptions,
    to_act,
)
from spieltisch_service.games.wunderland.tables import BOARD

_NEAR = {place: frozenset(near) for place, near in BOARD.near.items()}
_POST = sorted(BOARD.post.items())
#: `_OTHERS[players][seat]`: the other seats in turn order, beginning after `seat` (W11, W22, W51).
_OTHERS = {
    players: tuple(tuple((seat + k) % players for k in range(1, players)) for seat in range(players))
    for players in range(2, 5)
}


def start(options: WunderlandOptions, deal: Deal, players: int) -> State:
    """The first state (W10, W11)."""
    size = BOARD.hand_size
    return State(
        options=options,
        players=players,
        phase=TURN,
        turn=0,
        round=1,
        active=0,
        asked=(),
        journey=None,
        travellers=[board.all_at_start() for _ in range(players)],
        postcards_left=dict.fromkeys(BOARD.sections, BOARD.stack),
        postcards=[dict.fromkeys(BOARD.sections, 0) for _ in range(players)],
        redeemed=[[] for _ in range(players)],
        points=[0] * players,
        hands=[list(deal.deck[seat * size : (seat + 1) * size]) for seat in range(players)],
        deck=deal.deck[players * size :],
    )


# --- what may be done -----------------------------------------------------------------------------------------


def may_collect(state: State) -> bool:
    """Whether it is the time to collect: the main action (W30), free in a turn (W32), or the final phase (W51)."""
    phase = state.phase
    return phase in (TURN, FINAL) or (phase == AFTER and state.options.postcards != OWN_TURN)


def legal(state: State) -> Sequence[Action]:
    """All legal actions of the seat to act, in the order above; none when the game is over."""
    phase = state.phase
    if phase == COMPANIONS:
        assert state.journey is not None
        return ANSWERS[state.travellers[state.asked[0]][state.journey[0]]]
    if phase == OVER:
        return ()
    own = state.travellers[state.active]
    found: list[Action] = []
    for card in sorted(state.hands[state.active]):
        for place in BOARD.cards[card].places:
            if place not in own:
                break
        else:
            found.append(REDEEMS[card])
    if phase != AFTER or state.options.postcards != OWN_TURN:
        for place, section in _POST:
            if place in own:
                found += COLLECTS[place][min(own[place], state.postcards_left[section])]
    if phase == TURN:
        for place in sorted(own):
            found += JOURNEYS[place][own[place]]
    else:
        found.append(END_TURN)
    return found


def is_legal(state: State, action: Action) -> bool:
    """Whether `action` is one of `legal(state)`, without listing them."""
    kind = action.__class__
    phase = state.phase
    if kind is Travel:
        assert isinstance(action, Travel)
        return (
            phase == TURN
            and action.destination in _NEAR.get(action.origin, ())
            and 1 <= action.travellers <= state.travellers[state.active].get(action.origin, 0)
        )
    if kind is TravelAlong or kind is Stay:
        if phase != COMPANIONS or state.journey is None:
            return False
        at_origin = state.travellers[state.asked[0]][state.journey[0]]
        return not isinstance(action, TravelAlong) or 1 <= action.travellers <= at_origin
    if kind is EndTurn:
        return phase in (AFTER, FINAL)
    own = state.travellers[state.active]
    if kind is Collect:
        assert isinstance(action, Collect)
        section = BOARD.post.get(action.place)
        return (
            section is not None
            and may_collect(state)
            and 1 <= action.postcards <= min(own.get(action.place, 0), state.postcards_left[section])
        )
    return (
        isinstance(action, Redeem)
        and phase in (TURN, AFTER, FINAL)
        and action.card in state.hands[state.active]
        and board.fulfils(own, action.card)
    )


def default_action(state: State) -> Action:
    """The first journey of one traveller, staying, or ending the turn: told by what everybody sees."""
    if state.phase == TURN:
        return JOURNEYS[min(state.travellers[state.active])][1][0]
    return ANSWERS[0][0] if state.phase == COMPANIONS else END_TURN


# --- what it does ---------------------------------------------------------------------------------------------


def push(state: State, action: Action) -> tuple[int, int]:
    """Do a legal action, changing `state`. Answers the points it gained and the cards it drew (0 or 1)."""
    kind = action.__class__
    if kind is Travel:
        _travel(state, action)  # type: ignore[arg-type]
    elif kind is EndTurn:
        _end_turn(state)
    elif kind is TravelAlong or kind is Stay:
        _answer(state, action)
    elif kind is Redeem:
        return _redeem(state, action)  # type: ignore[arg-type]
    else:
        _collect(state, action)  # type: ignore[arg-type]
    return 0, 0


def _travel(state: State, action: Travel) -> None:
    """W21, and who is asked: W22, W23."""
    seat = state.active
    origin = action.origin
    travellers = state.travellers
    board.move(travellers[seat], origin, action.destination, action.travellers)
    asked = tuple([other for other in _OTHERS[state.players][seat] if origin in travellers[other]])
    if asked:
        state.phase = COMPANIONS
        state.asked = asked
        state.journey = (origin, action.destination)
    else:
        state.phase = AFTER


def _answer(state: State, action: Action) -> None:
    """W22: the first of the asked seats answers."""
    assert state.journey is not None
    if isinstance(action, TravelAlong):
        origin, destination = state.journey
        board.move(state.travellers[state.asked[0]], origin, destination, action.travellers)
    state.asked = state.asked[1:]
    if not state.asked:
        state.phase = AFTER
        state.journey = None


def _collect(state: State, action: Collect) -> None:
    """W30, W32; taking from the seventh section ends the game (W50)."""
    seat = state.active
    section = BOARD.post[action.place]
    taken = state.postcards[seat]
    taken[section] += action.postcards
    state.postcards_left[section] -= action.postcards
    board.move(state.travellers[seat], action.place, BOARD.start, action.postcards)
    if state.phase == FINAL:
        return
    if 0 not in taken.values():
        _end_by(state, seat)
    elif state.options.postcards == OWN_TURN:
        state.phase = AFTER


def _redeem(state: State, action: Redeem) -> tuple[int, int]:
    """W40, W41; the fifth card ends the game (W50)."""
    seat = state.active
    card = BOARD.cards[action.card]
    redeemed = state.redeemed[seat]
    state.hands[seat].remove(card.id)
    redeemed.append(card.id)
    state.points[seat] += card.points
    for place in card.places:
        board.move(state.travellers[seat], place, BOARD.start, 1)
    if state.phase == FINAL:
        return card.points, 0
    if len(redeemed) >= BOARD.cards_to_end:
        _end_by(state, seat)
    elif len(redeemed) < BOARD.cards_to_end - 1 and state.deck:
        state.hands[seat].append(state.deck[0])
        state.deck = state.deck[1:]
        return card.points, 1
    return card.points, 0


def _end_turn(state: State) -> None:
    """W42, W51, W52."""
    state.turn += 1
    if state.phase == FINAL:
        state.asked = state.asked[1:]
        if state.asked:
            state.active = state.asked[0]
        else:
            state.phase = OVER
        return
    state.phase = TURN
    state.active += 1
    if state.active == state.players:
        state.active = 0
        if state.round == state.options.round_limit:
            state.phase = FINAL
            state.asked = tuple(range(state.players))
        else:
            state.round += 1


def _end_by(state: State, seat: int) -> None:
    """W50: the turn of `seat` is over at once, and the others come to their final phase (W51)."""
    state.turn += 1
    state.phase = FINAL
    state.asked = _OTHERS[state.players][seat]
    state.active = state.asked[0]


class WunderlandPlayout:
    """A game played in place (`contract.Playout`). Owns its state."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state.copy()

    def to_act(self) -> int | None:
        """The seat that must act, or None when the game is over."""
        return to_act(self._state)

    def legal(self) -> Sequence[Action]:
        """The legal actions of the seat to act."""
        return legal(self._state)

    def push(self, action: Action) -> None:
        """Do a legal action; nothing is checked."""
        push(self._state, action)

    def scores(self) -> Sequence[int]:
        """Points of redeemed cards, by seat."""
        return tuple(self._state.points)

    def snapshot(self) -> State:
        """The state as it is now, which later pushes leave alone."""
        return self._state.copy()
