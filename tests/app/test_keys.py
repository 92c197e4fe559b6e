"""API keys: several, with scopes and ends of their own, revoked and rotated, and none stronger than its maker."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest
import redis

from spieltisch_service.app import accounts, errors, keys
from spieltisch_service.app.callers import ANONYMOUS, SCOPES, Caller, Scope
from spieltisch_service.app.keys import NewKey
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.store.layout import account_place
from tests.app.conftest import once
from tests.conftest import SECRET

ALL = list(SCOPES)
DAY_MS = 24 * 3600 * 1000


def made(service: Service, caller: Caller, *scopes: Scope, **wanted: Any) -> Caller:
    """A new key of the caller's account, as the caller that it makes."""
    asked = NewKey("laptop", scopes or ("play",), **wanted)
    return service.accounts.authenticate(service.keys.create(caller, asked, None).body["key"])


def key_id(caller: Caller) -> str:
    assert caller.key is not None
    return caller.key.id


def ids(service: Service, caller: Caller) -> list[str]:
    return [key["id"] for key in service.keys.listed(caller)["keys"]]


def end(service: Service, caller: Caller) -> None:
    """A worker that knows nothing yet refuses the token."""
    assert caller.token is not None
    with pytest.raises(errors.Unauthenticated):
        service.accounts.authenticate(caller.token)


def document(url: str, caller: Caller, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the account as the store has it."""
    assert caller.account is not None
    place = account_place(caller.account.id).account
    with redis.Redis.from_url(url) as client:
        raw = json.loads(client.hget(place, "d"))  # type: ignore[arg-type]
        change(raw)
        client.hset(place, "d", json.dumps(raw))  # type: ignore[arg-type]


def now_ms(service: Service, caller: Caller) -> int:
    assert caller.account is not None
    found = service.store.account(caller.account.id)
    assert found is not None
    return found.now_ms


# --- making and seeing ----------------------------------------------------------------------------------------------


def test_an_account_begins_with_a_key_that_may_do_everything(service: Service, ada: Caller) -> None:
    [first] = service.keys.listed(ada)["keys"]
    assert (first["name"], first["scopes"], first["expires_at"]) == ("first key", ALL, None)
    assert ada.account is not None
    assert ada.token is not None
    assert first["created_at"] == ada.account.to_wire()["created_at"]
    assert ada.token.endswith(first["ends_with"])
    assert len(first["ends_with"]) == 4


def test_a_new_key_may_play_and_no_more_unless_asked(service: Service, other_worker: Service, ada: Caller) -> None:
    answer = service.keys.create(ada, NewKey("laptop"), None)
    body = answer.body
    assert (body["name"], body["scopes"], body["expires_at"]) == ("laptop", ["play"], None)
    assert (answer.status, answer.location) == (201, f"/v1/me/keys/{body['id']}")
    caller = other_worker.accounts.authenticate(body["key"])
    assert (caller.account, caller.scopes) == (ada.account, ("play",))
    me = other_worker.accounts.me(caller)
    shown = {name: value for name, value in body.items() if name not in ("key", "notice")}
    assert (me["key"], me["scopes"], me["expires_at"]) == (shown, ["play"], None)
    assert service.keys.get(ada, body["id"]) == shown
    assert service.keys.listed(ada)["keys"][1:] == [shown]


def test_a_list_shows_no_secret_and_the_store_has_none(service: Service, ada: Caller, clean_valkey: str) -> None:
    tokens = [service.keys.create(ada, NewKey(f"key {n}"), once(ada, str(n))).body["key"] for n in range(3)]
    listed = json.dumps(service.keys.listed(ada))
    with redis.Redis.from_url(clean_valkey) as client:
        dump = b"".join(client.dump(key) or b"" for key in client.scan_iter())
    for token in [*tokens, ada.token]:
        secret = token.rpartition("_")[2]
        assert secret not in listed
        assert secret[:-6] not in listed
        assert secret[:-6].encode() not in dump
        assert secret[-4:] in listed
    assert all(token not in repr(service.accounts.authenticate(token)) for token in tokens)


def test_scopes_are_listed_in_one_order_and_named_once(service: Service, ada: Caller) -> None:
    wanted: Sequence[Scope] = ("webhooks", "play", "organize")
    assert service.keys.create(ada, NewKey("x", wanted), None).body["scopes"] == ["play", "organize", "webhooks"]
    for bad, code in (((), "out_of_range"), (("play", "play"), "duplicate")):
        with pytest.raises(errors.InvalidBody) as refused:
            service.keys.create(ada, NewKey("x", bad), None)
        assert (refused.value.errors[0].pointer, refused.value.errors[0].code) == ("/scopes", code)


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb"])
def test_a_key_has_a_name(service: Service, ada: Caller, name: str) -> None:
    with pytest.raises(errors.InvalidBody):
        service.keys.create(ada, NewKey(name), None)


def test_no_key_makes_a_stronger_one(service: Service, ada: Caller) -> None:
    weak = made(service, ada, "play", "admin")
    for scope in ("create", "organize", "webhooks"):
        with pytest.raises(errors.Forbidden, match=scope):
            service.keys.create(weak, NewKey("x", ("play", scope)), None)  # type: ignore[arg-type]
    assert made(service, weak, "play", "admin").scopes == ("play", "admin")
    with pytest.raises(errors.Forbidden, match="create"):
        service.keys.rotate(weak, key_id(ada), 0, None)
    assert ids(service, ada)[0] == key_id(ada)
    other = made(service, ada, "play", "create")
    with pytest.raises(errors.Forbidden):
        service.keys.rotate(weak, key_id(other), 0, None)
    # To end a stronger key makes nobody stronger.
    service.keys.revoke(weak, key_id(other))
    end(service, other)


def test_a_seat_and_nobody_have_no_keys(service: Service, ada: Caller) -> None:
    match = service.matches.create(ada, NewMatch("wunderland", ["me", "me"]), None).body
    seat = service.accounts.authenticate(match["grants"][0]["token"])
    with pytest.raises(errors.Forbidden):
        service.keys.listed(seat)
    with pytest.raises(errors.Unauthenticated):
        service.keys.listed(ANONYMOUS)
    me = service.accounts.me(seat)
    assert (me["account"], me["key"], me["scopes"], me["expires_at"]) == (None, None, ["play"], None)


def test_keys_of_others_are_not_there(service: Service, ada: Caller, bob: Caller) -> None:
    for refused in (
        lambda: service.keys.get(bob, key_id(ada)),
        lambda: service.keys.revoke(bob, key_id(ada)),
        lambda: service.keys.rotate(bob, key_id(ada), 0, None),
    ):
        with pytest.raises(errors.NotFound):
            refused()
    assert ids(service, ada) == [key_id(ada)]


def test_an_account_has_twenty_keys_at_most(service: Service, ada: Caller) -> None:
    callers = [made(service, ada) for _ in range(19)]
    with pytest.raises(errors.LimitReached):
        service.keys.create(ada, NewKey("one more"), None)
    with pytest.raises(errors.LimitReached):
        service.keys.rotate(ada, key_id(callers[0]), 3600, None)
    service.keys.revoke(ada, key_id(callers[7]))
    service.keys.create(ada, NewKey("one more"), None)
    assert len(ids(service, ada)) == 20


def test_at_once_there_are_not_more_keys_either(service: Service, other_worker: Service, ada: Caller) -> None:
    for _ in range(16):
        made(service, ada)
    outcomes: list[str] = []

    def make(worker: Service) -> None:
        try:
            worker.keys.create(ada, NewKey("at once"), None)
            outcomes.append("made")
        except errors.LimitReached:
            outcomes.append("refused")

    threads = [threading.Thread(target=make, args=(worker,)) for worker in (service, other_worker) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(outcomes) == ["made"] * 3 + ["refused"] * 5
    assert len(ids(service, ada)) == 20


def test_ended_keys_do_not_pile_up(
    service: Service, ada: Caller, clean_valkey: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "MOST_KEYS_A_DAY", 4)
    for _ in range(3):
        service.keys.revoke(ada, key_id(made(service, ada)))
    with pytest.raises(errors.LimitReached, match="a day"):
        service.keys.create(ada, NewKey("one more"), None)
    kept: list[int] = []

    def age(raw: dict[str, Any]) -> None:
        for key in raw["keys"][1:]:
            key["ended_at_ms"] -= 2 * DAY_MS

    document(clean_valkey, ada, age)
    made(service, ada)
    document(clean_valkey, ada, lambda raw: kept.append(len(raw["keys"])))
    assert kept == [2]


# --- ending ---------------------------------------------------------------------------------------------------------


def test_a_revoked_key_has_ended(service: Service, other_worker: Service, ada: Caller) -> None:
    caller = made(service, ada)
    first = service.keys.revoke(ada, key_id(caller))
    assert first["expires_at"] >= first["created_at"]
    end(service, caller)
    end(other_worker, caller)
    assert ids(service, ada) == [key_id(ada)]
    assert service.keys.revoke(ada, key_id(caller)) == first == service.keys.get(ada, key_id(caller))
    with pytest.raises(errors.NotFound):
        service.keys.rotate(ada, key_id(caller), 0, None)
    with pytest.raises(errors.NotFound):
        service.keys.revoke(ada, "ky_" + "0" * 32)


def test_a_key_revokes_itself(service: Service, ada: Caller) -> None:
    service.keys.revoke(ada, key_id(ada))
    end(service, ada)


def test_other_workers_trust_a_revoked_key_for_a_few_seconds_at_most(
    service: Service, other_worker: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 1000.0
    monkeypatch.setattr(accounts.time, "monotonic", lambda: now_s)
    caller = made(service, ada)
    assert caller.token is not None
    other_worker.accounts.authenticate(caller.token)
    service.keys.revoke(ada, key_id(caller))
    end(service, caller)
    now_s += 3.99
    assert other_worker.accounts.authenticate(caller.token) == caller
    now_s += 0.02
    end(other_worker, caller)


def test_a_key_ends_when_the_store_says_so(
    service: Service, other_worker: Service, new_service: Callable[..., Service], ada: Caller, clean_valkey: str
) -> None:
    caller = made(service, ada, expires_in_s=3600)
    body = service.keys.get(ada, key_id(caller))
    assert service.accounts.me(caller)["expires_at"] == body["expires_at"]

    def expires(at_ms: int) -> Callable[[dict[str, Any]], None]:
        return lambda raw: raw["keys"][1].update(expires_at_ms=at_ms)

    document(clean_valkey, ada, expires(now_ms(service, ada) + 60_000))
    assert caller.token is not None
    again = other_worker.accounts.authenticate(caller.token)
    assert other_worker.accounts.trusted_for_s(again) <= 4
    document(clean_valkey, ada, expires(now_ms(service, ada)))
    with pytest.raises(errors.Unauthenticated, match="expired at"):
        new_service().accounts.authenticate(caller.token)
    assert ids(service, ada) == [key_id(ada)]


def test_a_key_is_not_trusted_beyond_its_end(service: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 1000.0
    monkeypatch.setattr(accounts.time, "monotonic", lambda: now_s)
    never = made(service, ada)
    assert service.accounts.trusted_for_s(never) == 4
    # A key of seconds could be over before anybody looks.
    monkeypatch.setattr(accounts, "TRUST_S", 3600.0)
    caller = made(service, ada, expires_in_s=1800)
    assert 0 < service.accounts.trusted_for_s(caller) <= 1800
    assert service.accounts.trusted_for_s(ANONYMOUS) == float("inf")


def test_an_instant_of_its_own(service: Service, ada: Caller) -> None:
    now = now_ms(service, ada)
    assert made(service, ada, expires_at_ms=now + DAY_MS).key.until_ms == now + DAY_MS  # type: ignore[union-attr]
    for wrong in ({"expires_at_ms": now}, {"expires_at_ms": now + 4000 * DAY_MS}):
        with pytest.raises(errors.InvalidBody) as refused:
            made(service, ada, **wrong)
        assert refused.value.errors[0].pointer == "/expires_at"
    with pytest.raises(errors.InvalidBody):
        made(service, ada, expires_in_s=60, expires_at_ms=now + DAY_MS)


# --- rotating -------------------------------------------------------------------------------------------------------


def test_a_rotated_key_overlaps_with_the_new_one(service: Service, other_worker: Service, ada: Caller) -> None:
    old = made(service, ada, "play", "create", expires_in_s=30 * 24 * 3600)
    before = now_ms(service, ada)
    body = service.keys.rotate(ada, key_id(old), 3600, None).body
    new = other_worker.accounts.authenticate(body["key"])
    assert old.key is not None
    assert new.key is not None
    assert (new.key.name, new.scopes) == ("laptop", ("play", "create"))
    assert new.key.id != old.key.id
    # The new one lives as long as the old one was to; the old one for another hour.
    assert new.key.until_ms is not None
    assert new.key.until_ms - new.key.created_at_ms == 30 * DAY_MS
    assert old.token is not None
    still = other_worker.accounts.authenticate(old.token)
    assert still.key is not None
    assert still.key.until_ms is not None
    assert 0 <= still.key.until_ms - before - 3_600_000 < 600_000
    assert ids(service, ada) == [key_id(ada), old.key.id, new.key.id]


def test_without_an_overlap_the_old_key_ends_at_once(service: Service, other_worker: Service, ada: Caller) -> None:
    new = service.accounts.authenticate(service.keys.rotate(ada, key_id(ada), 0, None).body["key"])
    end(service, ada)
    end(other_worker, ada)
    assert (new.scopes, service.accounts.me(new)["expires_at"]) == (tuple(SCOPES), None)


def test_an_overlap_makes_no_key_last_longer(service: Service, ada: Caller) -> None:
    old = made(service, ada, expires_in_s=60)
    until = service.keys.get(ada, key_id(old))["expires_at"]
    service.keys.rotate(ada, key_id(old), 3600, None)
    assert service.keys.get(ada, key_id(old))["expires_at"] == until
    service.keys.rotate(ada, key_id(old), 1800, None)
    assert service.keys.get(ada, key_id(old))["expires_at"] == until


# --- coming again ---------------------------------------------------------------------------------------------------


def test_a_repetition_gives_the_same_key(service: Service, other_worker: Service, ada: Caller) -> None:
    wanted = NewKey("laptop", expires_in_s=3600)
    first = service.keys.create(ada, wanted, once(ada, "k"))
    again = other_worker.keys.create(ada, wanted, once(ada, "k"))
    assert orjson.dumps(again.body) == orjson.dumps(first.body)
    assert (first.replayed, again.replayed) == (False, True)
    assert len(ids(service, ada)) == 2
    with pytest.raises(errors.IdempotencyKeyReused):
        service.keys.create(ada, wanted, once(ada, "k", body={"other": 1}))
    rotated = service.keys.rotate(ada, first.body["id"], 0, once(ada, "r"))
    again = other_worker.keys.rotate(ada, first.body["id"], 0, once(ada, "r"))
    assert orjson.dumps(again.body) == orjson.dumps(rotated.body)
    assert again.replayed
    # Of the key that was rotated away, the repetition still tells what was answered.
    assert orjson.dumps(service.keys.create(ada, wanted, once(ada, "k")).body) == orjson.dumps(first.body)
    with pytest.raises(errors.IdempotencyKeyReused):
        service.keys.rotate(ada, first.body["id"], 60, once(ada, "r", body={"overlap_s": 60}))
    assert len(ids(service, ada)) == 2


def test_a_repetition_does_not_bring_a_revoked_key_back(service: Service, other_worker: Service, ada: Caller) -> None:
    first = service.keys.create(ada, NewKey("laptop"), once(ada, "k"))
    service.keys.revoke(ada, first.body["id"])
    again = other_worker.keys.create(ada, NewKey("laptop"), once(ada, "k"))
    assert again.body == first.body
    with pytest.raises(errors.Unauthenticated):
        other_worker.accounts.authenticate(again.body["key"])
    assert ids(service, ada) == [key_id(ada)]


def test_a_repetition_by_a_weaker_key_is_refused(service: Service, ada: Caller) -> None:
    weak = made(service, ada, "admin")
    first = service.keys.create(ada, NewKey("x", ("play", "admin")), once(ada, "k"))
    with pytest.raises(errors.Forbidden):
        service.keys.create(weak, NewKey("x", ("play", "admin")), once(weak, "k"))
    service.keys.rotate(ada, first.body["id"], 60, once(ada, "r"))
    with pytest.raises(errors.Forbidden):
        service.keys.rotate(weak, first.body["id"], 60, once(weak, "r"))


def test_after_a_day_an_idempotency_key_is_another_intent(service: Service, ada: Caller, clean_valkey: str) -> None:
    first = service.keys.create(ada, NewKey("laptop"), once(ada, "k")).body
    service.keys.revoke(ada, first["id"])
    document(clean_valkey, ada, lambda raw: raw["keys"][1].update(ended_at_ms=now_ms(service, ada) - 2 * DAY_MS))
    made(service, ada)
    second = service.keys.create(ada, NewKey("laptop"), once(ada, "k"))
    assert not second.replayed
    assert second.body["key"] != first["key"]
    with pytest.raises(errors.Unauthenticated):
        service.accounts.authenticate(first["key"])


# --- accounts -------------------------------------------------------------------------------------------------------


def test_all_keys_end_with_the_account(service: Service, other_worker: Service, ada: Caller) -> None:
    caller = made(service, ada)
    service.accounts.erase(ada)
    for worker in (service, other_worker):
        end(worker, ada)
        end(worker, caller)
    with pytest.raises(errors.Unauthenticated):
        service.keys.create(ada, NewKey("too late"), None)


def test_an_account_of_before_keeps_its_only_key(service: Service, other_worker: Service, clean_valkey: str) -> None:
    """Schema 1: the document has the SHA-256 of one key, which has neither id nor checksum."""
    account_id = "ac_" + "5e" * 16
    token = Tokens(SECRET).only_key(account_id)
    old = {"schema": 1, "name": "Ada", "kind": "bot", "key_sha256": accounts.sha256_of(token)}
    _, created_at_ms = service.store.put_account(account_id, json.dumps(old).encode())
    ada = service.accounts.authenticate(token)
    assert ada.account is not None
    assert (ada.account.name, ada.account.kind, ada.scopes) == ("Ada", "bot", tuple(SCOPES))
    [only] = service.keys.listed(ada)["keys"]
    assert (only["name"], only["expires_at"]) == ("first key", None)
    assert only["created_at"] == ada.account.to_wire()["created_at"]
    new = made(service, ada)
    assert other_worker.accounts.authenticate(token).key == ada.key
    assert [key["id"] for key in service.keys.listed(ada)["keys"]] == [only["id"], key_id(new)]
    service.keys.revoke(new if "admin" in new.scopes else ada, only["id"])
    end(service, ada)
    assert created_at_ms > 0


def test_a_checksum_that_is_wrong_asks_nobody(service: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    match = service.matches.create(ada, NewMatch("wunderland", ["me", "me"]), None).body

    def ask(*_: Any) -> Any:
        raise AssertionError("the store was asked")

    for name in ("account", "load", "version"):
        monkeypatch.setattr(service.store, name, ask)
    for token in (ada.token, match["grants"][0]["token"]):
        assert token is not None
        with pytest.raises(errors.Unauthenticated):
            service.accounts.authenticate(token[:-1] + ("0" if token[-1] != "0" else "1"))
