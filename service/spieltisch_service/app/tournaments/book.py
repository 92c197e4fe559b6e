"""Tournaments as a worker works on them: read, folded, kept for a moment, committed to."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from spieltisch_service.app.callers import Once
from spieltisch_service.app.errors import IdempotencyKeyReused, no_such_match
from spieltisch_service.app.limits import TooMany
from spieltisch_service.app.ports import (
    Commit,
    Committed,
    Conflict,
    Full,
    IdempotencyRow,
    Quota,
    Replayed,
    Store,
    StoredMatch,
    StoreUnavailable,
    UnknownForm,
)
from spieltisch_service.app.tournaments.held import (
    SCHEMA,
    Held,
    OtherLog,
    Sheet,
    draft_of,
    seed_of,
)
from spieltisch_service.domain.events import Event, LoggedEvent, chained
from spieltisch_service.domain.tournament.fold import apply
from spieltisch_service.domain.tournament.log import Entry

#: What a list of tournaments is called among the public lists, behind the status.
LISTED = "tournament"
_KEPT, _KEEP_S, _DEADLINE_S = 64, 300.0, 8.0
_PAGE = 2000


@dataclass(frozen=True, slots=True)
class Change:
    """What a use case wants to add to a log.

    `names` are more or other names. `accounts` get the tournament on their lists first, within the `quota`.
    `settled`: nothing is left to be done until something else happens.
    """

    entries: Sequence[Entry]
    names: Mapping[str, str] | None = None
    accounts: tuple[str, ...] = ()
    quota: Quota | None = None
    settled: bool = False


class Book:
    """Reads, keeps and commits tournaments."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._kept: OrderedDict[str, Held] = OrderedDict()
        self._lock = threading.Lock()

    # --- reading --------------------------------------------------------------------------------------------

    def fresh(self, tournament_id: str, once: Once | None = None) -> Held:
        """The tournament as the store has it. Raises NotFound."""
        stored = self.store.load(tournament_id, None if once is None else once.key)
        if stored is None:
            raise no_such_match()
        return self._held(tournament_id, stored)

    def many(self, tournament_ids: Sequence[str]) -> list[Held]:
        """Those of them that exist; at most two exchanges with the store, but for logs that are very long."""
        stored = dict(zip(tournament_ids, self.store.load_many(tournament_ids, secrets=True), strict=True))
        found = {each: one for each, one in stored.items() if one is not None}
        known = {each: self._known(each, one) for each, one in found.items()}
        behind = {each: held.version for each, held in known.items() if held.version < found[each].version}
        events = self.store.events_of_many(behind, _PAGE)
        return [self._held(each, one, known[each], events.get(each, ())) for each, one in found.items()]

    def past(self, held: Held, version: int) -> Held:
        """The tournament as it was at an earlier version."""
        return Held(held.id, held.sheet, held.seed, created_at_ms=held.created_at_ms).after(self.log(held.id, version))

    def log(
        self, tournament_id: str, version: int, after: int = 0, begun: Sequence[LoggedEvent] = ()
    ) -> list[LoggedEvent]:
        """The events behind `after`, up to `version`; the first of them may be there already, and more than these."""
        events = list(begun[: version - after])
        while after + len(events) < version:
            at = after + len(events)
            page = self.store.events(tournament_id, at, min(_PAGE, version - at))
            if not page:
                break
            events += page
        return events

    def _known(self, tournament_id: str, stored: StoredMatch) -> Held:
        """As far as it is known here, which may be nothing of its log."""
        kept = self._recall(tournament_id)
        sheet = Sheet.from_document(stored.document)
        if kept is None or kept.version > stored.version:
            return Held(tournament_id, sheet, seed_of(stored.secret))
        return replace(kept, sheet=sheet, row=None)

    def _held(
        self, tournament_id: str, stored: StoredMatch, known: Held | None = None, begun: Sequence[LoggedEvent] = ()
    ) -> Held:
        known = known or self._known(tournament_id, stored)
        try:
            held = known.after(self.log(tournament_id, stored.version, known.version, begun))
            if held.hash != stored.hash:
                raise OtherLog
        except OtherLog:
            try:
                held = Held(tournament_id, known.sheet, known.seed).after(self.log(tournament_id, stored.version))
            except OtherLog:
                raise UnknownForm("a tournament's log is not chained") from None
        held = replace(
            held,
            created_at_ms=stored.created_at_ms,
            ended_at_ms=stored.ended_at_ms,
            now_ms=stored.now_ms,
            revision=stored.revision,
            row=stored.idempotency,
            loaded_s=time.monotonic(),
        )
        self._remember(held)
        return held

    # --- writing --------------------------------------------------------------------------------------------

    def create(
        self,
        held: Held,
        entries: Sequence[Entry],
        once: Once | None,
        accounts: tuple[str, ...],
        quota: Quota | None = None,
    ) -> Held:
        """Write a new tournament; one of this id and key that exists already is answered as it was then.

        Raises TooMany for one beyond the `quota`.
        """
        done = self._commit(held, Change(entries, accounts=accounts, quota=quota), once, 201)
        return self.fresh(held.id) if done is None else done

    def change(
        self,
        tournament_id: str,
        once: Once | None,
        plan: Callable[[Held], Change],
        *,
        status: int = 200,
        dry_run: bool = False,
    ) -> Held:
        """Do what `plan` says of the tournament as the store has it, once; with `dry_run` it is only answered.

        Raises what `plan` raises, NotFound, EntryRefused and IdempotencyKeyReused.
        """
        deadline_s = time.monotonic() + _DEADLINE_S
        while time.monotonic() < deadline_s:
            held = self.fresh(tournament_id, once)
            if held.row is not None:
                _require_same(held.row, once)
                return self._answered_before(held, held.row)
            wanted = plan(held)
            if dry_run:
                return _grown(held, wanted)[0]
            done = self._commit(held, wanted, once, status)
            if done is not None:
                return done
        msg = "the tournament is changed by others faster than this request could be"
        raise StoreUnavailable(msg)

    def _answered_before(self, held: Held, row: IdempotencyRow) -> Held:
        """The tournament as an earlier answer told of it."""
        past = self.past(held, row.last)
        ended_at_ms = held.ended_at_ms if past.folded.ended else None
        return replace(past, row=row, ended_at_ms=ended_at_ms, now_ms=held.now_ms)

    def rename(self, tournament_id: str, names: Callable[[Sheet], Mapping[str, str]]) -> None:
        """Change what people are called, which is in no log. Does nothing where nothing changes."""
        while (stored := self.store.load(tournament_id)) is not None:
            sheet = Sheet.from_document(stored.document)
            wanted = names(sheet)
            if wanted == sheet.names:
                return
            # At once, so that whoever lets it go on looks again, and nothing that was due is forgotten.
            commit = Commit(
                tournament_id,
                stored.version,
                (),
                document=replace(sheet, names=wanted).to_document(),
                expires_after_ms=None if stored.ended_at_ms else 0,
                expected_hash=stored.hash,
                revision=stored.revision,
                rewrites=True,
            )
            if isinstance(self.store.commit(commit), Committed):
                return

    def _commit(self, before: Held, wanted: Change, once: Once | None, status: int) -> Held | None:
        """The tournament after it; None where another commit came first."""
        after, events = _grown(before, wanted)
        row = None
        if once is not None:
            row = IdempotencyRow(once.fingerprint, status, (), before.version + 1, after.version)
        elif not events and not wanted.settled and after.sheet == before.sheet:
            return before
        ends = not before.ended_at_ms and after.folded.ended
        old = f"{before.status}:{LISTED}" if before.version else None
        new = f"{after.status}:{LISTED}"
        document = after.sheet.to_document() if not before.version or after.sheet != before.sheet else None
        outcome = self.store.commit(
            Commit(
                before.id,
                before.version,
                events,
                document=document,
                secret=None if before.version else orjson.dumps({"schema": SCHEMA, "seed": before.seed}),
                stamps=(*(() if before.version else ("created",)), *(("ended",) if ends else ())),
                idempotency=None if once is None or row is None else (once.key, row),
                index=None if old == new else (old, new),
                expires_after_ms=None if wanted.settled or after.status == "open" else 0,
                accounts=wanted.accounts,
                quota=wanted.quota,
                expected_hash=before.hash if before.version else None,
                revision=None if document is None or not before.version else before.revision,
            )
        )
        if isinstance(outcome, Replayed):
            _require_same(outcome.row, once)
            return self._answered_before(self.fresh(before.id), outcome.row)
        if isinstance(outcome, Conflict):
            return None
        if isinstance(outcome, Full):
            assert wanted.quota is not None
            raise TooMany(wanted.quota)
        assert isinstance(outcome, Committed)
        done = replace(
            after,
            at_ms=outcome.at_ms,
            created_at_ms=before.created_at_ms or outcome.at_ms,
            ended_at_ms=outcome.at_ms if ends else before.ended_at_ms,
            now_ms=outcome.at_ms,
            row=None,
        )
        self._remember(done)
        return done

    # --- memory ---------------------------------------------------------------------------------------------

    def _recall(self, tournament_id: str) -> Held | None:
        with self._lock:
            kept = self._kept.get(tournament_id)
            return None if kept is None or time.monotonic() - kept.loaded_s > _KEEP_S else kept

    def _remember(self, held: Held) -> None:
        with self._lock:
            self._kept[held.id] = held
            self._kept.move_to_end(held.id)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _grown(before: Held, wanted: Change) -> tuple[Held, tuple[Event, ...]]:
    """The tournament with what is wanted; what is known already is not written again. Raises EntryRefused."""
    state, entries = before.state, []
    for entry in wanted.entries:
        after = apply(state, entry)
        if after is not state:
            entries.append(entry)
        state = after
    events = chained(before.version, before.hash, map(draft_of, entries))
    sheet = before.sheet
    if wanted.names is not None:
        sheet = replace(sheet, names={**sheet.names, **wanted.names})
    hash_ = events[-1].hash if events else before.hash
    return replace(before, state=state, sheet=sheet, version=before.version + len(events), hash=hash_), events


def _require_same(row: IdempotencyRow, once: Once | None) -> None:
    if once is None or row.fingerprint != once.fingerprint:
        msg = "this Idempotency-Key was used before with another body or query; use a new key for another intent"
        raise IdempotencyKeyReused(msg)
