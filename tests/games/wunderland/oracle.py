"""A slow reading of the rules of its own: it shares no code with the engine, and reads the data file by itself.

Every candidate action is tried against the sentences of the rules; travellers are pawns in a list, postcards
are single cards, a journey is looked up track by track. Actions are their JSON form.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from typing import Any

DATA = json.loads(
    files("spieltisch_service.games.wunderland").joinpath("data", "board.json").read_text(encoding="utf-8")
)
PLACES = [place["id"] for place in DATA["places"]]
OFFICES = {place["id"]: place["section"] for place in DATA["places"] if place["kind"] == "postcard"}
SECTIONS = [section["id"] for section in DATA["sections"] if section["id"] != "knuffingen"]
SIGHTS = {card["id"]: card["places"] for card in DATA["cards"]}
WORTH = {card["id"]: {2: 15, 3: 20, 4: 25}[len(card["places"])] for card in DATA["cards"]}
HOME = "knuffingen"


def joined(a: str, b: str) -> bool:
    return [a, b] in DATA["tracks"] or [b, a] in DATA["tracks"]


BESIDE = {a: [b for b in PLACES if joined(a, b)] for a in PLACES}


def in_reach(a: str, b: str) -> bool:
    """W21: one track, or two with any place between."""
    return a != b and (b in BESIDE[a] or any(b in BESIDE[between] for between in BESIDE[a]))


REACH = {(a, b): in_reach(a, b) for a in PLACES for b in PLACES}


class Oracle:
    """A match, played by the book."""

    def __init__(self, deck: list[str], players: int, postcards: str, round_limit: int | None) -> None:
        self.players = players
        self.free_collecting = postcards == "with_travel"
        self.round_limit = round_limit
        self.pawns = [[HOME] * 8 for _ in range(players)]
        self.hands = [deck[2 * seat : 2 * seat + 2] for seat in range(players)]
        self.deck = deck[2 * players :]
        self.shown: list[list[str]] = [[] for _ in range(players)]
        self.taken: list[list[str]] = [[] for _ in range(players)]
        self.stacks = dict.fromkeys(SECTIONS, 16)
        self.rounds_over = 0
        self.turns_over = 0
        self.whose = 0
        self.main_action_done = False
        self.way: tuple[str, str] | None = None
        self.companions: list[int] = []
        self.last_chances: list[int] | None = None

    # --- whose decision -----------------------------------------------------------------------------------------

    @property
    def stage(self) -> str:
        if self.last_chances is not None:
            return "final" if self.last_chances else "over"
        if self.companions:
            return "companions"
        return "after" if self.main_action_done else "turn"

    @property
    def decider(self) -> int | None:
        if self.stage == "over":
            return None
        return self.companions[0] if self.companions else self.whose

    # --- what may be done ---------------------------------------------------------------------------------------

    def allowed(self, action: dict[str, Any]) -> bool:
        seat, stage = self.decider, self.stage
        if seat is None:
            return False
        pawns = self.pawns[seat]
        match action["type"]:
            case "travel":
                number = action["travellers"]
                enough = number in range(1, 1 + pawns.count(action["origin"]))
                return stage == "turn" and enough and REACH[action["origin"], action["destination"]]
            case "travel_along":
                return self.way is not None and action["travellers"] in range(1, 1 + pawns.count(self.way[0]))
            case "stay":
                return stage == "companions"
            case "collect":
                section = OFFICES.get(action["place"])
                timely = stage in ("turn", "final") or (stage == "after" and self.free_collecting)
                if section is None or not timely:
                    return False
                number = action["postcards"]
                return number in range(1, 1 + min(pawns.count(action["place"]), self.stacks[section]))
            case "redeem":
                card = action["card"]
                there = all(sight in pawns for sight in SIGHTS[card])
                return stage in ("turn", "after", "final") and card in self.hands[seat] and there
            case "end_turn":
                return stage in ("after", "final")
        raise AssertionError(action)

    def legal(self) -> list[dict[str, Any]]:
        """Every action of the wire format that is allowed, in no particular order."""
        if self.decider is None:
            return []
        # A journey from where the seat has nobody breaks W21 whatever else it says; the rest is tried.
        origins = sorted(set(self.pawns[self.decider])) if self.stage == "turn" else [HOME]
        numbers = range(1, 9)
        candidates: list[dict[str, Any]] = [
            {"type": "travel", "origin": a, "destination": b, "travellers": n}
            for a in origins
            for b in PLACES
            for n in numbers
        ]
        candidates += [{"type": "travel_along", "travellers": n} for n in numbers]
        candidates += [{"type": "collect", "place": place, "postcards": n} for place in PLACES for n in numbers]
        candidates += [{"type": "redeem", "card": card} for card in SIGHTS]
        candidates += [{"type": "stay"}, {"type": "end_turn"}]
        return [action for action in candidates if self.allowed(action)]

    # --- what it does -------------------------------------------------------------------------------------------

    def send(self, seat: int, origin: str, destination: str) -> None:
        self.pawns[seat].remove(origin)
        self.pawns[seat].append(destination)

    def do(self, action: dict[str, Any]) -> dict[str, int]:
        """Play an allowed action; the answer is what its event says."""
        seat = self.decider
        assert seat is not None
        assert self.allowed(action)
        event = {"points": 0, "cards_drawn": 0}
        final = self.stage == "final"
        match action["type"]:
            case "travel":
                self.way = (action["origin"], action["destination"])
                for _ in range(action["travellers"]):
                    self.send(seat, *self.way)
                self.main_action_done = True
                following = [other % self.players for other in range(seat + 1, seat + self.players)]
                self.companions = [other for other in following if self.way[0] in self.pawns[other]]
                self.way = self.way if self.companions else None
            case "travel_along" | "stay":
                assert self.way is not None
                for _ in range(action.get("travellers", 0)):
                    self.send(seat, *self.way)
                self.companions.pop(0)
                self.way = self.way if self.companions else None
            case "collect":
                section = OFFICES[action["place"]]
                for _ in range(action["postcards"]):
                    self.send(seat, action["place"], HOME)
                    self.stacks[section] -= 1
                    self.taken[seat].append(section)
                if not self.free_collecting:
                    self.main_action_done = True
                if not final and set(self.taken[seat]) == set(SECTIONS):
                    self.finish(seat)
            case "redeem":
                event = self.redeem(seat, action["card"], final)
            case "end_turn":
                self.end_turn()
        return event

    def redeem(self, seat: int, card: str, final: bool) -> dict[str, int]:
        self.hands[seat].remove(card)
        self.shown[seat].append(card)
        for sight in SIGHTS[card]:
            self.send(seat, sight, HOME)
        drawn = 0
        if not final:
            if len(self.shown[seat]) == 5:
                self.finish(seat)
            elif len(self.shown[seat]) < 4 and self.deck:
                self.hands[seat].append(self.deck.pop(0))
                drawn = 1
        return {"points": WORTH[card], "cards_drawn": drawn}

    def finish(self, seat: int) -> None:
        """W50."""
        self.turns_over += 1
        self.last_chances = [other % self.players for other in range(seat + 1, seat + self.players)]
        self.whose = self.last_chances[0]

    def end_turn(self) -> None:
        self.turns_over += 1
        if self.last_chances is not None:
            self.last_chances.pop(0)
            if self.last_chances:
                self.whose = self.last_chances[0]
            return
        self.main_action_done = False
        self.whose = (self.whose + 1) % self.players
        if self.whose == 0:
            self.rounds_over += 1
            if self.rounds_over == self.round_limit:
                self.last_chances = list(range(self.players))

    # --- points, and what is seen -------------------------------------------------------------------------------

    def scores(self) -> list[int]:
        return [sum(WORTH[card] for card in shown) for shown in self.shown]

    def final_scores(self) -> list[int]:
        """W60, W61: the postcards laid out in piles, the first pile being a largest one."""
        totals = self.scores()
        for seat, taken in enumerate(self.taken):
            piles = [pile for _, pile in Counter(taken).most_common()]
            for place, pile in enumerate(piles, start=1):
                totals[seat] += place * min(pile, 4)
        return totals

    def final_ranks(self) -> list[int]:
        totals = self.final_scores()
        return [sorted(totals, reverse=True).index(total) + 1 for total in totals]

    def view(self, seat: int | None) -> dict[str, Any]:
        """What API.md's table of views says of this game."""
        over = self.stage == "over"
        return {
            "round": self.rounds_over + (self.rounds_over != self.round_limit),
            "active_seat": None if over else self.whose,
            "journey": None if self.way is None else {"origin": self.way[0], "destination": self.way[1]},
            "seats_to_ask": list(self.companions or self.last_chances or []),
            "travellers": [dict(Counter(pawns)) for pawns in self.pawns],
            "postcards_left": dict(self.stacks),
            "postcards": [{section: taken.count(section) for section in SECTIONS} for taken in self.taken],
            "redeemed": [list(shown) for shown in self.shown],
            "hand": None if seat is None else list(self.hands[seat]),
            "hand_counts": [len(hand) for hand in self.hands],
            "deck_count": len(self.deck),
        }
