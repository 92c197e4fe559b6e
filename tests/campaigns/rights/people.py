"""Everybody who could ask about one match, with what they show."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from spieltisch_service.app.callers import SCOPES
from tests.campaigns.harness.asking import Asking, Reply
from tests.campaigns.rights.expectations import Who
from tests.web.tournament_refusals import NEW

DECK = ["8m", "44mg", "161mgm", "8s", "116mmg", "17mg"]
CREATOR, PLAYER, THIRD, FOURTH = 0, 1, 2, 3
ALL_SCOPES = list(SCOPES)


class Requests:
    """What somebody does who is allowed to."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self.account_ids: list[str] = []

    def done(self, method: str, path: str, key: str | None = None, body: Any = None) -> Any:
        """The answer of a request that must succeed."""
        reply: Reply = self._asking.ask(method, path, key, {} if body is None and method == "POST" else body)
        assert reply.status in (200, 201), (method, path, reply)
        return reply.json

    def account(self, name: str) -> str:
        """The key of a new account."""
        made = self.done("POST", "/v1/accounts", None, {"name": name})
        self.account_ids.append(made["account"]["id"])
        return str(made["key"])

    def another_key(self, key: str, scopes: list[str], **wanted: Any) -> Any:
        """One more key of an account."""
        return self.done("POST", "/v1/me/keys", key, {"name": "one more", "scopes": scopes, **wanted})

    def match(self, key: str, seats: list[str], **wanted: Any) -> Any:
        """A new match, of Wunderland if nothing else is wanted."""
        return self.done("POST", "/v1/matches", key, {"game": "wunderland", "seats": seats, **wanted})


class Ended(Requests):
    """Tokens that were good once, or never, and an invitation to another match than the one that is asked about.

    `now_ms` tells the store's time: one of the keys has expired when this is made.
    """

    def __init__(self, asking: Asking, now_ms: Callable[[], int]) -> None:
        super().__init__(asking)
        eve = self.account("Eve")
        expired = self.another_key(eve, ALL_SCOPES, expires_in_s=1)["key"]
        made_ms = now_ms()
        revoked, rotated = (self.another_key(eve, ALL_SCOPES) for _ in range(2))
        self.done("DELETE", f"/v1/me/keys/{revoked['id']}", eve)
        self.done("POST", f"/v1/me/keys/{rotated['id']}/rotation", eve, {"overlap_s": 0})
        erased = self.account("Fay")
        self.done("DELETE", "/v1/me", erased)
        left = self.match(eve, ["me", "open"])
        self.done("DELETE", f"/v1/matches/{left['id']}/seats/0", eve)
        elsewhere = self.match(eve, ["me", "invite"])
        self.invitation_elsewhere: str = elsewhere["invitations"][0]["token"]
        self.tokens: Mapping[Who, str | None] = {
            "empty": "",
            "malformed": "not-a-token",
            "wrong_checksum": eve[:-5] + ("AAAAA" if eve[-5:] != "AAAAA" else "BBBBB"),
            "invitation_as_token": self.invitation_elsewhere,
            "erased_account": erased,
            "revoked_key": revoked["key"],
            "rotated_key": rotated["key"],
            "expired_key": expired,
            "left_seat": left["grants"][0]["token"],
            "token_of_another_match": self.match(eve, ["me", "me"])["grants"][0]["token"],
        }
        while now_ms() <= made_ms + 1000:
            time.sleep(0.05)


class People(Requests):
    """The accounts around a match: its creator, with a key for each scope and one to spare, and the others."""

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        self.creator, self.player, self.third, self.other = map(self.account, ("Ada", "Bob", "Cem", "Dora"))
        self.spare_key: str = self.another_key(self.creator, ["admin"])["id"]
        self.tokens: Mapping[Who, str | None] = {
            "nobody": None,
            "other_account": self.other,
            "other_with_webhooks": self.another_key(self.other, ["webhooks"])["key"],
            "creator": self.creator,
            "creator_with_play": self.another_key(self.creator, ["play"])["key"],
            "creator_with_create": self.another_key(self.creator, ["create"])["key"],
            "creator_with_organize": self.another_key(self.creator, ["organize"])["key"],
            "creator_with_webhooks": self.another_key(self.creator, ["webhooks"])["key"],
            "creator_with_admin": self.another_key(self.creator, ["admin"])["key"],
            "player": self.player,
            "player_for_other_seat": self.player,
        }


class Table(Requests):
    """A match of the people in a status and visibility: seat 0 is its creator's, seat 1 the player's by invitation.

    While it is open, seat 2 is free for invitations and seat 3 for anybody. `tokens` are those of seats, `invitations`
    what somebody without a token may show to join; `expire` ends an invitation (id of the match and of the invitation).
    """

    def __init__(
        self,
        asking: Asking,
        people: People,
        elsewhere: str,
        place: tuple[str, str],
        expire: Callable[[str, str], None],
    ) -> None:
        super().__init__(asking)
        self.creator = people.creator
        status, visibility = place
        wanted = {"game": "neues-land", "start": "manual", "deal": {"deck": DECK}, "visibility": visibility}
        made = self.match(people.creator, ["me", "invite", "invite", "open"], **wanted)
        self.id: str = made["id"]
        self.path = f"/v1/matches/{self.id}"
        first, second = (each["token"] for each in made["invitations"])
        old = self._joins(people.player, {"invitation": first})
        new = self.done("POST", f"{self.path}/seats/{PLAYER}/token", people.player)["token"]
        self.tokens: Mapping[Who, str | None] = {
            "replaced_token": old,
            "player_token": new,
            "token_for_other_seat": new,
        }
        self._invite_in_vain(people.third, second, elsewhere, expire)
        self.tournament: str = self._tournament(people, status)
        if status == "aborted":
            self.done("DELETE", self.path, people.creator)
        elif status != "open":
            self._joins(people.third, {"invitation": second})
            self._joins(people.third, {})
            self.done("POST", f"{self.path}/start", people.creator)
        if status == "finished":
            for key, seat in ((people.creator, CREATOR), (people.player, PLAYER), (people.third, THIRD)):
                self.done("POST", f"{self.path}/resignation", key, {"seat": seat})

    def _invite_in_vain(self, third: str, fresh: str, elsewhere: str, expire: Callable[[str, str], None]) -> None:
        """Make invitations that open nothing (any more), and keep one that does."""
        used, expired, revoked = (
            self.done("POST", f"{self.path}/invitations", self.creator, body)["invitations"][0]
            for body in ({"seat": THIRD}, {"expires_in_s": 3600}, {"uses": 9})
        )
        self._joins(third, {"invitation": used["token"]})
        self.done("DELETE", f"{self.path}/seats/{THIRD}", third)
        expire(self.id, expired["id"])
        self.done("DELETE", f"{self.path}/invitations/{revoked['id']}", self.creator)
        self.spare_invitation: str = expired["id"]
        self.invitations: Mapping[Who, dict[str, Any]] = {
            "used_invitation": {"invitation": used["token"]},
            "expired_invitation": {"invitation": expired["token"]},
            "revoked_invitation": {"invitation": revoked["token"]},
            "invitation_elsewhere": {"invitation": elsewhere},
            "invitation_for_other_seat": {"invitation": fresh, "seat": FOURTH},
            "fresh_invitation": {"invitation": fresh},
        }

    def _tournament(self, people: People, status: str) -> str:
        """One that the creator organizes and the player has entered: open, running, cancelled, or paused."""
        wanted = {**NEW, "own_pairings": True, "rounds": 9}
        made: str = self.done("POST", "/v1/tournaments", people.creator, wanted)["id"]
        path = f"/v1/tournaments/{made}"
        for key in (people.player, people.third):
            self.done("POST", f"{path}/entrants", key, {})
        if status in ("running", "aborted"):
            self.done("POST", f"{path}/start", people.creator)
        if status == "aborted":
            self.done("POST", f"{path}/pause", people.creator)
        if status == "finished":
            self.done("DELETE", path, people.creator)
        return made

    def legal(self) -> list[Any]:
        """What may be done by whoever must act."""
        view = self.done("GET", f"{self.path}/view?seat=0", self.creator)
        return view["legal_actions"] or [{"type": "pass"}]

    def _joins(self, key: str, body: dict[str, Any]) -> str:
        token: str = self.done("POST", f"{self.path}/seats", key, body)["grants"][0]["token"]
        return token
