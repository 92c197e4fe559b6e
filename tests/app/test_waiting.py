"""Whoever waits is looked at again: what ended meanwhile ends the waiting, and a lost seat shows nothing more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from spieltisch_service.app import accounts, errors
from spieltisch_service.app.callers import Caller
from spieltisch_service.app.keys import NewKey
from spieltisch_service.app.matches import NewMatch
from spieltisch_service.app.service import Service
from spieltisch_service.app.waiting import Waiting

LONG_S = 600


def view(service: Service, caller: Caller, match_id: str, after: int) -> Any:
    asked: dict[str, Any] = {"seat": None, "at": None, "known_etag": None}
    return service.play.view(caller, match_id, after=after, wait_s=LONG_S, **asked)


def page(service: Service, caller: Caller, match_id: str, after: int) -> Any:
    return service.streams.page(caller, match_id, after=after, limit=10, wait_s=LONG_S)


def decisions(service: Service, caller: Caller, match_id: str, after: int) -> Any:
    del match_id, after
    cursor = service.decisions.waiting(caller, 0, None)["cursor"]
    return service.decisions.waiting(caller, LONG_S, cursor)


class Waiter:
    """Somebody who waits in a thread; `ends` is how it ended."""

    def __init__(self, wait: Callable[[], Any]) -> None:
        self.outcome: Any = None
        self._wait = wait
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.outcome = self._wait()
        except errors.Refusal as refusal:
            self.outcome = refusal

    def ends(self) -> Any:
        """How it ended; long before its own time."""
        self._thread.join(LONG_S / 5)
        assert not self._thread.is_alive()
        return self.outcome


@pytest.mark.parametrize("wait", [view, page, decisions])
def test_no_request_outlives_its_key(
    service: Service, other_worker: Service, ada: Caller, monkeypatch: pytest.MonkeyPatch, wait: Callable[..., Any]
) -> None:
    monkeypatch.setattr(accounts, "TRUST_S", 0.1)
    match = service.matches.create(ada, NewMatch("wunderland", ["me", "me"]), None).body
    made = other_worker.keys.create(ada, NewKey("laptop"), None).body
    caller = service.accounts.authenticate(made["key"])
    waiter = Waiter(lambda: wait(service, caller, match["id"], match["version"]))
    other_worker.keys.revoke(ada, made["id"])
    assert isinstance(waiter.ends(), errors.Unauthenticated)


@pytest.mark.parametrize("wait", [view, page, decisions])
def test_no_request_outlives_its_time(service: Service, ada: Caller, wait: Callable[..., Any]) -> None:
    match = service.matches.create(ada, NewMatch("wunderland", ["me", "me"]), None).body
    made = service.keys.create(ada, NewKey("laptop", expires_in_s=1), None).body
    waiter = Waiter(lambda: wait(service, service.accounts.authenticate(made["key"]), match["id"], match["version"]))
    assert isinstance(waiter.ends(), errors.Unauthenticated)


@pytest.mark.parametrize(("visibility", "wait"), [("public", view), ("private", view), ("private", page)])
def test_who_lost_the_seat_while_waiting_sees_nobodys_hand(
    service: Service,
    other_worker: Service,
    ada: Caller,
    bob: Caller,
    visibility: str,
    wait: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The creator frees the seat while its holder waits: the view is a spectator's, or there is none."""
    wanted = NewMatch("wunderland", ["me", "invite"], visibility=visibility, start="manual")
    match = service.matches.create(ada, wanted, None).body
    asked: dict[str, Any] = {"seat": None, "nonce": None, "name": None, "once": None}
    invitation = match["invitations"][0]["token"]
    version = service.seats.join(bob, match["id"], invitation=invitation, **asked).body["version"]
    until = Waiting.until

    def meanwhile(*given: Any) -> Any:
        other_worker.seats.leave(ada, match["id"], 1)
        return until(*given)

    monkeypatch.setattr(Waiting, "until", meanwhile)
    if visibility == "private":
        with pytest.raises(errors.NotFound):
            wait(service, bob, match["id"], version)
    else:
        assert wait(service, bob, match["id"], version).etag == f'"{version + 1}-s"'
