"""A real service for the SDK's tests, something between that cuts connections, and a clock that skips waits."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spieltisch import Client, _attempts, _interrupts, events
from tests.sdk.faults import CuttingProxy, StandIn


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a service with its house bots, as `serve` starts it, with a store that no other test sees."""
    folder = tmp_path_factory.mktemp("service")
    environment = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    command = ["-m", "spieltisch_service.cli", "serve", "--port", "0", "--workers", "1", "--durability", "fast"]
    with (folder / "errors.txt").open("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, *command, "--data", str(folder / "data")],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        with process:
            assert process.stdout is not None
            line = process.stdout.readline()
            if "serves at" not in line:
                process.terminate()
                process.wait()
                pytest.fail(f"the service did not start: {Path(errors.name).read_text()}")
            yield line.split("serves at ")[1].split()[0]
            process.terminate()


@pytest.fixture
def ada(live_server: str) -> Client:
    return Client(live_server).register("Ada")


@pytest.fixture
def proxy(live_server: str) -> Iterator[CuttingProxy]:
    """Passes everything on to the service, unless told to cut."""
    with CuttingProxy(live_server) as running:
        yield running


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """Answers what it is told to, and remembers what it was asked."""
    with StandIn() as running:
        yield running


class Clock:
    """Time that passes at once: `slept` are the waits, in seconds."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def monotonic(self) -> float:
        return time.monotonic() + sum(self.slept)

    def time(self) -> float:
        return time.time() + sum(self.slept)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Lets the SDK's waits between attempts pass at once."""
    made = Clock()
    monkeypatch.setattr(_interrupts, "pause", made.sleep)
    for module in (_attempts, events):
        monkeypatch.setattr(module, "time", made)
    return made


@pytest.fixture
def client_of(stand_in: StandIn) -> Callable[..., Client]:
    """A client of the stand-in."""
    return lambda key="spt_key_secretsecretsecret", **options: Client(stand_in.url, key, **options)
