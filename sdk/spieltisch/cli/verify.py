"""`spieltisch verify`: whether a record proves itself, offline."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from spieltisch import records
from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import command
from spieltisch.errors import ServiceMissing
from spieltisch.local import service_module

_HERE = "chain of hashes, commitment, shuffle, extract of actions"
_LEFT = "that the actions are legal, what each one led to, and the scores"


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "verify", "check the record of an ended match, offline", run)
    parser.add_argument("file", help="the record; - reads the standard input")


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Check it as far as can be done here."""
    try:
        record = _read(given.file)
    except (ValueError, RecursionError) as error:
        screen.error(f"{given.file} holds no record: {error}")
        return codes.REFUSED
    try:
        problems = _played_again(record)
        complete = True
    except ServiceMissing:
        problems = records.check(record)
        complete = False
    what = f"{record.get('game')}, match {record.get('match')}, version {record.get('version')}"
    if problems:
        screen.line(f"{given.file}: NOT VALID ({what})", "bold red")
        for problem in problems:
            screen.line(f"  {problem}")
        return codes.REFUSED
    if complete:
        screen.line(f"{given.file}: valid ({what})", "bold green")
        return codes.DONE
    screen.line(f"{given.file}: valid as far as was checked ({what})", "bold yellow")
    screen.line(f"  checked: {_HERE}")
    screen.line(f"  NOT checked: {_LEFT} (pip install spieltisch-service does it all)")
    return codes.PARTLY


def _read(file: str) -> dict[str, Any]:
    record = json.loads(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())
    if not isinstance(record, dict):
        raise ValueError("a JSON object is expected")
    return record


def _played_again(record: dict[str, Any]) -> list[str]:
    """What is wrong when the whole match is played again. Raises ServiceMissing."""
    check, refused = service_module("domain.verify").verify, service_module("domain.errors").InvalidRecord
    try:
        check(record)
    except refused as error:
        return list(error.problems)
    return []
