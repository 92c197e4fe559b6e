"""The deal: drawn from a seed (N11, N12), or given explicitly (last section of the rules)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from spieltisch_service.games.chance import shuffled
from spieltisch_service.games.contract import Plain
from spieltisch_service.games.errors import InvalidDeal
from spieltisch_service.games.neues_land.model import Deal, Options
from spieltisch_service.games.neues_land.tables import AVAILABLE, KIND_IDS, KIND_NUMBER, START_KIND

_FULL_DECK = AVAILABLE.total()
_KEYS = ("deck", "set_aside")


def draw_deal(options: Options, players: int, deal_seed: bytes) -> Deal:
    """Shuffle the 83 tiles; with `equal_turns`, the last ones leave until the players divide what stays (N12)."""
    tiles = shuffled(AVAILABLE.elements(), deal_seed)
    count = len(tiles) - len(tiles) % players if options.equal_turns else len(tiles)
    return Deal(tuple(tiles[:count]), tuple(tiles[count:]))


def parse_deal(raw: Mapping[str, Plain]) -> Deal:
    """An explicit deal, played as it stands. `set_aside` may be left out. Raises InvalidDeal.

    Deck and set-aside tiles together hold no kind more often than the 83 tiles do.
    """
    for key in raw:
        if key not in _KEYS:
            escaped = str(key).replace("~", "~0").replace("/", "~1")
            raise InvalidDeal(f"/{escaped}", "unknown", f"A deal has no {key!r}, only deck and set_aside.")
    if "deck" not in raw:
        raise InvalidDeal("/deck", "missing", "A deal needs a deck.")
    used: Counter[str] = Counter()
    deck = _pile("deck", raw["deck"], used)
    set_aside = _pile("set_aside", raw.get("set_aside", []), used)
    if not deck:
        raise InvalidDeal("/deck", "out_of_range", "The deck needs at least one tile.")
    return Deal(deck, set_aside)


def _pile(key: str, raw: Plain, used: Counter[str]) -> tuple[str, ...]:
    """A pile of tiles, counted into `used`."""
    if not isinstance(raw, list):
        raise InvalidDeal(f"/{key}", "wrong_type", f"{key} is a list of kind ids.")
    if len(raw) > _FULL_DECK:
        raise InvalidDeal(f"/{key}", "out_of_range", f"There are only {_FULL_DECK} tiles, not {len(raw)}.")
    for index, tile in enumerate(raw):
        pointer = f"/{key}/{index}"
        if not isinstance(tile, str):
            raise InvalidDeal(pointer, "wrong_type", "A tile is named by its kind id, a string.")
        if tile not in KIND_NUMBER:
            raise InvalidDeal(pointer, "not_one_of", f"There is no tile {tile!r}.")
        if tile == KIND_IDS[START_KIND]:
            raise InvalidDeal(pointer, "not_one_of", f"{tile} is the start tile and lies on the table already.")
        used[tile] += 1
        if used[tile] > AVAILABLE[tile]:
            raise InvalidDeal(pointer, "duplicate", f"{tile} occurs more often than the {AVAILABLE[tile]} there are.")
    return tuple(raw)
