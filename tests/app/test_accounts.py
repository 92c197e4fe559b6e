"""Accounts, tokens, and what is left of a name that was erased."""

import orjson
import pytest
import redis

from spieltisch_service.app import errors
from spieltisch_service.app.callers import ANONYMOUS, Caller
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from tests.app.conftest import once


def test_a_key_is_recognised_by_every_worker(service: Service, other_worker: Service) -> None:
    body = service.accounts.create("Ada", "bot", ANONYMOUS, None).body
    caller = other_worker.accounts.authenticate(body["key"])
    assert other_worker.accounts.me(caller)["account"] == body["account"]
    assert body["key"].startswith("spt_key_")


def test_the_store_holds_no_secret_in_clear(service: Service, ada: Caller, clean_valkey: str) -> None:
    match = service.matches.create(ada, NewMatch("wunderland", ["me", "invite"]), once(ada, "k")).body
    tokens = [ada.token, match["grants"][0]["token"], match["invitations"][0]["token"]]
    with redis.Redis.from_url(clean_valkey) as client:
        dump = b"".join(client.dump(key) or b"" for key in client.scan_iter())
    assert match["id"].encode() in dump
    assert not any(token.rsplit("_", 1)[1].encode() in dump for token in tokens if token)


@pytest.mark.parametrize("token", ["", "spt_key_", "nonsense", "spt_seat_" + "0" * 32 + "_0_0_" + "A" * 43, "ä"])
def test_a_wrong_token_is_refused(service: Service, token: str) -> None:
    with pytest.raises(errors.Unauthenticated):
        service.accounts.authenticate(token)


def test_a_key_with_one_character_changed_is_refused(service: Service, ada: Caller) -> None:
    assert ada.token
    for i in (-1, -5, 10, 20):
        changed = ada.token[:i] + ("A" if ada.token[i] != "A" else "B") + ada.token[i:][1:]
        with pytest.raises(errors.Unauthenticated):
            service.accounts.authenticate(changed)


def test_a_repeated_registration_gives_the_same_key(service: Service, other_worker: Service) -> None:
    intent = once(ANONYMOUS, "k" * 32, "/v1/accounts", {"name": "Ada"})
    first = service.accounts.create("Ada", "human", ANONYMOUS, intent)
    again = other_worker.accounts.create("Ada", "human", ANONYMOUS, intent)
    assert orjson.dumps(again.body) == orjson.dumps(first.body)
    assert (first.replayed, again.replayed) == (False, True)
    with pytest.raises(errors.IdempotencyKeyReused):
        service.accounts.create("Eve", "human", ANONYMOUS, once(ANONYMOUS, "k" * 32, "/v1/accounts", {"name": "Eve"}))


def test_nobodys_idempotency_key_is_long(service: Service) -> None:
    with pytest.raises(errors.InvalidParameter):
        service.accounts.create("Ada", "human", ANONYMOUS, once(ANONYMOUS, "k" * 31))


@pytest.mark.parametrize(("name", "kept"), [("Ada", "Ada"), ("A\u0308", "Ä"), ("😀" * 64, "😀" * 64)])
def test_names_are_kept_in_nfc(service: Service, name: str, kept: str) -> None:
    assert service.accounts.create(name, "human", ANONYMOUS, None).body["account"]["name"] == kept


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "\x00", "\x9f"])
def test_names_that_cannot_be_shown_are_refused(service: Service, name: str) -> None:
    with pytest.raises(errors.InvalidBody) as refused:
        service.accounts.create(name, "human", ANONYMOUS, None)
    assert refused.value.errors[0].pointer == "/name"


def test_an_erased_name_is_nowhere(service: Service, ada: Caller, bob: Caller, clean_valkey: str) -> None:
    match_id = service.matches.create(ada, NewMatch("wunderland", ["me", "open"]), None).body["id"]
    service.seats.join(bob, match_id, seat=None, nonce=None, invitation=None, name=None, once=None)
    version = service.live.fresh(match_id).match.version
    assert service.accounts.erase(ada)["account"]["name"] is None
    with pytest.raises(errors.Unauthenticated):
        service.accounts.authenticate(ada.token or "")
    match = service.matches.get(bob, match_id)
    assert [seat["name"] for seat in match["seats"]] == [None, "Bob"]
    assert (match["version"], match["status"]) == (version, "running")
    with redis.Redis.from_url(clean_valkey) as client:
        assert not any(b"Ada" in (client.dump(key) or b"") for key in client.scan_iter())


def test_an_erased_account_is_not_made_again_by_a_repetition(service: Service) -> None:
    intent = once(ANONYMOUS, "k" * 32, "/v1/accounts", {"name": "Ada"})
    key = service.accounts.create("Ada", "human", ANONYMOUS, intent).body["key"]
    service.accounts.erase(service.accounts.authenticate(key))
    with pytest.raises(errors.IdempotencyKeyReused):
        service.accounts.create("Ada", "human", ANONYMOUS, intent)


def test_a_seat_token_says_which_seat_it_is(service: Service, ada: Caller) -> None:
    match = service.matches.create(ada, NewMatch("wunderland", ["me", "me"]), None).body
    caller = service.accounts.authenticate(match["grants"][1]["token"])
    assert service.accounts.me(caller)["seat"] == {"match": match["id"], "seat": 1}
    with pytest.raises(errors.Unauthenticated):
        service.accounts.me(ANONYMOUS)


def test_no_token_shows_in_a_repr(ada: Caller) -> None:
    assert ada.token
    assert ada.token not in repr(ada)
