"""Backup and restore: all of a store into a file, and all of a file into an empty store.

A restore reads the file twice: first it proves everything and writes nothing, then it writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from spieltisch_service.app.accounts import sha256_of, without_name
from spieltisch_service.app.archive import BadArchive, Counts, Whole, Writer, read
from spieltisch_service.app.holdings import Holdings, Reservation, WholeAccount, WholeMatch
from spieltisch_service.app.live import is_match
from spieltisch_service.app.live_match import LiveMatch
from spieltisch_service.app.ports import UnknownForm
from spieltisch_service.app.proving import prove
from spieltisch_service.app.stored import account_of, match_of_document, secret_of, state_of
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.app.tournaments import proving as tournaments
from spieltisch_service.domain.clock import row_of

_BATCH = 64
_BATCH_EVENTS = 4000


@dataclass(slots=True)
class Contents:
    """What a proved file holds: counts, the ids of its matches, and those of accounts that are erased."""

    counts: Counts = field(default_factory=Counts)
    matches: set[str] = field(default_factory=set)
    accounts: set[str] = field(default_factory=set)
    reservations: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was written. `resumed`: an earlier restore of the same file had been cut short, and this one ended it.

    `foreign_keys`: how many accounts have a key that was made under another server secret, so that none of their
    tokens is valid here.
    """

    counts: Counts
    resumed: bool
    foreign_keys: int


def back_up(holdings: Holdings, file: BinaryIO, service_version: str, created_at: str) -> Counts:
    """Write everything that the store holds, while it is in use: each match as it is at one instant."""
    writer = Writer(file, service_version, created_at)
    # In this order: see `Holdings`.
    for part in (holdings.matches(), holdings.accounts(), holdings.reservations()):
        seen: set[str] = set()
        for whole in part:
            name = whole.digest if isinstance(whole, Reservation) else whole.id
            if name not in seen:
                seen.add(name)
                writer.put(whole)
    return writer.close()


def check(file: BinaryIO) -> Contents:
    """Prove all of a file: it is whole, every log is chained and fits its match, every ended match proves itself.

    Raises BadArchive.
    """
    contents = Contents()
    for whole in read(file):
        if isinstance(whole, Counts):
            contents.counts = whole
        elif isinstance(whole, WholeMatch):
            _once(contents.matches, whole.id, "match")
            prove(whole)
        elif isinstance(whole, WholeAccount):
            _once(contents.accounts, whole.id, "account")
            if whole.document is None:
                contents.erased.add(whole.id)
            else:
                _require_known(whole.id, whole.document, whole.created_at_ms)
        else:
            _once(contents.reservations, whole.digest, "reservation")
    return contents


def restore(file: BinaryIO, contents: Contents, holdings: Holdings, secret: bytes) -> Restored:
    """Write all of a file into an empty store, once `check` has proved it. `secret` is the server secret.

    Raises NotEmpty (nothing was written), StoreUnavailable (to be run again with the same file).
    """
    resumed = holdings.begin(contents.counts.sha256)
    tokens = Tokens(secret)
    foreign = 0
    file.seek(0)
    for batch in _batches(read(file)):
        first = batch[0]
        if isinstance(first, WholeMatch):
            holdings.put_matches([_placed(one, contents) for one in batch if isinstance(one, WholeMatch)])
        elif isinstance(first, WholeAccount):
            accounts = [one for one in batch if isinstance(one, WholeAccount)]
            foreign += sum(_has_foreign_key(one, tokens) for one in accounts)
            holdings.put_accounts([_listed(one, contents) for one in accounts])
        else:
            holdings.put_reservations([one for one in batch if isinstance(one, Reservation)])
    holdings.finish()
    return Restored(contents.counts, resumed, foreign)


def _once(seen: set[str], name: str, kind: str) -> None:
    if name in seen:
        raise BadArchive(f"the {kind} {name} is there twice")
    seen.add(name)


def _require_known(account_id: str, document: bytes, created_at_ms: int) -> None:
    try:
        account_of(document, created_at_ms)
    except UnknownForm as error:
        raise BadArchive(f"account {account_id}: {error}") from None


def _batches(wholes: Iterator[Whole | Counts]) -> Iterator[Sequence[Whole]]:
    """What follows each other and is of one kind, some at a time."""
    batch: list[Whole] = []
    events = 0
    for whole in wholes:
        if isinstance(whole, Counts):
            break
        if batch and (type(whole) is not type(batch[0]) or len(batch) >= _BATCH or events >= _BATCH_EVENTS):
            yield batch
            batch, events = [], 0
        batch.append(whole)
        events += len(whole.log) if isinstance(whole, WholeMatch) else 1
    if batch:
        yield batch


def _placed(whole: WholeMatch, contents: Contents) -> WholeMatch:
    """The match with its places on the lists, and without what ended after it was read.

    A name that was erased while the backup went on stays erased, and a rematch that came too late for it is made anew.
    """
    if not is_match(whole.id):
        names = tournaments.without_names(whole, contents.erased)
        return replace(whole, document=names, listed=tournaments.listed_as(whole))
    match = match_of_document(whole.document)
    state = state_of(match, whole.state)
    waits = LiveMatch(match, secret_of(whole.secret), state, 0, 0.0).waits_for_bot()
    times = None if match.clock is None else match.unborn().after_all(whole.log).times
    named = match
    seated = {seat.account for seat in (*match.seats, *match.first_seats)}
    for account_id in contents.erased & {*seated, *(person.account for person in match.people.values())}:
        named = without_name(named, account_id)
    return replace(
        whole,
        document=whole.document if named == match else named.to_document(),
        revision=whole.revision if named == match else whole.revision + 1,
        rematch=whole.rematch if whole.rematch in contents.matches else None,
        bots_since_ms=(whole.bots_since_ms or whole.log[-1].at_ms) if waits else None,
        listed=f"{match.status}:{match.game}" if match.visibility == "public" else None,
        clock=None if times is None else row_of(times).to_json().encode(),
    )


def _listed(account: WholeAccount, contents: Contents) -> WholeAccount:
    """The account without matches that were made too late for the backup."""
    matches, active = (
        tuple(entry for entry in entries if entry[0] in contents.matches)
        for entries in (account.matches, account.active)
    )
    return replace(account, matches=matches, active=active)


def _has_foreign_key(account: WholeAccount, tokens: Tokens) -> bool:
    if account.document is None:
        return False
    keys = account_of(account.document, account.created_at_ms).keys
    own = {sha256_of(token) for key in keys for token in (tokens.key(account.id, key.id), tokens.only_key(account.id))}
    return not all(key.sha256 in own for key in keys)
