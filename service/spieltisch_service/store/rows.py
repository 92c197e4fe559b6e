"""How an idempotency row and a reservation are written as bytes: compact, since every action leaves a row."""

from __future__ import annotations

from struct import Struct

from spieltisch_service.app.ports import IdempotencyRow, UnknownForm

#: A byte of the number of seats, with `_HEX` when the fingerprint is packed hex and `_FAR` when the last event does not
#: lie 0 to 255 behind the one before the first; status; first event. Then how many events (a byte) or, with `_FAR`,
#: the last event (4 bytes); a byte for each seat; the fingerprint. `_OTHER` is for a form that does not exist yet.
_ROW = Struct(">BHI")
_HEX, _FAR, _OTHER, _SEATS = 0x80, 0x40, 0x20, 0x1F


def pack_row(row: IdempotencyRow) -> bytes:
    """The row as bytes; `unpack_row` reads it back as an equal row. At most 31 seats, each below 256."""
    kind = len(row.seats)
    if kind > _SEATS:
        raise ValueError(f"a row of {kind} seats")
    try:
        fingerprint = bytes.fromhex(row.fingerprint)
    except ValueError:
        fingerprint = b""
    if fingerprint.hex() == row.fingerprint:
        kind |= _HEX
    else:
        fingerprint = row.fingerprint.encode()
    count = row.last - row.first + 1
    if 0 <= count < 256:
        last = count.to_bytes(1, "big")
    else:
        kind |= _FAR
        last = row.last.to_bytes(4, "big")
    return _ROW.pack(kind, row.status, row.first) + last + bytes(row.seats) + fingerprint


def unpack_row(data: bytes) -> IdempotencyRow:
    """The row that was packed. Raises UnknownForm."""
    if len(data) <= _ROW.size or data[0] & _OTHER:
        raise UnknownForm("an idempotency row is written in a form that this version does not know")
    kind, status, first = _ROW.unpack_from(data)
    seats = _ROW.size + (4 if kind & _FAR else 1)
    far = int.from_bytes(data[_ROW.size : seats], "big")
    behind = seats + (kind & _SEATS)
    rest = data[behind:]
    return IdempotencyRow(
        fingerprint=rest.hex() if kind & _HEX else rest.decode(),
        status=status,
        seats=tuple(data[seats:behind]),
        first=first,
        last=far if kind & _FAR else first + far - 1,
    )


def pack_reservation(fingerprint: str, value: str) -> bytes:
    """A fingerprint and what is kept under it."""
    first = fingerprint.encode()
    if len(first) > 255:
        raise ValueError("a fingerprint has at most 255 bytes")
    return len(first).to_bytes(2, "big") + first + value.encode()


def unpack_reservation(data: bytes) -> tuple[str, str]:
    """The (fingerprint, value) that were packed. Raises UnknownForm."""
    # No fingerprint is as long as 256 bytes: the first byte is the number of the form.
    if len(data) < 2 or data[0] != 0:
        raise UnknownForm("a reservation is written in a form that this version does not know")
    behind = 2 + int.from_bytes(data[:2], "big")
    return data[2:behind].decode(), data[behind:].decode()
