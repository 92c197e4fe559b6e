"""How the entries of a log and the parts of a match are written as bytes: compressed, because a match lives long.

A match is some 150 events of some 220 bytes that resemble each other, but each must be readable alone. So each is
deflated against a dictionary of what events look like, which leaves about a sixth.
"""

from __future__ import annotations

import zlib

from spieltisch_service.app.ports import UnknownForm
from spieltisch_service.domain.events import Event, LoggedEvent

#: Bytes of an entry: the time in ms (big-endian, written by the script), the hash, a byte that tells how the body
#: is written, then the body.
AT_BYTES = 6
_LINK = AT_BYTES + 32
_BODY = _LINK + 1

_PLAIN, _DEFLATED = b"\0", b"\1"

#: What the bodies of events have in common; what is most frequent stands last. Every stored log depends on these very
#: bytes: for other ones, add a second dictionary and a third way of writing.
_DICTIONARY = (
    b'"type":"match_aborted"}"reason":"creator","reason":"expired","reason":"seat"'
    b'{"data":{"commitment":null,"commitment":","deal_source":"drawn","deal_source":"explicit","game":"wunderland",'
    b'"game":"neues-land","match":"mt_","options":{"expert":false,"postcards":"own_turn","with_travel","round_limit":'
    b'null},"rules_version":"1","seats":["account","open","invite","bot","guest"]},"seat":null,"seq":1,"type":'
    b'"match_created"}{"data":{},"seat":0,"seq":2,"type":"seat_taken"}"type":"seat_left"}"type":"seat_resigned"}'
    b'"type":"seat_forfeited"}{"data":{"discarded":[],"drawn":[{"seat":0,"tile":"nonces":[null,null],"phase":"turn",'
    b'"scores":[0,0],"to_act":0},"seat":null,"seq":4,"type":"match_started"}{"data":{"final":[{"points":2,"seat":0,'
    b'"x":-3,"y":-5},{"points":1,"seat":1,"x":6,"y":4}],"result":{"end_reason":"last_seat","end_reason":"completed",'
    b'"ranks":[1,2],"ranks":[2,1],"scores":[20,30]}},"seat":null,"seq":170,"type":"match_finished"}'
    b'"phase":"final","phase":"over","to_act":null},"cause":"timeout","cause":"resigned","hamburg-post","oslo","harz-'
    b'{"data":{"action":{"card":"c17","type":"redeem"},"cards_drawn":1,{"data":{"action":{"place":"knuffingen",'
    b'"postcards":2,"type":"collect"},{"data":{"action":{"travellers":2,"type":"travel_along"},{"data":{"action":{'
    b'"type":"stay"},{"data":{"action":{"destination":"knuffingen","origin":"knuffingen","travellers":1,"type":"travel"'
    b'},"cards_drawn":0,"cause":"player","phase":"companions","points":0,"scores":[0,0],{"data":{"action":{"type":'
    b'"end_turn"},"cards_drawn":0,"cause":"player","phase":"after","points":0,"scores":[15,20],"to_act":0},"seat":0,'
    b'"phase":"turn","points":0,'
    b'{"data":{"action":{"type":"recall_follower","x":1,"y":-1},"cause":"player","discarded":[],"drawn":[{"seat":0,'
    b'"tile":"2231sgms-23"}],"phase":"place_tile","points":2,"scores":[12,11],"to_act":0},"seat":1,'
    b'{"data":{"action":{"type":"pass"},"cause":"player","discarded":[],"drawn":[{"seat":1,"tile":"1115mmms"}],"phase":'
    b'"place_tile","points":0,"scores":[10,14],"to_act":1},"seat":0,"seq":90,"type":"action"}'
    b'{"data":{"action":{"region":0,"type":"place_follower"},"cause":"player","discarded":[],"drawn":[{"seat":1,"tile":'
    b'"17gs-01"}],"phase":"place_tile","points":0,"scores":[0,0],"to_act":1},"seat":0,"seq":16,"type":"action"}'
    b'{"data":{"action":{"rotation":180,"tile":"44mg","type":"place_tile","x":-1,"y":-2},"cause":"player","discarded":'
    b'[],"drawn":[],"phase":"follower","points":0,"scores":[0,0],"to_act":0},"seat":0,"seq":15,"type":"action"}'
)
#: A window of 4 kB holds the dictionary and any event, or nearly any part; more would only take memory, and the time
#: to clear it.
_WINDOW, _MEMORY = -12, 4


def pack_event(event: Event | LoggedEvent) -> bytes:
    """The entry without its time, which the store stamps."""
    deflate = zlib.compressobj(6, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    return bytes.fromhex(event.hash) + _DEFLATED + deflate.compress(event.body.encode()) + deflate.flush()


def unpack_event(seq: int, entry: bytes) -> LoggedEvent:
    """The event at place `seq` of the log. Raises UnknownForm."""
    at_ms, hash_ = unpack_link(entry)
    if entry[_LINK:_BODY] != _DEFLATED:
        raise UnknownForm(f"event {seq} is written in a form that this version does not know")
    inflate = zlib.decompressobj(_WINDOW, _DICTIONARY)
    try:
        body = (inflate.decompress(entry[_BODY:]) + inflate.flush()).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise UnknownForm(f"event {seq} is damaged in the store") from error
    return LoggedEvent(seq, body, hash_, at_ms)


def unpack_link(entry: bytes) -> tuple[int, str]:
    """Time in ms and hash of an entry, or of its first 38 bytes."""
    return int.from_bytes(entry[:AT_BYTES], "big"), entry[AT_BYTES:_LINK].hex()


def pack_part(data: bytes, *, small: bool) -> bytes:
    """A document, secret or state; `small` takes the time to compress it, for what stays as it is."""
    if small and len(data) > 64:
        # The fastest level makes a tenth more of them than the best, in half the time.
        deflate = zlib.compressobj(1, zlib.DEFLATED, _WINDOW, _MEMORY)
        return _DEFLATED + deflate.compress(data) + deflate.flush()
    return _PLAIN + data


def unpack_part(data: bytes) -> bytes:
    """What `pack_part` got. Raises UnknownForm."""
    if data[:1] == _PLAIN:
        return data[1:]
    if data[:1] != _DEFLATED:
        raise UnknownForm("a part of a match is written in a form that this version does not know")
    try:
        return zlib.decompress(data[1:], -15)
    except zlib.error as error:
        raise UnknownForm("a part of a match is damaged in the store") from error
