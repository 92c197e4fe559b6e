"""Write down what this version stores of tournaments and ratings: `./run python -m tests.golden.tournaments`.

As `make`, once for each release; it writes `VERSION/tournaments/`: one that has ended, with its ratings, and one in
the middle, with duplicate deals of which one is still to be played a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spieltisch_service.app.service import Service
from spieltisch_service.bots.house import HouseBots, Sweeper
from tests.golden.make import SECRET, Asker, new_folder, served, write_expected, write_store

CLOCK = {"kind": "correspondence", "per_decision_ms": 28 * 86_400_000}
CUP = {
    "game": "wunderland",
    "name": "Cup",
    "format": "round_robin",
    "clock": CLOCK,
    "duplicate": True,
    "options": {"round_limit": 1},
}
#: What can be read of one, and says the same for ever.
READ = ("", "/rounds", "/standings", "/crosstable", "/statistics")


def play(asker: Asker, service: Service, keys: list[str], path: str, enough: Callable[[list[Any]], bool]) -> None:
    """Let everybody play by the version alone until it is enough by the tables of all rounds."""
    bots, sweeper = HouseBots(service, seed=1), Sweeper(service)
    while True:
        sweeper.sweep()
        if enough(tables_of(asker, path)):
            return
        waiting = [(key, each) for key in keys for each in asker.get("/v1/me/decisions", key)["decisions"]]
        if not waiting:
            bots.play_waiting()
        for key, decision in waiting[:1]:
            match = f"/v1/matches/{decision['match']}"
            legal = asker.get(f"{match}/legal-actions", key)["legal_actions"]
            action = legal[decision["version"] * 7919 % len(legal)]
            asker.post(f"{match}/actions", {"actions": [action], "version": decision["version"]}, key)


def tables_of(asker: Asker, path: str) -> list[Any]:
    """Those of all rounds."""
    return [table for each in asker.get(f"{path}/rounds")["rounds"] for table in each["tables"]]


def is_between(tables: list[Any]) -> bool:
    """A deal has been played once, and not the other way round; another table is complete."""
    return len(tables) > 1 and any(0 < len(table["results"]) < table["matches"] for table in tables)


def are_complete(tables: list[Any]) -> bool:
    """All three tables have played."""
    return len(tables) == 3 and all(len(table["results"]) == table["matches"] for table in tables)


def begun(asker: Asker, keys: list[str], **wanted: Any) -> str:
    """A tournament of all of them, and a house bot."""
    path = f"/v1/tournaments/{asker.post('/v1/tournaments', {**CUP, **wanted}, keys[0])['id']}"
    for key in keys:
        asker.post(f"{path}/entrants", {}, key)
    asker.post(f"{path}/entrants", {"bot": "random"}, keys[0])
    asker.post(f"{path}/start", {}, keys[0])
    return path


def main() -> None:
    folder = new_folder("tournaments")
    with served() as (url, service):
        asker = Asker(service)
        keys = [asker.post("/v1/accounts", {"name": name})["key"] for name in ("Ada", "Bob")]
        over = begun(asker, keys)
        play(asker, service, keys, over, are_complete)
        while asker.get(over)["status"] != "finished":
            Sweeper(service).sweep()
        half = begun(asker, keys, name="Half a cup")
        play(asker, service, keys, half, is_between)
        write_store(folder, url)
        expected = {
            "secret": SECRET,
            "keys": keys,
            "over": over,
            "half": half,
            "read": {path + what: asker.get(path + what) for path in (over, half) for what in READ},
            "results": asker.get(f"{over}/results"),
            "ratings": asker.get("/v1/ratings/wunderland?clock_class=correspondence"),
        }
    write_expected(folder, expected)


if __name__ == "__main__":
    main()
