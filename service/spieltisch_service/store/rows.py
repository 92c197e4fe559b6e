"""How an idempotency row and an entry of the log are written as bytes."""

from __future__ import annotations

from struct import Struct

from spieltisch_service.app.ports import IdempotencyRow
from spieltisch_service.domain.events import Event, LoggedEvent

# --- idempotency rows -------------------------------------------------------------------------------------------

#: Whether the fingerprint is packed hex, status, first and last event, number of seats. Then the seats, a byte each,
#: then the fingerprint.
_ROW = Struct(">BHIIB")


def _packed_text(text: str) -> tuple[int, bytes]:
    """Lower-case hex digits take half the room: (1, packed), all else (0, UTF-8)."""
    try:
        packed = bytes.fromhex(text)
    except ValueError:
        return 0, text.encode()
    return (1, packed) if packed.hex() == text else (0, text.encode())


def pack_row(row: IdempotencyRow) -> bytes:
    """The row as bytes; `unpack_row` reads it back as an equal row."""
    kind, fingerprint = _packed_text(row.fingerprint)
    return _ROW.pack(kind, row.status, row.first, row.last, len(row.seats)) + bytes(row.seats) + fingerprint


def unpack_row(data: bytes) -> IdempotencyRow:
    """The row that was packed."""
    kind, status, first, last, seats = _ROW.unpack_from(data)
    behind = _ROW.size + seats
    rest = data[behind:]
    return IdempotencyRow(rest.hex() if kind else rest.decode(), status, tuple(data[_ROW.size : behind]), first, last)


def pack_reservation(fingerprint: str, value: str) -> bytes:
    """A fingerprint and what is kept under it."""
    first = fingerprint.encode()
    return len(first).to_bytes(2, "big") + first + value.encode()


def unpack_reservation(data: bytes) -> tuple[str, str]:
    """The (fingerprint, value) that were packed."""
    behind = 2 + int.from_bytes(data[:2], "big")
    return data[2:behind].decode(), data[behind:].decode()


# --- entries of the log -----------------------------------------------------------------------------------------

#: Bytes of an entry: the time in ms (big-endian, written by the script), the hash, then the body.
AT_BYTES = 6
HASH_BYTES = 32
_BODY = AT_BYTES + HASH_BYTES


def pack_event(event: Event) -> bytes:
    """The entry without its time, which the store stamps."""
    return bytes.fromhex(event.hash) + event.body.encode()


def unpack_event(seq: int, entry: bytes) -> LoggedEvent:
    """The event at place `seq` of the log."""
    at_ms, hash_ = unpack_link(entry)
    return LoggedEvent(seq, entry[_BODY:].decode(), hash_, at_ms)


def unpack_link(entry: bytes) -> tuple[int, str]:
    """Time in ms and hash of an entry, or of its first 38 bytes."""
    return int.from_bytes(entry[:AT_BYTES], "big"), entry[AT_BYTES:_BODY].hex()
