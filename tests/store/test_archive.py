"""Backup and restore: everything comes back, whatever the store is; what is damaged is refused and nothing written."""

import gzip
import hashlib
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from click.testing import CliRunner
from flask.testing import FlaskClient

from spieltisch_service.app import archive
from spieltisch_service.app.archive import FORMAT, BadArchive
from spieltisch_service.app.backup import Restored, back_up, check, restore
from spieltisch_service.app.holdings import NotEmpty
from spieltisch_service.app.service import Service
from spieltisch_service.cli import main
from spieltisch_service.domain.events import canonical, chain_hash
from spieltisch_service.store.connection import connect, open_client, open_vault
from spieltisch_service.store.embedded import EmbeddedStore
from spieltisch_service.store.health import UnsuitableStore
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app

SECRET = b"a secret of the tests, thirty-two bytes or more"
GAMES: dict[str, dict[str, Any]] = {"neues-land": {"expert": True}, "wunderland": {"round_limit": 6}}


class Table:
    """Requests to a service over one store, from people whose keys are kept."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.hub = Hub(url)
        self.client: FlaskClient = create_app(Service(connect(url), self.hub, SECRET, bots=("random",))).test_client()

    def send(self, method: str, path: str, body: Any = None, token: str | None = None, once: str | None = None) -> Any:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if once is not None:
            headers["Idempotency-Key"] = once
        answer = self.client.open(path, method=method, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.get_data()
        return answer

    def get(self, path: str, token: str | None = None) -> Any:
        return self.send("GET", path, None, token).get_json()

    def register(self, name: str) -> str:
        key: str = self.send("POST", "/v1/accounts", {"name": name}, once=f"{name:-<40}").get_json()["key"]
        return key

    def act(self, where: str, tokens: list[str]) -> tuple[tuple[Any, ...], bytes] | None:
        """One action, chosen by the version alone: the request and its answer, or None when the match is over."""
        public = self.get(f"{where}/view", tokens[0])
        if public["status"] != "running":
            return None
        token = tokens[public["to_act"]]
        view = self.get(f"{where}/view?seat={public['to_act']}", token)
        version, legal = view["version"], view["legal_actions"]
        body = {"actions": [legal[version * 7919 % len(legal)]], "version": version}
        request = ("POST", f"{where}/actions", body, token, f"act-{version}")
        return request, self.send(*request).get_data()

    def play(self, where: str, tokens: list[str], actions: int = 100_000) -> list[tuple[tuple[Any, ...], bytes]]:
        """So many actions at most: each request with its answer."""
        done: list[tuple[tuple[Any, ...], bytes]] = []
        while len(done) < actions and (acted := self.act(where, tokens)):
            done.append(acted)
        return done

    def close(self) -> None:
        self.hub.close()


@pytest.fixture
def open_table() -> Iterator[Callable[[str], Table]]:
    """Sits down at a store as a process that remembers nothing."""
    tables: list[Table] = []

    def made(url: str) -> Table:
        tables.append(Table(url))
        return tables[-1]

    yield made
    for table in tables:
        table.close()


def archived(url: str) -> bytes:
    vault = open_vault(url)
    file = io.BytesIO()
    counts = back_up(vault, file, "1.2.3", "2026-01-02T03:04:05.678Z")
    vault.close()
    assert counts.sha256 in gzip.decompress(file.getvalue()).decode().splitlines()[-1]
    return file.getvalue()


def restored(url: str, packed: bytes, secret: bytes = SECRET) -> Restored:
    vault = open_vault(url)
    file = io.BytesIO(packed)
    try:
        return restore(file, check(file), vault, secret)
    finally:
        vault.close()


def wipe(url: str) -> None:
    client: Any = open_client(url)
    client.flushall()
    client.close()


def size(url: str) -> int:
    vault = open_vault(url)
    found = sum(1 for _ in vault._nodes.keys(b"*"))
    vault.close()
    return found


def lines(packed: bytes) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(packed).splitlines()]


def packed(content: list[Any]) -> bytes:
    """A file whose counts and digest are right, whatever it holds."""
    content = content[:-1] if "end" in content[-1] else content
    kinds = [next(iter(line)) for line in content[1:]]
    text = b"".join(json.dumps(line).encode() + b"\n" for line in content)
    events = sum(len(line["match"].get("log", ())) for line in content[1:] if "match" in line)
    end = {
        "matches": kinds.count("match"),
        "events": events,
        "accounts": kinds.count("account"),
        "reservations": kinds.count("reservation"),
        "sha256": hashlib.sha256(text).hexdigest(),
    }
    return gzip.compress(text + json.dumps({"end": end}).encode() + b"\n")


def rechained(log: list[Any]) -> None:
    """Give a log that was changed a chain that holds."""
    previous = "0" * 64
    for entry in log:
        previous = entry[1] = chain_hash(previous, entry[2])


def everything_at(table: Table) -> dict[str, str]:
    """Some of everything that a store can hold: open, running, ended, aborted, with bots, guests, private, rematch."""
    keys = {name: table.register(name) for name in ("Ada", "Bob")}
    ada, bob = keys["Ada"], keys["Bob"]

    made_so_far: list[Any] = []

    def made(seats: list[str], **wanted: Any) -> Any:
        made_so_far.append(seats)
        body = {"game": "wunderland", "seats": seats, **wanted}
        return table.send("POST", "/v1/matches", body, ada, once=f"make-{len(made_so_far)}").get_json()

    made(["me", "open"], visibility="private", metadata={"z": "ü"})
    invited = made(["me", "invite"], visibility="unlisted", start="manual")
    guest = {"invitation": invited["invitations"][0]["token"], "name": "Gast", "nonce": "n-1"}
    table.send("POST", f"/v1/matches/{invited['id']}/seats", guest, once="join")
    table.send("POST", f"/v1/matches/{invited['id']}/seats/1/token", {}, ada, once="replace")
    table.send("POST", f"/v1/matches/{invited['id']}/invitations", {"uses": 3}, ada, once="invite")
    made(["bot:random", "me"])
    table.send("DELETE", f"/v1/matches/{made(['me', 'open'])['id']}", None, ada)
    for game, options in GAMES.items():
        table.play(f"/v1/matches/{made(['me', 'me'], game=game, options=options, deal=None)['id']}", [ada, ada], 5)
    over = made(["me", "open"], game="neues-land")["id"]
    table.send("POST", f"/v1/matches/{over}/seats", {}, bob, once="join")
    table.play(f"/v1/matches/{over}", [ada, bob], 9)
    table.send("POST", f"/v1/matches/{over}/resignation", {}, bob, once="resign")
    table.send("POST", f"/v1/matches/{over}/rematch", {}, bob, once="again")
    table.send("DELETE", "/v1/me", None, table.register("Eve"))
    return keys


def test_played_on_after_a_restore_a_match_is_the_same(store_url: str, open_table: Callable[[str], Table]) -> None:
    before = open_table(store_url)
    keys = [before.register("Ada"), before.register("Bob")]
    halves, whole, made = {}, {}, {}
    for game, options in GAMES.items():
        create = {"game": game, "seats": ["me", "open"], "options": options}
        made[game] = (("POST", "/v1/matches", create, keys[0], "make"), None)
        first = before.send(*made[game][0]) if game == "neues-land" else before.send(*made[game][0][:-1], "other")
        where = first.headers["Location"]
        joining = ("POST", f"{where}/seats", {"nonce": "bob"}, keys[1], "join")
        joined = before.send(*joining)
        # Whoever joined plays by the token of the seat.
        tokens = [keys[0], joined.get_json()["grants"][0]["token"]]
        halves[where] = ([(joining, joined.get_data())], tokens)
        halves[where][0].extend(before.play(where, tokens, 25 if game == "neues-land" else 21))
    first_made = before.send(*made["neues-land"][0]).get_data()
    saved = archived(store_url)
    for where, (_, tokens) in halves.items():
        assert len(before.play(where, tokens)) > 10
        whole[where] = before.get(f"{where}/record")
        assert whole[where]["status"] == "finished"

    wipe(store_url)
    assert size(store_url) == 0
    done = restored(store_url, saved)
    assert (done.counts.matches, done.counts.accounts, done.foreign_keys, done.resumed) == (2, 2, 0, False)
    after = open_table(store_url)
    again = after.send(*made["neues-land"][0])
    assert again.get_data() == first_made
    assert again.headers["Idempotency-Replayed"] == "true"
    assert after.register("Ada") == keys[0]
    for where, (asked, tokens) in halves.items():
        for request, answer in asked:
            repeated = after.send(*request)
            assert repeated.get_data() == answer
            assert repeated.headers["Idempotency-Replayed"] == "true"
        after.play(where, tokens)
        record = after.get(f"{where}/record")
        assert [event["hash"] for event in record["events"]] == [event["hash"] for event in whole[where]["events"]]
        for key in ("hash", "seats", "deal", "proof", "result"):
            assert record[key] == whole[where][key]


def test_everything_comes_back(store_url: str, open_table: Callable[[str], Table]) -> None:
    keys = everything_at(open_table(store_url))
    before = open_table(store_url)
    asked = [
        *(("/v1/matches", None), ("/v1/matches?status=open&game=wunderland", None)),
        *((path, key) for key in keys.values() for path in ("/v1/me", "/v1/matches?mine=true", "/v1/me/decisions")),
    ]
    told = [before.get(*one) for one in asked]
    lists = connect(store_url)
    waiting = lists.waiting_for_bots(10)
    saved = archived(store_url)
    keys_before = size(store_url)
    wipe(store_url)
    restored(store_url, saved)
    after = open_table(store_url)
    assert [after.get(*one) for one in asked] == told
    assert lists.waiting_for_bots(10) == waiting != []
    assert size(store_url) == keys_before
    lists.close()
    # The order of lines is that of the servers' tables; what they hold is the very same.
    assert sorted(map(str, lines(archived(store_url))[1:-1])) == sorted(map(str, lines(saved)[1:-1]))


def test_a_backup_of_a_store_in_use_has_each_match_at_one_instant(
    store_url: str, open_table: Callable[[str], Table]
) -> None:
    table = open_table(store_url)
    key = table.register("Ada")
    stop = threading.Event()

    def play(mine: Table) -> None:
        while not stop.is_set():
            body = {"game": "wunderland", "seats": ["me", "me"], "options": {"round_limit": 1}}
            where = mine.send("POST", "/v1/matches", body, key).headers["Location"]
            while not stop.is_set() and mine.act(where, [key, key]):
                pass

    playing = [threading.Thread(target=play, args=(open_table(store_url),)) for _ in range(2)]
    for thread in playing:
        thread.start()
    versions: set[int] = set()
    began_s, count = time.monotonic(), 0
    try:
        while count < 6 or (len(versions) < 2 and time.monotonic() - began_s < 60):
            count += 1
            contents = check(io.BytesIO(archived(store_url)))
            versions.add(contents.counts.events)
            assert contents.counts.accounts == 1
    finally:
        stop.set()
        for thread in playing:
            thread.join()
    assert len(versions) > 1


def test_an_empty_store_is_a_backup_too(clean_valkey: str) -> None:
    saved = archived(clean_valkey)
    assert [next(iter(line)) for line in lines(saved)] == ["format", "end"]
    assert restored(clean_valkey, saved).counts.matches == 0
    assert size(clean_valkey) == 0


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(valkey_url: str) -> bytes:
    wipe(valkey_url)
    table = Table(valkey_url)
    everything_at(table)
    table.close()
    found = archived(valkey_url)
    wipe(valkey_url)
    return found


def refused(packed: bytes, saying: str) -> None:
    with pytest.raises(BadArchive, match=saying) as why:
        check(io.BytesIO(packed))
    assert "\n" not in str(why.value)


def test_what_was_cut_off_is_refused(saved: bytes) -> None:
    for length in (*range(0, len(saved) - 1, len(saved) // 40), len(saved) - 1):
        refused(saved[:length], "cut off|no backup")


def test_no_flipped_byte_changes_anything(saved: bytes) -> None:
    whole = lines(saved)
    for place in (*range(12), *range(12, len(saved), len(saved) // 60), *range(len(saved) - 9, len(saved))):
        spoiled = bytearray(saved)
        spoiled[place] ^= 0x10
        try:
            check(io.BytesIO(spoiled))
        except BadArchive:
            continue
        # Some bits mean nothing: of the header, and between the end of what is packed and the next whole byte.
        assert lines(bytes(spoiled)) == whole


def test_whatever_is_no_backup_is_refused(saved: bytes) -> None:
    content = lines(saved)
    refused(b"", "cut off")
    refused(b"PK\3\4", "no backup")
    refused(gzip.compress(b""), "cut off")
    refused(gzip.compress(b"[1]\n"), f"not a {FORMAT}")
    refused(packed([{"format": "spieltisch-backup/2"}, *content[1:]]), f"reads {FORMAT}, .*backup/2")
    refused(saved + gzip.compress(b"more"), "follows behind")
    refused(saved + b"more", "no backup|follows behind")
    refused(packed([content[0], {"game": {}}, content[-1]]), "line 2 is not of .*'game' is unknown")
    refused(packed([content[0], {"match": {}}, content[-1]]), "line 2 is not of")
    refused(packed([content[0], {"account": {}, "match": {}}, content[-1]]), "line 2 is not of")


def test_a_last_line_that_does_not_fit_is_refused(saved: bytes) -> None:
    content = gzip.decompress(saved).splitlines(keepends=True)
    end = json.loads(content[-1])
    refused(gzip.compress(b"".join(content[:-1])), "cut off")
    refused(gzip.compress(b"".join([*content[:-2], content[-1]])), "its last line tells of")
    refused(gzip.compress(b"".join([content[0], *reversed(content[1:-1]), content[-1]])), "digest")
    end["end"]["sha256"] = "0" * 64
    refused(gzip.compress(b"".join([*content[:-1], json.dumps(end).encode() + b"\n"])), "digest")


def test_what_unpacks_without_end_is_refused(saved: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LONGEST_LINE", 100_000)
    head = gzip.decompress(saved).splitlines(keepends=True)[0]
    refused(gzip.compress(head + b" " * 10_000_000), "line 2 is cut off or too long")


def test_nothing_may_be_there_twice(saved: bytes) -> None:
    content = lines(saved)
    for kind in ("match", "account", "reservation"):
        (first, *_) = (line for line in content if kind in line)
        refused(packed([content[0], first, *content[1:]]), f"the {kind} .* is there twice")


def match_of(content: list[Any], status: str, events: int = 0) -> dict[str, Any]:
    """The match of that status with more than so many events."""
    return next(
        line["match"]
        for line in content
        if "match" in line
        and json.loads(line["match"]["document"])["status"] == status
        and len(line["match"]["log"]) > events
    )


def change(raw: dict[str, Any], part: str, **changes: Any) -> None:
    raw[part] = json.dumps(json.loads(raw[part]) | changes)


def test_every_match_is_proved(saved: bytes) -> None:
    """Every number is right in these files; it is the matches that are wrong."""

    def spoiled(status: str, spoil: Callable[[dict[str, Any]], Any], saying: str, events: int = 2) -> None:
        content = lines(saved)
        spoil(match_of(content, status, events))
        refused(packed(content), f"match mt_.*: .*{saying}")

    def another_event(raw: dict[str, Any]) -> None:
        body = json.loads(raw["log"][-1][2])
        body["data"]["points"] += 1
        raw["log"][-1][2] = canonical(body)

    def another_event_chained(raw: dict[str, Any]) -> None:
        """A point more on the way, in an ended match: only the rules can tell."""
        entry = next(entry for entry in raw["log"] if '"type":"action"' in entry[2])
        body = json.loads(entry[2])
        body["data"]["points"] += 1
        entry[2] = canonical(body)
        rechained(raw["log"])

    def another_deck(raw: dict[str, Any]) -> None:
        change(raw, "state", deck=json.loads(raw["state"])["deck"][::-1])

    spoiled("running", lambda raw: (raw["log"].pop(2), raw["answers"].clear()), "event 3 is missing")
    spoiled("running", lambda raw: raw["log"].clear(), "no events")
    spoiled("running", lambda raw: raw["log"][3].__setitem__(1, "0" * 64), "chain breaks at event 4")
    spoiled("running", another_event, "chain breaks")
    spoiled("running", lambda raw: raw["log"][3].__setitem__(0, 1), "event 4 is earlier")
    spoiled("running", lambda raw: raw["log"][3].__setitem__(2, raw["log"][3][2] + " "), "not written as it must be")
    spoiled("running", lambda raw: (raw["log"].pop(), raw["answers"].clear()), "state is not what")
    spoiled("running", lambda raw: raw.update(state=None), "without")
    spoiled("running", lambda raw: change(raw, "state", phase=99), "state is stored in a form")
    spoiled(
        "running", lambda raw: change(raw, "state", deck=json.loads(raw["state"])["deck"][::-1]), "state is not what"
    )
    spoiled("running", lambda raw: change(raw, "state", format=2), "state is stored in a form")
    spoiled("running", lambda raw: change(raw, "secret", seed="00" * 32), "not the one that was committed to")
    spoiled("running", lambda raw: change(raw, "secret", nonces=["x", None]), "deal is not the one")
    spoiled("running", lambda raw: change(raw, "secret", schema=2), "secret is stored in a form")
    spoiled("running", lambda raw: change(raw, "document", schema=2), "stored in a form")
    spoiled("running", lambda raw: change(raw, "document", status="open"), "document is not what")
    spoiled("running", lambda raw: change(raw, "document", id="mt_" + "0" * 32), "another match")
    spoiled("running", lambda raw: raw.update(started_at_ms=None), "document is not what|deal before its start")
    spoiled("running", lambda raw: raw.update(created_at_ms=1), "document is not what")
    spoiled("running", lambda raw: raw["answers"].update({"0" * 24: ["ab", 200, [0], 1, 99_999]}), "does not fit")
    spoiled("finished", another_event_chained, "is not what the rules give")
    spoiled("finished", lambda raw: change(raw, "document", result=None), "document is not what")
    spoiled("open", lambda raw: change(raw, "secret", deal={}), "before its start", 0)


def test_an_account_of_another_schema_is_refused(saved: bytes) -> None:
    content = lines(saved)
    account = next(line["account"] for line in content if "account" in line and line["account"]["document"])
    change(account, "document", schema=3)
    refused(packed(content), f"account {account['id']}: ")


# --- what the store must be like ------------------------------------------------------------------------------------


def test_a_store_that_holds_anything_is_refused(
    store_url: str, saved: bytes, open_table: Callable[[str], Table]
) -> None:
    open_table(store_url).register("Ada")
    before = archived(store_url)
    with pytest.raises(NotEmpty, match="into an empty one"):
        restored(store_url, saved)
    assert lines(archived(store_url))[1:] == lines(before)[1:]


def test_a_restore_that_was_cut_short_goes_on_and_nobody_serves_meanwhile(store_url: str, saved: bytes) -> None:
    contents = check(io.BytesIO(saved))

    class Cut(Exception):
        pass

    vault = open_vault(store_url)
    written = vault.put_matches

    def cut(matches: Any) -> None:
        written(matches[:3])
        raise Cut

    vault.put_matches = cut  # type: ignore[method-assign]
    with pytest.raises(Cut):
        restore(io.BytesIO(saved), contents, vault, SECRET)
    vault.close()
    store = connect(store_url)
    with pytest.raises(UnsuitableStore, match="run it again with the same file"):
        store.check()
    other = lines(saved)
    with pytest.raises(NotEmpty, match="another file"):
        restored(store_url, packed([*other[:1], *other[2:]]))
    assert restored(store_url, saved).resumed
    store.check()
    store.close()
    assert sorted(map(str, lines(archived(store_url))[1:-1])) == sorted(map(str, lines(saved)[1:-1]))


def test_keys_of_another_server_secret_are_counted(clean_valkey: str, saved: bytes) -> None:
    done = restored(clean_valkey, saved, b"another secret that is long enough for a server")
    # Ada and Bob; who was erased has none.
    assert (done.counts.accounts, done.foreign_keys) == (3, 2)


def test_what_ended_while_the_backup_went_on_does_not_come_back(clean_valkey: str, saved: bytes) -> None:
    """A name that was erased, and a rematch and a list's entry that came too late."""
    content = lines(saved)
    bob = next(
        line["account"]
        for line in content
        if "account" in line and line["account"]["document"] and '"Bob"' in line["account"]["document"]
    )
    bob["document"] = None
    old = next(line["match"] for line in content if "match" in line and line["match"]["rematch"])
    content = [line for line in content if line.get("match", {}).get("id") != old["rematch"]]
    restored(clean_valkey, packed(content))
    found = lines(archived(clean_valkey))
    assert "Bob" in str(content)
    assert "Bob" not in str(found)
    assert old["rematch"] not in str([line for line in found if "reservation" not in line])
    check(io.BytesIO(archived(clean_valkey)))


# --- the commands ---------------------------------------------------------------------------------------------------


def run(*arguments: str, **environment: str) -> Any:
    settings = {"REDIS_URL": "", "SPIELTISCH_DATA_DIR": "", "SPIELTISCH_SECRET": SECRET.decode(), **environment}
    return CliRunner().invoke(main, arguments, env=settings)


@pytest.fixture
def served(tmp_path: Path, open_table: Callable[[str], Table]) -> Iterator[Path]:
    """A data folder with a store that runs, as under a service, and holds some of everything."""
    folder = tmp_path / "data"
    store = EmbeddedStore(folder, "fast")
    store.start()
    try:
        everything_at(open_table(store.url))
        yield folder
    finally:
        store.stop()


def test_from_a_folder_in_use_into_a_new_one(served: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    saved = run("backup", str(file), "--data", str(served))
    assert saved.exit_code == 0, saved.output
    assert saved.output.startswith(f"{file}: 8 matches with ")
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]
    proved = run("restore", "--check", str(file))
    assert (proved.exit_code, proved.output.split(" (")[0]) == (0, f"{file}: whole")
    into = tmp_path / "new"
    done = run("restore", str(file), "--data", str(into))
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{file}: restored 8 matches with ")
    # The folder has its lock free again, and the same in it; nobody serves it now.
    assert run("backup", str(tmp_path / "second"), "--data", str(into)).exit_code == 0
    first, second = (lines((tmp_path / name).read_bytes()) for name in ("backup", "second"))
    assert sorted(map(str, first[1:-1])) == sorted(map(str, second[1:-1]))
    again = run("restore", str(file), "--data", str(into))
    assert (again.exit_code, again.stdout) == (1, "")
    assert (
        again.stderr == "spieltisch-service: the store holds matches or accounts already: restore into an empty one\n"
    )


def test_over_a_redis_url_and_with_another_secret(clean_valkey: str, saved: bytes, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    file.write_bytes(saved)
    done = run("restore", str(file), REDIS_URL=clean_valkey, SPIELTISCH_SECRET="x" * 40)
    assert done.exit_code == 0
    assert done.stderr.startswith("spieltisch-service: 2 of 3 accounts have keys that were made under another server")
    assert run("backup", str(tmp_path / "again"), REDIS_URL=clean_valkey).exit_code == 0


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-20], lambda data: data[:99] + b"\0\0" + data[101:], lambda _: b"{}"]
)
def test_a_bad_file_is_one_line_and_leaves_nothing(
    clean_valkey: str, saved: bytes, tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "backup"
    file.write_bytes(spoil(saved))
    for target in ({"REDIS_URL": clean_valkey}, {"SPIELTISCH_DATA_DIR": str(tmp_path / "new")}):
        done = run("restore", str(file), **target)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith("spieltisch-service: ")
        assert done.stderr.count("\n") == 1
    assert size(clean_valkey) == 0
    assert not (tmp_path / "new").exists()


def test_a_folder_in_use_is_not_restored_into(served: Path, saved: bytes, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    file.write_bytes(saved)
    done = run("restore", str(file), "--data", str(served))
    assert done.exit_code == 1
    assert "is in use by the service" in done.stderr


def test_a_wrong_folder_is_not_made_and_a_store_that_is_away_spoils_no_backup(tmp_path: Path) -> None:
    file = tmp_path / "backup"
    file.write_bytes(b"the last one")
    away = run("backup", str(file), "--data", str(tmp_path / "misspelt"))
    assert (away.exit_code, away.stderr.count("\n")) == (1, 1)
    assert "is not a data folder" in away.stderr
    gone = run("backup", str(file), REDIS_URL=f"unix://{tmp_path}/nobody.sock")
    assert (gone.exit_code, gone.stderr.count("\n")) == (1, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["backup"]
    assert file.read_bytes() == b"the last one"


def test_a_redis_that_holds_other_things_is_empty_of_ours(clean_valkey: str, saved: bytes) -> None:
    with redis.Redis.from_url(clean_valkey) as client:
        client.set("something else", 1)
        restored(clean_valkey, saved)
        assert client.get("something else") == b"1"
