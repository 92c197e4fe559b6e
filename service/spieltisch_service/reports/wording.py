"""How numbers and facts of a report are said, in all its forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_MATCHES = (("played", "played"), ("decided", "decided without play"), ("voided", "voided"), ("left", "to come"))


def number(value: float, places: int) -> str:
    """A number with at most so many decimal places, and thousands apart."""
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def name_of(content: Mapping[str, Any]) -> str:
    """What the tournament is called."""
    return str(content["setup"]["name"] or content["tournament"])


def facts(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was played, and where it comes from."""
    setup, matches = content["setup"], content["matches"]
    deals = f"{setup['deals']} a table, each {'in all seat orders' if setup['duplicate'] else 'once'}"
    status = content["status"] + (f" ({content['reason']})" if content["reason"] else "")
    found = [
        ("Status", status.replace("_", " ")),
        ("Game", content["game"] + _options(setup["options"])),
        ("Format", f"{setup['format'].replace('_', ' ')}, {content['rounds']} rounds, {setup['seats']} seats a match"),
        ("Entrants", str(len(content["entrants"]))),
        ("Matches", ", ".join(f"{matches[key]:,} {said}" for key, said in _MATCHES if matches[key]) or "none yet"),
        ("Deals", deals),
        ("Clock", _clock(setup["clock"])),
    ]
    if "seed" in setup:
        found.append(("Seed", setup["seed"]))
    return [*found, ("Tournament", content["tournament"]), ("Commitment", content["commitment"])]


def _options(options: Mapping[str, Any]) -> str:
    return "".join(f", {name} {value}" for name, value in options.items())


def _clock(clock: Mapping[str, Any] | None) -> str:
    if clock is None:
        return "none"
    return ", ".join(f"{name} {value}" for name, value in clock.items())


def cell_rate(cell: Sequence[int]) -> float:
    """The score of one against another: won matches, and half of the tied ones, of all."""
    matches, won, tied, _ = cell
    return (won + tied / 2) / matches


def faults(found: Mapping[str, int]) -> str:
    """Which faults in how many matches."""
    return ", ".join(f"{kind.replace('_', ' ')} {count}×" for kind, count in found.items())


def narrowed(content: Mapping[str, Any]) -> str | None:
    """What it has brought that deals were shared; None where they were not, or nothing can be said."""
    narrowing = content["statistics"]["narrowing"]
    if narrowing is None or not content["setup"]["duplicate"]:
        return None
    share = round(100 * abs(1 - narrowing))
    if not share:
        return "Sharing deals has left the intervals as wide as those of as many matches with deals of their own."
    than = "than those of as many matches with deals of their own"
    if narrowing < 1:
        return f"Sharing deals has made the intervals {share} % narrower {than}."
    return (
        f"The intervals are {share} % wider {than}: where the same entrants win a deal from every seat, "
        "its matches tell less together."
    )
