"""CANARY: everything that must not come out, and a look at all that does.

A canary knows what is hidden and where it may be shown; give it every byte that leaves the service: bodies, headers,
streams, logs, metrics, what a crash leaves behind.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tests.campaigns.harness.campaign import Finding

#: Tokens, seeds and hashes: whatever is long and has no space in it.
_WORD = re.compile(rb"[A-Za-z0-9_-]{22,}")
_CARDS_IN_A_ROW = 5


#: Says whether something that was hidden may be seen by now.
Shown: TypeAlias = Callable[[], bool]


def never() -> bool:
    """It stays hidden."""
    return False


class Canary:
    """Looks for hidden values. `bytes_seen` counts what it looked at.

    Long values (tokens, seeds) are found as words, by themselves or as part of one with `_` in it; short ones
    (`phrase`) anywhere.
    """

    def __init__(self) -> None:
        self._words: dict[bytes, tuple[str, Shown]] = {}
        self._phrases: dict[bytes, tuple[str, Shown]] = {}
        self.bytes_seen = 0

    def hide(self, what: str, *values: str, shown: Shown = never) -> None:
        """Long values that must not come out, unless `shown` says that by now they may."""
        for value in values:
            self._words[value.encode()] = what, shown

    def hide_phrase(self, what: str, *values: str, shown: Shown = never) -> None:
        """Values that must not occur anywhere."""
        for value in values:
            self._phrases[value.encode()] = what, shown

    def hide_seed(self, seed: str, shown: Shown = never) -> None:
        """A seed as hex, in every form in which it could come out."""
        raw = bytes.fromhex(seed)
        self.hide("a seed", seed, seed.upper(), str(int(seed, 16)), shown=shown)
        self.hide("a seed", base64.urlsafe_b64encode(raw).decode().rstrip("="), shown=shown)
        self.hide("a seed", *re.findall(r"[A-Za-z0-9_-]{22,}", base64.b64encode(raw).decode()), shown=shown)

    def hide_order(self, cards: Sequence[str], shown: Shown = never) -> None:
        """The order of cards or tiles that nobody has seen: not the next five, nor the last, as JSON or with commas."""
        for row in (list(cards[:_CARDS_IN_A_ROW]), list(cards[-_CARDS_IN_A_ROW:])):
            for text in (json.dumps(row, separators=(",", ":")), json.dumps(row), str(row), ",".join(row)):
                self.hide_phrase("the order of a deck", text.strip("[]"), shown=shown)

    def look(self, where: str, *outputs: bytes, allowed: Iterable[str] = ()) -> None:
        """Raises Finding if anything hidden is in the outputs, other than what is `allowed` just here."""
        let_through = {value.encode() for value in allowed}
        for output in outputs:
            self.bytes_seen += len(output)
            for word in _WORD.findall(output):
                if word not in let_through:
                    for part in {word, *word.split(b"_"), *word.split(b"-")}:
                        self._check(self._words, part, where, output)
            for phrase in [phrase for phrase in self._phrases if phrase in output]:
                self._check(self._phrases, phrase, where, output)

    def _check(self, hidden: dict[bytes, tuple[str, Shown]], value: bytes, where: str, output: bytes) -> None:
        what, shown = hidden.get(value, ("", never))
        if not what:
            return
        if not shown():
            raise Finding(f"{where} tells {what}: {_around(output, value)}")
        del hidden[value]

    def look_at_headers(self, where: str, headers: Iterable[tuple[str, str]]) -> None:
        """The same for headers."""
        self.look(where, "\n".join(f"{name}: {value}" for name, value in headers).encode("latin-1", "replace"))


def issued(body: Mapping[str, Any]) -> list[str]:
    """The tokens that an answer gives out: a new key, seat tokens, invitations."""
    found = [body[name] for name in ("key", "token") if isinstance(body.get(name), str)]
    for name in ("grants", "invitations"):
        found += [each["token"] for each in body.get(name) or () if "token" in each]
    return found


def _around(output: bytes, found: bytes) -> str:
    at = output.index(found)
    return repr(output[max(0, at - 80) : at + len(found) + 20])
