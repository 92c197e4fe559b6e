"""What a client holds of a match's log: it trusts nobody, and notices when what it was told is gone or was replaced."""

from __future__ import annotations

from typing import Any

from spieltisch_service.domain.events import GENESIS_HASH, canonical, chain_hash


class Lost(Exception):
    """What was acknowledged is gone: the service has less than the player holds, or something else."""


class Log:
    """What a player holds of one match: every hash that was acknowledged or read, each chained to the one before."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.hashes = [GENESIS_HASH]
        self.bodies: list[str] = []
        self.lost: list[str] = []

    @property
    def version(self) -> int:
        return len(self.bodies)

    def add(self, events: list[Any]) -> None:
        """Take over what follows. Raises Lost for what does not follow from what is held."""
        for event in events:
            body = canonical({key: event[key] for key in ("data", "seat", "seq", "type")})
            if event["seq"] <= self.version:
                if self.hashes[event["seq"]] != event["hash"]:
                    raise Lost
                continue
            if event["seq"] != self.version + 1 or chain_hash(self.hashes[-1], body) != event["hash"]:
                raise Lost
            self.hashes.append(event["hash"])
            self.bodies.append(body)

    def begin_again(self, events: list[Any]) -> None:
        """Give up what the service does not have any more, and note it."""
        kept = [event["hash"] for event in events]
        held = self.hashes[1:]
        same = next((n for n, (one, other) in enumerate(zip(held, kept, strict=False)) if one != other), None)
        same = min(len(held), len(kept)) if same is None else same
        self.lost += held[same:]
        self.hashes, self.bodies = self.hashes[: same + 1], self.bodies[:same]
        self.add(events[same:])
