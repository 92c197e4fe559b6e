"""The entries of a tournament's log: one definition each, as a dataclass and as JSON.

The JSON of an entry is an object with `type` and exactly the dataclass' fields. Rounds, boards, matches of a table
and deals are counted from 1, seats from 0. Nothing here says when something happened: whoever keeps a log may write
that beside the entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from spieltisch_service.domain.errors import EntryRefused, InvalidSetup
from spieltisch_service.domain.tournament.setup import TournamentSetup

#: What may be said of a seat that did not play as it should.
FAULTS = ("no_show", "timeout", "crash", "illegal", "resigned")


def _as(kind: type, what: str) -> Callable[[Any], Any]:
    def read(raw: Any) -> Any:
        if type(raw) is not kind:
            raise ValueError(f"{what} expected, not {str(raw)[:40]!r}")
        return raw

    return read


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda raw: None if raw is None else read(raw)


def _many(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read_all(raw: Any) -> tuple[Any, ...]:
        if not isinstance(raw, list | tuple):
            raise ValueError(f"a list expected, not {str(raw)[:40]!r}")
        return tuple(read(each) for each in raw)

    return read_all


_text = _as(str, "a text")
_number = _as(int, "a number")


def _of(read: Callable[[Any], Any], **dataclass_field: Any) -> Any:
    """A field that is read from JSON by `read`."""
    return field(metadata={"read": read}, **dataclass_field)


class Readable:
    """A dataclass whose fields know how they are read."""

    __slots__ = ()

    @classmethod
    def from_wire(cls, raw: Mapping[str, Any]) -> Self:
        """What `to_wire` gave, without `type`; fields with a default may be missing. Raises ValueError."""
        known = {each.name: each.metadata["read"] for each in fields(cls)}  # type: ignore[arg-type]
        if not isinstance(raw, Mapping) or not set(raw) <= set(known):
            raise ValueError(f"{cls.__name__} has other fields")
        try:
            return cls(**{name: known[name](value) for name, value in raw.items()})
        except TypeError:
            raise ValueError(f"{cls.__name__} lacks a field") from None


@dataclass(frozen=True, slots=True)
class Entry(Readable):
    """Base of all entries."""

    type: ClassVar[str]

    def to_wire(self) -> dict[str, Any]:
        """The entry as JSON, `type` first, every key present."""
        return {"type": self.type, **{each.name: _plain(getattr(self, each.name)) for each in fields(self)}}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, PairedTable):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value.to_wire() if isinstance(value, TournamentSetup) else value


@dataclass(frozen=True, slots=True)
class Created(Entry):
    """The first entry: `tournament` is its id."""

    type = "created"
    tournament: str = _of(_text)
    setup: TournamentSetup = _of(TournamentSetup.from_wire)  # noqa: RUF009 (a field, as the others are)


@dataclass(frozen=True, slots=True)
class Invited(Entry):
    """`entrant` may enter where only the invited may."""

    type = "invited"
    entrant: str = _of(_text)


@dataclass(frozen=True, slots=True)
class Entered(Entry):
    """`entrant` takes part. `kind` is `human`, `bot`, `house` or `program`; the larger `seeding`, the stronger."""

    type = "entered"
    entrant: str = _of(_text)
    name: str = _of(_text)
    kind: str = _of(_text, default="bot")
    seeding: int | None = _of(_or_none(_number), default=None)


@dataclass(frozen=True, slots=True)
class Withdrawn(Entry):
    """`entrant` plays no more from the next round on; what it still has to play on its table is forfeited."""

    type = "withdrawn"
    entrant: str = _of(_text)
    reason: str = _of(_text, default="")


@dataclass(frozen=True, slots=True)
class Rejoined(Entry):
    """`entrant`, withdrawn or removed, plays again from the next round on."""

    type = "rejoined"
    entrant: str = _of(_text)


@dataclass(frozen=True, slots=True)
class Started(Entry):
    """Nobody enters any more (but where one may come late), and rounds are paired."""

    type = "started"


@dataclass(frozen=True, slots=True)
class PairedTable(Readable):
    """One table of a round. `seats` are the entrants in the order in which its first match seats them."""

    id: str = _of(_text)
    board: int = _of(_number)
    seats: tuple[str, ...] = _of(_many(_text))
    deals: int = _of(_number)


@dataclass(frozen=True, slots=True)
class RoundPaired(Entry):
    """Round `round` is paired, by the format's `rule` or its `fallback`, or by the `organizer`.

    `sitting_out` have no table, because there is none for them: the mean score, but only once. `unopposed` would have
    met somebody who is gone, or whom they may not meet: the mean score. Who is named nowhere does not play and scores
    nothing.
    """

    type = "round_paired"
    round: int = _of(_number)
    tables: tuple[PairedTable, ...] = _of(_many(PairedTable.from_wire))
    sitting_out: tuple[str, ...] = _of(_many(_text), default=())
    unopposed: tuple[str, ...] = _of(_many(_text), default=())
    by: str = _of(_text, default="rule")


@dataclass(frozen=True, slots=True)
class MatchEnded(Entry):
    """The `number`th match of `table` has a result. `match` is its id (None: it was decided without being played).

    All sequences are by seat: the entrants in `seats`, `scores` of the game (empty: none), `ranks` (best is 1, ties
    share), `faults` (see FAULTS; None or empty: none), and, where known, how many `decisions` it took in `used_ms`.
    """

    type = "match_ended"
    table: str = _of(_text)
    number: int = _of(_number)
    match: str | None = _of(_or_none(_text))
    seats: tuple[str, ...] = _of(_many(_text))
    ranks: tuple[int, ...] = _of(_many(_number))
    scores: tuple[int, ...] = _of(_many(_number), default=())
    end_reason: str = _of(_text, default="completed")
    faults: tuple[str | None, ...] = _of(_many(_or_none(_text)), default=())
    decisions: tuple[int, ...] = _of(_many(_number), default=())
    used_ms: tuple[int, ...] = _of(_many(_number), default=())

    def no_shows(self) -> tuple[str, ...]:
        """The entrants that did not show up."""
        return tuple(who for who, fault in zip(self.seats, self.faults, strict=False) if fault == "no_show")


@dataclass(frozen=True, slots=True)
class MatchVoided(Entry):
    """The `number`th match of `table` has no result and gets none.

    `reason` is `absent` where nobody was left to play it, and then nobody scores in it. Else (`aborted`) it does not
    count.
    """

    type = "match_voided"
    table: str = _of(_text)
    number: int = _of(_number)
    match: str | None = _of(_or_none(_text))
    reason: str = _of(_text, default="aborted")


@dataclass(frozen=True, slots=True)
class Paused(Entry):
    """No round is paired until it goes on; what is played is played to its end."""

    type = "paused"


@dataclass(frozen=True, slots=True)
class Resumed(Entry):
    """It goes on."""

    type = "resumed"


@dataclass(frozen=True, slots=True)
class Stopped(Entry):
    """No round is paired any more: it ends with what is played now."""

    type = "stopped"


@dataclass(frozen=True, slots=True)
class Cancelled(Entry):
    """It ends at once, without a winner."""

    type = "cancelled"
    reason: str = _of(_text, default="")


@dataclass(frozen=True, slots=True)
class Finished(Entry):
    """It has ended: `reason` is that of `Over`."""

    type = "finished"
    reason: str = _of(_text)


KINDS: Mapping[str, type[Entry]] = {
    kind.type: kind
    for kind in (
        Created,
        Invited,
        Entered,
        Withdrawn,
        Rejoined,
        Started,
        RoundPaired,
        MatchEnded,
        MatchVoided,
        Paused,
        Resumed,
        Stopped,
        Cancelled,
        Finished,
    )
}


def entry_from_wire(raw: Mapping[str, Any]) -> Entry:
    """The entry that `to_wire` gave. Raises EntryRefused (`malformed`) for anything else."""
    kind = KINDS.get(str(raw.get("type")))
    if kind is None:
        raise EntryRefused("malformed", f"there is no entry {str(raw.get('type'))[:40]!r}")
    try:
        return kind.from_wire({name: value for name, value in raw.items() if name != "type"})
    except (ValueError, InvalidSetup) as error:
        raise EntryRefused("malformed", f"{kind.type}: {error}") from None


def table_id(tournament: str, round_number: int, board: int) -> str:
    """The id of a table, which only the tournament, the round and the board decide: `TOURNAMENT.ROUND.BOARD`."""
    return f"{tournament}.{round_number}.{board}"


def paired(tournament: str, number: int, tables: Sequence[Sequence[str]], deals: int, **said: Any) -> RoundPaired:
    """The entry for round `number` with `tables` (the entrants of each in seat order), boards in that order."""
    return RoundPaired(
        number,
        tuple(
            PairedTable(table_id(tournament, number, board), board, tuple(seats), deals)
            for board, seats in enumerate(tables, 1)
        ),
        **said,
    )
