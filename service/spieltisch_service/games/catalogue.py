"""The games that a match can be of: the one place that names them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from spieltisch_service.games.contract import Game
from spieltisch_service.games.neues_land.game import NEUES_LAND
from spieltisch_service.games.wunderland.game import WUNDERLAND

GAMES: Mapping[str, Game[Any]] = MappingProxyType({game.id: game for game in (NEUES_LAND, WUNDERLAND)})
