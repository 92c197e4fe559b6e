"""Values as they should not be: a good body or parameter with one thing in it changed."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

ODD_TEXTS = (
    "",
    " ",
    "a" * 65,
    "x" * 5_000,
    "\u202e\u2066abc",
    "Ada\u0301",
    "A\u0308\u0323" * 20,
    "\u200b",
    "\ufeff",
    "\U0001f3b2" * 64,
    "\x00",
    "\x7f",
    "\r\nSet-Cookie: a=b",
    "{b:07}:x",
    "*",
    "../../etc/passwd",
    "%00",
    "' OR 1=1 --",
    "{{7*7}}",
    "${jndi:ldap://x}",
    "<script>alert(1)</script>",
    "null",
    "true",
    "-1",
    "mt_" + "0" * 32,
    "ac_" + "f" * 32,
    "spt_key_" + "0" * 32 + "_" + "A" * 43,
    "bot:random",
    "me",
)
ODD_NUMBERS = (-1, 0, 1, 9, 10, 2**31, 2**53 - 1, 2**53, -(2**53), 2**63, 2**64, 10**30, -(10**300), 0.5, -0.0, 1e300)
ODD_VALUES: tuple[Any, ...] = (None, True, False, [], {}, [[]], [None], {"": ""}, {"a": {"b": {}}}, "1", 1.0, [1] * 200)


def changed(value: Any, rng: random.Random) -> Any:
    """A copy with one node in it replaced, left out, repeated or added."""
    value = copy.deepcopy(value)
    nodes = list(_nodes(value))
    if not nodes or rng.random() < 0.05:
        return odd(rng)
    holder, key = rng.choice(nodes)
    how = rng.random()
    if how < 0.15:
        del holder[key]
    elif how < 0.25 and isinstance(holder, dict):
        holder[rng.choice((*ODD_TEXTS, "seat", "version", "id", "type"))] = odd(rng)
    elif how < 0.35 and isinstance(holder, list):
        holder.extend(copy.deepcopy(holder) * rng.choice((1, 3, 60)))
    elif how < 0.5:
        holder[key] = _near(holder[key], rng)
    else:
        holder[key] = odd(rng)
    return value


def odd(rng: random.Random) -> Any:
    """Something."""
    return copy.deepcopy(rng.choice(rng.choice((ODD_TEXTS, ODD_NUMBERS, ODD_VALUES))))


def wrong_type(value: Any, rng: random.Random) -> Any | None:
    """A copy in which one integer has become its like of another type, which must be refused; None if it has none."""
    value = copy.deepcopy(value)
    whole = [(holder, key) for holder, key in _nodes(value) if type(holder[key]) is int]
    if not whole:
        return None
    # What stands outermost is not in every body, and read by other code.
    outermost = [(holder, key) for holder, key in whole if holder is value]
    holder, key = rng.choice(outermost if outermost and rng.random() < 0.5 else whole)
    number = holder[key]
    holder[key] = rng.choice((float(number), bool(number), str(number), [number]))
    return value


def _near(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 90, 1000))
    if isinstance(value, str):
        return rng.choice((value + "x", value[:-1], value.upper(), value + "\n", " " + value))
    return value


def _nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in it, as (what holds it, key or index)."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _nodes(inner)
