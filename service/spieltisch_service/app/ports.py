"""What the use cases ask of the outside: a store, and a bell that rings when something was committed.

The heart is `Store.commit`: everything that one use case changes about one match, all or nothing, in one step.
Features add rows to a `Commit`, not methods to the `Store`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from spieltisch_service.domain.clock import Due
from spieltisch_service.domain.events import Event, LoggedEvent

#: The topic of a `Bell` that rings when a match waits for a house bot.
BOTS_TOPIC = "bots"


class StoreUnavailable(Exception):
    """The store does not answer, or not in time, or refuses to write. Whether a write happened is unknown."""


class UnknownForm(StoreUnavailable):
    """What is stored is written in a form that this version does not know: a newer one wrote it, or it is damaged.

    It is never guessed at and never overwritten; the version that wrote it can serve it.
    """


@dataclass(frozen=True, slots=True)
class IdempotencyRow:
    """What is kept of an answered request: enough to build its answer again from the log.

    `fingerprint` tells another body under the same key; `seats` are those that the answer granted or acted
    for; `first` and `last` are the first and last event that the request caused (`first > last`: none).
    """

    fingerprint: str
    status: int
    seats: tuple[int, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as the store holds it, read at one instant (`now_ms`, the store's time).

    `document` is the match without its moving parts (JSON), `secret` what nobody may see before the end
    (JSON), `state` the encoded game state (JSON) or None before the start. `at_ms` and `hash` are those of the
    last event. `clock` is the row that the last commit with events left, or None where no clock ever ran.
    `idempotency` is the row under the key that was asked for, if there is one. `revision` counts how often the document
    was rewritten by no event.
    """

    version: int
    hash: str
    at_ms: int
    document: bytes
    secret: bytes
    state: bytes | None
    created_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None
    rematch: str | None
    now_ms: int
    clock: bytes | None = None
    idempotency: IdempotencyRow | None = None
    revision: int = 0


Stamp = Literal["created", "started", "ended"]


class Counted(NamedTuple):
    """One more under `name`, of which there may be `most` in a window of `window_ms` that the first one begins."""

    name: str
    most: int
    window_ms: int


class Quota(NamedTuple):
    """How many `of` these may be on an account's list of active ones."""

    account: str
    most: int
    of: str = "matches"


class Count(NamedTuple):
    """How many there were in the window by then, and how long it lasts from now."""

    used: int
    left_ms: int


@dataclass(frozen=True, slots=True)
class Timed:
    """What a commit to a match with a running clock brings along.

    From `deadline_ms` on (the store's time, less the `received_ago_ms` since the request came in) nothing is written
    (→ `Lapsed`); None asks for no such check. `at_ms` is the time of the events, unless it is still to come;
    None: now. `row` replaces the clock's row, where not None. The match's timer runs out when `due` does, unless it
    would sooner.
    """

    deadline_ms: int | None
    received_ago_ms: int = 0
    at_ms: int | None = None
    row: bytes | None = None
    due: Due | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """What one use case changes about one match, all or nothing.

    First it looks for `idempotency` (→ `Replayed`), then compares `expected_version` (0: the match must not exist; →
    `Conflict`), then writes: the events behind the log, each stamped with the store's time (never before the last
    event's); `document`, `secret`, `state` where not None; `stamps` set to the same time.

    `expected_hash` is that of the last event at `expected_version`. It is compared as well where it is given: a store
    that lost the end of a log, and went on, is at a version again that a worker may remember with other events.

    `index` moves the match between public lists: (list to leave or None, list to enter or None), each
    `status:game`; the score in a list is the creation time. `bot_to_act` enters (True) or leaves (False) the list
    of matches that wait for a house bot; None leaves it as it is. `expires_after_ms` (re)sets the match's timer to the
    time of its last event plus that; None removes it. `wake` names the topics that ring besides the match: accounts
    whose decisions may have changed, and `BOTS_TOPIC`. `timed` is there when a clock runs before or after it.

    `accounts` are those on whose lists the match is put, with the store's time, where it is not yet. They lie elsewhere
    and are written before all that, even if nothing else is: a list can be too long, but never too short.

    `admitted` is counted first, over all matches and whatever becomes of the commit; where one is used up, nothing else
    is done (→ `Limited`). So it is where the account of the `quota` has that many others on its list (→ `Full`).

    A `document` may be one that others change by no event: where `revision` is given, it is compared like the version,
    and `rewrites` makes it the next one.

    `counted` is counted beside the match, for the matches of its bucket together; where one is used up, nothing is
    written or counted (→ `Limited`). Outcomes have the `counts` of what was `admitted`, then of what was `counted`.
    """

    match_id: str
    expected_version: int
    events: tuple[Event, ...]
    document: bytes | None = None
    secret: bytes | None = None
    state: bytes | None = None
    stamps: tuple[Stamp, ...] = ()
    idempotency: tuple[str, IdempotencyRow] | None = None
    index: tuple[str | None, str | None] | None = None
    bot_to_act: bool | None = None
    expires_after_ms: int | None = None
    wake: tuple[str, ...] = field(default=())
    accounts: tuple[str, ...] = field(default=())
    admitted: tuple[Counted, ...] = ()
    quota: Quota | None = None
    expected_hash: str | None = None
    revision: int | None = None
    rewrites: bool = False
    counted: tuple[Counted, ...] = ()
    timed: Timed | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit happened at `at_ms`, the store's time; `counts` are those of what it counted."""

    at_ms: int
    counts: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class Limited:
    """Of the rows that the commit counts, that number is used up, for `left_ms` from now; nothing was written."""

    row: int
    left_ms: int
    counts: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class Full:
    """The account of the commit's quota has as many active matches as it may have; nothing was written."""

    counts: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """The same idempotency key was answered before; nothing was written."""

    row: IdempotencyRow
    counts: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """The match is at `version` (0: there is none) and not at the expected one; nothing was written.

    `stored` is the match as it is, read at the same instant, at which there was no idempotency row either.
    """

    version: int
    stored: StoredMatch | None = field(default=None, compare=False, repr=False)
    counts: tuple[Count, ...] = ()


class AccountFound(NamedTuple):
    """An account's document, its creation time and the store's time, in ms."""

    document: bytes
    created_at_ms: int
    now_ms: int


@dataclass(frozen=True, slots=True)
class Lapsed:
    """The time of the seat that must act is used up: that must be settled first; nothing was written."""

    counts: tuple[Count, ...] = ()


Outcome = Committed | Replayed | Conflict | Limited | Full | Lapsed


@dataclass(frozen=True, slots=True)
class Pulse:
    """Whether the service is up: the store's time, the last beat before it, and when there was none for too long.

    `outages` are (from, to) in order; where the service is down now, the last one ends at `now_ms`.
    """

    now_ms: int
    outages: tuple[tuple[int, int], ...]
    down: bool


@dataclass(frozen=True, slots=True)
class Durability:
    """What the store promises: `level` (`fsync`, `fast`, or `none`) and its product name and version."""

    level: str
    server: str


class Store(Protocol):
    """Where everything lives. Each method is one round trip unless it says otherwise, and raises `StoreUnavailable`.

    Match ids, account ids and keys are plain strings that the caller has checked.
    """

    # --- matches --------------------------------------------------------------------------------------------

    def load(self, match_id: str, idempotency_key: str | None = None) -> StoredMatch | None:
        """The match and, if asked for, the idempotency row, read at one instant."""

    def load_many(self, match_ids: Sequence[str], *, secrets: bool = False) -> list[StoredMatch | None]:
        """The matches in the order asked for, with `secret` only if asked for (else b""). One round trip a node."""

    def version(self, match_id: str) -> int | None:
        """The match's version alone."""

    def head(self, match_id: str) -> str | None:
        """The hash of the match's last event alone, which stands for all of the log."""

    def standing(self, match_id: str) -> tuple[str, int] | None:
        """That hash and the match's revision alone."""

    def commit(self, commit: Commit) -> Outcome:
        """Write all or nothing. Never sent twice by itself: when the answer is lost, `StoreUnavailable`."""

    def events(self, match_id: str, after: int, limit: int) -> list[LoggedEvent]:
        """The events after + 1 … after + limit, as far as there are any."""

    def events_of_many(self, after: Mapping[str, int], limit: int) -> dict[str, list[LoggedEvent]]:
        """The same of each match in `after`, behind its own number. One round trip a node."""

    def erase(self, match_id: str, version: int, public_list: str | None) -> bool:
        """Delete a match at that version, and take it from its lists but those of accounts; False at another one."""

    def set_rematch(self, match_id: str, rematch_id: str) -> None:
        """Note the match that follows this one. Writing it again changes nothing."""

    # --- lists ----------------------------------------------------------------------------------------------

    def list_public(self, lists: Sequence[str], before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """The newest public matches of `lists` (`status:game` each): (created_at_ms, id), newest first.

        Ties are in descending order of the id; `before` continues behind that pair.
        """

    def list_of_account(self, account_id: str, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """The same for one account's matches. May name matches in which the account has no seat (any more)."""

    def active_of_account(self, account_id: str) -> list[str]:
        """The account's matches that may still be open or running, oldest first."""

    def retire_from_account(self, account_id: str, match_ids: Sequence[str]) -> None:
        """Ended matches leave the active list; `list_of_account` keeps them."""

    def waiting_for_bots(self, limit: int) -> list[str]:
        """Matches in which a house bot must act, at most `limit`, longest waiting first where cheap."""

    def due(self, limit: int) -> list[str]:
        """Matches whose timer has run out by the store's time."""

    def unlist(self, account_id: str, match_id: str) -> None:
        """Take a match that is erased from an account's lists."""

    def pulse(self, *, beat: bool) -> Pulse:
        """How the service is; with `beat` this process says that it serves. All nodes answer, of a cluster twice."""

    # --- accounts and keys ----------------------------------------------------------------------------------

    def reserve(self, key: str, fingerprint: str, value: str, ttl_s: int) -> tuple[str, str]:
        """Keep (fingerprint, value) under an idempotency key unless it is taken; answers what is kept there."""

    def put_account(self, account_id: str, document: bytes) -> tuple[bytes, int]:
        """Create the account unless it exists; answers the kept document and its creation time in ms."""

    def account(self, account_id: str) -> AccountFound | None:
        """The account; None for an erased one, too."""

    def replace_account(self, account_id: str, old: bytes, new: bytes) -> bool:
        """Write the account's document `new` where it is `old`; False where it is another one (by now), or none."""

    def account_and_match(self, account_id: str, match_id: str) -> tuple[AccountFound | None, StoredMatch | None]:
        """`account` and `load` of a match that will be asked for next, in one round trip a node."""

    def delete_account(self, account_id: str) -> None:
        """Erase the account's document; its id never comes back."""

    # --- limits ---------------------------------------------------------------------------------------------

    def count(self, rows: Sequence[Counted]) -> list[Count]:
        """Count one more of each, whether it is used up or not."""

    # --- health ---------------------------------------------------------------------------------------------

    def durability(self) -> Durability:
        """Ask the server; for `/readyz` and the check at start."""


class Bell(Protocol):
    """Rings when a match was committed to. May ring without need and, after a lost connection, late: who waits
    looks into the store after each ring and at least every few seconds.
    """

    def listen(self, topic: str) -> AbstractContextManager[Ear]:
        """Listen for a match id, an account id or `BOTS_TOPIC`; rings from now on are not missed."""


class Ear(Protocol):
    """One listener of a `Bell`."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for a ring since the last `wait`. False when the time was over first, or the bell is closing."""

    @property
    def closing(self) -> bool:
        """True when the process is about to stop: waiting makes no sense any more."""


class Observer:
    """Hears what happens, to count it. Called in the middle of the work: it must be quick and never raise.

    This one does nothing.
    """

    def committed(self, game: str, events: Sequence[Event]) -> None:
        """The events of one commit to a match of that game are in the store."""

    def conflicted(self) -> None:
        """A commit found that another one had come first."""

    def store_failed(self) -> None:
        """A call to the store failed."""

    def bell_lost(self) -> None:
        """The reader of the bell lost its connection, or could not connect."""

    def stream_opened(self) -> None:
        """An event stream was opened."""

    def stream_closed(self) -> None:
        """An event stream has ended."""

    def stream_refused(self) -> None:
        """There was no room for a stream."""


#: Nobody listens.
UNOBSERVED = Observer()
