"""`serve` as an operator knows it: real processes, real signals, a real store, and the matches that must survive."""

import json
import os
import re
import signal
import socket
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import requests

from spieltisch_service.store.embedded import find_binary
from tests.serving import LINUX, PATIENCE_S, Serving, answered, until

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not LINUX, reason="looks for processes in /proc")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Serving]]:
    """Start a small service, on `tmp_path / "data"` and any free port unless told otherwise."""
    all_of_them: list[Serving] = []

    def start(*options: str, folder: str = "data", **environment: str) -> Serving:
        # An option that is given twice has its last value.
        one = Serving(tmp_path / folder, "--port", "0", "--workers", "1", *options, **environment)
        all_of_them.append(one)
        return one

    yield start
    for one in all_of_them:
        one.clear()


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def register(http: requests.Session, url: str) -> dict[str, str]:
    """The headers of a new account."""
    once = {"Idempotency-Key": uuid.uuid4().hex}
    answer = answered("POST", f"{url}/v1/accounts", session=http, json={"name": "Ada"}, headers=once)
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['key']}"}


def create(http: requests.Session, url: str, headers: dict[str, str], *seats: str) -> dict[str, Any]:
    once = {**headers, "Idempotency-Key": uuid.uuid4().hex}
    wanted = {"game": "wunderland", "seats": seats}
    answer = answered("POST", f"{url}/v1/matches", session=http, json=wanted, headers=once)
    assert answer.status_code == 201, answer.text
    match: dict[str, Any] = answer.json()
    return match


def read(http: requests.Session, url: str, match: dict[str, Any], headers: dict[str, str]) -> Any:
    answer = answered("GET", f"{url}/v1/matches/{match['id']}", session=http, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_stop_it_leaves_no_process_and_no_complaint(
    serve: Callable[..., Serving], http: requests.Session, asked: signal.Signals
) -> None:
    service = serve("--workers", "2").ready()
    assert http.get(f"{service.url}/readyz", timeout=PATIENCE_S).json()["durability"] == "fsync"
    parts = {"gunicorn": 3, "spieltisch_service.worker": 1, "valkey.sock": 1}

    def started() -> bool:
        commands = service.others().values()
        return {part: sum(part in command for command in commands) for part in parts} == parts

    # One worker is enough to be ready.
    until(started, "all parts")
    os.killpg(service.process.pid, asked)
    os.killpg(service.process.pid, asked)
    assert service.ended() == 0
    until(lambda: not service.others(), "the end of all processes")
    assert service.complaints() == ""


def test_streams_end_with_their_end_frame(serve: Callable[..., Serving], http: requests.Session) -> None:
    service = serve().ready()
    headers = register(http, service.url)
    match = create(http, service.url, headers, "me", "open")
    with http.get(
        f"{service.url}/v1/matches/{match['id']}/events",
        headers={**headers, "Accept": "text/event-stream"},
        stream=True,
        timeout=PATIENCE_S,
    ) as answer:
        lines = answer.iter_lines(chunk_size=1)
        assert next(lines) == b"retry: 1000"
        service.process.terminate()
        frames = [json.loads(line.removeprefix(b"data: ")) for line in lines if line.startswith(b"data: ")]
    assert frames[-1] == {"reason": "shutdown"}
    assert service.ended() == 0
    assert service.complaints() == ""


def test_a_second_service_on_the_same_folder_is_refused(serve: Callable[..., Serving], http: requests.Session) -> None:
    first = serve().ready()
    second = serve()
    assert second.ended() == 1
    assert second.complaints() == (
        f"spieltisch-service: the data folder {first.folder} is in use by the service with process id "
        f"{first.process.pid}: stop that one, or choose another folder with --data\n"
    )
    assert http.get(f"{first.url}/readyz", timeout=PATIENCE_S).status_code == 200


def test_a_port_in_use_is_one_line(serve: Callable[..., Serving]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        service = serve("--port", port)
        assert service.ended() == 1
    assert service.complaints() == (f"spieltisch-service: port {port} of 127.0.0.1 is in use: choose another --port\n")
    assert service.others() == {}


def test_a_bad_value_is_one_line(serve: Callable[..., Serving]) -> None:
    service = serve("--workers", "many")
    assert service.ended() == 2
    assert service.complaints() == "spieltisch-service: SPIELTISCH_WORKERS: Not a valid integer.\n"


def test_killed_with_all_its_group_it_finds_every_match_again(
    serve: Callable[..., Serving], http: requests.Session
) -> None:
    first = serve().ready()
    headers = register(http, first.url)
    match = create(http, first.url, headers, "me", "me")
    before = read(http, first.url, match, headers)
    os.killpg(first.process.pid, signal.SIGKILL)
    first.process.wait(PATIENCE_S)
    second = serve("--port", first.port).ready()
    assert second.url == first.url
    assert read(http, second.url, match, headers) == before
    first.ended()
    second.process.terminate()
    assert second.ended() == 0
    until(lambda: not second.others(), "the end of all processes")


def test_killed_with_its_store_it_finds_every_match_again(
    serve: Callable[..., Serving], http: requests.Session
) -> None:
    first = serve().ready()
    headers = register(http, first.url)
    match = create(http, first.url, headers, "me", "me")
    before = read(http, first.url, match, headers)
    for pid in (first.process.pid, *first.others()):
        os.kill(pid, signal.SIGKILL)
    first.ended()
    second = serve().ready()
    assert read(http, second.url, match, headers) == before


def test_a_killed_store_comes_back(serve: Callable[..., Serving], http: requests.Session) -> None:
    service = serve().ready()
    headers = register(http, service.url)
    match = create(http, service.url, headers, "me", "me")
    before = read(http, service.url, match, headers)
    killed = service.store()
    os.kill(killed, signal.SIGKILL)
    until(lambda: service.store() != killed, "another store")
    until(lambda: http.get(f"{service.url}/readyz", timeout=PATIENCE_S).status_code == 200, "readiness")
    assert read(http, service.url, match, headers) == before
    create(http, service.url, headers, "me", "me")
    service.process.terminate()
    assert service.ended() == 0
    assert service.complaints().count("the store had ended: it was started again\n") == 1
    assert "Traceback" not in service.complaints()


def test_house_bots_play_on_after_their_worker_was_killed(
    serve: Callable[..., Serving], http: requests.Session
) -> None:
    service = serve().ready()
    headers = register(http, service.url)
    killed = service.part("spieltisch_service.worker")
    os.kill(killed, signal.SIGKILL)
    match = create(http, service.url, headers, "bot:random", "bot:random")
    until(lambda: read(http, service.url, match, headers)["version"] > match["version"], "a bot's action")
    assert service.part("spieltisch_service.worker") != killed
    service.process.terminate()
    assert service.ended() == 0
    assert "the worker for house bots ended with code -9: starting it again\n" in service.complaints()


def test_the_death_of_the_server_ends_the_service(serve: Callable[..., Serving]) -> None:
    service = serve().ready()
    os.kill(service.part("gunicorn"), signal.SIGKILL)
    assert service.ended() == 1
    assert service.complaints() == "spieltisch-service: the server ended with code -9: stopping\n"
    until(lambda: not service.others(), "the end of all processes")


def _answers(path: Path) -> bool:
    try:
        with redis.Redis(unix_socket_path=str(path)) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Callable[..., dict[str, str]]]:
    """Start a store with some options and tell the settings of a service that is to use it."""
    started: list[subprocess.Popen[bytes]] = []
    (tmp_path / "store").mkdir()

    def start(*options: str) -> dict[str, str]:
        path = tmp_path / "store" / "socket"
        given = [find_binary(), *options, "--port", "0", "--unixsocket", str(path), "--dir", str(path.parent)]
        started.append(subprocess.Popen(given, stdout=subprocess.DEVNULL))
        until(lambda: _answers(path), "the store")
        return {"REDIS_URL": f"unix://{path}", "SPIELTISCH_SECRET": "s" * 40}

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_the_store_of_the_runbook_is_as_safe_as_our_own(
    serve: Callable[..., Serving], http: requests.Session, store: Callable[..., dict[str, str]]
) -> None:
    service = serve(**store(str(ROOT / "deploy" / "redis.conf"))).ready()
    assert http.get(f"{service.url}/readyz", timeout=PATIENCE_S).json()["durability"] == "fsync"


def test_a_store_that_comes_late_is_waited_for(
    serve: Callable[..., Serving], tmp_path: Path, store: Callable[..., dict[str, str]]
) -> None:
    given = {"REDIS_URL": f"unix://{tmp_path / 'store' / 'socket'}", "SPIELTISCH_SECRET": "s" * 40}
    service = serve(**given)
    until(lambda: "the store does not answer, waiting for it" in service.complaints(), "the complaint")
    assert store("--appendonly", "yes") == given
    service.ready()


def test_a_store_that_would_forget_is_refused_unless_asked_for(
    serve: Callable[..., Serving], store: Callable[..., dict[str, str]]
) -> None:
    given = store("--appendonly", "no", "--save", "")
    service = serve(**given)
    assert service.ended() == 1
    assert re.fullmatch(r"spieltisch-service: .* does not write an append-only file .*\n", service.complaints())
    assert service.others() == {}
    serve("--allow-unsafe-store", **given).ready()


def test_a_given_store_is_used_and_left_running(
    serve: Callable[..., Serving], http: requests.Session, clean_valkey: str
) -> None:
    given = {"REDIS_URL": clean_valkey, "SPIELTISCH_SECRET": "s" * 40}
    first = serve(**given).ready()
    headers = register(http, first.url)
    match = create(http, first.url, headers, "me", "me")
    first.process.terminate()
    assert first.ended() == 0
    assert not first.folder.exists()
    second = serve(**given).ready()
    assert read(http, second.url, match, headers)["id"] == match["id"]


def counted(http: requests.Session, service: Serving) -> dict[str, float]:
    """What `/metrics` says: the value of each sample, by its name and labels as they are written."""
    answer = http.get(f"{service.url}/metrics", timeout=PATIENCE_S)
    assert answer.status_code == 200, answer.text
    lines = (line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#"))
    return {name.removeprefix("spieltisch_"): float(value) for name, _, value in lines}


def test_every_process_answers_for_all(serve: Callable[..., Serving], http: requests.Session) -> None:
    service = serve("--workers", "3").ready()
    headers = register(http, service.url)
    wanted = {"game": "wunderland", "seats": ["bot:random"] * 2, "options": {"round_limit": 5}}
    match = http.post(f"{service.url}/v1/matches", json=wanted, headers=headers, timeout=PATIENCE_S).json()
    until(lambda: read(http, service.url, match, headers)["result"], "the end of the match")
    record = http.get(f"{service.url}/v1/matches/{match['id']}/record", headers=headers, timeout=PATIENCE_S).json()
    for _ in range(40):
        requests.get(f"{service.url}/livez", timeout=PATIENCE_S, proxies={"http": ""})
    found = counted(http, service)
    # The house bots act in a process of their own.
    assert found['actions_total{game="wunderland"}'] == len(record["actions"]) > 20
    assert found['matches_finished_total{game="wunderland"}'] == 1
    assert found['requests_total{method="POST",operation="createMatch",status="2xx"}'] == 1
    assert found['requests_total{method="GET",operation="getLive",status="2xx"}'] == 40
    assert found['request_seconds_count{operation="getLive"}'] == 40
    folder = service.folder / "metrics"
    assert folder.stat().st_mode & 0o777 == 0o700
    # A quick worker may have taken every request, but it never acts for a house bot.
    assert 2 <= len(list(folder.glob("counter_*.db"))) <= 4


def test_streams_of_a_killed_process_are_not_open(serve: Callable[..., Serving], http: requests.Session) -> None:
    service = serve().ready()
    headers = register(http, service.url)
    match = create(http, service.url, headers, "me", "open")
    log = f"{service.url}/v1/matches/{match['id']}/events"
    with http.get(log, headers={**headers, "Accept": "text/event-stream"}, stream=True, timeout=PATIENCE_S) as stream:
        assert next(stream.iter_lines(chunk_size=1)) == b"retry: 1000"
        before = counted(http, service)
        assert before["open_streams"] == 1
        (server,) = {int(path.stem.rpartition("_")[2]) for path in (service.folder / "metrics").glob("histogram_*")} - {
            service.part("spieltisch_service.worker")
        }
        os.kill(server, signal.SIGKILL)
        until(lambda: service.part("gunicorn") and server not in service.others(), "the end of the process")

    def none_is_open() -> bool:
        try:
            return counted(http, service)["open_streams"] == 0
        except requests.ConnectionError:
            # A dying process is gone from the list before its connections are.
            return False

    until(none_is_open, "the end of its streams")
    created = 'matches_created_total{game="wunderland"}'
    assert counted(http, service)[created] == before[created] == 1


def test_the_numbers_begin_anew_with_the_service(serve: Callable[..., Serving], http: requests.Session) -> None:
    first = serve().ready()
    create(http, first.url, register(http, first.url), "me", "me")
    os.killpg(first.process.pid, signal.SIGKILL)
    first.ended()
    second = serve().ready()
    assert counted(http, second)['matches_created_total{game="wunderland"}'] == 0
    second.process.terminate()
    assert second.ended() == 0
    assert not (second.folder / "metrics").exists()


def _sends_raw(service: Serving, *lines: str) -> bytes:
    with socket.create_connection(("127.0.0.1", int(service.port)), timeout=PATIENCE_S) as raw:
        raw.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        return raw.recv(4096)


def test_no_secret_is_in_the_log_of_a_whole_match(serve: Callable[..., Serving], http: requests.Session) -> None:
    service = serve(SPIELTISCH_LOG="info").ready()
    api = f"{service.url}/v1"
    name, nonce = "Kanarienvogel", "nonce-of-the-canary"
    ada = http.post(f"{api}/accounts", json={"name": name}, timeout=PATIENCE_S).json()
    headers = {"Authorization": f"Bearer {ada['key']}", "Idempotency-Key": "key-of-the-canary"}
    wanted = {"game": "wunderland", "seats": ["me", "bot:random", "invite"], "metadata": {"table": name}}
    wanted |= {"options": {"round_limit": 3}, "start": "manual"}
    match = http.post(f"{api}/matches", json=wanted, headers=headers, timeout=PATIENCE_S).json()
    invitation = match["invitations"][0]["token"]
    path = f"{api}/matches/{match['id']}"
    guest = {"invitation": invitation, "name": name, "nonce": nonce}
    joined = http.post(f"{path}/seats", json=guest, timeout=PATIENCE_S).json()
    tokens = [ada["key"], match["grants"][0]["token"], invitation, joined["grants"][0]["token"]]
    http.post(f"{path}/start", json={"nonces": {"0": nonce}}, headers=headers, timeout=PATIENCE_S)
    players = {0: tokens[1], 2: tokens[3]}
    view = http.get(f"{path}/view", headers=headers, timeout=PATIENCE_S).json()
    while view["status"] == "running":
        seat = view["to_act"]
        after = f"?after={view['version'] - (seat in players)}&wait=25"
        holder = {"Authorization": f"Bearer {players.get(seat, ada['key'])}"}
        view = http.get(f"{path}/view{after}", headers=holder, timeout=PATIENCE_S).json()
        if view["legal_actions"]:
            for wrong in ({"actions": [{"type": nonce}]}, {"actions": [view["legal_actions"][0]], "version": 1}):
                assert http.post(f"{path}/actions", json=wrong, headers=holder, timeout=PATIENCE_S).status_code in (
                    400,
                    412,
                )
            done = {"actions": [view["legal_actions"][0]]}
            view = http.post(f"{path}/actions", json=done, headers=holder, timeout=PATIENCE_S).json()["view"]
    for token in tokens:
        # What a client gets wrong: a token in the path, in the query, damaged, and in a line that is no header.
        http.get(f"{api}/{token}", timeout=PATIENCE_S)
        http.get(f"{api}/me?access_token={token}", timeout=PATIENCE_S)
        http.get(f"{api}/me", headers={"Authorization": f"Bearer {token}x"}, timeout=PATIENCE_S)
        assert b"400" in _sends_raw(service, "GET /v1/me HTTP/1.1", "Host: x", f"Authorization Bearer {token}")
        assert b"400" in _sends_raw(service, f"GET /v1/me?{token} HTTP/x")
    assert http.post(f"{api}/accounts", json={"name": name * 9}, timeout=PATIENCE_S).status_code == 400
    service.process.terminate()
    assert service.ended() == 0
    lines = [json.loads(line) for line in service.complaints().splitlines()]
    told = [line for line in lines if line["event"] == "request"]
    assert {line["operation"] for line in told} > {"createAccount", "createMatch", "takeSeat", "getView", "act", "none"}
    assert {line["status"] for line in told} >= {200, 201, 400, 401, 404, 412}
    assert sum("Invalid" in line["event"] for line in lines) == 2 * len(tokens)
    said = service.complaints()
    secrets = [*tokens, *(token.rpartition("_")[2] for token in tokens), name, nonce, "key-of-the-canary"]
    assert [secret for secret in secrets if secret in said] == []


def test_an_unknown_level_of_the_log_is_one_line(serve: Callable[..., Serving]) -> None:
    service = serve(SPIELTISCH_LOG="debug")
    assert service.ended() == 2
    assert service.complaints() == "spieltisch-service: SPIELTISCH_LOG: is warning or info.\n"


def test_limits_hold_where_they_are_asked_for_and_believe_no_forged_address(
    serve: Callable[..., Serving], http: requests.Session
) -> None:
    service = serve("--limits", "on", "--trusted-proxies", "1", SPIELTISCH_RATES="reads=100/3").ready()
    assert "limits are on" in service.complaints()
    assert http.get(f"{service.url}/readyz", timeout=PATIENCE_S).json()["limits"] == "on"

    def games(forwarded: str) -> int:
        return http.get(
            f"{service.url}/v1/games", headers={"X-Forwarded-For": forwarded}, timeout=PATIENCE_S
        ).status_code

    # The client of a proxy is who it says, whatever that client wrote before.
    assert [games(f"198.51.100.{n}, 203.0.113.7") for n in range(5)] == [200, 200, 200, 429, 429]
    assert games("203.0.113.8") == 200
    answer = http.get(f"{service.url}/v1/games", headers={"X-Forwarded-For": "203.0.113.9"}, timeout=PATIENCE_S)
    assert re.fullmatch(r'"reads-address";r=2;t=([1-9]|[1-5]\d|60)', answer.headers["RateLimit"])


def test_limits_are_off_on_loopback(serve: Callable[..., Serving], http: requests.Session) -> None:
    service = serve(SPIELTISCH_RATES="reads=0/0").ready()
    assert "limits" not in service.complaints()
    answer = http.get(f"{service.url}/v1/games", timeout=PATIENCE_S)
    assert answer.status_code == 200
    assert "RateLimit" not in answer.headers


def test_a_body_that_never_comes_is_answered_and_hung_up_on(serve: Callable[..., Serving]) -> None:
    service = serve().ready()
    with socket.create_connection(("127.0.0.1", int(service.port)), PATIENCE_S) as half:
        head = "POST /v1/accounts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
        half.sendall(head.encode() + b'{"name"')
        said = b""
        while piece := half.recv(65536):
            said += piece
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"malformed_json" in said
