"""Load on a server: requests written to a file, sent by wrk where it is installed, else by `benchmarks.generator`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generator import packed
from benchmarks.measure import Invalid

CONNECTIONS = 32


@dataclass(frozen=True, slots=True)
class Result:
    """What one round of load gave. `joined_per_s` counts matches created and joined, where that was asked for.

    `cpu_ms` is the CPU time that server and store used for each request, where that is known.
    """

    per_s: float
    p99_ms: float
    bytes_each: float
    joined_per_s: float
    cpu_ms: float | None = None


def request(method: str, path: str, body: bytes | None = None, **headers: str) -> bytes:
    """A request as it goes over the wire; underscores in the names of headers are hyphens."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


@dataclass(frozen=True, slots=True)
class Load:
    """What is sent, in order. Without `again` the requests must last for all the time.

    `apart`: the first of 32 connections sends the requests 1, 33, 65, …, the second one 2, 34, 66, … and so on; else
    whichever connection is free sends what is next. With a `template`, each match that an answer brings is joined by
    it; {match} stands for its id.
    """

    requests: Sequence[bytes]
    again: bool = False
    apart: bool = False
    template: bytes | None = None


class Generator:
    """Sends load from another process. `folder` takes its files; `name` is `wrk` or `python`."""

    def __init__(self, folder: Path, *, name: str | None = None) -> None:
        self._folder = folder
        self.name = name or ("wrk" if shutil.which("wrk") else "python")

    def run(self, port: int, load: Load, seconds: int) -> Result:
        """Send a load for some time. Raises Invalid when an answer is a refusal or lacks."""
        files = [self._write("requests", load.requests)]
        if load.template is not None:
            files.append(self._write("template", [load.template]))
        steps = CONNECTIONS if load.apart else 1
        arguments = [str(steps), str(files[0]), "again" if load.again else "once", *map(str, files[1:])]
        if self.name == "wrk":
            script = str(Path(__file__).with_name("replay.lua"))
            command = ["wrk", f"-t{steps}", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s", "-s", script]
            command += [f"http://127.0.0.1:{port}", "--"]
        else:
            command = [sys.executable, "-m", "benchmarks.generator", str(port), str(CONNECTIONS), str(seconds)]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=seconds + 60)
        line = next((line for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
        if line is None:
            raise Invalid(f"{self.name} failed: {done.stdout} {done.stderr}")
        raw = json.loads(line.removeprefix("RESULT "))
        if raw["refused"] or raw["broken"] or not raw["requests"]:
            why = done.stderr or "`--generator python` shows the first of them"
            raise Invalid(f"{raw['refused']} refusals, {raw['broken']} broken of {raw['requests']}: {why}")
        if raw["exhausted"]:
            raise Invalid(f"{len(load.requests)} requests did not last for {seconds} s")
        return Result(
            raw["requests"] / raw["seconds"],
            raw["p99_ms"],
            raw["bytes"] / raw["requests"],
            raw["joined"] / raw["seconds"],
        )

    def _write(self, name: str, requests: Sequence[bytes]) -> Path:
        file = self._folder / name
        file.write_bytes(packed(requests))
        return file
