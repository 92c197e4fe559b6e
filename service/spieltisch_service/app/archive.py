"""The file of a backup: lines of JSON, compressed, with a digest at the end that tells when anything is missing.

The first line has the format, the last one counts and the SHA-256 of all lines before it. What lies between is one
match, account or reservation a line. Nothing that is read here is believed before the last line has been.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias

import orjson

from spieltisch_service.app.holdings import Reservation, WholeAccount, WholeMatch
from spieltisch_service.app.ports import IdempotencyRow
from spieltisch_service.domain.events import LoggedEvent

FORMAT = "spieltisch-backup/1"
#: The longest line, uncompressed: some 100,000 events. So a file that unpacks without end is noticed in time.
LONGEST_LINE = 64 * 1024 * 1024

Whole: TypeAlias = WholeMatch | WholeAccount | Reservation

#: Tournaments and the books of ratings are kept as matches are: a document, a secret, a chained log.
_MATCH_ID = re.compile(r"(?:mt|tn|rb)_[0-9a-f]{32}")
_ACCOUNT_ID = re.compile(r"ac_[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{24}")


class BadArchive(Exception):
    """The file is no whole backup that this version reads; the message is one line for the operator."""


@dataclass(slots=True)
class Counts:
    """What a file holds; `sha256` is the digest of its lines."""

    matches: int = 0
    events: int = 0
    accounts: int = 0
    reservations: int = 0
    sha256: str = field(default="", compare=False)

    def add(self, whole: Whole) -> None:
        """Count one more."""
        if isinstance(whole, WholeMatch):
            self.matches += 1
            self.events += len(whole.log)
        elif isinstance(whole, WholeAccount):
            self.accounts += 1
        else:
            self.reservations += 1

    def __str__(self) -> str:
        return f"{self.matches} matches with {self.events} events, {self.accounts} accounts"


class Writer:
    """Writes a file line by line; without `close` it is not whole and will be refused."""

    def __init__(self, file: BinaryIO, service_version: str, created_at: str) -> None:
        self._packed = gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0, filename="")
        self._digest = hashlib.sha256()
        self._counts = Counts()
        self._line({"format": FORMAT, "service": service_version, "created_at": created_at})

    def put(self, whole: Whole) -> None:
        """Write one match, account or reservation. Raises BadArchive for one that no line can hold."""
        line: dict[str, Any]
        if isinstance(whole, WholeMatch):
            line = {"match": _match_to_json(whole)}
        elif isinstance(whole, WholeAccount):
            line = {"account": _account_to_json(whole)}
        else:
            line = {"reservation": [whole.digest, whole.fingerprint, whole.value, whole.expires_at_ms]}
        self._line(line)
        self._counts.add(whole)

    def close(self) -> Counts:
        """Write the last line; what was written in all."""
        self._counts.sha256 = self._digest.hexdigest()
        self._line({"end": _counts_to_json(self._counts)})
        self._packed.close()
        return self._counts

    def _line(self, value: Mapping[str, Any]) -> None:
        line = orjson.dumps(value) + b"\n"
        if len(line) > LONGEST_LINE:
            msg = f"{next(iter(value))} of {len(line)} bytes: a backup holds at most {LONGEST_LINE} in one"
            raise BadArchive(msg)
        self._packed.write(line)
        self._digest.update(line)


def read(file: BinaryIO) -> Iterator[Whole | Counts]:
    """What the file holds, and at the end its counts, once they and the digest are found right. Raises BadArchive."""
    digest = hashlib.sha256()
    counts = Counts()
    number = 0
    packed = gzip.GzipFile(fileobj=file, mode="rb")
    try:
        while True:
            line = packed.readline(LONGEST_LINE + 1)
            number += 1
            if not line:
                raise BadArchive("the file ends in the middle: it was cut off")
            if not line.endswith(b"\n"):
                raise BadArchive(f"line {number} is cut off or too long")
            if number == 1:
                _require_format(line)
            else:
                whole = _parsed(line, number)
                if isinstance(whole, Counts):
                    _require_end(whole, counts, digest.hexdigest(), packed)
                    yield whole
                    return
                counts.add(whole)
                yield whole
            digest.update(line)
    except EOFError:
        raise BadArchive("the file ends in the middle: it was cut off") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadArchive(f"the file is damaged, or no backup: {error}") from None


def _require_format(line: bytes) -> None:
    try:
        found = orjson.loads(line)["format"]
    except (ValueError, KeyError, TypeError):
        raise BadArchive(f"this is not a {FORMAT}") from None
    if found != FORMAT:
        raise BadArchive(f"this version reads {FORMAT}, and the file is a {str(found)[:40]!r}")


def _require_end(told: Counts, counted: Counts, digest: str, packed: gzip.GzipFile) -> None:
    if told != counted:
        raise BadArchive(f"the file holds {counted}, and its last line tells of {told}")
    if told.sha256 != digest:
        raise BadArchive("the digest in the last line is not that of the lines before it")
    if packed.read(1):
        raise BadArchive("something follows behind the last line")


def _parsed(line: bytes, number: int) -> Whole | Counts:
    try:
        ((kind, value),) = orjson.loads(line).items()
        if kind == "match":
            return _match_from_json(value)
        if kind == "account":
            return _account_from_json(value)
        if kind == "reservation":
            digest, fingerprint, text, expires_at_ms = value
            return Reservation(_id(_DIGEST, digest), _text(fingerprint), _text(text), _int(expires_at_ms))
        if kind == "end":
            return _counts_from_json(value)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadArchive(f"line {number} is not of {FORMAT}: {error}") from None
    raise BadArchive(f"line {number} is not of {FORMAT}: {str(kind)[:40]!r} is unknown")


def _match_to_json(match: WholeMatch) -> dict[str, Any]:
    return {
        "id": match.id,
        "document": match.document.decode(),
        "secret": match.secret.decode(),
        "state": None if match.state is None else match.state.decode(),
        "created_at_ms": match.created_at_ms,
        "started_at_ms": match.started_at_ms,
        "ended_at_ms": match.ended_at_ms,
        "rematch": match.rematch,
        "timer_at_ms": match.timer_at_ms,
        "bots_since_ms": match.bots_since_ms,
        "log": [[event.at_ms, event.hash, event.body] for event in match.log],
        "answers": {
            digest: [row.fingerprint, row.status, row.seats, row.first, row.last]
            for digest, row in sorted(match.answers.items())
        },
        # Files of versions that knew of none read as if it was 0.
        **({"revision": match.revision} if match.revision else {}),
    }


def _match_from_json(raw: Mapping[str, Any]) -> WholeMatch:
    raw = {"revision": 0, **raw}
    _require_keys(
        raw,
        *("id", "document", "secret", "state", "created_at_ms", "started_at_ms", "ended_at_ms", "rematch"),
        *("timer_at_ms", "bots_since_ms", "log", "answers", "revision"),
    )
    return WholeMatch(
        id=_id(_MATCH_ID, raw["id"]),
        document=_text(raw["document"]).encode(),
        secret=_text(raw["secret"]).encode(),
        state=None if raw["state"] is None else _text(raw["state"]).encode(),
        created_at_ms=_int(raw["created_at_ms"]),
        started_at_ms=_int_or_none(raw["started_at_ms"]),
        ended_at_ms=_int_or_none(raw["ended_at_ms"]),
        rematch=None if raw["rematch"] is None else _id(_MATCH_ID, raw["rematch"]),
        timer_at_ms=_int_or_none(raw["timer_at_ms"]),
        bots_since_ms=_int_or_none(raw["bots_since_ms"]),
        log=tuple(
            LoggedEvent(seq, _text(body), _text(hash_), _int(at_ms))
            for seq, (at_ms, hash_, body) in enumerate(raw["log"], 1)
        ),
        answers={
            _id(_DIGEST, digest): IdempotencyRow(
                _text(fingerprint), _int(status), tuple(map(_int, seats)), _int(first), _int(last)
            )
            for digest, (fingerprint, status, seats, first, last) in raw["answers"].items()
        },
        revision=_int(raw["revision"]),
    )


def _account_to_json(account: WholeAccount) -> dict[str, Any]:
    return {
        "id": account.id,
        "document": None if account.document is None else account.document.decode(),
        "created_at_ms": account.created_at_ms,
        "matches": account.matches,
        "active": account.active,
    }


def _account_from_json(raw: Mapping[str, Any]) -> WholeAccount:
    _require_keys(raw, "id", "document", "created_at_ms", "matches", "active")
    matches, active = (
        tuple((_id(_MATCH_ID, match_id), _int(at_ms)) for match_id, at_ms in raw[name])
        for name in ("matches", "active")
    )
    return WholeAccount(
        id=_id(_ACCOUNT_ID, raw["id"]),
        document=None if raw["document"] is None else _text(raw["document"]).encode(),
        created_at_ms=_int(raw["created_at_ms"]),
        matches=matches,
        active=active,
    )


def _counts_to_json(counts: Counts) -> dict[str, Any]:
    return {
        "matches": counts.matches,
        "events": counts.events,
        "accounts": counts.accounts,
        "reservations": counts.reservations,
        "sha256": counts.sha256,
    }


def _counts_from_json(raw: Mapping[str, Any]) -> Counts:
    _require_keys(raw, "matches", "events", "accounts", "reservations", "sha256")
    return Counts(**raw)


def _require_keys(raw: Mapping[str, Any], *names: str) -> None:
    if raw.keys() != set(names):
        raise ValueError(f"has the fields {', '.join(sorted(map(str, raw)))[:200]}")


def _id(form: re.Pattern[str], value: Any) -> str:
    if not form.fullmatch(_text(value)):
        raise ValueError(f"{value[:40]!r} is no id")
    return str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text is expected")
    return value


def _int(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("a count of something is expected")
    return value


def _int_or_none(value: Any) -> int | None:
    return None if value is None else _int(value)
