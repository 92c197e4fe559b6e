"""Write down what this version stores of running matches with clocks: `./run python -m tests.golden.timed`.

As `make`, once for each release; it writes `VERSION/timed/`. What has to come of these matches is told as of when they
were stored: until somebody reads them again the service was down, which costs nobody any time.
"""

import time
from collections.abc import Mapping
from typing import Any

from tests.golden.make import SECRET, Asker, new_folder, served, write_expected, write_store

FISCHER = {"kind": "fischer", "initial_ms": 600_000, "increment_ms": 3_000}
AUTOPLAY = {"kind": "per_decision", "per_decision_ms": 10_000, "on_timeout": "autoplay"}
#: By name, what is stored, and how many actions are played before.
MATCHES: dict[str, tuple[dict[str, Any], int]] = {
    "fischer": ({"game": "neues-land", "seats": ["me", "me"], "clock": FISCHER}, 9),
    "fischer-companions": ({"game": "wunderland", "seats": ["me", "me", "me"], "clock": FISCHER}, 8),
    "correspondence": (
        {
            "game": "wunderland",
            "seats": ["me", "me"],
            "clock": {"kind": "correspondence", "per_decision_ms": 86_400_000},
        },
        3,
    ),
    "played-for": ({"game": "neues-land", "seats": ["me", "me"], "clock": AUTOPLAY}, 0),
    "companion-played-for": ({"game": "wunderland", "seats": ["me", "me"], "clock": AUTOPLAY}, 1),
    "forfeited": (
        {"game": "neues-land", "seats": ["me"] * 3, "clock": {**FISCHER, "initial_ms": 10_000}},
        0,
    ),
}
#: In these the time of a seat is over before they are stored; in the last one nobody has noticed.
LAPSED = ("played-for", "companion-played-for", "forfeited")
OVERDUE = {"game": "neues-land", "seats": ["me", "me"], "clock": {**AUTOPLAY, "per_decision_ms": 300}}
#: How many actions each goes on for.
GO_ON = 12


def play(asker: Asker, key: str, path: str) -> list[Any]:
    """One action of whoever must act; the seat and it."""
    seat = asker.get(f"{path}/view", key)["to_act"]
    view = asker.get(f"{path}/view?seat={seat}", key)
    action = view["legal_actions"][view["version"] * 7919 % len(view["legal_actions"])]
    asker.post(f"{path}/actions", {"actions": [action], "seat": seat}, key)
    return [seat, action]


def begun(asker: Asker, key: str) -> dict[str, str]:
    """The paths of all matches as they are to be stored, by name."""
    paths = {}
    for name, (wanted, actions) in MATCHES.items():
        paths[name] = f"/v1/matches/{asker.post('/v1/matches', wanted, key)['id']}"
        for _ in range(actions):
            play(asker, key, paths[name])
    for name in LAPSED:
        while not any(_lapses(event) for event in asker.get(f"{paths[name]}/events", key)["events"]):
            time.sleep(0.2)
            asker.get(f"{paths[name]}/view", key)
    paths["overdue"] = f"/v1/matches/{asker.post('/v1/matches', OVERDUE, key)['id']}"
    # Over, and the service was there then; that is noted by the second.
    time.sleep(1.2)
    return paths


def _lapses(event: Mapping[str, Any]) -> bool:
    return event["type"] == "seat_forfeited" or event["data"].get("cause") == "timeout"


def described(asker: Asker, key: str, name: str, path: str, at: int) -> dict[str, Any]:
    """What everybody saw of the match at that version."""
    spectator = asker.get(f"{path}/view?at={at}", key)
    seats = range(len(spectator["scores"]))
    return {
        "name": name,
        "path": path,
        "version": at,
        "clock": asker.get(path, key)["clock"],
        "hash": asker.get(f"{path}/events?after={at - 1}&limit=1", key)["events"][0]["hash"],
        "views": [spectator, *(asker.get(f"{path}/view?at={at}&seat={seat}", key) for seat in seats)],
    }


def standing(view: Mapping[str, Any]) -> dict[str, Any]:
    """What does not depend on when it was played."""
    return {key: view[key] for key in ("status", "to_act", "phase", "scores", "state", "result")}


def main() -> None:
    folder = new_folder("timed")
    with served() as (url, service):
        asker = Asker(service)
        key = asker.post("/v1/accounts", {"name": "Ada"})["key"]
        paths = begun(asker, key)
        versions = {name: service.store.version(path.rpartition("/")[2]) for name, path in paths.items()}
        service.clocks.listen()
        write_store(folder, url)
        matches = []
        for name, path in paths.items():
            at = versions[name]
            assert at is not None
            matches.append(described(asker, key, name, path, at))
            matches[-1]["went_on"] = [] if name == "overdue" else [play(asker, key, path) for _ in range(GO_ON)]
            matches[-1]["end"] = standing(asker.get(f"{path}/view", key))
    write_expected(folder, {"secret": SECRET, "keys": [key, key], "matches": matches})


if __name__ == "__main__":
    main()
