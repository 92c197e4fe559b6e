"""How much CPU time processes have used, where `/proc` tells."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_PROC = Path("/proc")


def spent_s(roots: Iterable[int]) -> float | None:
    """Seconds that the processes with these ids and all that descend from them have used so far; None without /proc.

    Of a process that has ended meanwhile nothing is known.
    """
    if not (_PROC / "self" / "stat").exists():
        return None
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for entry in _PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # What stands in parentheses is a name, which may hold anything.
            told = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)] = int(told[1])
        ticks[int(entry.name)] = int(told[11]) + int(told[12])
    wanted = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in wanted and pid not in wanted}:
        wanted |= more
    return sum(ticks.get(pid, 0) for pid in wanted) / os.sysconf("SC_CLK_TCK")
