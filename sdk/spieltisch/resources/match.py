"""One match."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spieltisch import events as streams
from spieltisch import records
from spieltisch._transport import segment
from spieltisch.errors import NoSeat
from spieltisch.events import EventStream
from spieltisch.models import (
    Acted,
    Action,
    Actions,
    EventPage,
    Grant,
    Invitation,
    InvitationList,
    LegalActions,
    MatchInfo,
    Result,
    Seat,
    View,
)
from spieltisch.resources.reading import read
from spieltisch.resources.turns import Turn, turns

if TYPE_CHECKING:
    from spieltisch.client import Client


class Match:
    """One match, as one client sees it and acts in it.

    Its attributes tell what was last heard of it; `refresh` asks again. Where a method takes `seat`, a client of one
    seat need not name it.
    """

    def __init__(self, client: Client, info: MatchInfo) -> None:
        self._client = client
        self._transport = client.transport
        self._info = info
        self._path = f"/v1/matches/{segment(info.id)}"

    def __repr__(self) -> str:
        return f"<Match {self.id}: {self.game}, {self.status}, version {self.version}>"

    # --- what was last heard ----------------------------------------------------------------------------------

    @property
    def info(self) -> MatchInfo:
        """Everything that the service tells about the match itself."""
        return self._info

    @property
    def client(self) -> Client:
        """Who sees and acts; for a guest, a client with the token of the seat."""
        return self._client

    @property
    def id(self) -> str:
        """`mt_…`."""
        return self._info.id

    @property
    def game(self) -> str:
        """The id of the game."""
        return self._info.game

    @property
    def status(self) -> str:
        """`open, running, finished` or `aborted`."""
        return self._info.status

    @property
    def ended(self) -> bool:
        """Whether nothing can happen any more."""
        return self._info.status in ("finished", "aborted")

    @property
    def version(self) -> int:
        """The number of the last event."""
        return self._info.version

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who sits where."""
        return self._info.seats

    @property
    def result(self) -> Result | None:
        """How it ended; None before, and of an aborted match."""
        return self._info.result

    @property
    def seat_tokens(self) -> dict[int, str]:
        """The tokens of the seats that creating or joining gave, by seat. Each acts for its seat alone."""
        return {grant.seat: grant.token for grant in self._info.grants}

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """The invitations that creating gave, to be handed on."""
        return self._info.invitations

    def refresh(self) -> Match:
        """Ask the service what the match is at; returns this same match."""
        return self._now(self._transport.get(self._path))

    # --- seeing -----------------------------------------------------------------------------------------------

    def view(
        self, *, seat: int | None = None, at: int | None = None, after: int | None = None, wait: int | None = None
    ) -> View:
        """What the client may see: now, at version `at`, or once there is more than version `after`.

        wait: for how many seconds (0 to 25) the answer may wait for the latter.
        """
        query = {"seat": seat, "at": at, "after": after, "wait": wait}
        view = read(View, self._transport.get(f"{self._path}/view", query, wait_s=wait or 0))
        if at is None:
            self._note(view)
        return view

    def legal_actions(self, *, seat: int | None = None) -> Actions | None:
        """What the client may do now; None when the decision is not its own."""
        data = self._transport.get(f"{self._path}/legal-actions", {"seat": seat})
        return read(LegalActions, data).legal_actions

    def board_text(self, *, seat: int | None = None, at: int | None = None) -> str:
        """The board as text for a terminal, now or at version `at`."""
        return self._transport.text(f"{self._path}/board.txt", {"seat": seat, "at": at})

    def record(self, *, seat: int | None = None) -> dict[str, Any]:
        """The match as a file. Once it has ended, the record holds what `verify` needs."""
        record: dict[str, Any] = self._transport.get(f"{self._path}/record", {"seat": seat})
        return record

    def export(self, path: str | os.PathLike[str], *, seat: int | None = None) -> Path:
        """Write the record into a file, all of it or nothing, and return where it is."""
        return records.write(self.record(seat=seat), path)

    def events(self, *, after: int = 0, seat: int | None = None) -> EventStream:
        """The public log after event `after`, each event once, and whatever follows, until the match has ended.

        Cuts, silence and restarts of the service are bridged. Any thread may `close()` what this returns.
        """
        return EventStream(streams.follow(self._transport, f"{self._path}/events", seat=seat, after=after))

    def event_page(
        self, *, after: int = 0, limit: int | None = None, wait: int | None = None, seat: int | None = None
    ) -> EventPage:
        """Up to `limit` (1 to 500) events after number `after`; for at most `wait` seconds it waits for one."""
        query = {"seat": seat, "after": after, "limit": limit, "wait": wait}
        return read(EventPage, self._transport.get(f"{self._path}/events", query, wait_s=wait or 0))

    # --- acting -----------------------------------------------------------------------------------------------

    def act(
        self,
        actions: Action | Sequence[Action],
        *,
        seat: int | None = None,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> Acted:
        """Do one action, or several of one seat's turn in order, all or nothing.

        version: the one decided on; if the match has moved on since, nothing is done (StaleVersion).
        """
        wanted = [actions] if isinstance(actions, Mapping) else list(actions)
        body = {"actions": wanted, "version": version, "seat": seat}
        acted = read(Acted, self._transport.post(f"{self._path}/actions", body, idempotency_key=idempotency_key))
        self._note(acted.view)
        return acted

    def turns(self, seat: int | None = None) -> Iterator[Turn]:
        """A turn whenever this client must act, until the match has ended.

        Without `seat`, for all seats that the client holds. The loop waits, reconnects and resumes. A turn that the
        body leaves unplayed, or whose action was refused, comes again unless the match has moved on.

        Raises:
            NoSeat: the client holds no seat.
        """
        return turns(self, (seat,) if seat is not None else self.own_seats())

    def own_seats(self) -> tuple[int, ...]:
        """The seats that the client holds. Raises NoSeat where it holds none."""
        me = self._client.identity()
        if me.seat is not None:
            found = [me.seat.seat] if me.seat.match == self.id else []
        else:
            account = me.account.id if me.account is not None else None
            # What was last heard may be older than the seat.
            seats = self.seats if any(s.account == account for s in self.seats) else self.refresh().seats
            found = [s.seat for s in seats if account is not None and s.account == account]
        if not found:
            raise NoSeat(f"this client holds no seat of match {self.id}")
        return tuple(found)

    def resign(self, *, seat: int | None = None) -> Match:
        """Give up; the game's default actions follow for the seat. Returns this same match."""
        return self._now(self._transport.post(f"{self._path}/resignation", {"seat": seat}))

    # --- before the start, and after the end ------------------------------------------------------------------

    def start(self, *, nonces: Mapping[int, str] | None = None) -> Match:
        """Start a match that waits for it; `nonces` of the creator's own seats, by seat. Returns this same match."""
        body = None if nonces is None else {"nonces": {str(seat): nonce for seat, nonce in nonces.items()}}
        return self._now(self._transport.post(f"{self._path}/start", body))

    def replace_token(self, seat: int, *, idempotency_key: str | None = None) -> Grant:
        """A new token for a seat, in place of the one that it has: as its holder, or as the creator for a guest.

        Whoever holds the seat by the old token goes on with `client.with_key(grant.token)`.
        """
        path = f"{self._path}/seats/{int(seat)}/token"
        return read(Grant, self._transport.post(path, None, idempotency_key=idempotency_key))

    def invite(
        self,
        seat: int | None = None,
        *,
        uses: int | None = None,
        expires_in_s: int | None = None,
        idempotency_key: str | None = None,
    ) -> Invitation:
        """As the creator, one more invitation: to `seat`, or to any seat that is for invitations; for `uses` (1)."""
        body = {"seat": seat, "uses": uses, "expires_in_s": expires_in_s}
        data = self._transport.post(f"{self._path}/invitations", body, idempotency_key=idempotency_key)
        return read(InvitationList, data).invitations[0]

    def list_invitations(self) -> tuple[Invitation, ...]:
        """As the creator, the invitations that were not revoked, without their tokens."""
        return read(InvitationList, self._transport.get(f"{self._path}/invitations")).invitations

    def revoke_invitation(self, invitation_id: str) -> Invitation:
        """As the creator, end an invitation (`iv_…`); who took a seat by it keeps it."""
        return read(Invitation, self._transport.delete(f"{self._path}/invitations/{segment(invitation_id)}"))

    def leave(self, seat: int) -> Match:
        """Free a seat of an open match: one's own, or any as its creator. Returns this same match."""
        return self._now(self._transport.delete(f"{self._path}/seats/{int(seat)}"))

    def abort(self) -> Match:
        """End an open match (its creator), or one that has lain idle for long (any seat). Returns this same match."""
        return self._now(self._transport.delete(self._path))

    def rematch(self, *, seat: int | None = None) -> Match:
        """The match that follows this one, with everybody one seat further; the same for whoever asks."""
        info = read(MatchInfo, self._transport.post(f"{self._path}/rematch", {"seat": seat}))
        client = self._client
        if client.identity().seat is not None and info.grants:
            client = client.with_key(info.grants[0].token)
        return Match(client, info)

    # --- keeping up -------------------------------------------------------------------------------------------

    def _now(self, data: Any) -> Match:
        info = read(MatchInfo, data)
        self._info = replace(info, grants=self._info.grants, invitations=self._info.invitations)
        return self

    def _note(self, view: View) -> None:
        if view.version > self._info.version:
            self._info = replace(self._info, version=view.version, status=view.status, result=view.result)
