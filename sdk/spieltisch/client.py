"""The client: one service, and who asks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from spieltisch._attempts import OnRequest
from spieltisch._transport import RETRY_FOR_S, TIMEOUTS_S, Transport, segment
from spieltisch.errors import Unauthenticated
from spieltisch.local import LOCAL, LocalTransport
from spieltisch.models import Decisions, Imagined, Me, Registration, View, Worlds
from spieltisch.resources.games import Games
from spieltisch.resources.keys import Keys
from spieltisch.resources.match import Match
from spieltisch.resources.matches import Matches
from spieltisch.resources.reading import read
from spieltisch.resources.sandbox import imagine
from spieltisch.resources.tournaments import Tournaments


class Client:
    """A Spieltisch service as one account, one seat or (without a key) a spectator sees it.

    url: where the service is; plain http only on this machine, unless `allow_insecure`. `local:` is a service within
    this process, which needs the package `spieltisch-service`.
    key: an API key, or the token of a seat.
    timeout: seconds for each read of an answer, or a pair of seconds for connecting and for reading.
    retry_for: for how many seconds a request is tried again where that is safe.
    on_request: called after every attempt with an `Attempt`, on the thread that made it; for logs and measurements.

    May be shared between threads: each has connections of its own.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float | tuple[float, float] = TIMEOUTS_S,
        retry_for: float = RETRY_FOR_S,
        allow_insecure: bool = False,
        on_request: OnRequest | None = None,
    ) -> None:
        transport = (LocalTransport if url.startswith(LOCAL) else Transport)(
            url,
            key,
            timeouts_s=timeout if isinstance(timeout, tuple) else (min(timeout, TIMEOUTS_S[0]), timeout),
            retry_for_s=retry_for,
            allow_insecure=allow_insecure,
            on_request=on_request,
        )
        self._use(transport, None)

    @staticmethod
    def from_environment(**options: Any) -> Client:
        """The client that SPIELTISCH_URL and SPIELTISCH_KEY (which may be missing) describe.

        options: as of `Client`. Raises ValueError where SPIELTISCH_URL is missing or no URL of a service.
        """
        url = os.environ.get("SPIELTISCH_URL")
        if not url:
            raise ValueError("SPIELTISCH_URL is not set: it names the service, http://127.0.0.1:8000 for one")
        return Client(url, os.environ.get("SPIELTISCH_KEY") or None, **options)

    def _use(self, transport: Transport, me: Me | None) -> Client:
        self._transport = transport
        self._me = me
        return self

    def __repr__(self) -> str:
        who = "with a key" if self.key is not None else "without a key"
        if self._me is not None and self._me.account is not None:
            who = f"as {self._me.account.name!r}"
        return f"<Client of {self._transport.url} {who}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of this thread."""
        self._transport.close()

    @property
    def transport(self) -> Transport:
        """How the client speaks with its service."""
        return self._transport

    @property
    def url(self) -> str:
        """Where the service is."""
        return self._transport.url

    @property
    def key(self) -> str | None:
        """The API key or seat token. A lost one cannot be recovered."""
        return self._transport.key

    @property
    def last_request_id(self) -> str | None:
        """What the service calls the last request of this thread that it answered, for whoever looks into its logs."""
        return self._transport.last_request_id

    def with_key(self, key: str) -> Client:
        """A client of the same service for another key."""
        return Client.__new__(Client)._use(self._transport.with_key(key), None)

    # --- who --------------------------------------------------------------------------------------------------

    def register(self, name: str, *, kind: str | None = None) -> Client:
        """A new account: a client with its key. `kind` is `human` (default) or `bot`. Keep its `key`."""
        made = read(Registration, self._transport.post("/v1/accounts", {"name": name, "kind": kind}))
        client = self.with_key(made.key)
        client._me = Me(account=made.account)
        return client

    def me(self) -> Me:
        """Who the client is, and what it may do. Raises Unauthenticated without a key."""
        self._me = read(Me, self._transport.get("/v1/me"))
        return self._me

    def identity(self) -> Me:
        """The same, asked once. Without a key, nobody."""
        if self._me is None and self.key is None:
            return Me()
        return self._me if self._me is not None else self.me()

    def erase(self) -> None:
        """End the account: its keys end, and its name goes out of everything. Its matches stay, without the name.

        It leaves its tournaments; those that would wait for it as their organizer end.
        """
        try:
            self._transport.delete("/v1/me")
        except Unauthenticated as error:
            # Sent again after a lost answer, the key is not valid any more because it was done.
            if error.attempts == 1:
                raise

    def decisions(self, *, wait: int | None = None, cursor: str | None = None) -> Decisions:
        """All matches that wait for the client.

        With the `cursor` of an earlier answer, the answer waits up to `wait` (0 to 25) seconds until it differs.
        """
        query = {"wait": wait, "cursor": cursor}
        return read(Decisions, self._transport.get("/v1/me/decisions", query, wait_s=wait or 0))

    def sandbox(
        self,
        view: View | Imagined | Mapping[str, Any],
        *,
        options: Mapping[str, Any] | None = None,
        worlds: int | None = None,
        seed: str | None = None,
        branches: Sequence[Sequence[Mapping[str, Any]]] | None = None,
    ) -> Worlds:
        """What if? Whole games that `view` could be of, and what comes of each of `branches` in each of them.

        options: those of the match. worlds: 1 (default) to 32. seed: the same gives the same worlds. branches: lists of
        actions, each done by whoever must act; by default one that does nothing. No match is read or changed.
        """
        return imagine(self._transport, view, options, worlds, seed, branches)

    # --- what -------------------------------------------------------------------------------------------------

    @cached_property
    def games(self) -> Games:
        """The catalogue."""
        return Games(self)

    @cached_property
    def keys(self) -> Keys:
        """The API keys of the client's account."""
        return Keys(self)

    @cached_property
    def matches(self) -> Matches:
        """The matches."""
        return Matches(self)

    @cached_property
    def tournaments(self) -> Tournaments:
        """The tournaments, and the ratings that come of them."""
        return Tournaments(self)

    def join_with_invitation(self, match_id: str, invitation: str, name: str | None = None) -> Match:
        """Take the seat of an invitation; without a key as a guest called `name`, who acts by the seat's token."""
        return self.matches.join(match_id, invitation=invitation, name=name)

    # --- the service itself -----------------------------------------------------------------------------------

    def links(self) -> dict[str, Any]:
        """Where the service keeps what: documentation, specification, games."""
        return self._plain("/v1")

    def spec(self) -> dict[str, Any]:
        """The service's OpenAPI document."""
        return self._plain("/openapi.json")

    def problem(self, code: str) -> dict[str, Any]:
        """What an error code means and what to do about it."""
        return self._plain(f"/problems/{segment(code)}")

    def live(self) -> dict[str, Any]:
        """Answers as long as the service's process runs."""
        return self._plain("/livez")

    def ready(self) -> dict[str, Any]:
        """What the service stands on, once it can play. Raises StoreUnavailable."""
        return self._plain("/readyz")

    def metrics(self) -> str:
        """What the service counts, in the text format of Prometheus. Raises NotFound on any other machine than its."""
        return self._transport.text("/metrics")

    def _plain(self, path: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._transport.get(path)
        return answer
