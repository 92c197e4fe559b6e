"""What a player's standing in Wunderland is worth: points, and the goals that the travellers can still reach in time.

A *goal* is a destination card in the hand, or the next postcards of a section. Each takes main actions: journeys, as
few as the map allows (`ways`), and the collecting. They are put in an order, best points a turn first, and what is
reached later counts less: the game may have ended by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from spieltisch_service.bots.wunderland.ways import FAR, HOPS, Used, card_plan
from spieltisch_service.games.wunderland.model import OWN_TURN, State
from spieltisch_service.games.wunderland.scoring import outcome, postcard_points
from spieltisch_service.games.wunderland.tables import BOARD

_POST_OF = {section: place for place, section in BOARD.post.items()}
#: By section: journeys from each place to its postcard place.
_TO_POST = {section: {place: HOPS[place][post] for place in HOPS} for section, post in _POST_OF.items()}
_MOST = BOARD.scored_per_section
_LAST_CARD = BOARD.cards_to_end
_TURNS = 60


@dataclass(frozen=True, slots=True)
class Taste:
    """The numbers that a bot plays by; found by matches between bots.

    `patience`: what a turn's delay leaves of a goal; `goals`: how many goals are planned one after the other; `rate`:
    points that a turn brings, to anybody; `card_turns`, `section_turns`: turns that others need for a card or
    a section; `hurry`: what a turn leaves of a goal that comes after that; `win`: what ending the game ahead is worth.
    """

    patience: float = 0.92
    goals: int = 6
    rate: float = 5.0
    card_turns: float = 4.0
    section_turns: float = 3.5
    hurry: float = 0.7
    win: float = 25.0


DEFAULT_TASTE = Taste()


class Outlook:
    """What holds for all standings that one decision of `seat` looks at: how long the game may last, and the others.

    `weights[t]`: what a point counts that is made in t turns; `rest[t]`: what all turns from then on count;
    `nodes`: how many standings were judged.
    """

    def __init__(self, state: State, seat: int, taste: Taste = DEFAULT_TASTE) -> None:
        self.taste = taste
        self.nodes = 0
        self.own_turn = state.options.postcards == OWN_TURN
        others = [other for other in range(state.players) if other != seat]
        limit = state.options.round_limit
        last = _TURNS if limit is None else min(_TURNS, limit - state.round + (seat >= state.active))
        turns = float(_TURNS)
        for other in others:
            cards = (_LAST_CARD - len(state.redeemed[other])) * taste.card_turns
            sections = sum(not pile for pile in state.postcards[other].values()) * taste.section_turns
            turns = min(turns, max(1.5, min(cards, sections)))
        self.last = last
        scores = outcome(state).scores
        self.rivals = max(scores[other] for other in others)
        self.expect(turns)

    def expect(self, turns: float) -> None:
        """Think of the others as ending the game in so many turns."""
        taste = self.taste
        self.weights = [
            taste.patience**t * taste.hurry ** max(0.0, t - turns) if t <= self.last else 0.0 for t in range(_TURNS + 1)
        ]
        self.rest = [0.0] * (_TURNS + 2)
        for t in range(_TURNS, -1, -1):
            self.rest[t] = self.rest[t + 1] + self.weights[t]

    def end(self, points: float, t: int) -> float:
        """What it is worth to have ended the game with so many points in t turns."""
        taste = self.taste
        ahead = points > self.rivals + taste.rate * t
        return taste.rate * self.rest[t] + (taste.win if ahead else -taste.win) * self.weights[t]


@dataclass(slots=True)
class Standing:
    """One player's side of a position. `waits`: main actions until the player's next one (0: it is due).

    `own`: travellers by place; `hand`: the cards known; `unknown`: how many cards more are in the hand; `draws`: the
    cards that are drawn next, if somebody imagines them; `piles`:
    postcards by section; `left`: postcards on the table; `points`: of redeemed cards; `redeemed`: how many.
    `ended`: the player has ended the game.
    """

    own: dict[str, int]
    hand: tuple[str, ...]
    unknown: int
    draws: tuple[str, ...]
    piles: dict[str, int]
    left: Mapping[str, int]
    points: int
    redeemed: int
    waits: int
    ended: bool = False

    @classmethod
    def of(cls, state: State, seat: int, waits: int) -> Standing:
        """The standing of `seat`, whose hand is known."""
        return cls(
            own=state.travellers[seat],
            hand=tuple(state.hands[seat]),
            unknown=0,
            draws=(),
            piles=state.postcards[seat],
            left=state.postcards_left,
            points=state.points[seat],
            redeemed=len(state.redeemed[seat]),
            waits=waits,
        )

    def copy(self) -> Standing:
        """The same standing; what it refers to is shared, and replaced rather than changed."""
        return Standing(
            self.own,
            self.hand,
            self.unknown,
            self.draws,
            self.piles,
            self.left,
            self.points,
            self.redeemed,
            self.waits,
            self.ended,
        )

    def moved(self, origin: str, destination: str, number: int, waits: int) -> Standing:
        """The standing after a journey."""
        after = self.copy()
        after.own = own = self.own.copy()
        _take(own, origin, number)
        own[destination] = own.get(destination, 0) + number
        after.waits = waits
        return after

    def collected(self, place: str, number: int, waits: int) -> Standing:
        """The standing after taking postcards (W30)."""
        section = BOARD.post[place]
        after = self.moved(place, BOARD.start, number, waits)
        after.piles = {**self.piles, section: self.piles[section] + number}
        after.left = {**self.left, section: self.left[section] - number}
        after.ended = 0 not in after.piles.values()
        return after

    def redeeming(self, card: str) -> Standing:
        """The standing after redeeming a card (W40), and drawing one, which may not be known (W41)."""
        after = self.copy()
        after.own = own = self.own.copy()
        places = BOARD.cards[card].places
        for place in places:
            _take(own, place, 1)
        own[BOARD.start] = own.get(BOARD.start, 0) + len(places)
        after.hand = tuple([other for other in self.hand if other != card])
        after.points += BOARD.cards[card].points
        after.redeemed += 1
        after.ended = after.redeemed >= _LAST_CARD
        if after.redeemed < _LAST_CARD - 1:
            after.unknown += 1
        return after.drawing(after.draws) if after.draws else after

    def drawing(self, draws: tuple[str, ...]) -> Standing:
        """The standing if the cards that are not known are the first of `draws`, and the next ones come later."""
        after = self.copy()
        after.hand, after.unknown, after.draws = (*self.hand, *draws[: self.unknown]), 0, draws[self.unknown :]
        return after

    def score(self) -> int:
        """Points if the game ended now (W60, W61)."""
        return self.points + postcard_points(self.piles.values())


def _take(own: dict[str, int], place: str, number: int) -> None:
    left = own[place] - number
    if left:
        own[place] = left
    else:
        del own[place]


def worth(standing: Standing, outlook: Outlook, goals: int) -> float:
    """Points now, and the points of goals in reach, by what they count when they are made.

    All of it as a lead: what a turn brings to everybody is added for the turns after the last goal, and for those
    that nobody has once the game has been ended.
    """
    outlook.nodes += 1
    value, t = float(standing.score()), standing.waits
    if standing.ended:
        return value + outlook.end(value, t)
    banked, weights = value, outlook.weights
    for gain, t, ends in _plan(standing, outlook, goals):
        banked += gain
        value += gain * weights[t]
        if ends:
            return value + outlook.end(banked, t)
    return value + outlook.taste.rate * outlook.rest[t]


@dataclass(frozen=True, slots=True)
class Course:
    """What a player's plan comes to: points now, points to come by turn, and in which turn the plan ends the game."""

    points: float
    gains: Sequence[tuple[float, int]]
    ends: float

    def at(self, turn: float, blur: float) -> float:
        """Points when the game ends in `turn`. What comes a turn later counts `blur` of that, and so on."""
        return self.points + sum([gain if t <= turn else gain * blur ** (t - turn) for gain, t in self.gains])


def course(standing: Standing, outlook: Outlook) -> Course:
    """What is planned to the end of the game, with the cards imagined to be drawn; then at the usual pace (`Taste`)."""
    outlook.nodes += 1
    points, t = float(standing.score()), standing.waits
    if standing.ended:
        return Course(points, (), float(t - 1))
    gains: list[tuple[float, int]] = []
    missing = _LAST_CARD - standing.redeemed
    for gain, t, ends in _plan(standing, outlook, 2 * _LAST_CARD):
        gains.append((gain, t))
        if ends:
            return Course(points, gains, float(min(t, outlook.last)))
        missing -= 1
    return Course(points, gains, min(t + max(1, missing) * outlook.taste.card_turns, outlook.last))


def _plan(standing: Standing, outlook: Outlook, goals: int) -> Iterator[tuple[float, int, bool]]:
    """Goals in the order in which they are made: points, the turn, and whether it ends the game (W50).

    Cards that are imagined to be drawn next join the plan when they come.
    """
    free, heights, cards = standing.own.copy(), standing.piles.copy(), list(standing.hand)
    redeemed, t, draws = standing.redeemed, standing.waits, iter(standing.draws)
    for _ in range(goals):
        goal = _best_goal(free, heights, cards, standing.left, outlook)
        if goal is None or t + goal[1] >= _TURNS:
            return
        gain, cost, card, place, used = goal
        t += cost
        for origin, number in used:
            _take(free, origin, number)
        if card is None:
            heights[BOARD.post[place]] += used[0][1]
        else:
            redeemed += 1
            cards.remove(card)
            if redeemed < _LAST_CARD - 1:
                cards += islice(draws, 1)
        yield gain, t, redeemed >= _LAST_CARD or 0 not in heights.values()
        free[BOARD.start] = free.get(BOARD.start, 0) + sum([number for _, number in used])


#: Points, main actions, card or None, postcard place, travellers used.
_Goal: TypeAlias = tuple[float, int, str | None, str, Used]


def _best_goal(
    free: Mapping[str, int],
    heights: Mapping[str, int],
    cards: Sequence[str],
    left: Mapping[str, int],
    outlook: Outlook,
) -> _Goal | None:
    """The goal of most points a turn."""
    best = 0.0
    found: _Goal | None = None
    for card in cards:
        cost, used = card_plan(free, card)
        if cost < FAR:
            points = BOARD.cards[card].points
            ratio = points / (cost + 0.5)
            if ratio > best:
                best, found = ratio, (float(points), cost, card, "", used)
    counted = sorted([pile if pile < _MOST else _MOST for pile in heights.values()], reverse=True)
    collecting = 1 if outlook.own_turn else 0
    stacks = list(free.items())
    for section, pile in heights.items():
        room = min(_MOST - pile, left[section])
        if room <= 0:
            continue
        to_post = _TO_POST[section]
        gains = _gains(tuple(counted), pile)
        for place, number in stacks:
            taken = number if number < room else room
            cost = to_post[place] + collecting
            ratio = gains[taken] / (cost + 0.5)
            if ratio > best:
                best, found = ratio, (float(gains[taken]), cost, None, _POST_OF[section], ((place, taken),))
    return found


@lru_cache(maxsize=1 << 12)
def _gains(counted: tuple[int, ...], pile: int) -> tuple[int, ...]:
    """Points for 0 … 4 more postcards on a pile, one of `counted`, the largest first (W61)."""
    found = []
    for more in range(_MOST - pile + 1):
        after = list(counted)
        after.remove(pile)
        after.append(pile + more)
        found.append(postcard_points(after) - postcard_points(counted))
    return tuple(found)
