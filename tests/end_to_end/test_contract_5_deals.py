"""Sections 5 and 6 of the contract: deals computed anew from what is published, and records that prove themselves."""

from __future__ import annotations

import copy
import hashlib
import hmac
import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest

from spieltisch_service.domain.errors import InvalidRecord
from spieltisch_service.domain.verify import verify
from tests.end_to_end.contract import LAND, WONDER, Asker

KEYS = {
    *("format", "match", "game", "rules_version", "status", "version", "hash", "options", "seats", "deal", "proof"),
    *("events", "actions", "result"),
}


def committed(match: str, game: str, seed: bytes) -> str:
    return hashlib.sha256(f"spieltisch-commitment/1\n{match}\n{game}\n1\n{seed.hex()}".encode()).hexdigest()


def seeded(seed: bytes, nonces: Sequence[str | None]) -> bytes:
    text = "spieltisch-deal/1" + "".join("\n" + (nonce or "") for nonce in nonces)
    return hmac.new(seed, text.encode(), hashlib.sha256).digest()


def words(deal_seed: bytes) -> Any:
    for i in itertools.count():
        block = hmac.new(deal_seed, b"spieltisch-shuffle/1\n" + i.to_bytes(8, "big"), hashlib.sha256).digest()
        yield from (int.from_bytes(block[j : j + 8], "big") for j in range(0, 32, 8))


def shuffled(pile: Sequence[str], deal_seed: bytes) -> list[str]:
    pile = sorted(pile, key=str.encode)
    stream = words(deal_seed)
    for i in range(len(pile) - 1, 0, -1):
        n = i + 1
        word = next(word for word in stream if word < 2**64 - 2**64 % n)
        pile[i], pile[word % n] = pile[word % n], pile[i]
    return pile


def pile_of(asker: Asker, game: str) -> list[str]:
    """All that is shuffled, from the catalogue: 83 tiles without the start tile, or 48 cards."""
    material = asker.get(f"/v1/games/{game}").json["material"]
    if game == WONDER:
        return [card["id"] for card in material["cards"]]
    pile = [tile["id"] for tile in material["kinds"] for _ in range(tile["count"])]
    pile.remove(material["start_tile"])
    return pile


def test_the_examples_of_the_contract(nobody: Asker) -> None:
    seed = bytes(range(32))
    deal_seed = seeded(seed, ["ada", None])
    assert deal_seed.hex() == "aa25a70e9b3e8794a024b93afef6ae590ba3993d3115a64fe6a8765d68776d93"
    assert committed("mt_example", LAND, seed) == "e894e575053cea03f81a909467db8794e960d383ca47641a2e8846b3f7c184d2"
    deck = shuffled(pile_of(nobody, LAND), deal_seed)
    assert (len(deck), deck[:4], deck[-1]) == (83, ["44gs-01", "1115mmms", "44mg", "1115mmmg"], "17ms-01")
    cards = shuffled(pile_of(nobody, WONDER), deal_seed)
    assert (len(cards), cards[:4], cards[-1]) == (48, ["c30", "c13", "c25", "c46"], "c14")


@pytest.mark.parametrize(
    ("game", "players", "options", "aside"),
    [
        (LAND, 2, {}, 0),
        (LAND, 2, {"equal_turns": True}, 1),
        (LAND, 3, {"equal_turns": True, "expert": True}, 2),
        (LAND, 4, {"equal_turns": True}, 3),
        (LAND, 5, {"equal_turns": True}, 3),
        (WONDER, 4, {}, 0),
    ],
)
def test_a_deal_follows_from_what_was_committed_and_brought(
    ada: Asker, bob: Asker, game: str, players: int, options: dict[str, Any], aside: int
) -> None:
    seats = ["me", "open", *["me"] * (players - 2)]
    path = ada.creates(game, seats, options=options, start="manual")
    published = ada.get(path).json["commitment"]
    nonce = "x" * 63 + "-"
    bob.post(f"{path}/seats", {"nonce": nonce})
    assert ada.post(f"{path}/start", {"nonces": {"0": "_"}}).status_code == 200
    nonces = ["_", nonce, *[None] * (players - 2)]
    assert ada.events(path)[-1]["data"]["nonces"] == nonces
    for seat in (None, *range(2, players)):
        ada.post(f"{path}/resignation", {"seat": seat or 0})
    record = ada.get(f"{path}/record").json
    assert record["proof"]["nonces"] == nonces
    seed = bytes.fromhex(record["proof"]["seed"])
    assert published == record["proof"]["commitment"] == committed(record["match"], game, seed)
    pile = shuffled(pile_of(ada, game), seeded(seed, nonces))
    if game == WONDER:
        assert record["deal"] == {"deck": pile}
    else:
        assert record["deal"] == {"deck": pile[: 83 - aside], "set_aside": pile[83 - aside :]}
    assert (83 - aside) % players == 0 or not aside
    verify(record)


def test_nonces_never_come_with_the_match(ada: Asker) -> None:
    for field in ({"nonce": "x"}, {"nonces": {"0": "x"}}):
        assert ada.post("/v1/matches", {"game": LAND, "seats": ["me", "open"], **field}).status_code == 400


def test_a_nonce_comes_from_the_seat_itself(ada: Asker, bob: Asker) -> None:
    path = ada.creates(LAND, ["me", "open"], start="manual")
    bob.post(f"{path}/seats")
    assert ada.post(f"{path}/start", {"nonces": {"1": "x"}}).json["code"] == "not_your_seat"
    assert ada.get(path).json["status"] == "open"


EXPLICIT = [
    (LAND, {"deck": ["44mg"]}, {"deck": ["44mg"], "set_aside": []}),
    (LAND, {"deck": ["44mg", "8g"], "set_aside": ["44gs-01"]}, {"deck": ["44mg", "8g"], "set_aside": ["44gs-01"]}),
    (WONDER, {"deck": ["c01", "c02", "c03", "c04"]}, {"deck": ["c01", "c02", "c03", "c04"]}),
]


@pytest.mark.parametrize(("game", "given", "shown"), EXPLICIT)
def test_explicit_deals(ada: Asker, game: str, given: dict[str, Any], shown: dict[str, Any]) -> None:
    options = {"round_limit": 1} if game == WONDER else {"equal_turns": True}
    path = ada.creates(game, ["me", "me"], deal=given, options=options)
    match = ada.get(path).json
    assert (match["commitment"], match["deal_source"], match["rated"]) == (None, "explicit", False)
    created = ada.events(path)[0]["data"]
    assert (created["commitment"], created["deal_source"]) == (None, "explicit")
    running = ada.get(f"{path}/record").json
    assert (running["deal"], running["proof"], running["result"]) == (None, None, None)
    ada.plays(path, itertools.count())
    record = ada.get(f"{path}/record").json
    assert (record["status"], record["proof"], record["deal"]) == ("finished", None, shown)
    verify(record)


@pytest.mark.parametrize(
    ("game", "deal"),
    [
        (LAND, {"deck": ["161smg-01"] * 2}),
        (LAND, {"deck": ["8g"] * 9}),
        (LAND, {"deck": ["44mg"], "set_aside": ["44mg"] * 9}),
        (WONDER, {"deck": ["c01", "c02", "c03"]}),
        (WONDER, {"deck": ["c01", "c02", "c03", "c01"]}),
        (WONDER, {"deck": ["c01", "c02", "c03", "c99"]}),
    ],
)
def test_deals_that_no_game_has(ada: Asker, game: str, deal: dict[str, Any]) -> None:
    answer = ada.post("/v1/matches", {"game": game, "seats": ["me", "me"], "deal": deal})
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_body")
    assert all(error["pointer"].startswith("/deal/") for error in answer.json["errors"])


# --- records ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[(LAND, {"expert": True}), (WONDER, {"round_limit": 8})], ids=[LAND, WONDER])
def played(request: pytest.FixtureRequest, ada: Asker) -> str:
    game, options = request.param
    path = ada.creates(game, ["me", "me"], options=options)
    chance = random.Random(game)
    ada.plays(path, iter(lambda: chance.randrange(1000), None))
    return path


def test_a_record_of_an_ended_match(ada: Asker, nobody: Asker, played: str) -> None:
    record, match = nobody.get(f"{played}/record").json, ada.get(played).json
    assert set(record) == KEYS
    assert record["format"] == "spieltisch-record/1"
    assert record["match"] == match["id"]
    for key in ("game", "rules_version", "status", "version", "options", "seats", "result"):
        assert record[key] == match[key], key
    events = ada.events(played)
    assert (record["events"], record["hash"]) == (events, events[-1]["hash"])
    assert record["actions"] == [
        {"seat": event["seat"], "action": event["data"]["action"], "at": event["at"]}
        for event in events
        if event["type"] == "action"
    ]
    assert set(record["proof"]) == {"commitment", "seed", "nonces"}
    assert record == ada.get(f"{played}/record?seat=0").json
    verify(record)


def test_a_record_before_the_end_hides_the_deal(ada: Asker) -> None:
    for seats in (["me", "open"], ["me", "me"]):
        path = ada.creates(WONDER, seats)
        record = ada.get(f"{path}/record").json
        assert set(record) == KEYS
        assert (record["deal"], record["result"], record["proof"]["seed"]) == (None, None, None)
        assert record["proof"]["commitment"] == ada.get(path).json["commitment"]
    assert record["proof"]["nonces"] == [None, None]


TAMPERED: dict[str, Any] = {
    "deal": lambda r: r["deal"]["deck"].reverse(),
    "seed": lambda r: r["proof"].update(seed="00" * 32),
    "commitment": lambda r: r["proof"].update(commitment="00" * 32),
    "result": lambda r: r["result"]["scores"].reverse() or r["result"]["scores"].append(1),
    "an event": lambda r: r["events"].pop(3),
    "an action": lambda r: r["actions"].pop(),
    "points": lambda r: r["events"][5]["data"].update(points=99),
    "hash": lambda r: r.update(hash="00" * 32),
    "match": lambda r: r.update(match="mt_" + "0" * 32),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_verify_notices(ada: Asker, played: str, what: str) -> None:
    record = copy.deepcopy(ada.get(f"{played}/record").json)
    TAMPERED[what](record)
    with pytest.raises(InvalidRecord):
        verify(record)


def test_the_time_is_not_proved(ada: Asker, played: str) -> None:
    record = ada.get(f"{played}/record").json
    for event in record["events"]:
        event["at"] = "2020-01-01T00:00:00.000Z"
    for action in record["actions"]:
        action["at"] = "2020-01-01T00:00:00.000Z"
    verify(record)


def test_matches_that_were_aborted_or_resigned_prove_themselves(ada: Asker, nobody: Asker) -> None:
    never = ada.creates(LAND, ["me", "open"])
    ada.delete(never)
    record = ada.get(f"{never}/record").json
    assert (record["status"], record["deal"], record["result"]) == ("aborted", None, None)
    assert committed(record["match"], LAND, bytes.fromhex(record["proof"]["seed"])) == record["proof"]["commitment"]
    verify(record)
    token = ada.post("/v1/matches", {"game": LAND, "seats": ["me", "invite", "me"]}).json
    left = f"/v1/matches/{token['id']}"
    nobody.post(f"{left}/seats", {"invitation": token["invitations"][0]["token"]})
    ada.plays(left, itertools.count(3), 2)
    ada.post(f"{left}/resignation", {"seat": 2})
    ada.post(f"{left}/resignation", {"seat": 0})
    record = ada.get(f"{left}/record").json
    assert record["result"]["ranks"] == [2, 1, 3]
    verify(record)
