"""What is stored in an unknown form: 503 `store_unavailable`, never a guess, never a 500, and never overwritten."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from spieltisch_service.app.ports import UnknownForm
from spieltisch_service.app.service import Service
from spieltisch_service.app.stored import account_of, match_of_document, secret_of
from spieltisch_service.domain.match import Secret
from spieltisch_service.store.entries import pack_part, unpack_part
from spieltisch_service.store.layout import account_place, match_place
from spieltisch_service.web.app import create_app

GAMES = ("neues-land", "wunderland")
KEY = "k" * 40


class Table:
    """A running match of one's own, asked of by a process that remembers nothing, and its raw keys."""

    def __init__(self, game: str, url: str, client: FlaskClient, stranger: FlaskClient) -> None:
        self.client = client
        self.stranger = stranger
        self.store = redis.Redis.from_url(url)
        made = client.post("/v1/accounts", json={"name": "Ada"}, headers={"Idempotency-Key": KEY}).get_json()
        self.account = account_place(made["account"]["id"])
        self.headers = {"Authorization": f"Bearer {made['key']}"}
        self.wanted = {"game": game, "seats": ["me", "me"]}
        self.where = self._post("/v1/matches", self.wanted).headers["Location"]
        self.place = match_place(self.where.rsplit("/", 1)[1])
        self.acted = {"actions": self._legal()[:1]}
        assert self._post(f"{self.where}/actions", self.acted).status_code == 200
        self.legal = self._legal()

    def _post(self, path: str, body: Any) -> Any:
        return self.client.post(path, json=body, headers=self.headers | {"Idempotency-Key": KEY})

    def _legal(self) -> Any:
        view = self.client.get(f"{self.where}/view?seat=0", headers=self.headers).get_json()
        return (
            view["legal_actions"]
            or self.client.get(f"{self.where}/view?seat={view['to_act']}", headers=self.headers).get_json()[
                "legal_actions"
            ]
        )

    def part(self, field: str, changed: Callable[[dict[str, Any]], None]) -> None:
        """Change a part of the stored match."""
        old = self.store.hget(self.place.match.decode(), field)
        assert isinstance(old, bytes)
        raw = json.loads(unpack_part(old))
        changed(raw)
        self.store.hset(self.place.match.decode(), field, pack_part(json.dumps(raw).encode(), small=True))

    def refuses(self, *requests: tuple[str, str, Any]) -> None:
        """A process that read nothing yet answers each with 503, and nothing is written."""
        before = everything(self.store)
        for method, path, body in requests:
            answer = self.stranger.open(path, method=method, json=body, headers=self.headers)
            assert answer.status_code == 503, (path, answer.get_data())
            assert answer.get_json()["code"] == "store_unavailable"
            assert answer.headers["Retry-After"]
        assert everything(self.store) == before

    def all_of_the_match(self) -> list[tuple[str, str, Any]]:
        """Requests that need the match."""
        return [
            *(("GET", f"{self.where}{rest}", None) for rest in ("", "/view", "/legal-actions", "/record", "/events")),
            ("POST", f"{self.where}/actions", {"actions": self.legal[:1]}),
            ("POST", f"{self.where}/resignation?seat=0", None),
            ("GET", "/v1/matches?mine=true", None),
            ("GET", "/v1/me/decisions", None),
        ]


def everything(store: redis.Redis) -> dict[bytes, Any]:
    """The whole content of a store."""
    read: dict[bytes, Callable[[bytes], Any]] = {
        b"hash": store.hgetall,
        b"list": lambda key: store.lrange(key.decode(), 0, -1),
        b"zset": lambda key: store.zrange(key, 0, -1, withscores=True),
        b"string": store.get,
    }
    return {key: read[store.type(key)](key) for key in store.scan_iter()}


@pytest.fixture(params=GAMES)
def table(
    request: pytest.FixtureRequest, clean_valkey: str, client: FlaskClient, new_service: Callable[..., Service]
) -> Table:
    return Table(request.param, clean_valkey, client, create_app(new_service()).test_client())


def test_a_match_of_another_schema(table: Table) -> None:
    table.part("d", lambda raw: raw.update(schema=2))
    table.refuses(*table.all_of_the_match())


def test_a_match_of_other_rules(table: Table) -> None:
    table.part("d", lambda raw: raw.update(rules_version="2"))
    table.refuses(*table.all_of_the_match())


def test_a_match_of_a_game_that_is_not_here(table: Table) -> None:
    table.part("d", lambda raw: raw.update(game="chess"))
    table.refuses(*table.all_of_the_match())


def test_a_secret_of_another_schema(table: Table) -> None:
    table.part("s", lambda raw: raw.update(schema=2))
    # Lists do not read secrets, and go on.
    table.refuses(*table.all_of_the_match()[:-2])


def test_a_state_of_another_format(table: Table) -> None:
    table.part("z", lambda raw: raw.update(format=2))
    table.refuses(*table.all_of_the_match())


def test_a_state_without_a_part(table: Table) -> None:
    table.part("z", lambda raw: raw.pop("players" if "players" in raw else "deck"))
    table.refuses(*table.all_of_the_match())


@pytest.mark.parametrize("field", ["d", "s", "z"])
def test_a_part_that_is_written_in_another_way(table: Table, field: str) -> None:
    raw = table.store.hget(table.place.match.decode(), field)
    assert isinstance(raw, bytes)
    for other in (b"\2" + raw[1:], b"\1not deflated"):
        table.store.hset(table.place.match.decode(), field, other)
        table.refuses(*table.all_of_the_match()[:-2])


def test_an_event_that_is_written_in_another_way(table: Table) -> None:
    entry = table.store.lindex(table.place.log.decode(), 0)
    assert isinstance(entry, bytes)
    for other in (entry[:38] + b"\2" + entry[39:], entry[:39] + b"not deflated"):
        table.store.lset(table.place.log.decode(), 0, other)  # type: ignore[arg-type]
        table.refuses(*(("GET", f"{table.where}{rest}", None) for rest in ("/events", "/record", "/view?at=1")))


def test_an_account_of_another_schema(table: Table) -> None:
    old = table.store.hget(table.account.account.decode(), "d")
    assert isinstance(old, bytes)
    for other in (
        old.replace(b'"schema":2', b'"schema":3'),
        old.replace(b'"schema"', b'"scheme"'),
        old.replace(b'"keys"', b'"locks"'),
        old.replace(b'"sha256"', b'"sha1"'),
        b"[1]",
        b"\xff",
    ):
        table.store.hset(table.account.account.decode(), "d", other)
        table.refuses(("GET", "/v1/me", None), ("GET", table.where, None), ("DELETE", "/v1/me", None))


def test_an_idempotency_row_of_another_form(table: Table) -> None:
    rows = table.store.hgetall(table.place.answers.decode())
    assert rows
    for field, row in rows.items():
        table.store.hset(table.place.answers.decode(), field, bytes([row[0] | 0x20]) + row[1:])
    table.headers = table.headers | {"Idempotency-Key": KEY}
    table.refuses(("POST", f"{table.where}/actions", table.acted), ("POST", "/v1/matches", table.wanted))


def test_a_reservation_of_another_form(table: Table) -> None:
    (name,) = table.store.scan_iter(match="spt:idem:*")
    old = table.store.get(name)
    assert isinstance(old, bytes)
    table.store.set(name, b"\1" + old[1:], keepttl=True)
    table.headers = {"Idempotency-Key": KEY}
    table.refuses(("POST", "/v1/accounts", {"name": "Ada"}))


def test_the_first_secrets_had_no_number() -> None:
    assert secret_of(b'{"seed":"00ff","nonces":["a",null],"deal":null}') == Secret("00ff", ("a", None), None)
    assert json.loads(Secret("00ff", ("a", None), None).to_json())["schema"] == 1


@pytest.mark.parametrize("stored", [b"", b"null", b"1", b"[]", b"{}", b'{"schema":1}', b'{"schema":1.5}', b"\xff"])
def test_what_is_no_document_has_an_unknown_form(stored: bytes) -> None:
    readers: tuple[Callable[[bytes], object], ...] = (match_of_document, secret_of, lambda text: account_of(text, 0))
    for read in readers:
        with pytest.raises(UnknownForm):
            read(stored)
