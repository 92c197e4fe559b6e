"""What the games of the catalogue add to answers: the `state` of a view and the form of a deal.

They document only. A game that is not named here is documented as an open object, and works all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from marshmallow import Schema

from spieltisch_service.web.schemas.fields import AnswerShape, Inner, Several, Text, Whole
from spieltisch_service.web.schemas.shapes import counts, listed, number, text


class CellShape(AnswerShape):
    """A cell of the plane."""

    x = number("Column; grows to the east.")
    y = number("Row; grows to the south.")


class PlacedTileShape(CellShape):
    """A tile on the table."""

    tile = text("Kind id.")
    rotation = number("Degrees clockwise: 0, 90, 180 or 270.")
    seat = number("Who laid it; null for the start tile.", allow_none=True)


class FollowerShape(CellShape):
    """A follower on the table."""

    seat = number("Whose it is.")
    region = number("Number of the region, in the order of the kind's `regions`.")
    kind = text("`explorer`, `robber` or `sailor`.")


class NeuesLandStateShape(AnswerShape):
    """What can be seen of a match of Neues Land: everything but the order of the deck."""

    tiles = listed(Inner(PlacedTileShape()), "In order of laying; the start tile first.")
    followers = listed(Inner(FollowerShape()), "On the table.")
    supply = listed(Whole(), "Followers left, by seat.")
    hands = listed(Several(Text()), "Tiles in hand, by seat; in the normal game the drawn tile.")
    last = Inner(
        CellShape(),
        required=True,
        allow_none=True,
        metadata={"description": "The tile laid last, null before the first."},
    )
    deck_count = number("Tiles left in the deck.")
    set_aside_count = number("Tiles that left the deck before the game (N12).")
    discarded = listed(Text(), "Tiles that fitted nowhere (N21, N52).")


class JourneyShape(AnswerShape):
    """A journey that others may join."""

    origin = text("Where it leaves.")
    destination = text("Where it goes.")


class WunderlandStateShape(AnswerShape):
    """What can be seen of a match of Wunderland: everything but the deck and the others' hands (W70)."""

    round = number("The round, from 1.")
    active_seat = number("Whose turn it is; null once the game is over.", allow_none=True)
    journey = Inner(
        JourneyShape(),
        required=True,
        allow_none=True,
        metadata={"description": "The journey that companions are asked about."},
    )
    seats_to_ask = listed(Whole(), "Seats still to answer, the one to act first.")
    travellers = listed(counts("n"), "Travellers by place (those with any), by seat.")
    postcards_left = counts("Postcards left, by section.")
    postcards = listed(counts("n"), "Postcards collected by section, by seat.")
    redeemed = listed(Several(Text()), "Redeemed cards, by seat.")
    hand = listed(Text(), "The own hand in order drawn; null for everybody else.", allow_none=True)
    hand_counts = listed(Whole(), "Cards in hand, by seat.")
    deck_count = number("Cards left in the deck.")


class NeuesLandDealShape(AnswerShape):
    """The deal of a match of Neues Land."""

    deck = listed(Text(), "Kind ids, first drawn first.")
    set_aside = listed(Text(), "Kind ids that left the deck before the game (N12).")


class WunderlandDealShape(AnswerShape):
    """The deal of a match of Wunderland."""

    deck = listed(Text(), "Card ids, first drawn first.")


STATES: Mapping[str, Schema] = MappingProxyType(
    {"neues-land": NeuesLandStateShape(), "wunderland": WunderlandStateShape()}
)
DEALS: Mapping[str, Schema] = MappingProxyType(
    {"neues-land": NeuesLandDealShape(), "wunderland": WunderlandDealShape()}
)
