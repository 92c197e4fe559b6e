"""Write down what this version stores, for all later ones to read: `./run python -m tests.golden.make`.

Run it once for each release, before it is tagged, then `tests.golden.timed`, and commit what they write; never run it
again for a version that is out. It makes `tests/golden/VERSION/` with
- `store.json`: every key of a store, byte for byte, and `backup.gz`, a backup of the same;
- `expected.json`: what has to come of them: matches, views, repeated answers, and how each match went on.
"""

import json
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import redis

from spieltisch_service.app.backup import back_up
from spieltisch_service.app.service import Service
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.store.connection import connect, open_vault
from spieltisch_service.store.embedded import EmbeddedStore
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app

HERE = Path(__file__).parent
SECRET = "no secret: everybody can read these matches"
#: How many actions a match goes on for, unless it is the last of its game: that one is played to the end.
GO_ON = 25
#: For each game: the options, from which version on, and the phase in which a match is left behind.
RUNNING: dict[str, list[tuple[dict[str, Any], int, str]]] = {
    "neues-land": [
        ({}, 2, "place_tile"),
        ({"expert": True}, 31, "follower"),
        ({"equal_turns": True}, 60, "place_tile"),
    ],
    "wunderland": [
        ({"round_limit": 3}, 2, "turn"),
        ({"postcards": "with_travel", "round_limit": 5}, 14, "companions"),
        ({"round_limit": 4}, 21, "after"),
        ({"round_limit": 2}, 8, "final"),
    ],
}


class Asker:
    """Requests with a key each; what was answered is kept."""

    def __init__(self, service: Service) -> None:
        self._client = create_app(service).test_client()
        self.repeated: list[dict[str, Any]] = []
        self._sent = 0

    def get(self, path: str, token: str | None = None) -> Any:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self._client.get(path, headers=headers)
        assert answer.status_code == 200, answer.get_data()
        return answer.get_json()

    def post(self, path: str, body: Any, token: str | None = None, *, keep: bool = False) -> Any:
        self._sent += 1
        headers = {"Idempotency-Key": f"golden-{self._sent:032}"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        answer = self._client.post(path, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.get_data()
        if keep:
            kept = {"path": path, "body": body, "headers": headers, "status": answer.status_code}
            self.repeated.append(kept | {"answer": answer.get_json()})
        return answer.get_json()

    def delete(self, path: str, token: str) -> Any:
        answer = self._client.delete(path, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.get_data()
        return answer.get_json()


class Maker:
    """Makes one match of each kind, and later lets those that run go on."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.keys = [asker.post("/v1/accounts", {"name": name}, keep=True)["key"] for name in ("Ada", "Bob")]
        self.made: list[dict[str, Any]] = []

    def make(self, game: str) -> None:
        ada, bob = self.keys
        self._new(game, ["me", "open"], metadata={"table": "für Ada"})
        self._new(game, ["me", "invite"], visibility="private", start="manual")
        self._new(game, ["bot:random", "me"])
        self.asker.delete(self._new(game, ["me", "open"])["path"], ada)
        for options, at_least, phase in RUNNING[game]:
            one = self._seated(game, options)
            self._play(one, partial(_is_at, at_least, phase))
        given_up = self._seated(game, {})
        self._play(given_up, lambda view: view["version"] > 9)
        self.asker.post(f"{given_up['path']}/resignation", {}, bob, keep=True)
        self.asker.post(f"{given_up['path']}/rematch", {}, bob, keep=True)
        over = self._seated(game, {"round_limit": 1} if game == "wunderland" else {"equal_turns": True})
        self._play(over, lambda _: False)

    def _new(self, game: str, seats: list[str], **wanted: Any) -> dict[str, Any]:
        body = {"game": game, "seats": seats, **wanted}
        path = f"/v1/matches/{self.asker.post('/v1/matches', body, self.keys[0], keep=True)['id']}"
        self.made.append({"path": path, "went_on": []})
        return self.made[-1]

    def _seated(self, game: str, options: dict[str, Any]) -> dict[str, Any]:
        one = self._new(game, ["me", "open"], options=options)
        self.asker.post(f"{one['path']}/seats", {"nonce": "bobs-nonce"}, self.keys[1], keep=True)
        return one

    def _play(self, one: dict[str, Any], enough: Callable[[Any], bool], *, actions: int = 10_000) -> list[Any]:
        """Act by the version alone until it is enough; the actions with their seats."""
        done: list[Any] = []
        while len(done) < actions:
            view = self.asker.get(f"{one['path']}/view", self.keys[0])
            if view["status"] != "running" or enough(view):
                break
            seat = view["to_act"]
            legal = self.asker.get(f"{one['path']}/view", self.keys[seat])["legal_actions"]
            action = legal[view["version"] * 7919 % len(legal)]
            last = view["version"] % 20 == 0
            self.asker.post(f"{one['path']}/actions", {"actions": [action]}, self.keys[seat], keep=last)
            done.append([seat, action])
        return done

    def describe(self) -> None:
        """What everybody sees of every match now, and how it was when it was half as old."""
        for one in self.made:
            ada, bob = self.keys
            one["match"] = self.asker.get(one["path"], ada)
            one["hash"] = self.asker.get(f"{one['path']}/record", ada)["hash"]
            half = one["match"]["version"] // 2 or 1
            one["views"] = {"/view": [None, None, None], f"/view?at={half}": [None]}
            private = one["match"]["visibility"] == "private"
            for path, views in one["views"].items():
                asking = [ada, *([] if private else [bob, None])][: len(views)]
                views[:] = [self.asker.get(f"{one['path']}{path}", token) for token in asking]

    def go_on(self) -> None:
        """Play on, and note what comes of it."""
        last = {one["match"]["game"]: one["path"] for one in self.made if self._is_ours(one)}
        for one in self.made:
            if self._is_ours(one):
                to_the_end = one["path"] == last[one["match"]["game"]]
                one["went_on"] = self._play(one, lambda _: False, actions=10_000 if to_the_end else GO_ON)
            one["end"] = {
                key: self.asker.get(f"{one['path']}/record", self.keys[0])[key]
                for key in ("version", "hash", "status", "result")
            }

    @staticmethod
    def _is_ours(one: dict[str, Any]) -> bool:
        return one["match"]["status"] == "running" and all(seat["kind"] == "account" for seat in one["match"]["seats"])


def _is_at(version: int, phase: str, view: Any) -> bool:
    return bool(view["version"] >= version and view["phase"] == phase)


def dumped(client: Any) -> dict[str, Any]:
    """Every key of a store: what it is and what it holds, in base64."""

    def text(data: Any) -> str:
        return b64encode(data).decode()

    found: dict[str, Any] = {}
    for key in sorted(client.scan_iter()):
        kind = client.type(key).decode()
        if kind == "hash":
            content: Any = {text(name): text(value) for name, value in sorted(client.hgetall(key).items())}
        elif kind == "list":
            content = [text(value) for value in client.lrange(key, 0, -1)]
        elif kind == "zset":
            content = [[text(member), score] for member, score in client.zrange(key, 0, -1, withscores=True)]
        else:
            content = text(client.get(key))
        found[key.decode()] = {kind: content}
    return found


@contextmanager
def served() -> Iterator[tuple[str, Service]]:
    """An empty store's URL, and the service over it."""
    with tempfile.TemporaryDirectory() as temporary:
        store = EmbeddedStore(Path(temporary) / "data", "fast")
        store.start()
        hub = Hub(store.url)
        try:
            yield store.url, Service(connect(store.url), hub, SECRET.encode(), bots=("random",))
        finally:
            hub.close()
            store.stop()


def new_folder(name: str) -> Path:
    """A folder for what this version stores. Raises SystemExit where there is one already."""
    folder = HERE / version("spieltisch-service") / name
    if folder.exists():
        sys.exit(f"{folder} is there: what a version has stored does not change any more")
    folder.mkdir()
    return folder


def write_store(folder: Path, url: str) -> None:
    """Write down all that the store holds, and a backup of it."""
    with redis.Redis.from_url(url) as client:
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in dumped(client).items())
    (folder / "store.json").write_text(f"{{\n{lines}\n}}\n")
    with (folder / "backup.gz").open("wb") as file:
        back_up(open_vault(url), file, version("spieltisch-service"), "2026-01-01T00:00:00.000Z")


def write_expected(folder: Path, parts: Mapping[str, Any]) -> None:
    """Write down what has to come of it."""
    text = ",\n".join(f'"{name}": {_by_line(part)}' for name, part in parts.items())
    (folder / "expected.json").write_text(f"{{\n{text}\n}}\n")
    print(f"{folder}: {sum(path.stat().st_size for path in folder.glob('*.*'))} bytes")


def main() -> None:
    folder = new_folder("")
    with served() as (url, service):
        asker = Asker(service)
        maker = Maker(asker)
        for game in GAMES:
            maker.make(game)
        write_store(folder, url)
        maker.describe()
        repeated = list(asker.repeated)
        maker.go_on()
    parts = {"secret": SECRET, "keys": maker.keys, "matches": maker.made, "repeated": repeated}
    write_expected(folder, parts)


def _by_line(part: Any) -> str:
    if not isinstance(part, list):
        return json.dumps(part)
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in part) + "\n]"


if __name__ == "__main__":
    main()
