"""`spieltisch recompute`: the results of an exported tournament, from its log alone, offline."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from spieltisch.cli import codes
from spieltisch.cli.screen import Screen
from spieltisch.cli.service import command
from spieltisch.local import service_module

_TEXT = "compute standings, crosstable, ratings and statistics of an exported tournament from its log, as JSON"


def add(commands: Any) -> None:
    """Its arguments."""
    parser = command(commands, "recompute", _TEXT, run)
    parser.add_argument("file", help="the export (NDJSON); - reads the standard input")


def run(given: argparse.Namespace, screen: Screen) -> int:
    """Compute it; the same log gives the same bytes everywhere."""
    recompute, damaged = service_module("domain.tournament.export").recompute, service_module("domain.errors")
    try:
        if given.file == "-":
            results = recompute(sys.stdin.buffer)
        else:
            with Path(given.file).open("rb") as lines:
                results = recompute(lines)
    except damaged.DamagedExport as error:
        screen.error(f"{given.file}: {error}")
        return codes.REFUSED
    sys.stdout.buffer.write(results)
    sys.stdout.buffer.flush()
    return codes.DONE
