"""Over two real worker processes: one intent happens once, every version has one author, a lost store comes back."""

import os
import signal
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from tests.serving import PATIENCE_S, Serving, answered


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    serving = Serving(tmp_path_factory.mktemp("delivery") / "data", "--port", "0", "--workers", "2")
    try:
        yield serving.ready()
        serving.process.terminate()
        assert serving.ended() == 0
    finally:
        serving.clear()


def registered(url: str) -> dict[str, str]:
    key = answered("POST", f"{url}/v1/accounts", json={"name": "Ada"}).json()["key"]
    return {"Authorization": f"Bearer {key}"}


def at_once(count: int, ask: Callable[[int], Any]) -> list[Any]:
    """The answers to `count` requests that are let go together."""
    barrier, answers = threading.Barrier(count), []

    def one(i: int) -> None:
        barrier.wait()
        answers.append(ask(i))

    threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def new_match(url: str, headers: dict[str, str], **wanted: Any) -> str:
    body = {"game": "neues-land", "seats": ["me", "me"], **wanted}
    created = answered("POST", f"{url}/v1/matches", json=body, headers=headers)
    return f"{url}{created.headers['Location']}"


def events(match: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answered("GET", f"{match}/events").json()["events"]
    return found


def test_fifty_copies_of_one_action(serving: Serving) -> None:
    headers = registered(serving.url)
    match = new_match(serving.url, headers)
    legal = answered("GET", f"{match}/legal-actions?seat=0", headers=headers).json()["legal_actions"]
    intent = {**headers, "Idempotency-Key": "one-intent"}

    def send(_: int) -> Any:
        return answered("POST", f"{match}/actions", json={"actions": legal[:1]}, headers=intent)

    answers = at_once(50, send)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    # The first answer may be one that the store gave too late for the service.
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers].count("true") in (49, 50)
    assert [event["type"] for event in events(match)].count("action") == 1


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/accounts"])
def test_fifty_copies_of_one_creation(serving: Serving, path: str) -> None:
    headers = {**registered(serving.url), "Idempotency-Key": "k" * 40}
    body = {"name": "Eve"} if path.endswith("accounts") else {"game": "wunderland", "seats": ["me", "open"]}
    answers = at_once(50, lambda _: answered("POST", f"{serving.url}{path}", json=body, headers=headers))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1


def test_sixty_four_clients_contend_for_one_match(serving: Serving) -> None:
    headers = registered(serving.url)
    match = new_match(serving.url, headers)

    def contend(_: int) -> list[int]:
        own = []
        for _attempt in range(3):
            version = answered("GET", f"{match}/view", headers=headers).json()["version"]
            for seat in (0, 1):
                found = answered("GET", f"{match}/legal-actions?seat={seat}", headers=headers).json()
                if found["legal_actions"] and found["version"] == version:
                    body = {"actions": found["legal_actions"][:1], "version": version}
                    once = {**headers, "Idempotency-Key": uuid.uuid4().hex}
                    answer = answered("POST", f"{match}/actions", json=body, headers=once)
                    assert answer.status_code in (200, 412)
                    if answer.status_code == 200:
                        own.append(answer.json()["version"])
        return own

    authored = sorted(version for own in at_once(64, contend) for version in own)
    log = events(match)
    acted = [event["seq"] for event in log if event["type"] == "action"]
    assert authored == acted
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1))


def test_a_store_that_is_slow_is_503_and_then_all_is_well(serving: Serving) -> None:
    headers = registered(serving.url)
    match = new_match(serving.url, headers)
    legal = answered("GET", f"{match}/legal-actions?seat=0", headers=headers).json()["legal_actions"]
    body, intent = {"actions": legal[:1]}, {**headers, "Idempotency-Key": "while-away"}
    os.kill(serving.store(), signal.SIGSTOP)
    try:
        asked = [
            requests.get(f"{match}/view", headers=headers, timeout=PATIENCE_S),
            requests.post(f"{match}/actions", json=body, headers=intent, timeout=PATIENCE_S),
            requests.post(f"{serving.url}/v1/accounts", json={"name": "Eve"}, timeout=PATIENCE_S),
            requests.get(f"{serving.url}/readyz", timeout=PATIENCE_S),
        ]
        alive = requests.get(f"{serving.url}/livez", timeout=PATIENCE_S)
    finally:
        os.kill(serving.store(), signal.SIGCONT)
    assert [answer.status_code for answer in asked] == [503] * 4
    assert [answer.json()["code"] for answer in asked[:3]] == ["store_unavailable"] * 3
    assert all(int(answer.headers["Retry-After"]) >= 1 for answer in asked[:3])
    assert alive.status_code == 200
    again = answered("POST", f"{match}/actions", json=body, headers=intent)
    assert again.status_code == 200
    assert [event["type"] for event in events(match)].count("action") == 1


def test_a_stream_over_the_whole_match_is_the_log(serving: Serving) -> None:
    headers = registered(serving.url)
    match = new_match(serving.url, headers, game="wunderland", options={"round_limit": 3}, seats=["bot:random"] * 2)
    accept = {"Accept": "application/x-ndjson"}
    with requests.get(f"{match}/events", headers=accept, stream=True, timeout=PATIENCE_S) as stream:
        lines = [line for line in stream.content.decode().split("\n") if line]
    assert lines.pop() == '{"type":"end","reason":"ended"}'
    page = answered("GET", f"{match}/events")
    assert page.text.count('"seq":') == len(lines)
    assert all(line in page.text for line in lines)
