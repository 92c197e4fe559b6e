"""Where the travellers of one player stand (W3): a dict from place to a number above zero, changed in place."""

from __future__ import annotations

from spieltisch_service.games.wunderland.tables import BOARD


def all_at_start() -> dict[str, int]:
    """A player's travellers when the game begins (W10)."""
    return {BOARD.start: BOARD.travellers}


def move(own: dict[str, int], origin: str, destination: str, number: int) -> None:
    """Move `number` of the travellers at `origin`, which must be there, to `destination`."""
    left = own[origin] - number
    if left:
        own[origin] = left
    else:
        del own[origin]
    own[destination] = own.get(destination, 0) + number


def fulfils(own: dict[str, int], card: str) -> bool:
    """Whether a traveller stands on each place of the card (W40)."""
    return all(place in own for place in BOARD.cards[card].places)


def missing(own: dict[str, int], card: str) -> list[str]:
    """The places of the card without a traveller, in the card's order."""
    return [place for place in BOARD.cards[card].places if place not in own]
