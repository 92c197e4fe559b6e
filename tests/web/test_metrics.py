"""What `/metrics` counts, for whom, and what it never says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from spieltisch_service.app.service import Service
from spieltisch_service.games.catalogue import GAMES
from spieltisch_service.store.connection import connect
from spieltisch_service.store.hub import Hub
from spieltisch_service.web.app import create_app
from spieltisch_service.web.metrics import Metrics
from tests.web.checked import NO_MATCH, Checked, Description, Person

SECRET = b"a secret of the tests, thirty-two bytes or more"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def counted(clean_valkey: str, metrics: Metrics) -> Iterator[Callable[[], Service]]:
    """Makes services that count into `metrics`; each remembers matches by itself, like a process."""
    hubs: list[Hub] = []

    def made() -> Service:
        hubs.append(Hub(clean_valkey, metrics))
        store = connect(clean_valkey, observer=metrics)
        return Service(store, hubs[-1], SECRET, bots=("random",), stream_cap=2, observer=metrics)

    yield made
    for hub in hubs:
        hub.close()


@pytest.fixture
def client(counted: Callable[[], Service], metrics: Metrics, description: Description) -> Checked:
    return Checked(create_app(counted(), metrics=metrics), description)


@pytest.fixture
def ada(client: Checked) -> Person:
    return client.register("Ada")


def numbers(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Each sample by its name and the values of its labels, in the order of their names."""
    return {
        (sample.name.removeprefix("spieltisch_"), tuple(value for _, value in sorted(sample.labels.items()))): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read(client: Checked) -> dict[tuple[str, tuple[str, ...]], float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=1.0.0; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    return numbers(answer.text)


def test_requests_are_counted_by_operation_method_and_class(client: Checked, ada: Person) -> None:
    for _ in range(3):
        ada.get("/v1/me")
    client.get("/v1/me")
    client.send("HEAD", "/v1/games")
    client.get(f"/v1/matches/{NO_MATCH}")
    client.get("/nothing")
    client.send("PUT", "/v1/me")
    client.send("BREW", "/v1/me")
    client.get("/docs")
    found = read(client)
    requests = {labels: value for (name, labels), value in found.items() if name == "requests_total"}
    assert requests == {
        ("GET", "getMe", "2xx"): 3,
        ("GET", "getMe", "4xx"): 1,
        ("HEAD", "listGames", "2xx"): 1,
        ("GET", "getMatch", "4xx"): 1,
        ("GET", "none", "4xx"): 1,
        ("other", "none", "4xx"): 2,
        ("GET", "docs", "2xx"): 1,
        ("POST", "createAccount", "2xx"): 1,
    }
    assert found["request_seconds_count", ("getMe",)] == 4
    assert found["request_seconds_bucket", ("+Inf", "getMe")] == 4
    assert found["request_seconds_sum", ("getMe",)] > 0
    assert read(client)["requests_total", ("GET", "getMetrics", "2xx")] == 1


def test_a_failure_is_counted_as_one(client: Checked, ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spieltisch_service.app.accounts.Accounts.me", lambda *_: 1 // 0)
    assert ada.get("/v1/me").status_code == 500
    assert read(client)["requests_total", ("GET", "getMe", "5xx")] == 1


def test_matches_and_actions_are_counted_by_game(client: Checked, ada: Person) -> None:
    before = read(client)
    for game in GAMES:
        assert before["matches_created_total", (game,)] == before["actions_total", (game,)] == 0
    path = ada.creates(["me", "me"])
    played = 0
    while ada.view(path)["status"] == "running":
        ada.plays(path)
        played += 1
    aborted = ada.creates(["me", "open"])
    assert ada.delete(aborted).status_code == 200
    assert ada.post("/v1/matches", json={"game": "wunderland", "seats": ["me", "open"]}).status_code == 201
    found = read(client)
    assert found["matches_created_total", ("neues-land",)] == 2
    assert found["matches_finished_total", ("neues-land",)] == 1
    assert found["matches_aborted_total", ("neues-land",)] == 1
    assert found["actions_total", ("neues-land",)] == played > 4
    assert found["matches_created_total", ("wunderland",)] == 1
    assert found["actions_total", ("wunderland",)] == 0


def test_what_is_played_for_a_seat_that_left_is_nobodys_action(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me", "me"])
    assert ada.post(f"{path}/resignation", json={"seat": 0}).status_code == 200
    events = Checked.ok(ada.get(f"{path}/events"))["events"]
    assert [event["data"]["cause"] for event in events if event["type"] == "action"] != []
    assert read(client)["actions_total", ("neues-land",)] == 0


def test_a_refused_action_is_none_and_a_repeated_one_is_one(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me"])
    view = ada.view(path, "?seat=0")
    body = {"actions": [view["legal_actions"][0]]}
    for _ in range(3):
        assert ada.post(f"{path}/actions", json=body, headers={"Idempotency-Key": "one"}).status_code == 200
    assert ada.post(f"{path}/actions", json=body, headers={"Idempotency-Key": "two"}).status_code in (409, 422)
    found = read(client)
    assert found["actions_total", ("neues-land",)] == 1
    assert found["replays_total", ("act",)] == 2
    assert found["requests_total", ("POST", "act", "2xx")] == 3


def test_streams_are_counted_while_they_are_open(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "open"])
    headers = {"Accept": "text/event-stream"}
    first, second = (ada.get(f"{path}/events", headers=headers, buffered=False) for _ in range(2))
    assert read(client)["open_streams", ()] == 2
    assert ada.get(f"{path}/events", headers=headers).status_code == 503
    first.close()
    found = read(client)
    assert (found["open_streams", ()], found["refused_streams_total", ()]) == (1, 1)
    second.close()
    assert read(client)["open_streams", ()] == 0


def test_a_commit_that_came_second_is_counted(
    client: Checked, ada: Person, counted: Callable[[], Service], metrics: Metrics, description: Description
) -> None:
    other = Person(Checked(create_app(counted(), metrics=metrics), description), ada.token)
    path = ada.creates(["me", "me"])
    ada.view(path)
    other.plays(path)
    assert read(client)["commit_conflicts_total", ()] == 0
    # The first process still remembers the match as it was, and what was legal then is refused only after a look.
    view = other.view(path)
    legal = other.view(path, f"?seat={view['to_act']}")["legal_actions"]
    assert other.post(f"{path}/actions", json={"actions": [legal[0]]}).status_code == 200
    assert ada.post(f"{path}/resignation", json={"seat": 1}).status_code == 200
    assert read(client)["commit_conflicts_total", ()] == 1


def test_it_answers_while_the_store_is_away(tmp_path: Path, metrics: Metrics, description: Description) -> None:
    url = f"unix://{tmp_path}/nobody.sock"
    service = Service(connect(url, observer=metrics), Hub(url, metrics), SECRET, observer=metrics)
    client = Checked(create_app(service, metrics=metrics), description)
    assert client.get("/readyz").status_code == 503
    assert client.get(f"/v1/matches/{NO_MATCH}").status_code == 503
    found = read(client)
    assert found["store_failures_total", ()] == 2
    assert found["requests_total", ("GET", "getMatch", "5xx")] == 1


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
def test_it_answers_programs_on_this_machine(client: Checked, peer: str) -> None:
    assert client.get("/metrics", environ_overrides={"REMOTE_ADDR": peer}).status_code == 200


def _is_nothing(client: Checked, **options: Any) -> bool:
    """Whether the answer is that of a path which does not exist."""
    answers = []
    for path in ("/metrics", "/nothing"):
        answer = client.get(path, **options)
        assert answer.json is not None
        headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
        answers.append((answer.status_code, answer.json | {"request_id": ""}, headers))
    return answers[0] == answers[1] and answers[0][0] == 404


@pytest.mark.parametrize("peer", ["192.0.2.1", "10.0.0.1", "2001:db8::1", "::ffff:192.0.2.1", "localhost", ""])
def test_for_others_there_is_nothing(client: Checked, peer: str) -> None:
    assert _is_nothing(client, environ_overrides={"REMOTE_ADDR": peer})


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via", "Origin"])
@pytest.mark.parametrize("value", ["127.0.0.1", ""])
def test_behind_a_proxy_or_a_page_there_is_nothing(client: Checked, header: str, value: str) -> None:
    assert _is_nothing(client, headers={header: value})


def test_it_looks_at_no_token_and_takes_no_parameter(client: Checked) -> None:
    assert client.get("/metrics", token="nonsense").status_code == 200
    assert client.get("/metrics?name=x").status_code == 400


def test_no_label_says_who_or_what(client: Checked, ada: Person) -> None:
    path = ada.creates(["me", "me"], metadata={"table": "Kanarienvogel"})
    ada.plays_to_the_end(path)
    client.get(f"/Kanarienvogel/{ada.token}")
    client.send("KANARIENVOGEL", "/v1/me")
    client.post("/v1/accounts", json={"name": "Kanarienvogel"})
    text = client.get("/metrics").text
    account = Checked.ok(ada.get("/v1/me"))["account"]["id"]
    for canary in ("anarienvogel", "KANARIENVOGEL", "Ada", ada.token, account, path.rpartition("/")[2]):
        assert canary not in text
    known = set(client.description.operations()) | {"none", "docs"}
    labels = {
        (name, value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        for name, value in sample.labels.items()
    }
    assert {value for name, value in labels if name == "operation"} <= known
    assert {value for name, value in labels if name == "game"} == set(GAMES)
    assert {name for name, _ in labels} == {"operation", "method", "status", "game", "le"}


def test_nobody_can_make_it_grow(client: Checked) -> None:
    def send(number: int) -> None:
        client.get(f"/nothing/{number}")
        client.send(f"M{number}", "/v1/me")
        client.get(f"/v1/me?{number}")

    send(0)
    read(client)
    before = len(read(client))
    for number in range(1, 20):
        send(number)
    assert len(read(client)) == before


#: A process that counts in a shared folder: how often, and whether it may write files.
_PROCESS = """
import resource, sys
if sys.argv[1] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from spieltisch_service.web.metrics import Metrics
metrics = Metrics()
for _ in range(int(sys.argv[2])):
    metrics.conflicted()
metrics.stream_opened()
print(metrics.text().decode())
"""


def _process(folder: Path, kind: str, times: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", _PROCESS, kind, str(times)]
    environment = {"PROMETHEUS_MULTIPROC_DIR": str(folder)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)


def test_processes_that_share_a_folder_are_added_up(tmp_path: Path) -> None:
    assert numbers(_process(tmp_path, "roomy", 2).stdout)["commit_conflicts_total", ()] == 2
    found = numbers(_process(tmp_path, "roomy", 3).stdout)
    assert found["commit_conflicts_total", ()] == 5
    assert found["open_streams", ()] == 2


def test_a_full_disk_costs_numbers_and_no_process(tmp_path: Path) -> None:
    _process(tmp_path, "roomy", 2)
    full = _process(tmp_path, "full", 3)
    assert numbers(full.stdout)["commit_conflicts_total", ()] == 2
    assert "missing in /metrics" in full.stderr
