"""The tables in the modules' docstrings are what the environments have."""

import re
from types import ModuleType

import pytest

pytest.importorskip("pettingzoo", reason="the extra rl is not installed: pip install 'spieltisch-service[rl]'")

from spieltisch_service.rl import neues_land, wunderland
from spieltisch_service.rl.env import raw_env
from spieltisch_service.rl.layout import Part

ROW = re.compile(r"^\| ([a-z_, ]+) \| ([^|]+) \| ([-0-9]+) … ([^|]+) \|", re.MULTILINE)


def documented(module: ModuleType, players: int, slots: int) -> list[Part]:
    assert module.__doc__ is not None
    known = {"n": players, "h": slots, "672 or 1328": (672, 1328)[slots - 1], "48 - 2 n": 48 - 2 * players}

    def number(text: str) -> int:
        return known[text] if text in known else int(text)

    found = []
    for names, shape, low, high in ROW.findall(module.__doc__):
        for name in names.split(", "):
            found.append(Part(name, tuple(number(size) for size in shape.split(", ")), int(low), number(high)))
    return found


@pytest.mark.parametrize(
    ("module", "game", "players", "options"),
    [(neues_land, "neues-land", players, {"expert": expert}) for players in (2, 5) for expert in (False, True)]
    + [(wunderland, "wunderland", players, {}) for players in (2, 4)],
)
def test_the_table_of_parts_is_true(module: ModuleType, game: str, players: int, options: dict[str, bool]) -> None:
    table = raw_env(game, players, options)
    assert list(table.layout.parts.values()) == documented(module, players, 2 if options.get("expert") else 1)
    sizes = {name: place.stop - place.start for name, place in table.layout.slices.items()}
    assert table.layout.size == sum(sizes.values()) == table.observation_space("seat_0")["observation"].shape[0]  # type: ignore[index]


@pytest.mark.parametrize(("game", "module"), [("neues-land", neues_land), ("wunderland", wunderland)])
def test_a_new_version_has_its_line(game: str, module: ModuleType) -> None:
    assert module.__doc__ is not None
    versions = module.__doc__.rpartition("Versions:")[2]
    assert f"v{raw_env(game).encoding.version}" in versions
