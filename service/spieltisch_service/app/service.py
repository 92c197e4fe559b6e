"""All use cases over one store, as the web, the house bots and the tests take them."""

from __future__ import annotations

from collections.abc import Sequence

from spieltisch_service.app.accounts import Accounts
from spieltisch_service.app.clocks import Clocks, Heart
from spieltisch_service.app.decisions import Decisions
from spieltisch_service.app.expiry import Expiry
from spieltisch_service.app.exports import Exports
from spieltisch_service.app.invitations import Invitations
from spieltisch_service.app.keys import Keys
from spieltisch_service.app.limits import Limits
from spieltisch_service.app.live import LiveMatches
from spieltisch_service.app.matches import Matches
from spieltisch_service.app.playing import Playing
from spieltisch_service.app.ports import UNOBSERVED, Bell, Observer, Store
from spieltisch_service.app.quotas import Quotas
from spieltisch_service.app.sandbox import Sandbox
from spieltisch_service.app.seating import Seating
from spieltisch_service.app.streams import Streams
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.app.tournaments.book import Book
from spieltisch_service.app.tournaments.director import Director
from spieltisch_service.app.tournaments.organizing import Organizing
from spieltisch_service.app.tournaments.ratings import RatingBooks
from spieltisch_service.app.tournaments.reading import Reading
from spieltisch_service.app.waiting import Waiting
from spieltisch_service.domain.match import Lifetimes

DAY_MS = 24 * 3600 * 1000


class Service:
    """The use cases, one attribute per noun.

    `secret` is the server secret that tokens are derived from; `bots` are the names of the house bots; new matches last
    as long as `lifetimes` says, and after `seat_abort_ms` without an event a seat may end a running one; `stream_cap`
    is how many streams this process holds at most; `limits` are those in force, if there are any; `serves` tells
    whether this process answers requests, so that its being there is the service's being up (see `clocks.Heart`);
    `observer` hears what happens.
    """

    def __init__(
        self,
        store: Store,
        bell: Bell,
        secret: bytes,
        *,
        bots: Sequence[str] = (),
        lifetimes: Lifetimes = Lifetimes(),  # noqa: B008 (never changed)
        seat_abort_ms: int = 7 * DAY_MS,
        stream_cap: int = 2000,
        limits: Limits | None = None,
        serves: bool = True,
        observer: Observer = UNOBSERVED,
    ) -> None:
        self.store = store
        self.bell = bell
        self.limits = limits
        self.clocks = Clocks(store, serves=serves)
        self.heart = Heart(self.clocks)
        self.book = Book(store)
        self.live = LiveMatches(store, self.clocks, observer)
        tokens = Tokens(secret)
        self.accounts = Accounts(self.live, self.book, tokens)
        self.keys = Keys(self.accounts, store, tokens)
        waiting = Waiting(self.live, bell, self.accounts)
        quotas = Quotas(self.live, self.book, limits)
        self.matches = Matches(self.live, tokens, bots, lifetimes, seat_abort_ms, quotas)
        self.seats = Seating(self.live, tokens, self.matches, quotas)
        self.invitations = Invitations(self.live, tokens)
        self.expiry = Expiry(self.live)
        self.play = Playing(self.live, waiting)
        self.streams = Streams(self.live, self.book, waiting, self.accounts, stream_cap, observer)
        self.decisions = Decisions(self.live, waiting, self.accounts)
        self.exports = Exports(self.live)
        self.sandbox = Sandbox()
        self.organizing = Organizing(self.book, tokens, bots, quotas)
        self.ratings = RatingBooks(store)
        self.director = Director(self.book, self.live, self.matches, tokens, self.ratings)
        self.tournaments = Reading(self.book, self.ratings, self.accounts)
