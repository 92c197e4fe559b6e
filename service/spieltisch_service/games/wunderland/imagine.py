"""From a view back to states: the others' cards and the deck are what it leaves open (W70).

Travellers, postcards and cards are counted, and the phase is held against what must have happened before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from spieltisch_service.games.chance import arranged
from spieltisch_service.games.reading import MOST, Seen, fields, listed, one_of, refuse, seen, whole
from spieltisch_service.games.wunderland.model import (
    COMPANIONS,
    FINAL,
    OVER,
    PHASES,
    State,
    WunderlandOptions,
)
from spieltisch_service.games.wunderland.scoring import postcard_points
from spieltisch_service.games.wunderland.tables import BOARD

_STATE = frozenset(
    (
        "round", "active_seat", "journey", "seats_to_ask", "travellers", "postcards_left", "postcards", "redeemed",
        "hand", "hand_counts", "deck_count",
    )
)  # fmt: skip
_JOURNEY = frozenset(("origin", "destination"))
_SECTIONS = frozenset(BOARD.sections)


@dataclass(frozen=True, slots=True)
class WunderlandImagination:
    """What a view shows, as a state whose other hands and deck are empty, and the unseen cards by id.

    `hidden` are seats and sizes of the hands that the viewer does not see.
    """

    known: State
    unseen: tuple[str, ...]
    hidden: tuple[tuple[int, int], ...]
    deck_count: int

    def world(self, seed: bytes) -> State:
        """A state with the hidden hands and the deck out of the unseen cards; a short deal leaves some over."""
        state = self.known.copy()
        cards = arranged(self.unseen, seed)
        at = 0
        for seat, count in self.hidden:
            state.hands[seat] = cards[at : at + count]
            at += count
        state.deck = tuple(cards[at : at + self.deck_count])
        return state


def imagine(view: Mapping[str, Any], options: WunderlandOptions) -> WunderlandImagination:
    """Read and check a view of a match with `options`. Raises `InvalidView`."""
    told = seen(view, "wunderland", PHASES, (2, 4), _STATE)
    players = told.players
    postcards_left, postcards = _postcards(told)
    redeemed, hand, left = _cards(told)
    state = State(
        options=options,
        players=players,
        phase=told.phase,
        turn=0,
        round=whole(told.state["round"], "/state/round", 1, options.round_limit or MOST),
        active=players - 1,
        asked=(),
        journey=None,
        travellers=_travellers(told),
        postcards_left=postcards_left,
        postcards=postcards,
        redeemed=redeemed,
        points=[sum(BOARD.cards[card].points for card in cards) for cards in redeemed],
        hands=[[] for _ in range(players)],
        deck=(),
    )
    _read_phase(state, told)
    counts, deck_count = _hand_counts(state, told, len(left))
    if hand is not None and told.seat is not None:
        state.hands[told.seat] = hand
    _check_scores(state, told)
    hidden = tuple((seat, count) for seat, count in enumerate(counts) if seat != told.seat)
    return WunderlandImagination(state, left, hidden, deck_count)


def _travellers(told: Seen) -> list[dict[str, int]]:
    """Where everybody's travellers are; none ever leaves the map (W3)."""
    found = []
    for seat, raw in enumerate(listed(told.state["travellers"], "/state/travellers", told.players, told.players)):
        where = f"/state/travellers/{seat}"
        fields(raw, where, frozenset(), frozenset(BOARD.places))
        own = {place: whole(number, f"{where}/{place}", 1, BOARD.travellers) for place, number in raw.items()}
        if sum(own.values()) != BOARD.travellers:
            refuse(where, "out_of_range", f"A player has {BOARD.travellers} travellers, and all are on the map (W3).")
        found.append(own)
    return found


def _postcards(told: Seen) -> tuple[dict[str, int], list[dict[str, int]]]:
    """The stacks and everybody's postcards, in the order of the sections; together they are as at first (W1)."""
    raw = fields(told.state["postcards_left"], "/state/postcards_left", _SECTIONS)
    left = {key: whole(raw[key], f"/state/postcards_left/{key}", 0, BOARD.stack) for key in BOARD.sections}
    piles = []
    for seat, own in enumerate(listed(told.state["postcards"], "/state/postcards", told.players, told.players)):
        where = f"/state/postcards/{seat}"
        fields(own, where, _SECTIONS)
        piles.append({key: whole(own[key], f"{where}/{key}", 0, BOARD.stack) for key in BOARD.sections})
    for key, count in left.items():
        if count + sum(own[key] for own in piles) != BOARD.stack:
            detail = f"The stack and the players have {BOARD.stack} postcards of a section (W1)."
            refuse(f"/state/postcards_left/{key}", "out_of_range", detail)
    return left, piles


def _cards(told: Seen) -> tuple[list[list[str]], list[str] | None, tuple[str, ...]]:
    """The redeemed cards, the viewer's hand (None for a spectator), and the cards that neither shows, by id."""
    left = dict.fromkeys(sorted(BOARD.cards))
    raw = listed(told.state["redeemed"], "/state/redeemed", told.players, told.players)
    redeemed = [_pile(pile, f"/state/redeemed/{seat}", BOARD.cards_to_end, left) for seat, pile in enumerate(raw)]
    hand = told.state["hand"]
    if (hand is None) is not (told.seat is None):
        refuse("/state/hand", "out_of_range", "A seat sees its own hand, a spectator none: null.")
    own = None if hand is None else _pile(hand, "/state/hand", BOARD.hand_size, left)
    return redeemed, own, tuple(left)


def _pile(raw: Any, where: str, most: int, left: dict[str, None]) -> list[str]:
    """Cards that can be seen, taken out of those `left`."""
    for index, card in enumerate(listed(raw, where, 0, most)):
        if one_of(card, f"{where}/{index}", BOARD.cards) not in left:
            refuse(f"{where}/{index}", "duplicate", f"{card} is in two places.")
        del left[card]
    return list(raw)


def _hand_counts(state: State, told: Seen, unseen: int) -> tuple[list[int], int]:
    """How many cards everybody holds, and the deck: no more than are unseen, fewer in a short deal (W10, W41)."""
    raw = listed(told.state["hand_counts"], "/state/hand_counts", told.players, told.players)
    deck_count = whole(told.state["deck_count"], "/state/deck_count", 0, len(BOARD.cards))
    counts = []
    for seat, cards in enumerate(state.redeemed):
        # A card was drawn for each that was redeemed but the fourth and fifth, while the deck had any (W41) and
        # before the final phase (W51).
        most = BOARD.hand_size - len(cards) + min(len(cards), BOARD.cards_to_end - 2)
        least = most if deck_count and state.phase not in (FINAL, OVER) else 0
        if most < 0:
            refuse(f"/state/redeemed/{seat}", "out_of_range", "Nobody ever has as many cards (W41).")
        counts.append(whole(raw[seat], f"/state/hand_counts/{seat}", least, most))
    if told.seat is not None and counts[told.seat] != len(told.state["hand"]):
        refuse(f"/state/hand_counts/{told.seat}", "out_of_range", "The hand has another number of cards.")
    hidden = deck_count + sum(count for seat, count in enumerate(counts) if seat != told.seat)
    if hidden > unseen:
        detail = f"Only {unseen} cards are unseen, fewer than deck_count and the other hand_counts."
        refuse("/state/deck_count", "out_of_range", detail)
    return counts, deck_count


# --- the phase --------------------------------------------------------------------------------------------------


def _read_phase(state: State, told: Seen) -> None:
    """Whose turn it is, who is asked about which journey, and how the final phase came about."""
    raw, players = told.state, state.players
    asked = tuple(
        whole(seat, f"/state/seats_to_ask/{index}", 0, players - 1)
        for index, seat in enumerate(listed(raw["seats_to_ask"], "/state/seats_to_ask", 0, players))
    )
    if (raw["active_seat"] is None) is not (state.phase == OVER):
        detail = "Null once the game is over, and only then. A match that all others left can end before the game."
        refuse("/state/active_seat", "out_of_range", detail)
    if (raw["journey"] is not None) is not (state.phase == COMPANIONS):
        refuse("/state/journey", "out_of_range", "There is a journey while companions are asked, and only then (W22).")
    if bool(asked) is not (state.phase in (COMPANIONS, FINAL)):
        detail = "Seats are asked about a journey (W22) and in the final phase (W51), and only then."
        refuse("/state/seats_to_ask", "out_of_range", detail)
    state.asked = asked
    if state.phase != OVER:
        state.active = whole(raw["active_seat"], "/state/active_seat", 0, players - 1)
        to_act = state.active if state.phase != COMPANIONS else asked[0]
        if told.to_act != to_act:
            refuse("/to_act", "out_of_range", f"Seat {to_act} must act.")
    if state.phase == COMPANIONS:
        _read_journey(state, raw["journey"])
    _check_end(state)
    state.turn = _turn(state)


def _read_journey(state: State, raw: Any) -> None:
    """W21 to W23: those who are still to answer are all those who could come along, in turn order."""
    fields(raw, "/state/journey", _JOURNEY)
    origin = one_of(raw["origin"], "/state/journey/origin", BOARD.places)
    destination = one_of(raw["destination"], "/state/journey/destination", BOARD.near[origin])
    if destination not in state.travellers[state.active]:
        refuse("/state/journey", "out_of_range", "None of the travellers who made the journey has arrived (W21).")
    others = [(state.active + ahead) % state.players for ahead in range(1, state.players)]
    if state.asked[0] == state.active:
        refuse("/state/seats_to_ask/0", "out_of_range", "Nobody is asked about their own journey (W22).")
    still = others[others.index(state.asked[0]) :]
    if state.asked != tuple(seat for seat in still if origin in state.travellers[seat]):
        detail = "These are not the seats with travellers at the place of departure, in turn order (W22, W23)."
        refuse("/state/seats_to_ask", "out_of_range", detail)
    state.journey = (origin, destination)


def _has_ended_it(state: State, seat: int) -> bool:
    """Whether `seat` has what ends the game at once (W50)."""
    return len(state.redeemed[seat]) >= BOARD.cards_to_end or 0 not in state.postcards[seat].values()


def _check_end(state: State) -> None:
    """The final phase begins by W50 or W52, and by nothing else; before it nobody has done what begins it."""
    players, asked = state.players, state.asked
    ended = [seat for seat in range(players) if _has_ended_it(state, seat)]
    at_limit = state.round == state.options.round_limit
    if state.phase == OVER:
        if not ended and not at_limit:
            refuse("/phase", "out_of_range", "Nothing has ended the game (W50, W52).")
    elif state.phase != FINAL:
        if ended:
            refuse("/phase", "out_of_range", f"Seat {ended[0]} has ended the game (W50).")
    else:
        in_order = all((seat + 1) % players == after for seat, after in pairwise(asked))
        if asked[0] != state.active or not in_order:
            detail = "In the final phase the active seat is asked, then those after it, in turn order (W51)."
            refuse("/state/seats_to_ask", "out_of_range", detail)
        by_seat = len(asked) < players and _has_ended_it(state, (asked[-1] + 1) % players)
        if not by_seat and not (at_limit and asked[-1] == players - 1):
            refuse("/phase", "out_of_range", "Nothing has begun the final phase for these seats (W50, W52).")


def _turn(state: State) -> int:
    """How many turns are over. Which seat ended a game that is over is not always seen: then, as many as can be."""
    players = state.players
    if state.phase == OVER:
        return (state.round + 1) * players
    before = (state.round - 1) * players
    if state.phase != FINAL:
        return before + state.active
    last = state.asked[-1]
    if state.round == state.options.round_limit and last == players - 1 and not _has_ended_it(state, 0):
        return before + 2 * players - len(state.asked)
    return before + (last + 1) % players + players - len(state.asked)


def _check_scores(state: State, told: Seen) -> None:
    """The points of the redeemed cards (W60); once the game is over, those of the postcards too (W61)."""
    points = state.points
    if state.phase == OVER:
        points = [cards + postcard_points(own.values()) for cards, own in zip(points, state.postcards, strict=True)]
    for seat, score in enumerate(points):
        if told.scores[seat] != score:
            refuse(f"/scores/{seat}", "out_of_range", f"What this seat shows counts {score} (W60, W61).")
